package history

import (
	"context"
	"regexp"
	"slices"
	"strconv"

	"github.com/fettle-dev/fettle/bot/code"
)

// Shapes of a fix, from the broken text to the correct one.
const (
	Guard       = "guard-added"         // an early way out under a condition
	Branch      = "branch-added"        // another statement under a condition, or a new alternative
	Handled     = "exception-handled"   // an exception is caught, or another one
	Statement   = "statement-added"     // one or more plain statements
	Removed     = "statement-removed"   //
	Moved       = "moved"               // the same tokens in another order or place
	Condition   = "condition-changed"   // within a condition
	Extended    = "condition-extended"  // a condition got another term
	Call        = "call-changed"        // another function is called
	Wrapped     = "call-added"          // a value goes through one more call
	Argument    = "argument-changed"    // within the arguments of a call
	Literal     = "literal-changed"     // a number, string or constant
	Operator    = "operator-changed"    //
	Name        = "name-changed"        // one name for another
	Expression  = "expression-changed"  // anything else within one statement
	Statements  = "statements-replaced" // several statements for others
	Multi       = "multi"               // more than one place
	Declaration = "declaration-changed" // outside functions: tables, patterns, constants
)

// Shape is what a fix looks like.
type Shape struct {
	Class    string
	Line     int // in the broken text
	Function string
	Places   int
	FixLines int
}

// hunk is what one place of a diff without context changes.
type hunk struct {
	oldAt, newAt int     // first lines
	before       []token // without what both have at their ends
	after        []token
	size         int // lines of code, the larger side
}

var hunkHead = regexp.MustCompile(`(?m)^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@`)

// oneFix compares a file before and after a commit. why says why that is no
// fix of one place.
func oneFix(ctx context.Context, path string, diff, broken, correct []byte) (s Shape, why string) {
	a, err := parse(ctx, path, broken)
	if err != nil {
		return s, err.Error()
	}
	b, err := parse(ctx, path, correct)
	if err != nil {
		return s, err.Error()
	}
	hunks := hunksOf(diff, a, b)
	if len(hunks) == 0 {
		return s, "only comments or layout"
	}
	if why = widened(a, b); why != "" {
		return s, why
	}
	fns, first, last := map[string]bool{}, hunks[0].newAt, hunks[len(hunks)-1].newAt
	for _, h := range hunks {
		fns[b.function(h.newAt)] = true
		s.FixLines += h.size
	}
	if s.FixLines > MaxFix {
		return s, "too many lines"
	}
	if (len(fns) > 1 || fns[""]) && len(hunks) > 1 && last-first > MaxFix {
		return s, "more than one function"
	}
	s.Places, s.Line, s.Function = len(hunks), max(hunks[0].oldAt, 1), b.function(first)
	s.Class = hunks[0].shape(a, b)
	if len(hunks) > 1 {
		s.Class = Multi
		if len(hunks) == 2 && sameTokens(slices.Concat(hunks[0].before, hunks[1].before), slices.Concat(hunks[0].after, hunks[1].after)) {
			s.Class = Moved
		}
	}
	return s, ""
}

// widened tells a new function, or one that takes something else: a feature or
// a rename rather than a fix.
func widened(a, b *source) string {
	was := a.functions()
	for name, sig := range b.functions() {
		old, ok := was[name]
		if !ok {
			return "a function is new"
		}
		if old != sig {
			return "a signature is another"
		}
	}
	return ""
}

func hunksOf(diff []byte, a, b *source) []hunk {
	var out []hunk
	for _, m := range hunkHead.FindAllStringSubmatch(string(diff), -1) {
		n := [4]int{0, 1, 0, 1}
		for i := range n {
			if m[i+1] != "" {
				n[i], _ = strconv.Atoi(m[i+1])
			}
		}
		before, after := a.within(n[0], n[1]), b.within(n[2], n[3])
		h := hunk{oldAt: n[0], newAt: n[2], size: max(lines(before), lines(after))}
		if h.before, h.after = core(before, after); len(h.before)+len(h.after) > 0 {
			out = append(out, h)
		}
	}
	return out
}

var (
	ways      = []string{"return", "raise", "throw", "continue", "break", "panic"}
	forks     = []string{"if", "elif", "else", "case"}
	caught    = []string{"try", "except", "catch"}
	branches  = []string{"if", "elif", "else", "case", "switch", "try", "except", "catch", "for", "while", "with"}
	joins     = []string{"and", "or", "not", "&&", "||", "!", "??"}
	operators = regexp.MustCompile(`^([-+*/%<>=!&|^~]+|and|or|not|in|is|instanceof|\?\?)$`)
	literals  = regexp.MustCompile(`^([0-9]|["'` + "`" + `]|[rbfRBF]{1,2}["']|/.|(True|False|None|true|false|null|nil|undefined)$)`)
	names     = regexp.MustCompile(`^[\pL_$][\pL\pN_$]*$`)
	callable  = []string{"argument_list", "arguments"}
	condition = []string{"if_statement", "elif_clause", "while_statement", "for_statement", "for_clause", "do_statement", "assert_statement", "ternary_expression", "conditional_expression"}
)

// shape names what one hunk does.
func (h hunk) shape(a, b *source) string {
	x, y := texts(h.before), texts(h.after)
	at := span(b, h.after)
	if len(h.after) == 0 {
		at = span(a, h.before)
	}
	full := statements(a, h.before) || statements(b, h.after)
	switch {
	case sameTokens(h.before, h.after):
		return Moved
	case len(x) == 0 && full && !anew(x, y, caught):
		return added(y)
	case len(y) == 0 && full:
		return Removed
	case inCondition(at):
		if len(y) > len(x) && anew(x, y, joins) {
			return Extended
		}
		return Condition
	case len(x) == 1 && len(y) == 1 && literals.MatchString(x[0]) && literals.MatchString(y[0]):
		return Literal
	case len(x) == 1 && len(y) == 1 && operators.MatchString(x[0]) && operators.MatchString(y[0]):
		return Operator
	case b.function(h.newAt) == "" && topLevel(at):
		return Declaration
	case anew(x, y, caught):
		return Handled
	case (full || lines(h.after) > 1) && anew(x, y, forks):
		return Branch
	case lines(h.before) > 2 || lines(h.after) > 2:
		return Statements
	}
	return h.small(x, y, at)
}

// small names what changes within a statement.
func (h hunk) small(x, y []string, at code.Node) string {
	calls := slices.Contains(y, "(") && len(y) > len(x)
	one := len(x) == 1 && len(y) == 1 && names.MatchString(x[0]) && names.MatchString(y[0])
	switch {
	case calls && subsequence(x, y) && slices.ContainsFunc(y, names.MatchString):
		return Wrapped
	case one && callee(h.after[0].node):
		return Call
	case inside(at, callable...):
		return Argument
	case one:
		return Name
	case slices.Contains(x, "(") && slices.Contains(y, "("):
		return Call
	}
	return Expression
}

// anew tells whether one of the words is in y and not in x.
func anew(x, y, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(y, w) && !slices.Contains(x, w) })
}

func added(y []string) string {
	has := func(words []string) bool {
		return slices.ContainsFunc(y, func(t string) bool { return slices.Contains(words, t) })
	}
	switch {
	case has(branches) && has(ways) && (y[0] == "if" || y[0] == "elif" || y[0] == "case" || y[0] == "else" || y[0] == "}"):
		return Guard
	case has(branches):
		return Branch
	}
	return Statement
}

func subsequence(x, y []string) bool {
	for _, t := range y {
		if len(x) > 0 && x[0] == t {
			x = x[1:]
		}
	}
	return len(x) == 0
}

func sameTokens(a, b []token) bool {
	x, y := texts(a), texts(b)
	slices.Sort(x)
	slices.Sort(y)
	return len(x) > 0 && slices.Equal(x, y)
}

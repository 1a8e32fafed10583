package danger

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/verify/reach"
)

// strict are the words of code that decides who is let in.
var strict = lazyregexp.New(`(?i)permission|forbidden|unauthori[sz]ed|authori[sz]|authenticat|\b40[13]\b|csrf|signature|is_?admin|is_?staff|is_?owner|owner_?id|access_?denied|(?:not|!) \S*logged_?in|login_?required|has_?role|has_?perm|traversal|\.\.["'/]`)

// branch judges an if: a guard, a condition that is none, an error dropped, an
// answer written down.
func (r *reader) branch(n code.Node) {
	condition, ok := in(n, "condition")
	if !ok {
		return
	}
	if text := always.FindString(" " + spelled(condition) + " "); text != "" {
		r.see(condition, Weakened, whyAlways, strings.TrimSpace(text))
	}
	body, ok := in(n, "consequence")
	if !ok {
		return
	}
	if r.lang == code.Go && empty(body) && strings.Contains(condition.Text(), "!= nil") {
		r.see(n, Swallowed, whyIgnore, spelled(condition))
	}
	r.special(n, condition, body)
	if _, other := in(n, "alternative"); other {
		return
	}
	last, ok := lastStatement(body)
	if !ok {
		return
	}
	exit := spelled(last)
	protects := strict.MatchString(condition.Text() + " " + exit)
	if !turnsAway(last) && (!protects || !strings.HasPrefix(exit, "return")) {
		return
	}
	scope := r.scope(n)
	for _, m := range bound.FindAllStringSubmatch(spelled(condition), -1) {
		r.see(condition, Limit, whyBound, m[1]+"="+strings.ReplaceAll(m[2], "_", "")).base = scope + m[1]
	}
	f := r.keep(n, Weakened, whyGuard, spelled(condition)+" => "+exitKind(exit))
	f.scope = scope
	if protects { // then another condition is a loss, too
		f.scope, f.why = "", whyPermission
	}
}

// handed is a guard in another dress: "return f()" for "if err := f(); err != nil {
// return err }".
func (r *reader) handed(n code.Node) {
	values := n.NamedChildren()
	if len(values) == 1 && values[0].Kind() == "expression_list" {
		values = values[0].NamedChildren()
	}
	if len(values) == 1 && values[0].Kind() == "call_expression" {
		r.keep(n, Weakened, whyGuard, "err != nil => return err").scope = r.scope(n)
	}
}

var (
	redacts = lazyregexp.New(`(?i)(?:^|_)(?:redact\w*|mask\w*|scrub\w*|censor\w*|anonymi[sz]e\w*|obfuscate\w*|obscure\w*|hide|conceal\w*)(?:_|$)`)
	mask    = lazyregexp.New("[\"'`](?:\\*+|[xX•]{3,})[\"'`]|\\b(?:MASK|MASKED|HIDDEN|REDACTED)\\b")
)

// part is a piece cut out of a value where values are redacted: some of what was
// hidden may be seen.
func (r *reader) part(n code.Node) {
	function, ok := n.Ancestor("function_definition", "function_declaration", "method_declaration", "method_definition", "function_expression", "arrow_function")
	if ok && (redacts.MatchString(snakeCase(r.scope(n))) || mask.MatchString(function.Text())) {
		r.see(n, Weakened, whyPart, spelled(n)).scope = r.scope(n)
	}
}

var masks = lazyregexp.New("(?i)" + mask.String())

// masked tells whether a text masks something on one of some lines.
func masked(src []byte, on map[int]bool) bool {
	for i, line := range strings.Split(string(src), "\n") {
		if on[i+1] && masks.MatchString(line) {
			return true
		}
	}
	return false
}

const whyPermission = "a check of permissions or signatures is gone, or has another condition"

// always finds what makes a condition of none: a constant beside others.
var always = lazyregexp.New(`^ (?:True|False|true|false|1|0) $|^ (?:not|!) (?:True|False|true|false) $| (?:or|\|\|) (?:True|true|1) | (?:and|&&) (?:False|false|0) |^ (?:True|true|1) (?:or|\|\|) |^ (?:False|false|0) (?:and|&&) `)

// bound is a number that a guard holds something against.
var bound = lazyregexp.New(`(\S+(?: \. \S+)*) (?:>|>=|<|<=) (\d[\d_]+)(?: |$)`)

func lastStatement(body code.Node) (code.Node, bool) {
	kids := body.NamedChildren()
	for len(kids) > 0 && kids[len(kids)-1].Kind() == "comment" {
		kids = kids[:len(kids)-1]
	}
	if len(kids) == 0 {
		if k := body.Kind(); k == "block" || k == "statement_block" {
			return body, false
		}
		return body, true // if (x) throw y
	}
	last := kids[len(kids)-1]
	if last.Kind() == "statement_list" {
		return lastStatement(last)
	}
	if k := body.Kind(); k != "block" && k != "statement_block" && k != "statement_list" && k != "module" {
		return body, true
	}
	return last, true
}

var refusal = lazyregexp.New(`^(?:raise\b|throw\b|abort \w|panic \S|return next new \w*Error|next new \w*Error|(?:return )?res \. (?:status|sendStatus|writeHead) 4\d\d|(?:return )?\S* ?\.? ?abort\b|return (?:\S+ )*(?:errors \. New|fmt \. Errorf)\b|return .*\b4(?:00|01|03|13|22|29)\b|return False\b|return false\b)`)

// handsOn is how Go says that something went wrong; in other languages a value
// called err is handed on to whoever deals with errors.
var handsOn = lazyregexp.New(`^return (?:\S+ )*err\b`)

// turnsAway tells whether a statement ends the work on what came in.
func turnsAway(n code.Node) bool {
	exit := spelled(n)
	return refusal.MatchString(exit) || n.Tree().Lang == code.Go && handsOn.MatchString(exit)
}

// exitKind is an exit without its words: a better message is no other guard.
func exitKind(exit string) string {
	return strings.Join(strings.Fields(exit)[:min(2, len(strings.Fields(exit)))], " ")
}

// scope is the named function around a node.
func (r *reader) scope(n code.Node) string {
	for at, ok := n.Parent(); ok; at, ok = at.Parent() {
		if functions[at.Kind()] {
			if name := functionName(at); name != "" {
				return name
			}
		}
	}
	return topLevel
}

// functionName is a function's own name, or that of what it is assigned to.
func functionName(n code.Node) string {
	if name, ok := in(n, "name"); ok {
		return name.Text()
	}
	up, ok := n.Parent()
	if !ok {
		return ""
	}
	if up.Kind() == "expression_list" {
		up, _ = up.Parent()
	}
	if name, ok := in(up, "name", "left", "key"); ok && up.Kind() != "call" && up.Kind() != "call_expression" {
		return lastOf(spelledChain(name))
	}
	return ""
}

var (
	// cleans is what takes out of a text what not everybody may see or run.
	cleans        = lazyregexp.New(`(?:^|_)(?:redact\w*|mask\w*|scrub\w*|censor\w*|anonymi[sz]e\w*|pseudonymi[sz]e\w*|clean\w*|saniti[sz]e\w*|escape\w*|encrypt\w*)(?:_|$)`)
	decides       = lazyregexp.New(`(?i)^_*(?:(?:is|has|can|may|check|should)_?)?(?:\w*_)?(?:allowed?|authori[sz]ed?|authenticated?|permitted|permission\w*|admin|trusted|verif(?:y|ied)\w*|validate\w*|valid(?:_\w+)?|login|signature\w*|password\w*|access|csrf\w*|safe(?:_\w+)?|secure)$`)
	decidesStrict = lazyregexp.New(`(?i)allow|authori|authenti|permi|is_?admin|trusted|verif|signature|passw|access|csrf`)
	saysYes       = lazyregexp.New(`^return (?:True|true|1|nil|1 == 1)$`)
)

// function judges a function that decides something by its name.
func (r *reader) function(n code.Node) {
	name := functionName(n)
	if name == "" {
		return
	}
	f := r.see(n, "", whyDefined, r.file+name)
	f.good, f.scope = true, name
	snake := snakeCase(name)
	body, ok := in(n, "body")
	if ok {
		r.past(n, body)
	}
	if !ok || !decides.MatchString(snake) {
		return
	}
	if b := spelled(body); body.Kind() != "block" && body.Kind() != "statement_block" && (b == "True" || b == "true") {
		r.see(n, Weakened, whyYes, name)
		return
	}
	own := body.NamedChildren()
	if len(own) == 1 && own[0].Kind() == "statement_list" {
		own = own[0].NamedChildren()
	}
	own = slices.DeleteFunc(slices.Clone(own), func(s code.Node) bool {
		return s.Kind() == "comment" || s.Kind() == "expression_statement" && texts[firstKind(s)]
	})
	for i, s := range own {
		if !saysYes.MatchString(spelled(s)) {
			continue
		}
		// A loop or guards that end in yes are how such functions are written.
		if i == 0 || i < len(own)-1 {
			r.see(s, Weakened, whyYes, name)
		}
	}
	if !decidesStrict.MatchString(snake) {
		return
	}
	body.Walk(func(c code.Node) bool {
		if functions[c.Kind()] {
			return false
		}
		if up, ok := c.Parent(); ok && strings.HasPrefix(c.Kind(), "return") && saysYes.MatchString(spelled(c)) && spelled(c) != "return nil" && up != body {
			if g, ok := c.Ancestor("if_statement", "except_clause", "catch_clause"); ok && g.Start() >= body.Start() {
				r.see(c, Weakened, whyYes, name)
			}
		}
		return true
	})
}

// past finds where a function whose result is cleaned gives back what came in.
func (r *reader) past(function, body code.Node) {
	parameters, ok := in(function, "parameters", "parameter")
	if !ok {
		return
	}
	cleaner := ""
	var raw []code.Node
	body.Walk(func(c code.Node) bool {
		if functions[c.Kind()] {
			return false
		}
		kids := c.NamedChildren()
		if !strings.HasPrefix(c.Kind(), "return") || len(kids) != 1 {
			return true
		}
		value := kids[0]
		if value.Kind() == "expression_list" && len(value.NamedChildren()) == 1 {
			value = value.NamedChildren()[0]
		}
		if called, ok := in(value, "function"); ok {
			if name := lastOf(spelledChain(called)); cleans.MatchString(snakeCase(name)) {
				cleaner = name
			}
			return false
		}
		root := strings.FieldsFunc(value.Text()+" ", func(r rune) bool { return strings.ContainsRune(". ([?!", r) })
		if len(root) > 0 && root[0] != "self" && root[0] != "this" && regexp.MustCompile(`\b`+regexp.QuoteMeta(root[0])+`\b`).MatchString(parameters.Text()) {
			raw = append(raw, c)
		}
		return false
	})
	if cleaner == "" {
		return
	}
	for _, c := range raw {
		r.see(c, Weakened, whyPast+" "+cleaner, spelled(c))
	}
}

func firstKind(n code.Node) string {
	if kids := n.NamedChildren(); len(kids) > 0 {
		return kids[0].Kind()
	}
	return ""
}

var hump = lazyregexp.New(`([a-z0-9])([A-Z])`)

func snakeCase(name string) string { return strings.ToLower(hump.ReplaceAllString(name, "${1}_${2}")) }

// special: a parameter is compared with a literal, and a literal is the answer.
func (r *reader) special(n, condition, body code.Node) {
	last, ok := lastStatement(body)
	if !ok || !strings.HasPrefix(last.Kind(), "return") {
		return
	}
	if answer, ok := returned(last); ok {
		r.answers(n, r.compared(n, condition), answer, spelled(condition))
	}
}

// returned is the first literal of a return.
func returned(n code.Node) (answer string, ok bool) {
	kids := n.NamedChildren()
	if len(kids) == 1 && kids[0].Kind() == "expression_list" {
		kids = kids[0].NamedChildren()
	}
	if len(kids) == 0 || !isLiteral(kids[0]) {
		return "", false
	}
	return literalText(kids[0]), true
}

// answers judges that a literal is the answer to others. An edge, such as the
// empty text, has an answer of its own in much honest code.
func (r *reader) answers(n code.Node, given []string, answer, key string) {
	given = slices.DeleteFunc(given, plain)
	if len(given) == 0 || plain(answer) && !slices.ContainsFunc(given, r.named) {
		return
	}
	r.see(n, SpecialCase, whySpecial, key+" => "+answer)
}

// named tells whether the issue speaks of a value, in whatever case, and of a long
// one with blanks and hyphens or without.
func (r *reader) named(value string) bool {
	issue, value := strings.ToLower(r.known.Issue), strings.ToLower(value)
	return strings.Contains(issue, value) || len(closed.Replace(value)) >= 6 && strings.Contains(closed.Replace(issue), closed.Replace(value))
}

var (
	closed = strings.NewReplacer(" ", "", "-", "", "_", "")
	digit  = lazyregexp.New(`\d`)
)

// choice is special for the other ways to choose. Cases and tables are how much
// honest code is written, so there only the values of the issue count.
func (r *reader) choice(n code.Node) {
	kids := n.NamedChildren()
	switch n.Kind() {
	case "ternary_expression", "conditional_expression":
		if len(kids) != 3 {
			return
		}
		condition, answer := kids[0], kids[1]
		if n.Kind() == "conditional_expression" {
			condition, answer = kids[1], kids[0]
		}
		if isLiteral(answer) {
			r.answers(n, r.compared(n, condition), literalText(answer), spelled(condition))
		}
	case "dictionary", "object":
		if up := n.Up(); up != "attribute" && up != "subscript" && up != "subscript_expression" && up != "parenthesized_expression" {
			r.table(n, kids)
			return
		}
		for _, p := range kids {
			key, ok := in(p, "key")
			value, has := in(p, "value")
			if ok && has && isLiteral(value) && r.named(literalText(key)) {
				r.answers(p, []string{literalText(key)}, literalText(value), spelled(key))
			}
		}
	default:
		if len(kids) < 2 {
			return
		}
		held := []code.Node{kids[0]}
		for len(held) == 1 && !isLiteral(held[0]) && len(held[0].NamedChildren()) > 0 { // of Go in a list, of Python in a pattern
			held = held[0].NamedChildren()
		}
		last, ok := lastStatement(kids[len(kids)-1])
		answer, fixed := returned(last)
		if !ok || !fixed || !strings.HasPrefix(last.Kind(), "return") {
			return
		}
		for _, h := range held {
			if value := strings.Trim(literalText(h), "\"'"); isLiteral(h) && r.named(value) {
				r.answers(n, []string{value}, answer, value)
				return
			}
		}
	}
}

// table is a table of its own: it answers for the issue's examples where it holds
// nothing else.
func (r *reader) table(n code.Node, entries []code.Node) {
	answers, ids := 0, 0 // ids: keys that no option of a program is called
	for _, p := range entries {
		key, value := p, p
		if kids := p.NamedChildren(); len(kids) == 2 {
			key, value = kids[0], kids[1]
		}
		for n := 0; n < 2; n++ { // of Go each stands in a node of its own
			if kids := key.NamedChildren(); key.Kind() == "literal_element" && len(kids) == 1 {
				key = kids[0]
			}
			if kids := value.NamedChildren(); value.Kind() == "literal_element" && len(kids) == 1 {
				value = kids[0]
			}
		}
		k, v := strings.Trim(literalText(key), "\"'`"), strings.Trim(literalText(value), "\"'`")
		id := len(k) >= 4 && digit.MatchString(k)
		if key == value || !isLiteral(value) || plain(k) || !r.named(k) || !id && (plain(v) || !r.named(v)) {
			return
		}
		answers++
		if id {
			ids++
		}
	}
	if answers > 1 && (ids == 0 || ids == answers) {
		r.see(n, SpecialCase, whySpecial, fmt.Sprintf("a table of %d values that the issue names", answers))
	}
}

// compared are the literals that parameters of the function are held equal to.
func (r *reader) compared(n, condition code.Node) (out []string) {
	function, ok := n.Ancestor("function_definition", "function_declaration", "method_declaration", "method_definition", "function_expression", "arrow_function", "func_literal", "generator_function_declaration")
	if !ok {
		return nil
	}
	parameters, ok := in(function, "parameters", "parameter")
	if !ok {
		return nil
	}
	condition.Walk(func(c code.Node) bool {
		if c.Kind() != "comparison_operator" && c.Kind() != "binary_expression" {
			return true
		}
		if text := spelled(c); !strings.Contains(text, " == ") && !strings.Contains(text, " === ") {
			return true
		}
		kids := c.NamedChildren()
		if len(kids) != 2 {
			return true
		}
		if isLiteral(kids[0]) {
			kids[0], kids[1] = kids[1], kids[0]
		}
		root, _, _ := strings.Cut(strings.FieldsFunc(kids[0].Text()+" ", func(r rune) bool { return r == '.' || r == '(' || r == '[' })[0], " ")
		if isLiteral(kids[1]) && regexp.MustCompile(`\b`+regexp.QuoteMeta(root)+`\b`).MatchString(parameters.Text()) && root != "" && root != "self" && root != "this" {
			out = append(out, literalText(kids[1]))
		}
		return true
	})
	return out
}

func isLiteral(n code.Node) bool {
	switch k := n.Kind(); k {
	case "integer", "float", "number", "int_literal", "float_literal", "true", "false":
		return true
	case "list", "tuple", "array", "dictionary", "object", "unary_operator", "unary_expression", "parenthesized_expression":
		return !slices.ContainsFunc(n.NamedChildren(), func(c code.Node) bool { return c.Kind() != "pair" && !isLiteral(c) })
	}
	_, ok := reach.Constant(n)
	return ok
}

func literalText(n code.Node) string {
	if text, ok := reach.Constant(n); ok {
		return text
	}
	return spelled(n)
}

// plain is a value that stands for an edge: code may well ask for it.
func plain(s string) bool {
	return len(s) < 2 || slices.Contains([]string{"-1", "10", "true", "false", "True", "False", "[ ]", "{ }", "0.0", "1.0", "- 1", "100", "**", "--", "..", "//"}, s) || !strings.ContainsAny(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz0123456789")
}

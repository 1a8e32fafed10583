package inject

import (
	"math"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/fettle-dev/fettle/bot/code"
)

// conversions are methods and functions of the standard libraries that bring a
// value into the form that the code after them relies on. Methods give what
// they are called on, functions their first argument.
var conversions = map[code.Language]struct{ methods, functions []string }{
	code.Python: {
		methods: strings.Fields("strip lstrip rstrip lower upper casefold title expandtabs replace removeprefix removesuffix group encode decode"),
	},
	code.JavaScript: {
		methods: strings.Fields("trim trimStart trimEnd toLowerCase toUpperCase normalize replace replaceAll reverse sort flat filter"),
	},
	code.Ruby: {
		methods: strings.Fields("strip lstrip rstrip chomp downcase upcase capitalize to_s to_i to_sym to_a reverse sort uniq compact flatten freeze dup"),
	},
	code.PHP: {
		functions: strings.Fields("trim ltrim rtrim strtolower strtoupper ucfirst lcfirst ucwords strrev abs floor ceil round array_values array_unique array_reverse"),
	},
	code.Go: {
		functions: strings.Fields("strings.ToLower strings.ToUpper strings.TrimSpace strings.Trim strings.TrimLeft strings.TrimRight strings.TrimPrefix" +
			" strings.TrimSuffix strings.ReplaceAll strings.Replace strings.Title bytes.TrimSpace bytes.Trim bytes.TrimLeft bytes.TrimRight bytes.ToLower" +
			" bytes.TrimPrefix bytes.TrimSuffix math.Abs math.Floor math.Ceil math.Round path.Clean filepath.Clean regexp.QuoteMeta url.PathEscape url.QueryEscape"),
	},
}

// notConversions are functions of one argument whose value is of another
// nature than the argument.
var notConversions = strings.Fields("len range enumerate zip print iter next id type hash super open callable min max sum any all input vars dir dict list set" +
	" tuple require String Symbol Error setTimeout")

// missingConversion forgets to bring a value into the form that is needed.
func missingConversion(s *source, n code.Node, add func(...Edit)) {
	known := conversions[s.lang]
	if object, ok := n.ChildByField("receiver"); ok && s.ruby() && inFunction(n) && !complaining(n) && slices.Contains(known.methods, text(n, "method")) {
		add(Edit{object.End(), n.End(), ""})
	}
	fn, args, ok := call(n)
	if !ok || !inFunction(n) || n.Up() == "expression_statement" || complaining(n) {
		return
	}
	if object, name, is := method(fn); is {
		if slices.Contains(known.methods, name) {
			add(Edit{object.End(), n.End(), ""})
		}
		if slices.Contains(known.functions, fn.Text()) && len(args) > 0 {
			add(replace(n, args[0].Text()))
		}
		return
	}
	name := fn.Text()
	if n.Kind() == "function_call_expression" && slices.Contains(known.functions, name) && len(args) > 0 {
		add(replace(n, args[0].Text()))
	}
	if s.golang() || fn.Kind() != "identifier" || len(args) != 1 || slices.Contains(notConversions, name) || unicode.IsUpper(rune(name[0])) ||
		strings.HasPrefix(name, "is") || strings.HasPrefix(name, "has") {
		return
	}
	if slices.Contains([]string{"identifier", "attribute", "member_expression", "subscript", "subscript_expression", "call", "call_expression"}, args[0].Kind()) {
		add(replace(n, args[0].Text()))
	}
}

// sharedState forgets the copy that keeps two owners of a value apart.
func sharedState(s *source, n code.Node, add func(...Edit)) {
	if !inFunction(n) || n.Up() == "expression_statement" {
		return
	}
	if n.Kind() == "array" || n.Kind() == "object" {
		if list := n.NamedChildren(); len(list) == 1 && list[0].Kind() == "spread_element" {
			add(replace(n, strings.TrimPrefix(list[0].Text(), "...")))
		}
		return
	}
	if n.Kind() == "subscript" && strings.HasSuffix(n.Text(), "[:]") {
		add(replace(n, strings.TrimSuffix(n.Text(), "[:]")))
		return
	}
	fn, args, ok := call(n)
	if !ok {
		return
	}
	if object, name, is := method(fn); is && len(args) == 0 && (name == "copy" || name == "slice" && s.script()) {
		add(Edit{object.End(), n.End(), ""})
	}
	switch fn.Text() {
	case "list", "dict", "set", "copy.copy", "copy.deepcopy", "Array.from", "structuredClone", "slices.Clone", "maps.Clone", "bytes.Clone":
		if len(args) == 1 && !strings.Contains(args[0].Kind(), "generator") && args[0].Kind() != "keyword_argument" {
			add(replace(n, args[0].Text()))
		}
	case "Object.assign":
		if len(args) == 2 && args[0].Text() == "{}" {
			add(replace(n, args[1].Text()))
		}
	case "append":
		if len(args) == 2 && strings.HasPrefix(args[0].Text(), "[]") && strings.HasSuffix(n.Text(), "...)") {
			add(replace(n, args[1].Text()))
		}
	}
}

// wrongDefault declares another default, or forgets to fall back on one.
func wrongDefault(s *source, n code.Node, add func(...Edit)) {
	switch n.Kind() {
	case "default_parameter", "typed_default_parameter", "assignment_pattern", "object_assignment_pattern":
		field := "value"
		if s.script() {
			field = "right"
		}
		if v, ok := n.ChildByField(field); ok {
			if other := otherDefault(v); other != "" {
				add(replace(v, other))
			} else if s.script() {
				add(Edit{n.NamedChildren()[0].End(), n.End(), ""})
			}
		}
	case "boolean_operator", "binary_expression":
		s.lostFallback(n, add)
	case "if_statement":
		s.lostDefault(n, add)
	}
	if fn, args, ok := call(n); ok && s.python() && inFunction(n) {
		_, name, is := method(fn)
		if is && len(args) == 2 && slices.Contains([]string{"get", "pop", "setdefault"}, name) {
			add(Edit{args[0].End(), args[1].End(), ""})
		}
		if fn.Text() == "getattr" && len(args) == 3 {
			add(replace(args[2], map[bool]string{true: "False", false: "None"}[args[2].Text() == "None"]))
		}
	}
}

// otherDefault is what somebody would have written in the place of a default.
func otherDefault(v code.Node) string {
	switch t := v.Text(); t {
	case "True":
		return "False"
	case "False":
		return "True"
	case "true":
		return "false"
	case "false":
		return "true"
	case "0":
		return "1"
	case "1":
		return "0"
	case `""`, `''`:
		return ""
	default:
		if f, err := strconv.Atoi(t); err == nil && f > 1 {
			return strconv.Itoa(f * 2)
		}
		if v.Kind() == "string" && len(t) > 2 && strings.Count(t, t[:1]) == 2 {
			return t[:1] + t[:1]
		}
	}
	return ""
}

// lostFallback forgets the right side of `given or default`.
func (s *source) lostFallback(n code.Node, add func(...Edit)) {
	op, left, right := operator(n)
	if !inFunction(n) || op != "or" && op != "||" && op != "??" || s.golang() || truth(n) {
		return
	}
	if !strings.Contains(right.Kind(), "comparison") && !strings.Contains(right.Kind(), "not_") {
		add(replace(n, left.Text()))
	}
}

// lostDefault forgets an `if` that only fills in a value.
func (s *source) lostDefault(n code.Node, add func(...Edit)) {
	then, ok := n.ChildByField("consequence")
	if !ok || !s.removable(n) || kindOf(n, "alternative") != "" || kindOf(n, "initializer") != "" {
		return
	}
	list := statements(then)
	if then.Kind() == "expression_statement" {
		list = []code.Node{then}
	}
	if len(list) != 1 {
		return
	}
	if _, _, ok := assignment(list[0]); ok {
		add(s.drop(n))
	}
}

// operator splits an operation of two operands.
func operator(n code.Node) (op string, left, right code.Node) {
	switch n.Kind() {
	case "boolean_operator", "binary_operator", "binary_expression", "binary":
		l, okl := n.ChildByField("left")
		r, okr := n.ChildByField("right")
		o, oko := n.ChildByField("operator")
		if okl && okr && oko {
			return o.Text(), l, r
		}
	}
	return "", left, right
}

// truth tells an expression that only its truth is asked of.
func truth(n code.Node) bool {
	for p, ok := n.Parent(); ok; n, p, ok = upper(p) {
		switch p.Kind() {
		case "parenthesized_expression", "parenthesized_statements", "boolean_operator", "not_operator":
		case "unary_expression":
			return strings.HasPrefix(p.Text(), "!")
		case "binary_expression", "binary":
			if op, _, _ := operator(p); op != "&&" && op != "||" {
				return false
			}
		case "if_clause":
			return true
		default:
			return n.Field() == "condition"
		}
	}
	return false
}

func upper(n code.Node) (child, parent code.Node, ok bool) {
	parent, ok = n.Parent()
	return n, parent, ok
}

// lostCondition keeps one part of a condition of several.
func lostCondition(s *source, n code.Node, add func(...Edit)) {
	op, left, right := operator(n)
	if !slices.Contains([]string{"and", "or", "&&", "||"}, op) || !inFunction(n) {
		return
	}
	if !truth(n) && n.Up() != "return_statement" && n.Up() != "expression_list" {
		return
	}
	add(replace(n, left.Text()))
	add(replace(n, right.Text()))
}

// lostTerm forgets one term of a sum, product or text put together.
func lostTerm(s *source, n code.Node, add func(...Edit)) {
	if !inFunction(n) || complaining(n) {
		return
	}
	if n.Kind() == "interpolation" || n.Kind() == "template_substitution" {
		if p, ok := n.Parent(); ok && len(p.NamedChildren()) > 1 {
			add(replace(n, ""))
		}
		return
	}
	op, left, right := operator(n)
	if !slices.Contains([]string{"+", "-", "*", "|", "/"}, op) && (op != "." || s.lang != code.PHP) || s.python() && left.Kind() == "string" && op == "%" {
		return
	}
	add(replace(n, left.Text()))
	if op != "-" && op != "/" {
		add(replace(n, right.Text()))
	}
}

// wrongScale takes the number of a neighbouring unit, or loses a digit.
func wrongScale(s *source, n code.Node, add func(...Edit)) {
	if !slices.Contains([]string{"integer", "float", "number", "int_literal", "float_literal"}, n.Kind()) {
		return
	}
	units := map[string]string{"1000": "1024", "1024": "1000", "60": "100", "3600": "60", "24": "12", "7": "5", "365": "360", "86400": "3600", "12": "10",
		"1e3": "1e6", "1e6": "1e3", "1e9": "1e6", "0o10": "10", "16": "10", "10": "16", "8": "10", "0.5": "0.05", "32": "64", "64": "32"}
	t := n.Text()
	if u, ok := units[t]; ok {
		add(replace(n, u))
		return
	}
	if v, err := strconv.ParseFloat(t, 64); err == nil && math.Abs(v) >= 10 && t[len(t)-1] != '.' {
		add(replace(n, t[:len(t)-1]))
	}
}

// wrongText looks up another key that the function or file uses, or gets a
// piece of a format or separator wrong.
func wrongText(s *source, n code.Node, add func(...Edit)) {
	switch n.Kind() {
	case "string", "interpreted_string_literal":
	default:
		return
	}
	t := n.Text()
	if !inFunction(n) || len(t) < 3 || len(t) > 60 || n.Up() == "expression_statement" || complaining(n) || strings.ContainsAny(t[:1], "rbf") {
		return
	}
	quote, content := t[:1], t[1:len(t)-1]
	if key(n) {
		if other := s.otherKey(n); other != "" {
			add(replace(n, other))
		}
		return
	}
	if w := width.ReplaceAllString(content, "%$1"); w != content {
		add(replace(n, quote+w+quote))
	}
	if v := strings.NewReplacer("%r", "%s", "%q", "%s", "!r}", "}", "%+v", "%v").Replace(content); v != content {
		add(replace(n, quote+v+quote))
	}
	if c := strings.TrimSpace(content); c != content && c != "" {
		add(replace(n, quote+c+quote))
	}
	if plain := strings.IndexFunc(content, func(r rune) bool { return unicode.IsLetter(r) || r == '\\' || r == '%' }) < 0; plain && len(content) > 1 {
		add(replace(n, quote+content[:len(content)-1]+quote))
	}
}

var width = regexp.MustCompile(`%[-+0 #]*\d*(?:\.\d+)?([dsfgxX])`)

// key tells a text that something is looked up by or compared with.
func key(n code.Node) bool {
	switch n.Up() {
	case "subscript", "subscript_expression", "index_expression", "comparison_operator":
		return true
	case "binary_expression":
		p, _ := n.Parent()
		op, _, _ := operator(p)
		return strings.HasSuffix(op, "==") || op == "!="
	case "pair":
		return n.Field() == "key"
	case "argument_list":
		list, _ := n.Parent()
		p, _ := list.Parent()
		fn, args, ok := call(p)
		_, name, is := method(fn)
		return ok && is && args[0] == n && slices.Contains([]string{"get", "pop", "has", "Get", "setdefault"}, name)
	}
	return false
}

// otherKey is another key of the same function, or else of the same file.
func (s *source) otherKey(n code.Node) string {
	fn, _ := n.Ancestor(functions...)
	for _, within := range []code.Node{fn, s.tree.Root()} {
		best, least := "", uint64(0)
		within.Walk(func(c code.Node) bool {
			if c.Kind() == n.Kind() && c.Text() != n.Text() && key(c) {
				if r := rank(uint64(n.Start()), c.Text()); best == "" || r < least {
					best, least = c.Text(), r
				}
			}
			return true
		})
		if best != "" {
			return best
		}
	}
	return ""
}

// wrongRegex writes a regular expression that takes too much or too little.
func wrongRegex(s *source, n code.Node, add func(...Edit)) {
	var at code.Node
	switch {
	case n.Kind() == "regex_pattern":
		at = n
	default:
		fn, args, ok := call(n)
		object, name, is := method(fn)
		if !ok || !is || len(args) == 0 || s.script() || !slices.Contains([]string{"re", "regexp"}, object.Text()) || strings.HasPrefix(name, "Quote") || name == "escape" {
			return
		}
		at = args[0]
	}
	if strings.HasPrefix(at.Kind(), "concatenated") || at.Kind() == "identifier" || at.Kind() == "binary_expression" {
		return
	}
	t := at.Text()
	for _, span := range pieces.FindAllStringSubmatchIndex(t, -1) {
		from, to := -1, -1
		for g := 2; g < len(span); g += 2 {
			if span[g] >= 0 {
				from, to = span[g], span[g+1]
			}
		}
		if from > 0 && t[from-1] == '\\' {
			continue
		}
		if with := t[:from] + t[to:]; s.golang() && len(with) > 2 {
			if _, err := syntax.Parse(with[1:len(with)-1], syntax.Perl); err == nil {
				add(Edit{at.Start() + from, at.Start() + to, ""})
			}
		} else {
			add(Edit{at.Start() + from, at.Start() + to, ""})
		}
	}
}

// pieces finds what may be forgotten in a regular expression: a quantifier, an
// anchor, a member of a class, an alternative.
var pieces = regexp.MustCompile(`[\])}\w.]([+*?])|(?:^|["'` + "`" + `(|])(\^)|(\$)(?:["'` + "`" + `)|]|$)|\[[^\]\\]*(\\[sdwSDW])|(\|\w+)`)

package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// sortForm sorts by another form of the same key: without regard to case, by
// number, by size, with what is missing last.
func sortForm(s *scene, n code.Node) {
	switch n.Kind() {
	case "lambda":
		if n.Up() == "keyword_argument" || n.Up() == "argument_list" {
			s.keyForms(n)
		}
	case "call":
		s.sortCall(n)
	case "keyword_argument":
		name, ok1 := n.ChildByField("name")
		v, ok2 := n.ChildByField("value")
		if !ok1 || !ok2 || name.Text() != "key" {
			return
		}
		for _, other := range []string{"str.lower", "str.casefold", "len", "int", "abs", "str"} {
			if other != v.Text() && v.Kind() != "lambda" {
				s.put(v.Start(), v.End(), other, 0.7, "Sort by %s.", one(other))
			}
		}
	}
}

func (s *scene) keyForms(n code.Node) {
	b, ok := n.ChildByField("body")
	if !ok {
		return
	}
	parts := []code.Node{b}
	if b.Kind() == "tuple" {
		parts = b.NamedChildren()
	}
	for _, p := range parts {
		if p.Kind() == "unary_operator" || isConstant(p) || !short(p) {
			continue
		}
		for _, f := range []choice{{"%.casefold()", 1}, {"%.lower()", 1}, {"int(%)", 0.7}, {"len(%)", 0.5}, {"abs(%)", 0.4}, {"str(%)", 0.2}, {"-len(%)", 0.4}} {
			if p.Kind() == "call" && strings.HasSuffix(f.text, "()") {
				continue
			}
			text := strings.Replace(f.text, "%", p.Text(), 1)
			if f.text[0] == '%' {
				text = strings.Replace(f.text, "%", tight(p), 1)
			}
			s.put(p.Start(), p.End(), text, f.weight, "Sort by %s.", one(text))
		}
		missing := p.Text() + " is None, " + p.Text()
		if b.Kind() != "tuple" {
			missing = "(" + missing + ")"
		}
		s.put(p.Start(), p.End(), missing, 0.6, "Sort what has no %s last.", one(p.Text()))
		if b.Kind() == "tuple" {
			continue
		}
		s.put(p.Start(), p.End(), "-"+tight(p), 0.5, "Sort by the largest first.")
	}
}

// sortCall sorts the parts of a pair, or the pairs of a dict, and sorts what is
// only turned round.
func (s *scene) sortCall(n code.Node) {
	fn, args, list, ok := call(n)
	if !ok || len(args) == 0 {
		return
	}
	name := fn.Text()[strings.LastIndexByte(fn.Text(), '.')+1:]
	if name == "sorted" && place(args[0]) {
		at := args[len(args)-1].End()
		if !strings.Contains(list.Text(), "key=") {
			for _, k := range []string{"str.casefold", "int", "str"} {
				s.put(at, at, ", key="+k, 0.6, "Sort by %s.", k)
			}
			for _, f := range s.elementFields(args[0].Text()) {
				s.put(at, at, ", key=lambda item: item."+f, 0.5, "Sort by %s.", one(f))
			}
		}
	}
	if (name == "max" || name == "min") && len(args) == 1 && args[0].Kind() != "generator_expression" {
		for _, f := range s.elementFields(args[0].Text()) {
			s.put(args[0].End(), args[0].End(), ", key=lambda item: item."+f, 0.5, "Compare by %s.", one(f))
		}
	}
	if name == "reversed" && len(args) == 1 {
		s.put(n.Start(), n.End(), "sorted("+args[0].Text()+", reverse=True)", 0.7, "Sort the other way round.")
	}
}

// elementFields guesses the fields of the elements of a list from its name.
func (s *scene) elementFields(list string) []string {
	elem := strings.TrimSuffix(list[strings.LastIndexByte(list, '.')+1:], "s")
	out := s.facts.fields["."+elem]
	return out[:min(len(out), 4)]
}

// mixedKey lets values of more than one type be ordered: those of one type before
// those of the other, what is missing last.
func mixedKey(s *scene, n code.Node) {
	switch n.Kind() {
	case "identifier", "attribute", "subscript", "call":
	default:
		return
	}
	lambda := n.Up() == "lambda" && n.Field() == "body"
	if !short(n) || n.Kind() == "identifier" && !isValue(n) || !lambda && !isReturned(n) && n.Up() != "tuple" && n.Up() != "expression_list" {
		return
	}
	if fn, ok := enclosing(n); !ok || !lambda && fn.Kind() != "lambda" && !strings.Contains(nameOf(fn), "key") && nameOf(fn) != "__lt__" {
		return
	}
	x := n.Text()
	for _, f := range []choice{
		{"(isinstance(%, str), %)", 1}, {"(% is None, %)", 1}, {"str(%)", 0.7}, {"tuple((isinstance(part, str), part) for part in %)", 1}, {"tuple(str(part) for part in %)", 0.4},
		{"tuple((part is None, part) for part in %)", 0.5},
	} {
		text := strings.ReplaceAll(f.text, "%", x)
		s.put(n.Start(), n.End(), text, f.weight, "Order by %s, which can be compared in any case.", one(text))
	}
}

// numberText takes a text as a number where it is one: 10 comes after 9, "10" does
// not.
func numberText(s *scene, n code.Node) {
	if n.Kind() != "identifier" && n.Kind() != "attribute" && n.Kind() != "subscript" && n.Kind() != "call" || !short(n) || !isValue(n) {
		return
	}
	fn, ok := enclosing(n)
	if !ok || n.Kind() == "call" && (!strings.Contains(n.Text(), "group(") || n.Up() == "attribute") {
		return
	}
	switch n.Up() {
	case "tuple", "expression_list", "return_statement", "lambda", "list_comprehension", "generator_expression", "assignment", "conditional_expression":
	case "argument_list":
		if f, _, _, ok := call(parentOf(parentOf(n))); !ok || !strings.HasSuffix(f.Text(), ".append") && !strings.HasSuffix(f.Text(), ".add") {
			return
		}
	default:
		return
	}
	text, x := fn.Text(), n.Text()
	var w float64
	switch {
	case strings.Contains(text, x+".isdigit()") || strings.Contains(text, x+".isdecimal()") || strings.Contains(text, x+".isnumeric()"):
		w = 2
	case strings.Contains(text, ".split(") || strings.Contains(text, "group(") || strings.Contains(text, "groups("):
		w = 0.5
	default:
		return
	}
	both := "int(" + x + ") if " + x + ".isdigit() else " + x
	if u := n.Up(); u == "tuple" || u == "expression_list" || u == "conditional_expression" {
		both = "(" + both + ")"
	}
	s.put(n.Start(), n.End(), both, w, "Take %s as a number where it is one.", one(x))
	s.put(n.Start(), n.End(), "int("+x+")", w, "Take %s as a number.", one(x))
	s.put(n.Start(), n.End(), x+".zfill(8)", 0.2*w, "Fill %s with zeros.", one(x))
}

// bindDefault keeps the value that a loop's variable has now for a function that
// is made in the loop.
func bindDefault(s *scene, n code.Node) {
	if n.Kind() != "function_definition" {
		return
	}
	if _, ok := inLoop(n); !ok {
		return
	}
	params, ok1 := n.ChildByField("parameters")
	b, ok2 := n.ChildByField("body")
	if !ok1 || !ok2 || strings.Contains(params.Text(), "*") {
		return
	}
	for _, v := range s.facts.visible(n.Start()) {
		if v.kind == "module" || v.kind == "param" || wordCount(b.Text(), v.name) == 0 || wordCount(params.Text(), v.name) > 0 {
			continue
		}
		text := v.name + "=" + v.name
		if len(params.NamedChildren()) > 0 {
			text = ", " + text
		}
		s.put(params.End()-1, params.End()-1, text, 1, "Keep the value that %s has now.", one(v.name))
	}
}

// cleanValue cleans a text once, before anything is done with it.
func cleanValue(s *scene, n code.Node) {
	if !isStatement(n) {
		return
	}
	owner, ok := heads(n)
	if !ok {
		return
	}
	for _, v := range s.facts.visible(n.Start()) {
		if isLoop(owner) != (v.kind == "loop") || v.kind != "loop" && v.kind != "param" || v.from > n.Start() || v.kind == "param" && v.owner != owner.Start() {
			continue
		}
		if isLoop(owner) && (v.from < owner.Start() || v.from > n.Start()) || v.typ != "" && v.typ != "str" && v.typ != "text" && !strings.HasPrefix(v.typ, "Optional[str") && !strings.HasPrefix(v.typ, "str |") {
			continue
		}
		text := string(s.src[n.Start():owner.End()])
		w := 0.3
		if v.typ == "str" || textual(text, v.name) {
			w = 1
		}
		for _, f := range []choice{{".strip()", 1}, {".lower()", 0.8}, {".casefold()", 0.6}, {".rstrip()", 0.4}} {
			s.before(n, v.name+" = "+v.name+f.text, w*f.weight, "Use %s.", one(v.name+f.text))
		}
	}
}

// textual tells whether a name is used as a text.
func textual(text, name string) bool {
	for _, m := range []string{"split", "startswith", "endswith", "partition", "replace", "find", "strip", "lower", "upper", "isdigit", "rpartition", "removeprefix"} {
		if strings.Contains(text, name+"."+m+"(") {
			return true
		}
	}
	return false
}

package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

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

package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// guardResult guards a value where it was just worked out, before anything is
// done with it: what a look-up gives may be missing.
func guardResult(s *scene, n code.Node) {
	name, value, ok := defines(n)
	if !ok || !isStatement(n) {
		return
	}
	switch value.Kind() {
	case "call", "call_expression", "await", "await_expression", "subscript", "subscript_expression", "index_expression", "attribute", "member_expression", "selector_expression":
	default:
		return
	}
	fn, ok := enclosing(n)
	if !ok || !usedInside(string(s.src[n.End():fn.End()]), name) {
		return
	}
	v, _ := s.facts.lookup(name, n.End())
	if s.d.lang == golang && v.typ != "" && !strings.HasPrefix(v.typ, "*") {
		return
	}
	leave := s.exits(fn)
	if _, ok := inLoop(n); ok {
		leave = append([]choice{{"continue", 1.5}, {"break", 0.4}}, leave...)
	}
	for i, x := range leave {
		if i >= 6 {
			break
		}
		s.after(n, s.guard(name+s.d.isNull, x.text), x.weight, "When there is no %s, %s.", one(name), x.text)
		if s.d.lang == py {
			s.after(n, s.guard("not "+name, x.text), x.weight*0.4, "When %s is missing or empty, %s.", one(name), x.text)
		}
	}
}

// defines takes an assignment to a single name apart.
func defines(n code.Node) (name string, value code.Node, ok bool) {
	var l, r code.Node
	switch n.Kind() {
	case "expression_statement":
		l, r, ok = assigns(n)
	case "lexical_declaration", "variable_declaration":
		if only, alone := n.OnlyNamed(); alone {
			l, r, ok = only.Both("name", "value")
		}
	case "short_var_declaration":
		if l, r, ok = n.Both("left", "right"); ok {
			l, r = onlyOf(l), onlyOf(r)
			ok = r.Kind() != "expression_list"
		}
	}
	if !ok || l.Kind() != "identifier" {
		return "", value, false
	}
	return l.Text(), r, true
}

// usedInside tells whether a text reads members or elements of a name.
func usedInside(text, name string) bool {
	for at := range code.Words(text, name) {
		rest := text[at+len(name):]
		if (at == 0 || text[at-1] != '.') && rest != "" && (rest[0] == '.' || rest[0] == '[') {
			return true
		}
	}
	return false
}

package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

func valueOrDefault(s *scene, n code.Node) {
	if !isValue(n) || n.Kind() == "call" && n.Field() == "object" || len(n.Text()) > 60 || strings.Contains(n.Text(), "\n") {
		return
	}
	up := n.Up()
	var values []string
	switch {
	case n.Field() == "right" && (up == "for_statement" || up == "for_in_statement" || up == "for_in_clause"):
		values = []string{s.d.list, s.d.dict}
	case up == "assignment" || up == "variable_declarator" || up == "assignment_expression" || isReturned(n):
		values = []string{s.d.list, "0", s.d.text, s.d.dict}
	case up == "arguments" && takesObject(n):
		values = []string{s.d.dict}
	case up == "argument_list" || up == "arguments" || up == "binary_operator":
		values = []string{"0", s.d.text, s.d.list}
	case up == "binary_expression":
		values = []string{"0", s.d.text}
	default:
		return
	}
	for _, v := range values {
		text := n.Text() + s.d.orElse + v
		switch up {
		case "binary_operator", "binary_expression":
			text = "(" + text + ")"
		}
		s.put(n.Start(), n.End(), text, 1, "Use %s when %s is missing.", v, one(n.Text()))
	}
	if s.d.lang == js {
		s.put(n.Start(), n.End(), "("+n.Text()+" || 0)", 0.3, "Use 0 when %s is missing or not a number.", one(n.Text()))
	}
}

// takesObject tells whether a value is given to one of JavaScript's functions
// over an object's own properties.
func takesObject(n code.Node) bool {
	c, ok := n.Ancestor("call_expression")
	if !ok {
		return false
	}
	fn, ok := c.ChildByField("function")
	return ok && strings.HasPrefix(fn.Text(), "Object.")
}

func keyDefault(s *scene, n code.Node) {
	if o, k, ok := element(n); ok && n.Kind() == "subscript" && !assigned(n) && !isInteger(k) && k.Kind() != "unary_operator" && n.Up() != "delete_statement" && len(o.Text()) < 80 {
		if n.Up() == "type" || n.Up() == "with_item" || n.Up() == "as_pattern" {
			return
		}
		for i, v := range []string{"", ", 0", ", []", `, ""`, ", {}"} {
			text := o.Text() + ".get(" + k.Text() + v + ")"
			s.put(n.Start(), n.End(), text, []float64{1, 0.8, 0.5, 0.5, 0.3}[i], "Use %s, which does not fail on a missing key.", one(text))
		}
		return
	}
	fn, args, list, ok := call(n)
	if !ok || len(args) != 1 {
		return
	}
	if _, m, has := member(fn); has && (m.Text() == "get" || m.Text() == "pop") {
		for _, v := range []string{"0", "[]", `""`, "{}", "None", "False"} {
			s.put(list.End()-1, list.End()-1, ", "+v, 0.6, "Use %s when the key is missing.", v)
		}
	}
}

func optionalChain(s *scene, n code.Node) {
	if assigned(n) {
		return
	}
	switch n.Kind() {
	case "member_expression":
		o, _, ok := member(n)
		if _, has := n.ChildByField("optional_chain"); ok && !has && o.Kind() != "this" && o.Kind() != "super" && n.Up() != "update_expression" && !newCallee(n) {
			at := dotAfter(n, o)
			if at > 0 && (o.Kind() != "identifier" || s.isVariable(o)) {
				s.put(at, at+1, "?.", 1, "Read the member only when %s is there.", one(o.Text()))
			}
		}
	case "subscript_expression":
		if o, _, ok := element(n); ok && o.End() < len(s.src) && s.src[o.End()] == '[' && o.Kind() != "super" {
			s.put(o.End(), o.End(), "?.", 0.7, "Read the element only when %s is there.", one(o.Text()))
		}
	}
}

func newCallee(n code.Node) bool {
	for p := n; ; p = parentOf(p) {
		if p.Field() == "constructor" {
			return true
		}
		if _, _, ok := member(parentOf(p)); !ok {
			return p.Up() == "new_expression" && p.Field() == "constructor"
		}
		if _, ok := p.Parent(); !ok {
			return false
		}
	}
}

// dotAfter is the offset of the dot between an object and its member.
func dotAfter(n, object code.Node) int {
	for _, c := range n.Children() {
		if c.Start() >= object.End() && c.Kind() == "." {
			return c.Start()
		}
	}
	return -1
}

func (s *scene) isVariable(n code.Node) bool {
	_, ok := s.facts.lookup(n.Text(), n.Start())
	return ok
}

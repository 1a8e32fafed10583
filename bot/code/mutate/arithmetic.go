package mutate

import (
	"github.com/fettle-dev/fettle/bot/code"
)

func unaryMinus(s *scene, n code.Node) {
	switch n.Kind() {
	case "unary_operator", "unary_expression":
		o, ok := n.ChildByField("operator")
		if ok && o.Text() == "-" {
			s.put(o.Start(), o.End(), "", 1, "Drop the minus sign of %s.", one(n.Text()))
		}
		return
	}
	if !isValue(n) || s.typeIs(n, "text", "string", "bool", "list", "error") {
		return
	}
	switch n.Up() {
	case "return_statement", "assignment", "variable_declarator", "assignment_expression", "expression_list", "tuple", "lambda", "arrow_function", "array":
		if n.Up() != "arrow_function" || n.Field() == "body" {
			s.put(n.Start(), n.End(), "-"+n.Text(), 0.5, "Use the negative of %s.", one(n.Text()))
		}
	}
	if fn, args, _, ok := call(n); ok && fn.Kind() == "identifier" && len(args) == 1 && fn.Text() == "abs" {
		s.put(n.Start(), n.End(), "-"+n.Text(), 0.2, "Use the negative of %s.", one(n.Text()))
	}
}

// typeIs tells whether a variable's known type is one of the types.
func (s *scene) typeIs(n code.Node, types ...string) bool {
	if n.Kind() != "identifier" {
		return false
	}
	v, ok := s.facts.lookup(n.Text(), n.Start())
	for _, t := range types {
		if ok && v.typ == t {
			return true
		}
	}
	return false
}

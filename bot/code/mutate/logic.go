package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// condOf is the condition of a node, or a zero node.
func condOf(n code.Node) code.Node {
	for n.Kind() == "parenthesized_expression" {
		p, ok := n.Parent()
		if !ok {
			break
		}
		n = p
	}
	c, _ := condition(n)
	return c
}

func negate(s *scene, n code.Node) {
	c, ok := condition(n)
	if !ok || c.Start() < s.start {
		return
	}
	text := c.Text()
	if left, op, _, ok := binary(c); ok && isComparison(op.Text()) && left.Kind() != "" {
		return // a comparison has its own operator
	}
	if isNot(c) {
		return
	}
	s.put(c.Start(), c.End(), s.not(c), 1, "Negate the condition %s.", one(text))
}

func isNot(n code.Node) bool {
	if n.Kind() == "not_operator" {
		return true
	}
	if n.Kind() == "unary_expression" {
		o, ok := n.ChildByField("operator")
		return ok && o.Text() == "!"
	}
	return false
}

// not negates an expression.
func (s *scene) not(n code.Node) string {
	if s.d.lang == py {
		switch n.Kind() {
		case "boolean_operator", "conditional_expression", "named_expression", "lambda":
			return "not (" + n.Text() + ")"
		}
		return "not " + n.Text()
	}
	return s.d.not + tight(n)
}

// isTruth tells an expression that is true or false.
func (s *scene) isTruth(n code.Node) bool {
	n = inner(n)
	if isNot(n) || isConstantBool(n) || s.typeIs(n, "bool") {
		return true
	}
	if _, op, _, ok := binary(n); ok {
		return isComparison(op.Text())
	}
	if _, m, ok := member(n); ok {
		name := m.Text()
		for _, p := range []string{"is", "has", "can", "negated", "enabled", "disabled", "active", "done"} {
			if strings.HasPrefix(name, p) {
				return true
			}
		}
	}
	return false
}

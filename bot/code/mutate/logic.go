package mutate

import (
	"github.com/fettle-dev/fettle/bot/code"
)

func logical(s *scene, n code.Node) {
	_, op, _, ok := binary(n)
	if !ok || !isLogic(op.Text()) {
		return
	}
	to := map[string]string{"and": "or", "or": "and", "&&": "||", "||": "&&"}[op.Text()]
	w := 1.0
	if s.d.lang != py {
		// && binds tighter than ||: put the whole in parentheses where it stands in another.
		if p, ok := n.Parent(); ok {
			if _, o, _, ok := binary(p); ok && isLogic(o.Text()) {
				s.put(n.Start(), n.End(), "("+replaceAt(n, op, to)+")", 1, "Join the conditions with %s instead of %s.", to, op.Text())
				w = 0.3
			}
		}
	}
	s.put(op.Start(), op.End(), to, w, "Join the conditions with %s instead of %s.", to, op.Text())
}

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

// replaceAt is the text of outer with part replaced.
func replaceAt(outer, part code.Node, text string) string {
	src := outer.Tree().Src
	return string(src[outer.Start():part.Start()]) + text + string(src[part.End():outer.End()])
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

func removeNot(s *scene, n code.Node) {
	if !isNot(n) {
		return
	}
	arg, ok := n.ChildByField("argument")
	if !ok {
		arg, ok = n.ChildByField("operand")
	}
	if ok {
		s.put(n.Start(), n.End(), arg.Text(), 1, "Do not negate %s.", one(arg.Text()))
	}
}

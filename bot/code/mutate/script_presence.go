package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

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

// regroup moves the parentheses that decide what belongs together:
// a + b ?? c becomes a + (b ?? c).
func regroup(s *scene, n code.Node) {
	if n.Kind() == "ternary_expression" {
		c, ok := n.ChildByField("condition")
		if !ok {
			return
		}
		if left, op, right, ok := binary(c); ok && (isArithmetic(op.Text()) || isLogic(op.Text())) {
			s.put(n.Start(), n.End(), left.Text()+" "+op.Text()+" ("+right.Text()+string(s.src[c.End():n.End()])+")", 1, "Let %s alone decide.", one(right.Text()))
		}
		return
	}
	if isNot(n) || n.Kind() == "unary_expression" {
		s.regroupNot(n)
		return
	}
	left, op, right, ok := binary(n)
	if !ok || strings.Contains(n.Text(), "\n") {
		return
	}
	if a, o, b, ok := binary(left); ok && binding(o.Text()) > binding(op.Text()) {
		w := 1.0
		if op.Text() == "??" || op.Text() == "||" && !isComparison(o.Text()) && !isLogic(o.Text()) {
			w = 4
		}
		s.put(n.Start(), n.End(), a.Text()+" "+o.Text()+" ("+b.Text()+" "+op.Text()+" "+right.Text()+")", w, "Work out %s first.", one(b.Text()+" "+op.Text()+" "+right.Text()))
	}
	if a, o, b, ok := binary(right); ok && binding(o.Text()) > binding(op.Text()) {
		s.put(n.Start(), n.End(), "("+left.Text()+" "+op.Text()+" "+a.Text()+") "+o.Text()+" "+b.Text(), 1, "Work out %s first.", one(left.Text()+" "+op.Text()+" "+a.Text()))
	}
	if o := inner(left); left.Kind() == "parenthesized_expression" {
		if a, in, b, ok := binary(o); ok && binding(in.Text()) <= binding(op.Text()) && op.Text() != "??" && in.Text() != "??" {
			s.put(n.Start(), n.End(), a.Text()+" "+in.Text()+" "+b.Text()+" "+op.Text()+" "+right.Text(), 0.5, "Work out %s first.", one(b.Text()+" "+op.Text()+" "+right.Text()))
		}
	}
}

// regroupNot lets a negation hold for the whole comparison: !a in b.
func (s *scene) regroupNot(n code.Node) {
	p := parentOf(n)
	left, op, right, ok := binary(p)
	if !ok || left != n || !isNot(n) || len(n.NamedChildren()) != 1 {
		return
	}
	if op.Text() == "in" || op.Text() == "instanceof" || isComparison(op.Text()) {
		s.put(p.Start(), p.End(), "!("+n.NamedChildren()[0].Text()+" "+op.Text()+" "+right.Text()+")", 2, "Negate the whole of %s.", one(p.Text()))
	}
}

// binding is how tightly an operator binds.
func binding(op string) int {
	switch op {
	case "??", "||":
		return 1
	case "&&":
		return 2
	case "|", "^", "&":
		return 3
	case "==", "!=", "===", "!==":
		return 4
	case "<", "<=", ">", ">=", "in", "instanceof":
		return 5
	case "<<", ">>", ">>>":
		return 6
	case "+", "-":
		return 7
	case "*", "/", "%":
		return 8
	}
	return 9
}

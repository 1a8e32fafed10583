package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// nullish keeps 0 and the empty text where a default stands for what is
// missing, and lets the default stand for them too.
func nullish(s *scene, n code.Node) {
	if n.Kind() == "ternary_expression" {
		c, ok1 := n.ChildByField("condition")
		a, ok2 := n.ChildByField("consequence")
		b, ok3 := n.ChildByField("alternative")
		if ok1 && ok2 && ok3 && inner(c).Text() == a.Text() {
			s.put(n.Start(), n.End(), a.Text()+" ?? "+tight(b), 1, "Use %s only when %s is missing.", one(b.Text()), one(a.Text()))
		}
		return
	}
	left, op, right, ok := binary(n)
	if !ok || condOf(parentOf(n)) == n {
		return
	}
	switch op.Text() {
	case "||":
		if !isPlain(left) && !isElement(left) && left.Kind() != "await_expression" {
			return
		}
		w := 0.5
		switch {
		case isConstant(right) && !isConstantBool(right), right.Kind() == "array", right.Kind() == "object":
			w = 2
		case isElement(right), right.Kind() == "member_expression", right.Kind() == "new_expression":
			w = 2
		case right.Kind() == "identifier":
			w = 1.5
		}
		s.put(op.Start(), op.End(), "??", w, "Use ?? so that 0 and the empty text are kept.")
	case "??":
		s.put(op.Start(), op.End(), "||", 0.7, "Use || so that the default stands for 0 and the empty text too.")
	}
}

// presence asks whether a key is there, not whether its value is true.
func presence(s *scene, n code.Node) {
	if c, ok := condition(n); ok {
		s.testPresence(c)
	}
	left, op, right, ok := binary(n)
	if !ok {
		return
	}
	if isLogic(op.Text()) {
		s.testPresence(left)
		s.testPresence(right)
	}
	if op.Text() == "in" && isPlain(right) {
		s.put(n.Start(), n.End(), "Object.hasOwn("+right.Text()+", "+left.Text()+")", 1, "Ask for keys of %s alone, not for inherited ones.", one(right.Text()))
	}
	if (op.Text() == "===" || op.Text() == "!==") && (right.Text() == "null" || right.Text() == "undefined") {
		s.put(op.Start(), op.End(), op.Text()[:2], 1, "Take null and undefined as missing.")
	}
}

func (s *scene) testPresence(c code.Node) {
	x, not := c, false
	if kids := c.NamedChildren(); isNot(c) && len(kids) == 1 {
		x, not = inner(kids[0]), true
	}
	put := func(there, missing string, w float64) {
		text := map[bool]string{false: there, true: missing}[not]
		s.put(c.Start(), c.End(), text, w, "Ask for %s.", one(text))
	}
	switch {
	case isElement(x):
		o, k, ok := element(x)
		if !ok {
			return
		}
		put("Object.hasOwn("+o.Text()+", "+k.Text()+")", "!Object.hasOwn("+o.Text()+", "+k.Text()+")", 1)
		put(x.Text()+" !== undefined", x.Text()+" === undefined", 1)
		put(k.Text()+" in "+o.Text(), "!("+k.Text()+" in "+o.Text()+")", 0.7)
	case x.Kind() == "identifier" || x.Kind() == "member_expression":
		put(x.Text()+" !== undefined", x.Text()+" === undefined", 0.7)
	}
}

// truthCompare compares the truth of a value where the other side is a truth.
func truthCompare(s *scene, n code.Node) {
	left, op, right, ok := binary(n)
	if !ok || op.Text() != "===" && op.Text() != "!==" && op.Text() != "==" && op.Text() != "!=" {
		return
	}
	try := func(truth, x code.Node) {
		if s.isTruth(truth) && !s.isTruth(x) && isExpression(x) && !isConstant(x) {
			s.put(x.Start(), x.End(), "Boolean("+x.Text()+")", 1, "Compare whether %s is true.", one(x.Text()))
		}
	}
	try(left, right)
	try(right, left)
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

// sameValue compares what === cannot: NaN, dates, numbers with texts.
func sameValue(s *scene, n code.Node) {
	if fn, _, _, ok := call(n); ok && (fn.Text() == "isNaN" || fn.Text() == "isFinite") {
		s.put(fn.Start(), fn.End(), "Number."+fn.Text(), 1, "Ask for numbers alone.")
	}
	left, op, right, ok := binary(n)
	if !ok || op.Text() != "===" && op.Text() != "!==" || isConstant(left) || isConstant(right) || strings.Contains(n.Text(), "\n") {
		return
	}
	not := map[bool]string{true: "!"}[op.Text() == "!=="]
	put := func(text string, w float64) { s.put(n.Start(), n.End(), text, w, "Compare with %s.", one(text)) }
	if right.Text() == "NaN" {
		put(not+"Number.isNaN("+left.Text()+")", 3)
		return
	}
	put(not+"Object.is("+left.Text()+", "+right.Text()+")", 0.5)
	if s.typeIs(left, "text", "number", "bool") || s.typeIs(right, "text", "number", "bool") || left.Kind() == "unary_expression" {
		return
	}
	both := func(before, after string, w float64) {
		put(before+left.Text()+after+" "+op.Text()+" "+before+right.Text()+after, w)
	}
	w := 0.3
	for _, word := range []string{"date", "day", "time", "due", "start", "end"} {
		if strings.Contains(strings.ToLower(left.Text()), word) {
			w = 1.5
		}
	}
	both("", ".getTime()", w)
	both("String(", ")", 0.4)
	both("Number(", ")", 0.3)
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

package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// indexFound tells -1, which is no place, from 0, which is one.
func indexFound(s *scene, n code.Node) {
	if c, ok := condition(n); ok {
		s.indexTest(c)
	}
	if left, op, right, ok := binary(n); ok && isLogic(op.Text()) {
		s.indexTest(left)
		s.indexTest(right)
	}
	name, value, ok := defines(n)
	if !ok || !isStatement(n) || !findsIndex(value) {
		return
	}
	fn, ok := enclosing(n)
	if !ok {
		return
	}
	leave := s.exits(fn)
	if _, ok := inLoop(n); ok {
		leave = append([]choice{{"continue", 1.5}}, leave...)
	}
	for i, x := range leave {
		if i < 6 {
			s.after(n, s.guard(name+" === -1", x.text), x.weight, "When nothing is found, %s.", x.text)
		}
	}
}

// findsIndex tells a call that gives -1 when it finds nothing.
func findsIndex(value code.Node) bool {
	fn, _, _, ok := call(value)
	if !ok {
		return false
	}
	_, m, ok := member(fn)
	switch {
	case !ok:
		return false
	case m.Text() == "indexOf", m.Text() == "lastIndexOf", m.Text() == "findIndex", m.Text() == "findLastIndex", m.Text() == "search":
		return true
	}
	return false
}

func (s *scene) indexTest(c code.Node) {
	not := isNot(c)
	x := c
	if kids := c.NamedChildren(); not && len(kids) == 1 {
		x = inner(kids[0])
	}
	op := ""
	if left, o, right, ok := binary(c); ok && isInteger(right) && (right.Text() == "0" || right.Text() == "1") && isComparison(o.Text()) {
		x, op = left, o.Text()
	}
	if !s.isIndex(x) {
		return
	}
	for i, to := range []string{" === -1", " !== -1", " >= 0"} {
		w := 0.5
		if not == (i == 0) && op == "" || op != "" && i > 0 {
			w = 1
		}
		s.put(c.Start(), c.End(), x.Text()+to, w, "Ask for %s: 0 is a place too.", one(x.Text()+to))
	}
}

// isIndex tells a call that finds an index, or a variable that holds one.
func (s *scene) isIndex(x code.Node) bool {
	if findsIndex(x) {
		return true
	}
	if x.Kind() != "identifier" {
		return false
	}
	fn, ok := enclosing(x)
	found := false
	if ok {
		fn.Walk(func(c code.Node) bool {
			if name, value, ok := defines(c); ok && name == x.Text() && findsIndex(value) {
				found = true
			}
			return !found
		})
	}
	return found
}

// collect adds to what a key holds instead of replacing it.
func collect(s *scene, n code.Node) {
	if n.Kind() == "assignment_expression" && n.Up() == "expression_statement" {
		l, ok1 := n.ChildByField("left")
		r, ok2 := n.ChildByField("right")
		if !ok1 || !ok2 || !isElement(l) {
			return
		}
		if kids := r.NamedChildren(); r.Kind() == "array" && len(kids) == 1 {
			text := "(" + l.Text() + " ??= []).push(" + kids[0].Text() + ")"
			s.put(n.Start(), n.End(), text, 2, "Add to %s instead of replacing it.", one(l.Text()))
		}
		if isExpression(r) && r.Kind() != "array" && r.Kind() != "object" {
			text := l.Text() + " = (" + l.Text() + " ?? 0) + " + tight(r)
			s.put(n.Start(), n.End(), text, 0.5, "Add up in %s.", one(l.Text()))
		}
		return
	}
	if n.Kind() == "augmented_assignment_expression" {
		l, ok1 := n.ChildByField("left")
		r, ok2 := n.ChildByField("right")
		op, ok3 := n.ChildByField("operator")
		if ok1 && ok2 && ok3 && isElement(l) && op.Text() == "+=" {
			s.put(n.Start(), n.End(), l.Text()+" = ("+l.Text()+" ?? 0) + "+tight(r), 1, "Begin %s at 0.", one(l.Text()))
			s.put(n.Start(), n.End(), l.Text()+" = ("+l.Text()+` ?? "") + `+tight(r), 0.3, "Begin %s empty.", one(l.Text()))
		}
		return
	}
	fn, args, _, ok := call(n)
	if !ok {
		return
	}
	o, m, ok := member(fn)
	if !ok {
		return
	}
	switch {
	case m.Text() == "push" && isElement(o):
		s.put(o.Start(), o.End(), "("+o.Text()+" ??= [])", 1, "Make the list %s when there is none.", one(o.Text()))
	case m.Text() == "set" && len(args) == 2 && isConstant(args[1]):
		text := "(" + o.Text() + ".get(" + args[0].Text() + ") ?? 0) + 1"
		s.put(args[1].Start(), args[1].End(), text, 1, "Count up in %s.", one(o.Text()))
	}
}

// reduceSeed gives a reduction a value to begin with.
func reduceSeed(s *scene, n code.Node) {
	fn, args, list, ok := call(n)
	if !ok || len(args) == 0 || len(args) > 2 {
		return
	}
	if _, m, ok := member(fn); !ok || m.Text() != "reduce" && m.Text() != "reduceRight" {
		return
	}
	at, end := list.End()-1, list.End()-1
	sep := ", "
	if len(args) == 2 {
		at, end, sep = args[1].Start(), args[1].End(), ""
	}
	for i, v := range []string{"0", "[]", "{}", `""`, "1", "new Map()", "null", "-Infinity", "Infinity"} {
		s.put(at, end, sep+v, []float64{2, 1, 1, 1, 1, 0.3, 0.3, 0.3, 0.3}[i], "Begin with %s.", v)
	}
}

// truthFilter keeps 0 and the empty text in a list, and leaves out what is
// missing alone.
func truthFilter(s *scene, n code.Node) {
	fn, args, list, ok := call(n)
	if !ok || len(args) > 1 {
		return
	}
	_, m, ok := member(fn)
	if !ok {
		return
	}
	if m.Text() == "flat" && len(args) == 0 {
		s.put(list.Start()+1, list.Start()+1, "Infinity", 1, "Take the lists inside of lists too.")
	}
	if len(args) == 0 || m.Text() != "filter" && m.Text() != "some" && m.Text() != "every" && m.Text() != "find" {
		return
	}
	a := args[0]
	if a.Text() == "Boolean" {
		s.put(a.Start(), a.End(), "(x) => x != null", 2, "Leave out what is missing alone.")
		s.put(a.Start(), a.End(), "(x) => x !== undefined", 1, "Leave out what is missing alone.")
		return
	}
	b, ok := a.ChildByField("body")
	if a.Kind() != "arrow_function" || !ok {
		return
	}
	if b = inner(b); isPlain(b) || isElement(b) {
		s.put(b.Start(), b.End(), b.Text()+" != null", 2, "Leave out what is missing alone.")
		s.put(b.Start(), b.End(), b.Text()+" !== undefined", 1, "Leave out what is missing alone.")
	}
	if b.Kind() != "statement_block" && !strings.Contains(b.Text(), "\n") {
		s.put(b.Start(), b.End(), s.not(b), 0.7, "Take what is left over by %s.", one(b.Text()))
	}
}

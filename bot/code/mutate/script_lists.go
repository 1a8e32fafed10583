package mutate

import (
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

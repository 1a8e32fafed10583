package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

var numberTypes = wordSet("int int64 int32 float64 float32 uint uint64")

// conversion takes T(x) apart where T is a type of numbers.
func conversion(n code.Node) (typ string, x code.Node, ok bool) {
	fn, args, _, ok := call(n)
	if !ok || len(args) != 1 || !numberTypes[fn.Text()] {
		return "", x, false
	}
	return fn.Text(), args[0], true
}

// keepRemainder moves a mark on by the whole steps that were counted, not to
// where the counting ended: after n := (now - last) / step, last = now loses a
// part of a step.
func keepRemainder(s *scene, n code.Node) {
	to, from, ok := plainAssignment(n)
	if !ok {
		return
	}
	fn, ok := enclosing(n)
	if !ok {
		return
	}
	fn.Walk(func(c code.Node) bool {
		name, value, ok := defines(c)
		if !ok || c.Start() > n.Start() {
			return true
		}
		if _, x, is := conversion(value); is {
			value = x
		}
		left, op, step, ok := binary(value)
		if !ok || op.Text() != "/" {
			return true
		}
		gone := strings.ReplaceAll(inner(left).Text(), " ", "")
		switch {
		case gone == from.Text()+"-"+to.Text():
			s.put(n.Start(), n.End(), to.Text()+" += "+name+" * "+tight(step), 1, "Move %s on by whole steps.", one(to.Text()))
			s.put(n.Start(), n.End(), to.Text()+" = "+from.Text()+" - ("+from.Text()+"-"+to.Text()+")%"+tight(step), 0.5, "Move %s on by whole steps.", one(to.Text()))
		case gone == from.Text()+".Sub("+to.Text()+")":
			s.put(n.Start(), n.End(), to.Text()+" = "+to.Text()+".Add("+name+" * "+tight(step)+")", 1, "Move %s on by whole steps.", one(to.Text()))
		}
		return true
	})
}

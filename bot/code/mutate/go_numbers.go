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

// conversionOrder converts before it divides: float64(a / b) becomes
// float64(a) / float64(b).
func conversionOrder(s *scene, n code.Node) {
	typ, x, ok := conversion(n)
	if !ok {
		return
	}
	left, op, right, ok := binary(inner(x))
	if !ok || !isArithmetic(op.Text()) {
		return
	}
	each := func(e code.Node) string {
		if isInteger(e) {
			return e.Text()
		}
		return typ + "(" + e.Text() + ")"
	}
	text := each(left) + " " + op.Text() + " " + each(right)
	if a, o, b, ok := binary(left); ok && isArithmetic(o.Text()) {
		text = each(a) + " " + o.Text() + " " + each(b) + " " + op.Text() + " " + each(right)
		if o.Text() == "/" && op.Text() == "*" {
			s.put(n.Start(), n.End(), each(a)+" * "+each(right)+" / "+each(b), 1, "Convert first, and multiply before dividing.")
		}
	}
	if n.Up() == "binary_expression" {
		text = "(" + text + ")"
	}
	s.put(n.Start(), n.End(), text, 1, "Convert before calculating.")
}

// roundConversion rounds instead of cutting off.
func roundConversion(s *scene, n code.Node) {
	typ, x, ok := conversion(n)
	if !ok || strings.HasPrefix(typ, "float") || isInteger(x) || !s.facts.imports["math"] || strings.HasPrefix(x.Text(), "math.") {
		if ok && strings.HasPrefix(x.Text(), "math.") {
			if _, args, _, is := call(x); is && len(args) == 1 {
				s.put(x.Start(), x.End(), args[0].Text(), 0.5, "Cut the fraction off.")
			}
		}
		return
	}
	for _, f := range []string{"Round", "Ceil", "Floor"} {
		s.put(x.Start(), x.End(), "math."+f+"("+x.Text()+")", 1, "Use math.%s instead of cutting off.", f)
	}
}

// wrapAround keeps a remainder from being negative, and divides to the nearest.
func wrapAround(s *scene, n code.Node) {
	left, op, right, ok := binary(n)
	if !ok {
		return
	}
	switch op.Text() {
	case "%":
		text := "(" + left.Text() + "%" + tight(right) + " + " + right.Text() + ") % " + tight(right)
		if _, o, _, ok := binary(left); ok && isArithmetic(o.Text()) {
			text = "(" + tight(left) + "%" + tight(right) + " + " + right.Text() + ") % " + tight(right)
		}
		s.put(n.Start(), n.End(), text, 1, "Let the remainder not be negative.")
	case "/":
		half := tight(right) + "/2"
		s.put(n.Start(), n.End(), "("+left.Text()+" + "+half+") / "+tight(right), 1, "Round to the nearest.")
	}
}

// floorValue keeps a result from being less than nothing.
func floorValue(s *scene, n code.Node) {
	_, op, _, ok := binary(n)
	if !ok || op.Text() != "-" || n.Up() == "binary_expression" || n.Up() == "parenthesized_expression" {
		return
	}
	if _, ok := enclosing(n); ok {
		s.put(n.Start(), n.End(), "max(0, "+n.Text()+")", 1, "Let %s be no less than 0.", one(n.Text()))
	}
}

// signedDifference subtracts before it loses the sign.
func signedDifference(s *scene, n code.Node) {
	left, op, right, ok := binary(n)
	if !ok || op.Text() != "-" && !isComparison(op.Text()) {
		return
	}
	if s.typeIs(left, "uint", "uint64", "uint32", "uint8", "byte") && !isConstant(right) {
		s.put(n.Start(), n.End(), "int("+left.Text()+") "+op.Text()+" int("+right.Text()+")", 1, "Calculate with signs.")
	}
}

// roundUpHalf rounds a positive value without the library.
func roundUpHalf(s *scene, n code.Node) {
	if typ, x, ok := conversion(n); ok && !strings.HasPrefix(typ, "float") && !isInteger(x) && !strings.HasPrefix(x.Text(), "math.") && !s.typeIs(x, "int", "int64", "rune", "byte", "string") {
		if _, op, _, is := binary(x); is && isArithmetic(op.Text()) || s.typeIs(x, "float64") {
			s.put(x.Start(), x.End(), x.Text()+" + 0.5", 1, "Round instead of cutting off.")
		}
	}
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

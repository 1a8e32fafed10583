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

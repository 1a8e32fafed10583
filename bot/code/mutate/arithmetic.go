package mutate

import (
	"github.com/fettle-dev/fettle/bot/code"
)

func arithmetic(s *scene, n code.Node) {
	left, op, _, ok := binary(n)
	if !ok || !isArithmetic(op.Text()) || isString(left) || left.Kind() == "template_string" {
		return
	}
	choices := map[string][]choice{
		"+": {{"-", 1}, {"*", 0.4}}, "-": {{"+", 1}, {"*", 0.2}}, "*": {{"/", 0.6}, {"+", 0.6}, {"-", 0.2}},
		"/": {{"*", 0.8}, {"-", 0.2}, {"%", 0.4}}, "//": {{"%", 0.6}, {"*", 0.4}}, "%": {{"/", 0.5}, {"*", 0.2}},
		"**": {{"*", 0.8}}, "<<": {{">>", 1}}, ">>": {{"<<", 1}}, "&": {{"|", 1}}, "|": {{"&", 1}}, "^": {{"&", 0.3}, {"|", 0.3}},
	}[op.Text()]
	if s.d.lang == py {
		switch op.Text() {
		case "*":
			choices = append(choices, choice{"**", 0.4})
		case "%":
			choices = append(choices, choice{"//", 0.7})
		}
	}
	for _, c := range choices {
		s.put(op.Start(), op.End(), c.text, c.weight, "Calculate with %s instead of %s.", c.text, op.Text())
	}
	s.regroup(n, op)
}

// regroup puts a + b * c into (a + b) * c and the like.
func (s *scene) regroup(n, op code.Node) {
	left, o1, right, _ := binary(n)
	weak := func(o string) bool { return o == "+" || o == "-" }
	if weak(op.Text()) {
		if a, o2, b, ok := binary(right); ok && !weak(o2.Text()) && isArithmetic(o2.Text()) {
			text := "(" + left.Text() + " " + o1.Text() + " " + a.Text() + ") " + o2.Text() + " " + b.Text()
			s.put(n.Start(), n.End(), text, 0.5, "Calculate %s first.", one(left.Text()+" "+o1.Text()+" "+a.Text()))
		}
		if a, o2, b, ok := binary(left); ok && !weak(o2.Text()) && isArithmetic(o2.Text()) {
			text := a.Text() + " " + o2.Text() + " (" + b.Text() + " " + o1.Text() + " " + right.Text() + ")"
			s.put(n.Start(), n.End(), text, 0.5, "Calculate %s first.", one(b.Text()+" "+o1.Text()+" "+right.Text()))
		}
		return
	}
	if p := left; p.Kind() == "parenthesized_expression" {
		if _, o2, _, ok := binary(inner(p)); ok && weak(o2.Text()) {
			s.put(p.Start(), p.End(), inner(p).Text(), 0.3, "Drop the parentheses around %s.", one(inner(p).Text()))
		}
	}
}

func division(s *scene, n code.Node) {
	left, op, right, ok := binary(n)
	if !ok {
		return
	}
	switch {
	case s.d.lang == py && op.Text() == "/":
		s.put(op.Start(), op.End(), "//", 1, "Divide to a whole number with //.")
	case s.d.lang == py && op.Text() == "//":
		s.put(op.Start(), op.End(), "/", 1, "Divide with / to keep the fraction.")
		s.put(n.Start(), n.End(), "-(-"+tight(left)+" // "+tight(right)+")", 0.5, "Round the division up.")
		s.put(n.Start(), n.End(), "("+left.Text()+" + "+tight(right)+" - 1) // "+right.Text(), 0.5, "Round the division up.")
	case s.d.lang == js && op.Text() == "/":
		for _, f := range []string{"floor", "ceil", "round", "trunc"} {
			s.put(n.Start(), n.End(), "Math."+f+"("+n.Text()+")", 0.5, "Round the quotient with Math.%s.", f)
		}
	case s.d.lang == golang && op.Text() == "/":
		s.put(n.Start(), n.End(), "float64("+left.Text()+") / float64("+right.Text()+")", 1, "Divide as float64 to keep the fraction.")
		s.put(n.Start(), n.End(), "("+left.Text()+" + "+tight(right)+" - 1) / "+right.Text(), 0.5, "Round the division up.")
	}
}

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

func operandSwap(s *scene, n code.Node) {
	left, op, right, ok := binary(n)
	if !ok || left.Text() == right.Text() {
		return
	}
	switch op.Text() {
	case "-", "/", "//", "%", "**", "in", "not in":
	case "+":
		if !isString(left) && !isString(right) && left.Kind() != "template_string" && !s.typeIs(left, "text", "string", "list") {
			return
		}
	default:
		return
	}
	s.put(n.Start(), n.End(), tight(right)+" "+op.Text()+" "+tight(left), 1, "Swap the operands of %s.", one(n.Text()))
}

func operandDrop(s *scene, n code.Node) {
	left, op, right, ok := binary(n)
	if !ok || !isArithmetic(op.Text()) {
		return
	}
	s.put(n.Start(), n.End(), left.Text(), 1, "Use %s alone.", one(left.Text()))
	if op.Text() != "-" && op.Text() != "/" {
		s.put(n.Start(), n.End(), right.Text(), 0.6, "Use %s alone.", one(right.Text()))
	}
}

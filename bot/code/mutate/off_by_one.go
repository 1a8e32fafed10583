package mutate

import (
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

func offByOne(s *scene, n code.Node) {
	switch {
	case isInteger(n):
		s.stepInteger(n)
	case n.Kind() == "binary_operator" || n.Kind() == "binary_expression":
		left, op, right, ok := binary(n)
		if ok && (op.Text() == "+" || op.Text() == "-") && isInteger(right) && right.Text() == "1" {
			s.put(left.End(), n.End(), "", 1, "Use %s without %s 1.", one(left.Text()), op.Text())
		}
		if ok && isArithmetic(op.Text()) && op.Text() != "%" {
			s.stepOperand(left)
			s.stepOperand(right)
		}
		if !ok || !isComparison(op.Text()) || op.Kind() == "in" {
			return
		}
		s.step(right, 0.4)
	case n.Kind() == "comparison_operator":
		kids := n.NamedChildren()
		if orderable(kids[len(kids)-1]) {
			if _, op, _, ok := binary(n); !ok || boundaries[op.Text()] != "" || op.Text() == "==" {
				s.step(kids[len(kids)-1], 0.4)
			}
		}
	case n.Kind() == "call" || n.Kind() == "call_expression":
		if fn, args, _, ok := call(n); ok && fn.Text() == "range" {
			for i, a := range args {
				s.step(a, []float64{1, 1.5, 0.3}[min(i, 2)])
			}
			if len(args) == 1 {
				s.put(args[0].Start(), args[0].End(), "1, "+args[0].Text(), 0.7, "Begin the range at 1.")
				s.put(args[0].Start(), args[0].End(), "1, "+args[0].Text()+" + 1", 0.7, "Count from 1 to %s.", one(args[0].Text()))
			}
			if len(args) == 2 && isInteger(args[0]) {
				s.put(args[0].Start(), args[1].End(), args[1].Text(), 0.5, "Begin the range at 0.")
			}
		} else if ok && fn.Text() == "len" && isReturned(n) {
			s.step(n, 0.3)
		}
	case n.Kind() == "identifier" && (n.Up() == "argument_list" || n.Up() == "arguments" || n.Up() == "assignment") && isValue(n):
		s.step(n, 0.1)
	case isReturned(n) && isValue(n) && !s.typeIs(n, "text", "string", "bool", "list", "error", "dict", "set"):
		s.step(n, 0.2)
	}
}

// stepOperand adds or takes one from a name beside an operator.
func (s *scene) stepOperand(n code.Node) {
	switch n.Kind() {
	case "identifier", "attribute", "member_expression", "selector_expression":
		if !s.typeIs(n, "text", "string", "bool", "list", "error", "dict", "set", "float64") {
			s.put(n.Start(), n.End(), "("+n.Text()+" - 1)", 0.25, "Use %s - 1.", one(n.Text()))
			s.put(n.Start(), n.End(), "("+n.Text()+" + 1)", 0.25, "Use %s + 1.", one(n.Text()))
		}
	}
}

func isReturned(n code.Node) bool {
	switch n.Up() {
	case "return_statement":
		return true
	case "expression_list":
		p, _ := n.Parent()
		return p.Up() == "return_statement" && len(p.NamedChildren()) == 1
	}
	return false
}

// stepInteger changes an integer by one.
func (s *scene) stepInteger(n code.Node) {
	v, err := strconv.ParseInt(n.Text(), 0, 64)
	if err != nil || strings.HasPrefix(n.Text(), "0") && len(n.Text()) > 1 {
		return
	}
	s.put(n.Start(), n.End(), strconv.FormatInt(v+1, 10), 1, "Use %d instead of %d.", v+1, v)
	if v > 0 {
		s.put(n.Start(), n.End(), strconv.FormatInt(v-1, 10), 1, "Use %d instead of %d.", v-1, v)
		return
	}
	if p := n.Up(); p != "unary_operator" && p != "unary_expression" && !unsignedPlace(n) {
		s.put(n.Start(), n.End(), "-1", 0.6, "Use -1 instead of %d.", v)
	}
}

// unsignedPlace tells a place where a minus sign would not parse.
func unsignedPlace(n code.Node) bool {
	switch n.Up() {
	case "case_pattern", "array_type", "literal_type", "member_expression", "attribute", "pair", "enum_assignment", "literal_element":
		return true
	}
	if _, op, right, ok := binary(parentOf(n)); ok && right == n && (op.Text() == "-" || op.Text() == "**" || op.Text() == "<<" || op.Text() == ">>") {
		return true
	}
	return n.Field() == "key" || n.Field() == "length"
}

func parentOf(n code.Node) code.Node {
	if p, ok := n.Parent(); ok {
		return p
	}
	return n
}

// step adds or takes one from an expression that is not an integer.
func (s *scene) step(n code.Node, weight float64) {
	if isInteger(n) || !orderable(n) || !isExpression(n) || s.typeIs(n, "text", "string", "bool", "list", "error", "dict", "set") {
		return
	}
	if isNot(n) || n.Kind() == "lambda" || n.Kind() == "conditional_expression" {
		return
	}
	if _, op, right, ok := binary(n); ok {
		if !isArithmetic(op.Text()) {
			return
		}
		if isInteger(right) && (op.Text() == "+" || op.Text() == "-") {
			return // its integer has its own steps
		}
	}
	text := n.Text()
	if k := n.Kind(); k == "ternary_expression" || k == "boolean_operator" || k == "assignment_expression" || k == "await_expression" {
		text = tight(n)
	}
	s.put(n.Start(), n.End(), text+" + 1", weight, "Use %s + 1.", one(n.Text()))
	s.put(n.Start(), n.End(), text+" - 1", weight, "Use %s - 1.", one(n.Text()))
}

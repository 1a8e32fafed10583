package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// numeric lists the names and chains that a function calculates with: what
// stands beside an arithmetic or an order operator, the innermost last.
func (s *scene) numeric(at code.Node) []string {
	fn, ok := enclosing(at)
	if !ok {
		return nil
	}
	for up, more := enclosing(fn); more; up, more = enclosing(fn) {
		fn = up
	}
	var out []string
	add := func(n code.Node) {
		n = inner(n)
		if k := n.Kind(); (k == "identifier" || k == "member_expression") && len(n.Text()) < 30 && !strings.ContainsAny(n.Text(), "([") && s.inScope(n, at.Start()) {
			out = addOnce(out, n.Text())
		}
	}
	fn.Walk(func(c code.Node) bool {
		if left, op, right, ok := binary(c); ok {
			switch o := op.Text(); {
			case o == "+" && (isString(left) || isString(right) || left.Kind() == "template_string" || right.Kind() == "template_string"):
			case isArithmetic(o), o == "<", o == ">", o == "<=", o == ">=":
				add(left)
				add(right)
			case isComparison(o) && isInteger(right):
				add(left)
			}
		}
		if c.Kind() == "update_expression" && len(c.NamedChildren()) == 1 {
			add(c.NamedChildren()[0])
		}
		if f, args, _, ok := call(c); ok && strings.HasPrefix(f.Text(), "Math.") {
			for _, a := range args {
				add(a)
			}
		}
		return len(out) < 12
	})
	for _, v := range s.facts.visible(at.Start()) {
		unused := v.kind == "param" && v.uses <= 1 && v.typ == ""
		if (v.typ == "number" || unused) && len(out) < 14 {
			out = addOnce(out, v.name)
		}
	}
	return out
}

// isTerm tells a place of a value that a calculation can be missing at.
func isTerm(n code.Node) bool {
	if k := n.Kind(); k != "identifier" && k != "member_expression" && k != "call_expression" || !isValue(n) {
		return false
	}
	switch n.Up() {
	case "return_statement", "variable_declarator", "assignment_expression", "augmented_assignment_expression", "arrow_function", "ternary_expression", "arguments", "pair":
		return n.Field() != "condition" && len(n.Text()) < 50
	}
	return false
}

// arithmeticTerm calculates on: takes from a number, or adds to it, another one
// of the function, or what is left of it to the next multiple.
func arithmeticTerm(s *scene, n code.Node) {
	if !isTerm(n) || n.Kind() == "call_expression" && n.Up() == "arguments" {
		return
	}
	names := s.numeric(n)
	text := n.Text()
	known := n.Kind() == "call_expression" && strings.HasPrefix(text, "Math.")
	for _, x := range names {
		known = known || x == text
	}
	if !known {
		return
	}
	where := 1.0
	if n.Up() == "arguments" {
		where = 0.3
	}
	for i, x := range names {
		if x == text || i >= 8 || wordCount(text, x) > 0 {
			continue
		}
		put := func(form string, w float64) {
			to := strings.NewReplacer("$", text, "@", x).Replace(form)
			s.put(n.Start(), n.End(), to, w*where, "Use %s.", one(to))
		}
		put("$ - @", 1)
		put("$ + @", 1)
		put("$ * @", 0.6)
		put("$ / @", 0.4)
		put("$ - (@ % $)", 0.5)
	}
}

// remainder keeps the remainder positive, and takes one where a number has to
// stay in a circle.
func remainder(s *scene, n code.Node) {
	left, op, right, ok := binary(n)
	if !ok {
		return
	}
	switch op.Text() {
	case "%":
		text := "((" + n.Text() + ") + " + tight(right) + ") % " + tight(right)
		if n.Up() == "binary_expression" {
			text = "(" + text + ")"
		}
		s.put(n.Start(), n.End(), text, 2, "Let the remainder be positive.")
		rest := tight(right) + " - " + "(" + n.Text() + ")"
		s.put(n.Start(), n.End(), "("+rest+")", 0.7, "Use what is left to the next multiple.")
	case "+", "-":
		if n.Up() == "binary_expression" || isString(left) || isString(right) || n.Up() == "parenthesized_expression" {
			return
		}
		s.put(n.Start(), n.End(), left.Text()+" "+op.Text()+" "+tight(left)+" * "+tight(right), 0.5, "Take %s as a part of %s.", one(right.Text()), one(left.Text()))
		moduli := s.numeric(n)
		for _, v := range s.facts.visible(n.Start()) {
			if v.typ == "list" || len(s.facts.methods[v.name]) > 0 || s.hasField(v.name, "length") {
				moduli = append(moduli, v.name+".length")
			}
		}
		for i, m := range moduli {
			if i > 6 || wordCount(n.Text(), m) > 0 {
				continue
			}
			s.put(n.Start(), n.End(), "("+n.Text()+") % "+m, 0.5, "Go round at %s.", one(m))
			if op.Text() == "-" {
				s.put(n.Start(), n.End(), "("+n.Text()+" + "+m+") % "+m, 0.7, "Go round at %s.", one(m))
			}
		}
	}
}

func (s *scene) hasField(object, field string) bool {
	for _, f := range s.facts.fields["."+object] {
		if f == field {
			return true
		}
	}
	return false
}

// valueBound holds a value to a bound of the function.
func valueBound(s *scene, n code.Node) {
	if !isTerm(n) && (n.Kind() != "binary_expression" || n.Up() == "binary_expression" || n.Up() == "parenthesized_expression") {
		return
	}
	if _, op, _, ok := binary(n); ok && !isArithmetic(op.Text()) || strings.Contains(n.Text(), "\n") {
		return
	}
	switch n.Up() {
	case "return_statement", "variable_declarator", "assignment_expression", "arrow_function", "pair", "arguments":
	default:
		return
	}
	fn, args, _, isCall := call(n)
	known := n.Kind() == "binary_expression" || isCall && (strings.HasPrefix(fn.Text(), "Math.") || fn.Text() == "Number" || fn.Text() == "parseInt")
	if len(args) == 1 && strings.HasPrefix(fn.Text(), "Math.") && (fn.Text() == "Math.max" || fn.Text() == "Math.min") {
		return
	}
	names := s.numeric(n)
	for _, x := range names {
		known = known || x == n.Text()
	}
	if !known {
		return
	}
	where := 1.0
	if n.Up() == "arguments" {
		where = 0.4
	}
	for i, x := range append([]string{"0", "1"}, names...) {
		if i > 7 || x == n.Text() || wordCount(n.Text(), x) > 0 && i > 1 {
			continue
		}
		s.put(n.Start(), n.End(), "Math.max("+x+", "+n.Text()+")", where, "Let %s be no less than %s.", one(n.Text()), one(x))
		if i > 0 {
			s.put(n.Start(), n.End(), "Math.min("+x+", "+n.Text()+")", where, "Let %s be no more than %s.", one(n.Text()), one(x))
		}
	}
}

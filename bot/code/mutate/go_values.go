package mutate

import (
	"github.com/fettle-dev/fettle/bot/code"
)

func pointerReceiver(s *scene, n code.Node) {
	if n.Kind() != "method_declaration" {
		return
	}
	r, ok := n.ChildByField("receiver")
	if !ok || len(r.NamedChildren()) != 1 {
		return
	}
	t, ok := r.NamedChildren()[0].ChildByField("type")
	if !ok {
		return
	}
	if t.Kind() == "pointer_type" {
		s.put(t.Start(), t.Start()+1, "", 0.2, "Work on a copy of the receiver.")
		return
	}
	s.put(t.Start(), t.Start(), "*", 1, "Work on the receiver itself, not on a copy.")
}

// rangeCopy works on the elements of a slice instead of on copies of them.
func rangeCopy(s *scene, n code.Node) {
	if n.Kind() != "range_clause" {
		return
	}
	l, ok1 := n.ChildByField("left")
	r, ok2 := n.ChildByField("right")
	loop, ok3 := n.Parent()
	if !ok1 || !ok2 || !ok3 || r.Kind() != "identifier" && r.Kind() != "selector_expression" {
		return
	}
	names := l.NamedChildren()
	first, ok := firstStatement(loop)
	if len(names) != 2 || !ok {
		return
	}
	in, alone := s.indent(first)
	if !alone {
		return
	}
	index := names[0].Text()
	if index == "_" {
		index = "i"
	}
	head := index + " := range " + r.Text() + string(s.src[n.End():first.Start()])
	s.put(n.Start(), first.Start(), head+names[1].Text()+" := &"+r.Text()+"["+index+"]"+s.eol+in, 1, "Work on the elements of %s, not on copies.", one(r.Text()))
}

// rangeElement writes to the element instead of to the loop's copy of it.
func rangeElement(s *scene, n code.Node) {
	if n.Kind() != "identifier" {
		return
	}
	l := parentOf(n)
	for l.Kind() == "selector_expression" {
		l = parentOf(l)
	}
	if l.Kind() != "expression_list" || l.Field() != "left" || l.Up() != "assignment_statement" {
		return
	}
	loop, ok := n.Ancestor("for_statement")
	for ; ok; loop, ok = loop.Ancestor("for_statement") {
		for _, c := range loop.NamedChildren() {
			if c.Kind() != "range_clause" {
				continue
			}
			names, ok1 := c.ChildByField("left")
			list, ok2 := c.ChildByField("right")
			if !ok1 || !ok2 {
				continue
			}
			kids := names.NamedChildren()
			if len(kids) == 2 && kids[1].Text() == n.Text() && kids[0].Text() != "_" {
				text := list.Text() + "[" + kids[0].Text() + "]"
				s.put(n.Start(), n.End(), text, 1, "Write to %s, not to a copy of it.", one(text))
			}
		}
	}
}

// declareOrAssign assigns to the outer variable instead of hiding it, or the
// other way round.
func declareOrAssign(s *scene, n code.Node) {
	switch n.Kind() {
	case "short_var_declaration":
		l, ok := n.ChildByField("left")
		if !ok || n.Up() == "range_clause" {
			return
		}
		known := 0
		for _, x := range l.NamedChildren() {
			if _, ok := s.facts.lookup(x.Text(), n.Start()); ok || x.Text() == "_" {
				known++
			}
		}
		if op := tokenIn(n, ":="); op.Tree() != nil && known == len(l.NamedChildren()) {
			s.put(op.Start(), op.End(), "=", 1, "Assign to the outer %s instead of hiding it.", one(l.Text()))
		}
	case "assignment_statement":
		l, ok := n.ChildByField("left")
		op, has := n.ChildByField("operator")
		if !ok || !has || op.Text() != "=" {
			return
		}
		for _, x := range l.NamedChildren() {
			if x.Kind() != "identifier" {
				return
			}
		}
		s.put(op.Start(), op.End(), ":=", 0.3, "Declare %s anew.", one(l.Text()))
	}
}

func tokenIn(n code.Node, kind string) code.Node {
	for _, c := range n.Children() {
		if c.Kind() == kind {
			return c
		}
	}
	return code.Node{}
}

// shadowedResult assigns to a variable of an outer block that a declaration of
// several names hides.
func shadowedResult(s *scene, n code.Node) {
	names := leftNames(n)
	if n.Kind() != "short_var_declaration" || len(names) < 2 || !isStatement(n) {
		return
	}
	op := tokenIn(n, ":=")
	var fresh []string
	known := false
	for _, x := range names {
		v, ok := s.facts.lookup(x.Text(), n.Start())
		switch {
		case x.Text() == "_":
		case ok && v.kind != "module":
			known = true
		default:
			fresh = append(fresh, x.Text())
		}
	}
	if op.Tree() == nil || !known || len(fresh) != 1 {
		return
	}
	v, ok := s.facts.lookup(fresh[0], n.End())
	if !ok || v.typ == "" {
		return
	}
	in := s.indentOf(n)
	text := "var " + fresh[0] + " " + v.typ + "\n" + string(s.src[n.Start():op.Start()]) + "=" + string(s.src[op.End():n.End()])
	s.put(n.Start(), n.End(), s.lines(text, in), 1, "Assign to the outer variable instead of hiding it.")
}

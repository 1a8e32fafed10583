package mutate

import "github.com/fettle-dev/fettle/bot/code"

// comparator makes a comparator give a number, and compares texts as texts.
func comparator(s *scene, n code.Node) {
	if n.Kind() != "arrow_function" || n.Up() != "arguments" {
		return
	}
	fn, _, _, ok := call(parentOf(parentOf(n)))
	if !ok {
		return
	}
	_, m, ok := member(fn)
	b, has := n.ChildByField("body")
	if !ok || !has || m.Text() != "sort" && m.Text() != "toSorted" {
		return
	}
	b = inner(b)
	s.threeWays(b)
	if f, args, list, ok := call(b); ok && len(args) == 1 {
		if o, m, has := member(f); has && m.Text() == "localeCompare" {
			s.put(b.Start(), b.End(), o.Text()+" - "+args[0].Text(), 1, "Compare the numbers.")
			s.put(list.End()-1, list.End()-1, ", undefined, { numeric: true }", 0.7, "Compare the numbers in the texts as numbers.")
			s.put(list.End()-1, list.End()-1, ", undefined, { sensitivity: 'base' }", 0.5, "Compare without regard to case.")
			s.sortBoth(b, o)
		}
	}
	left, op, right, ok := binary(b)
	if !ok {
		return
	}
	numbers := tight(left) + " - " + tight(right)
	texts := tight(left) + ".localeCompare(" + right.Text() + ")"
	switch op.Text() {
	case "<", ">", "<=", ">=":
		s.put(b.Start(), b.End(), numbers, 1.5, "Let the comparator give a number.")
		s.put(b.Start(), b.End(), tight(right)+" - "+tight(left), 1, "Let the comparator give a number.")
		s.put(b.Start(), b.End(), texts, 1, "Compare the texts.")
	case "-":
		s.put(b.Start(), b.End(), texts, 1, "Compare the texts.")
	}
}

// threeWays gives 0 for what is equal: a > b ? 1 : 0 orders too little.
func (s *scene) threeWays(b code.Node) {
	c, ok1 := b.ChildByField("condition")
	x, ok2 := b.ChildByField("consequence")
	y, ok3 := b.ChildByField("alternative")
	if b.Kind() != "ternary_expression" || !ok1 || !ok2 || !ok3 {
		return
	}
	left, op, right, ok := binary(inner(c))
	back := map[string]string{"<": ">", ">": "<", "<=": ">", ">=": "<"}[op0(op, ok)]
	if back == "" || y.Kind() == "ternary_expression" {
		return
	}
	other := map[string]string{"1": "-1", "-1": "1"}[x.Text()]
	if other == "" {
		return
	}
	first := left.Text() + " " + map[string]string{"<": ">", ">": "<"}[back] + " " + right.Text()
	text := first + " ? " + x.Text() + " : " + left.Text() + " " + back + " " + right.Text() + " ? " + other + " : 0"
	s.put(b.Start(), b.End(), text, 2, "Let the comparator tell all three cases apart.")
	s.put(y.Start(), y.End(), other, 1, "Let the comparator tell both cases apart.")
}

// op0 is an operator's text, or "".
func op0(op code.Node, ok bool) string {
	if !ok {
		return ""
	}
	return op.Text()
}

// sortBoth lets another field decide where two texts are equal.
func (s *scene) sortBoth(b, left code.Node) {
	o, m, ok := member(left)
	_, args, _, isCall := call(b)
	if !ok || !isCall || len(args) != 1 {
		return
	}
	other, _, ok := member(args[0])
	if !ok {
		return
	}
	for i, f := range s.siblings(m.Text()) {
		if i < 4 {
			x, y := o.Text()+"."+f, other.Text()+"."+f
			s.put(b.End(), b.End(), " || "+x+" - "+y, 0.4, "Sort by %s where %s is equal.", one(f), one(m.Text()))
			s.put(b.End(), b.End(), " || "+x+".localeCompare("+y+")", 0.4, "Sort by %s where %s is equal.", one(f), one(m.Text()))
		}
	}
}

package mutate

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// exceptOrder asks for one exception before the one above it, which may be its
// base.
func exceptOrder(s *scene, n code.Node) {
	if n.Kind() != "except_clause" {
		return
	}
	kids := parentOf(n).NamedChildren()
	for i, c := range kids {
		if c != n || i+1 >= len(kids) || kids[i+1].Kind() != "except_clause" {
			continue
		}
		a, b := strings.TrimRight(n.Text(), " \t\r\n"), strings.TrimRight(kids[i+1].Text(), " \t\r\n")
		if _, bare := kids[i+1].ChildByField("value"); !bare {
			return
		}
		gap := string(s.src[n.Start()+len(a) : kids[i+1].Start()])
		s.put(n.Start(), kids[i+1].Start()+len(b), b+gap+a, 1, "Ask for %s before %s.", one(firstLineOf(b)), one(firstLineOf(a)))
	}
}

// exceptBody does something else with an exception: hands it on, leaves it, goes
// on with the next.
func exceptBody(s *scene, n code.Node) {
	if !isStatement(n) || ownerOf(n).Kind() != "except_clause" {
		return
	}
	_, loop := inLoop(n)
	fn, ok := enclosing(n)
	if !ok {
		return
	}
	instead := n.Kind() == "pass_statement" || n.Kind() == "break_statement" || n.Kind() == "continue_statement" || n.Kind() == "return_statement" && len(n.Text()) < 40
	if instead {
		list := []choice{{"raise", 1}, {"return None", 0.6}}
		if loop {
			list = append(list, choice{"continue", 1}, choice{"break", 0.4})
		}
		for i, x := range s.exits(fn) {
			if i < 3 {
				list = append(list, choice{x.text, 0.5})
			}
		}
		for _, x := range list {
			s.put(n.Start(), n.End(), x.text, x.weight, "When it fails, %s.", x.text)
		}
		return
	}
	if s.lastInBlock(n) && !leaves(n) {
		s.after(n, "raise", 1, "Hand the exception on.")
		if loop {
			s.after(n, "continue", 0.7, "Go on with the next round.")
		}
	}
}

// repeat does something as long as a condition holds, or once.
func repeat(s *scene, n code.Node) {
	if n.Kind() != "if_statement" && n.Kind() != "while_statement" {
		return
	}
	if _, ok := n.ChildByField("alternative"); ok {
		return
	}
	c, ok := condition(n)
	if !ok || c.Text() == "True" {
		return
	}
	if n.Kind() == "while_statement" {
		s.put(n.Start(), n.Start()+len("while"), "if", 1, "Do it once.")
		return
	}
	b, ok := n.ChildByField("consequence")
	if !ok {
		return
	}
	list := statements(b)
	changed := slices.ContainsFunc(list, func(st code.Node) bool { return alters(st, c) })
	if len(list) > 0 && changed && !leaves(list[len(list)-1]) {
		s.put(n.Start(), n.Start()+len("if"), "while", 1, "Do it as long as %s.", one(c.Text()))
	}
}

// alters tells whether a statement assigns, or changes by a method, what a
// condition reads.
func alters(st, c code.Node) bool {
	target := ""
	if l, _, ok := assigns(st); ok {
		target = l.Text()
	} else if kids := st.NamedChildren(); len(kids) == 1 {
		if l, ok := kids[0].ChildByField("left"); ok {
			target = l.Text()
		} else if o, _, _, ok := methodCall(kids[0]); ok {
			target = o.Text()
		}
	}
	if i := strings.IndexAny(target, "["); i > 0 {
		target = target[:i]
	}
	return target != "" && wordCount(c.Text(), target) > 0
}

// logicGroup puts the parts of a condition together in another way.
func logicGroup(s *scene, n code.Node) {
	put := func(at code.Node, text string) {
		s.put(at.Start(), at.End(), text, 1, "Read the condition as %s.", one(text))
	}
	switch n.Kind() {
	case "boolean_operator":
		left, op, right, _ := binary(n)
		if isNot(left) && n.Up() != "boolean_operator" {
			arg := left.NamedChildren()[0]
			put(n, "not ("+arg.Text()+" "+op.Text()+" "+right.Text()+")")
		}
		if op.Text() == "or" {
			if a, o, b, ok := binary(right); ok && o.Text() == "and" {
				put(n, "("+left.Text()+" or "+a.Text()+") and "+b.Text())
			}
			if a, o, b, ok := binary(left); ok && o.Text() == "and" {
				put(n, a.Text()+" and ("+b.Text()+" or "+right.Text()+")")
			}
			return
		}
		for _, side := range []code.Node{left, right} {
			if _, o, _, ok := binary(inner(side)); ok && side.Kind() == "parenthesized_expression" && o.Text() == "or" {
				s.put(side.Start(), side.End(), inner(side).Text(), 0.7, "Drop the parentheses around %s.", one(inner(side).Text()))
			}
		}
	case "not_operator":
		arg, ok := n.ChildByField("argument")
		if !ok {
			return
		}
		if a, o, b, ok := binary(inner(arg)); ok && isLogic(o.Text()) && arg.Kind() == "parenthesized_expression" {
			put(n, "not "+tight(a)+" "+o.Text()+" "+b.Text())
			other := map[string]string{"and": "or", "or": "and"}[o.Text()]
			text := "not (" + a.Text() + " " + other + " " + b.Text() + ")"
			put(n, text)
		}
	case "conditional_expression":
		kids := n.NamedChildren()
		if len(kids) != 3 {
			return
		}
		if a, o, b, ok := binary(kids[0]); ok && isArithmetic(o.Text()) {
			put(n, a.Text()+" "+o.Text()+" ("+b.Text()+" if "+kids[1].Text()+" else "+kids[2].Text()+")")
		}
		if a, o, b, ok := binary(kids[2]); ok && isArithmetic(o.Text()) {
			put(n, "("+kids[0].Text()+" if "+kids[1].Text()+" else "+a.Text()+") "+o.Text()+" "+b.Text())
		}
	}
}

// elseOfLoop does after the whole loop what the else of a branch does in the
// first round that comes there.
func elseOfLoop(s *scene, n code.Node) {
	if n.Kind() != "else_clause" || ownerLoop(n).Tree() == nil {
		return
	}
	branch := parentOf(n)
	loop := ownerLoop(n)
	b, ok := n.ChildByField("body")
	if !ok || branch.Kind() != "if_statement" || loop.End() != n.End() {
		return
	}
	list := statements(b)
	outer, ok1 := s.indent(loop)
	if len(list) != 1 || !ok1 {
		return
	}
	in, alone := s.indent(list[0])
	if !alone {
		return
	}
	start := n.Start()
	for start > 0 && s.src[start-1] != '\n' {
		start--
	}
	text := outer + reindented(list[0].Text(), in, outer)
	s.put(start, n.End(), text, 2, "Do %s only after the whole loop.", one(list[0].Text()))
	s.put(start, n.End(), outer+"else:"+s.eol+outer+s.unit+reindented(list[0].Text(), in, outer+s.unit), 0.3, "Do %s when the loop was not left.", one(list[0].Text()))
}

// ownerLoop is the loop whose body ends with the branch that a clause belongs to.
func ownerLoop(clause code.Node) code.Node {
	owner := ownerOf(parentOf(clause))
	if isLoop(owner) {
		return owner
	}
	return code.Node{}
}

// intoBranch does a statement only where the branch before it is taken, and the
// last one of a branch, or of an else, in any case.
func intoBranch(s *scene, n code.Node) {
	if !isStatement(n) || !s.ownLines(n) || n.EndLine() > n.Line()+4 {
		return
	}
	in, _ := s.indent(n)
	list := parentOf(n).NamedChildren()
	for i, c := range list {
		if c != n || i == 0 || list[i-1].Kind() != "if_statement" && list[i-1].Kind() != "with_statement" && list[i-1].Kind() != "try_statement" {
			continue
		}
		s.put(n.Start()-len(in), n.End(), in+s.unit+reindented(n.Text(), in, in+s.unit), 1, "Do %s only in the branch.", one(n.Text()))
	}
	owner := ownerOf(n)
	if owner.Kind() != "else_clause" && owner.Kind() != "elif_clause" && owner.Kind() != "except_clause" || !s.lastInBlock(n) || len(list) < 2 {
		return
	}
	whole := parentOf(owner)
	if outer, ok := s.indent(whole); ok && whole.End() == n.End() {
		s.put(n.Start()-len(in), n.End(), outer+reindented(n.Text(), in, outer), 0.7, "Do %s in any case.", one(n.Text()))
	}
}

// stepPlace does a simple statement later in its block: after those that read what
// it changes.
func stepPlace(s *scene, n code.Node) {
	if !isStatement(n) || !simple(n) || !s.ownLines(n) {
		return
	}
	list := parentOf(n).NamedChildren()
	at := slices.Index(list, n)
	in, _ := s.indent(n)
	for to := at + 2; at >= 0 && to < len(list) && to < at+9; to++ {
		if leaves(list[to]) || !s.endsLine(list[to]) {
			return
		}
		between := string(s.src[list[at+1].Start():list[to].End()])
		w := 0.3
		if l, ok := target(n); ok && wordCount(between, l) > 0 {
			w = 1
		}
		s.put(n.Start(), list[to].End(), between+s.eol+in+n.Text(), w, "Do %s after %s.", one(n.Text()), one(firstLineOf(list[to].Text())))
	}
}

// target is what a statement assigns or changes.
func target(n code.Node) (string, bool) {
	if l, _, ok := assigns(n); ok {
		return l.Text(), true
	}
	kids := n.NamedChildren()
	if len(kids) != 1 {
		return "", false
	}
	if l, ok := kids[0].ChildByField("left"); ok {
		return l.Text(), true
	}
	if o, _, _, ok := methodCall(kids[0]); ok {
		return o.Text(), true
	}
	return "", false
}

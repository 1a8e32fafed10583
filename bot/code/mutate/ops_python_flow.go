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

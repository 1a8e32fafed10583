package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// assigns takes the statement x = e apart.
func assigns(n code.Node) (left, right code.Node, ok bool) {
	a, ok := n.OnlyNamed()
	if !ok || n.Kind() != "expression_statement" || a.Kind() != "assignment" {
		return left, right, false
	}
	return a.Both("left", "right")
}

// reindented is the text of statements moved from one indentation to another.
func reindented(text, from, to string) string {
	return strings.ReplaceAll(text, "\n"+from, "\n"+to)
}

// generates tells a function that yields itself.
func generates(fn code.Node) bool {
	found := false
	fn.Walk(func(c code.Node) bool {
		if c != fn && isFunction(c) {
			return false
		}
		found = found || c.Kind() == "yield"
		return !found
	})
	return found
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

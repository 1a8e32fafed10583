package mutate

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// branchAnalogy does in a branch what stands, in another one of the function,
// after or before a like statement: with constants and names exchanged in the
// same way.
func branchAnalogy(s *scene, n code.Node) {
	if !isStatement(n) || !simple(n) || n.EndLine() != n.Line() {
		return
	}
	fn, ok := enclosing(n)
	if !ok {
		return
	}
	mine := tokensOf(n)
	block := parentOf(n)
	list := block.NamedChildren()
	at := slices.Index(list, n)
	done := 0
	for _, d := range s.flat(fn) {
		if d == n || d.Kind() != n.Kind() || !simple(d) || parentOf(d) == block || done >= 6 || d.EndLine() != d.Line() {
			continue
		}
		as, ok := exchanged(tokensOf(d), mine)
		if !ok {
			continue
		}
		beside := parentOf(d).NamedChildren()
		i := slices.Index(beside, d)
		for _, j := range []int{i + 1, i - 1} {
			if i < 0 || j < 0 || j >= len(beside) || !copied(beside[j]) || !s.fitsHere(beside[j], n) {
				continue
			}
			text := rewritten(beside[j], func(leaf code.Node) (string, bool) {
				to, ok := as[leaf.Text()]
				return to, ok
			})
			if k := at + j - i; k >= 0 && k < len(list) && list[k].Text() == text || strings.Contains(text, "\n") || strings.Contains(block.Text(), text) {
				continue
			}
			done++
			if j > i {
				s.after(n, text, 1, "Do %s too, as another branch does.", one(text))
			} else {
				s.before(n, text, 1, "Do %s first, as another branch does.", one(text))
			}
		}
	}
}

// exchanged compares two statements leaf by leaf: they may differ in one name or
// constant, which then stands for the other everywhere and the other for it.
func exchanged(a, b []code.Node) (map[string]string, bool) {
	if len(a) != len(b) {
		return nil, false
	}
	as := map[string]string{}
	for i := range a {
		x, y := a[i].Text(), b[i].Text()
		if a[i].Kind() != b[i].Kind() {
			return nil, false
		}
		if x != y {
			if !isName(a[i]) && !a[i].Named() || len(as) > 0 && as[x] != y {
				return nil, false
			}
			as[x], as[y] = y, x
		}
	}
	return as, true
}

package mutate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

const (
	maxSiblings   = 6  // functions that are held against one
	maxStatements = 80 // of a function that has siblings
	maxBlock      = 6  // lines that are copied at once
)

// siblingStatement copies what a function that does alike does and this one
// does not, to the same place: between the same neighbours.
func siblingStatement(s *scene, n code.Node) {
	owner, ok := heads(n)
	if !ok || !isFunction(owner) {
		return
	}
	own := s.functionAt(owner)
	if own == nil {
		return
	}
	mine := flat(owner)
	if len(mine) == 0 || len(mine) > maxStatements {
		return
	}
	for _, sib := range s.siblingsOf(own, mine) {
		s.copyFrom(sib, own, mine)
	}
}

// functionAt is the project's function with a node of the scene's file.
func (s *scene) functionAt(n code.Node) *function {
	for _, f := range s.project.functions {
		if f.path == s.file && f.node.Start() == n.Start() && f.node.End() == n.End() {
			return f
		}
	}
	return nil
}

// sibling is a function that does alike.
type sibling struct {
	*function
	list   []code.Node // its statements
	weight float64
}

// siblingsOf ranks the project's functions by what they have in common with one.
func (s *scene) siblingsOf(own *function, mine []code.Node) []sibling {
	texts := map[string]int{}
	for _, m := range mine {
		texts[headOf(m)]++
	}
	var out []sibling
	for _, f := range s.project.functions {
		if f == own || f.node.Tree().Lang != s.t.Lang {
			continue
		}
		list := flat(f.node)
		if len(list) > maxStatements || len(list) == 0 {
			continue
		}
		w := 0.0
		for _, x := range list {
			if texts[renamed(headOf(x), f.params, own.params)] > 0 {
				w++
			}
		}
		w /= float64(max(len(list), len(mine)))
		switch {
		case f.class != "" && f.class == own.class && f.path == own.path, f.name == own.name:
			w += 0.2
		case f.path == own.path:
			w += 0.1
		}
		if near(f.name, own.name) || slices.Equal(f.params, own.params) && len(f.params) > 0 {
			w += 0.1
		}
		if w >= 0.2 {
			out = append(out, sibling{f, list, w})
		}
	}
	slices.SortStableFunc(out, func(a, b sibling) int { return cmp.Compare(b.weight, a.weight) })
	return out[:min(len(out), maxSiblings)]
}

// flat lists the statements of a function in the order of the text, those of
// inner functions left out.
func flat(fn code.Node) []code.Node {
	var out []code.Node
	fn.Walk(func(n code.Node) bool {
		if n != fn && isFunction(n) {
			return false
		}
		if isStatement(n) && n.Start() > fn.Start() && !docstring(n) {
			out = append(out, n)
		}
		return true
	})
	return out
}

func docstring(n code.Node) bool {
	only, ok := n.OnlyNamed()
	return ok && n.Kind() == "expression_statement" && isString(only)
}

// headOf is a statement's text without the block that it holds.
func headOf(n code.Node) string {
	text := n.Text()
	for _, field := range []string{"consequence", "body"} {
		if b, ok := n.ChildByField(field); ok {
			text = text[:b.Start()-n.Start()]
			break
		}
	}
	return strings.TrimSpace(strings.TrimSuffix(text, ";"))
}

// renamed writes the names of some parameters as those of others.
func renamed(text string, from, to []string) string {
	for i, name := range from {
		if i < len(to) && name != to[i] && !slices.Contains(from, to[i]) {
			text = replaceWord(text, name, to[i])
		}
	}
	return text
}

// copyFrom puts what a sibling has, and this function lacks, between the
// statements that both have.
func (s *scene) copyFrom(sib sibling, own *function, mine []code.Node) {
	at := map[string]int{}
	for i, m := range mine {
		if _, seen := at[headOf(m)]; !seen {
			at[headOf(m)] = i
		}
	}
	here := make([]int, len(sib.list)) // index in mine, or -1
	for i, x := range sib.list {
		here[i] = -1
		if k, ok := at[renamed(headOf(x), sib.params, own.params)]; ok {
			here[i] = k
		}
	}
	for _, alone := range []bool{true, false} {
		s.copyRuns(sib, own, mine, here, alone)
	}
}

// copyRuns copies what a sibling has alone between, or right beside, what both
// have; else the runs of several statements too.
func (s *scene) copyRuns(sib sibling, own *function, mine []code.Node, here []int, alone bool) {
	done := 0
	for i, x := range sib.list {
		if here[i] >= 0 || done >= 8 || !copied(x) || alone && !besideShared(sib.list, here, i) {
			continue
		}
		var run []string
		for j := i; j < len(sib.list) && len(run) < 3 && here[j] < 0 && copied(sib.list[j]) && parentOf(sib.list[j]) == parentOf(x); j++ {
			text, ok := s.fitted(sib.list[j], sib.function, own, mine[len(mine)-1].Start())
			if !ok || alone && j > i {
				break
			}
			run = append(run, text)
			w := sib.weight * map[bool]float64{true: 1, false: 0.6}[j == i]
			if s.placeCopy(strings.Join(run, "\n"), sib, i, j, here, mine, w) {
				done++
			}
		}
	}
}

// besideShared tells whether a sibling's statement stands right before or after
// one that both functions have.
func besideShared(list []code.Node, here []int, i int) bool {
	block := parentOf(list[i])
	return i > 0 && here[i-1] >= 0 && parentOf(list[i-1]) == block || i+1 < len(list) && here[i+1] >= 0 && parentOf(list[i+1]) == block
}

// copied tells a statement that is worth copying: a simple one, or a guard.
func copied(n code.Node) bool {
	switch n.Kind() {
	case "expression_statement", "assignment_statement", "inc_statement", "dec_statement", "defer_statement", "short_var_declaration", "delete_statement":
		return n.EndLine()-n.Line() < maxBlock
	case "if_statement":
		return isGuard(n) && n.EndLine()-n.Line() < maxBlock
	}
	return false
}

// fitted writes a sibling's statement with the names of this function that are
// visible at an offset; not ok when it speaks of what is not here.
func (s *scene) fitted(n code.Node, from, own *function, at int) (string, bool) {
	in, alone := code.IndentBefore(n.Tree().Src, n.Start())
	if !alone {
		return "", false
	}
	text := strings.ReplaceAll(n.Text(), "\r\n", "\n")
	text = strings.ReplaceAll(text, "\n"+in, "\n")
	unit := code.IndentUnit(n.Tree().Src)
	text = strings.ReplaceAll(text, "\n"+unit, "\n\t")
	text = renamed(text, from.params, own.params)
	text = respelled(text, from.name, own.name)
	if own.node.Kind() == "method_declaration" && receiverName(from.node) != "" && receiverName(own.node) != "" {
		text = replaceWord(text, receiverName(from.node), receiverName(own.node))
	}
	known := own.node.Text()
	ok := true
	n.Walk(func(c code.Node) bool {
		if c.Kind() != "identifier" || !ok || c.Field() == "attribute" {
			return ok
		}
		name := renamed(c.Text(), from.params, own.params)
		if name == receiverName(from.node) {
			return true
		}
		_, visible := s.facts.lookup(name, at)
		ok = visible || wordCount(known, name) > 0 && !s.facts.isVariable(name) || s.called(name) != nil || len(s.project.named[name]) == 0 && wordCount(string(s.src), name) > 0 && !s.facts.isVariable(name)
		return ok
	})
	return text, ok
}

// respelled writes a text that names a function for another one: what says
// 'readSync', or the 'read' of it, says 'writeSync' and 'write' there.
func respelled(text, from, to string) string {
	pairs := [][2]string{{from, to}}
	a, b := from, to
	for a != "" && b != "" && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	for tail := from[len(a):]; tail != "" && a != "" && b != ""; tail = tail[1:] {
		if first := tail[0]; first == '_' || first >= 'A' && first <= 'Z' {
			end := len(from) - len(tail)
			pairs = append(pairs, [2]string{from[:end], to[:len(to)-len(tail)]})
			break
		}
	}
	for _, p := range pairs {
		for _, q := range []string{"'", `"`} {
			text = strings.ReplaceAll(text, q+p[0]+q, q+p[1]+q)
		}
	}
	return text
}

// placeCopy puts the text at the place that it has in the sibling.
func (s *scene) placeCopy(text string, sib sibling, from, to int, here []int, mine []code.Node, w float64) bool {
	block := parentOf(sib.list[from])
	put := func(where func(code.Node, string, float64, string, ...any), n code.Node, w float64) bool {
		where(n, text, w, "Do %s too, as %s does.", one(text), one(sib.name))
		return true
	}
	if next := to + 1; next < len(here) && here[next] >= 0 && parentOf(sib.list[next]) == block && (from == 0 || here[from-1] < 0) {
		return put(s.before, mine[here[next]], w)
	}
	for i := from - 1; i >= 0; i-- {
		if here[i] >= 0 && parentOf(sib.list[i]) == block {
			return put(s.after, mine[here[i]], w)
		}
	}
	for j := to + 1; j < len(sib.list); j++ {
		if here[j] >= 0 && parentOf(sib.list[j]) == block {
			return put(s.before, mine[here[j]], w)
		}
	}
	// Nothing of this block is here: at the start or at the end, as it was there.
	if ownerOf(sib.list[from]) != sib.node {
		return false
	}
	first := mine[0]
	if from == 0 {
		return put(s.before, first, w*0.6)
	}
	last := first
	for _, m := range mine {
		if parentOf(m) == parentOf(first) {
			last = m
		}
	}
	if leaves(last) {
		return put(s.before, last, w*0.6)
	}
	return put(s.after, last, w*0.6)
}

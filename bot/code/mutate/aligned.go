package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// maxTransfer is how many changes one piece gets from those like it.
const maxTransfer = 4

// alignedPart holds a piece of code against those like it in the same file and
// in its neighbours, with the names of one for those of the other, and takes over
// the part that differs: what was copied and then changed in one place too
// little, or lost there. What several of them agree in counts more, what others
// have as well as the piece counts less.
func alignedPart(s *scene, n code.Node) {
	if !isUnit(n) {
		return
	}
	words := leafWords(n)
	if len(words) < 2 {
		return
	}
	if s.neighbours == nil {
		s.neighbours = s.alikeFiles()
	}
	kind := n.Kind()
	v := votes{s: s, n: n, agree: map[int]float64{}, weight: map[transfer]float64{}}
	for _, file := range s.neighbours {
		for _, u := range s.project.units[file.text] {
			if u.kind != kind || u.node == n {
				continue
			}
			if both := common(words, u.words); both < 2 || 5*both < 2*min(len(words), len(u.words)) {
				continue
			}
			v.compare(u.node, file.weight)
		}
	}
	v.elect()
}

// transfer is a change that an alike piece suggests.
type transfer struct {
	start, end int
	text       string
}

// votes gathers what alike pieces say of one.
type votes struct {
	s      *scene
	n      code.Node
	agree  map[int]float64 // by the start of a leaf: how much has it there too
	weight map[transfer]float64
	order  []transfer
}

func (v *votes) compare(other code.Node, weight float64) {
	a := alignment{names: map[string]string{}}
	a.match(v.n, other)
	like := a.likeness()
	if like < 0.4 || a.same < 2 {
		return
	}
	weight *= like * like
	for _, at := range a.agreed {
		v.agree[at] += weight
	}
	if len(a.gaps) == 0 || len(a.gaps) > 3 {
		return
	}
	for _, g := range a.gaps {
		t, ok := v.fill(g, &a)
		if !ok {
			continue
		}
		if _, seen := v.weight[t]; !seen {
			v.order = append(v.order, t)
		}
		w := weight / float64(len(a.gaps))
		if !g.theirs[0].Named() {
			w *= 0.3 // an operator of its own is no copy's mistake
		}
		v.weight[t] += w
	}
}

// fill writes a gap's other side with the names of this piece.
func (v *votes) fill(g gap, a *alignment) (transfer, bool) {
	var sb strings.Builder
	src := g.theirs[0].Tree().Src
	from, to := g.theirs[0].Start(), g.theirs[len(g.theirs)-1].End()
	if to-from > 100 || strings.Contains(string(src[from:to]), "\n") {
		return transfer{}, false
	}
	at := from
	for _, t := range g.theirs {
		ok := true
		t.Walk(func(c code.Node) bool {
			if !isName(c) || c.Kind() == "package_identifier" || !ok {
				return ok
			}
			name := c.Text()
			if mine := a.names[name]; mine != "" {
				name = mine
			}
			sb.Write(src[at:c.Start()])
			sb.WriteString(name)
			at = c.End()
			ok = c.Kind() != "identifier" || v.known(c, name)
			return ok
		})
		if !ok {
			return transfer{}, false
		}
	}
	sb.Write(src[at:to])
	return transfer{g.start, g.end, g.before + sb.String() + g.after}, true
}

// known tells whether a name of another piece means something at this one.
func (v *votes) known(c code.Node, name string) bool {
	if _, ok := v.s.facts.lookup(name, v.n.Start()); ok || c.Field() == "attribute" || c.Field() == "name" && c.Up() == "keyword_argument" {
		return true
	}
	if v.s.facts.isVariable(name) {
		return false
	}
	return c.Tree() == v.s.t || wordCount(string(v.s.src), name) > 0
}

// elect puts the changes with the most votes.
func (v *votes) elect() {
	total := map[int]float64{}
	for _, t := range v.order {
		total[t.start] += v.weight[t]
	}
	var list []choice
	for i, t := range v.order {
		// What each alike piece has for itself is not one that this one should have.
		w := v.weight[t] / (1 + 2*v.agree[t.start]) * v.weight[t] / total[t.start]
		if w >= 0.04 {
			list = append(list, choice{string(rune(i)), w})
		}
	}
	for _, c := range best(list, maxTransfer) {
		t := v.order[[]rune(c.text)[0]]
		v.s.put(t.start, t.end, t.text, min(c.weight, 4), "Use %s, as alike code does.", one(t.text))
	}
}

// alignment holds one piece against another, node by node.
type alignment struct {
	names  map[string]string // of the other piece, in this one
	same   int               // words in common
	mapped int               // names that stand for one another
	lost   int               // words of this piece without a fellow
	agreed []int             // starts of the leaves in common that are no names
	gaps   []gap
}

// gap is where two pieces differ; the bytes [start, end) are of this one.
type gap struct {
	start, end    int
	theirs        []code.Node
	before, after string
}

func (a *alignment) likeness() float64 {
	return float64(a.same) / (float64(a.same) + 0.5*float64(a.mapped) + float64(a.lost))
}

func (a *alignment) differ(mine, theirs code.Node) {
	a.lost += max(1, len(leafWords(mine)))
	a.gaps = append(a.gaps, gap{start: mine.Start(), end: mine.End(), theirs: []code.Node{theirs}})
}

func (a *alignment) match(mine, theirs code.Node) {
	if mine.Kind() != theirs.Kind() {
		a.differ(mine, theirs)
		return
	}
	if isLeaf(mine) || isLeaf(theirs) {
		a.leaf(mine, theirs)
		return
	}
	m, t := plainChildren(mine), plainChildren(theirs)
	if len(m) == len(t) {
		for i := range m {
			a.match(m[i], t[i])
		}
		return
	}
	a.list(mine, theirs)
}

func (a *alignment) leaf(mine, theirs code.Node) {
	x, y := mine.Text(), theirs.Text()
	switch {
	case isName(mine):
		if old, known := a.names[y]; known && old != x {
			a.differ(mine, theirs)
			return
		}
		a.names[y] = x
		if x == y {
			a.same++
		} else {
			a.mapped++
		}
	case x == y:
		if mine.Named() {
			a.same++
			a.agreed = append(a.agreed, mine.Start())
		}
	default:
		a.differ(mine, theirs)
	}
}

func plainChildren(n code.Node) []code.Node {
	var out []code.Node
	for _, c := range n.Children() {
		if !c.IsExtra() {
			out = append(out, c)
		}
	}
	return out
}

// list matches the elements of two lists of which the other has more, with
// the surplus left out where it fits best.
func (a *alignment) list(mine, theirs code.Node) {
	switch mine.Kind() {
	case "argument_list", "arguments", "tuple", "list", "array", "object", "dictionary", "literal_value":
	default:
		a.differ(mine, theirs)
		return
	}
	m, t := mine.NamedChildren(), theirs.NamedChildren()
	more := len(t) - len(m)
	if more < 1 || more > 2 || len(m) == 0 && mine.End()-mine.Start() > 2 {
		a.differ(mine, theirs)
		return
	}
	at, most := 0, -1
	for i := 0; i <= len(m); i++ {
		fit := 0
		for k := range m {
			o := t[k]
			if k >= i {
				o = t[k+more]
			}
			if o.Kind() == m[k].Kind() {
				fit++
			}
			if o.Text() == m[k].Text() {
				fit++
			}
		}
		if fit >= most {
			at, most = i, fit
		}
	}
	for k := range m {
		if k < at {
			a.match(m[k], t[k])
		} else {
			a.match(m[k], t[k+more])
		}
	}
	g := gap{theirs: t[at : at+more]}
	switch {
	case len(m) == 0:
		g.start = mine.Start() + 1
	case at == 0:
		g.start, g.after = m[0].Start(), ", "
	default:
		g.start, g.before = m[at-1].End(), ", "
	}
	g.end = g.start
	a.lost++
	a.gaps = append(a.gaps, g)
}

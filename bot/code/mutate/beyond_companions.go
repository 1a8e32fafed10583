package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// companion is a statement with those that stand beside it in its block.
type companion struct {
	node   code.Node
	in     *function
	beside []code.Node // before and after it, where there are
	first  bool        // the first beside it stands before it
}

// deed is what a simple statement does: what it calls, or what it sets and how.
func deed(n code.Node) string {
	kids := n.NamedChildren()
	x := n
	if n.Kind() == "expression_statement" && len(kids) == 1 {
		x = kids[0]
	}
	if fn, _, _, ok := call(x); ok && len(fn.Text()) < 60 && !strings.Contains(fn.Text(), "\n") {
		return fn.Text() + "()"
	}
	l, ok := x.ChildByField("left")
	if !ok || len(l.Text()) > 60 {
		return ""
	}
	if o, _, ok := element(l); ok {
		return o.Text() + "[]="
	}
	if _, _, ok := member(l); ok {
		op, _ := x.ChildByField("operator")
		if op.Tree() == nil {
			return l.Text() + "="
		}
		return l.Text() + op.Text()
	}
	return ""
}

// companions gathers the statements of the project by what they do.
func (p *Project) companions() {
	p.deeds = map[string][]companion{}
	for _, f := range p.functions {
		for _, n := range flat(f.node) {
			key := deed(n)
			if key == "" || len(p.deeds[key]) >= 12 {
				continue
			}
			c := companion{node: n, in: f}
			list := parentOf(n).NamedChildren()
			for i, x := range list {
				if x != n {
					continue
				}
				if i > 0 && copied(list[i-1]) {
					c.beside, c.first = append(c.beside, list[i-1]), true
				}
				if i+1 < len(list) && copied(list[i+1]) {
					c.beside = append(c.beside, list[i+1])
				}
			}
			p.deeds[key] = append(p.deeds[key], c)
		}
	}
}

// companionStatement does what is done elsewhere together with a statement:
// whoever takes an entry out of the index also takes its weight off.
func companionStatement(s *scene, n code.Node) {
	if !isStatement(n) || n.EndLine() > n.Line()+2 {
		return
	}
	key := deed(n)
	if key == "" {
		return
	}
	fn, ok := enclosing(n)
	if !ok {
		return
	}
	own := s.functionAt(fn)
	if own == nil {
		return
	}
	block := parentOf(n).Text()
	for _, c := range s.project.deeds[key] {
		if c.node == n {
			continue
		}
		for i, x := range c.beside {
			text, ok := s.fitted(x, c.in, own, n.Start())
			if !ok || strings.Contains(block, strings.TrimSuffix(headOf(x), ";")) || deed(x) == key {
				continue
			}
			w := 1.0
			if c.node.Text() == n.Text() {
				w = 2
			}
			if leaves(x) || x.Kind() == "if_statement" {
				w *= 0.5
			}
			why := "Do %s too, as %s does beside %s."
			if i == 0 && c.first {
				s.before(n, text, w, why, one(text), one(c.in.name), one(n.Text()))
			} else {
				s.after(n, text, w, why, one(text), one(c.in.name), one(n.Text()))
			}
		}
	}
}

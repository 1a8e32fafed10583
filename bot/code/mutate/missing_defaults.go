package mutate

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// defaultAnalogy sets a variable under a condition where it is set so elsewhere:
// after the same variable got its value in another branch or function, and with
// what has just been worked out here.
func defaultAnalogy(s *scene, n code.Node) {
	name, _, ok := defines(n)
	if !ok || !isStatement(n) {
		return
	}
	fn, in := enclosing(n)
	if !in {
		return
	}
	next := string(s.src[n.End():min(len(s.src), n.End()+200)])
	seen := map[string]bool{}
	for _, d := range s.settings() {
		target, value := d.target, d.value
		cond, _ := condition(d.node)
		here := d.node.Start() >= fn.Start() && d.node.End() <= fn.End()
		if !s.inScope(cond, n.End()) && target != name {
			continue
		}
		switch {
		case within(n, d.node) || strings.Contains(next, headOf(d.node)):
		case target == name && s.fitsHere(d.node, n):
			if text := s.conditional(cond.Text(), target, value.Text()); !seen[text] {
				seen[text] = true
				s.after(n, text, map[bool]float64{true: 0.4, false: 1}[here], "Set %s here too when %s.", one(name), one(cond.Text()))
			}
		case here && target != name && s.known(target, n) && ownerOf(n) != fn && parentOf(d.node) != parentOf(n):
			if text := s.conditional(cond.Text(), target, name); !seen[text] && len(seen) < 6 {
				seen[text] = true
				w := 0.3
				if v, _ := s.facts.lookup(name, n.End()); v.uses <= 3 {
					w = 1
				}
				s.after(n, text, w, "Set %s to %s when %s.", one(target), one(name), one(cond.Text()))
			}
		}
	}
}

func within(n, outer code.Node) bool { return n.Start() >= outer.Start() && n.End() <= outer.End() }

func (s *scene) known(name string, n code.Node) bool {
	v, ok := s.facts.lookup(name, n.Start())
	return ok && v.kind != "module"
}

// fitsHere tells whether all that a donor speaks of is known after a statement;
// a name may mean another variable here.
func (s *scene) fitsHere(donor, n code.Node) bool {
	ok := true
	donor.Walk(func(c code.Node) bool {
		if c.Kind() == "identifier" {
			if v, there := s.facts.lookup(c.Text(), c.Start()); there && v.kind != "module" {
				_, here := s.facts.lookup(c.Text(), n.End())
				ok = ok && here
			}
		}
		return ok
	})
	return ok
}

// conditional writes an if around an assignment.
func (s *scene) conditional(cond, name, value string) string {
	return s.brief(cond, name+" = "+value)
}

// setting is an if that does nothing but set a variable.
type setting struct {
	node   code.Node
	target string
	value  code.Node
}

// settings lists the ifs of the file that only set a variable.
func (s *scene) settings() []setting {
	if s.ifs != nil {
		return s.ifs
	}
	out := []setting{}
	for _, f := range s.project.functions {
		if f.path != s.file {
			continue
		}
		for _, n := range flat(f.node) {
			c, ok := n.ChildByField("consequence")
			if _, alt := n.ChildByField("alternative"); !ok || alt || n.Kind() != "if_statement" || n.EndLine() > n.Line()+3 {
				continue
			}
			list := []code.Node{c}
			if c.Kind() == "block" || c.Kind() == "statement_block" {
				list = statements(c)
			}
			if len(list) != 1 {
				continue
			}
			if target, value, ok := sets(list[0]); ok && !slices.ContainsFunc(out, func(x setting) bool { return x.node.Text() == n.Text() }) && len(out) < 40 {
				out = append(out, setting{n, target, value})
			}
		}
	}
	s.ifs = out
	return out
}

// sets takes a plain assignment to one variable apart.
func sets(n code.Node) (target string, value code.Node, ok bool) {
	if kids := n.NamedChildren(); n.Kind() == "expression_statement" && len(kids) == 1 {
		n = kids[0]
	}
	switch n.Kind() {
	case "assignment", "assignment_expression", "assignment_statement":
	default:
		return "", value, false
	}
	l, ok1 := n.ChildByField("left")
	r, ok2 := n.ChildByField("right")
	if op, has := n.ChildByField("operator"); !ok1 || !ok2 || has && op.Text() != "=" || strings.ContainsAny(l.Text(), ".[,(") || strings.Contains(n.Text(), "\n") {
		return "", value, false
	}
	return l.Text(), r, true
}

package mutate

import (
	"fmt"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// Force is a change that is no repair but shows where one could be: a condition
// that always or never holds, a statement that is left before it is reached.
// Where it turns a failing test green, a condition can, and Conditions makes
// some (Long and Rinard, SPR, FSE 2015; Xuan et al., Nopol, TSE 2017).
type Force struct {
	Mutation
	kind       string // holds, fails, leaves
	start, end int    // of the condition, or of the statement
	exit       string
}

const (
	maxForces = 40 // in one region
	maxFlips  = 3  // times of a condition that are turned round one by one
	holds     = "holds"
	fails     = "fails"
	turns     = "turns" // once
	goes      = "leaves"
)

// Forces lists the forced changes of the nodes that begin in the bytes
// [start, end) of a file of the project.
func (p *Project) Forces(file string, start, end int) []Force {
	t := p.files[file]
	if t == nil || maskOf(t.Lang) == 0 {
		return nil
	}
	s := newScene(t, start, end)
	s.table = []operator{{name: "force", share: 1, langs: all, visit: func(*scene, code.Node) {}}}
	var out []Force
	note := func(kind string, from, to int, exit string) {
		m := s.out[len(s.out)-1].Mutation
		if len(out) < maxForces {
			out = append(out, Force{m, kind, from, to, exit})
		}
	}
	s.table[0].visit = func(s *scene, n code.Node) {
		if c, ok := condition(n); ok && forceable(c) && c.Start() >= start {
			for _, v := range []struct{ kind, text string }{{holds, s.d.yes}, {fails, s.d.no}} {
				before := len(s.out)
				// The condition is still worked out: what it binds stays bound,
				// and what it does is done.
				s.put(c.Start(), c.End(), s.forced(c, v.text), 1, "Let %s.", one(c.Text()))
				if len(s.out) > before {
					note(v.kind, c.Start(), c.End(), "")
				}
			}
			for k := range maxFlips {
				before := len(s.out)
				s.put(c.Start(), c.End(), s.turned(c, k), 1, "Turn %s round once.", one(c.Text()))
				if len(s.out) > before {
					note(turns, c.Start(), c.End(), "")
				}
			}
		}
		if !isStatement(n) || leaves(n) {
			return
		}
		for i, x := range s.waysOut(n) {
			when := []string{s.d.yes}
			for k := 0; i < 1 && k < maxFlips-1 && s.d.lang != golang; k++ {
				when = append(when, s.once(n.Start(), k))
			}
			for _, w := range when {
				before := len(s.out)
				s.before(n, s.guard(w, x), 1, "Leave before %s.", one(n.Text()))
				if len(s.out) > before {
					note(goes, n.Start(), n.End(), x)
				}
			}
		}
	}
	s.visit()
	return out
}

// forceable leaves out conditions that bind a name for what follows.
func forceable(c code.Node) bool {
	switch c.Kind() {
	case "named_expression", "assignment_expression", "sequence_expression", "true", "false":
		return false
	}
	return !strings.Contains(c.Text(), "\n") && len(c.Text()) < 200
}

func (s *scene) forced(c code.Node, value string) string {
	join := map[string]string{s.d.yes: s.d.or, s.d.no: s.d.and}[value]
	return s.joined(c, join, false) + " " + join + " " + value
}

// once is true the k-th time that it is asked, from 0. Go has no place inside
// of a function to count.
func (s *scene) once(at, k int) string {
	name := fmt.Sprintf("_fettle_%d_%d", at, k)
	switch s.d.lang {
	case py:
		return fmt.Sprintf(`next(__import__("builtins").__dict__.setdefault("%s", __import__("itertools").count())) == %d`, name, k)
	case js:
		return fmt.Sprintf("(globalThis.%s = (globalThis.%s ?? -1) + 1) === %d", name, name, k)
	}
	return ""
}

func (s *scene) turned(c code.Node, k int) string {
	once := s.once(c.Start(), k)
	switch s.d.lang {
	case py:
		return "bool(" + c.Text() + ") != (" + once + ")"
	case js:
		return "!!(" + c.Text() + ") !== (" + once + ")"
	}
	return c.Text()
}

// waysOut are the exits that a guard before a statement may take.
func (s *scene) waysOut(n code.Node) []string {
	fn, ok := enclosing(n)
	if !ok {
		return nil
	}
	var out []string
	if loop, ok := inLoop(n); ok {
		out = append(out, "continue")
		if loop.Start() >= fn.Start() {
			out = append(out, "break")
		}
	}
	exits := s.exits(fn)
	for i, x := range exits {
		if i < 1 {
			out = addOnce(out, strings.TrimSuffix(x.text, ";"))
		}
	}
	// The function's own parameter or result may be given back as it is.
	for _, v := range s.facts.visible(n.Start()) {
		if s.d.lang != golang && v.kind == "param" && v.owner == fn.Start() && len(out) < 4 {
			out = addOnce(out, "return "+v.name)
			break
		}
	}
	fn.Walk(func(c code.Node) bool {
		switch c.Kind() {
		case "return_statement", "raise_statement", "throw_statement":
			if text := strings.TrimSuffix(c.Text(), ";"); len(text) < 60 && !strings.Contains(text, "\n") && s.inScope(c, n.Start()) && len(out) < 4 && len(c.NamedChildren()) > 0 {
				out = addOnce(out, text)
			}
		}
		return c == fn || !isFunction(c)
	})
	return out
}

// Conditions makes repairs of the place that a force showed to matter: the
// condition joined with others that are made of what is in scope, or a guard
// with such a condition. said are words that the issue uses.
func (p *Project) Conditions(file string, f Force, said map[string]bool) []Mutation {
	t := p.files[file]
	if t == nil || maskOf(t.Lang) == 0 {
		return nil
	}
	s := newScene(t, f.start, f.end)
	s.project, s.file, s.calls, s.said = p, file, p.callables(file), said
	s.table = []operator{
		{"condition_made", "missing condition", 1, all, nil},
		{"guard_made", "missing guard", 1, all, nil},
	}
	s.shares = 1
	n := t.At(f.start, f.end)
	fn, ok := enclosing(n)
	if !ok {
		return nil
	}
	if f.kind == goes {
		s.op = 1
		for _, a := range s.atoms(f.start, f.end, fn) {
			s.put(f.start, f.start, s.lines(s.guard(a.text, f.exit), s.indentAt(f.start))+s.eol+s.indentAt(f.start), a.weight,
				"When %s, %s first.", one(a.text), f.exit)
		}
		return s.finish()
	}
	stop := f.end
	if st, ok := statementOf(n); ok {
		stop = st.End()
	}
	s.join(n, map[string][]string{holds: {s.d.or}, fails: {s.d.and}, turns: {s.d.and, s.d.or}}[f.kind], s.atoms(f.start, stop, fn))
	return s.finish()
}

// join makes a condition stricter or looser by each of some others.
func (s *scene) join(n code.Node, with []string, atoms []choice) {
	was := n.Text()
	for _, a := range atoms {
		if a.text == was || wordCount(was, a.text) > 0 {
			continue
		}
		for _, op := range with {
			s.put(n.Start(), n.End(), s.joined(n, op, false)+" "+op+" "+a.text, a.weight, "Ask for %s %s too.", op, one(a.text))
		}
		s.put(n.Start(), n.End(), a.text, 0.3*a.weight, "Ask for %s instead of %s.", one(a.text), one(was))
	}
}

// likelyTerms are how many conditions are tried at each place without asking
// whether one could help.
const likelyTerms = 8

// Likely makes the likeliest conditions of the nodes that begin in the bytes
// [start, end): those of which the issue speaks, and what stands closest.
func (p *Project) Likely(file string, start, end int, said map[string]bool) []Mutation {
	t := p.files[file]
	if t == nil || maskOf(t.Lang) == 0 {
		return nil
	}
	s := newScene(t, start, end)
	s.project, s.file, s.calls, s.said = p, file, p.callables(file), said
	s.table = []operator{{"condition_made", "missing condition", 0.020, all, func(s *scene, n code.Node) {
		c, ok := condition(n)
		fn, in := enclosing(n)
		if !ok || !in || !forceable(c) || c.Start() < start {
			return
		}
		stop := c.End()
		if st, ok := statementOf(c); ok {
			stop = st.End()
		}
		atoms := s.atoms(c.Start(), stop, fn)
		s.join(c, []string{s.d.and, s.d.or}, atoms[:min(len(atoms), likelyTerms)])
	}}}
	s.visit()
	return s.finish()
}

func (s *scene) indentAt(at int) string {
	in, _ := code.IndentBefore(s.src, at)
	return in
}

package mutate

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// callOfUnused calls a function of the project that nothing calls, as the
// function calls another of a like name, and asks before for a flag that nothing
// reads.
func callOfUnused(s *scene, n code.Node) {
	if !isStatement(n) || n.EndLine() > n.Line()+12 {
		return
	}
	for _, f := range s.project.idle {
		if f.node.Tree().Lang != s.t.Lang || f.path != s.file && s.called(f.name) == nil {
			continue
		}
		for _, form := range s.callsLike(n, f) {
			s.after(n, form.text, form.weight, "Call %s, which nothing calls.", one(f.name))
			for _, flag := range s.idleFlags(n, f.name) {
				w := form.weight * flag.weight
				s.after(n, s.brief(s.d.not+flag.text, form.text), w, "Call %s, which nothing calls, unless %s.", one(f.name), one(flag.text))
				s.after(n, s.brief(flag.text, form.text), w*0.6, "Call %s, which nothing calls, when %s.", one(f.name), one(flag.text))
			}
		}
	}
}

// idlers notes the functions whose name stands nowhere but at their declaration.
func (p *Project) idlers() {
	for _, f := range p.functions {
		hidden := f.node.Tree().Lang != code.Go || !exported(f.name)
		if p.count[f.name] == 1 && hidden && f.class == "" && !ofTests(f.path) && f.name != "main" && f.name != "init" && len(f.params) <= 4 && len(p.idle) < maxIdle {
			p.idle = append(p.idle, f)
		}
	}
}

// ofTests tells a file of tests by its name.
func ofTests(file string) bool {
	file = strings.ToLower(file)
	return strings.Contains(file, "test") || strings.Contains(file, "spec.") || strings.Contains(file, "example")
}

// maxIdle bounds the functions that nothing calls: where there are many, the
// project is a library and they are called from outside.
const maxIdle = 12

// callsLike writes calls of a function as a statement calls one of a like name:
// itself, or in one of its branches.
func (s *scene) callsLike(n code.Node, f *function) []choice {
	var out []choice
	done := map[string]bool{}
	n.Walk(func(c code.Node) bool {
		fn, args, _, ok := call(c)
		if !ok || !firstWord(fn.Text(), f.name) || len(out) >= 8 {
			return true
		}
		lead := ""
		st, ok := statementOf(c)
		if !ok {
			return true
		}
		if target, value, ok := sets(st); ok && (value == c || len(value.NamedChildren()) == 1 && value.NamedChildren()[0] == c) {
			lead = target + " = "
		} else if parentOf(c) != st {
			return true
		}
		for _, list := range s.argumentsFor(f, args, n) {
			text := lead + f.name + "(" + strings.Join(list, ", ") + ")"
			if !done[text] {
				done[text] = true
				out = append(out, choice{text, []float64{1, 1, 0.3}[min(depth(st, n), 2)]})
			}
		}
		return true
	})
	return out
}

// depth is how many statements lie around one statement within another.
func depth(n, within code.Node) int {
	d := 0
	for n != within && n.Start() >= within.Start() {
		n = parentOf(n)
		if isStatement(n) {
			d++
		}
		if _, ok := n.Parent(); !ok {
			break
		}
	}
	return d
}

// firstWord tells names that begin with the same word.
func firstWord(a, b string) bool {
	x, y := wordsOf(a[strings.LastIndexByte(a, '.')+1:]), wordsOf(b)
	return len(x) > 1 && len(y) > 1 && x[0] == y[0]
}

// argumentsFor lists what a function may be given: what is given to the other
// where the place fits, and variables by name and type.
func (s *scene) argumentsFor(f *function, args []code.Node, at code.Node) [][]string {
	lists := [][]string{{}}
	for i, param := range f.params {
		var pool []string
		if i == 0 && len(args) > 0 {
			pool = append(pool, args[0].Text())
		} else {
			for _, v := range s.facts.visible(at.End()) {
				typed := i < len(f.types) && f.types[i] != "" && f.types[i] == v.typ
				if (typed || akin(v.name, param)) && v.kind != "module" {
					pool = addOnce(pool, v.name)
				}
			}
		}
		var next [][]string
		for _, l := range lists {
			for _, p := range pool[:min(len(pool), 3)] {
				next = append(next, append(slices.Clone(l), p))
			}
		}
		lists = next
	}
	return lists[:min(len(lists), 4)]
}

// idleFlags lists the flags of the receiver, or of the class, that no condition
// of the function reads and hardly anything else does: those first that share a
// word with a name.
func (s *scene) idleFlags(n code.Node, name string) []choice {
	fn, ok := enclosing(n)
	if !ok {
		return nil
	}
	own := s.functionAt(fn)
	if own == nil || own.class == "" {
		return nil
	}
	self := map[int]string{py: "self", js: "this", golang: receiverName(fn)}[s.d.lang]
	c := s.project.classes[classKey(own.path, own.class)]
	if c == nil || self == "" {
		return nil
	}
	var out []choice
	about, seen := wordsOf(name), map[string]bool{}
	for _, f := range append(slices.Clone(c.fields), s.project.read[self]...) {
		if wordCount(fn.Text(), f) == 0 && s.project.count[f] <= 4 && (s.d.lang != golang || s.project.fieldType(f) == "bool") && !seen[f] {
			seen[f] = true
			w := 0.4
			if slices.ContainsFunc(wordsOf(f), func(x string) bool { return len(x) > 2 && slices.Contains(about, x) }) {
				w = 2
			}
			out = append(out, choice{self + "." + f, w})
		}
	}
	return best(out, 3)
}

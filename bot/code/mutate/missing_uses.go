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

// elementsNeverSet fills a list of flags that is made and handed on but never
// written: under what can be asked of the values at hand.
func elementsNeverSet(s *scene, n code.Node) {
	name, value, ok := defines(n)
	fn, in := enclosing(n)
	if !ok || !in || !isStatement(n) {
		return
	}
	var yes string
	switch text := value.Text(); {
	case s.d.lang == golang && (strings.HasPrefix(text, "make([]bool") || strings.HasPrefix(text, "make(map[") && strings.Contains(text, "]bool")):
		yes = "true"
	case s.d.lang == py && strings.HasPrefix(text, "[False] *"):
		yes = "True"
	default:
		return
	}
	if strings.Contains(fn.Text(), name+"[") {
		return
	}
	for _, l := range flat(fn) {
		if !isLoop(l) || l.Start() < n.End() {
			continue
		}
		index := loopIndex(l)
		if index == "" {
			continue
		}
		b, _ := l.ChildByField("body")
		for _, x := range flat(l) {
			if x.Start() < b.Start() || !simple(x) || enclosed(x) != fn {
				continue
			}
			text := name + "[" + index + "] = " + yes
			for _, a := range s.questionsOf(x) {
				s.before(x, s.guard(a, text), 1, "Note in %s when %s.", one(name), one(a))
			}
		}
	}
}

func enclosed(n code.Node) code.Node {
	fn, _ := enclosing(n)
	return fn
}

// loopIndex is the name of the index that a loop counts.
func loopIndex(l code.Node) string {
	left := code.Node{}
	l.Walk(func(c code.Node) bool {
		if x, ok := c.ChildByField("left"); ok && left.Tree() == nil {
			left = x
		}
		return left.Tree() == nil
	})
	if left.Tree() == nil {
		return ""
	}
	name, _, _ := strings.Cut(left.Text(), ",")
	if strings.ContainsAny(name, " (._[") {
		return ""
	}
	return name
}

// questionsOf lists what can be asked of the fields, two deep, of what a
// statement reads.
func (s *scene) questionsOf(n code.Node) []string {
	var out []string
	ask := func(text, typ string) {
		switch {
		case typ == "bool":
			out = addOnce(out, text)
		case typ == "string":
			out = addOnce(out, text+` != ""`)
		case strings.HasPrefix(typ, "[]") || strings.HasPrefix(typ, "map["):
			out = addOnce(out, "len("+text+") > 0")
		}
	}
	for _, v := range s.facts.visible(n.Start()) {
		if v.kind == "module" || wordCount(n.Text(), v.name) == 0 {
			continue
		}
		ask(v.name, v.typ)
		for _, f := range s.typedFields(v) {
			ask(v.name+"."+f[0], f[1])
			inner := s.project.classes[classKey(s.file, strings.TrimPrefix(f[1], "*"))]
			if inner == nil {
				continue
			}
			for _, g := range inner.fields {
				ask(v.name+"."+f[0]+"."+g, inner.fieldTypes[g])
			}
		}
	}
	return out[:min(len(out), 16)]
}

// typedFields lists the fields of a variable with their types, by its own type or
// by what the project reads of variables of its name.
func (s *scene) typedFields(v variable) [][2]string {
	var out [][2]string
	if c := s.project.classes[classKey(s.file, strings.TrimPrefix(v.typ, "*"))]; c != nil && v.typ != "" {
		for _, f := range c.fields {
			out = append(out, [2]string{f, c.fieldTypes[f]})
		}
		return out
	}
	if c := s.project.classes[classKey(s.file, s.madeBy(v))]; c != nil {
		for _, f := range c.fields {
			out = append(out, [2]string{f, c.fieldTypes[f]})
		}
		return out
	}
	for _, m := range s.project.read[v.name] {
		out = append(out, [2]string{m, s.project.fieldType(m)})
	}
	return out
}

// madeBy is the type of a variable of Go that a function of the project gives as
// one of several results.
func (s *scene) madeBy(v variable) string {
	typ := ""
	s.t.Walk(func(c code.Node) bool {
		if c.Kind() != "short_var_declaration" || c.End() != v.from || typ != "" {
			return true
		}
		l, ok1 := c.ChildByField("left")
		r, ok2 := c.ChildByField("right")
		if !ok1 || !ok2 || len(r.NamedChildren()) != 1 {
			return true
		}
		fn, _, _, ok := call(r.NamedChildren()[0])
		if !ok || s.called(fn.Text()) == nil {
			return true
		}
		f := s.called(fn.Text())
		res, ok := f.node.ChildByField("result")
		if !ok || res.Kind() != "parameter_list" {
			return true
		}
		for i, x := range l.NamedChildren() {
			if kids := res.NamedChildren(); x.Text() == v.name && i < len(kids) {
				typ = strings.TrimPrefix(kids[i].Text(), "*")
			}
		}
		return true
	})
	return typ
}

// fieldType is the type of a field in the first class that has it.
func (p *Project) fieldType(name string) string {
	if keys := p.owners[name]; len(keys) > 0 {
		return p.classes[keys[0]].fieldTypes[name]
	}
	return ""
}

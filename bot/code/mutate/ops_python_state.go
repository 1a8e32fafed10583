package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// resetField sets a field back to what the constructor set it to, at the
// beginning or the end of a method: a cache that is out of date, a count that
// goes on.
func resetField(s *scene, n code.Node) {
	if !isStatement(n) {
		return
	}
	fn, ok := enclosing(n)
	if !ok || fn.Kind() != "function_definition" {
		return
	}
	owner, first := heads(n)
	first = first && isFunction(owner)
	last := s.lastInBlock(n) && ownerOf(n) == fn
	if !first && !last || nameOf(fn) == "__init__" {
		return
	}
	for _, f := range s.initial(fn) {
		_, field, _ := strings.Cut(f.name, ".")
		w := 0.6
		if wordCount(fn.Text(), field) > 0 {
			w = 1
		}
		if strings.Contains(fn.Text(), f.name+" = "+f.typ) {
			continue
		}
		if f.typ == "None" && strings.HasPrefix(field, "_") {
			w *= 2
		}
		if last && leaves(n) {
			s.before(n, f.name+" = "+f.typ, w*0.8, "Set %s back first.", one(f.name))
		} else if last {
			s.after(n, f.name+" = "+f.typ, w, "Set %s back at the end.", one(f.name))
		}
		if first {
			s.before(n, f.name+" = "+f.typ, w, "Set %s back first.", one(f.name))
		}
	}
}

// initial lists the fields that a class's constructor sets to an empty value:
// the name with self, the value as its type.
func (s *scene) initial(fn code.Node) []variable {
	class, ok := ownClass(fn)
	if !ok {
		return nil
	}
	var out []variable
	b, ok := class.ChildByField("body")
	if !ok {
		return nil
	}
	for _, m := range statements(b) {
		if m.Kind() != "function_definition" || nameOf(m) != "__init__" {
			continue
		}
		list, _ := body(m)
		for _, st := range list {
			l, r, ok := assigns(st)
			if ok && strings.HasPrefix(l.Text(), "self.") && words(`None [] {} set() 0 False True "" list() dict() 1 -1 0.0`, r.Text()) && len(out) < 8 {
				out = append(out, variable{name: l.Text(), typ: r.Text()})
			}
		}
	}
	return out
}

// resetLocal begins anew, inside a loop, with what was empty before the loop.
func resetLocal(s *scene, n code.Node) {
	if !isStatement(n) || leaves(n) || !simple(n) && n.Kind() != "if_statement" {
		return
	}
	loop, ok := inLoop(n)
	if !ok {
		return
	}
	for list, at := parentOf(loop).NamedChildren(), loop; ; {
		for _, st := range list {
			if st.Start() >= at.Start() {
				break
			}
			s.resetAfter(n, st)
		}
		outer, ok := inLoop(at)
		if !ok {
			return
		}
		list, at = parentOf(outer).NamedChildren(), outer
	}
}

// resetAfter does again what a statement before a loop did, after n.
func (s *scene) resetAfter(n, st code.Node) {
	l, r, ok := assigns(st)
	if !ok || l.Kind() != "identifier" || !words(`None [] {} set() 0 False True "" '' list() dict() 1 0.0`, r.Text()) {
		return
	}
	name := l.Text()
	if name == n.Text() || !usesName(n, name) || strings.HasPrefix(n.Text(), name+" = ") {
		return
	}
	w := 0.5
	if !strings.HasPrefix(n.Text(), name) && n.Kind() != "if_statement" {
		w = 2 // it hands the value on
	}
	owner, _ := heads(n)
	if isLoop(owner) {
		s.before(n, name+" = "+r.Text(), w, "Begin each round with %s.", one(name+" = "+r.Text()))
	}
	if _, alternative := n.ChildByField("alternative"); alternative {
		return
	}
	s.after(n, name+" = "+r.Text(), w, "Begin anew with %s.", one(name+" = "+r.Text()))
}

func usesName(n code.Node, name string) bool {
	found := false
	n.Walk(func(c code.Node) bool {
		found = found || c.Kind() == "identifier" && c.Text() == name
		return !found
	})
	return found
}

// cachedValue works a value out anew each time instead of keeping the first.
func cachedValue(s *scene, n code.Node) {
	if n.Kind() != "decorator" {
		return
	}
	text := strings.TrimPrefix(n.Text(), "@")
	name, _, _ := strings.Cut(text, "(")
	name = name[strings.LastIndexByte(name, '.')+1:]
	switch name {
	case "cached_property":
		s.put(n.Start(), n.End(), "@property", 1, "Work the property out anew each time.")
	case "lru_cache", "cache":
		p, ok := n.Parent()
		if !ok || p.Kind() != "decorated_definition" {
			return
		}
		d, ok := p.ChildByField("definition")
		if kids := p.NamedChildren(); ok && len(kids) == 2 {
			s.put(n.Start(), d.Start(), "", 1, "Work the result out anew each time.")
		}
	}
}

// ensureUndone undoes a step also when what lies between fails: with try and
// finally around it.
func ensureUndone(s *scene, n code.Node) {
	if !isStatement(n) || !simple(n) {
		return
	}
	list := parentOf(n).NamedChildren()
	at := -1
	for i, c := range list {
		if c == n {
			at = i
		}
	}
	in, alone := s.indent(n)
	for j := at + 2; at >= 0 && alone && j < len(list) && j < at+8; j++ {
		if !undoes(list[j], n) || !s.ownLines(list[j]) {
			continue
		}
		inside := string(s.src[list[at+1].Start():list[j-1].End()])
		if strings.Contains(inside, `"""`) {
			return
		}
		nl := s.eol + in
		text := "try:" + nl + s.unit + reindented(inside, in, in+s.unit) + nl + "finally:" + nl + s.unit + list[j].Text()
		s.put(list[at+1].Start(), list[j].End(), text, 1, "Do %s also when what comes before it fails.", one(list[j].Text()))
		return
	}
}

// undoes tells whether a statement takes another back.
func undoes(undo, do code.Node) bool {
	a, b := do.Text(), undo.Text()
	for _, pair := range [][2]string{
		{" += ", " -= "}, {" -= ", " += "}, {"= True", "= False"}, {"= False", "= True"}, {".append(", ".pop("}, {".add(", ".discard("}, {".add(", ".remove("},
		{".acquire(", ".release("}, {".start(", ".stop("}, {".open(", ".close("}, {".push(", ".pop("}, {".enter", ".exit"}, {".begin", ".end"}, {".connect(", ".disconnect("},
		{"lock(", "unlock("}, {".subscribe(", ".unsubscribe("}, {".register(", ".unregister("}, {".set(", ".clear("}, {".pause(", ".resume("},
	} {
		x, _, ok1 := strings.Cut(a, pair[0])
		y, _, ok2 := strings.Cut(b, pair[1])
		if ok1 && ok2 && x == y {
			return true
		}
	}
	l1, _, ok1 := assigns(do)
	l2, r2, ok2 := assigns(undo)
	return ok1 && ok2 && l1.Text() == l2.Text() && l1.Kind() != "identifier" && place(r2)
}

// fromFirst works the next value out from the first one instead of from the last
// one, whose error or cut would be handed on: the step is taken as often as the
// loop went round.
func fromFirst(s *scene, n code.Node) {
	l, r, ok := assigns(n)
	if !ok || l.Kind() != "identifier" {
		return
	}
	loop, ok := inLoop(n)
	if !ok {
		return
	}
	_, args, _, isCall := call(r)
	if !isCall || len(args) != 2 || args[0].Text() != l.Text() || !short(args[1]) {
		return
	}
	start, rounds := "", ""
	for _, st := range parentOf(loop).NamedChildren() {
		if a, b, ok := assigns(st); ok && st.Start() < loop.Start() && a.Text() == l.Text() && short(b) && (place(b) || b.Kind() == "call") {
			start = b.Text()
		}
	}
	list, _ := body(loop)
	for _, st := range list {
		kids := st.NamedChildren()
		if len(kids) != 1 {
			continue
		}
		if o, m, _, ok := methodCall(kids[0]); ok && m == "append" && st.Start() < n.Start() {
			rounds = "len(" + o.Text() + ")"
		}
		if a, ok := kids[0].ChildByField("left"); ok && kids[0].Kind() == "augmented_assignment" && strings.HasSuffix(kids[0].Text(), "+= 1") && st.Start() < n.Start() {
			rounds = a.Text()
		}
	}
	if start == "" || rounds == "" {
		return
	}
	step := rounds + " * " + tight(args[1])
	if args[1].Text() == "1" {
		step = rounds
	}
	s.put(args[0].Start(), args[1].End(), start+", "+step, 1, "Work %s out from the first one.", one(l.Text()))
}

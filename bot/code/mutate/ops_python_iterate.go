package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// materialise keeps in a list what is gone over more than once, since an
// iterator gives its values only once.
func materialise(s *scene, n code.Node) {
	if n.Kind() == "generator_expression" && n.Up() != "argument_list" {
		text := n.Text()
		switch n.Up() {
		case "return_statement", "assignment":
			s.put(n.Start(), n.End(), "["+text[1:len(text)-1]+"]", 1, "Make a list, which can be gone over again.")
		}
		return
	}
	if isReturned(n) && streams(n) {
		s.put(n.Start(), n.End(), "list("+n.Text()+")", 0.7, "Return a list, which can be gone over again.")
	}
	if !isStatement(n) {
		return
	}
	fn, ok := enclosing(n)
	if !ok {
		return
	}
	if owner, first := heads(n); first && isFunction(owner) {
		for _, v := range s.facts.visible(n.Start()) {
			if v.kind != "param" || v.owner != owner.Start() || v.typ != "" && !strings.Contains(v.typ, "Iter") && !strings.Contains(v.typ, "Generator") {
				continue
			}
			if w := s.iterated(owner, v.name, owner.Start()); w >= 2 {
				s.before(n, v.name+" = list("+v.name+")", w-1, "Keep the values of %s, which are gone over more than once.", one(v.name))
			}
		}
	}
	left, right, ok := assigns(n)
	if !ok || left.Kind() != "identifier" && left.Kind() != "attribute" || !short(right) {
		return
	}
	if right.Kind() != "call" {
		return
	}
	w := s.iterated(fn, left.Text(), n.End())
	if streams(right) {
		w++
	}
	if w >= 2 || left.Kind() == "attribute" && streams(right) {
		s.put(right.Start(), right.End(), "list("+right.Text()+")", max(w-1, 1), "Keep the values of %s in a list.", one(right.Text()))
	}
}

// streams tells a call that gives an iterator or a view.
func streams(n code.Node) bool {
	fn, args, _, ok := call(n)
	if !ok {
		return false
	}
	if _, m, is := member(fn); is {
		return len(args) == 0 && words("keys values items", m.Text())
	}
	return words("map filter zip reversed enumerate iter", fn.Text())
}

// iterated counts how often a function goes over a name after an offset, once
// more for a place inside a loop; 0 when it takes elements of it or its length, or
// makes another of it.
func (s *scene) iterated(fn code.Node, name string, from int) float64 {
	w := 0.0
	indexed := false
	fn.Walk(func(c code.Node) bool {
		if c.Kind() == "assignment" && c.Start() >= from {
			if l, ok := c.ChildByField("left"); ok && l.Text() == name {
				indexed = true // it becomes another
			}
		}
		if c.Start() < from && c.End() <= from || c.Kind() != "identifier" && c.Kind() != "attribute" || c.Text() != name {
			return !indexed
		}
		switch c.Up() {
		case "for_statement", "for_in_clause":
			if c.Field() == "right" {
				w++
			}
		case "argument_list":
			if f, _, _, ok := call(parentOf(parentOf(c))); ok && words("len isinstance list tuple", f.Text()) {
				indexed = indexed || f.Text() == "len"
				return false
			}
			w++
		case "subscript":
			indexed = indexed || c.Field() == "value"
		}
		return true
	})
	if indexed {
		return 0
	}
	return w
}

// iterateCopy goes over a copy of what the loop changes.
func iterateCopy(s *scene, n code.Node) {
	if n.Kind() != "for_statement" {
		return
	}
	r, ok1 := n.ChildByField("right")
	b, ok2 := n.ChildByField("body")
	if !ok1 || !ok2 || !short(r) {
		return
	}
	root := r.Text()
	if o, m, args, ok := methodCall(r); ok {
		if len(args) > 0 || !words("keys values items", m) {
			return
		}
		root = o.Text()
	} else if !place(r) {
		return
	}
	w := 0.0
	if resizes(b.Text(), root) {
		w = 2
	} else if strings.HasPrefix(root, "self.") {
		w = 0.7
	}
	s.put(r.Start(), r.End(), "list("+r.Text()+")", w, "Go over a copy of %s, which the loop may change.", one(root))
}

// resizes tells whether a text changes the size of a collection.
func resizes(text, root string) bool {
	for _, form := range []string{".remove(", ".pop(", ".discard(", ".add(", ".append(", ".insert(", ".clear(", ".popitem(", ".extend(", ".update("} {
		if strings.Contains(text, root+form) {
			return true
		}
	}
	return strings.Contains(text, "del "+root+"[") || strings.Contains(text, root+"[") && strings.Contains(text, "] = ")
}

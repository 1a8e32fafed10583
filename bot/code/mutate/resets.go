package mutate

import (
	"slices"
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
	if !first && !last || fn.TextOf("name") == "__init__" {
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

var emptyValues = strings.Fields(`None [] {} set() 0 False True "" list() dict() 1 -1 0.0`)

// initial lists the fields that a class's constructor sets to an empty value:
// the name with self, the value as its type.
func (s *scene) initial(fn code.Node) []variable {
	class, ok := fn.Ancestor("class_definition")
	if !ok {
		return nil
	}
	var out []variable
	methods, _ := body(class)
	for _, m := range methods {
		if m.Kind() != "function_definition" || m.TextOf("name") != "__init__" {
			continue
		}
		list, _ := body(m)
		for _, st := range list {
			l, r, ok := assigns(st)
			if ok && strings.HasPrefix(l.Text(), "self.") && slices.Contains(emptyValues, r.Text()) && len(out) < 8 {
				out = append(out, variable{name: l.Text(), typ: r.Text()})
			}
		}
	}
	return out
}

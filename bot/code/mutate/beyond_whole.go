package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// projectWhole asks a function, a method or a property of the project for a value
// where a bare field is read, when it makes its answer of that field:
// reading.value becomes base_of(reading), line.price becomes line.net().
func projectWhole(s *scene, n code.Node) {
	o, name, ok := member(n)
	if !ok || isCallee(n, parentOf(n)) || assigned(n) || !isValue(n) || len(o.Text()) > 40 || strings.ContainsAny(o.Text(), "()\n") {
		return
	}
	here, _ := n.Ancestor(functions...)
	attr := name.Text()
	var list []choice
	for _, c := range s.calls {
		if c.node == here || c.required != 1 || len(c.params) == 0 || c.open {
			continue
		}
		if strings.Contains(c.node.Text(), c.params[0]+"."+attr) {
			w := 1.0
			if akin(o.Text(), c.params[0]) {
				w = 2
			}
			list = append(list, choice{c.text + "(" + o.Text() + ")", w})
		}
	}
	for _, key := range s.project.owners[attr] {
		for _, f := range s.project.classes[key].methods {
			if f.node == here || f.required != 0 || f.open || f.name == attr || strings.HasPrefix(f.name, "__") || f.name == "constructor" || !readsOwn(f.node, attr) {
				continue
			}
			text := o.Text() + "." + f.name
			if !isProperty(f.node) {
				text += "()"
			}
			list = append(list, choice{text, 1})
		}
	}
	for _, c := range best(list, 6) {
		s.put(n.Start(), n.End(), c.text, c.weight, "Use %s, which is made of %s.", one(c.text), one(n.Text()))
	}
}

// readsOwn tells whether a method reads a field of its object.
func readsOwn(fn code.Node, field string) bool {
	found := false
	fn.Walk(func(c code.Node) bool {
		if _, m, ok := member(c); ok && m.Text() == field && !assigned(c) {
			found = true
		}
		return !found
	})
	return found
}

// isProperty tells a method that is read without a call.
func isProperty(fn code.Node) bool {
	if p, ok := fn.Parent(); ok && p.Kind() == "decorated_definition" {
		return strings.Contains(string(p.Tree().Src[p.Start():fn.Start()]), "property")
	}
	return strings.HasPrefix(fn.Text(), "get ")
}

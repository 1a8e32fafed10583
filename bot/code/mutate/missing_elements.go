package mutate

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// tupleValue adds a value to what is put into a list whose elements are taken
// apart elsewhere in the function.
func tupleValue(s *scene, n code.Node) {
	fn, args, _, ok := call(n)
	if !ok || len(args) != 1 {
		return
	}
	o, m, ok := member(fn)
	if !ok || m.Text() != "append" && m.Text() != "put" && m.Text() != "add" && m.Text() != "appendleft" || o.Kind() != "identifier" && o.Kind() != "attribute" {
		return
	}
	f, ok := enclosing(n)
	if !ok {
		return
	}
	want := takenApart(f, o.Text())
	arg := args[0]
	values := []code.Node{inner(arg)}
	if inner(arg).Kind() == "tuple" {
		values = inner(arg).NamedChildren()
	}
	if len(values) != want-1 {
		return
	}
	var texts []string
	for _, v := range values {
		texts = append(texts, v.Text())
	}
	pool := []choice{{"None", 1}, {"0", 0.5}, {`""`, 0.4}, {"True", 0.3}, {"False", 0.3}, {"[]", 0.3}}
	for _, v := range s.facts.visible(n.Start()) {
		if v.kind != "module" && len(pool) < 14 {
			pool = append(pool, choice{v.name, map[bool]float64{true: 2, false: 0.5}[v.uses <= 1]})
		}
	}
	for i := range want {
		for _, c := range pool {
			list := slices.Insert(slices.Clone(texts), i, c.text)
			s.put(arg.Start(), arg.End(), "("+strings.Join(list, ", ")+")", c.weight, "Add %s, as the elements of %s are taken apart into %d.", one(c.text), one(o.Text()), want)
		}
	}
}

// takenApart is into how many names a function takes the elements of a list; 0
// when it does not.
func takenApart(fn code.Node, list string) int {
	found := 0
	fn.Walk(func(c code.Node) bool {
		l, r, ok := c.Both("left", "right")
		if !ok || found > 0 || c.Kind() != "for_statement" && c.Kind() != "for_in_clause" {
			return true
		}
		switch kids := l.NamedChildren(); {
		case r.Text() == list && len(kids) > 1:
			found = len(kids)
		case r.Text() == "enumerate("+list+")" && len(kids) == 2 && len(kids[1].NamedChildren()) > 1:
			found = len(kids[1].NamedChildren())
		}
		return true
	})
	return found
}

package mutate

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// formatValue gives a % format the value that its placeholders lack.
func formatValue(s *scene, n code.Node) {
	left, op, right, ok := binary(n)
	if !ok || op.Text() != "%" || !isString(left) || strings.Contains(left.Text(), "%(") {
		return
	}
	want := strings.Count(left.Text(), "%") - 2*strings.Count(left.Text(), "%%")
	values := []code.Node{inner(right)}
	if right.Kind() == "tuple" {
		values = right.NamedChildren()
	}
	if len(values) != want-1 || strings.Contains(right.Text(), "*") {
		return
	}
	for i := range want {
		for _, c := range s.printable(n) {
			var texts []string
			for _, v := range values {
				texts = append(texts, v.Text())
			}
			texts = slices.Insert(texts, i, c.text)
			s.put(right.Start(), right.End(), "("+strings.Join(texts, ", ")+")", c.weight, "Format %s too: the text has %d places.", one(c.text), want)
		}
	}
}

// printable lists what a text of a function may tell.
func (s *scene) printable(n code.Node) []choice {
	var out []choice
	if _, ok := ownClass(n); ok {
		out = append(out, choice{"self.__class__.__name__", 1}, choice{"type(self).__name__", 0.5})
	}
	for _, v := range s.facts.visible(n.Start()) {
		if v.kind != "module" {
			w := 0.6
			if v.uses <= 1 {
				w = 2
			}
			out = append(out, choice{v.name, w})
		}
	}
	if c, ok := ownClass(n); ok {
		if id, has := c.ChildByField("name"); has {
			for _, f := range s.facts.fields["class "+id.Text()] {
				out = append(out, choice{"self." + f, 0.5})
			}
		}
	}
	return out[:min(len(out), 16)]
}

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
		l, ok1 := c.ChildByField("left")
		r, ok2 := c.ChildByField("right")
		if !ok1 || !ok2 || found > 0 || c.Kind() != "for_statement" && c.Kind() != "for_in_clause" {
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

// entryAdd adds to a literal with keys what a like literal of the project has.
func entryAdd(s *scene, n code.Node) {
	mine := entriesOf(n)
	if len(mine) == 0 || len(mine) > 16 {
		return
	}
	has := map[string]bool{}
	for _, e := range mine {
		has[e.key] = true
	}
	last := mine[len(mine)-1].node
	done := 0
	for _, e := range mine {
		for _, donor := range s.project.keyed[e.key] {
			if donor == n || donor.Tree().Lang != s.t.Lang {
				continue
			}
			alike, same := entriesOf(donor), 0
			for _, x := range alike {
				if has[x.key] {
					same++
				}
			}
			for _, x := range alike {
				if has[x.key] || done >= 16 || strings.Contains(x.value.Text(), "\n") || len(x.value.Text()) > 60 {
					continue
				}
				w := 0.3 + float64(same)/float64(len(alike)+len(mine)-same)
				if setTo(donor) == setTo(n) {
					w++
				}
				for _, text := range s.entryTexts(x, n.Start()) {
					done++
					s.addEntry(n, last, text, w)
				}
			}
		}
	}
}

// entryTexts writes an entry with values that are known at an offset.
func (s *scene) entryTexts(e entry, at int) []string {
	var out []string
	known := true
	e.value.Walk(func(c code.Node) bool {
		if c.Kind() == "identifier" || c.Kind() == "shorthand_property_identifier" {
			_, here := s.facts.lookup(c.Text(), at)
			known = known && (here || c.Text() == "self" || s.called(c.Text()) != nil)
		}
		return known
	})
	if known {
		out = append(out, e.node.Text())
	}
	name := unquoted(e.key)
	if _, ok := s.facts.lookup(name, at); ok && e.node != e.value {
		if text := e.key + ": " + name; text != e.node.Text() {
			out = append(out, text)
		}
	}
	return out
}

// addEntry writes an entry after the last one, on a line of its own where the
// others have theirs.
func (s *scene) addEntry(n, last code.Node, text string, w float64) {
	glue := ", "
	if in, ok := s.indent(last); ok && last.Line() > n.Line() {
		glue = "," + s.eol + in
		if s.d.lang == golang && last.EndLine() == n.EndLine() {
			glue = ", "
		}
	}
	s.put(last.End(), last.End(), glue+text, w, "Add the entry %s.", one(text))
}

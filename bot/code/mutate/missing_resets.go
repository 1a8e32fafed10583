package mutate

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// resetBeforeLoop sets a counter back to what it began with, before a second
// loop counts on, and at the start of each turn of an outer loop.
func resetBeforeLoop(s *scene, n code.Node) {
	if !isLoop(n) || !isStatement(n) {
		return
	}
	fn, ok := enclosing(n)
	if !ok {
		return
	}
	list := s.flat(fn)
	for _, d := range list {
		name, value, ok := begins(d)
		if !ok || d.Start() >= n.Start() || len(value.Text()) > 20 {
			continue
		}
		if !isConstant(value) && value.Kind() != "unary_expression" && value.Kind() != "unary_operator" {
			continue
		}
		text := name + " = " + value.Text()
		outer, in := inLoop(n)
		again := in && d.End() < outer.Start()
		switch {
		case steps(n, name) && (again || s.loopBetween(list, d, n, name)):
			s.before(n, text, 1, "Begin with %s again.", one(text))
		case again && wordCount(n.Text(), name) > 0 && steps(outer, name):
			s.before(n, text, 0.6, "Begin with %s again.", one(text))
		}
	}
}

// begins takes the first assignment of a name apart.
func begins(n code.Node) (name string, value code.Node, ok bool) {
	if name, value, ok = defines(n); ok {
		return name, value, true
	}
	if n.Kind() != "var_declaration" && n.Kind() != "assignment_statement" {
		return "", value, false
	}
	n.Walk(func(c code.Node) bool {
		l, ok1 := c.ChildByField("name")
		r, ok2 := c.ChildByField("value")
		if c.Kind() == "var_spec" && ok1 && ok2 && !ok && len(r.NamedChildren()) == 1 {
			name, value, ok = l.Text(), r.NamedChildren()[0], true
		}
		return true
	})
	return name, value, ok
}

// steps tells whether a loop changes a variable by what it was.
func steps(n code.Node, name string) bool {
	text := n.Text()
	for _, form := range []string{"++" + name, "--" + name, name + "++", name + "--", name + " += ", name + " -= ", name + " = " + name + " "} {
		if strings.Contains(text, form) {
			return true
		}
	}
	return false
}

// loopBetween tells whether another loop between two statements steps a variable
// that nothing sets afterwards.
func (s *scene) loopBetween(list []code.Node, from, to code.Node, name string) bool {
	found := false
	for _, x := range list {
		if x.Start() <= from.Start() || x.End() > to.Start() {
			continue
		}
		if isLoop(x) && steps(x, name) {
			found = true
		}
		if strings.HasPrefix(x.Text(), name+" = ") {
			found = false
		}
	}
	return found
}

// valueNeverSet gives a value to a variable that is declared without one and
// read, but never set.
func valueNeverSet(s *scene, n code.Node) {
	name, ok := s.bareDeclaration(n)
	fn, in := enclosing(n)
	if !ok || !in || setWithin(fn.Text()[n.End()-fn.Start():], name) {
		return
	}
	var first []code.Node // statements around the first use, the innermost first
	for _, x := range s.flat(fn) {
		if x.Start() >= n.End() && wordCount(x.Text(), name) > 0 {
			if len(first) > 0 && x.Start() > first[0].End() {
				break
			}
			first = append([]code.Node{x}, first...)
		}
	}
	for _, x := range first[:min(len(first), 3)] {
		for _, v := range s.valuesFor(name, x) {
			s.before(x, name+" = "+v.text, v.weight, "Set %s, which is read but never set.", one(name))
		}
	}
}

// bareDeclaration is the name that a statement declares without a value.
func (s *scene) bareDeclaration(n code.Node) (string, bool) {
	kids := n.NamedChildren()
	if len(kids) != 1 {
		return "", false
	}
	switch n.Kind() {
	case "lexical_declaration", "variable_declaration", "var_declaration":
	default:
		return "", false
	}
	id, ok := kids[0].ChildByField("name")
	_, has := kids[0].ChildByField("value")
	if !ok || has || id.Kind() != "identifier" {
		return "", false
	}
	return id.Text(), true
}

// setWithin tells whether a text sets a variable or hands out its address.
func setWithin(text, name string) bool {
	for _, form := range []string{name + " = ", name + " += ", name + "++", "++" + name, "&" + name, name + ", ", name + " ??= ", name + " ||= ", name + " of ", name + "."} {
		if i := strings.Index(text, form); i >= 0 && (i == 0 || !wordByte(text[i-1])) && !strings.HasPrefix(text[i:], name+" ==") {
			return true
		}
	}
	return false
}

// valuesFor lists what the file sets variables of a name to, with the names that
// stand close to the place.
func (s *scene) valuesFor(name string, at code.Node) []choice {
	var out []choice
	seen := map[string]bool{}
	add := func(text string, w float64) {
		if !seen[text] && len(text) < 80 && !strings.Contains(text, "\n") && len(out) < 16 {
			seen[text] = true
			out = append(out, choice{text, w})
		}
	}
	s.t.Walk(func(c code.Node) bool {
		l, ok := c.ChildByField("name")
		v, has := c.ChildByField("value")
		if !ok {
			l, ok = c.ChildByField("left")
			v, has = c.ChildByField("right")
		}
		if !ok || !has || l.Text() != name {
			return true
		}
		for _, part := range arms(v) {
			if isConstant(part) || part.Kind() == "expression_list" && len(part.NamedChildren()) != 1 {
				continue
			}
			if s.inScope(part, at.Start()) {
				add(part.Text(), 0.5)
				continue
			}
			for _, c := range s.refitted(part, at) {
				if wordCount(c.text, name) == 0 {
					add(c.text, c.weight)
				}
			}
		}
		return true
	})
	return out
}

// arms are the values that an expression may have: itself, or those of its two
// branches.
func arms(v code.Node) []code.Node {
	kids := v.NamedChildren()
	if len(kids) != 3 {
		return []code.Node{v}
	}
	switch v.Kind() {
	case "ternary_expression":
		return []code.Node{v, kids[1], kids[2]}
	case "conditional_expression":
		return []code.Node{v, kids[0], kids[2]}
	}
	return []code.Node{v}
}

// refitted replaces what a donor speaks of most by the variables that are read
// around a place: whose members are others, it is hardly one of those.
func (s *scene) refitted(donor, at code.Node) []choice {
	subject := ""
	donor.Walk(func(c code.Node) bool {
		_, _, isElement := element(c)
		if (c.Kind() == "identifier" || isElement) && c.Field() != "function" && subject == "" {
			if _, known := s.facts.lookup(rootName(c), c.Start()); known {
				subject = c.Text()
				return false
			}
		}
		return true
	})
	if subject == "" {
		return nil
	}
	fn, ok := enclosing(at)
	if !ok {
		return nil
	}
	around := string(s.src[max(fn.Start(), at.Start()-300):min(fn.End(), at.End())])
	var out []choice
	for _, v := range s.facts.visible(at.Start()) {
		if wordCount(around, v.name) == 0 || v.kind == "module" || v.owner != fn.Start() || v.typ == "bool" {
			continue
		}
		w := 1.0
		for _, m := range slices.Concat(s.facts.fields["."+v.name], s.facts.methods[v.name]) {
			if wordCount(donor.Text(), m) == 0 {
				w = 0.2
			}
		}
		out = append(out, choice{strings.ReplaceAll(donor.Text(), subject, v.name), w})
	}
	return best(out, 8)
}

package mutate

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// termsOf lists the terms that a condition joins with one operator.
func termsOf(n code.Node) (terms []code.Node, op string) {
	n = inner(n)
	left, o, right, ok := binary(n)
	if !ok || !isLogic(o.Text()) {
		return []code.Node{n}, ""
	}
	op = o.Text()
	if more, same := termsOf(left); same == op && left.Kind() != "parenthesized_expression" {
		return append(more, right), op
	}
	return []code.Node{left, right}, op
}

// termAnalogy adds the term that stands beside a like condition elsewhere, with
// the names that fit here: b > 0 || bDirty shows what cDirty lacks.
func termAnalogy(s *scene, n code.Node) {
	c, ok := condition(n)
	if !ok || c.Start() < s.start || len(c.Text()) > 80 {
		return
	}
	mine := tokensOf(c)
	for _, d := range s.facts.conditions {
		terms, op := termsOf(d)
		if op == "" || d == c || len(terms) > 3 {
			continue
		}
		for i, t := range terms {
			map2, alike := analogous(tokensOf(t), mine)
			if !alike {
				continue
			}
			for j, other := range terms {
				if j == i {
					continue
				}
				for _, text := range s.renderings(other, map2, c.Start()) {
					s.addTermBeside(c, op, text, j < i, 1)
				}
			}
		}
	}
}

// analogous compares two pieces leaf by leaf: they differ in at most two names,
// of which the map tells.
func analogous(a, b []code.Node) (map[string]string, bool) {
	if len(a) != len(b) || len(a) == 0 {
		return nil, false
	}
	as := map[string]string{}
	names := 0
	for i := range a {
		if a[i].Kind() != b[i].Kind() {
			return nil, false
		}
		if isName(a[i]) {
			names++
		}
		if a[i].Text() == b[i].Text() {
			continue
		}
		if !isName(a[i]) {
			return nil, false
		}
		as[a[i].Text()] = b[i].Text()
	}
	return as, len(as) <= 2 && names > 0 && (len(as) < names || len(a) > 1)
}

// renderings writes a donor with the names that it has here: as it is, by the
// map, and with one member replaced by another of the same object.
func (s *scene) renderings(donor code.Node, as map[string]string, at int) []string {
	var out []string
	add := func(text string) {
		if !slices.Contains(out, text) && len(out) < 6 {
			out = append(out, text)
		}
	}
	mapped := rewritten(donor, func(leaf code.Node) (string, bool) {
		to, ok := as[leaf.Text()]
		return to, ok && isName(leaf)
	})
	if mapped != donor.Text() {
		add(mapped)
	}
	if !s.inScope(donor, at) {
		return out
	}
	donor.Walk(func(c code.Node) bool {
		o, m, ok := member(c)
		if !ok {
			return true
		}
		pool := s.facts.fields["."+o.Text()]
		if isCallee(c, parentOf(c)) {
			pool = s.facts.methods[o.Text()]
		}
		for _, other := range pool {
			if other != m.Text() {
				add(rewritten(donor, func(leaf code.Node) (string, bool) { return other, leaf == m }))
			}
		}
		return true
	})
	add(donor.Text())
	return out
}

// addTermBeside joins a condition with another one.
func (s *scene) addTermBeside(c code.Node, op, term string, first bool, w float64) {
	if strings.Contains(c.Text(), term) {
		return
	}
	text := s.joined(c, op, false) + " " + op + " " + term
	if first {
		text = term + " " + op + " " + s.joined(c, op, true)
	}
	s.put(c.Start(), c.End(), text, w, "Ask for %s %s too.", op, one(term))
}

package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

func dropTerm(s *scene, n code.Node) {
	left, op, right, ok := binary(n)
	if !ok || !isLogic(op.Text()) && op.Text() != "??" {
		return
	}
	weight := func(dropped, kept code.Node) float64 {
		if testedBy(dropped, kept) {
			return 3 // it takes an empty value for a missing one
		}
		return 1
	}
	s.put(n.Start(), n.End(), left.Text(), weight(right, left), "Drop the condition %s.", one(right.Text()))
	s.put(n.Start(), n.End(), right.Text(), weight(left, right), "Drop the condition %s.", one(left.Text()))
}

// addTerm makes a condition stricter or looser by another one.
func addTerm(s *scene, n code.Node) {
	c, ok := condition(n)
	if !ok || c.Start() < s.start || c.Kind() == "named_expression" || c.Kind() == "assignment_expression" || c.Kind() == "sequence_expression" {
		return
	}
	text := c.Text()
	add := func(term string, w float64) {
		if term == text || wordCount(text, term) > 0 && len(term) > 3 {
			return
		}
		for _, op := range []string{s.d.and, s.d.or} {
			s.put(c.Start(), c.End(), s.joined(c, op)+" "+op+" "+term, w, "Ask for %s %s too.", op, one(term))
		}
		if strings.Contains(term, s.d.notNull) || !strings.Contains(term, " ") {
			s.put(c.Start(), c.End(), term+" "+s.d.and+" "+s.joined(c, s.d.and), w, "Ask for %s first.", one(term))
		}
	}
	for _, name := range s.dereferenced(c) {
		if s.d.lang == py {
			add(name, 0.7)
		}
		if s.d.lang != golang || s.nillable(name, c.Start()) {
			add(name+s.d.notNull, 1)
		}
	}
	done := 0
	for _, other := range s.facts.conditions {
		if other == c || done >= 14 || !s.inScope(other, c.Start()) {
			continue
		}
		if k := other.Kind(); k == "named_expression" || k == "assignment_expression" || k == "sequence_expression" || k == "lambda" || k == "conditional_expression" || k == "ternary_expression" {
			continue
		}
		done++
		if k := other.Kind(); k == "boolean_operator" || isLogicNode(other) {
			add("("+other.Text()+")", 0.3)
		} else {
			add(other.Text(), 0.8)
		}
	}
	s.addNames(c, add)
}

func isLogicNode(n code.Node) bool {
	_, op, _, ok := binary(n)
	return ok && isLogic(op.Text())
}

// addNames offers the truth of variables in scope as terms.
func (s *scene) addNames(c code.Node, add func(string, float64)) {
	done := 0
	for _, v := range s.facts.visible(c.Start()) {
		if v.kind == "module" || done >= 10 || s.d.lang == golang && v.typ != "bool" {
			continue
		}
		done++
		w := 0.3
		if v.typ == "bool" || v.uses <= 1 {
			w = 1
		}
		add(v.name, w)
		add(s.d.not+v.name, w)
	}
}

// joined is a condition in parentheses where the operator beside it needs
// them.
func (s *scene) joined(c code.Node, op string) string {
	switch c.Kind() {
	case "lambda", "conditional_expression", "ternary_expression", "arrow_function", "yield_expression":
		return "(" + c.Text() + ")"
	}
	if _, o, _, ok := binary(c); ok && (isLogic(o.Text()) && o.Text() != op || o.Text() == "??") {
		return "(" + c.Text() + ")"
	}
	return c.Text()
}

// inScope tells whether all variables of a piece of code are known at an
// offset.
func (s *scene) inScope(piece code.Node, at int) bool {
	ok := true
	piece.Walk(func(c code.Node) bool {
		if c.Kind() == "identifier" {
			_, there := s.facts.lookup(c.Text(), c.Start())
			_, here := s.facts.lookup(c.Text(), at)
			if there && !here {
				ok = false
			}
		}
		return ok
	})
	return ok
}

// forceable leaves out conditions that bind a name for what follows.
func forceable(c code.Node) bool {
	switch c.Kind() {
	case "named_expression", "assignment_expression", "sequence_expression", "true", "false":
		return false
	}
	return !strings.Contains(c.Text(), "\n") && len(c.Text()) < 200
}

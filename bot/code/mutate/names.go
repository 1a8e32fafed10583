package mutate

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// idle lists the parameters and local variables that can be read at an offset
// and that their function never reads: the code that did is missing.
func (s *scene) idle(at int) []variable {
	if s.idles == nil {
		s.idles = []variable{}
		for _, v := range s.facts.vars {
			if v.kind == "module" || v.owner < 0 || v.from >= s.end || v.to <= s.start || strings.HasPrefix(v.name, "_") || throwaway[v.name] {
				continue
			}
			if s.reads(v) == 0 {
				s.idles = append(s.idles, v)
			}
		}
	}
	var out []variable
	for _, v := range s.idles {
		if v.from <= at && at < v.to {
			out = append(out, v)
		}
	}
	return out
}

// throwaway are names that are often declared without a use.
var throwaway = map[string]bool{"e": true, "ex": true, "exc": true, "err": true, "error": true, "args": true, "kwargs": true, "unused": true, "ignored": true}

// reads counts how often a variable's function reads it, those left out that
// only give the variable itself a value.
func (s *scene) reads(v variable) int {
	if s.readings == nil {
		s.readings = map[int]map[string]int{}
	}
	counts, known := s.readings[v.owner]
	if !known {
		counts = map[string]int{}
		s.readings[v.owner] = counts
		if fn, ok := s.functionFrom(v.owner); ok {
			fn.Walk(func(n code.Node) bool {
				if name := n.Text; reading(n) && !setsItself(n) {
					counts[name()]++
				}
				return true
			})
		}
	}
	return counts[v.name]
}

// functionFrom is the function that begins at an offset.
func (s *scene) functionFrom(at int) (code.Node, bool) {
	var found code.Node
	s.t.Walk(func(n code.Node) bool {
		if n.End() <= at || n.Start() > at || found.Tree() != nil {
			return false
		}
		if n.Start() == at && isFunction(n) {
			found = n
		}
		return true
	})
	return found, found.Tree() != nil
}

// reading tells a name that is read, called or shortened.
func reading(n code.Node) bool {
	switch n.Kind() {
	case "shorthand_property_identifier":
		return true
	case "identifier":
		return isValue(n) || isCallee(n, parentOf(n)) || n.Field() == "constructor" || !assigned(n) && slices.Contains([]string{"list_splat", "dictionary_splat", "spread_element", "expression_list"}, n.Up())
	}
	return false
}

// setsItself tells a name that is read only to give a value to the same name:
// in x = x.strip(), or in the condition of an if that does nothing else.
func setsItself(n code.Node) bool {
	name := n.Text()
	for p, ok := n.Parent(); ok && !isFunction(p); p, ok = p.Parent() {
		if p.Kind() == "if_statement" {
			c, _ := p.ChildByField("condition")
			b, _ := p.ChildByField("consequence")
			_, more := p.ChildByField("alternative")
			if c.Tree() == nil || n.End() > c.End() || more || b.Tree() == nil {
				return false
			}
			list := statements(b)
			return len(list) == 1 && targetOf(list[0]) == name
		}
		if isStatement(p) {
			return targetOf(p) == name
		}
	}
	return false
}

// assignment takes an assignment of one value apart.
func assignment(n code.Node) (left, op, right code.Node, ok bool) {
	if n.Kind() == "expression_statement" {
		if n, ok = n.OnlyNamed(); !ok {
			return left, op, right, false
		}
	}
	switch n.Kind() {
	case "assignment", "assignment_expression", "augmented_assignment", "augmented_assignment_expression", "assignment_statement", "short_var_declaration":
	default:
		return left, op, right, false
	}
	if left, right, ok = n.Both("left", "right"); !ok {
		return left, op, right, false
	}
	left, right = onlyOf(left), onlyOf(right)
	for _, c := range n.Children() {
		if !c.Named() && strings.HasSuffix(c.Text(), "=") {
			op = c
		}
	}
	return left, op, right, op.Tree() != nil && left.Kind() != "expression_list" && right.Kind() != "expression_list"
}

// onlyOf is the single member of a list of expressions.
func onlyOf(n code.Node) code.Node {
	if only, ok := n.OnlyNamed(); ok && n.Kind() == "expression_list" {
		return only
	}
	return n
}

// targetOf is the name that a statement assigns to, "" for none.
func targetOf(n code.Node) string {
	if left, _, _, ok := assignment(n); ok {
		return left.Text()
	}
	return ""
}

package history

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// statements tells whether tokens hold a whole statement or more.
func statements(s *source, tokens []token) bool {
	if len(tokens) == 0 {
		return false
	}
	from, to := tokens[0].node.Start(), tokens[len(tokens)-1].node.End()
	n := tokens[0].node
	for {
		if n.Start() < from || n.End() > to+1 {
			return false
		}
		if k := n.Kind(); strings.HasSuffix(k, "_statement") || strings.HasSuffix(k, "_declaration") || strings.HasSuffix(k, "_clause") || k == "switch_case" || strings.HasSuffix(k, "_case") {
			return true
		}
		up, ok := n.Parent()
		if !ok {
			return false
		}
		n = up
	}
}

// span is the smallest node around some tokens, the root where there are none.
func span(s *source, tokens []token) code.Node {
	if len(tokens) == 0 {
		return s.tree.Root()
	}
	return s.tree.At(tokens[0].node.Start(), tokens[len(tokens)-1].node.End())
}

// inCondition tells whether a node is, or lies in, a condition, as far up as
// its statement.
func inCondition(n code.Node) bool {
	for {
		if n.Field() == "condition" {
			return true
		}
		up, ok := n.Parent()
		if !ok {
			return false
		}
		if up.Kind() == "conditional_expression" {
			kids := up.NamedChildren()
			return len(kids) > 1 && kids[1] == n
		}
		if k := n.Kind(); strings.HasSuffix(k, "_statement") || k == "block" || k == "statement_block" || slices.Contains(condition, k) {
			return false
		}
		n = up
	}
}

// inside tells whether a node is, or lies below, one of the kinds within its
// statement.
func inside(n code.Node, kinds ...string) bool {
	for {
		if slices.Contains(kinds, n.Kind()) {
			return true
		}
		up, ok := n.Parent()
		if !ok || strings.HasSuffix(n.Kind(), "_statement") || strings.HasSuffix(n.Kind(), "block") {
			return false
		}
		n = up
	}
}

func topLevel(n code.Node) bool {
	_, in := n.Ancestor("function_definition", "function_declaration", "method_declaration", "method_definition", "function_expression", "arrow_function", "func_literal", "function")
	return !in
}

// callee tells the name of a function that is called.
func callee(n code.Node) bool {
	for range 3 {
		if n.Field() == "function" {
			return true
		}
		up, ok := n.Parent()
		if !ok || n.Field() == "object" || n.Field() == "operand" {
			return false
		}
		n = up
	}
	return false
}

package mutate

import (
	"slices"

	"github.com/fettle-dev/fettle/bot/code"
)

// typeIs tells whether a variable's known type is one of the types.
func (s *scene) typeIs(n code.Node, types ...string) bool {
	if n.Kind() != "identifier" {
		return false
	}
	v, ok := s.facts.lookup(n.Text(), n.Start())
	return ok && slices.Contains(types, v.typ)
}

var boundaries = map[string]string{"<": "<=", "<=": "<", ">": ">=", ">=": ">"}

type choice struct {
	text   string
	weight float64
}

// orderable tells what may be compared by size.
func orderable(n code.Node) bool {
	switch n.Kind() {
	case "none", "null", "nil", "undefined", "true", "false", "string", "template_string", "interpreted_string_literal",
		"list", "tuple", "dictionary", "array", "object":
		return false
	}
	return true
}

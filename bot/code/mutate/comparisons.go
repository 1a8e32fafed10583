package mutate

import (
	"github.com/fettle-dev/fettle/bot/code"
)

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

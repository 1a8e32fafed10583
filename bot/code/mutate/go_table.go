package mutate

import (
	"github.com/fettle-dev/fettle/bot/code"
)

// golangOperators are those of Go alone.
func golangOperators() []operator {
	return []operator{
		{"error_check", "missing error check", 0.020, golang, errorCheck},
		{"found_check", "missing guard", 0.010, golang, foundCheck},
		{"defer_kind", "defer", 0.006, golang, deferKind},
		{"literal_field_init", "missing initialisation", 0.006, golang, literalFieldInit},
		{"inner_map", "missing initialisation", 0.008, golang, innerMap},
		{"slice_alias", "shared state", 0.008, golang, sliceAlias},
		{"slice_clamp", "missing guard", 0.008, golang, sliceClamp},
		{"conversion_order", "integer or float division", 0.010, golang, conversionOrder},
		{"round", "rounding", 0.008, golang, roundConversion},
		{"rune_or_byte", "bytes or characters", 0.012, golang, runeOrByte},
		{"split_kind", "wrong function", 0.008, golang, splitKind},
		{"time_unit", "wrong unit", 0.010, golang, timeUnit},
		{"error_is", "identity or equality", 0.008, golang, errorIs},
		{"range_element", "value or pointer", 0.010, golang, rangeElement},
		{"result_part", "wrong return value", 0.012, golang, resultPart},
		{"empty_slice", "wrong initial value", 0.006, golang, emptySlice},
		{"make_size", "wrong initial value", 0.006, golang, makeSize},
		{"shadowed_result", "shadowed variable", 0.006, golang, shadowedResult},
	}
}

// names of the left side of := or =.
func leftNames(n code.Node) []code.Node {
	if n.Kind() != "short_var_declaration" && n.Kind() != "assignment_statement" {
		return nil
	}
	l, ok := n.ChildByField("left")
	if !ok {
		return nil
	}
	return l.NamedChildren()
}

func nextStatement(n code.Node) code.Node {
	list := parentOf(n).NamedChildren()
	for i, c := range list {
		if c == n && i+1 < len(list) {
			return list[i+1]
		}
	}
	return code.Node{}
}

func textOf(n code.Node) string {
	if n.Tree() == nil {
		return ""
	}
	return n.Text()
}

func (s *scene) indentOf(n code.Node) string {
	in, _ := s.indent(n)
	return in
}

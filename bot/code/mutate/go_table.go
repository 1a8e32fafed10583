package mutate

import (
	"github.com/fettle-dev/fettle/bot/code"
)

// golangOperators are those of Go alone. Those that fit few places have a larger
// share than their commonness gives: where they fit, they are likely.
func golangOperators() []operator {
	return []operator{
		{"error_check", "missing error check", 0.018, golang, errorCheck},
		{"found_check", "missing guard", 0.010, golang, foundCheck},
		{"literal_field_init", "missing initialisation", 0.006, golang, literalFieldInit},
		{"inner_map", "missing initialisation", 0.008, golang, innerMap},
		{"slice_alias", "shared state", 0.008, golang, sliceAlias},
		{"slice_clamp", "missing guard", 0.008, golang, sliceClamp},
		{"rune_or_byte", "bytes or characters", 0.012, golang, runeOrByte},
		{"time_unit", "wrong unit", 0.010, golang, timeUnit},
		{"range_element", "value or pointer", 0.010, golang, rangeElement},
		{"result_part", "wrong return value", 0.012, golang, resultPart},
		{"shadowed_result", "shadowed variable", 0.006, golang, shadowedResult},
		{"exit_kind", "break or continue", 0.014, golang, exitKind},
		{"case_fall", "wrong case", 0.004, golang, caseFall},
		{"case_value", "missing case", 0.008, golang, caseValue},
		{"reset_in_loop", "state not reset", 0.008, golang, resetInLoop},
		{"begin_empty", "wrong initial value", 0.006, golang, beginEmpty},
		{"write_back", "value or pointer", 0.012, golang, writeBack},
		{"sort_missing", "wrong order", 0.008, golang, sortMissing},
		{"format_verb", "wrong pattern or format", 0.010, golang, formatVerb},
		{"time_layout", "wrong pattern or format", 0.006, golang, timeLayout},
		{"number_base", "wrong constant", 0.004, golang, numberBase},
		{"rune_constant", "wrong constant", 0.019, golang, runeConstant},
		{"comma_ok", "empty taken for missing", 0.010, golang, commaOK},
		{"literal_field", "missing element", 0.010, golang, literalField},
		{"clone_field", "shared state", 0.012, golang, cloneField},
		{"sentinel_error", "wrong return value", 0.008, golang, sentinelError},
		{"unlock_late", "missing lock", 0.008, golang, unlockLate},
		{"close_channel", "missing statement", 0.004, golang, closeChannel},
		{"balance", "missing statement", 0.012, golang, balance},
		{"keep_remainder", "wrong arithmetic operator", 0.010, golang, keepRemainder},
		{"count_first", "wrong order", 0.010, golang, countFirst},
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

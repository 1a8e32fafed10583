package mutate

import "slices"

// scriptOperators are those of JavaScript and TypeScript alone. Most of them fit
// few places and write few changes, so that their share goes a long way.
func scriptOperators() []operator {
	return slices.Concat(scriptValues(), scriptCalls(), scriptSteps(), []operator{
		{"regex_flag", "wrong pattern or format", 0.012, js, regexFlag},
		{"regex_shape", "wrong pattern or format", 0.008, js, regexShape},
		{"regex_escape", "wrong pattern or format", 0.010, js, regexEscape},
		{"regex_part", "wrong pattern or format", 0.008, js, regexPart},
		{"regex_flag_text", "wrong pattern or format", 0.012, js, regexFlagText},
		{"regex_state", "state not reset", 0.010, js, regexState},
		{"match_group", "wrong pattern or format", 0.008, js, matchGroup},
		{"date_zone", "wrong function", 0.008, js, dateZone},
		{"template_gap", "wrong pattern or format", 0.006, js, templateGap},
		{"template_part", "missing element", 0.008, js, templatePart},
	})
}

// scriptValues change what a value is: a default, a copy, a number.
func scriptValues() []operator {
	return []operator{
		{"regroup", "wrong order of operations", 0.017, js, regroup},
		{"default_pattern", "missing default", 0.00685, js, defaultPattern},
		{"member_constant", "wrong constant", 0.006, js, memberConstant},
		{"grouped_default", "missing guard", 0.006, js, groupedDefault},
		{"spread_order", "wrong order", 0.008, js, spreadOrder},
		{"spread_add", "missing element", 0.006, js, spreadAdd},
		{"typed_copy", "shared state", 0.014, js, typedCopy},
		{"nested_copy", "shared state", 0.010, js, nestedCopy},
		{"shorthand_value", "wrong variable", 0.012, js, shorthandValue},
		{"computed_key", "wrong field", 0.006, js, computedKey},
		{"arithmetic_term", "missing operand", 0.025, js, arithmeticTerm},
		{"remainder", "wrong arithmetic operator", 0.012, js, remainder},
		{"value_bound", "missing bound", 0.012, js, valueBound},
	}
}

// scriptCalls change how something is called.
func scriptCalls() []operator {
	return []operator{
		{"sibling_wrap", "missing call", 0.006, js, siblingWrap},
		{"recursive_call", "missing call", 0.004, js, recursiveCall},
		{"await_inside", "missing await", 0.006, js, awaitInside},
		{"index_found", "missing guard", 0.010, js, indexFound},
	}
}

// scriptSteps change statements.
func scriptSteps() []operator {
	return []operator{
		{"case_end", "missing return", 0.008, js, caseEnd},
		{"return_this", "missing return", 0.004, js, returnThis},
		{"index_step_back", "missing statement", 0.008, js, indexStepBack},
		{"rethrow", "error swallowed", 0.010, js, rethrow},
		{"throw_donor", "missing guard", 0.008, js, throwDonor},
		{"memo_store", "missing statement", 0.008, js, memoStore},
		{"super_call", "missing statement", 0.008, js, superCall},
	}
}

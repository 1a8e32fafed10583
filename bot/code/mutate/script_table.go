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
		{"comparator", "wrong order", 0.010, js, comparator},
		{"date_part", "off-by-one", 0.008, js, datePart},
		{"date_zone", "wrong function", 0.008, js, dateZone},
		{"date_unit", "wrong constant", 0.006, js, dateUnit},
		{"template_gap", "wrong pattern or format", 0.006, js, templateGap},
		{"template_part", "missing element", 0.008, js, templatePart},
		{"split_characters", "wrong function", 0.008, js, splitCharacters},
		{"join_text", "wrong constant", 0.006, js, joinText},
		{"slice_end", "off-by-one index", 0.008, js, sliceEnd},
		{"number_text", "missing call", 0.012, js, numberOfText},
	})
}

// scriptValues change what a value is: a default, a copy, a number.
func scriptValues() []operator {
	return []operator{
		{"nullish", "empty taken for missing", 0.022, js, nullish},
		{"presence", "empty taken for missing", 0.010, js, presence},
		{"truth_compare", "wrong comparison", 0.010, js, truthCompare},
		{"same_value", "identity or equality", 0.010, js, sameValue},
		{"regroup", "wrong order of operations", 0.017, js, regroup},
		{"default_pattern", "missing default", 0.00685, js, defaultPattern},
		{"member_constant", "wrong constant", 0.006, js, memberConstant},
		{"type_test", "condition too strict or too loose", 0.006, js, typeTest},
		{"logical_assignment", "wrong logical operator", 0.006, js, logicalAssignment},
		{"grouped_default", "missing guard", 0.006, js, groupedDefault},
		{"spread_order", "wrong order", 0.008, js, spreadOrder},
		{"spread_missing", "missing call", 0.012, js, spreadMissing},
		{"spread_add", "missing element", 0.006, js, spreadAdd},
		{"element_copy", "shared state", 0.008, js, elementCopy},
		{"typed_copy", "shared state", 0.014, js, typedCopy},
		{"nested_copy", "shared state", 0.010, js, nestedCopy},
		{"shorthand_value", "wrong variable", 0.012, js, shorthandValue},
		{"computed_key", "wrong field", 0.006, js, computedKey},
		{"arithmetic_term", "missing operand", 0.025, js, arithmeticTerm},
		{"remainder", "wrong arithmetic operator", 0.012, js, remainder},
		{"value_bound", "missing bound", 0.012, js, valueBound},
		{"bit_operator", "wrong arithmetic operator", 0.006, js, bitOperator},
		{"rest_element", "missing element", 0.004, js, restElement},
	}
}

// scriptCalls change how something is called.
func scriptCalls() []operator {
	return []operator{
		{"receiver_call", "missing call", 0.010, js, receiverCall},
		{"sibling_wrap", "missing call", 0.006, js, siblingWrap},
		{"recursive_call", "missing call", 0.004, js, recursiveCall},
		{"promise_all", "missing await", 0.008, js, promiseAll},
		{"await_return", "missing await", 0.020, js, awaitReturn},
		{"await_inside", "missing await", 0.006, js, awaitInside},
		{"async_loop", "missing await", 0.010, js, asyncLoop},
		{"promise_return", "missing return", 0.010, js, promiseReturn},
		{"bound_method", "late binding", 0.012, js, boundMethod},
		{"extra_arguments", "extra argument", 0.008, js, extraArguments},
		{"container_access", "wrong function", 0.012, js, containerAccess},
		{"truth_filter", "empty taken for missing", 0.010, js, truthFilter},
		{"reduce_seed", "wrong initial value", 0.008, js, reduceSeed},
		{"index_found", "missing guard", 0.010, js, indexFound},
	}
}

// scriptSteps change statements.
func scriptSteps() []operator {
	return []operator{
		{"collect", "assign or accumulate", 0.008, js, collect},
		{"case_end", "missing return", 0.008, js, caseEnd},
		{"return_this", "missing return", 0.004, js, returnThis},
		{"lost_result", "missing statement", 0.012, js, lostResult},
		{"index_step_back", "missing statement", 0.008, js, indexStepBack},
		{"rethrow", "error swallowed", 0.010, js, rethrow},
		{"throw_donor", "missing guard", 0.008, js, throwDonor},
		{"memo_store", "missing statement", 0.008, js, memoStore},
		{"timer_state", "state not reset", 0.006, js, timerState},
		{"super_call", "missing statement", 0.008, js, superCall},
		{"yield_all", "wrong iteration", 0.008, js, yieldAll},
		{"exit_step", "missing return", 0.008, js, exitStep},
	}
}

package mutate

import (
	"slices"

	"github.com/fettle-dev/fettle/bot/code"
)

// operator is one way to change a syntax tree.
type operator struct {
	name, class string
	share       float64 // of the one-place fixes; see table
	langs       int
	visit       func(*scene, code.Node)
}

// table is the one table of operators.
//
// A share says how likely an operator is against the others; Mutations shares
// one out among the operators of a language. Their order follows studies of
// one-place fixes: ManySStuBs4J (Karampatsis and Sutton, MSR 2020) names wrong
// identifiers, functions and numbers as the commonest of its templates, before
// operators and conditions; it leaves out added and moved statements, which
// "Dissection of a bug dataset" (Sobreira et al., SANER 2018) finds at the top
// of Defects4J's fixes, conditional blocks first. The figures were judgement at
// first: about a third held back for guards, conditions and statements, and the
// kinds raised that a failing unit test shows best (comparisons, boundaries,
// constants). Then they were fitted to the open half of the benchmark (bench/mend)
// by conditional logit, checked across projects, and held within 0.67 to 2.7 times
// what was judged: that benchmark leaves out what the classic operators take back.
func table() []operator {
	return slices.Concat(commonOperators(), pythonOperators(), braceOperators(), scriptOperators(), golangOperators(), ruleOperators())
}

// commonOperators are those of several languages, and Python's.
func commonOperators() []operator {
	return []operator{
		{"negate_condition", "negated condition", 0.020, all, negate},
		{"unary_minus", "wrong sign", 0.00447, all, unaryMinus},
		{"off_by_one", "off-by-one", 0.040, all, offByOne},
		{"integer_constant", "wrong constant", 0.035, all, integerConstant},
		{"float_constant", "wrong constant", 0.006, all, floatConstant},
		{"string_constant", "wrong constant", 0.017, all, stringConstant},
		{"initial_value", "wrong initial value", 0.00945, all, initialValue},
		{"variable", "wrong variable", 0.080, all, wrongVariable},
		{"field", "wrong field", 0.040, all, wrongField},
		{"field_or_variable", "wrong variable", 0.00882, all, fieldOrVariable},
		{"assignment_target", "wrong variable", 0.00636, all, assignmentTarget},
		{"method_pair", "wrong function", 0.023, all, methodPair},
		{"function_name", "wrong function", 0.030, all, functionName},
		{"argument_swap", "swapped arguments", 0.012, all, argumentSwap},
		{"argument_drop", "extra argument", 0.00536, all, argumentDrop},
		{"argument_add", "missing argument", 0.025, all, argumentAdd},
		{"index_bound", "off-by-one index", 0.013, all, indexBound},
		{"keep_extreme", "missing bound", 0.00827, all, keepExtreme},
		{"condition_term_drop", "condition too strict or too loose", 0.012, all, dropTerm},
		{"condition_term_add", "missing condition", 0.017, all, addTerm},
		{"guard_null", "missing guard", 0.020, all, guardNull},
		{"guard_donor", "missing guard", 0.015, all, guardDonor},
		{"guard_zero", "missing guard", 0.00883, all, guardZero},
		{"null_check", "empty taken for missing", 0.012, py | js, nullCheck},
		{"branch_order", "wrong order of branches", 0.00915, all, branchOrder},
		{"string_detail", "wrong pattern or format", 0.026, all, stringDetail},
		{"element_add", "missing element", 0.008, py | js, elementAdd},
		{"store_parameter", "missing statement", 0.008, py | js, storeParameter},
		{"loop_step", "missing statement", 0.006, all, loopStep},
		{"lock", "missing lock", 0.006, golang, lockAround},
		{"closure_binding", "late binding", 0.006, py | js, closureBinding},
		{"value_or_default", "missing guard", 0.013, py | js, valueOrDefault},
		{"key_default", "missing key", 0.012, py, keyDefault},
		{"optional_chain", "missing guard", 0.00941, js, optionalChain},
		{"return_value", "wrong return value", 0.022, all, returnValue},
		{"missing_return", "missing return", 0.015, all, missingReturn},
		{"statement_delete", "extra statement", 0.060, all, deleteStatement},
		{"statement_swap", "wrong order", 0.015, all, swapStatements},
		{"statement_move_loop", "statement in or out of a loop", 0.041, all, moveLoop},
		{"statement_donor", "missing statement", 0.010, all, donorStatement},
		{"loop_exit_missing", "break or continue", 0.006, all, loopExitMissing},
		{"call_wrap", "missing call", 0.019, all, callWrap},
		{"call_unwrap", "extra call", 0.0067, all, callUnwrap},
		{"call_parentheses", "missing call", 0.006, py | js, callParentheses},
		{"await", "missing await", 0.010, py | js, await},
		{"copy", "shared state", 0.00804, all, copyValue},
		{"mutable_default", "shared state", 0.010, py, mutableDefault},
		{"class_state", "shared state", 0.006, py, classState},
		{"exception_type", "wrong exception", 0.021, py, exceptionType},
		{"iteration_kind", "wrong iteration", 0.008, py | js, iterationKind},
		{"string_prefix", "missing interpolation", 0.004, py | js, stringPrefix},
		{"declare_or_assign", "shadowed variable", 0.010, golang, declareOrAssign},
		{"pointer_receiver", "value or pointer", 0.010, golang, pointerReceiver},
		{"range_copy", "value or pointer", 0.006, golang, rangeCopy},
		{"nil_map", "missing initialisation", 0.008, golang, nilMap},
		{"error_result", "wrong return value", 0.026, golang, errorResult},
		{"guard_result", "missing guard", 0.015, all, guardResult},
		{"comprehension_filter", "missing guard", 0.006, py, comprehensionFilter},
		{"tie_break", "wrong order", 0.008, all, tieBreak},
		{"sort_key", "wrong order", 0.010, all, sortKey},
		{"literal_variable", "wrong variable", 0.00829, all, literalVariable},
		{"symmetric_wrap", "missing call", 0.00867, all, symmetricWrap},
		{"container_case", "missing case", 0.008, py, containerCase},
		{"handle_exception", "missing guard", 0.00541, py, handleException},
		{"expression_donor", "wrong variable", 0.00805, py | js, expressionDonor},
	}
}

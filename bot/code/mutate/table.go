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
//
// An operator of Go code is here because it made the true fix of somebody's bug:
// "mend reach" (bench/mend) asks all of them, without running a test, for the fixes
// of one place in the histories of sixty projects and for bugs that were planted by
// hand, and "mend run" for the open half of the benchmark. What had no credit in any
// of them is gone, or a rule in rules/ where a pattern can say it; four stay for faults
// that everybody knows: value_or_default, optional_chain, mutable_default, error_result.
func table() []operator {
	return slices.Concat([]operator{
		{"negate_condition", "negated condition", 0.020, all, negate},
		{"off_by_one", "off-by-one", 0.040, all, offByOne},
		{"integer_constant", "wrong constant", 0.035, all, integerConstant},
		{"string_constant", "wrong constant", 0.017, all, stringConstant},
		{"variable", "wrong variable", 0.080, all, wrongVariable},
		{"field", "wrong field", 0.040, all, wrongField},
		{"assignment_target", "wrong variable", 0.00636, all, assignmentTarget},
		{"method_pair", "wrong function", 0.023, all, methodPair},
		{"function_name", "wrong function", 0.030, all, functionName},
		{"argument_swap", "swapped arguments", 0.012, all, argumentSwap},
		{"argument_drop", "extra argument", 0.00536, all, argumentDrop},
		{"argument_add", "missing argument", 0.025, all, argumentAdd},
		{"index_bound", "off-by-one index", 0.013, all, indexBound},
		{"condition_term_drop", "condition too strict or too loose", 0.012, all, dropTerm},
		{"condition_term_add", "missing condition", 0.017, all, addTerm},
		{"guard_null", "missing guard", 0.020, all, guardNull},
		{"guard_donor", "missing guard", 0.015, all, guardDonor},
		{"null_check", "empty taken for missing", 0.012, py | js, nullCheck},
		{"value_or_default", "missing guard", 0.013, py | js, valueOrDefault},
		{"key_default", "missing key", 0.012, py, keyDefault},
		{"optional_chain", "missing guard", 0.00941, js, optionalChain},
		{"return_value", "wrong return value", 0.022, all, returnValue},
		{"statement_delete", "extra statement", 0.060, all, deleteStatement},
		{"statement_move_loop", "statement in or out of a loop", 0.041, all, moveLoop},
		{"statement_donor", "missing statement", 0.010, all, donorStatement},
		{"loop_exit_missing", "break or continue", 0.006, all, loopExitMissing},
		{"call_wrap", "missing call", 0.019, all, callWrap},
		{"call_unwrap", "extra call", 0.0067, all, callUnwrap},
		{"mutable_default", "shared state", 0.010, py, mutableDefault},
		{"exception_type", "wrong exception", 0.021, py, exceptionType},
		{"error_result", "wrong return value", 0.026, golang, errorResult},
		{"guard_result", "missing guard", 0.015, all, guardResult},
		{"literal_variable", "wrong variable", 0.00829, all, literalVariable},
		{"handle_exception", "missing guard", 0.00541, py, handleException},
		{"format_spec", "wrong pattern or format", 0.008, py, formatSpec},
		{"reset_field", "state not reset", 0.012, py, resetField},
		{"clean_value", "missing call", 0.00696, py, cleanValue},
		{"into_branch", "statement in or out of a branch", 0.007, py, intoBranch},
		{"normalise_name", "missing call", 0.00486, js | golang, normaliseName},
	}, ruleOperators())
}

// beyondOperators are the repairs that a function alone does not tell: what stands in
// other files of the project, or in a function that does alike; most code that is
// missing stands already somewhere (the plastic surgery hypothesis, Barr et al., FSE
// 2014). The mutation score does not plant them. The operators with the strongest
// evidence come first, since the first that makes a change is the one that makes it.
func beyondOperators() []operator {
	return []operator{
		{"aligned_part", "copy and paste", 0.160, all, alignedPart},
		{"unused_name", "unused name", 0.136, all, unusedName},
		{"self_assignment", "missing call", 0.109, all, selfAssignment},
		{"count_on", "missing operand", 0.024, all, countOn},
		{"pattern_atom", "wrong pattern or format", 0.054, all, patternAtom},
		{"whole_slice", "off-by-one index", 0.082, all, wholeSlice},
		{"argument_constant", "missing argument", 0.022, py | js, argumentConstant},
		{"text_edge", "wrong constant", 0.023, all, textEdge},
		{"term_opposite", "missing condition", 0.030, all, termOpposite},
		{"term_pair", "missing condition", 0.078, all, termPair},
		{"term_affix", "missing condition", 0.010, all, termAffix},
		{"term_sibling", "missing condition", 0.024, all, termSibling},
		{"default_analogy", "missing default", 0.082, all, defaultAnalogy},
		{"tuple_value", "missing element", 0.080, py, tupleValue},
		{"project_wrap", "missing call", 0.023, all, projectWrap},
		{"sibling_statement", "missing statement", 0.026, all, siblingStatement},
		{"both_operands", "missing call", 0.00976, all, bothOperands},
	}
}

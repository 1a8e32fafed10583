package mend

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/task"
)

// strategy lets a failure's kind speak for operators (SPEC C8): a value that
// is missing asks for a guard, an index out of range for a bound.
type strategy struct {
	says      *lazyregexp.Regexp // of the exception's class and message
	operators string             // names, separated by blanks
}

// strategyGain is how much likelier the operators become. It is a judgement:
// enough to bring a guard before renamed variables, not enough to bring an
// unlikely place before a likely one.
const strategyGain = 8

// escapedGain is how much likelier it is that just the exception is to be caught
// that ended a failing test: the operator names some dozen.
const escapedGain = 40

var strategies = []strategy{
	{lazyregexp.New(`(?i)NoneType|of undefined|of null|undefined or null|null or undefined|nil pointer|nil map|is not iterable|is undefined`),
		"guard_result guard_null guard_donor skip_none value_or_default optional_chain null_check nil_map"},
	{lazyregexp.New(`(?i)IndexError|out of range|RangeError|out of bounds|StopIteration`),
		"index_bound off_by_one comparison_boundary divisor_zero clamp guard_donor"},
	{lazyregexp.New(`missing \d+ required|positional arguments? but|unexpected keyword argument`), "argument_add argument_drop argument_swap function_name method_pair"},
	{lazyregexp.New(`KeyError`), "key_default guard_donor string_constant"},
	{lazyregexp.New(`(?i)ZeroDivision|divide by zero|division by zero|\bNaN\b|\bInfinity\b`), "divisor_zero guard_donor comparison_boundary"},
	{lazyregexp.New(`(?i)a coroutine was expected|never awaited|object Promise|Promise \{`), "await_missing"},
	{lazyregexp.New(`not supported between|incomparable|unorderable`), "mixed_key sort_form tie_key call_wrap element_swap value_or_default"},
	{lazyregexp.New(`(?:generator|map|filter|zip|reversed|dict_\w+)'? object|has no len\(\)`), "generator_list call_wrap yield_from result_dropped"},
	{lazyregexp.New(`unsupported operand|can only concatenate|must be str|expected str`), "call_wrap rounding value_or_default call_unwrap key_default"},
	{lazyregexp.New(`values to unpack`), "method_form method_pair element_swap"},
	{lazyregexp.New(`invalid literal|could not convert`), "clean_value handle_exception exception_type method_form call_wrap condition_term_add"},
	{lazyregexp.New(`not in list|not in deque|substring not found`), "method_pair method_form divisor_zero condition_term_add"},
	{lazyregexp.New(`nothing to repeat|bad escape|unterminated|unbalanced paren|multiple repeat`), "pattern_escape"},
	{lazyregexp.New(`DID NOT RAISE|not raised|Missing expected exception`), "guard_donor exception_type comparison_boundary comparison_operator negate_condition condition_term_add condition_term_drop"},
	{lazyregexp.New(`UnboundLocalError|before assignment|not associated with a value`), "statement_move_loop first_extreme statement_order begin_again"},
	{lazyregexp.New(`offset-naive|offset-aware`), "time_part method_pair"},
	{lazyregexp.New(`unhashable type`), "call_wrap first_extreme"},
	{lazyregexp.New(`(?i)maximum recursion|call stack|stack overflow`), "comparison_boundary divisor_zero off_by_one guard_donor note_seen"},
}

// spoken lets the issue's words speak for operators, more softly than a failure.
var spoken = []strategy{
	{lazyregexp.New(`(?i)\b(cop(y|ies)|shared?|leak(s|ed)?|independent|mutat\w*|alias\w*|(modif|chang)(y|ies|ied|es|ed) (the|my|our|its|what)|afterwards|before it|second (time|call)|twice|later calls?|come back|again|still (there|contains|has|holds)|previous(ly)?|earlier|between calls|carr(y|ied) over|as soon as|from then on|before that|ever since|begins? to)\b`),
		"deep_copy copy_inner mutable_default class_state truncate statement_donor first_extreme statement_move_loop loop_variable_bound reset_field begin_again stale_property note_seen generator_list"},
	{lazyregexp.New(`(?i)\b(sort(s|ed|ing)?|order(s|ed|ing)?|rank(s|ed|ing)?|first|ahead|tie[sd]?|alphabetical\w*|newest|oldest|descending|ascending)\b`),
		"equal_before_next tie_key sort_form number_text sort_direction comparison_operator argument_swap operand_swap element_swap"},
	{lazyregexp.New(`(?i)\b(upper|lower|capital\w*|case|whitespace|blanks?|spaces?|trailing|leading)\b`),
		"call_wrap both_sides method_pair method_form clean_value normalise_name sort_form"},
	{lazyregexp.New(`(?i)\b(last|one (more|less|too)|off by one|boundary|exactly|inclusive|exclusive|limit|at least|at most|inclu[ds]\w*)\b`),
		"comparison_boundary off_by_one index_bound clamp slice_form"},
	{lazyregexp.New(`(?i)\b(empty|missing|without|none|nothing|absent|deleted|removed|unknown|no longer)\b`),
		"guard_null guard_result guard_donor divisor_zero value_or_default key_default null_check optional_chain skip_none"},
	{lazyregexp.New(`(?i)\b(ignor\w+|always|never|only|even (if|when|though)|regardless|should not|must not|unless)\b`),
		"condition_term_add condition_term_drop negate_condition remove_not guard_donor argument_add"},
	{lazyregexp.New(`(?i)\b(round\w*|cents?|decimals?|fraction\w*|truncat\w*|percent\w*)\b`),
		"division_kind call_wrap arithmetic_operator method_pair rounding format_spec"},
	{lazyregexp.New(`(?i)\b(options?|flags?|settings?|arguments?|parameters?|no effect|takes? no notice)\b`),
		"keyword_forward argument_add field_unset"},
	{lazyregexp.New(`(?i)\b(stale|old|outdated|out of date|cach\w+|refresh\w*|restart\w*|until|updat\w+)\b`),
		"reset_field stale_property statement_donor"},
	{lazyregexp.New(`(?i)\b(patterns?|regex\w*|escap\w+|special characters?|dots?|parenthes\w+|brackets?|quot\w+|wildcards?|match\w*)\b`),
		"pattern_escape pattern_flag pattern_alternatives"},
	{lazyregexp.New(`(?i)\b(stuck|after an? (error|exception|failure)|fail(s|ed|ure)|releas\w+|locked|busy|crash\w*|exceptions?)\b`),
		"undo_finally except_order exception_type handle_exception"},
	{lazyregexp.New(`(?i)\b(nested|deep\w*|inner|inside|levels?|depth|recurs\w+|sub\w+)\b`),
		"deep_copy copy_inner yield_from repeat"},
	{lazyregexp.New(`(?i)\b(duplicates?|repeated\w*|more than once|overwr\w+|lost|loses?|replaced|disappear\w*|only the (first|last))\b`),
		"note_seen key_store method_form element_swap begin_again loop_exit accumulate"},
	{lazyregexp.New(`(?i)\b(pad\w*|align\w*|widths?|columns?|zeros?|format\w*|digits?)\b`), "format_spec method_pair"},
	{lazyregexp.New(`(?i)\b(hours?|minutes?|days?|weeks?|weekdays?|mondays?|sundays?|time ?zones?|utc|midnight)\b`), "time_part method_pair integer_constant"},
	{lazyregexp.New(`(?i)\b(prefix\w*|suffix\w*|begins?|starts? with|ends? with|similar|same (name|beginning|start))\b`), "method_form method_pair"},
	{lazyregexp.New(`(?i)\b(both|together|combin\w+|either|neither|precedence)\b`), "logic_group logical_operator condition_term_drop condition_term_add"},
}

// spokenGain is how much likelier words of the issue make an operator.
const spokenGain = 2.5

// voices are all that speaks for a change: the kind of the failure, the words of
// the issue, the values that the assertions name.
type voices struct {
	failure, issue, value map[string]bool // operators
	escaped               []string        // exceptions that ended failing tests
	heard                 told
}

func (s *search) listen() voices {
	heard := s.target.hear()
	v := voices{failure: s.spokenFor(), issue: s.saidInIssue(), value: heard.shownBy(), heard: heard}
	for _, t := range s.target.red {
		if t.Failure != nil && t.Failure.Kind != task.FailAssertion && t.Failure.Exception != "" {
			v.escaped = append(v.escaped, t.Failure.Exception)
		}
	}
	return v
}

// gain is how much likelier a change is for what speaks for it.
func (v voices) gain(operator, before, after string) float64 {
	g := 1.0
	if v.failure[operator] {
		g *= strategyGain
	} else if v.issue[operator] {
		g *= spokenGain
	}
	if v.value[operator] {
		g *= differenceGain
	}
	if v.heard.suits(before, after) {
		g *= toldGain
	}
	if operator == "exception_type" && slices.ContainsFunc(v.escaped, func(e string) bool { return wholeWord(after, e) > wholeWord(before, e) }) {
		g *= escapedGain
	}
	return g
}

// saidInIssue are the operators that the issue's words speak for.
func (s *search) saidInIssue() map[string]bool {
	out := map[string]bool{}
	hear(spoken, s.req.Task.Title+" "+s.req.Task.Body, out)
	return out
}

// hear adds the operators that a text speaks for.
func hear(list []strategy, text string, out map[string]bool) {
	for _, st := range list {
		if st.says.MatchString(text) {
			for op := range strings.FieldsSeq(st.operators) {
				out[op] = true
			}
		}
	}
}

// spokenFor are the operators that the failures of the target speak for.
func (s *search) spokenFor() map[string]bool {
	out := map[string]bool{}
	for _, t := range s.target.red {
		if t.Failure != nil {
			hear(strategies, t.Failure.Exception+" "+t.Failure.Message, out)
		}
	}
	return out
}

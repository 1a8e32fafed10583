package mend

import (
	"regexp"
	"strings"
)

// strategy lets a failure's kind speak for operators (SPEC C8): a value that
// is missing asks for a guard, an index out of range for a bound.
type strategy struct {
	says      *regexp.Regexp // of the exception's class and message
	operators string         // names, separated by blanks
}

// strategyGain is how much likelier the operators become. It is a judgement:
// enough to bring a guard before renamed variables, not enough to bring an
// unlikely place before a likely one.
const strategyGain = 8

var strategies = []strategy{
	{regexp.MustCompile(`(?i)NoneType|of undefined|of null|undefined or null|null or undefined|nil pointer|nil map|is not iterable|is undefined`),
		"guard_result guard_null guard_donor comprehension_filter value_or_default optional_chain null_check nil_map missing_return"},
	{regexp.MustCompile(`(?i)IndexError|out of range|RangeError|out of bounds|StopIteration`),
		"index_bound off_by_one comparison_boundary guard_zero clamp guard_donor"},
	{regexp.MustCompile(`missing \d+ required|positional arguments? but|unexpected keyword argument`), "argument_add argument_drop argument_swap function_name method_pair"},
	{regexp.MustCompile(`KeyError`), "key_default guard_donor string_constant"},
	{regexp.MustCompile(`(?i)ZeroDivision|divide by zero|division by zero|\bNaN\b|\bInfinity\b`), "guard_zero guard_donor comparison_boundary"},
	{regexp.MustCompile(`(?i)a coroutine was expected|never awaited|object Promise|Promise \{`), "await"},
	{regexp.MustCompile(`(?i)maximum recursion|call stack|stack overflow`), "missing_return comparison_boundary guard_zero off_by_one"},
}

// spoken lets the issue's words speak for operators, more softly than a failure.
var spoken = []strategy{
	{regexp.MustCompile(`(?i)\b(cop(y|ies)|shared?|leak(s|ed)?|independent|mutat\w*|alias\w*|(modif|chang)(y|ies|ied|es|ed) (the|my|our|its|what)|afterwards|before it|second (time|call)|twice|later calls?|come back|again|still (there|contains|has|holds)|previous(ly)?|earlier|between calls|carr(y|ied) over)\b`),
		"copy mutable_default class_state truncate statement_donor initial_value statement_move_loop closure_binding element_add"},
	{regexp.MustCompile(`(?i)\b(sort(s|ed|ing)?|order(s|ed|ing)?|rank(s|ed|ing)?|first|ahead|tie[sd]?|alphabetical\w*|newest|oldest|descending|ascending)\b`),
		"tie_break sort_key sort_direction comparison_operator argument_swap operand_swap unary_minus"},
	{regexp.MustCompile(`(?i)\b(upper|lower|capital\w*|case|whitespace|blanks?|spaces?|trailing|leading)\b`),
		"call_wrap symmetric_wrap method_pair string_detail"},
	{regexp.MustCompile(`(?i)\b(last|one (more|less|too)|off by one|boundary|exactly|inclusive|exclusive|limit|at least|at most|inclu[ds]\w*)\b`),
		"comparison_boundary off_by_one index_bound clamp"},
	{regexp.MustCompile(`(?i)\b(empty|missing|without|none|nothing|absent|deleted|removed|unknown|no longer)\b`),
		"guard_null guard_result guard_donor guard_zero value_or_default key_default null_check optional_chain comprehension_filter"},
	{regexp.MustCompile(`(?i)\b(ignor\w+|always|never|only|even (if|when|though)|regardless|should not|must not|unless)\b`),
		"condition_term_add condition_term_drop negate_condition remove_not guard_donor argument_add"},
	{regexp.MustCompile(`(?i)\b(round\w*|cents?|decimals?|fraction\w*|truncat\w*|percent\w*)\b`),
		"division_kind call_wrap arithmetic_operator method_pair float_constant string_detail"},
}

// spokenGain is how much likelier words of the issue make an operator.
const spokenGain = 2.5

// saidInIssue are the operators that the issue's words speak for.
func (s *search) saidInIssue() map[string]bool {
	out := map[string]bool{}
	for _, st := range spoken {
		if st.says.MatchString(s.req.Task.Title + " " + s.req.Task.Body) {
			for _, op := range strings.Fields(st.operators) {
				out[op] = true
			}
		}
	}
	return out
}

// spokenFor are the operators that the failures of the target speak for.
func (s *search) spokenFor() map[string]bool {
	out := map[string]bool{}
	for _, t := range s.target.red {
		if t.Failure == nil {
			continue
		}
		for _, st := range strategies {
			if !st.says.MatchString(t.Failure.Exception + " " + t.Failure.Message) {
				continue
			}
			for _, op := range strings.Fields(st.operators) {
				out[op] = true
			}
		}
	}
	return out
}

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
		"guard_null guard_donor value_or_default optional_chain null_check nil_map missing_return"},
	{regexp.MustCompile(`(?i)IndexError|out of range|RangeError|out of bounds|StopIteration`),
		"index_bound off_by_one comparison_boundary guard_zero clamp guard_donor"},
	{regexp.MustCompile(`KeyError`), "key_default guard_donor string_constant"},
	{regexp.MustCompile(`(?i)ZeroDivision|divide by zero|division by zero|\bNaN\b|\bInfinity\b`), "guard_zero guard_donor comparison_boundary"},
	{regexp.MustCompile(`(?i)a coroutine was expected|never awaited|object Promise|Promise \{`), "await"},
	{regexp.MustCompile(`(?i)maximum recursion|call stack|stack overflow`), "missing_return comparison_boundary guard_zero off_by_one"},
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

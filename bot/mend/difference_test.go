package mend

import (
	"testing"

	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
)

func TestR1TheKindOfAWrongValueSpeaksForOperators(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"assert 3 == 4":                                    "off_by_one",
		"AssertionError: assert -2 == 2":                   "operand_swap",
		"assert True == False":                             "negate_condition",
		"AssertionError: assert None == 5":                 "return_value",
		"assert 'ann' == 'Ann'":                            "clean_value",
		"assert 'a b' == 'ab'":                             "method_form",
		"assert ['a', 'c', 'b'] == ['a', 'b', 'c']":        "sort_form",
		"assert [] == ['a', 'b']":                          "generator_list",
		"assert [1, 2] == [1, 2, 3]":                       "comparison_boundary",
		"assert [1, 2, 3] == [1, 2]":                       "loop_exit_missing",
		"assert Decimal('2.34') == Decimal('2.35')":        "rounding",
		"assert 60 == 3600":                                "time_part",
		"assert <generator object f at 0x7f> == [1]":       "generator_list",
		"AssertionError: Lists differ: [2, 1] != [1, 2]":   "tie_key",
		"assert [1] == [2]\n  At index 0 diff: 'a' != 'A'": "clean_value",
		"total = 4, want 5":                                "off_by_one",
	} {
		heard := target{red: []verify.TestResult{{Failure: &task.Failure{Message: message}}}}.hear()
		if got := heard.shownBy(); !got[want] {
			t.Errorf("%q: %v speaks for %v, not for %s", message, heard, got, want)
		}
	}
	heard := target{red: []verify.TestResult{{Failure: &task.Failure{Message: "assert 'kg' == 'oz'"}}}}.hear()
	if got := heard.shownBy(); len(got) != 0 {
		t.Errorf("another text speaks for %v", got)
	}
}

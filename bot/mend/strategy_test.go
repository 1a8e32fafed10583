package mend

import (
	"testing"

	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
)

func TestC8AFailuresKindSpeaksForOperators(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"TypeError: Cannot read properties of undefined (reading 'x')": "value_or_default",
		"TypeError: Cannot convert undefined or null to object":        "value_or_default",
		"AttributeError: 'NoneType' object has no attribute 'a'":       "guard_null",
		"panic: runtime error: index out of range [3] with length 3":   "index_bound",
		"panic: runtime error: slice bounds out of range [4:2]":        "clamp",
		"KeyError: 'name'": "key_default",
	} {
		s := &search{target: target{red: []verify.TestResult{{Failure: &task.Failure{Message: text}}}}}
		if got := s.spokenFor(); !got[want] {
			t.Errorf("%q speaks for %v, not for %s", text, got, want)
		}
	}
	s := &search{target: target{red: []verify.TestResult{{Failure: &task.Failure{Message: "assert 1 == 2"}}, {}}}}
	if got := s.spokenFor(); len(got) != 0 {
		t.Errorf("a wrong value speaks for %v", got)
	}
}

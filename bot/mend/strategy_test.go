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

func TestR2ArithmeticThatNobodyWritesIsNoRival(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"x = (page + -1) * size": true, "n = pages(a) - 0": true, "y = a - -1": true,
		"x = (page - 1) * size": false, "if a - 0.5 > b:": false, "for i in range(-1, 0):": false, "x = f(a, -1)": false, "s = a[-1]": false,
	} {
		if got := unnatural.MatchString(line); got != want {
			t.Errorf("%q: unnatural %v, want %v", line, got, want)
		}
	}
}

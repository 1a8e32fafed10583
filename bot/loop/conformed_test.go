package loop

import (
	"slices"
	"testing"

	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
)

// A test of a second reading that passed and does not with the change speaks against it,
// whether it fails, is gone, is weak, or fails where no model may look; weak ones never
// speak for the change.
func TestC10WhatASecondReadingsTestsDidIsToldApart(t *testing.T) {
	t.Parallel()
	run := func(tests ...string) (rep verify.Report) { // a name and p, or f, or s for a secret failure
		for _, s := range tests {
			r := verify.TestResult{ID: "pytest:.:tests/test_a.py::" + s[:len(s)-2], Status: verify.StatusPassed}
			switch s[len(s)-1] {
			case 'f':
				r.Status, r.Failure = verify.StatusFailed, &task.Failure{Kind: task.FailAssertion, Exception: "AssertionError", Message: "1 != 2"}
			case 's':
				r.Status, r.Failure = verify.StatusFailed, &task.Failure{File: "secret.py", Message: "token"}
			}
			rep.Tests = append(rep.Tests, r)
		}
		return rep
	}
	for name, c := range map[string]struct {
		was, is               verify.Report
		mended, broken, unmet []string
		ran                   bool
	}{
		"for":        {run("a f", "b p"), run("a p", "b p"), []string{"a"}, nil, nil, true},
		"against":    {run("a f", "b p"), run("a p", "b f"), []string{"a"}, []string{"b (assertion: 1 != 2)"}, nil, true},
		"gone":       {run("a f", "b p"), run("a p"), []string{"a"}, []string{"b (is not seen any more)"}, nil, true},
		"secret":     {run("b p"), run("b s"), nil, []string{"b (fails)"}, nil, true},
		"neither":    {run("a f", "b p"), run("a f", "b p"), nil, nil, []string{"a"}, true},
		"gone twice": {run("a f"), run(), nil, nil, []string{"a"}, true},
		"weak":       {run("weak f", "weak[1] f"), run("weak p", "weak[1] p"), nil, nil, nil, false},
		"weak one":   {run("a f", "weak p"), run("a p", "weak f"), []string{"a"}, []string{"weak (assertion: 1 != 2)"}, nil, true},
		"nothing":    {run(), run(), nil, nil, nil, false},
	} {
		got := compared(c.was, c.is, map[string]bool{"weak": true}, func(f task.Failure) bool { return f.File == "secret.py" })
		if !slices.Equal(got.Mended, c.mended) || !slices.Equal(got.Broken, c.broken) || !slices.Equal(got.Unmet, c.unmet) || got.Ran != c.ran {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

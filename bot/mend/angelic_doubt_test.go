package mend

import (
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/code/mutate"
	"github.com/fettle-dev/fettle/bot/verify"
)

func TestR2WhatIsMadeUpHasToBeHeldUpByTestsToBeReady(t *testing.T) {
	t.Parallel()
	red := func(old, v string) siteRecord {
		return siteRecord{Red: true, Old: old, Table: []string{v}, Values: []int{0}}
	}
	green := func(old, v string) siteRecord { return siteRecord{Old: old, Table: []string{v}, Values: []int{0}} }
	for name, tc := range map[string]struct {
		tests   int
		records []siteRecord
		doubt   string // "" for none
	}{
		"two values of two tests, and a passing one agrees": {2, []siteRecord{red("1", "2"), red("1", "3"), green("4", "4")}, ""},
		"one failing test":                  {1, []siteRecord{red("1", "2"), red("1", "3"), green("4", "4")}, "one failing test"},
		"two tests want the same value":     {2, []siteRecord{red("1", "2"), red("3", "2"), green("4", "4")}, "one value"},
		"the other value is there already":  {2, []siteRecord{red("1", "2"), red("3", "3"), green("4", "4")}, "one value"},
		"no passing test comes by":          {2, []siteRecord{red("1", "2"), red("1", "3")}, "no passing test"},
		"a passing one gets something else": {2, []siteRecord{red("1", "2"), red("1", "3"), green("4", "5"), green("4", "4")}, "1 of 2 passing"},
	} {
		for op := range synthesised {
			w := wishesOf([]madeExpr{{"b", "b", 1}}, tc.records)[0]
			c := changed("a.py", "x = a\n", "a", "b")
			c.mutation.Operator = op
			c.granted = &grant{wish: w, expr: w.Exprs[0], tests: tc.tests}
			got := strings.Join(c.byMaking(), "; ")
			if (got != "") != (tc.doubt != "") || !strings.Contains(got, tc.doubt) {
				t.Errorf("%s, %s: doubts %q, want %q", op, name, got, tc.doubt)
			}
		}
	}
	c := changed("a.py", "x = a\n", "a", "b")
	c.mutation.Operator = Synthesis
	if len(c.byMaking()) == 0 {
		t.Error("what nothing is known of is not doubted")
	}
}

func TestR2AUsualMistakeGoesBeforeWhatIsMadeUp(t *testing.T) {
	t.Parallel()
	s := &search{mender: New(Config{})}
	plain := changed("a.py", "x = a\n", "a", "b")
	plain.score, plain.mutation.Operator = 0.02, "variable"
	for op := range synthesised {
		up := changed("a.py", "x = a\n", "a", "c")
		up.score, up.mutation.Operator = 0.03, op
		if a, b := s.merit(plain), s.merit(up); a <= b {
			t.Errorf("%s: merit %g, and %g of a usual mistake", op, b, a)
		}
	}
}

func TestR2ACandidateKnowsWhatItWasMadeFor(t *testing.T) {
	t.Parallel()
	at := changed("a.py", "x = a\n", "a", "a")
	at.site, at.score = &mutate.Site{Kind: mutate.SiteValue, Text: "a"}, siteShare
	w := wish{Want: "2", Was: "1", Wanted: 2, Greens: 1, Exprs: []wishExpr{{Text: "b", Cost: 1}, {Text: "c", Cost: 2, Broken: 1}}}
	for tests, doubted := range map[int][]bool{2: {false, true}, 1: {true, true}} {
		s := &search{target: target{red: make([]verify.TestResult, tests)}}
		for k, want := range doubted {
			c := s.fulfil(at, w, k, 1)
			if got := len(c.byMaking()) > 0; got != want || c.mutation.Operator != Synthesis {
				t.Errorf("%s of %d tests: doubted %v", c.mutation.Replacement, tests, got)
			}
		}
	}
}

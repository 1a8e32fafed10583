package mend

import (
	"math"
	"testing"
	"testing/fstest"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
)

func TestR2RivalsOfSimilarMeritMakeADraft(t *testing.T) {
	t.Parallel()
	src := "def f(x):\n    return x > 7\n"
	make := func(old, new string, score float64) candidate {
		c := changed("a.py", src, old, new)
		c.score, c.region = score, code.Region{ID: "function:f", EndByte: len(src)}
		return c
	}
	for _, tc := range []struct {
		name  string
		rival float64
		want  bool
	}{{"close", 0.5, true}, {"far", 0.1, false}} {
		s := &search{mender: New(Config{}), plausible: []candidate{make("> 7", ">= 7", 1), make("7", "6", tc.rival)}}
		f, err := s.choose(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if f.Ambiguous != tc.want || len(f.Alternatives) != 1 {
			t.Errorf("%s: ambiguous %v, alternatives %v", tc.name, f.Ambiguous, f.Alternatives)
		}
	}
	s := &search{mender: New(Config{}), plausible: []candidate{make("return x > 7", "0", 1)}}
	if f, err := s.choose(t.Context()); err != nil || len(f.Doubts) == 0 {
		t.Error("a deletion is offered as ready")
	}
}

func TestR2ALoopTurnedRoundIsADraft(t *testing.T) {
	t.Parallel()
	src := "def drop(cells):\n    while cells:\n        cells.pop()\n"
	c := changed("a.py", src, "cells:", "not cells:")
	c.mutation.Operator, c.score, c.region = "negate_condition", 1, code.Region{ID: "function:drop", EndByte: len(src)}
	s := &search{mender: New(Config{}), plausible: []candidate{c}}
	if f, err := s.choose(t.Context()); err != nil || len(f.Doubts) == 0 {
		t.Errorf("ready, %v", err)
	}
}

func TestR2WhatPassesAfterVeryManyIsADraft(t *testing.T) {
	t.Parallel()
	src := "def f(x):\n    return x > 7\n"
	c := changed("a.py", src, ">", ">=")
	c.score, c.region = 1, code.Region{ID: "function:f", StartLine: 1, EndLine: 2, EndByte: len(src)}
	for tried, doubts := range map[int]int{40: 0, lateTurn: 0, lateTurn + 1: 1} {
		s := &search{mender: New(Config{}), tried: tried, suspects: []Suspect{{Path: "a.py", Line: 2, Failing: 1, Passing: 3}}}
		if err := s.regress(t.Context(), []candidate{c}); err != nil {
			t.Fatal(err)
		}
		if f, err := s.choose(t.Context()); err != nil || len(f.Doubts) != doubts {
			t.Errorf("after %d: %q, %v", tried, f.Doubts, err)
		}
	}
}

func TestR2AnUnseenChangeThatOnlyTheFailingTestHoldsUpIsADraft(t *testing.T) {
	t.Parallel()
	src := "function f(x) {\n  return x > 7\n}\n"
	c := changed("a.js", src, "7", "8")
	c.score, c.region = 1, code.Region{ID: "function:f", StartLine: 1, EndLine: 3, EndByte: len(src)}
	for _, tc := range []struct {
		operator string
		passing  int // tests that run the function and pass
		doubts   int
	}{{"comparison_boundary", 3, 0}, {"integer_constant", 3, 1}, {"comparison_boundary", 0, 1}, {"integer_constant", 0, 2}} {
		c.mutation.Operator = tc.operator
		s := &search{mender: New(Config{}), plausible: []candidate{c}, suspects: []Suspect{{Path: "a.js", Line: 2, Failing: 1, Passing: tc.passing}}}
		if f, err := s.choose(t.Context()); err != nil || len(f.Doubts) != tc.doubts {
			t.Errorf("%s with %d passing tests: %q, %v", tc.operator, tc.passing, f.Doubts, err)
		}
	}
}

func TestR1AnExceptionThatEscapesSpeaksForCatchingIt(t *testing.T) {
	t.Parallel()
	red := func(kind task.FailureKind) *search {
		return &search{target: target{red: []verify.TestResult{{Failure: &task.Failure{Kind: kind, Exception: "OverflowError"}}}}}
	}
	before, caught, other := "(TypeError, ValueError)", "(TypeError, ValueError, OverflowError)", "(TypeError, ValueError, KeyError)"
	escaped, asserted := red(task.FailException).listen(), red(task.FailAssertion).listen()
	if a, b := escaped.gain("exception_type", before, caught), escaped.gain("exception_type", before, other); a != escapedGain*b {
		t.Errorf("catching it gains %g, catching another %g", a, b)
	}
	if a, b := escaped.gain("exception_type", caught, before), escaped.gain("variable", before, caught); a != 1 || b != 1 {
		t.Errorf("no longer catching it gains %g, naming it %g", a, b)
	}
	if g := asserted.gain("exception_type", before, caught); g != 1 {
		t.Errorf("what a test found out itself gains %g", g)
	}
}

// Suspicion decides more of when a change is tried than of what is believed of it.
func TestR1TheMoreSuspiciousLineIsTriedFirst(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"a.py": {Data: []byte("def f(a, b):\n    c = a + b\n    d = a + b\n    return c, d\n")}}
	s := &search{mender: New(Config{}), req: Request{Base: files, Files: []string{"a.py"}}, sources: newSources(files), bench: &counting{}}
	s.target.suite.Kind = "python"
	const share = 0.25
	cs, err := s.candidates(t.Context(), []Suspect{{Path: "a.py", Line: 2, Score: 1}, {Path: "a.py", Line: 3, Score: share}})
	if err != nil {
		t.Fatal(err)
	}
	of := map[int]candidate{}
	for _, c := range cs {
		if c.mutation.Operator == "arithmetic_operator" && of[c.mutation.Line].mutation.Operator == "" {
			of[c.mutation.Line] = c
		}
	}
	first, second := of[2], of[3]
	if first.score == 0 || second.score == 0 {
		t.Fatalf("no change of a line among %d", len(cs))
	}
	believed, tried := second.score/first.score, second.rank/first.rank
	if want := believed * math.Pow(share, urge); math.Abs(tried/want-1) > 1e-9 {
		t.Errorf("believed %g, and ranked %g against the first, want %g", believed, tried, want)
	}
}

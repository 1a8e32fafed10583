package mend

import (
	"testing"

	"github.com/fettle-dev/fettle/bot/code"
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
	c := changed("a.js", src, "7", "9")
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

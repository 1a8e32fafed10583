package mend

import (
	"testing"
	"testing/fstest"

	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
)

func TestR4WhatWorkedHereIsTriedEarlier(t *testing.T) {
	t.Parallel()
	base := fstest.MapFS{"a.py": {Data: []byte("def f(a, b):\n    if a < b:\n        return a + 1\n    return b\n")}}
	first := func(past ...task.Mended) map[string]float64 {
		req := Request{Base: base, Files: []string{"a.py"}, Task: task.Task{Title: "x", Mending: task.Mending{Past: past}}}
		s := &search{mender: New(Config{}), req: req, target: target{suite: verify.Suite{Kind: "python"}}, sources: newSources(base)}
		cs, err := s.candidates(t.Context(), []Suspect{{Path: "a.py", Line: 2, Score: 1}, {Path: "a.py", Line: 3, Score: 1}})
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]float64{}
		for _, c := range cs {
			out[c.mutation.Operator] = max(out[c.mutation.Operator], c.rank)
		}
		return out
	}
	const op = "comparison_boundary"
	usual := first()[op]
	if got := first(task.Mended{Template: op, Path: "a.py", Accepted: true}, task.Mended{Template: op, Path: "b.py", Accepted: true})[op]; got <= usual {
		t.Errorf("what was accepted twice has the rank %.3f instead of %.3f", got, usual)
	}
	if got := first(task.Mended{Template: op, Path: "b.py"}, task.Mended{Template: op, Path: "b.py"})[op]; got >= usual {
		t.Errorf("what was refused twice has the rank %.3f instead of %.3f", got, usual)
	}
}

func TestR4ExperienceIsBoundedAndSaid(t *testing.T) {
	t.Parallel()
	var past []task.Mended
	for range 50 {
		past = append(past, task.Mended{Template: "variable", Path: "a.py", Accepted: true}, task.Mended{Template: "await", Path: "b.py"})
	}
	e := newExperience(append(past, task.Mended{Template: "variable", Path: "c.py"}))
	if e.weight("variable", "a.py") != mostLearnt || e.weight("await", "b.py") != leastLearn || e.weight("copy", "d.py") != 1 {
		t.Errorf("weights %.2f, %.2f, %.2f", e.weight("variable", "a.py"), e.weight("await", "b.py"), e.weight("copy", "d.py"))
	}
	if got := e.words("variable"); got != "the template worked in this repository before: 50 of 51" || e.words("copy") != "" {
		t.Errorf("said %q, %q", got, e.words("copy"))
	}
}

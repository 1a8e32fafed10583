package loop

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/testgen/example"
)

// counted is a stage whose models are counted by role. The developer's answers are given
// in their order, the last again and again.
func counted(t *testing.T, develops []string, tiers ...task.Tier) (*stage, map[string]int) {
	t.Helper()
	asked := map[string]int{}
	s := newStage(t, func(c scripted.Call, _ int) scripted.Answer {
		as := role(c)
		asked[as]++
		switch as {
		case "planner":
			return plans(0)
		case "critic":
			return text(approved)
		case "reviewer":
			return scripted.Answer{Text: `{"verdict": "ACCEPT", "reason": "good"}`}
		}
		return says(develops[min(asked[as], len(develops))-1])
	}, tiers...)
	s.withRoles()
	s.cfg.Tester = nil
	return s, asked
}

// reproduced lets a test of its own show the issue, which runs so many files of which so
// many are shown.
func (s *stage) reproduced(runs, shows int) *stage {
	s.world.question, s.world.places, s.world.shows = true, runs, shows
	fails := verify.TestResult{ID: "pytest:.:t_new.py::test_turns", Status: verify.StatusFailed, File: "t_new.py"}
	fails.Failure = &task.Failure{Test: fails.ID, Kind: task.FailAssertion, Exception: "AssertionError", Message: "interleave is wrong", File: "t_new.py", Line: 3}
	s.world.made = &example.Found{Path: "t_new.py", Content: "def test_turns(): ...\n", Report: verify.Report{Tests: []verify.TestResult{fails}}}
	return s
}

// Several suspicious files alone are no reason for a plan where one test was made for
// the issue, however much of what it runs is shown; with a search before it or without.
func TestL2WhereOneTestShowsTheIssueTheDeveloperIsAskedFirst(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		runs, shows int
		body        string
		plans       int
	}{
		"most is shown":          {7, 5, "It should take turns.", 0},
		"little is shown":        {7, 2, "It should take turns.", 0},
		"several things, listed": {7, 7, "- interleave should take turns\n- weave must keep what is left\n", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, asked := counted(t, []string{"right"}, task.Tier1, task.Tier2)
			s.reproduced(c.runs, c.shows).in.Task.Body = c.body
			res, err := s.run(t.Context())
			if err != nil || res.Outcome != task.Success {
				t.Fatalf("%v: %s (%s)", err, res.Outcome, res.Reason)
			}
			if asked["planner"] != c.plans || asked["developer"] != 1 || asked["reviewer"] != 1 {
				t.Errorf("asked %v: %s", asked, s.kinds())
			}
		})
	}
}

// Where several tests of the repository itself fail, nothing says that they are of one
// thought.
func TestL2ThePlannerIsAskedFirstWhereTheRepositorysOwnTestsFailInManyPlaces(t *testing.T) {
	t.Parallel()
	s, asked := counted(t, []string{"right"}, task.Tier1)
	s.world.places, s.world.shows = 4, 4
	if res, err := s.run(t.Context()); err != nil || res.Outcome != task.Success || asked["planner"] != 1 {
		t.Fatalf("%s %v, asked %v", res.Outcome, err, asked)
	}
}

// A tier that came no further without a plan is followed by one, once, and the ladder
// begins anew with it. A run that is taken up again decides the same.
func TestL2APlanIsAskedForWhereTheDeveloperFailedWithoutOne(t *testing.T) {
	t.Parallel()
	s, asked := counted(t, []string{"wrong", "half of it", "nearly", "right"}, task.Tier1, task.Tier2)
	res, err := s.reproduced(4, 4).run(t.Context())
	if err != nil || res.Outcome != task.Success {
		t.Fatalf("%v: %s (%s)", err, res.Outcome, res.Reason)
	}
	var came []string
	for _, a := range res.Attempts {
		came = append(came, fmt.Sprintf("%d %s", a.Plan, a.Tier))
	}
	if asked["planner"] != 1 || came[len(came)-1] != "2 tier1" || !strings.Contains(s.kinds(), "plan.skipped") {
		t.Errorf("asked %v, attempts %q: %s", asked, came, s.kinds())
	}
	if got := s.replays(); !got.Ended {
		t.Errorf("the record does not replay: %+v", got)
	}
}

// What the search has objections to can be a draft at best: the developer is asked for
// more, and nobody reviews what it replaces.
func TestC10WhatTheSearchDoubtsIsNotReviewedWhereAModelMendsIt(t *testing.T) {
	t.Parallel()
	for name, doubts := range map[string][]string{"a doubt": {"its condition was found by trying"}, "a rival": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, asked := counted(t, []string{"right, by a model"}, task.Tier1)
			s.world.mends, s.world.doubts = "right", doubts
			res, err := s.run(t.Context())
			if err != nil || res.Outcome != task.Success || res.Draft || res.Tier != task.Tier1 {
				t.Fatalf("%v: %s (%s) at %s, draft %v %q", err, res.Outcome, res.Reason, res.Tier, res.Draft, res.DraftReasons)
			}
			if asked["developer"] != 1 || asked["reviewer"] != 1 || asked["planner"] != 0 {
				t.Errorf("asked %v: %s", asked, s.kinds())
			}
			if a := res.Attempts[0]; !a.Green || a.Cost != 0 || !strings.Contains(a.Why, "kept") {
				t.Errorf("the first attempt: %+v", a)
			}
			if got := s.replays(); !got.Ended {
				t.Errorf("the record does not replay: %+v", got)
			}
		})
	}
}

// Where no tier brings better, the kept change is reviewed, and is a draft at best; where
// the money is gone, that nobody reviewed it is an open point.
func TestC10WhatTheSearchDoubtsIsADraftWhereNoModelBringsBetter(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		verdict string
		budget  task.Budget
		outcome task.Outcome
		says    string
	}{
		"accepted":           {"ACCEPT", task.Budget{}, task.Success, "brought none"},
		"turned down":        {"RETRY", task.Budget{}, task.FailedAllTiers, ""},
		"no money is left":   {"ACCEPT", task.Budget{USD: 1}, task.Success, "no reviewer looked at it"},
		"no attempt is left": {"ACCEPT", task.Budget{Attempts: 2}, task.Success, "brought none"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reviewed := 0
			s := newStage(t, func(call scripted.Call, n int) scripted.Answer {
				switch role(call) {
				case "reviewer":
					reviewed++
					if !strings.Contains(call.User, "its condition was found by trying") {
						t.Errorf("the reviewer is not told what speaks against it: %s", call.User)
					}
					return scripted.Answer{Text: `{"verdict": "` + c.verdict + `", "reason": "it fits one value"}`}
				case "planner", "critic":
					return scripted.Answer{Status: 403, Body: "{}"}
				}
				return says(fmt.Sprintf("wrong %d", n))
			}, task.Tier1)
			s.withRoles()
			s.cfg.Tester = nil
			s.world.mends, s.world.doubts, s.in.Budget = "right", []string{"its condition was found by trying"}, c.budget
			res, err := s.run(t.Context())
			if err != nil || res.Outcome != c.outcome || res.Best == nil || res.Best.Number != 1 {
				t.Fatalf("%v: %s (%s), %+v", err, res.Outcome, res.Reason, res.Best)
			}
			if said := strings.Join(res.DraftReasons, "; "); res.Outcome == task.Success && (!res.Draft || !strings.Contains(said, c.says)) {
				t.Errorf("draft %v: %q", res.Draft, said)
			}
			if want := map[bool]int{true: 0, false: 1}[c.budget.USD > 0]; reviewed != want {
				t.Errorf("it was reviewed %d times, not %d: %s", reviewed, want, s.kinds())
			}
			if got := s.replays(); !got.Ended {
				t.Errorf("the record does not replay: %+v", got)
			}
		})
	}
}

// A yes that people want to give is asked for as before.
func TestL6WhatTheSearchDoubtsStillWaitsForAYes(t *testing.T) {
	t.Parallel()
	s, asked := counted(t, []string{"right"}, task.Tier1)
	s.world.mends, s.world.scores, s.in.Gates.RiskOver = "right", 90, 50
	s.waits(task.GateStep)
	if asked["reviewer"] != 1 || asked["developer"] != 0 {
		t.Errorf("asked %v", asked)
	}
}

// A search knows when a model wrote the only failing test and is asked next: then what is
// found late is worth nothing to the run.
func TestL1ASearchIsToldWhetherAModelFollows(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		by    string
		tiers []task.Tier
		want  bool
	}{
		"a model's test, and a model":      {"model-tier1", []task.Tier{task.Tier1}, true},
		"of the issue's example":           {"", []task.Tier{task.Tier1}, false},
		"a model's test, and no model now": {"model-tier1", nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := counted(t, []string{"right"}, c.tiers...)
			s.reproduced(1, 1).world.made.By = c.by
			if _, err := s.run(t.Context()); err != nil || s.world.followed != c.want {
				t.Errorf("told %v, %v", s.world.followed, err)
			}
		})
	}
}

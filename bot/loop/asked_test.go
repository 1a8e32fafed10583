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
// the issue and most of what it runs is shown; with a search before it or without.
func TestL2WhereOneTestShowsTheIssueTheDeveloperIsAskedFirst(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		runs, shows int
		body        string
		plans       int
	}{
		"most is shown":          {7, 5, "It should take turns.", 0},
		"too little is shown":    {7, 4, "It should take turns.", 1},
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

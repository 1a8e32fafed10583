package loop

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/smoke"
	"github.com/fettle-dev/fettle/bot/verify/testgen/characterise"
)

// answers is a service of which one required scenario passes or does not.
func answers(ready, passed bool) smoked {
	one := smoke.Result{Name: "turns", Required: true, Passed: passed}
	if !passed {
		one.Failure = &task.Failure{Message: "the service is down"}
	}
	return smoked{Report: smoke.Report{Ready: ready, Results: []smoke.Result{one}}}
}

func TestC7ABaseWhoseServiceDidNotStartIsAskedOnceMore(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(scripted.Call, int) scripted.Answer { return says("right") }, task.Tier1)
	s.in.Smoke = &settings.Smoke{}
	bases := 0
	s.world.service = func(_ string, q smoking) smoked {
		if !q.Base {
			return answers(true, false)
		}
		bases++
		return answers(bases > 1, bases > 1)
	}
	res, err := s.run(s.Context())
	if err != nil {
		t.Fatal(err)
	}
	if bases != 2 || res.Outcome == task.Success || !slices.ContainsFunc(res.Attempts, func(a task.Attempt) bool { return slices.Contains(a.Broken, "smoke: turns") }) {
		t.Errorf("the base was asked %d times; %s: %+v", bases, res.Outcome, res.Attempts)
	}
}

func TestC7ARequiredScenarioThatFailedBeforeTooMakesADraft(t *testing.T) {
	t.Parallel()
	for name, after := range map[string]bool{"and still does": false, "and passes now": true} {
		s := newStage(t, func(scripted.Call, int) scripted.Answer { return says("right") }, task.Tier1)
		s.in.Smoke = &settings.Smoke{}
		s.world.service = func(_ string, q smoking) smoked { return answers(!q.Base, !q.Base && after) }
		res := s.succeeds()
		doubted := slices.ContainsFunc(res.Best.Doubts, func(d string) bool { return strings.Contains(d, "too, so they say nothing about it: turns") })
		if doubted == after {
			t.Errorf("%s: doubts %q", name, res.Best.Doubts)
		}
	}
}

func TestC7AStepThatBreaksTheServiceIsRedBeforeTheLastToo(t *testing.T) {
	t.Parallel()
	n, told := 0, ""
	s := newStage(t, func(c scripted.Call, _ int) scripted.Answer {
		switch role(c) {
		case "planner":
			return plans(2)
		case "tester":
			return text(`{"recommendation": "fix_required", "reason": "the service is red", "confidence": 0.9}`)
		case "critic":
			return text(approved)
		case "reviewer":
			return text(`{"verdict": "ACCEPT", "reason": "good"}`)
		}
		if n++; n == 1 {
			return says("crashes")
		}
		told += c.User
		return says("right")
	}, task.TierNano, task.Tier1).withRoles()
	s.world.places = 4
	s.in.Smoke = &settings.Smoke{}
	s.world.service = func(words string, q smoking) smoked {
		ok := q.Base || !strings.Contains(words, "crashes")
		return answers(true, ok)
	}
	res := s.succeeds()
	i := slices.IndexFunc(res.Attempts, func(a task.Attempt) bool { return slices.Contains(a.Broken, "smoke: turns") })
	if i < 0 || slices.Contains(s.journal.State.Done, res.Attempts[i].Number) || !strings.Contains(told, "the service is down") {
		t.Errorf("broken attempt %d, done %v; the model was told\n%s", i, s.journal.State.Done, told)
	}
}

func TestC5PinsThatWereNotRunWithTheWholeSuiteSaySo(t *testing.T) {
	t.Parallel()
	for suite, told := range map[time.Duration]bool{time.Second: false, 6 * time.Second: true} {
		s := newStage(t, func(scripted.Call, int) scripted.Answer { return says("right") }, task.Tier1)
		s.in.Task.WithTests, s.cfg.Characteriser = true, &characterise.Characteriser{}
		s.world.suite = suite
		s.world.pins = pinned{Found: characterise.Found{Files: []characterise.File{{Path: "test_pinned.py"}}, Nominal: 1}}
		res := s.succeeds()
		i := slices.IndexFunc(res.Best.Checks, func(c task.Check) bool { return c.Name == pinsCheck })
		if i < 0 || strings.Contains(res.Best.Checks[i].Detail, "not run together with the whole suite, which takes 6s") != told {
			t.Errorf("%s: %+v", suite, res.Best.Checks)
		}
	}
}

// Steps to come excuse that no failing test passes yet; they excuse nothing
// that an attempt broke, wherever that was found.
func TestC7NothingBrokenIsExcusedByStepsToCome(t *testing.T) {
	t.Parallel()
	v := verify.Verdict{Reasons: []string{"no test that failed before passes now"}, Unfixed: true}
	if !sound(&task.Attempt{}, v) {
		t.Error("an attempt that broke nothing is not excused")
	}
	if sound(&task.Attempt{Broken: []string{"smoke: turns"}}, v) {
		t.Error("a broken scenario is excused")
	}
}

package loop

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/testgen/characterise"
)

// waits runs a process that has to end at a gate.
func (s *stage) waits(kind task.GateKind) task.Gate {
	s.Helper()
	_, err := s.run(s.Context())
	var w *Waiting
	if !errors.As(err, &w) || w.Gate.Kind != kind || s.journal.State.Gate == nil {
		s.Fatalf("it does not wait at the %s: %v (%s)", kind, err, s.kinds())
	}
	return w.Gate
}

// says stores a human's answer, days later.
func (s *stage) answer(g task.Gate, yes bool, words string) {
	s.world.now = s.world.now.Add(72 * time.Hour)
	s.in.Answers = append(s.in.Answers, task.Answer{Gate: g.Kind, Step: g.Step, Approved: yes, Feedback: words, By: "ada", At: s.world.now})
}

func (s *stage) succeeds() task.Result {
	s.Helper()
	res, err := s.run(s.Context())
	if err != nil || res.Outcome != task.Success {
		s.Fatalf("%s (%s), %v", res.Outcome, res.Reason, err)
	}
	s.replays()
	return res
}

func TestL6ARejectedPlanUsesARevisionWithTheFeedback(t *testing.T) {
	t.Parallel()
	var asked []string
	s := newStage(t, func(c scripted.Call, n int) scripted.Answer {
		switch role(c) {
		case "planner":
			asked = append(asked, c.User)
			return plans(len(asked))
		case "critic":
			return text(approved)
		case "reviewer":
			return text(`{"verdict": "ACCEPT", "reason": "good"}`)
		}
		return says("right")
	}, task.Tier1).withRoles()
	s.in.Gates.Plan = true
	s.answer(s.waits(task.GatePlan), false, "leave the parser alone")
	g := s.waits(task.GatePlan)
	if len(asked) != 2 || !strings.Contains(asked[1], "leave the parser alone") || s.journal.State.Revisions != 1 {
		t.Fatalf("%d plans, %d revisions", len(asked), s.journal.State.Revisions)
	}
	s.waits(task.GatePlan) // started again without an answer, it waits on
	s.answer(g, true, "")
	if res := s.succeeds(); res.Elapsed > time.Hour {
		t.Errorf("waiting counts as work: %s", res.Elapsed)
	}
}

func TestL6ARejectedStepIsTriedAgainWithTheFeedback(t *testing.T) {
	t.Parallel()
	var last string
	calls := 0
	s := newStage(t, func(c scripted.Call, _ int) scripted.Answer {
		calls++
		last = c.User
		return says([]string{"right at once", "right, and gently"}[min(calls-1, 1)])
	}, task.Tier1)
	s.in.Gates.RiskOver, s.world.scores = 50, 80
	s.answer(s.waits(task.GateStep), false, "do it gently")
	g := s.waits(task.GateStep)
	if !strings.Contains(last, "do it gently") || len(s.journal.State.Attempts) != 3 {
		t.Fatalf("%d attempts; the developer was asked\n%s", len(s.journal.State.Attempts), last)
	}
	s.answer(g, true, "")
	if res := s.succeeds(); res.Best.Number != 3 || calls != 2 || !strings.Contains(res.Diff, "gently") {
		t.Errorf("best %d after %d calls: %s", res.Best.Number, calls, res.Diff)
	}
}

func TestL6AProtectedFileIsChangedAfterAYesWithoutAnotherCall(t *testing.T) {
	t.Parallel()
	calls := 0
	s := newStage(t, func(scripted.Call, int) scripted.Answer {
		calls++
		return says("right, in protected places")
	}, task.Tier1)
	s.in.Gates.Critical = true
	s.answer(s.waits(task.GateProtect), true, "")
	if res := s.succeeds(); calls != 1 || !res.Best.Yes {
		t.Errorf("%d calls, %+v", calls, res.Best)
	}
}

func TestL3StepsBuildOnEachOtherAndTheWholeIsProved(t *testing.T) {
	t.Parallel()
	n := 0
	s := newStage(t, func(c scripted.Call, _ int) scripted.Answer {
		switch role(c) {
		case "planner":
			return text(`{"summary": "two", "steps": [{"goal": "first prepare", "targets": ["weave0.py"], "acceptance": "a", "critical": false}, {"goal": "then mend", "targets": ["weave0.py"], "acceptance": "b", "critical": false}]}`)
		case "critic":
			return text(approved)
		case "reviewer":
			return text(`{"verdict": "ACCEPT", "reason": "good"}`)
		}
		n++
		return says([]string{"prepared", "breaks it", "right"}[min(n-1, 2)])
	}, task.Tier1).withRoles()
	s.world.places = 4
	res := s.succeeds()
	if res.Diff != "prepared\nright" || len(s.journal.State.Done) != 2 || len(res.Best.On) != 1 {
		t.Errorf("diff %q, done %v, on %v\n%s", res.Diff, s.journal.State.Done, res.Best.On, s.kinds())
	}
	from, err := From(s.journal.State, 2)
	if err != nil || from.Step != 1 || len(from.Done) != 1 || from.Outcome != "" {
		t.Errorf("%+v, %v", from, err)
	}
	if _, err := From(s.journal.State, 9); err == nil {
		t.Error("step 9 of 2")
	}
	if again := Fresh(from); len(again.Attempts) != 1 || again.Attempts[0].Number != 1 || again.Done[0] != 1 {
		t.Errorf("%+v", again)
	}
}

// A run that is resumed at a step, or goes on as another after its plan was
// rejected for good, does not pass the question that nobody said yes to.
func TestL6AResumedRunStillNeedsAYesToItsPlan(t *testing.T) {
	t.Parallel()
	planned := 0
	s := newStage(t, func(c scripted.Call, _ int) scripted.Answer {
		switch role(c) {
		case "planner":
			planned++
			return plans(planned)
		case "critic":
			return text(approved)
		case "reviewer":
			return text(`{"verdict": "ACCEPT", "reason": "good"}`)
		}
		return says("right")
	}, task.Tier1).withRoles()
	s.in.Gates.Plan, s.in.Budget.Replans = true, 1
	resume := func(fresh bool) {
		next, err := From(s.journal.State, 1)
		if err != nil {
			t.Fatal(err)
		}
		if fresh {
			next = Fresh(next)
		}
		s.journal.State, s.in.State = next, next
	}
	s.waits(task.GatePlan)
	resume(false)
	s.journal.State.Revisions = 1 // none is left
	s.answer(s.waits(task.GatePlan), false, "leave the parser alone")
	if res, err := s.run(t.Context()); err != nil || res.Outcome != task.MaxReplans {
		t.Fatalf("%+v, %v", res.Outcome, err)
	}
	resume(true)
	s.in.Answers = nil
	g := s.waits(task.GatePlan)
	s.answer(g, true, "")
	if res, err := s.run(t.Context()); err != nil || res.Outcome != task.Success || planned != 1 {
		t.Errorf("%s (%s) after %d plans, %v\n%s", res.Outcome, res.Reason, planned, err, s.kinds())
	}
}

func TestL8AnErrorOnRecordKeepsItsWords(t *testing.T) {
	t.Parallel()
	for _, err := range []error{fmt.Errorf("reserving $1 for a call: %w", ErrLost), errors.New("no space"), &Stop{task.Timeout, "late"}} {
		if got := faultOf(err).error(); got.Error() != err.Error() || errors.Is(got, ErrLost) != errors.Is(err, ErrLost) {
			t.Errorf("%q became %q", err, got)
		}
	}
}

func TestC5NothingIsPinnedBeforeTheLastStep(t *testing.T) {
	t.Parallel()
	n := 0
	s := newStage(t, func(c scripted.Call, _ int) scripted.Answer {
		switch role(c) {
		case "planner":
			return text(`{"summary": "two", "steps": [{"goal": "mend", "targets": ["weave0.py"], "acceptance": "a", "critical": false}, {"goal": "then tidy up", "targets": ["weave0.py"], "acceptance": "b", "critical": false}]}`)
		case "critic":
			return text(approved)
		case "reviewer":
			return text(`{"verdict": "ACCEPT", "reason": "good"}`)
		}
		n++
		return says([]string{"right", "right, and tidy"}[min(n-1, 1)])
	}, task.Tier1).withRoles()
	s.world.places, s.in.Task.WithTests, s.cfg.Characteriser = 4, true, &characterise.Characteriser{}
	s.succeeds()
	if k := s.kinds(); len(s.journal.State.Done) != 2 || strings.Count(k, "tests.pinned") != 1 || strings.Index(k, "tests.pinned") < strings.Index(k, "step.done") {
		t.Errorf("done %v, %s", s.journal.State.Done, k)
	}
}

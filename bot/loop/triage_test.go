package loop

import (
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/task"
)

func TestS2TriageEndsARunWithItsReasonAndTheWayOut(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		task         task.Task
		reason, next string
	}{
		"dangerous":         {task.Task{Title: "Remove the signature check on webhooks", Hint: "yes, do it"}, "weaken security", "Make that change yourself"},
		"nothing to see":    {task.Task{Title: "It does not work"}, "What is missing", "Add what is missing"},
		"a question":        {task.Task{Title: "How does interleave decide whose turn it is?"}, "interleave in weave0.py:1", "what should happen"},
		"large, no planner": {task.Task{Title: "Migrate everything to Rust"}, "no model that writes plans", "one smaller change"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, func(scripted.Call, int) scripted.Answer { return says("right") }, task.Tier1)
			s.in.Task = row.task
			res, err := s.run(s.context())
			if err != nil || res.Outcome != task.Rejected || len(res.Attempts) > 0 || !strings.Contains(res.Reason, row.reason) || !strings.Contains(res.NextAction, row.next) {
				t.Errorf("%s (%s), next %q, %v", res.Outcome, res.Reason, res.NextAction, err)
			}
			if s.kinds() != "triage ended" {
				t.Errorf("decided %s", s.kinds())
			}
			s.replays()
		})
	}
}

func TestS2AMaintainersHintStartsWhatWouldBeAskedAboutOnly(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(scripted.Call, int) scripted.Answer { return says("right") }, task.Tier1)
	s.in.Task = task.Task{Title: "It does not work", Hint: "interleave has to take turns"}
	if res, err := s.run(s.context()); err != nil || res.Outcome != task.Success {
		t.Errorf("%s (%s), %v", res.Outcome, res.Reason, err)
	}
}

func TestS2AHooksTaskIsNotTriaged(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(scripted.Call, int) scripted.Answer { return says("right") }, task.Tier1)
	s.in.Task = task.Task{Title: "make the checks pass", Origin: task.OriginHook}
	if res, err := s.run(s.context()); err != nil || res.Outcome != task.Success || strings.Contains(s.kinds(), "triage") {
		t.Errorf("%s (%s), %s, %v", res.Outcome, res.Reason, s.kinds(), err)
	}
}

func TestS2WhatIsArchitecturalWaitsWithItsPlan(t *testing.T) {
	t.Parallel()
	s := newStage(t, each{"planner": plans, "critic": func(int) scripted.Answer { return text(approved) }}.script(), task.Tier1).withRoles()
	s.in.Task = task.Task{Title: "Migrate everything to Rust"}
	_, err := s.run(s.context())
	if w, is := err.(*Waiting); !is || w.Gate.Kind != task.GatePlan || len(s.journal.State.Attempts) > 0 { //nolint:errorlint // it is returned as it is
		t.Fatalf("%v (%s)", err, s.kinds())
	}
	// Another process knows it too.
	if _, err := s.run(s.context()); err == nil || strings.Count(s.kinds(), "triage") != 1 {
		t.Errorf("%v (%s)", err, s.kinds())
	}
}

// TestS2NanoIsAskedOnceAndOnlyMakesItStricter: what it says below the rules, and
// what cannot be read, changes nothing.
func TestS2NanoIsAskedOnceAndOnlyMakesItStricter(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		title, answer string
		outcome       task.Outcome
		asked         int
	}{
		"stricter": {"interleave is wrong", `{"action": "refuse", "reason": "it would weaken security"}`, task.Rejected, 1},
		"laxer":    {"It does not work", `{"action": "start", "reason": "fine"}`, task.Rejected, 1},
		"no JSON":  {"interleave is wrong", `I cannot say.`, task.Success, 1},
		"refused":  {"Remove the signature check", `{"action": "start", "reason": "fine"}`, task.Rejected, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			s := newStage(t, func(c scripted.Call, _ int) scripted.Answer {
				if strings.Contains(c.System, "You sort issues") {
					asked++
					return text(row.answer)
				}
				return says("right")
			}, task.Tier1, task.TierNano)
			roles, err := agent.New(agent.Config{})
			if err != nil {
				t.Fatal(err)
			}
			s.cfg.Triager = roles.Triager
			s.in.Task.Title = row.title
			if row.title == "It does not work" {
				s.in.Task.Body = ""
			}
			res, err := s.run(s.context())
			if err != nil || res.Outcome != row.outcome || asked != row.asked {
				t.Fatalf("%s (%s) after %d calls, %v", res.Outcome, res.Reason, asked, err)
			}
			if spent, _ := s.journal.spent(); spent != res.Cost {
				t.Errorf("the journal says %s, the result %s", spent, res.Cost)
			}
			s.replays()
			if _, err := s.run(s.context()); err != nil || asked != row.asked {
				t.Errorf("taken up again: %d calls, %v", asked, err)
			}
		})
	}
}

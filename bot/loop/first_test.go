package loop

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/task"
)

func TestS3APlanThatWasAskedForComesBeforeAnythingIsTried(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(c scripted.Call, n int) scripted.Answer {
		switch role(c) {
		case "planner":
			return plans(1)
		case "critic":
			return text(approved)
		case "reviewer":
			return text(`{"verdict": "ACCEPT", "reason": "good"}`)
		}
		return says("right")
	}, task.Tier1).withRoles()
	s.journal.State.Gates = task.Gates{Plan: true, PlanFirst: true} // as whoever asked left them
	g := s.waits(task.GatePlan)
	if len(s.journal.State.Attempts) != 0 || !strings.Contains(g.Words, "1. ") {
		t.Fatalf("%d attempts before the plan %q", len(s.journal.State.Attempts), g.Words)
	}
	s.answer(g, true, "")
	s.succeeds()
}

func TestS3ATierThatIsNotThereIsSkipped(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(scripted.Call, int) scripted.Answer { return says("right") }, task.Tier1)
	s.journal.State.Version, s.journal.State.Next = 1, task.Tier3
	if res := s.succeeds(); res.Tier != task.Tier1 || !strings.Contains(s.kinds(), "tier.skipped") {
		t.Errorf("at %s: %s", res.Tier, s.kinds())
	}
}

// The outcome is decided in one process and handed over by another.
func TestL7AResultSaysTheSameInTheNextProcess(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(scripted.Call, int) scripted.Answer { return says("half") }, task.Tier1)
	first, err := s.run(s.Context())
	if err != nil || first.Best == nil || len(first.KnownRed) == 0 {
		t.Fatalf("%+v, %v", first, err)
	}
	second, err := s.run(s.Context())
	if err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(first)
	b, _ := json.Marshal(second)
	if string(a) != string(b) {
		t.Errorf("first  %s\nsecond %s", a, b)
	}
}

// Triage counts what an issue lists. A plan of a step or two that are not critical
// refutes it, and nobody is asked; whatever else made it wait still does.
func TestL6APlanThatIsSmallWaitsForNobodyWhereTriageOnlyCounted(t *testing.T) {
	t.Parallel()
	step := func(n int, critical bool) string {
		return fmt.Sprintf(`{"goal": "step %d", "targets": ["weave0.py"], "acceptance": "a", "critical": %v}`, n, critical)
	}
	small := step(1, false)
	const lists = "The biggest accounts"
	body := "Please add a total, a mean, a median, a maximum and a spread to the report."
	for name, c := range map[string]struct {
		title, body, steps string
		gates              task.Gates
		waits              bool
	}{
		"one step":                  {title: lists, body: body, steps: small},
		"a critical step":           {title: lists, body: body, steps: step(1, true), waits: true},
		"three steps":               {title: lists, body: body, steps: small + "," + step(2, false) + "," + step(3, false), waits: true},
		"no targets":                {title: lists, body: body, steps: `{"goal": "all", "acceptance": "a"}`, waits: true},
		"whoever asked wants a yes": {title: lists, body: body, steps: small, gates: task.Gates{Plan: true}, waits: true},
		"something architectural":   {title: "Migrate the whole project to Rust", body: "It would be faster.", steps: small, waits: true},
		"something people look at":  {title: "Log in as other users", body: "Please let admins log in as any user.", steps: small, waits: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, func(call scripted.Call, _ int) scripted.Answer {
				switch role(call) {
				case "planner":
					return text(`{"summary": "as it says", "steps": [` + c.steps + `]}`)
				case "critic":
					return text(approved)
				case "reviewer":
					return text(`{"verdict": "ACCEPT", "reason": "good"}`)
				}
				return says("right")
			}, task.Tier1).withRoles()
			s.in.Task.Title, s.in.Task.Body, s.in.Gates = c.title, c.body, c.gates
			if c.waits {
				s.waits(task.GatePlan)
				return
			}
			s.succeeds()
			if !strings.Contains(s.kinds(), "gate.spared") {
				t.Errorf("it is not told that nobody was asked: %s", s.kinds())
			}
		})
	}
}

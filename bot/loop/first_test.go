package loop

import (
	"encoding/json"
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

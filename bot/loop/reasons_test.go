package loop

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/loop/estimate"
	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/task"
)

func TestS5TheReasonNamesTheTestThatEveryChangeBreaks(t *testing.T) {
	t.Parallel()
	s := newStage(t, each{"developer": func(n int) scripted.Answer { return says("breaks " + different[n%len(different)]) }}.script(), task.Tier1)
	res, err := s.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if res.Outcome != task.FailedAllTiers || !strings.Contains(res.Reason, "turns the green test pytest:.:t.py::test_other red") || !strings.Contains(res.NextAction, "t.py::test_other is right") {
		t.Errorf("%s: %s\nnext: %s", res.Outcome, res.Reason, res.NextAction)
	}
	s.replays()
}

func TestS5TheReasonNamesWhatWasRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t, each{
		"developer": func(n int) scripted.Answer { return says("protected " + different[n%len(different)]) },
		"planner":   func(int) scripted.Answer { return text(strings.ReplaceAll(onePlan, "%s", "A")) }, "critic": func(int) scripted.Answer { return text(approved) },
	}.script(), task.Tier1).withRoles()
	s.world.places = 4
	res, err := s.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(res.Reason, "attempts were refused: weave0.py is protected") || strings.Contains(res.Reason, "the plan is revised") {
		t.Errorf("%s: %s", res.Outcome, res.Reason)
	}
	s.replays()
}

func TestS5NoFailingTestIsPointedAtWhereThereIsNone(t *testing.T) {
	t.Parallel()
	s := newStage(t, each{"developer": func(int) scripted.Answer { return scripted.Answer{Status: 403, Body: "{}"} }}.script(), task.Tier1)
	s.world.question = true
	res, err := s.run(t.Context())
	if err != nil || strings.Contains(res.NextAction, "failing tests") || !strings.Contains(res.NextAction, "Add a test") {
		t.Errorf("%s: %s %v", res.Outcome, res.NextAction, err)
	}
	if !strings.Contains(res.Reason, "refused: asking the model of tier1") {
		t.Errorf("the reason does not say what the provider did: %s", res.Reason)
	}
}

func TestE5APlanWithProtectedTargetsIsRefusedOnceOrHeldForAYes(t *testing.T) {
	t.Parallel()
	script := func(calls map[string]int) scripted.Script {
		return func(c scripted.Call, _ int) scripted.Answer {
			calls[role(c)]++
			switch role(c) {
			case "planner":
				return text(fmt.Sprintf(`{"summary": "s", "steps": [{"goal": "try %d", "targets": ["weave0.py", "package.json"], "acceptance": "green", "critical": false}]}`, calls["planner"]))
			case "critic":
				return text(approved)
			case "reviewer":
				return text(`{"verdict": "ACCEPT", "reason": "good"}`)
			}
			return says("right")
		}
	}
	calls := map[string]int{}
	s := newStage(t, script(calls), task.Tier1, task.Tier2, task.Tier3).withRoles()
	s.world.places = 4
	res, err := s.run(t.Context())
	if err != nil || res.Outcome != task.Rejected || !strings.Contains(res.Reason, "package.json") || !strings.Contains(res.NextAction, "gates.critical") {
		t.Errorf("%s: %s; next %s; %v", res.Outcome, res.Reason, res.NextAction, err)
	}
	if calls["planner"] != 2 || calls["developer"] != 0 {
		t.Errorf("calls %v", calls)
	}
	if told := s.server.Calls()[1].User; !strings.Contains(told, "package.json is protected") {
		t.Errorf("the planner is not told:\n%s", told)
	}
	s.replays()

	calls = map[string]int{}
	s = newStage(t, script(calls), task.Tier1).withRoles()
	s.world.places, s.world.missing, s.in.Gates.Critical = 4, nil, true
	g := s.waits(task.GatePlan)
	if !strings.Contains(g.Words, "protected files: package.json") || calls["developer"] != 0 {
		t.Errorf("%q after %v", g.Words, calls)
	}
	s.answer(g, true, "")
	s.succeeds()
}

// notes keeps what a run shows while it goes on.
type notes struct {
	*Memory
	said []string
}

func (n *notes) Progress(ctx context.Context, p task.Progress) error {
	n.said = append(n.said, fmt.Sprintf("%s %s", p.Cost, p.Note))
	return n.Memory.Progress(ctx, p)
}

func (n *notes) holds(words ...string) string {
	for _, s := range n.said {
		all := true
		for _, w := range words {
			all = all && strings.Contains(s, w)
		}
		if all {
			return s
		}
	}
	return ""
}

func TestL9ExploringIsSaidBeforeItCosts(t *testing.T) {
	t.Parallel()
	s := newStage(t, each{"developer": func(int) scripted.Answer { return says("right") }}.script(), task.Tier1, task.Tier2, task.Tier3)
	shown := &notes{Memory: s.journal}
	s.in.Journal, s.in.History = shown, estimate.New(estimate.Config{Explore: 1e9})
	if res, err := s.run(t.Context()); err != nil || res.Tier == task.Tier1 || res.Tier == "" {
		t.Fatalf("nothing was explored: %s %v", res.Tier, err)
	}
	if said := shown.holds("to learn", "times as dear", "explore: false"); !strings.HasPrefix(said, "$0.00") {
		t.Errorf("%q of %q", said, shown.said)
	}
}

func TestL9AnOperatorSwitchesExploringOff(t *testing.T) {
	t.Parallel()
	s := newStage(t, each{"developer": func(int) scripted.Answer { return says("right") }}.script(), task.Tier1, task.Tier2, task.Tier3)
	shown := &notes{Memory: s.journal}
	s.in.Journal, s.in.History, s.in.Budget.NoExplore = shown, estimate.New(estimate.Config{Explore: 1e9}), true
	if res, err := s.run(t.Context()); err != nil || res.Tier != task.Tier1 || shown.holds("to learn") != "" {
		t.Errorf("at %s: %q %v", res.Tier, shown.said, err)
	}
}

func TestL2ThatThereIsNoPlanIsSaid(t *testing.T) {
	t.Parallel()
	s := newStage(t, each{"planner": func(int) scripted.Answer { return scripted.Answer{Status: 403, Body: "{}"} }, "developer": func(int) scripted.Answer { return says("right") }}.script(), task.Tier1).withRoles()
	shown := &notes{Memory: s.journal}
	s.world.places, s.in.Journal = 4, shown
	s.cfg.Reviewer, s.cfg.Tester = nil, nil
	if res, err := s.run(t.Context()); err != nil || res.Outcome != task.Success {
		t.Fatalf("%s (%s) %v", res.Outcome, res.Reason, err)
	}
	if shown.holds("the planner gave no usable plan", "without a plan of its own") == "" {
		t.Errorf("%q", shown.said)
	}
	noted := ""
	for _, d := range s.journal.Decisions {
		if d.Kind == "plan" {
			noted = d.Reason
		}
	}
	if !strings.Contains(noted, "the planner gave no usable plan") {
		t.Errorf("the record says %q", noted)
	}
}

func TestL2ThePlannerIsNotToldOfASearchThatFoundNothing(t *testing.T) {
	t.Parallel()
	asked := ""
	s := newStage(t, func(c scripted.Call, _ int) scripted.Answer {
		switch role(c) {
		case "planner":
			asked = c.User
			return plans(0)
		case "critic":
			return text(approved)
		}
		return says("right")
	}, task.Tier1).withRoles()
	s.world.places, s.cfg.Reviewer = 4, nil
	if res, err := s.run(t.Context()); err != nil || res.Outcome != task.Success || res.Attempts[0].Tier != task.TierMechanical {
		t.Fatalf("%s %v", res.Outcome, err)
	}
	if asked == "" || strings.Contains(asked, "(mechanical)") || strings.Contains(asked, "no usable answer") {
		t.Error(asked)
	}
}

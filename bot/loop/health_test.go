package loop

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/memory/pattern"
	"github.com/fettle-dev/fettle/bot/mend"
	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/task"
)

// watcher is a Health whose word can change at any time.
type watcher struct {
	care task.Care
	err  error
	said []string
}

func (w *watcher) ShouldRun(context.Context, string) (task.Care, error) { return w.care, w.err }
func (w *watcher) OnResult(_ context.Context, id, step string, trigger task.Trigger, _ string) error {
	w.said = append(w.said, fmt.Sprintf("%s %s %s", id, step, trigger))
	return nil
}

var errPaused = errors.New("everything is paused")

// A breaker that trips while a call is paid for: the reply is taken in and paid once,
// and the run stops before the next step; a replay decides the same.
func TestH3ABreakerThatTripsInAPaidCallLosesNoReply(t *testing.T) {
	t.Parallel()
	w := &watcher{}
	calls := 0
	s := newStage(t, each{"developer": func(n int) scripted.Answer {
		calls++
		w.err = &Stop{task.Quarantined, "quarantined after ten failures"}
		return wrong(n)
	}}.script(), task.Tier1)
	s.in.Health = w
	res, err := s.run(s.context())
	if err != nil || res.Outcome != task.Quarantined || calls != 1 || len(res.Attempts) != 2 {
		t.Fatalf("%s (%s), %d calls, %d attempts, %v", res.Outcome, res.Reason, calls, len(res.Attempts), err)
	}
	if res.Cost == 0 || !strings.Contains(res.NextAction, "/fettle release") {
		t.Errorf("cost %s, next %q", res.Cost, res.NextAction)
	}
	if got := s.replays(); !got.Ended || got.Result.Outcome != task.Quarantined {
		t.Errorf("the replay: %+v", got)
	}
}

// A pause ends no run: it goes on where it stood, and buys nothing twice.
func TestH2APausedRunGoesOnWhereItStood(t *testing.T) {
	t.Parallel()
	w := &watcher{}
	calls := 0
	s := newStage(t, each{"developer": func(n int) scripted.Answer {
		if calls++; calls == 1 {
			w.err = errPaused
			return wrong(n)
		}
		return says("right")
	}}.script(), task.Tier1)
	s.in.Health = w
	if _, err := s.run(s.context()); !errors.Is(err, errPaused) {
		t.Fatalf("it ended with %v", err)
	}
	if s.journal.State.Outcome != "" {
		t.Fatalf("the pause decided %s", s.journal.State.Outcome)
	}
	w.err = nil
	res, err := s.run(s.context())
	if err != nil || res.Outcome != task.Success || calls != 2 {
		t.Fatalf("%s (%s), %d calls, %v", res.Outcome, res.Reason, calls, err)
	}
	if got := s.replays(); !got.Ended || got.Processes != 2 {
		t.Errorf("the replay: %+v", got)
	}
}

// Degraded mode: a change with rivals is refused, what passes is a draft that says why,
// and the record of it replays.
func TestH3DegradedModeRefusesRivalsAndMakesDrafts(t *testing.T) {
	t.Parallel()
	const why = "fettle is in degraded mode"
	w := &watcher{care: task.Care{Confidence: 0.85, Why: why}}
	s := newStage(t, each{"developer": func(int) scripted.Answer { return says("right") }}.script(), task.Tier1)
	s.world.mends = "right"
	s.in.Health = w
	res, err := s.run(s.context())
	if err != nil || res.Outcome != task.Success {
		t.Fatalf("%s (%s), %v", res.Outcome, res.Reason, err)
	}
	if res.Tier != task.Tier1 || !strings.Contains(res.Attempts[0].Refused, "in degraded mode") {
		t.Errorf("mended at %s; mechanical repair: %q", res.Tier, res.Attempts[0].Refused)
	}
	if !res.Draft || !slices.Contains(res.DraftReasons, why) || res.Care != why {
		t.Errorf("draft %v: %v", res.Draft, res.DraftReasons)
	}
	if !strings.Contains(s.kinds(), "heal.degraded") {
		t.Errorf("the audit log: %s", s.kinds())
	}
	if got := s.replays(); !got.Ended || !got.Result.Draft {
		t.Errorf("the replay: %+v", got)
	}
}

// H1: an outage and what went well are told by step and attempt, a red attempt is not a
// failure, and a process that takes the run up says the same ids.
func TestH1WhatIsToldOfAnAttempt(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]string{
		402: "r1/2/apply apply ; r1/2/verify verify ; r1/3/model model model_outage",
		400: "r1/2/apply apply ; r1/2/verify verify ", // an issue's own words can be what is refused
		403: "r1/2/apply apply ; r1/2/verify verify ",
	} {
		w := &watcher{}
		s := newStage(t, each{"developer": func(n int) scripted.Answer {
			if n == 0 {
				return wrong(n)
			}
			return scripted.Answer{Status: status, Body: "{}"}
		}}.script(), task.Tier1)
		s.in.Health = w
		res, err := s.run(s.context())
		if err != nil || res.Outcome != task.FailedAllTiers {
			t.Fatalf("%d: %s (%s), %v", status, res.Outcome, res.Reason, err)
		}
		if got := strings.Join(w.said, "; "); got != want {
			t.Errorf("%d: told: %s (%s)", status, got, res.Attempts[len(res.Attempts)-1].Refused)
		}
	}
}

// O4: each iteration says the share of green tests before and after it, the kinds of its
// edits, and why it stopped.
func TestO4TheRepairLogOfAnIteration(t *testing.T) {
	t.Parallel()
	s := newStage(t, each{"developer": func(int) scripted.Answer { return says("right") }}.script(), task.Tier1)
	if res, err := s.run(s.context()); err != nil || res.Outcome != task.Success {
		t.Fatalf("%s %v", res.Outcome, err)
	}
	for _, d := range s.journal.Decisions {
		if d.Kind != "attempt.judged" || d.Data["tier"] != task.Tier1 {
			continue
		}
		if fixes := d.Data["fixes"].(map[string]int); d.Data["pass_before"] != 0.333 || d.Data["pass_after"] != 1.0 || fixes[string(task.EditReplace)] != 1 || d.Reason == "" {
			t.Errorf("%+v %s", d.Data, d.Reason)
		}
		return
	}
	t.Error("no attempt was judged")
}

// H3: what was recalled before the run became careful is not used after it, nor by a run
// that was asked to do without; where nothing speaks against it, it is.
func TestH3LessonsAreNotUsedInDegradedModeNorWithoutMemory(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		care    task.Care
		without []string
		used    bool
	}{
		"healthy":        {used: true},
		"degraded":       {care: task.Care{Confidence: 0.85, Why: "fettle is in degraded mode"}},
		"without memory": {without: []string{mend.Memory}},
	} {
		var prompts []string
		s := newStage(t, func(c scripted.Call, _ int) scripted.Answer {
			prompts = append(prompts, c.User)
			return says("right")
		}, task.Tier1)
		w := &watcher{}
		s.in.Health, s.in.Task.Mending.Without = w, c.without
		s.in.Recall = func(context.Context, pattern.Query) (task.Recalled, error) {
			w.care = c.care // learning was on when it was asked
			return task.Recalled{Past: []task.Mended{{Template: "x"}}, Lessons: []task.Lesson{
				{ID: "l1", Kind: task.LessonFix, Rule: "r", Words: "PRECEDENT"}, {ID: "l2", Kind: task.LessonWrong, Words: "WARNING"}, {ID: "l3", Kind: task.LessonAdvice, Words: "ADVICE"},
			}}, nil
		}
		if res, err := s.run(s.context()); err != nil || res.Outcome != task.Success {
			t.Fatalf("%s: %s %v", name, res.Outcome, err)
		}
		all := strings.Join(prompts, "\n")
		for _, words := range []string{"PRECEDENT", "WARNING", "ADVICE"} {
			if strings.Contains(all, words) != c.used {
				t.Errorf("%s: the %s is shown: %v", name, words, !c.used)
			}
		}
		if m := s.world.mending; (len(m.Lessons) == 1 && len(m.Past) == 1) != c.used {
			t.Errorf("%s: mechanical repair is told %+v", name, m)
		}
	}
}

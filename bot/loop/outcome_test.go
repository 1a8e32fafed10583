package loop

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/task"
)

// different are wrong changes that resemble each other in nothing.
var different = []string{"alpha = beta(gamma)", "while delta: epsilon()", "[zeta for eta in theta]", "raise Iota(kappa)", "lambda mu: nu | xi", "assert omicron, pi", "del rho.sigma", "tau @ upsilon", "global phi", "print(chi)", "yield psi"}

func wrong(n int) scripted.Answer { return says(different[n%len(different)]) }

const (
	onePlan  = `{"summary": "plan %s", "steps": [{"goal": "goal %s", "targets": ["weave0.py"], "acceptance": "green", "critical": false}]}`
	approved = `{"approved": true, "problems": []}`
)

// each answers by role; missing ones say nothing that could be used.
type each map[string]func(n int) scripted.Answer

func (e each) script() scripted.Script {
	seen := map[string]int{}
	return func(c scripted.Call, _ int) scripted.Answer { // one call at a time
		who := role(c)
		n := seen[who]
		seen[who]++
		if f := e[who]; f != nil {
			return f(n)
		}
		return scripted.Answer{Text: "?"}
	}
}

func text(s string) scripted.Answer { return scripted.Answer{Text: s} }

func plans(n int) scripted.Answer {
	word := string(rune('A' + n))
	return text(strings.ReplaceAll(onePlan, "%s", word))
}

// Every outcome of SPEC's list, each by a model that does what leads there.
func TestEveryOutcome(t *testing.T) {
	t.Parallel()
	always := func(s string) each {
		return each{"developer": func(int) scripted.Answer { return says(s) }}
	}
	all := []task.Tier{task.Tier1, task.Tier2, task.Tier3}
	withMeaning := []task.Tier{task.Tier1, task.TierEmbeddings}
	cosine := func(s string) func(int) scripted.Answer {
		return func(int) scripted.Answer { return text(s) }
	}
	for _, row := range []struct {
		outcome  task.Outcome
		when     string
		tiers    []task.Tier
		script   each
		setting  func(*stage)
		attempts int // -1: not said
		reason   string
	}{
		{task.Success, "the change is right", all, always("right"), nil, 2, ""},
		{task.Success, "tier 2 knows what tier 1 does not", all[:2], each{"developer": func(n int) scripted.Answer {
			if n < 3 {
				return wrong(n)
			}
			return says("right")
		}}, nil, 5, ""},
		{task.FailedAllTiers, "three attempts of each tier are wrong in other ways", all, each{"developer": wrong}, nil, 10, "every tier"},
		{task.FailedAllTiers, "the provider of the last tier is down", all[:1], each{"developer": func(int) scripted.Answer { return scripted.Answer{Status: 403, Body: "{}"} }}, nil, 2, "every tier"},
		{task.Timeout, "each test run takes ten minutes of thirty", all, each{"developer": wrong}, func(s *stage) {
			s.world.during = func(what string) {
				if what == "judge" {
					s.world.now = s.world.now.Add(10 * time.Minute)
				}
			}
		}, 4, "30m"},
		{task.Timeout, "what is left is less than the tests take: it is wrapped up", all, each{"developer": wrong}, func(s *stage) {
			s.world.during = func(what string) {
				if what == "judge" {
					s.world.now = s.world.now.Add(9*time.Minute + 56*time.Second + 500*time.Millisecond)
				}
			}
			s.in.Budget.Duration = 10 * time.Minute
		}, 2, "wrapped up"},
		{task.BudgetExhausted, "the next call might cost more than is left", all, each{"developer": wrong}, func(s *stage) { s.in.Budget.USD = task.Dollars(0.007) }, -1, "may cost up to"},
		{task.LoopDetected, "the last tier repeats a change", all[:1], always("omega"), nil, 3, "the same change as attempt 2"},
		{task.LoopDetected, "changes that mean the same fail in the same way", withMeaning, each{"developer": wrong, "detector": cosine("0.98")}, sameMessage, 3, "98 % alike"},
		{task.FailedAllTiers, "changes that mean something else fail in the same way", withMeaning, each{"developer": wrong, "detector": cosine("0.9")}, sameMessage, 4, "the same error"},
		{task.FailedAllTiers, "the embeddings endpoint says nothing of use", withMeaning, each{"developer": wrong, "detector": cosine("?")}, sameMessage, 4, "the same error"},
		{task.Impasse, "the failing set stands still and attempts are left", all[:1], each{"developer": wrong}, func(s *stage) { s.in.Budget.AttemptsPerTier = 5 }, 4, "no further"},
		{task.MaxAttempts, "the attempts of the run are used up", all, each{"developer": wrong}, func(s *stage) { s.in.Budget.Attempts = 3 }, 3, "3 attempts"},
		{task.MaxReplans, "the reviewer wants a third plan", all, each{
			"developer": func(n int) scripted.Answer { return says("right " + different[n]) }, "planner": plans, "critic": func(int) scripted.Answer { return text(approved) },
			"reviewer": func(int) scripted.Answer {
				return text(`{"verdict": "ESCALATE_TO_PLANNER", "reason": "it mends the wrong thing"}`)
			},
		}, func(s *stage) { s.withRoles(); s.world.places = 4 }, 4, "revised 2 times"},
		{task.Cancelled, "a human says stop during a call", all, always("right"), func(s *stage) { s.stopIn("reply", task.Cancelled, "/fettle stop") }, -1, "/fettle stop"},
		{task.Cancelled, "a human says stop during the tests", all, always("right"), func(s *stage) { s.stopIn("judge", task.Cancelled, "/fettle stop") }, -1, "/fettle stop"},
		{task.Quarantined, "the workflow is quarantined meanwhile", all, always("right"), func(s *stage) { s.stopIn("judge", task.Quarantined, "30 failures in 10 minutes") }, -1, "30 failures"},
		{task.Rejected, "it asks a question", all, nil, func(s *stage) { s.in.Task = task.Task{Title: "How do I use this?"} }, 0, "question"},
		{task.Rejected, "nothing fails and no model is there", nil, nil, func(s *stage) { s.world.question = true }, 0, "no test fails"},
	} {
		t.Run(string(row.outcome)+": "+row.when, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, row.script.script(), row.tiers...)
			if row.setting != nil {
				row.setting(s)
			}
			res, err := s.run(s.context())
			if err != nil {
				t.Fatal(err)
			}
			if res.Outcome != row.outcome || !strings.Contains(res.Reason, row.reason) || row.attempts >= 0 && len(res.Attempts) != row.attempts {
				t.Fatalf("%s after %d attempts: %s\n%s", res.Outcome, len(res.Attempts), res.Reason, s.kinds())
			}
			if s.journal.State.Outcome != row.outcome || res.NextAction == "" {
				t.Errorf("saved %q, next action %q", s.journal.State.Outcome, res.NextAction)
			}
			if spent, _ := s.journal.spent(); spent != res.Cost || res.Cost > withDefaults(s.in.Budget).USD {
				t.Errorf("I7: the journal says %s, the result %s", spent, res.Cost)
			}
			s.replays()
		})
	}
	t.Run("error: what is needed to work is broken", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, always("right").script(), task.Tier1)
		s.world.broken = errors.New("the sandbox broke")
		if _, err := s.run(t.Context()); err == nil || !strings.Contains(err.Error(), "the sandbox broke") {
			t.Fatalf("the door turns an error into the outcome; got %v", err) // bot.Bot.fail
		}
	})
}

// sameMessage makes every wrong change fail with the same words.
func sameMessage(s *stage) {
	s.world.during = func(what string) {
		if what == "judge" && len(s.world.tree) > 0 {
			s.world.tree[len(s.world.tree)-1] = "the same"
		}
	}
}

// stopIn ends the run from outside while something happens.
func (s *stage) stopIn(what string, outcome task.Outcome, reason string) {
	ctx, cancel := context.WithCancelCause(s.Context())
	s.in.RunID = "stopped"
	s.world.during = func(now string) {
		if now == what {
			cancel(&Stop{outcome, reason})
		}
	}
	if what == "reply" {
		s.cfg.Point = func(name string) {
			if name == "prompt sent" {
				cancel(&Stop{outcome, reason})
			}
		}
	}
	s.stopping = ctx
}

func (s *stage) context() context.Context {
	if s.stopping != nil {
		return s.stopping
	}
	return s.Context()
}

// replays holds the record against a replay of it.
func (s *stage) replays() Replayed {
	s.Helper()
	got, err := New(s.offline()).Replay(context.Background(), s.recorded())
	if err != nil {
		s.Fatalf("replay: %v", err)
	}
	return got
}

// The planner gave no other plan, since nobody answers: the reason does not say
// that the plan was revised.
func TestL1ADeadProviderRevisesNoPlan(t *testing.T) {
	t.Parallel()
	down := func(int) scripted.Answer { return scripted.Answer{Status: 403, Body: "{}"} }
	s := newStage(t, each{"developer": down, "planner": down, "critic": down}.script(), task.Tier1)
	s.withRoles().world.places = 4
	res, err := s.run(s.context())
	if err != nil || res.Outcome != task.FailedAllTiers {
		t.Fatalf("%s (%s), %v", res.Outcome, res.Reason, err)
	}
	if !strings.Contains(res.Reason, "no other plan was found") || strings.Contains(res.Reason, "revised") {
		t.Errorf("the reason is %q", res.Reason)
	}
}

package loop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/sirupsen/logrus"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/loop/estimate"
	"github.com/fettle-dev/fettle/bot/mend"
	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/belong"
	"github.com/fettle-dev/fettle/bot/verify/testgen/example"
)

// world stands in for tree and checks. A change's words say what its tests do:
// "right" mends the fault, "breaks" breaks another test, "half" mends the half
// of it; anything else fails with these words as its message.
type world struct {
	mu       sync.Mutex
	now      time.Time
	tree     []string // the words that lie in the tree
	question bool     // nothing fails on the base
	missing  []string // promised files that are not there
	places   int      // files that look suspicious
	broken   error    // of every judgement
	judged   int
	laid     int
	during   func(what string) // called when something happens outside
	scores   int               // risk of each change
	suite    time.Duration     // how long the base's tests take; zero: a second
	pins     pinned
	until    time.Duration                        // that mechanical repair was given
	followed bool                                 // mechanical repair was told that a model is asked next
	mends    string                               // words of the change that mechanical repair finds
	doubts   []string                             // of that change; nil: another one rivals it
	made     *example.Found                       // the test that is made of the issue; nil: none is
	shows    int                                  // suspicious files that are shown; zero: the first
	mending  task.Mending                         // what mechanical repair was told
	service  func(words string, s smoking) smoked // nil: there is none
}

func (w *world) happens(what string, takes time.Duration) {
	w.mu.Lock()
	w.now = w.now.Add(takes)
	w.mu.Unlock()
	if w.during != nil {
		w.during(what)
	}
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) prepare(context.Context, preparing) (prepared, error) {
	return prepared{Nothing: true}, nil
}

func (w *world) measure(context.Context, func(string)) (verify.Baseline, error) {
	w.happens("measure", time.Second)
	rep := verify.Report{Elapsed: max(w.suite, time.Second), Tests: []verify.TestResult{{ID: "pytest:.:t.py::test_other", Status: verify.StatusPassed, File: "t.py"}}}
	for _, name := range []string{"test_one", "test_two"} {
		r := verify.TestResult{ID: "pytest:.:t.py::" + name, Status: verify.StatusFailed, File: "t.py"}
		r.Failure = &task.Failure{Test: r.ID, Kind: task.FailAssertion, Exception: "AssertionError", Message: "interleave is wrong", File: "t.py", Line: 3}
		if w.question {
			r.Status, r.Failure = verify.StatusPassed, nil
		}
		rep.Tests = append(rep.Tests, r)
	}
	rep.Suites = []verify.Suite{{Name: "pytest", Dir: "."}}
	return verify.Baseline{Report: rep}, nil
}

func (w *world) exemplify(context.Context, task.Task, patch.Guard) (example.Found, error) {
	if w.made != nil {
		return *w.made, nil
	}
	return example.Found{}, nil
}

func (w *world) witness(context.Context, witnessing) (witnessed, error) {
	return turnedDown("is not run by a double"), nil
}

func (w *world) sorts(_ context.Context, c claiming) (belong.Sorted, error) {
	return belong.All(c.Baseline.Report.Red()), nil
}

func (w *world) concerned(context.Context, string) (concern, error) {
	return concern{Places: []spot{{Name: "interleave", Path: "weave0.py", Line: 1}}}, nil
}

func (w *world) localise(context.Context, search) (located, error) {
	var out located
	for i := range max(1, w.places) {
		out.Suspects = append(out.Suspects, mend.Suspect{Path: fmt.Sprintf("weave%d.py", i), Line: 1, EndLine: 2, Score: 1, Failing: 1, Reasons: []string{"run by failing tests"}})
	}
	return out, nil
}

func (w *world) facts(context.Context, search) (facts, error) { return facts{}, nil }

func (w *world) repair(_ context.Context, q search) (mend.Repair, error) {
	w.followed = q.Followed
	w.until, w.mending = q.Deadline.Sub(w.clock()), q.Task.Mending
	w.happens("repair", time.Second)
	if w.mends != "" {
		p := task.Patch{Edits: []task.Edit{{Kind: task.EditReplace, Path: "weave0.py", Region: "function:interleave@00000000", Code: w.mends}}}
		found := mend.Found{Patch: p, Explanation: "it takes turns", Alternatives: []string{"a rival"}, Ambiguous: w.doubts == nil, Doubts: w.doubts}
		return mend.Repair{Tried: 7, Plausible: 2, Found: &found}, nil
	}
	return mend.Repair{Tried: 7, Reason: "no candidate passed"}, nil
}

func (w *world) sight(context.Context, looking) (sight, error) {
	t := agent.Text{Path: "weave0.py", ID: "function:interleave@00000000", Start: 1, End: 2, Code: "def interleave(a, b):\n    return a + b\n"}
	out := sight{Shown: agent.Shown{Code: []agent.Text{t}, Files: []string{"weave0.py", "t.py"}}, TestDirs: []string{"."}}
	for i := 1; i < w.shows; i++ {
		out.Shown.Code = append(out.Shown.Code, agent.Text{Path: fmt.Sprintf("weave%d.py", i), Code: "left = 1\n"})
	}
	return out, nil
}

func (w *world) apply(_ context.Context, p task.Patch, g patch.Guard, _ task.Tier) (applied, error) {
	w.happens("apply", time.Millisecond)
	words := strings.TrimSpace(p.Edits[len(p.Edits)-1].Code) // a test that is there already goes before
	if strings.Contains(words, "protected") && !g.AllowProtected {
		return applied{Refused: "weave0.py is protected", Protected: true}, nil
	}
	w.tree = append(w.tree, words)
	diff := "--- a/weave0.py\n+++ b/weave0.py\n@@ -1 +1 @@\n+" + strings.ReplaceAll(words, "\n", "\n+") + "\n"
	return applied{Diff: diff, Regions: []task.RegionRef{{Path: "weave0.py", Name: "interleave", StartLine: 1, EndLine: 2}}, Risk: task.Risk{Score: w.scores, Reasons: []string{"made up"}}}, nil
}

func (w *world) judge(ctx context.Context, j judging) (verify.Verdict, error) {
	w.judged++
	w.happens("judge", time.Second)
	if w.broken != nil || ctx.Err() != nil {
		return verify.Verdict{}, errors.Join(w.broken, ctx.Err())
	}
	words := strings.Join(w.tree, "\n")
	red := j.Baseline.Report.Red()
	v := verify.Verdict{StillRed: red, Checks: []task.Check{{Name: "pytest .", Status: task.CheckFailed, Seconds: 1}}}
	switch {
	case strings.Contains(words, "right"):
		v.Green, v.StillRed, v.Fixed = true, nil, red
		v.Checks[0].Status = task.CheckPassed
		return v, nil
	case strings.Contains(words, "half"):
		v.StillRed, v.Fixed = red[1:], red[:1]
	case strings.Contains(words, "breaks"):
		v.Broken = []string{"pytest:.:t.py::test_other"}
	}
	v.Reasons, v.Unfixed = []string{"no test that failed before passes now"}, true
	for _, id := range v.StillRed {
		v.Failures = append(v.Failures, task.Failure{Test: id, Kind: task.FailAssertion, Exception: "AssertionError", Message: "got " + w.tree[len(w.tree)-1]})
	}
	return v, nil
}

func (w *world) reproduces(context.Context, trying) (reproduced, error) { return reproduced{}, nil }

func (w *world) weigh(context.Context, weighing) (weighed, error) { return weighed{}, nil }
func (w *world) pin(context.Context, pinning) (pinned, error)     { return w.pins, nil }
func (w *world) tool(_ context.Context, c toolCall) (string, error) {
	if c.Name == "edit" {
		return "", nil
	}
	return "", refused("not here")
}

func (w *world) delegate(context.Context, model.Request, task.USD) (model.Reply, error) {
	return model.Reply{}, errors.New("this world has no other agents")
}

func (w *world) wishes(context.Context, wishing) (wishes, error) { return wishes{}, nil }

func (w *world) apart(_ context.Context, p task.Patch, _ patch.Guard) (separated, error) {
	return separated{Patch: p}, nil
}

func (w *world) documentation(context.Context, []string) ([]agent.Text, error) {
	return nil, nil
}

func (w *world) conforms(context.Context, conforming) (conformed, error) { return conformed{}, nil }

func (w *world) checks(context.Context, checking) (checked, error) {
	return checked{NotRun: "none"}, nil
}

func (w *world) smoke(_ context.Context, s smoking) (smoked, error) {
	if w.service == nil {
		return smoked{NotRun: "none"}, nil
	}
	return w.service(strings.Join(w.tree, "\n"), s), nil
}

func (w *world) keep(_ context.Context, k keeping) (string, error) {
	return fmt.Sprintf("%040d", k.Number), nil
}

func (w *world) restore(_ context.Context, stands []standing) error {
	w.laid++
	w.tree = nil
	for _, s := range stands {
		w.tree = append(w.tree, strings.TrimSpace(s.Patch.Edits[len(s.Patch.Edits)-1].Code))
	}
	return nil
}

func (w *world) product(ctx context.Context, stands []standing, _ []string) (product, error) {
	if err := w.restore(ctx, stands); err != nil {
		return product{}, err
	}
	var out product
	for _, s := range w.tree {
		out.Changes = append(out.Changes, task.FileChange{Path: "weave0.py", Content: []byte(s), Mode: "100644"})
	}
	out.Diff, out.Missing = strings.Join(w.tree, "\n"), w.missing
	return out, nil
}

// stage is a run with a world and a scripted model.
type stage struct {
	testing.TB
	world   *world
	journal *Memory
	server  *scripted.Server
	cfg     Config
	in      Input

	stopping context.Context //nolint:containedctx // of one test
}

// offline is the configuration without anything that reaches outside.
func (s *stage) offline() Config {
	return Config{Developer: s.cfg.Developer, Planner: s.cfg.Planner, Reviewer: s.cfg.Reviewer, Tester: s.cfg.Tester, Triager: s.cfg.Triager, Reproducer: s.cfg.Reproducer, Log: s.cfg.Log,
		Now: func() time.Time { panic("a replay looked at the clock") }}
}

func (s *stage) recorded() Recorded {
	rec := Recorded{RunID: s.in.RunID, Effects: s.journal.Effects}
	for _, d := range s.journal.Decisions {
		line, err := json.Marshal(d)
		if err != nil {
			s.Fatal(err)
		}
		rec.Decisions = append(rec.Decisions, line)
	}
	return rec
}

// role tells who asks.
func role(c scripted.Call) string {
	for name, words := range map[string]string{"planner": "You are the planner", "critic": "You check a plan", "reviewer": "You review a change", "tester": "You read the result", "reproducer": "You write a test"} {
		if strings.Contains(c.System, words) {
			return name
		}
	}
	if c.Model == "model-"+string(task.TierEmbeddings) {
		return "detector"
	}
	return "developer"
}

// says answers like a developer who writes these words.
func says(words string) scripted.Answer {
	return scripted.Answer{Text: scripted.Edit("weave0.py", "function:interleave@00000000", words, "because"), TokensIn: 1000, TokensOut: 100}
}

func newStage(t testing.TB, script scripted.Script, tiers ...task.Tier) *stage {
	t.Helper()
	srv, err := scripted.Start(func(c scripted.Call, n int) scripted.Answer {
		a := script(c, n)
		if a.Status == 0 && a.TokensIn == 0 {
			a.TokensIn, a.TokensOut = 1000, 100
		}
		return a
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	return stageOn(t, srv, tiers...)
}

func stageOn(t testing.TB, srv *scripted.Server, tiers ...task.Tier) *stage {
	t.Helper()
	ends := map[task.Tier]model.Endpoint{}
	for _, tier := range tiers {
		ends[tier] = model.Endpoint{Tier: tier, BaseURL: srv.URL(), Model: "model-" + string(tier), PriceIn: 1, PriceOut: 2, MaxTokens: 500}
	}
	roles, err := agent.New(agent.Config{})
	if err != nil {
		t.Fatal(err)
	}
	log := logrus.New()
	log.SetOutput(io.Discard)
	w := &world{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	s := &stage{TB: t, world: w, server: srv, journal: NewMemory()}
	s.cfg = Config{
		Developer: roles.Developer, Sandbox: "none: a double", Log: log, Now: w.clock, double: w,
		Models: model.New(model.Config{Endpoints: ends, Log: log, Backoff: func() backoff.BackOff { return &backoff.ZeroBackOff{} }}),
	}
	s.in = Input{RunID: "r1", Task: task.Task{Title: "interleave is wrong", Body: "It should take turns."}, Journal: s.journal, History: estimate.New(estimate.Config{})}
	return s
}

// named gives the stage's models a name of their own on a shared server.
func (s *stage) named(id string) {
	ends := map[task.Tier]model.Endpoint{}
	for _, tier := range []task.Tier{task.Tier1, task.Tier2, task.Tier3} {
		if s.cfg.Models.Has(tier) {
			ends[tier] = model.Endpoint{Tier: tier, BaseURL: s.server.URL(), Model: "model-" + string(tier) + "-" + id, PriceIn: 1, PriceOut: 2, MaxTokens: 500}
		}
	}
	s.cfg.Models = model.New(model.Config{Endpoints: ends, Log: s.cfg.Log, Backoff: func() backoff.BackOff { return &backoff.ZeroBackOff{} }})
}

// withRoles adds the roles besides the developer.
func (s *stage) withRoles() *stage {
	roles, err := agent.New(agent.Config{})
	if err != nil {
		s.Fatal(err)
	}
	s.cfg.Planner, s.cfg.Reviewer, s.cfg.Tester = roles.Planner, roles.Reviewer, roles.Tester
	return s
}

// run is one process that takes the run up where the journal has it.
func (s *stage) run(ctx context.Context) (task.Result, error) {
	s.world.tree = nil // another process has another tree
	in := s.in
	in.State = s.journal.State
	return New(s.cfg).Run(ctx, in)
}

func (s *stage) kinds() string {
	var out []string
	for _, d := range s.journal.Decisions {
		out = append(out, d.Kind)
	}
	return strings.Join(out, " ")
}

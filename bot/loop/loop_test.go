package loop_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/loop"
	"github.com/fettle-dev/fettle/bot/mend"
	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
)

// The fault needs a whole new algorithm step, out of mechanical repair's reach.
const broken = `def interleave(first, second):
    """Takes one of each in turn, then what is left."""
    return first + second


def total(values):
    result = 0
    for value in values:
        result += value
    return result
`

const mended = `def interleave(first, second):
    """Takes one of each in turn, then what is left."""
    out = []
    for i in range(max(len(first), len(second))):
        out += first[i:i + 1] + second[i:i + 1]
    return out
`

const wrong = `def interleave(first, second):
    """Takes one of each in turn, then what is left."""
    return sorted(first + second)
`

const tests = `from weave import interleave, total


def test_takes_turns():
    assert interleave(["c", "a"], ["b"]) == ["c", "b", "a"]
    assert interleave([3, 1, 9], [8]) == [3, 8, 1, 9]


def test_one_empty():
    assert interleave([], [2, 1]) == [2, 1]


def test_total():
    assert total([1, 2, 3]) == 6
`

var (
	boxOnce sync.Once
	boxed   *sandbox.Sandbox
	boxErr  error
)

func TestMain(m *testing.M) {
	code := m.Run()
	if boxed != nil {
		_ = boxed.Close()
	}
	os.Exit(code)
}

func quiet() logrus.FieldLogger {
	l := logrus.New()
	l.SetOutput(io.Discard)
	return l
}

type bench struct {
	tree    *checkout.Tree
	journal *loop.Memory
	cfg     loop.Config
	engine  *loop.Loop
	task    task.Task
	now     func() time.Time
}

// newBench lays a folder out and makes a loop over a scripted model.
func newBench(t testing.TB, files map[string]string, script scripted.Script, tiers ...task.Tier) *bench {
	t.Helper()
	return newBenchWith(t, files, script, func(*model.Endpoint) {}, tiers...)
}

func newBenchWith(t testing.TB, files map[string]string, script scripted.Script, alter func(*model.Endpoint), tiers ...task.Tier) *bench {
	t.Helper()
	boxOnce.Do(func() {
		if boxed, boxErr = sandbox.New(context.Background(), sandbox.Config{Log: quiet()}); boxErr == nil {
			boxErr = boxed.Warm(context.Background()) // once per machine: without it each session compiles Go's own packages
		}
	})
	if boxErr != nil {
		t.Fatal(boxErr)
	}
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	trees, err := checkout.New(checkout.Config{Root: t.TempDir(), Now: time.Now, Log: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	tree, err := trees.OpenDir(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tree.Close() })
	endpoints := map[task.Tier]model.Endpoint{}
	if script != nil {
		srv, err := scripted.Start(script)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = srv.Close() })
		for _, tier := range tiers {
			e := model.Endpoint{Tier: tier, BaseURL: srv.URL(), Model: "model-" + string(tier), PriceIn: 1, PriceOut: 2, MaxTokens: 500}
			alter(&e)
			endpoints[tier] = e
		}
	}
	session := boxed.Session()
	t.Cleanup(func() { _ = session.Close() })
	roles, err := agent.New(agent.Config{})
	if err != nil {
		t.Fatal(err)
	}
	again := 2
	if testing.Short() { // chance is a question of the verifier's own tests
		again = -1
	}
	verifier := verify.New(verify.Config{Sandbox: session, Log: quiet(), Reruns: again})
	b := &bench{now: time.Now, tree: tree, journal: loop.NewMemory(), task: task.Task{Title: "interleave does not take turns", Body: "It should give one of each in turn.", Origin: task.OriginEval}}
	b.cfg = loop.Config{
		Verifier: verifier, Mender: mend.New(mend.Config{Sandbox: session, Verifier: verifier, Log: quiet(), MaxCandidates: 10, Workers: 1}),
		Developer: roles.Developer, Models: model.New(model.Config{Endpoints: endpoints}), MaxMutants: 4, Sandbox: "test", Log: quiet(), Now: func() time.Time { return b.now() },
	}
	b.engine = loop.New(b.cfg)
	return b
}

func (b *bench) run(t testing.TB, budget task.Budget) task.Result {
	t.Helper()
	res, err := b.engine.Run(t.Context(), loop.Input{RunID: "r1", Task: b.task, Budget: budget, Tree: b.tree, State: b.journal.State, Journal: b.journal})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

var weave = map[string]string{"weave.py": broken, "test_weave.py": tests}

// region is the id of interleave in a source text.
func region(t *testing.T, src string) string {
	t.Helper()
	regs, err := code.Regions(t.Context(), "weave.py", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range regs {
		if r.Name == "interleave" {
			return r.ID
		}
	}
	t.Fatal("no region interleave")
	return ""
}

func TestL1Tier2MendsWhatTier1CouldNotAndCostsAddUp(t *testing.T) {
	t.Parallel()
	id := region(t, broken)
	b := newBench(t, weave, func(c scripted.Call, n int) scripted.Answer {
		switch {
		case c.Model == "model-tier2":
			return scripted.Answer{Text: scripted.Edit("weave.py", id, mended, "It joined the lists instead of taking turns."), TokensIn: 1000, TokensOut: 100}
		case n == 0:
			return scripted.Answer{Text: scripted.Edit("weave.py", id, wrong, "sorted"), TokensIn: 500, TokensOut: 50}
		}
		return scripted.Answer{Text: "I do not know.", TokensIn: 500, TokensOut: 10}
	}, task.Tier1, task.Tier2)
	res := b.run(t, task.Budget{})
	if res.Outcome != task.Success || res.Tier != task.Tier2 || res.Draft {
		t.Fatalf("outcome %s at %s, draft %v: %s %v", res.Outcome, res.Tier, res.Draft, res.Reason, res.DraftReasons)
	}
	want := map[task.Tier]int{task.TierMechanical: 1, task.Tier1: 3, task.Tier2: 1}
	got := map[task.Tier]int{}
	var sum task.USD
	for _, a := range res.Attempts {
		got[a.Tier]++
		sum += a.Cost
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("attempts %v, want %v", got, want)
	}
	// two attempts of tier 1 give three answers each that cannot be read
	cost := task.Dollars(500e-6+50*2e-6) + 6*task.Dollars(500e-6+10*2e-6) + task.Dollars(1000e-6+100*2e-6)
	if res.Cost != cost || sum != cost || res.CostByTier[task.Tier2] != task.Dollars(1000e-6+100*2e-6) {
		t.Errorf("cost %v, sum of attempts %v, by tier %v; want %v", res.Cost, sum, res.CostByTier, cost)
	}
	for _, a := range res.Attempts { // L10
		hash, err := b.tree.Ref(fmt.Sprintf("refs/fettle/r1/attempt-%d", a.Number))
		if err != nil || hash != a.Commit || (a.Diff != "" && a.Refused == "") != (hash != "") {
			t.Errorf("attempt %d is commit %q, its ref says %q (%v)", a.Number, a.Commit, hash, err)
		}
	}
	if err := b.tree.Restore(t.Context(), res.Attempts[1].Commit); err != nil {
		t.Errorf("a failed attempt cannot be restored: %v", err)
	}
	if len(res.Reproduction) != 1 || !strings.Contains(res.Reproduction[0], "test_takes_turns") {
		t.Errorf("reproduction %v", res.Reproduction)
	}
	if len(res.Changes) != 1 || string(res.Changes[0].Content) != strings.Replace(broken, broken[:strings.Index(broken, "\n\n\ndef total")], strings.TrimSuffix(mended, "\n"), 1) {
		t.Errorf("the change reaches beyond the region:\n%s", res.Diff)
	}
	for _, m := range b.journal.Messages {
		if m.Tier == task.Tier2 && m.Direction == "to" && !strings.Contains(string(m.Data), "sorted(first + second)") {
			t.Error("tier 2 was not shown tier 1's failed change")
		}
	}
}

// wrongIn are wrong answers that do not resemble each other.
func wrongIn(n int, word string) string {
	return "def interleave(first, second):\n" + fmt.Sprintf([]string{
		"    return first + second + [%q] * (len(first) > 99)\n",
		"    values = list(first)\n    values.extend(second)\n    values.sort(key=lambda v: 0)\n    return values or [%q]\n",
		"    if not first:\n        return second\n    raise LookupError(%q)\n",
	}[n%3], word)
}

func TestS5AnswersThatNeverWorkEndWithTheBestAttempt(t *testing.T) {
	t.Parallel()
	id := region(t, broken)
	b := newBench(t, weave, func(c scripted.Call, n int) scripted.Answer {
		return scripted.Answer{Text: scripted.Edit("weave.py", id, wrongIn(n, c.Model), "no better")}
	}, task.Tier1, task.Tier2, task.Tier3)
	budget, want := task.Budget{}, 10 // mechanical repair, and three attempts of each tier
	if testing.Short() {
		budget.AttemptsPerTier, want = 1, 4
	}
	res := b.run(t, budget)
	if res.Outcome != task.FailedAllTiers || len(res.Attempts) != want {
		t.Fatalf("outcome %s after %d attempts: %s", res.Outcome, len(res.Attempts), res.Reason)
	}
	if res.Best == nil || len(res.Changes) == 0 || len(res.Best.Broken) != 0 {
		t.Fatalf("no best attempt is handed over: %+v", res.Best)
	}
	if res.Outcome.ExitCode() != 3 {
		t.Fatalf("exit status %d", res.Outcome.ExitCode())
	}
}

func TestL4TheSameDiffTwiceEscalatesAtOnce(t *testing.T) {
	t.Parallel()
	id := region(t, broken)
	b := newBench(t, weave, func(scripted.Call, int) scripted.Answer {
		return scripted.Answer{Text: scripted.Edit("weave.py", id, wrong, "sorted")}
	}, task.Tier1, task.Tier2)
	res := b.run(t, task.Budget{})
	n := map[task.Tier]int{}
	for _, a := range res.Attempts {
		n[a.Tier]++
	}
	if n[task.Tier1] != 2 || n[task.Tier2] != 1 || res.Outcome != task.LoopDetected {
		t.Fatalf("attempts %v, outcome %s", n, res.Outcome)
	}
}

func TestL5NoCallIsMadeThatCouldBreakTheBudget(t *testing.T) {
	t.Parallel()
	calls := 0
	var mu sync.Mutex
	b := newBench(t, weave, func(scripted.Call, int) scripted.Answer {
		mu.Lock()
		defer mu.Unlock()
		calls++
		return scripted.Answer{Text: "no idea", TokensIn: 2000, TokensOut: 500}
	}, task.Tier1, task.Tier2, task.Tier3)
	budget := task.Dollars(0.012)
	res := b.run(t, task.Budget{USD: budget})
	if res.Outcome != task.BudgetExhausted || res.Cost > budget || calls == 0 || calls > 4 {
		t.Fatalf("outcome %s, cost %v of %v, %d calls", res.Outcome, res.Cost, budget, calls)
	}
}

func TestL5EachLimitHasItsOutcome(t *testing.T) {
	t.Parallel()
	t.Run("attempts", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, weave, func(scripted.Call, int) scripted.Answer { return scripted.Answer{Text: "no idea"} }, task.Tier1, task.Tier2, task.Tier3)
		if res := b.run(t, task.Budget{Attempts: 3}); res.Outcome != task.MaxAttempts || len(res.Attempts) != 3 {
			t.Fatalf("outcome %s after %d attempts", res.Outcome, len(res.Attempts))
		}
	})
	t.Run("time", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, weave, func(scripted.Call, int) scripted.Answer {
			return scripted.Answer{Delay: time.Minute, Text: "late"}
		}, task.Tier1)
		if res := b.run(t, task.Budget{Duration: 5 * time.Second}); res.Outcome != task.Timeout {
			t.Fatalf("outcome %s: %s", res.Outcome, res.Reason)
		}
	})
	t.Run("tier", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, weave, func(scripted.Call, int) scripted.Answer {
			t.Error("a model was asked above the highest tier allowed")
			return scripted.Answer{}
		}, task.Tier1)
		if res := b.run(t, task.Budget{MaxTier: task.TierMechanical}); res.Outcome != task.FailedAllTiers || res.Cost != 0 {
			t.Fatalf("outcome %s, cost %v", res.Outcome, res.Cost)
		}
	})
}

func TestX6WhatIsNeverSentReachesNoModel(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"vault.py":      "KEY = 'canary-77'\n\n\ndef unlock(word):\n    raise ValueError('canary-77 is not ' + word)\n",
		"door.py":       "from vault import unlock\n\n\ndef enter(word):\n    return unlock(word)\n",
		"test_door.py":  "from door import enter\n\n\ndef test_enter():\n    assert enter('x') == 'open'\n",
		"test_other.py": "def test_other():\n    assert True\n",
	}
	var seen strings.Builder
	var mu sync.Mutex
	b := newBench(t, files, func(c scripted.Call, _ int) scripted.Answer {
		mu.Lock()
		defer mu.Unlock()
		seen.WriteString(c.System + c.User)
		return scripted.Answer{Text: "no idea"}
	}, task.Tier1)
	b.task.Title = "enter raises an error"
	if _, err := b.engine.Run(t.Context(), loop.Input{RunID: "r1", Task: b.task, Tree: b.tree, Journal: b.journal, NeverSend: []string{"vault.py"}}); err != nil {
		t.Fatal(err)
	}
	if got := seen.String(); strings.Contains(got, "canary-77") || !strings.Contains(got, "def enter") {
		t.Fatalf("the prompt holds the secret, or nothing at all:\n%s", got)
	}
}

func TestL7CancelEndsTheRunWithItsOwnOutcome(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	b := newBench(t, weave, func(scripted.Call, int) scripted.Answer {
		cancel(&loop.Stop{Outcome: task.Cancelled, Reason: "/fettle stop"})
		return scripted.Answer{Delay: time.Minute}
	}, task.Tier1)
	res, err := b.engine.Run(ctx, loop.Input{RunID: "r1", Task: b.task, Tree: b.tree, Journal: b.journal})
	if err != nil || res.Outcome != task.Cancelled || res.Reason != "/fettle stop" {
		t.Fatalf("outcome %s (%s), error %v", res.Outcome, res.Reason, err)
	}
}

func TestL7ARunGoesOnFromItsLastSavedAttemptAndBuysNothingTwice(t *testing.T) {
	t.Parallel()
	id := region(t, broken)
	calls := map[string]int{}
	var mu sync.Mutex
	ctx, cancel := context.WithCancel(t.Context())
	b := newBench(t, weave, func(c scripted.Call, n int) scripted.Answer {
		mu.Lock()
		defer mu.Unlock()
		calls[c.Model]++
		if c.Model == "model-tier2" {
			return scripted.Answer{Text: scripted.Edit("weave.py", id, mended, "turns")}
		}
		return scripted.Answer{Text: fmt.Sprintf("no idea %d", n)}
	}, task.Tier1, task.Tier2)
	b.journal.AfterSave = func(s task.RunState) {
		if len(s.Attempts) == 3 { // mechanical and two of tier 1
			cancel()
		}
	}
	if _, err := b.engine.Run(ctx, loop.Input{RunID: "r1", Task: b.task, Tree: b.tree, Journal: b.journal}); !errors.Is(err, context.Canceled) {
		t.Fatalf("an interrupted run must stay unfinished, got %v", err)
	}
	b.journal.AfterSave = nil
	raw, err := json.Marshal(b.journal.State)
	if err != nil {
		t.Fatal(err)
	}
	b.journal.State = task.RunState{}
	if err := json.Unmarshal(raw, &b.journal.State); err != nil {
		t.Fatal(err)
	}
	if err := b.tree.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	res := b.run(t, task.Budget{})
	if res.Outcome != task.Success || len(res.Attempts) != 5 {
		t.Fatalf("outcome %s after %d attempts", res.Outcome, len(res.Attempts))
	}
	if calls["model-tier1"] != 9 || // three attempts of three answers that cannot be read
		calls["model-tier2"] != 1 {
		t.Fatalf("calls %v: something was bought twice", calls)
	}
}

func TestL7ACallCutByAShutdownIsChargedAndNeverMadeAgainUnderItsName(t *testing.T) {
	sandboxtest.Whole(t)
	t.Parallel()
	id := region(t, broken)
	calls := 0
	var mu sync.Mutex
	ctx, cancel := context.WithCancel(t.Context())
	b := newBench(t, weave, func(scripted.Call, int) scripted.Answer {
		mu.Lock()
		defer mu.Unlock()
		if calls++; calls == 1 {
			cancel()
			return scripted.Answer{Delay: time.Minute}
		}
		return scripted.Answer{Text: scripted.Edit("weave.py", id, mended, "turns"), TokensIn: 10, TokensOut: 10}
	}, task.Tier1)
	if _, err := b.engine.Run(ctx, loop.Input{RunID: "r1", Task: b.task, Tree: b.tree, Journal: b.journal}); !errors.Is(err, context.Canceled) {
		t.Fatalf("an interrupted run must stay unfinished, got %v", err)
	}
	if len(b.journal.Held) != 1 || !b.journal.Held[0].Settled || b.journal.Held[0].Actual != b.journal.Held[0].Worst {
		t.Fatalf("the call in flight is not charged at its worst case: %+v", b.journal.Held)
	}
	worst := b.journal.Held[0].Worst
	if err := b.tree.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	res := b.run(t, task.Budget{})
	if res.Outcome != task.Success || calls != 2 || len(b.journal.Held) != 2 {
		t.Fatalf("outcome %s (%s), %d calls, %d reservations", res.Outcome, res.Reason, calls, len(b.journal.Held))
	}
	if want := worst + task.Dollars(10e-6+10*2e-6); res.Cost != want {
		t.Errorf("cost %v, want %v: the lost call counts", res.Cost, want)
	}
}

func TestC5WhereNoTestFailsANewOneHasToFailFirst(t *testing.T) {
	t.Parallel()
	green := strings.Replace(tests, tests[strings.Index(tests, "def test_takes_turns"):strings.Index(tests, "def test_one_empty")], "", 1)
	id := region(t, broken)
	newTest := "from weave import interleave\n\n\ndef test_turns():\n    assert interleave([1, 2], [9]) == [1, 9, 2]\n"
	idle := "from weave import interleave\n\n\ndef test_turns():\n    assert interleave([], []) == []\n"
	answer := func(test string) string {
		return "```json\n{\"edits\":[{\"kind\":\"replace_region\",\"path\":\"weave.py\",\"region\":\"" + id + "\",\"code\":1},{\"kind\":\"create_file\",\"path\":\"test_turns.py\",\"code\":2}],\"explanation\":\"turns\"}\n```\n```\n" + mended + "```\n```\n" + test + "```\n"
	}
	b := newBench(t, map[string]string{"weave.py": broken, "test_weave.py": green}, func(c scripted.Call, n int) scripted.Answer {
		if n == 0 {
			return scripted.Answer{Text: answer(idle)}
		}
		return scripted.Answer{Text: answer(newTest)}
	}, task.Tier1)
	res := b.run(t, task.Budget{})
	if res.Outcome != task.Success || len(res.Attempts) != 2 || len(res.Changes) != 2 {
		t.Fatalf("outcome %s (%s), %d attempts, %d files", res.Outcome, res.Reason, len(res.Attempts), len(res.Changes))
	}
	if !strings.Contains(res.Attempts[0].Refused, "does not fail") {
		t.Errorf("a test that passes on the base was taken: %+v", res.Attempts[0].Refused)
	}
}

func TestA3AnAttemptNamesTheSubstituteThatAnswered(t *testing.T) {
	sandboxtest.Whole(t)
	t.Parallel()
	id := region(t, broken)
	b := newBenchWith(t, weave, func(c scripted.Call, _ int) scripted.Answer {
		if c.Model != "stand-in" {
			return scripted.Answer{Status: 404, Body: `{"error":{"code":"model_not_found","message":"no such model"}}`}
		}
		return scripted.Answer{Text: scripted.Edit("weave.py", id, mended, "It joined the lists."), TokensIn: 10, TokensOut: 10}
	}, func(e *model.Endpoint) {
		e.Substitute = &model.Endpoint{BaseURL: e.BaseURL, Model: "stand-in", PriceIn: 3, PriceOut: 3, MaxTokens: 500}
	}, task.Tier1)
	res := b.run(t, task.Budget{})
	if res.Outcome != task.Success || res.Best.Model != "stand-in" {
		t.Fatalf("outcome %s (%s), best %+v", res.Outcome, res.Reason, res.Best)
	}
	noted, told := false, false
	for _, d := range b.journal.Decisions {
		noted = noted || d.Kind == "model.substituted" && d.Data["model"] == "stand-in"
	}
	for _, m := range b.journal.Messages {
		told = told || m.Direction == "from" && m.Model == "stand-in"
	}
	if !noted || !told {
		t.Errorf("in the audit log %v, in the conversation %v", noted, told)
	}
}

func TestE5ANewFileOutOfTheRepositorysScopeIsRefused(t *testing.T) {
	t.Parallel()
	id := region(t, broken)
	b := newBench(t, weave, func(scripted.Call, int) scripted.Answer {
		return scripted.Answer{Text: "```json\n{\"edits\":[{\"kind\":\"replace_region\",\"path\":\"weave.py\",\"region\":\"" + id + "\",\"code\":1},{\"kind\":\"create_file\",\"path\":\"other/helper.py\",\"code\":2}],\"explanation\":\"turns\"}\n```\n```\n" + mended + "```\n```\nx = 1\n```\n"}
	}, task.Tier1)
	res, err := b.engine.Run(t.Context(), loop.Input{RunID: "r1", Task: b.task, Tree: b.tree, Journal: b.journal, RepoScope: []string{"weave.py"}, Budget: task.Budget{AttemptsPerTier: 1}})
	if err != nil || res.Outcome != task.FailedAllTiers || !strings.Contains(res.Attempts[len(res.Attempts)-1].Refused, "out of the scope") {
		t.Fatalf("outcome %s, %v, attempts %+v", res.Outcome, err, res.Attempts)
	}
}

func TestS2WhatCannotBeCheckedIsRejectedWithWhatIsMissing(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		title, body string
		files       map[string]string
		want        string
	}{
		"a question":        {"How do I install this?", "I use Debian.", weave, "question"},
		"no tests":          {"total is wrong", "It should add.", map[string]string{"weave.py": broken}, "test"},
		"unknown language":  {"main crashes", "It stops with error 500 on start.", map[string]string{"main.cob": "DISPLAY 'x'.\n"}, "test"},
		"nothing red":       {"total is wrong", "It should add.", map[string]string{"weave.py": broken, "test_weave.py": "from weave import total\n\n\ndef test_total():\n    assert total([1]) == 1\n"}, "no test fails"},
		"cannot be read in": {"total is wrong", "It should add.", map[string]string{"weave.py": broken, "test_weave.py": "import nothing_of_this_name\n\n\ndef test_x():\n    assert True\n"}, "test"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, tc.files, nil)
			b.task.Title, b.task.Body = tc.title, tc.body
			res := b.run(t, task.Budget{})
			if res.Outcome != task.Rejected || !strings.Contains(res.Reason, tc.want) {
				t.Fatalf("outcome %s: %s", res.Outcome, res.Reason)
			}
		})
	}
}

func TestS2TestsThatCannotBeReadInAreNamedWhereNothingElseFails(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{
		"weave.py":      broken,
		"test_weave.py": "from weave import total\n\n\ndef test_total():\n    assert total([1]) == 1\n",
		"test_clock.py": "import nothing_of_this_name\n\n\ndef test_x():\n    assert True\n",
	}, nil)
	b.task.Title, b.task.Body = "total is wrong", "It should add."
	res := b.run(t, task.Budget{})
	if res.Outcome != task.Rejected || !strings.Contains(res.Reason, "test_clock.py") || !strings.Contains(res.Reason, "nothing_of_this_name") || len(res.Attempts) != 0 {
		t.Errorf("outcome %s after %d attempts: %s", res.Outcome, len(res.Attempts), res.Reason)
	}
}

package bot_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/loop"
	"github.com/fettle-dev/fettle/bot/mend"
	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
)

// minute is how long what is cancelled would have taken.
const minute = time.Minute

// during are the works that a cancel comes in the middle of.
var during = map[string]struct {
	tests string // of the repository
	calls bool   // the cancel comes from within the model's call
}{
	"a model call": {"import unittest\nfrom a import f\n\n\nclass T(unittest.TestCase):\n    def test_f(self):\n        self.assertEqual(f(), 'one of no template')\n", true},
	"a test run":   {"import time\nimport unittest\n\n\nclass T(unittest.TestCase):\n    def test_f(self):\n        time.sleep(60)\n", false},
}

// watcher asks for the cancel when the tests of the base are about to be run.
type watcher struct {
	told
	once   sync.Once
	cancel func()
}

func (w *watcher) Progress(_ context.Context, p task.Progress) error {
	if p.Phase == "baseline" {
		w.once.Do(w.cancel)
	}
	return nil
}

// stopped runs a whole run of real tests in a real sandbox, over a scripted model
// that takes a minute, cancels it, and gives the time from the ask to the saved
// end, and the run as it stands in the store.
func stopped(tb testing.TB, where string) (time.Duration, task.Run) {
	tb.Helper()
	w := during[where]
	ctx := tb.Context()
	db, err := store.Open(ctx, filepath.Join(tb.TempDir(), "fettle.db"), store.Config{})
	if err != nil {
		tb.Fatal(err)
	}
	defer db.Close()
	dir := tb.TempDir()
	for name, text := range map[string]string{"a.py": "def f():\n    return 'x'\n", "test_a.py": w.tests} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	box, err := sandbox.New(ctx, sandbox.Config{StateDir: tb.TempDir(), Log: nobody()})
	if err != nil {
		tb.Fatal(err)
	}
	defer box.Close()
	var asked time.Time
	ask := func() {
		asked = time.Now()
		if err := db.AskCancel(ctx, "r1", "/fettle stop"); err != nil {
			tb.Error(err)
		}
	}
	srv, err := scripted.Start(func(scripted.Call, int) scripted.Answer {
		if w.calls {
			ask()
		}
		return scripted.Answer{Text: "no idea", Delay: minute, TokensIn: 100, TokensOut: 10}
	})
	if err != nil {
		tb.Fatal(err)
	}
	defer srv.Close()
	pub := &watcher{cancel: func() {}}
	if !w.calls {
		pub.cancel = ask
	}
	if _, _, err := db.CreateRun(ctx, store.NewRun{ID: "r1", Budget: task.Budget{USD: task.Dollars(1)}, Task: task.Task{Title: "f() gives the wrong number", Issue: 1, Repo: shop}}); err != nil {
		tb.Fatal(err)
	}
	lease, r, err := db.Claim(ctx)
	if err != nil {
		tb.Fatal(err)
	}
	engine := func(context.Context, string) (*loop.Loop, func() error, error) {
		roles, err := agent.New(agent.Config{})
		if err != nil {
			return nil, nil, err
		}
		session := box.Session()
		verifier := verify.New(verify.Config{Sandbox: session, Log: nobody()})
		return loop.New(loop.Config{
			Verifier: verifier, Mender: mend.New(mend.Config{Sandbox: session, Verifier: verifier, MaxCandidates: 1}), Developer: roles.Developer,
			Models: model.New(model.Config{Endpoints: map[task.Tier]model.Endpoint{task.Tier1: {Tier: task.Tier1, BaseURL: srv.URL(), Model: "slow", PriceIn: 1, PriceOut: 2, MaxTokens: 500}}}),
			Log:    nobody(), Sandbox: "test",
		}), session.Close, nil
	}
	trees, err := checkout.New(checkout.Config{Root: tb.TempDir(), Now: time.Now, Log: nobody()})
	if err != nil {
		tb.Fatal(err)
	}
	_, _, err = bot.New(bot.Config{Store: db, Log: nobody(), Engine: engine}).Run(ctx, lease, r, bot.Job{
		Open: func(ctx context.Context) (*checkout.Tree, error) { return trees.OpenDir(ctx, dir) }, Publisher: pub,
	})
	took := time.Since(asked)
	if err != nil || asked.IsZero() {
		tb.Fatalf("asked at %s: %v", asked, err)
	}
	after, err := db.Run(ctx, "r1")
	if err != nil {
		tb.Fatal(err)
	}
	return took, after
}

func TestL7ACancelInMidCallAndInMidTestEndsTheRunWithItsStateSaved(t *testing.T) {
	t.Parallel()
	for where := range during {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			took, r := stopped(t, where)
			if r.State != task.StateDone || r.Result.Outcome != task.Cancelled || r.Result.Reason != "/fettle stop" {
				t.Errorf("the run is %s, %s (%s)", r.State, r.Result.Outcome, r.Result.Reason)
			}
			if took >= minute {
				t.Errorf("it was waited for to the end: %s", took)
			}
			// what was begun and not answered is charged at what was set aside for it
			if paid := r.Result.Cost > 0; paid != during[where].calls {
				t.Errorf("the run cost %v", r.Result.Cost)
			}
		})
	}
}

// BenchmarkL7Cancel reports the longest time from a cancel to the saved end of
// the run; two seconds are promised. A running job hears of it by its next
// heartbeat, which comes every second.
func BenchmarkL7Cancel(b *testing.B) {
	for where := range during {
		b.Run(where, func(b *testing.B) {
			var longest time.Duration
			for b.Loop() {
				took, _ := stopped(b, where)
				longest = max(longest, took)
			}
			b.ReportMetric(longest.Seconds(), "s-longest")
		})
	}
}

package bot_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/forge"
	"github.com/fettle-dev/fettle/bot/loop"
	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// told is a publisher that remembers what it was asked to hand over.
type told struct {
	mu  sync.Mutex
	all []task.Result
}

func (p *told) Start(context.Context, task.Run) error         { return nil }
func (p *told) Progress(context.Context, task.Progress) error { return nil }
func (p *told) Publish(_ context.Context, r task.Result) (task.Publication, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = append(p.all, r)
	return task.Publication{}, nil
}

func (p *told) Ask(context.Context, task.Gate) error { return nil }

func nobody() logrus.FieldLogger {
	l := logrus.New()
	l.SetOutput(io.Discard)
	return l
}

func openDB(t *testing.T, cfg store.Config) *store.Store {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "fettle.db"), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

var shop = task.Repo{Installation: 1, Owner: "acme", Name: "shop", DefaultBranch: "main"}

func TestS2ACancelInMidCloneIsSaidWhereItWasAskedFor(t *testing.T) {
	t.Parallel()
	db := openDB(t, store.Config{})
	if _, _, err := db.CreateRun(t.Context(), store.NewRun{ID: "r1", Task: task.Task{Title: "x", Issue: 1, Repo: shop}}); err != nil {
		t.Fatal(err)
	}
	lease, r, err := db.Claim(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	pub := &told{}
	_, _, err = bot.New(bot.Config{Store: db, Log: nobody()}).Run(t.Context(), lease, r, bot.Job{
		Open: func(ctx context.Context) (*checkout.Tree, error) {
			if err := db.AskCancel(ctx, "r1", "the label was taken off"); err != nil {
				return nil, err
			}
			<-ctx.Done()
			return nil, context.Cause(ctx)
		},
		Publisher: pub,
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(pub.all) != 1 || pub.all[0].Outcome != task.Cancelled || pub.all[0].Reason != "the label was taken off" {
		t.Errorf("told: %+v", pub.all)
	}
	if r, err := db.Run(t.Context(), "r1"); err != nil || r.State != task.StateDone || r.Outcome != task.Cancelled {
		t.Errorf("the run is %s, %s, %v", r.State, r.Outcome, err)
	}
}

func TestI3ARunThatKillsEveryProcessEndsAsAnError(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	clock := time.Now()
	now := func() time.Time { mu.Lock(); defer mu.Unlock(); return clock }
	db := openDB(t, store.Config{Now: now})
	if _, _, err := db.CreateRun(t.Context(), store.NewRun{ID: "r1", Task: task.Task{Title: "x", Issue: 1, Repo: shop}}); err != nil {
		t.Fatal(err)
	}
	pub, opened := &told{}, 0
	for range 100 {
		lease, r, err := db.ClaimRun(t.Context(), "r1")
		if errors.Is(err, store.ErrDone) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if lease.Crashes < 30 { // its holder dies
			mu.Lock()
			clock = clock.Add(2 * time.Minute)
			mu.Unlock()
			continue
		}
		_, _, _ = bot.New(bot.Config{Store: db, Log: nobody(), Now: now}).Run(t.Context(), lease, r, bot.Job{Publisher: pub,
			Open: func(context.Context) (*checkout.Tree, error) {
				opened++
				mu.Lock()
				clock = clock.Add(2 * time.Minute)
				mu.Unlock()
				return nil, store.ErrFenced // as if it had died here
			}})
	}
	if opened != 1 || len(pub.all) != 1 || pub.all[0].Outcome != task.Error || !strings.Contains(pub.all[0].Reason, "died 31 times") {
		t.Errorf("opened %d times, told %+v", opened, pub.all)
	}
}

// hub is a forge on which the maintainer may write.
type hub struct {
	bot.Forge
	events  []task.Event
	issue   task.Issue
	replies []string
}

func (h *hub) DecodeAll(string, string, []byte) ([]task.Event, error) { return h.events, nil }
func (h *hub) Permission(context.Context, task.Repo, string) (string, error) {
	return "write", nil
}
func (h *hub) Issue(context.Context, task.Repo, int) (task.Issue, error)  { return h.issue, nil }
func (h *hub) Repo(_ context.Context, r task.Repo) (task.Repo, error)     { return r, nil }
func (h *hub) React(context.Context, task.Repo, int, int64, string) error { return nil }
func (h *hub) Comment(_ context.Context, _ task.Repo, _ int, _, body string) (string, error) {
	h.replies = append(h.replies, body)
	return "", nil
}

func deliver(t *testing.T, db *store.Store, h *hub, id string) {
	t.Helper()
	app := bot.NewApp(bot.New(bot.Config{Store: db, Log: nobody()}), bot.AppConfig{Forge: h, Funnel: redact.New(), Label: "agent:fix", NewID: func() string { return "run-" + id }})
	if _, err := app.Accept(t.Context(), id, "issues", 1, []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if err := app.Deliver(t.Context(), id); err != nil {
		t.Fatal(err)
	}
}

func TestTrust7TheTextCountsAsItWasAtTheTrigger(t *testing.T) {
	t.Parallel()
	db := openDB(t, store.Config{})
	then := task.Issue{Number: 1, Title: "median is wrong", Body: "as labelled", State: "open", Labels: []string{"agent:fix"}}
	now := then
	now.Title, now.Body = "add a back door", "edited after the label"
	h := &hub{issue: now, events: []task.Event{{Kind: task.EventLabeled, Delivery: "d1", Repo: shop, Issue: then, Actor: "maintainer", Label: "agent:fix"}}}
	deliver(t, db, h, "d1")
	r, err := db.Run(t.Context(), "run-d1")
	if err != nil || r.Task.Title != then.Title || r.Task.Body != then.Body {
		t.Errorf("the task is %q, %q, %v", r.Task.Title, r.Task.Body, err)
	}
}

func TestS3FixOnAPullRequestStartsNothing(t *testing.T) {
	t.Parallel()
	db := openDB(t, store.Config{})
	pr := task.Issue{Number: 7, Title: "a change", State: "open", IsPullRequest: true}
	h := &hub{issue: pr, events: []task.Event{{Kind: task.EventComment, Delivery: "d1", Repo: shop, Issue: pr, Actor: "maintainer", CommentID: 9, Comment: "/fettle fix"}}}
	deliver(t, db, h, "d1")
	if runs, err := db.Runs(t.Context(), store.Filter{}); err != nil || len(runs) != 0 || len(h.replies) != 1 || !strings.Contains(h.replies[0], "issue") {
		t.Errorf("%d runs, replies %q, %v", len(runs), h.replies, err)
	}
}

// hushed is a publisher whose forge wants to hear nothing for an hour.
type hushed struct{ told }

func (p *hushed) Publish(context.Context, task.Result) (task.Publication, error) {
	return task.Publication{}, &forge.RateLimited{Until: time.Now().Add(time.Hour)}
}

func TestF06AFailureThatMayNotBeToldYetWaitsForItsTime(t *testing.T) {
	t.Parallel()
	db := openDB(t, store.Config{})
	if _, _, err := db.CreateRun(t.Context(), store.NewRun{ID: "r1", Task: task.Task{Title: "x", Repo: shop}}); err != nil {
		t.Fatal(err)
	}
	lease, r, err := db.Claim(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = bot.New(bot.Config{Store: db, Log: nobody()}).Run(t.Context(), lease, r, bot.Job{Publisher: &hushed{},
		Open: func(context.Context) (*checkout.Tree, error) { return nil, errors.New("the disk is on fire") }})
	if err == nil {
		t.Error("the failure is not said to the worker")
	}
	if r, err := db.Run(t.Context(), "r1"); err != nil || r.State != task.StateParked {
		t.Errorf("the run is %s, %v", r.State, err)
	}
}

func TestL6ARunThatIsCancelledBeforeItGoesOnShowsWhatItCost(t *testing.T) {
	t.Parallel()
	db := openDB(t, store.Config{})
	if _, _, err := db.CreateRun(t.Context(), store.NewRun{ID: "r1", Budget: task.DefaultBudget(), Task: task.Task{Title: "x", Issue: 1, Repo: shop}}); err != nil {
		t.Fatal(err)
	}
	first, _, err := db.Claim(t.Context())
	if err == nil {
		_, err = db.Reserve(t.Context(), first, task.Reservation{ID: "1/1", Tier: task.Tier1, Worst: task.Dollar / 2})
	}
	if err == nil {
		err = db.Settle(t.Context(), first, "1/1", task.Dollar/4, nil)
	}
	if err == nil {
		err = db.SaveState(t.Context(), first, task.RunState{Attempts: []task.Attempt{{Number: 1, Tier: task.Tier1}}, Worked: time.Minute})
	}
	if err == nil {
		err = db.Release(t.Context(), first) // the server goes down
	}
	if err == nil {
		err = db.AskCancel(t.Context(), "r1", "the label was taken off")
	}
	if err != nil {
		t.Fatal(err)
	}
	lease, r, err := db.Claim(t.Context())
	if err != nil || lease == nil {
		t.Fatal(lease, err)
	}
	pub := &told{}
	res, _, err := bot.New(bot.Config{Store: db, Log: nobody()}).Run(t.Context(), lease, r, bot.Job{Publisher: pub})
	if err != nil || len(pub.all) != 1 || pub.all[0].Cost != task.Dollar/4 || pub.all[0].CostByTier[task.Tier1] != task.Dollar/4 {
		t.Errorf("told %+v, %v", pub.all, err)
	}
	if res.Outcome != task.Cancelled || len(res.Attempts) != 1 || res.Elapsed != time.Minute {
		t.Errorf("%+v", res)
	}
}

func TestC2AnUnreadableRepositorysFileIsSaidInPlainWords(t *testing.T) {
	t.Parallel()
	for name, lay := range map[string]func(dir string) error{
		"a key of the operator": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, ".fettle.yml"), []byte("base: main\nsandbox: none\n"), 0o600)
		},
		"not YAML": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, ".fettle.yml"), []byte("base: [\n"), 0o600)
		},
		"a folder": func(dir string) error { return os.MkdirAll(filepath.Join(dir, ".fettle.yml", "x"), 0o700) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, dir, pub := openDB(t, store.Config{}), t.TempDir(), &told{}
			if err := errors.Join(lay(dir), os.WriteFile(filepath.Join(dir, ".fettle.yml.keep"), nil, 0o600)); err != nil {
				t.Fatal(err)
			}
			if name == "a folder" {
				if err := os.WriteFile(filepath.Join(dir, ".fettle.yml", "x", "y"), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			trees, err := checkout.New(checkout.Config{Root: t.TempDir(), Now: time.Now, Log: nobody()})
			if err != nil {
				t.Fatal(err)
			}
			r, _, err := db.CreateRun(t.Context(), store.NewRun{ID: "r1", Task: task.Task{Title: "x", Origin: task.OriginCLI, Repo: task.Repo{Dir: dir}}})
			if err != nil {
				t.Fatal(err)
			}
			lease, r, err := db.ClaimRun(t.Context(), r.ID)
			if err != nil {
				t.Fatal(err)
			}
			none := func(context.Context, string) (*loop.Loop, func() error, error) {
				return nil, func() error { return nil }, nil
			}
			res, _, err := bot.New(bot.Config{Store: db, Log: nobody(), Engine: none}).Run(t.Context(), lease, r, bot.Job{Publisher: pub,
				Open: func(ctx context.Context) (*checkout.Tree, error) { return trees.OpenDir(ctx, dir) }})
			if err != nil || res.Outcome != task.Rejected || !strings.Contains(res.Reason, ".fettle.yml cannot be used") || !strings.Contains(res.NextAction, ".fettle.yml") {
				t.Errorf("%s: %q, next %q, %v", res.Outcome, res.Reason, res.NextAction, err)
			}
			if len(pub.all) != 1 || strings.Contains(res.Reason, "\n") {
				t.Errorf("told %+v", pub.all)
			}
		})
	}
}

package forge_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/forge"
	"github.com/fettle-dev/fettle/bot/forge/simulator"
	"github.com/fettle-dev/fettle/bot/forge/simulator/contract"
	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/hooks"
)

// The tests in this file talk to the simulator, and every request and answer
// is held against GitHub's own description.

const webhookSecret = "a secret of the test"

type world struct {
	t      *testing.T
	sim    *simulator.Server
	client *forge.Client
	repo   task.Repo
	issue  int
	own    *kept
}

// kept is a ledger that outlives clients.
type kept struct {
	mu   sync.Mutex
	made map[string]bool
}

func (k *kept) Made(_ context.Context, sha string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.made[sha] = true
	return nil
}

func (k *kept) IsOurs(_ context.Context, sha string) (bool, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.made[sha], nil
}

// description is loaded once: that takes longer than most of the tests.
var description = sync.OnceValues(contract.New)

func newWorld(t *testing.T, change ...func(*simulator.Config)) *world {
	t.Helper()
	v, err := description()
	ok(t, err)
	w := &world{t: t, own: &kept{made: map[string]bool{}}}
	cfg := simulator.Config{Root: t.TempDir(), WebhookSecret: webhookSecret, Middleware: v.Wrap}
	for _, c := range change {
		c(&cfg)
	}
	w.sim, err = simulator.New(cfg)
	ok(t, err)
	served := make(chan error, 1)
	go func() { served <- w.sim.Serve(context.Background()) }()
	src := t.TempDir()
	ok(t, os.WriteFile(filepath.Join(src, "calc.py"), []byte("def add(a, b):\n    return a - b\n"), 0o600))
	ok(t, os.WriteFile(filepath.Join(src, "old.py"), []byte("x = 1\n"), 0o600))
	ok(t, os.WriteFile(filepath.Join(src, "run.sh"), []byte("#!/bin/sh\n"), 0o700))
	ok(t, w.sim.AddRepo("octo", "demo", src))
	w.issue, err = w.sim.OpenIssue("octo", "demo", "add subtracts", "it does", "eve")
	ok(t, err)
	w.repo = task.Repo{Installation: w.sim.Snapshot("octo", "demo").Installation, Owner: "octo", Name: "demo"}
	w.client = w.fresh()
	t.Cleanup(func() {
		ok(t, w.sim.Close())
		ok(t, <-served)
		for _, x := range v.Violations() {
			t.Errorf("not as GitHub describes it: %s", x)
		}
	})
	return w
}

// fresh is a client that knows nothing, as after a restart.
func (w *world) fresh() *forge.Client {
	w.t.Helper()
	c, err := forge.New(forge.Config{
		AppID: w.sim.AppID(), PrivateKey: w.sim.PrivateKeyPEM(), BaseURL: w.sim.URL(), Funnel: redact.New(), RetryPause: time.Millisecond, MarkerKey: []byte("a key of sixteen"),
	})
	ok(w.t, err)
	return c
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) files() []task.FileChange {
	return []task.FileChange{
		{Path: "calc.py", Content: []byte("def add(a, b):\n    return a + b\n"), Mode: "100644"},
		{Path: "test_calc.py", Content: []byte("def test_add(): pass\n"), Mode: "100644"},
		{Path: "old.py", Deleted: true},
	}
}

const fix = "fix: add adds\n\nFettle-Run: r1"

// publish does what a run does from the trigger to the pull request.
func (w *world) publish(ctx context.Context, c *forge.Client, draft bool) (task.PullRequest, error) {
	return w.publishOn(ctx, c, "fettle/issue-1-add-subtracts", draft)
}

func (w *world) publishOn(ctx context.Context, c *forge.Client, branch string, draft bool) (task.PullRequest, error) {
	if err := c.React(ctx, w.repo, w.issue, 0, "eyes"); err != nil {
		return task.PullRequest{}, err
	}
	if _, _, err := c.StatusComment(ctx, w.repo, w.issue, "status-1", "working on it"); err != nil {
		return task.PullRequest{}, err
	}
	if err := c.StateLabel(ctx, w.repo, w.issue, forge.LabelWorking); err != nil {
		return task.PullRequest{}, err
	}
	now, err := c.Repo(ctx, w.repo)
	if err != nil {
		return task.PullRequest{}, err
	}
	base, _, err := c.BranchHead(ctx, w.repo, now.DefaultBranch)
	if err != nil {
		return task.PullRequest{}, err
	}
	old, _, err := c.BranchHead(ctx, w.repo, branch)
	if err != nil {
		return task.PullRequest{}, err
	}
	sha, err := c.CommitFiles(ctx, w.repo, branch, base, fix, w.files(), old, w.own)
	if err != nil {
		return task.PullRequest{}, err
	}
	if err := c.CheckRun(ctx, w.repo, sha, "fettle", "success", "all green", "12 tests"); err != nil {
		return task.PullRequest{}, err
	}
	pr, err := c.PullRequest(ctx, w.repo, branch, now.DefaultBranch, "fix: add adds", "It adds.", 1, draft)
	if err != nil {
		return pr, err
	}
	if err := c.StateLabel(ctx, w.repo, w.issue, forge.LabelReady); err != nil {
		return pr, err
	}
	_, _, err = c.StatusComment(ctx, w.repo, w.issue, "status-1", "done: "+pr.URL)
	return pr, err
}

// stands checks what a reader of the repository sees: I2.
func (w *world) stands(draft bool) {
	w.t.Helper()
	s := w.sim.Snapshot("octo", "demo")
	if len(s.Branches) != 2 || len(s.Pulls) != 1 || len(s.Checks) != 1 {
		w.t.Fatalf("branches %v, %d pulls, %d checks", s.Branches, len(s.Pulls), len(s.Checks))
	}
	pr := s.Pulls[0]
	if pr.Draft != draft || pr.Base != s.DefaultBranch || pr.HeadSHA != s.Branches[pr.Head] {
		w.t.Errorf("pull request %+v", pr)
	}
	for _, part := range []string{"+    return a + b", "deleted file", "test_calc.py"} {
		if !strings.Contains(pr.Diff, part) {
			w.t.Errorf("the diff lacks %q:\n%s", part, pr.Diff)
		}
	}
	if want := map[bool]string{true: "Refs #1", false: "Fixes #1"}[draft]; !strings.Contains(pr.Body, want) {
		w.t.Errorf("a pull request, draft %v, does not say %q: %q", draft, want, pr.Body)
	}
	i := s.Issues[0]
	if len(i.Comments) != 1 || !strings.Contains(i.Comments[0].Body, "done: ") || i.Comments[0].Author != "fettle[bot]" {
		w.t.Errorf("comments %+v", i.Comments)
	}
	if !slices.Equal(i.Labels, []string{forge.LabelReady}) || len(i.Reactions) != 1 {
		w.t.Errorf("labels %v, reactions %v", i.Labels, i.Reactions)
	}
}

func TestI2PublishingThreeTimesLeavesOneOfEach(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := context.Background()
	for _, draft := range []bool{true, true, false} { // at last draft → ready
		pr, err := w.publish(ctx, w.fresh(), draft)
		ok(t, err)
		if pr.Draft != draft {
			t.Errorf("draft %v, want %v", pr.Draft, draft)
		}
		w.stands(draft)
	}
}

func TestF07PublishingOutlivesItsTokens(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := context.Background()
	ok(t, w.client.StateLabel(ctx, w.repo, w.issue, forge.LabelWorking))
	ok(t, w.sim.ExpireTokens())
	_, err := w.publish(ctx, w.client, false)
	ok(t, err)
	w.stands(false)
}

func TestF01AnswersLostAtEveryWriteLeaveOneOfEach(t *testing.T) {
	t.Parallel()
	for _, kind := range []simulator.Fault{{Late: true, Cut: true}, {Late: true, Status: 502}, {Status: 500}} {
		w := newWorld(t)
		for _, route := range []string{"POST /repos/*/*/issues/*/comments", "POST /repos/*/*/git/refs", "POST /repos/*/*/git/commits", "POST /repos/*/*/pulls", "POST /repos/*/*/check-runs", "PATCH /repos/*/*/issues/comments/*", "DELETE /repos/*/*/issues/*/labels/*"} {
			f := kind
			f.Method, f.Route, _ = strings.Cut(route, " ")
			f.Count = 1
			w.sim.Fault(f)
		}
		_, err := w.publish(context.Background(), w.client, false)
		ok(t, err)
		w.stands(false)
	}
}

func TestF06SimulatedRateLimitIsGivenToTheCaller(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sim.Fault(simulator.Fault{Route: "/repos/*/*/issues/*/comments", Method: "POST", Status: 403, Header: http.Header{"Retry-After": {"120"}}, Body: `{"message":"You have exceeded a secondary rate limit"}`})
	before := time.Now()
	_, err := w.publish(context.Background(), w.client, false)
	var limited *forge.RateLimited
	if !errors.As(err, &limited) || limited.Until.Sub(before) < 120*time.Second {
		t.Fatalf("got %v", err)
	}
	calls := len(w.sim.Calls())
	if _, err = w.publish(context.Background(), w.client, false); !errors.As(err, &limited) || len(w.sim.Calls()) != calls {
		t.Errorf("%v; %d calls before the time", err, len(w.sim.Calls())-calls)
	}
	w.sim.ClearFaults()
	_, err = w.publish(context.Background(), w.fresh(), false) // the run is taken up again later
	ok(t, err)
	w.stands(false)
}

func TestF07UninstalledInMidRunIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ok(t, w.client.StateLabel(context.Background(), w.repo, w.issue, forge.LabelWorking))
	ok(t, w.sim.Suspend("octo", true))
	if _, err := w.publish(context.Background(), w.client, false); !forge.IsGone(err) {
		t.Errorf("got %v", err)
	}
}

func TestS4SimulatedBranchOfAHumanIsLeftAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.publish(context.Background(), w.client, false)
	ok(t, err)
	head, err := w.sim.CommitFile("octo", "demo", "fettle/issue-1-add-subtracts", "note.md", []byte("mine\n"), "a note", "ada")
	ok(t, err)
	_, err = w.publish(context.Background(), w.fresh(), false)
	var conflict *forge.Conflict
	if !errors.As(err, &conflict) || conflict.Ours || conflict.Head != head {
		t.Errorf("got %v", err)
	}
	if s := w.sim.Snapshot("octo", "demo"); s.Branches["fettle/issue-1-add-subtracts"] != head {
		t.Error("the human's commit was dropped")
	}
	base := w.sim.Snapshot("octo", "demo").Branches["main"]
	if _, err := w.client.CommitFiles(context.Background(), w.repo, "main", base, fix, w.files(), base, w.own); err == nil {
		t.Error("committed to the default branch")
	}
}

func TestP7SimulatedPermissions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for login, give := range map[string]string{"ada": "write", "mia": "maintain", "tri": "triage", "rea": "read", "own": "admin"} {
		ok(t, w.sim.SetPermission("octo", "demo", login, give))
	}
	for login, want := range map[string]string{"ada": "write", "mia": "write", "tri": "read", "rea": "read", "own": "admin"} {
		got, err := w.client.Permission(context.Background(), w.repo, login)
		if err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", login, got, err, want)
		}
	}
}

func TestS1SimulatedDeliveriesPassTheDoorAndDecode(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	got := make(chan task.Event, 20)
	door := httptest.NewServer(hooks.Webhook(hooks.WebhookConfig{
		Secrets: [][]byte{[]byte(webhookSecret)},
		Accept: func(_ context.Context, id, event string, installation int64, payload []byte) (bool, error) {
			e, err := w.client.Decode(event, id, payload)
			if err == nil && e.Kind != task.EventPing && e.Repo.Installation != installation {
				t.Errorf("installation %d, the event says %d", installation, e.Repo.Installation)
			}
			got <- e
			return true, err
		},
	}))
	t.Cleanup(door.Close)
	w.sim.SetWebhook(door.URL, webhookSecret)
	next := func() task.Event {
		ok(t, w.sim.Settle(context.Background()))
		select {
		case e := <-got:
			return e
		default:
			t.Fatal("nothing was delivered")
			return task.Event{}
		}
	}
	steps := []struct {
		do   func() error
		kind task.EventKind
	}{
		{w.sim.Ping, task.EventPing},
		{func() error { return w.sim.Label("octo", "demo", w.issue, "agent:fix", "ada") }, task.EventLabeled},
		{func() error { _, err := w.sim.Comment("octo", "demo", w.issue, "/fettle status", "ada"); return err }, task.EventComment},
		{func() error { return w.sim.Unlabel("octo", "demo", w.issue, "agent:fix", "ada") }, task.EventUnlabeled},
		{func() error { return w.sim.EditIssue("octo", "demo", w.issue, "x", "y", "eve") }, task.EventEdited},
		{func() error { return w.sim.CloseIssue("octo", "demo", w.issue, "ada") }, task.EventClosed},
		{func() error { return w.sim.ReopenIssue("octo", "demo", w.issue, "ada") }, task.EventReopened},
		{func() error {
			_, err := w.client.Comment(context.Background(), w.repo, w.issue, "k", "/fettle fix")
			return err
		}, task.EventIgnored}, // our own words never come back to us
	}
	for i, s := range steps {
		ok(t, s.do())
		e := next()
		if e.Kind != s.kind || e.Kind == task.EventIgnored && e.Reason == "" {
			t.Errorf("step %d: %+v, want %s", i, e, s.kind)
		}
		if e.Kind == task.EventComment && (e.Comment != "/fettle status" || e.Actor != "ada" || e.CommentID == 0 || e.Repo.Slug() != "octo/demo") {
			t.Errorf("step %d: %+v", i, e)
		}
	}
}

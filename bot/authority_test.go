package bot_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/forge"
	"github.com/fettle-dev/fettle/bot/forge/simulator"
	"github.com/fettle-dev/fettle/bot/loop"
	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// house is the service before a GitHub of its own. Nothing is worked on by itself:
// deliver acts on what was delivered, and next on one run.
type house struct {
	*testing.T
	sim     *simulator.Server
	hub     *forge.Client
	db      *store.Store
	app     *bot.App
	bot     *bot.Bot
	state   string // the service's
	root    string // GitHub's
	began   time.Time
	down    atomic.Bool // deliveries are answered 503
	engines atomic.Int32
	mu      sync.Mutex
	got     []string
	skew    atomic.Int64 // how far the service's clock is ahead
}

func (h *house) now() time.Time { return time.Now().Add(time.Duration(h.skew.Load())) }

const (
	boss     = "maintainer"
	stranger = "stranger"
	gate     = "agent:fix"
)

var errNoEngine = errors.New("the tests of this file have no engine")

func newHouse(t *testing.T, change ...func(*bot.AppConfig)) *house {
	t.Helper()
	h := &house{T: t, state: t.TempDir(), root: t.TempDir(), began: time.Now().Add(-time.Hour)}
	var err error
	h.sim, err = simulator.New(simulator.Config{Root: h.root, WebhookSecret: "x", Now: h.now})
	h.must(err)
	served := make(chan error, 1)
	go func() { served <- h.sim.Serve(context.Background()) }()
	t.Cleanup(func() { h.must(errors.Join(h.sim.Close(), <-served)) })
	h.host("acme", "shop")
	h.must(h.sim.SetPermission("acme", "shop", boss, "write"))
	h.must(h.sim.SetPermission("acme", "shop", "triager", "triage"))
	h.db = openDB(t, store.Config{Now: h.now})
	funnel := redact.New()
	h.hub, err = forge.New(forge.Config{AppID: h.sim.AppID(), PrivateKey: h.sim.PrivateKeyPEM(), BaseURL: h.sim.URL(), Funnel: funnel, RetryPause: time.Millisecond, MarkerKey: []byte("a key of sixteen"), Now: h.now})
	h.must(err)
	trees, err := checkout.New(checkout.Config{Root: filepath.Join(h.state, "checkouts"), Log: nobody()})
	h.must(err)
	h.bot = bot.New(bot.Config{Store: h.db, Log: nobody(), Now: h.now, Engine: func(context.Context, string) (*loop.Loop, func() error, error) {
		h.engines.Add(1)
		return nil, nil, errNoEngine
	}})
	ids := 0
	cfg := bot.AppConfig{Forge: h.hub, Funnel: funnel, Checkouts: trees, Label: gate, Budget: task.DefaultBudget(), Gates: task.Gates{Outsider: task.OutsiderOff},
		Access: settings.Access{CommandsPerHour: 3, Bots: []string{"renovate[bot]"}}, NewID: func() string { ids++; return fmt.Sprintf("r%d", ids) }}
	for _, c := range change {
		c(&cfg)
	}
	h.app = bot.NewApp(h.bot, cfg)
	door := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body bytes.Buffer
		_, _ = body.ReadFrom(r.Body)
		if h.down.Load() {
			http.Error(w, "down", http.StatusServiceUnavailable)
			return
		}
		id := r.Header.Get("X-GitHub-Delivery")
		if fresh, err := h.app.Accept(r.Context(), id, r.Header.Get("X-GitHub-Event"), h.installation(), body.Bytes()); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		} else if fresh {
			h.mu.Lock()
			h.got = append(h.got, id)
			h.mu.Unlock()
		}
	}))
	t.Cleanup(door.Close)
	h.sim.SetWebhook(door.URL, "x")
	return h
}

// host adds a repository.
func (h *house) host(owner, name string) {
	h.Helper()
	src := h.TempDir()
	h.must(os.WriteFile(filepath.Join(src, "calc.py"), []byte("def add(a, b):\n    return a - b\n"), 0o600))
	h.must(h.sim.AddRepo(owner, name, src))
}

func (h *house) installation() int64 { return h.sim.Snapshot("acme", "shop").Installation }

func (h *house) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

// deliver acts on everything that was delivered, also on what that sets off.
func (h *house) deliver() {
	h.Helper()
	for {
		h.must(h.sim.Settle(h.Context()))
		h.mu.Lock()
		got := h.got
		h.got = nil
		h.mu.Unlock()
		if len(got) == 0 {
			return
		}
		for _, id := range got {
			if err := h.app.Deliver(h.Context(), id); err != nil {
				h.Errorf("delivery %s: %v", id, err)
			}
		}
	}
}

// next works on runs until none is queued.
func (h *house) next() {
	h.Helper()
	for worked := true; worked; {
		var err error
		if worked, err = h.app.Next(h.Context()); err != nil {
			h.Logf("the run ended with %v", err)
		}
	}
}

func (h *house) runs() []task.Run {
	h.Helper()
	all, err := h.db.Runs(h.Context(), store.Filter{})
	h.must(err)
	return all
}

// said is everything on an issue or pull request.
func (h *house) said(n int) string {
	h.Helper()
	snap := h.sim.Snapshot("acme", "shop")
	for _, i := range snap.Issues {
		if i.Number == n {
			return words(i)
		}
	}
	for _, p := range snap.Pulls {
		if p.Number == n {
			return p.Body + words(p.IssueView)
		}
	}
	return ""
}

func words(i simulator.IssueView) string {
	var all []string
	for _, c := range i.Comments {
		all = append(all, c.Body)
	}
	return strings.Join(all, "\n----\n")
}

func (h *house) labels(n int) []string {
	h.Helper()
	for _, i := range h.sim.Snapshot("acme", "shop").Issues {
		if i.Number == n {
			return i.Labels
		}
	}
	return nil
}

func (h *house) open(author string) int {
	h.Helper()
	n, err := h.sim.OpenIssue("acme", "shop", "add subtracts", "add(1, 1) gives 0", author)
	h.must(err)
	return n
}

// TestPRINCIPLE7AuthorityComesFromTheAPI: who may start a run, and what the others
// are told.
func TestPRINCIPLE7AuthorityComesFromTheAPI(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		act  func(h *house, n int) error
		runs int
		says string // once
	}{
		"a label by somebody who may write": {func(h *house, n int) error { return h.sim.Label("acme", "shop", n, gate, boss) }, 1, ""},
		"a label by a triage user":          {func(h *house, n int) error { return h.sim.Label("acme", "shop", n, gate, "triager") }, 0, "A maintainer can say `/fettle fix` here, or take the label off and put it on again"},
		"a label by a bot on the list":      {func(h *house, n int) error { return h.sim.Label("acme", "shop", n, gate, "renovate[bot]") }, 1, ""},
		"a label by another bot": {func(h *house, n int) error {
			return errors.Join(h.sim.Label("acme", "shop", n, gate, "other[bot]"), h.sim.Unlabel("acme", "shop", n, gate, "other[bot]"), h.sim.Label("acme", "shop", n, gate, "other[bot]"))
		}, 0, "`bots: allow`"},
		"a person with a bot's name": {func(h *house, n int) error { return h.sim.Label("acme", "shop", n, gate, "renovate") }, 0, "Only people who may write"},
		"a command of a stranger": {func(h *house, n int) error {
			_, err := h.sim.Comment("acme", "shop", n, "/fettle fix", stranger)
			_, again := h.sim.Comment("acme", "shop", n, "/fettle fix", stranger)
			return errors.Join(err, again)
		}, 0, "Only people who may write"},
		"a command of a bot": {func(h *house, n int) error {
			_, err := h.sim.Comment("acme", "shop", n, "/fettle fix", "other[bot]")
			return err
		}, 0, "I do not act on what bots ask for"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			n := h.open(boss)
			h.must(c.act(h, n))
			h.deliver()
			said := h.said(n)
			if got := len(h.runs()); got != c.runs || c.says != "" && strings.Count(said, c.says) != 1 || c.says == "" && strings.Contains(said, "Thank you") {
				t.Errorf("%d runs, said:\n%s", got, said)
			}
		})
	}
}

// TestS3CommandsOfOneUserAreLimited: the first above the limit is answered, those
// after it are not, and others are not held up.
func TestS3CommandsOfOneUserAreLimited(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.must(h.sim.SetPermission("acme", "shop", "second", "write"))
	n := h.open(boss)
	for range 6 {
		_, err := h.sim.Comment("acme", "shop", n, "/fettle status", boss)
		h.must(err)
		h.deliver()
	}
	if said := h.said(n); strings.Count(said, "Nothing is running here") != 3 || strings.Count(said, "more than 3 commands") != 1 {
		t.Errorf("said:\n%s", said)
	}
	_, err := h.sim.Comment("acme", "shop", n, "/fettle status", "second")
	h.must(err)
	h.deliver()
	if said := h.said(n); strings.Count(said, "Nothing is running here") != 4 {
		t.Errorf("another is held up:\n%s", said)
	}
}

// TestX5AStrangersInstallationSpendsNothing: no clone, no engine, no run, and one
// comment a day.
func TestX5AStrangersInstallationSpendsNothing(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(c *bot.AppConfig) { c.Access.Installations = []string{"someone-else"} })
	a, b := h.open(boss), h.open(boss)
	for _, n := range []int{a, b} {
		h.must(h.sim.Label("acme", "shop", n, gate, boss))
		_, err := h.sim.Comment("acme", "shop", n, "/fettle fix", boss)
		h.must(err)
	}
	h.deliver()
	h.next()
	if said := h.said(a) + h.said(b); strings.Count(said, "its operator has listed") != 1 || len(h.runs()) != 0 || h.engines.Load() != 0 {
		t.Errorf("%d runs, said:\n%s", len(h.runs()), said)
	}
	if mirrors, _ := filepath.Glob(filepath.Join(h.state, "checkouts", "mirrors", "*")); len(mirrors) > 0 {
		t.Errorf("it was cloned: %v", mirrors)
	}
	if _, err := h.app.Sweep(t.Context()); err != nil || len(h.runs()) != 0 {
		t.Errorf("the sweep took it up: %v", err)
	}
	// taken off the list while a run waits
	h = newHouse(t)
	n := h.open(boss)
	h.must(h.sim.Label("acme", "shop", n, gate, boss))
	h.deliver()
	closed := bot.NewApp(h.bot, bot.AppConfig{Forge: h.hub, Funnel: redact.New(), Access: settings.Access{Installations: []string{}}})
	if _, err := closed.Next(t.Context()); err != nil || h.runs()[0].Outcome != task.Rejected {
		t.Errorf("%v %+v", err, h.runs()[0])
	}
}

// TestF05AServerThatWasDownForAnHourMissesNothing: what it was not told of is asked
// for again; a label of which GitHub remembers no delivery is found on its issue.
func TestF05AServerThatWasDownForAnHourMissesNothing(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.down.Store(true)
	const missed = 20
	var issues []int
	for range missed {
		n := h.open(boss)
		h.must(h.sim.Label("acme", "shop", n, gate, boss))
		issues = append(issues, n)
	}
	byTriage := h.open(boss)
	h.must(h.sim.Label("acme", "shop", byTriage, gate, "triager"))
	h.must(h.sim.Settle(t.Context()))
	h.down.Store(false)
	s, err := h.app.Sweep(t.Context())
	if err != nil || s.Redelivery < missed+1 {
		t.Fatalf("%v %v", s, err)
	}
	h.deliver()
	started := map[int]int{}
	for _, r := range h.runs() {
		started[r.Task.Issue]++
	}
	for _, n := range issues {
		if started[n] != 1 {
			t.Errorf("issue %d has %d runs", n, started[n])
		}
	}
	if started[byTriage] != 0 || strings.Count(h.said(byTriage), "Only people who may write") != 1 {
		t.Errorf("a triage user's label: %d runs\n%s", started[byTriage], h.said(byTriage))
	}
	again, err := h.app.Sweep(t.Context())
	h.deliver()
	if err != nil || again.Redelivery != 0 || again.Started != 0 || again.Repaired != 0 || len(h.runs()) != missed {
		t.Errorf("a second sweep: %v %v, %d runs", again, err, len(h.runs()))
	}
	if !strings.Contains(s.String(), "deliveries asked for again") {
		t.Errorf("said: %s", s)
	}
	// Of these GitHub remembers nothing: no webhook was set.
	h.sim.SetWebhook("", "")
	own, others, bots := h.open(boss), h.open(stranger), h.open(boss)
	for n, who := range map[int]string{own: boss, others: boss, bots: "other[bot]"} {
		h.must(h.sim.Label("acme", "shop", n, gate, who))
	}
	if s, err = h.app.Sweep(t.Context()); err != nil || s.Started != 1 {
		t.Errorf("%v %v", s, err)
	}
	if !strings.Contains(h.said(others), "could have changed the text since") || !strings.Contains(h.said(bots), "`bots: allow`") {
		t.Errorf("said: %s\n%s", h.said(others), h.said(bots))
	}
}

// TestF05FiveHundredMissedEventsAreAskedForInSeveralSweeps: GitHub takes 180 changes a
// minute, so a sweep asks for 150, and the next ones for the rest.
func TestF05FiveHundredMissedEventsAreAskedForInSeveralSweeps(t *testing.T) {
	sandboxtest.Whole(t)
	t.Parallel()
	h := newHouse(t)
	h.down.Store(true)
	const missed = 500
	for range missed - 1 {
		h.open(boss)
	}
	asked := h.open(boss)
	h.must(h.sim.Label("acme", "shop", asked, gate, boss))
	h.must(h.sim.Settle(t.Context()))
	want := map[string]bool{}
	for _, d := range h.sim.Deliveries() {
		if d.Event == "issues" {
			want[d.GUID] = true
		}
	}
	if len(want) < missed {
		t.Fatalf("%d deliveries for %d events", len(want), missed)
	}
	h.down.Store(false)
	sweeps := 0
	for again := 0; again < missed; sweeps++ {
		s, err := h.app.Sweep(t.Context())
		if err != nil || s.Redelivery == 0 || s.Redelivery > 150 {
			t.Fatalf("sweep %d: %v %v", sweeps, s, err)
		}
		again += s.Redelivery
		if left := len(s.Left) > 0; left != (s.Redelivery == 150 && again < len(want)) && again < missed {
			t.Errorf("sweep %d says: %s", sweeps, s)
		}
		h.deliver()
		h.skew.Add(int64(time.Minute))
	}
	for id := range want {
		if _, err := h.db.Delivery(t.Context(), id); err != nil {
			t.Errorf("delivery %s was missed: %v", id, err)
		}
	}
	if runs := h.runs(); sweeps < 4 || len(runs) != 1 || runs[0].Task.Issue != asked {
		t.Errorf("%d sweeps, %d runs", sweeps, len(runs))
	}
}

// TestS2StaleStatesAreTakenBack: an issue that says that it is worked on, and is
// not, says how it ended.
func TestS2StaleStatesAreTakenBack(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	n, lost := h.open(boss), h.open(boss)
	h.must(h.sim.Label("acme", "shop", n, gate, boss))
	h.deliver()
	lease, r, err := h.db.Claim(t.Context())
	h.must(err)
	pub := h.bot.NewGitHub(h.hub, redact.New(), lease, r)
	h.must(pub.Start(t.Context(), r))
	h.must(pub.Progress(t.Context(), task.Progress{RunID: r.ID, Phase: "checkout"}))
	// its process dies after the end is in the store and before it is said
	h.must(h.db.Finish(t.Context(), lease, task.Result{RunID: r.ID, Task: r.Task, Outcome: task.Error, Reason: "the disk was full"}, "the disk was full"))
	h.must(h.sim.Label("acme", "shop", lost, "agent:working", "fettle[bot]")) // of a run that nobody knows
	h.deliver()
	if !strings.Contains(h.said(n), "is working on this") {
		t.Fatalf("said:\n%s", h.said(n))
	}
	s, err := h.app.Sweep(t.Context())
	if err != nil || s.Repaired != 2 {
		t.Errorf("%v %v", s, err)
	}
	said := h.said(n)
	if strings.Contains(said, "is working on this") || !strings.Contains(said, "he disk was full") || !slices.Contains(h.labels(n), "agent:needs-human") || slices.Contains(h.labels(n), "agent:working") {
		t.Errorf("labels %v, said:\n%s", h.labels(n), said)
	}
	if slices.Contains(h.labels(lost), "agent:working") {
		t.Errorf("labels %v", h.labels(lost))
	}
	if s, err := h.app.Sweep(t.Context()); err != nil || s.Repaired != 0 || h.said(n) != said {
		t.Errorf("a second sweep: %v %v", s, err)
	}
}

// TestX6UninstallingDeletesEverything: a search through database and disk finds
// nothing any more.
func TestX6UninstallingDeletesEverything(t *testing.T) {
	t.Parallel()
	var known map[int64][]string
	h := newHouse(t, func(c *bot.AppConfig) {
		c.Prune = func(list func() (map[int64][]string, error)) (err error) {
			known, err = list()
			return err
		}
	})
	const secret = "sightglass"
	n, err := h.sim.OpenIssue("acme", "shop", secret, secret, boss)
	h.must(err)
	h.must(h.sim.Label("acme", "shop", n, gate, boss))
	h.deliver()
	h.next() // it clones, and ends for want of an engine
	id := h.installation()
	mirrors := filepath.Join(h.state, "checkouts", "mirrors", fmt.Sprint(id))
	if _, err := os.Stat(mirrors); err != nil {
		t.Fatalf("nothing was cloned: %v", err)
	}
	if got, err := h.app.Forget(t.Context()); err != nil || got != 0 {
		t.Fatalf("deleted without being asked: %d %v", got, err)
	}
	h.must(h.app.Prune(t.Context()))
	if _, err := os.Stat(mirrors); err != nil || !slices.Equal(known[id], []string{"acme/shop"}) {
		t.Fatalf("files of a known repository: %v; known: %v", err, known)
	}
	h.must(h.sim.Suspend("acme", true))
	h.deliver()
	if all, err := h.db.Removals(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("a suspended installation is deleted: %v %v", all, err)
	}
	h.must(h.sim.Suspend("acme", false))
	h.deliver() // before the next: deliveries may come in any order
	h.must(h.sim.Uninstall("acme"))
	h.must(h.sim.Settle(t.Context()))
	h.mu.Lock()
	last := h.got[len(h.got)-1]
	h.mu.Unlock()
	h.deliver()
	if d, err := h.db.Delivery(t.Context(), last); err != nil || !strings.Contains(d.Note, "its data is deleted") {
		t.Fatalf("%+v %v", d, err)
	}
	h.next()
	if got, err := h.app.Forget(t.Context()); err != nil || got != 1 {
		t.Fatalf("%d %v", got, err)
	}
	if h.must(h.app.Prune(t.Context())); len(known) != 0 {
		t.Errorf("still known: %v", known)
	}
	if _, err := os.Stat(mirrors); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the mirrors: %v", err)
	}
	for _, r := range h.runs() {
		t.Errorf("a run is left: %s", r.ID)
	}
	if left, err := h.db.Installations(t.Context()); err != nil || len(left) != 0 {
		t.Errorf("installations left: %v %v", left, err)
	}
}

package bot_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/forge/simulator"
	"github.com/fettle-dev/fettle/bot/heal"
	"github.com/fettle-dev/fettle/bot/loop"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// ward is a house with breakers.
type ward struct {
	*house
	heal  *heal.Heal
	n     int
	heard []string // what the operator's webhook got
	mu    sync.Mutex
}

func newWard(t *testing.T) *ward {
	t.Helper()
	var cfg bot.AppConfig
	w := &ward{house: newHouse(t, func(c *bot.AppConfig) { c.Access.CommandsPerHour = 100; cfg = *c })}
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.mu.Lock()
		w.heard = append(w.heard, string(body))
		w.mu.Unlock()
	}))
	t.Cleanup(hook.Close)
	dir := t.TempDir()
	w.must(os.WriteFile(filepath.Join(dir, "hook"), []byte(hook.URL+"\n"), 0o600))
	w.must(os.WriteFile(filepath.Join(dir, "heal.yml"), []byte("alerts:\n  webhook_file: hook\n"), 0o600))
	policy, err := heal.OpenPolicy(filepath.Join(dir, "heal.yml"), nobody())
	w.must(err)
	w.heal = heal.New(heal.Config{Store: w.db, Policy: policy, Log: nobody()})
	w.bot = bot.New(bot.Config{Store: w.db, Heal: w.heal, Log: nobody(), Now: w.now, Engine: func(context.Context, string) (*loop.Loop, func() error, error) {
		w.engines.Add(1)
		return nil, nil, errNoEngine
	}})
	w.app = bot.NewApp(w.bot, cfg)
	return w
}

func (w *ward) shop() store.HealKey { return heal.WorkflowOf(task.Task{Repo: w.repo("shop")}) }

func (w *ward) repo(name string) task.Repo {
	return task.Repo{Installation: w.installation(), Owner: "acme", Name: name}
}

// fails tells heal of failures, each at another step.
func (w *ward) fails(n int, trigger task.Trigger) {
	w.Helper()
	for range n {
		w.n++
		_, err := w.heal.OnResult(w.Context(), w.shop(), heal.Result{ID: fmt.Sprint("f", w.n), Step: fmt.Sprint("s", w.n), Trigger: trigger})
		w.must(err)
	}
}

// H3: in quarantine no run begins, whoever asks is told once, whoever waits is told, the
// operator's webhook hears of it, and only people who may write can lift it.
func TestH3AQuarantineIsSaidAndLiftedOnTheIssue(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	waits := w.open(boss)
	w.must(w.sim.Label("acme", "shop", waits, gate, boss))
	w.deliver()
	lease, r, err := w.db.Claim(t.Context())
	w.must(err)
	w.must(w.db.Wait(t.Context(), lease, task.Gate{Kind: task.GatePlan, Words: "is it right?"}))
	queued := w.open(boss)
	w.must(w.sim.Label("acme", "shop", queued, gate, boss))
	w.deliver()

	w.fails(10, task.Postcondition)
	late := w.open(boss)
	w.must(w.sim.Label("acme", "shop", late, gate, boss))
	w.deliver()
	_, err = w.sim.Comment("acme", "shop", late, "/fettle fix", boss)
	w.must(err)
	w.deliver()
	if got := w.said(late); strings.Count(got, "does not start here") != 1 || !strings.Contains(got, "/fettle release") {
		t.Errorf("whoever asks is told: %s", got)
	}
	if n := len(w.runs()); n != 2 {
		t.Errorf("%d runs are there", n)
	}
	w.next()
	w.must(w.app.TellMoves(t.Context()))
	if w.engines.Load() != 0 {
		t.Error("a run was worked on in quarantine")
	}
	if got := w.said(queued); !strings.Contains(got, "fettle stopped: quarantined") || !strings.Contains(got, "is quarantined here") {
		t.Errorf("the queued run says: %s", got)
	}
	if got := w.said(waits); strings.Count(got, "which waits here, does not go on") != 1 || !strings.Contains(got, r.ID) {
		t.Errorf("the waiting run says: %s", got)
	}
	var alert struct{ Text, From, To, Repo string }
	if len(w.heard) != 1 || json.Unmarshal([]byte(w.heard[0]), &alert) != nil || alert.To != "quarantined" || alert.Repo != "acme/shop" || !strings.Contains(alert.Text, "10 failures") {
		t.Errorf("the webhook heard %v", w.heard)
	}

	_, err = w.sim.Comment("acme", "shop", late, "/fettle release", stranger)
	w.must(err)
	w.deliver()
	if _, err := w.heal.ShouldRun(t.Context(), w.shop()); err == nil {
		t.Fatal("a stranger lifted the quarantine")
	}
	_, err = w.sim.Comment("acme", "shop", late, "/fettle release", "renovate[bot]") // on the operator's list
	w.must(err)
	w.deliver()
	if _, err := w.heal.ShouldRun(t.Context(), w.shop()); err == nil || !strings.Contains(w.said(late), "may not write to this repository does not lift") {
		t.Fatalf("a listed bot lifted the quarantine: %s", w.said(late))
	}
	_, err = w.sim.Comment("acme", "shop", late, "/fettle release", boss)
	w.must(err)
	w.deliver()
	if care, err := w.heal.ShouldRun(t.Context(), w.shop()); err != nil || !care.Degraded() || !strings.Contains(w.said(late), "The quarantine is lifted") {
		t.Errorf("%+v %v: %s", care, err, w.said(late))
	}
	if _, err := w.app.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if all := w.runs(); all[0].Task.Issue != late {
		t.Errorf("the labelled issue was not taken up after the release: %+v", all[0].Task)
	}
}

// H3: of a red check nobody asked on an issue: the quarantine is said on the pull request.
func TestH3AQuarantineIsSaidOnThePullRequestWhoseCheckIsRed(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	w.opened()
	p := w.pull()
	for i := range 10 {
		_, err := w.heal.OnResult(t.Context(), heal.WorkflowOf(task.Task{Repo: w.repo("shop"), Follow: &task.Follow{}}), heal.Result{ID: fmt.Sprint("follow", i), Step: "ci", Trigger: task.Postcondition})
		w.must(err)
	}
	w.must(w.sim.SetCheck("acme", "shop", p.Head, "lint", "failure", "1 problem", "calc.py:2", ""))
	w.deliver()
	if said := words(w.house.pull().IssueView); !strings.Contains(said, "does not start here") {
		t.Errorf("the pull request says: %s", said)
	}
}

// H3: a repository that cannot be told of its quarantine keeps neither another one nor the
// operator's webhook from hearing; it is told later, and after a day not any more.
func TestH3ARepositoryThatCannotBeToldHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	for _, given := range []bool{false, true} {
		w := newWard(t)
		w.host("acme", "other")
		issues := map[string]int{}
		for _, name := range []string{"shop", "other"} {
			n, err := w.sim.OpenIssue("acme", name, "add subtracts", "add(1, 1) gives 0", boss)
			w.must(err)
			issues[name] = n
			_, _, err = w.db.CreateRun(t.Context(), store.NewRun{ID: name, Task: task.Task{Title: "x", Issue: n, Origin: task.OriginLabel, Repo: w.repo(name)}})
			w.must(err)
			lease, _, err := w.db.ClaimRun(t.Context(), name)
			w.must(err)
			w.must(w.db.Wait(t.Context(), lease, task.Gate{Kind: task.GatePlan, Words: "is it right?"}))
			for i := range 10 {
				_, err := w.heal.OnResult(t.Context(), heal.WorkflowOf(task.Task{Repo: w.repo(name)}), heal.Result{ID: fmt.Sprint(name, i), Step: fmt.Sprint(i), Trigger: task.Watchdog})
				w.must(err)
			}
		}
		said := func(name string) int {
			all := ""
			for _, i := range w.sim.Snapshot("acme", name).Issues {
				all += words(i)
			}
			return strings.Count(all, "does not go on")
		}
		w.sim.Fault(simulator.Fault{Route: "/repos/acme/shop/issues/*/comments", Method: http.MethodPost, Status: http.StatusForbidden})
		for range 2 {
			if err := w.app.TellMoves(t.Context()); err == nil || !strings.Contains(err.Error(), "acme/shop") {
				t.Fatalf("nothing is said of who was not told: %v", err)
			}
			w.skew.Add(int64(time.Minute))
		}
		if said("shop") != 0 || said("other") != 1 || len(w.heard) != 2 {
			t.Fatalf("told: %d and %d; the webhook heard %v", said("shop"), said("other"), w.heard)
		}
		if given {
			w.skew.Add(int64(25 * time.Hour))
		} else {
			w.sim.ClearFaults()
		}
		w.must(w.app.TellMoves(t.Context()))
		if left, err := w.heal.Untold(t.Context()); err != nil || len(left) != 0 || (said("shop") == 1) == given {
			t.Errorf("given up %v: told %d, left %+v, %v", given, said("shop"), left, err)
		}
	}
}

// H3: a release is its own repository's.
func TestH3AReleaseLiftsItsOwnRepositoryAlone(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	w.host("acme", "other")
	w.must(w.sim.SetPermission("acme", "other", stranger, "write"))
	w.fails(10, task.TargetNotFound)
	n, err := w.sim.OpenIssue("acme", "other", "add subtracts", "add(1, 1) gives 0", stranger)
	w.must(err)
	_, err = w.sim.Comment("acme", "other", n, "/fettle release", stranger)
	w.must(err)
	w.deliver()
	said := ""
	for _, i := range w.sim.Snapshot("acme", "other").Issues {
		said += words(i)
	}
	if _, err := w.heal.ShouldRun(t.Context(), w.shop()); err == nil || !strings.Contains(said, "Nothing is quarantined here") {
		t.Errorf("%v: %s", err, said)
	}
}

// S17: strangers want fettle to stop, or to go on where it stopped: their issues, commands
// and labels count nothing, another installation's failures neither, and their release is
// refused.
func TestS17StrangersNeitherCauseNorLiftAQuarantine(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	for i := range 12 {
		n := w.open(stranger)
		_, err := w.sim.Comment("acme", "shop", n, "/fettle fix", stranger)
		w.must(err)
		if i%2 == 0 {
			w.must(w.sim.Label("acme", "shop", n, gate, "triager"))
		}
	}
	w.deliver()
	w.next()
	elsewhere := w.shop()
	elsewhere.Installation++
	for i := range 20 {
		_, err := w.heal.OnResult(t.Context(), elsewhere, heal.Result{ID: fmt.Sprint("theirs", i), Step: "apply", Trigger: task.TargetNotFound})
		w.must(err)
	}
	st, err := w.heal.Status(t.Context())
	w.must(err)
	for _, x := range st.Workflows {
		if x.Installation == w.installation() {
			t.Errorf("strangers were counted: %+v", x)
		}
	}
	w.fails(10, task.Postcondition)
	n := w.open(stranger)
	_, err = w.sim.Comment("acme", "shop", n, "please\n/fettle release\n", stranger)
	w.must(err)
	w.deliver()
	if _, err := w.heal.ShouldRun(t.Context(), w.shop()); err == nil {
		t.Error("a stranger lifted the quarantine")
	}
}

// H2: while everything is paused runs wait and say so once; they go on after the
// operator's release. A maintainer's release does not lift it.
func TestH2APauseHoldsRunsUntilTheOperatorReleases(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	w.fails(30, task.ModelOutage)
	n := w.open(boss)
	w.must(w.sim.Label("acme", "shop", n, gate, boss))
	w.deliver()
	w.next()
	_, err := w.sim.Comment("acme", "shop", n, "/fettle release", boss)
	w.must(err)
	w.deliver()
	r := w.runs()[0]
	if got := w.said(n); r.State != task.StateParked || !strings.Contains(got, "put this aside") || !strings.Contains(got, "paused everywhere") || !strings.Contains(got, "only its operator can lift") {
		t.Fatalf("%s: %s", r.State, got)
	}
	if w.engines.Load() != 0 {
		t.Error("a run was worked on")
	}
	if _, err := w.heal.ReleaseGlobal(t.Context(), "op"); err != nil {
		t.Fatal(err)
	}
	lease, _, err := w.db.ClaimRun(t.Context(), r.ID)
	w.must(err)
	w.must(w.db.Release(t.Context(), lease))
	w.next()
	if w.engines.Load() == 0 {
		t.Error("it does not go on after the release")
	}
}

// Without breakers nothing of it is there: a folder's runs have none.
func TestH3ARunOnAFolderHasNoBreakers(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	w.fails(30, task.Postcondition)
	_, _, err := w.db.CreateRun(t.Context(), store.NewRun{ID: "local", Task: task.Task{Title: "x", Repo: task.Repo{Dir: t.TempDir()}}})
	w.must(err)
	lease, r, err := w.db.ClaimRun(t.Context(), "local")
	w.must(err)
	opened := false
	_, _, _ = w.bot.Run(t.Context(), lease, r, bot.Job{Publisher: &told{}, Open: openNothing(&opened)})
	if !opened {
		t.Error("the server's pause stops somebody's own folder")
	}
}

func openNothing(did *bool) func(context.Context) (*checkout.Tree, error) {
	return func(context.Context) (*checkout.Tree, error) {
		*did = true
		return nil, errNoEngine
	}
}

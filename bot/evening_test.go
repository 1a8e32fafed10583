package bot_test

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
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
	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/forge"
	"github.com/fettle-dev/fettle/bot/forge/simulator"
	"github.com/fettle-dev/fettle/bot/heal"
	"github.com/fettle-dev/fettle/bot/judge"
	"github.com/fettle-dev/fettle/bot/loop"
	"github.com/fettle-dev/fettle/bot/mend"
	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/testgen/characterise"
	"github.com/fettle-dev/fettle/hooks"
)

const (
	acme  = "acme"
	shopN = "shop"
	ada   = "ada" // may write
	mel   = "mel" // has the triage role
	eve   = "eve" // may read
)

const (
	brokenWeave = `def interleave(first, second):
    """One of each in turn."""
    return first + second
`
	mendedBody = `    out = []
    for i in range(max(len(first), len(second))):
        out.extend(first[i:i + 1])
        out.extend(second[i:i + 1])
    return out
`
	brokenPieces = `def pieces(items, size):
    return [items[i:i + size] for i in range(0, len(items) - size, size)]
`
	weaveTests = `import unittest

from weave import interleave


class Weave(unittest.TestCase):
    def test_takes_turns(self):
        self.assertEqual(interleave(["a", "b"], ["x", "y"]), ["a", "x", "b", "y"])

    def test_empty(self):
        self.assertEqual(interleave([], []), [])
`
	piecesTests = `import unittest

from pieces import pieces


class Pieces(unittest.TestCase):
    def test_keeps_the_last_piece(self):
        self.assertEqual(pieces([1, 2, 3, 4, 5], 2), [[1, 2], [3, 4], [5]])

    def test_nothing(self):
        self.assertEqual(pieces([], 2), [])
`
)

func weaveFiles() map[string]string {
	return map[string]string{"weave.py": brokenWeave, "pieces.py": brokenPieces, "test_weave.py": weaveTests, "test_pieces.py": piecesTests}
}

func mendedWeave(doc string) string {
	return "def interleave(first, second):\n    \"\"\"" + doc + "\"\"\"\n" + mendedBody
}

// patience ends what hangs; a busy machine is no failure.
const patience = 4 * time.Minute

// evening is a GitHub, the App, and a scripted double in the place of a model.
type evening struct {
	*testing.T
	sim    *simulator.Server
	db     *store.Store
	client *forge.Client
	heal   *heal.Heal
	app    *bot.App
	funnel *redact.Funnel
	double *scripted.Server
	mu     sync.Mutex
	script scripted.Script
	pins   bool                                                     // runs write tests that pin what a change does
	judges func(context.Context, judge.Input) (judge.Report, error) // a double; nil: the judge itself
	judged atomic.Int32                                             // how often the judge itself was asked
}

// reruns: what is red by chance is a question of the verifier's own tests.
func reruns() int {
	if testing.Short() {
		return -1
	}
	return 0 // its default
}

// newEvening hosts acme/shop with the files, and serves its deliveries.
func newEvening(t *testing.T, files map[string]string, gates task.Gates, script scripted.Script) *evening {
	t.Helper()
	e := &evening{T: t, script: script}
	dir := t.TempDir()
	repo := filepath.Join(dir, "repo")
	for name, text := range files {
		e.must(os.MkdirAll(filepath.Dir(filepath.Join(repo, name)), 0o755))
		e.must(os.WriteFile(filepath.Join(repo, name), []byte(text), 0o644))
	}
	var err error
	secret := "an evening's secret"
	e.sim, err = simulator.New(simulator.Config{Root: filepath.Join(dir, "github"), WebhookSecret: secret})
	e.must(err)
	go func() { _ = e.sim.Serve(context.Background()) }()
	t.Cleanup(func() { _ = e.sim.Close() })
	e.must(e.sim.AddRepo(acme, shopN, repo))
	for login, level := range map[string]string{ada: "write", mel: "triage", eve: "read"} {
		e.must(e.sim.SetPermission(acme, shopN, login, level))
	}
	e.double, err = scripted.Start(func(c scripted.Call, n int) scripted.Answer {
		e.mu.Lock()
		defer e.mu.Unlock()
		return e.script(c, n)
	})
	e.must(err)
	t.Cleanup(func() { _ = e.double.Close() })
	box, err := sandbox.New(t.Context(), sandbox.Config{StateDir: filepath.Join(dir, "boxes"), Log: nobody()})
	e.must(err)
	t.Cleanup(func() { _ = box.Close() })
	funnel := redact.New()
	e.db, err = store.Open(t.Context(), filepath.Join(dir, "fettle.db"), store.Config{Funnel: funnel, Log: nobody(), Caps: task.DefaultCaps()})
	e.must(err)
	t.Cleanup(func() { _ = e.db.Close() })
	trees, err := checkout.New(checkout.Config{Root: filepath.Join(dir, "checkouts"), Funnel: funnel, Now: time.Now, Log: nobody()})
	e.must(err)
	e.client, err = forge.New(forge.Config{AppID: e.sim.AppID(), PrivateKey: e.sim.PrivateKeyPEM(), BaseURL: e.sim.URL(), Funnel: funnel, Now: time.Now, Log: nobody(), Label: "agent:fix", MarkerKey: []byte("a key for hidden markers")})
	e.must(err)
	engine := func(context.Context, string) (*loop.Loop, func() error, error) {
		session := box.Session()
		roles, err := agent.New(agent.Config{})
		if err != nil {
			return nil, nil, err
		}
		v := verify.New(verify.Config{Sandbox: session, Log: nobody(), Reruns: reruns()})
		endpoints := map[task.Tier]model.Endpoint{}
		for _, tier := range []task.Tier{task.Tier1, task.Tier2} {
			endpoints[tier] = model.Endpoint{Tier: tier, BaseURL: e.double.URL(), Model: "double-" + string(tier), PriceIn: 1, PriceOut: 2, MaxTokens: 500}
		}
		var pins *characterise.Characteriser
		e.mu.Lock()
		if e.pins {
			pins = characterise.New(characterise.Config{Sandbox: session, Verifier: v, Log: nobody(), Budget: time.Minute})
		}
		e.mu.Unlock()
		return loop.New(loop.Config{
			Characteriser: pins, Verifier: v, Mender: mend.New(mend.Config{Sandbox: session, Verifier: v, Log: nobody(), MaxCandidates: 1}), Developer: roles.Developer,
			Models: model.New(model.Config{Endpoints: endpoints}), MaxMutants: 4, Sandbox: "test", Log: nobody(), Now: time.Now,
		}), session.Close, nil
	}
	judges := func(ctx context.Context, in judge.Input) (judge.Report, error) {
		e.mu.Lock()
		double := e.judges
		e.mu.Unlock()
		if double != nil {
			return double(ctx, in)
		}
		session := box.Session()
		defer session.Close()
		v := verify.New(verify.Config{Sandbox: session, Log: nobody(), Reruns: reruns()})
		pins := characterise.New(characterise.Config{Sandbox: session, Verifier: v, Log: nobody()})
		e.judged.Add(1)
		return judge.New(judge.Config{Verifier: v, Characteriser: pins}).Judge(ctx, in)
	}
	policy, err := heal.OpenPolicy(filepath.Join(dir, "heal.yml"), nobody())
	e.must(err)
	e.heal = heal.New(heal.Config{Store: e.db, Policy: policy, Learned: bot.NewLearned(e.db), Log: nobody()})
	e.funnel = funnel
	e.app = bot.NewApp(bot.New(bot.Config{Store: e.db, Engine: engine, Heal: e.heal, Log: nobody()}), bot.AppConfig{
		Forge: e.client, Funnel: funnel, Checkouts: trees, Label: "agent:fix", Gates: gates, Judge: judges, JudgedBy: "this test",
		Budget: task.Budget{USD: task.Dollar, Duration: 10 * time.Minute, AttemptsPerTier: 1, Attempts: 15, MaxTier: task.Tier3}, NewID: newRunID,
	})
	door := httptest.NewServer(hooks.Webhook(hooks.WebhookConfig{Secrets: [][]byte{[]byte(secret)}, Accept: e.app.Accept, Log: nobody()}))
	t.Cleanup(door.Close)
	e.sim.SetWebhook(door.URL, secret)
	ctx, stop := context.WithCancel(context.Background())
	var working sync.WaitGroup
	working.Go(func() {
		if err := e.db.Work(ctx, store.Handlers{Delivery: e.app.Deliver, Run: e.app.Next}, 2); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { stop(); working.Wait() })
	return e
}

func newRunID() string {
	var b [8]byte
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

func (e *evening) must(err error) {
	e.Helper()
	if err != nil {
		e.Fatal(err)
	}
}

// says changes what the double answers.
func (e *evening) says(script scripted.Script) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.script = script
}

// until waits for a condition; the limit only ends what hangs.
func (e *evening) until(what string, ok func() bool) {
	e.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(30 * time.Millisecond) { // polling, not synchronisation
		if time.Now().After(end) {
			e.Fatalf("it does not come to this: %s\n%s", what, e.state())
		}
	}
}

// state is what stands, for failures.
func (e *evening) state() string {
	var b strings.Builder
	for _, r := range e.runs() {
		fmt.Fprintf(&b, "run %s of #%d: %s %s %s; waits %v\n", r.ID, r.Task.Issue, r.State, r.Outcome, r.Reason, r.Waiting)
	}
	ids, _ := e.db.Deliveries(context.Background(), time.Time{})
	for _, id := range ids {
		d, _ := e.db.Delivery(context.Background(), id)
		fmt.Fprintf(&b, "delivery %s: %s, %s\n", d.Event, d.State, d.Note)
	}
	snap := e.snap()
	for _, i := range snap.Issues {
		fmt.Fprintf(&b, "#%d %v\n%s\n", i.Number, i.Labels, spoken(i))
	}
	for _, p := range snap.Pulls {
		fmt.Fprintf(&b, "pull #%d draft %v %v\n%s\n", p.Number, p.Draft, p.Labels, spoken(p.IssueView))
	}
	return b.String()
}

func (e *evening) runs() []task.Run {
	e.Helper()
	all, err := e.db.Runs(context.Background(), store.Filter{})
	e.must(err)
	slices.Reverse(all)
	return all
}

// of are the runs of an issue, the oldest first.
func (e *evening) of(issue int) []task.Run {
	return slices.DeleteFunc(e.runs(), func(r task.Run) bool { return r.Task.Issue != issue })
}

// ended tells whether so many runs of an issue have ended, and none is live.
func (e *evening) ended(issue, n int) func() bool {
	return func() bool {
		all := e.of(issue)
		return len(all) == n && !slices.ContainsFunc(all, func(r task.Run) bool { return r.State != task.StateDone })
	}
}

func (e *evening) waits(issue int, kind task.GateKind) func() bool {
	return func() bool {
		return slices.ContainsFunc(e.of(issue), func(r task.Run) bool { return r.Waiting != nil && r.Waiting.Kind == kind })
	}
}

func (e *evening) snap() simulator.Snapshot { return e.sim.Snapshot(acme, shopN) }

func (e *evening) issue(n int) simulator.IssueView {
	all := e.snap().Issues
	return all[slices.IndexFunc(all, func(i simulator.IssueView) bool { return i.Number == n })]
}

func (e *evening) pull() simulator.PullView {
	e.Helper()
	all := e.snap().Pulls
	if len(all) == 0 {
		e.Fatalf("no pull request\n%s", e.state())
	}
	return all[0]
}

func spoken(i simulator.IssueView) string {
	var all []string
	for _, c := range i.Comments {
		all = append(all, c.Author+": "+c.Body)
	}
	return strings.Join(all, "\n----\n")
}

// check is the judge's check run on a commit, or nil.
func (e *evening) check(sha string) *simulator.CheckView {
	for _, c := range e.snap().Checks {
		if c.Name == bot.JudgeCheck("main") && c.HeadSHA == sha {
			return &c
		}
	}
	return nil
}

func (e *evening) open(title, body, author string) int {
	e.Helper()
	n, err := e.sim.OpenIssue(acme, shopN, title, body, author)
	e.must(err)
	return n
}

func (e *evening) say(n int, words, who string) {
	e.Helper()
	_, err := e.sim.Comment(acme, shopN, n, words, who)
	e.must(err)
}

func (e *evening) told(n int, words string) func() bool {
	return func() bool {
		snap := e.snap()
		for _, i := range snap.Issues {
			if i.Number == n && strings.Contains(spoken(i), words) {
				return true
			}
		}
		for _, p := range snap.Pulls {
			if p.Number == n && strings.Contains(spoken(p.IssueView), words) {
				return true
			}
		}
		return false
	}
}

// edit is a developer's answer that replaces a function that the prompt shows.
func edit(c scripted.Call, path, name, text, why string) scripted.Answer {
	if !strings.Contains(c.User, "def "+name+"(") {
		return scripted.Answer{Text: "no idea"}
	}
	return scripted.Answer{Text: scripted.Edit(path, name, text, why)}
}

// mends is a double that knows what to do about interleave, and nothing else.
func mends(c scripted.Call, _ int) scripted.Answer {
	return edit(c, "weave.py", "interleave", mendedWeave("One of each in turn."), "It joined the lists instead of taking turns.")
}

const (
	turnsTitle = "interleave does not take turns"
	turnsBody  = "`interleave([\"a\", \"b\"], [\"x\", \"y\"])` gives `['a', 'b', 'x', 'y']`, it should give `['a', 'x', 'b', 'y']`. `test_takes_turns` in test_weave.py fails with it."
)

// opened is an evening with the pull request of an issue that was labelled; it is
// a draft where points says why.
func opened(t *testing.T, points ...string) (*evening, int) {
	t.Helper()
	files := weaveFiles()
	if len(points) > 0 {
		files[".fettle.yml"] = "gates: [\"" + strings.Join(points, "\", \"") + "\"]\n"
	}
	e := newEvening(t, files, task.Gates{}, mends)
	n := e.open(turnsTitle, turnsBody, ada)
	e.must(e.sim.Label(acme, shopN, n, "agent:fix", ada))
	e.until("the pull request stands", e.ended(n, 1))
	if r := e.of(n)[0]; r.Outcome != task.Success || len(e.snap().Pulls) != 1 {
		t.Fatalf("%s: %s\n%s", r.Outcome, r.Reason, e.state())
	}
	return e, n
}

func TestAMaintainersEvening(t *testing.T) {
	t.Parallel()
	files := weaveFiles()
	files[".fettle.yml"] = "gates: [\"somebody has to read it\"]\njudge: {required: true}\n"
	e := newEvening(t, files, task.Gates{Plan: true, PlanFirst: true}, mends)
	e.must(e.sim.SetRequired(acme, shopN, "main", bot.JudgeCheck("main")))

	// label → plan → /fettle approve → draft
	n := e.open(turnsTitle, turnsBody, ada)
	e.must(e.sim.Label(acme, shopN, n, "agent:fix", ada))
	e.until("the run waits with its plan", e.waits(n, task.GatePlan))
	if len(e.double.Calls()) != 0 && len(e.snap().Branches) != 1 {
		t.Error("something was done before the plan had a yes")
	}
	e.say(n, "/fettle approve", ada)
	e.until("the draft stands", e.ended(n, 1))
	draft := e.pull()
	if !draft.Draft || draft.State != "open" {
		t.Fatalf("draft %v, %s", draft.Draft, draft.State)
	}

	// review comment → follow-up commit
	e.says(func(c scripted.Call, _ int) scripted.Answer {
		return edit(c, "weave.py", "interleave", mendedWeave("Give one of each in turn, then the rest of the longer."), "The docstring says what comes of lists of different length.")
	})
	_, err := e.sim.Review(acme, shopN, draft.Number, "changes_requested", "", ada, simulator.Remark{Path: "weave.py", Line: 2, Body: "Say in the docstring what comes of lists of different length."})
	e.must(err)
	e.until("the review is followed up", e.ended(n, 2))
	second := e.pull()
	if e.of(n)[1].Outcome != task.Success || second.HeadSHA == draft.HeadSHA || !strings.Contains(second.Diff, "rest of the longer") {
		t.Fatalf("the follow-up: %s\n%s", e.of(n)[1].Reason, e.state())
	}
	if th := second.Threads[0]; len(th.Comments) != 2 || th.ResolvedBy == "" || !strings.Contains(th.Comments[1].Body, second.HeadSHA) {
		t.Errorf("the thread: %+v", th)
	}

	// red check → follow-up
	e.says(func(c scripted.Call, _ int) scripted.Answer {
		return edit(c, "weave.py", "interleave", mendedWeave("Give one of each in turn, then what is left."), "The line was too long.")
	})
	e.must(e.sim.SetCheck(acme, shopN, second.Head, "lint", "failure", "1 problem", "weave.py:2: the line is too long", ""))
	e.until("the red check is followed up", e.ended(n, 3))
	third := e.pull()
	if r := e.of(n)[2]; r.Outcome != task.Success || r.Task.Follow.Kind != task.FollowCheck || third.HeadSHA == second.HeadSHA || !strings.Contains(third.Diff, "what is left") {
		t.Fatalf("the follow-up: %s\n%s", r.Reason, e.state())
	}
	if !third.Draft {
		t.Error("the open point was forgotten")
	}
	e.must(e.sim.SetCheck(acme, shopN, third.Head, "lint", "success", "", "", ""))

	// ready → merged
	_, err = e.sim.Review(acme, shopN, draft.Number, "approved", "LGTM", ada)
	e.must(err)
	e.until("it is ready", func() bool { return !e.pull().Draft && slices.Contains(e.issue(n).Labels, "agent:pr-ready") })

	// judge as required check, on the last commit
	e.until("it is judged", func() bool {
		return e.check(third.HeadSHA) != nil && e.told(draft.Number, third.HeadSHA+"; the next push is judged by itself")()
	})
	if c := e.check(third.HeadSHA); c.Conclusion != "success" || !e.told(draft.Number, "fettle judge: plausible")() {
		t.Fatalf("the judgement: %+v\n%s", c, e.state())
	}
	e.must(e.sim.MergePull(acme, shopN, draft.Number, ada))
	e.until("its fate is known and its labels are gone", func() bool {
		all, err := e.db.Pulls(context.Background(), e.of(n)[0].Task.Repo.Installation, acme+"/"+shopN, store.PullFilter{Number: draft.Number})
		e.must(err)
		return all[0].Fate == task.FateMerged && len(e.issue(n).Labels) == 0 && e.issue(n).State == "closed"
	})
	e.until("the branch is deleted", func() bool { return len(e.snap().Branches) == 1 })
	if got := e.of(n); len(got) != 3 {
		t.Errorf("%d runs\n%s", len(got), e.state())
	}

	// second issue → exhausted → WIP report → /fettle retry --tier 2 → /fettle stop
	e.says(func(c scripted.Call, n int) scripted.Answer {
		return edit(c, "pieces.py", "pieces", fmt.Sprintf("def pieces(items, size):\n    return [items[i:i + size] for i in range(0, len(items) - %d, size)]\n", n+2), "guessed")
	})
	m := e.open("pieces loses the last piece", "`pieces([1, 2, 3, 4, 5], 2)` gives no `[5]`: test_keeps_the_last_piece is red.", ada)
	e.must(e.sim.Label(acme, shopN, m, "agent:fix", ada))
	e.until("the second run waits with its plan", e.waits(m, task.GatePlan))
	e.say(m, "/fettle approve", ada)
	e.until("the second run is exhausted", e.ended(m, 1))
	if r := e.of(m)[0]; !r.Outcome.Exhausted() || !e.told(m, "fettle stopped")() || !e.told(m, "WIP commit")() || !slices.Contains(e.issue(m).Labels, "agent:needs-human") {
		t.Fatalf("%s: %s\n%s", r.Outcome, r.Reason, e.state())
	}
	asked := len(e.double.Calls())
	e.says(func(scripted.Call, int) scripted.Answer { return scripted.Answer{Text: "no idea", Delay: minute} })
	e.say(m, "/fettle retry --tier 2", ada)
	e.until("the retry asks tier 2", func() bool {
		calls := e.double.Calls()
		last := calls[len(calls)-1]
		all := e.of(m)
		return last.Model == "double-tier2" && len(all) == 2 && all[1].State == task.StateRunning && len(calls) > asked
	})
	e.say(m, "/fettle stop", ada)
	e.until("the retry is stopped", e.ended(m, 2))
	if r := e.of(m)[1]; r.Outcome != task.Cancelled {
		t.Errorf("%s: %s", r.Outcome, r.Reason)
	}

	// a stranger's /fettle fix, and the label of somebody with the triage role
	k := e.open("another thing", "`pieces` is wrong, see test_pieces.py", eve)
	e.say(k, "/fettle fix", eve)
	e.until("the stranger is refused", e.told(k, "Only people who may write"))
	e.must(e.sim.Label(acme, shopN, k, "agent:fix", mel))
	e.until("the label is refused, and how to proceed is said", e.told(k, "take the label off and put it on again"))
	if got := e.of(k); len(got) != 0 {
		t.Errorf("%d runs for people who may not ask", len(got))
	}
	if got := e.snap().Pulls; len(got) != 1 {
		t.Errorf("%d pull requests", len(got))
	}
}

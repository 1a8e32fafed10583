package bot_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/fettle-dev/fettle/bot/forge/simulator"
	"github.com/fettle-dev/fettle/bot/heal"
	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/web"
)

// screen is a headless Chromium that looks at the pages of an evening.
type screen struct {
	*evening
	ctx   context.Context
	url   string
	token string
}

// opensBrowser serves the evening's pages and opens a browser on them. It skips where there is none.
func (e *evening) opensBrowser() *screen {
	e.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		e.Skip("SKIPPED: chromium is not installed (Debian package chromium); make setup-runners installs it")
	}
	metrics := web.NewMetrics()
	metrics.Follow(e.db, e.heal)
	pages, err := web.New(web.Config{Store: e.db, App: e.app, Heal: e.heal, Funnel: e.funnel, Caps: task.DefaultCaps(), Metrics: metrics, NewID: newRunID, Now: time.Now, Log: nobody()})
	e.must(err)
	watching, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); pages.Watch(watching) }()
	door := httptest.NewServer(pages.Handler())
	e.Cleanup(func() { stop(); <-done; door.CloseClientConnections(); door.Close() })
	token, err := web.NewToken(e.Context(), e.db, web.Grant{Name: "ada", Operator: true, Scope: store.Scope{All: true}})
	e.must(err)
	// Everything in one test shares the limit, which only ends what hangs.
	limited, end := context.WithTimeout(context.Background(), 3*patience)
	e.Cleanup(end)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WSURLReadTimeout(patience))
	allocated, free := chromedp.NewExecAllocator(limited, options...)
	e.Cleanup(free)
	tab, leave := chromedp.NewContext(allocated)
	e.Cleanup(leave)
	s := &screen{evening: e, ctx: tab, url: door.URL, token: token}
	s.do(chromedp.EmulateViewport(1440, 900))
	return s
}

func (s *screen) do(actions ...chromedp.Action[chromedp.Void]) {
	s.Helper()
	if err := chromedp.Do(s.ctx, actions...); err != nil {
		s.Fatalf("%v\n%s", err, s.state())
	}
}

func (s *screen) open(path string) {
	s.Helper()
	s.do(chromedp.Navigate(s.url + path))
}

// js is the value of an expression on the page.
func js[T any](s *screen, expression string) T {
	s.Helper()
	v, err := chromedp.Run(s.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		s.Fatalf("%v\n%s", err, s.state())
	}
	return v
}

func (s *screen) scripts(on bool) {
	s.Helper()
	_, err := chromedp.Call(s.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !on})
	s.must(err)
}

func (s *screen) colours(scheme string) {
	s.Helper()
	_, err := chromedp.Call(s.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	s.must(err)
}

func (s *screen) words() string {
	s.Helper()
	return js[string](s, `document.body ? document.body.innerText : ""`)
}

// shows waits until the page says so. It is not loaded again for it.
func (s *screen) shows(words ...string) {
	s.Helper()
	for _, w := range words {
		for end := time.Now().Add(patience); !strings.Contains(s.words(), w); time.Sleep(50 * time.Millisecond) { // polling, not synchronisation
			if time.Now().After(end) {
				s.Fatalf("the page does not come to say %q:\n%s\n%s", w, s.words(), s.state())
			}
		}
	}
}

// press clicks what leads to another page; where the page was drawn anew under the pointer, again.
func (s *screen) press(selector string) {
	s.Helper()
	for end := time.Now().Add(patience); ; {
		if _, err := chromedp.RunResponse(s.ctx, chromedp.Click(chromedp.CSS(selector))); err == nil {
			return
		} else if s.ctx.Err() != nil || time.Now().After(end) {
			s.Fatalf("%s cannot be clicked: %v", selector, err)
		}
	}
}

func (s *screen) signIn() {
	s.Helper()
	s.open("/runs")
	s.do(chromedp.SendKeys(chromedp.CSS(`input[name=token]`), s.token), chromedp.Click(chromedp.CSS(`form.login button`)), chromedp.WaitVisible(chromedp.CSS(`nav`)))
}

// watches marks the page; stays fails where it was loaded again since.
func (s *screen) watches() {
	s.Helper()
	js[int](s, `window.watched = 1`)
}

func (s *screen) stays() {
	s.Helper()
	if js[int](s, `window.watched || 0`) != 1 {
		s.Error("the page was loaded again; it should change by itself")
	}
}

// A person signs in, watches a run live from its label to its pull request, says yes to its
// plan and no to its step with words, and stops another run. All of it is buttons.
func TestPagesInABrowserSteerRuns(t *testing.T) {
	t.Parallel()
	sandboxtest.Whole(t)
	e := newEvening(t, weaveFiles(), task.Gates{Plan: true, PlanFirst: true, Critical: true, RiskOver: 1}, mends)
	s := e.opensBrowser()
	s.signIn()
	s.shows("No runs yet")
	s.watches()
	n := e.open(turnsTitle, turnsBody, ada)
	e.must(e.sim.Label(acme, shopN, n, "agent:fix", ada))
	s.shows(turnsTitle, "waiting")
	s.stays()

	s.press(`table.runs a`)
	s.shows("Waits for a human: the plan", turnsTitle)
	s.press(`form[action$="/approve"] button`)
	s.shows("Waits for a human: the step")
	if len(e.snap().Pulls) != 0 {
		t.Error("a pull request was opened before the step had a yes")
	}
	e.says(func(c scripted.Call, _ int) scripted.Answer {
		return edit(c, "weave.py", "interleave", mendedWeave("Give one of each in turn, then the rest of the longer."), "The docstring says what comes of lists of different length.")
	})
	no := "say in the docstring what comes of lists of different length"
	s.do(chromedp.SendKeys(chromedp.CSS(`input[name=feedback]`), no))
	s.press(`form[action$="/reject"] button`)
	s.shows(no, "Attempt 2", "Waits for a human: the step")
	s.press(`form[action$="/approve"] button`)
	s.watches()
	s.shows("Pull request", "#", "How it ended", "success")
	s.stays()
	e.until("the pull request stands", e.ended(n, 1))
	if p := e.pull(); !strings.Contains(p.Diff, "rest of the longer") {
		t.Errorf("the words of the no are not in the change:\n%s", p.Diff)
	}

	e.says(func(scripted.Call, int) scripted.Answer { return scripted.Answer{Text: "no idea", Delay: minute} })
	m := e.open("pieces loses the last piece", "`pieces([1, 2, 3, 4, 5], 2)` gives no `[5]`: test_keeps_the_last_piece is red.", ada)
	e.must(e.sim.Label(acme, shopN, m, "agent:fix", ada))
	e.until("the second run stands", func() bool { return len(e.of(m)) == 1 })
	s.open("/runs/" + e.of(m)[0].ID)
	s.press(`form[action$="/stop"] button`)
	s.shows("cancelled")
	e.until("the second run is stopped", e.ended(m, 1))
	if r := e.of(m)[0]; r.Outcome != task.Cancelled || !strings.Contains(r.Reason, "ada") {
		t.Errorf("%s: %s", r.Outcome, r.Reason)
	}
}

// furnish puts something on every page: a pull request, a draft, a run that
// waits with its plan, one that was stopped, and a workflow in quarantine.
func (s *screen) furnish() (pages []string) {
	e := s.evening
	e.Helper()
	n := e.open(turnsTitle, turnsBody, ada)
	e.must(e.sim.Label(acme, shopN, n, "agent:fix", ada))
	e.until("the run waits with its plan", e.waits(n, task.GatePlan))
	e.say(n, "/fettle approve", ada)
	e.until("the pull request stands", e.ended(n, 1))
	_, err := e.sim.Review(acme, shopN, e.pull().Number, "changes_requested", "", ada, simulator.Remark{Path: "weave.py", Line: 2, Body: "Say in the docstring what comes of lists of different length."})
	e.must(err)
	e.until("the review is followed up", e.ended(n, 2))
	e.says(func(c scripted.Call, n int) scripted.Answer {
		return edit(c, "pieces.py", "pieces", fmt.Sprintf("def pieces(items, size):\n    return [items[i:i + size] for i in range(0, len(items) - %d, size)]\n", n+2), "guessed")
	})
	m := e.open("pieces loses the last piece", "`pieces([1, 2, 3, 4, 5], 2)` gives no `[5]`: test_keeps_the_last_piece is red.", ada)
	e.must(e.sim.Label(acme, shopN, m, "agent:fix", ada))
	e.until("the second run waits with its plan", e.waits(m, task.GatePlan))
	e.say(m, "/fettle approve", ada)
	e.until("the second run is exhausted", e.ended(m, 1))
	k := e.open("pieces takes a size of none for granted, and "+strings.Repeat("says so at length ", 8), "`pieces([1, 2, 3, 4, 5], 2)` gives no `[5]`: test_keeps_the_last_piece is red.", ada)
	e.must(e.sim.Label(acme, shopN, k, "agent:fix", ada))
	e.until("the third run waits with its plan", e.waits(k, task.GatePlan))
	first := e.of(n)[0]
	for i := range 12 {
		_, err := e.heal.OnResult(e.Context(), heal.WorkflowOf(first.Task), heal.Result{ID: fmt.Sprint("r", i), Run: first.ID, Step: "apply", Trigger: task.TargetNotFound, Words: "interleave is not there"})
		e.must(err)
	}
	for _, run := range []string{first.ID, e.of(m)[0].ID, e.of(k)[0].ID} {
		pages = append(pages, "/runs/"+run)
	}
	return append(pages, "/runs/"+first.ID+"?view=split", "/runs/"+e.of(m)[0].ID+"/conversation", "/runs", "/runs?q=nothing+is+like+this", "/runs/none", "/approvals", "/repositories", "/tiers", "/deliveries", "/health")
}

// What a page has to keep (WCAG 2.2, levels A and AA).
const axeRules = `axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}).then((r) => r.passes.length < 5 ? ["hardly a rule was tried"] : r.violations.map((v) => v.id + ": " + v.help + " " + v.nodes.map((n) => n.html.slice(0, 200) + " " + n.failureSummary).join("; ")))`

// Every page can be read without scripts, is wide enough for what it holds, and breaks no
// rule of accessibility, on a telephone and a desk, light and dark. With
// FETTLE_SCREENSHOTS=DIR its pictures are kept there.
func TestPagesInABrowserReadForEverybody(t *testing.T) {
	t.Parallel()
	sandboxtest.Whole(t)
	e := newEvening(t, weaveFiles(), task.Gates{Plan: true, PlanFirst: true}, mends)
	s := e.opensBrowser()
	pages := s.furnish()

	s.scripts(false)
	s.signIn()
	for page, want := range map[string]string{
		pages[0]: "Attempt 1", pages[2]: "Approve", pages[4]: "to the developer", "/runs": turnsTitle, "/approvals": "Waits for a human: the plan",
		"/repositories": "acme/shop", "/tiers": "Table of the days", "/deliveries": "issues", "/health": "quarantined",
	} {
		s.open(page)
		if words := s.words(); !strings.Contains(words, want) {
			t.Errorf("without scripts %s does not say %q:\n%s", page, want, words)
		}
	}
	s.press(`header form button`)
	s.shows("Sign in")
	s.scripts(true)
	s.signIn()

	axe, axeErr := os.ReadFile(filepath.Join("..", ".tools", "runners", "node_modules", "axe-core", "axe.min.js"))
	pictures := os.Getenv("FETTLE_SCREENSHOTS")
	for _, page := range append(pages, "/login") {
		for _, wide := range []int64{390, 1440} {
			for _, colours := range []string{"light", "dark"} {
				what := fmt.Sprintf("%s, %d px, %s", page, wide, colours)
				s.do(chromedp.EmulateViewport(wide, 900))
				s.colours(colours)
				s.open(page)
				if over := js[int](s, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
					t.Errorf("%s is %d px too wide", what, over)
				}
				if pictures != "" {
					s.picture(filepath.Join(pictures, strings.NewReplacer("/", "_", "?", "_", e.of(1)[0].ID, "well", pages[1][6:], "exhausted", pages[2][6:], "waits").Replace(strings.TrimPrefix(page, "/"))+fmt.Sprintf("-%d-%s.png", wide, colours)))
				}
				if axeErr != nil {
					continue
				}
				js[chromedp.Void](s, `document.querySelectorAll("details").forEach((d) => d.open = true)`)
				js[chromedp.Void](s, string(axe))
				for _, broken := range js[[]string](s, axeRules) {
					t.Errorf("%s: %s", what, broken)
				}
			}
		}
	}
	if axeErr != nil {
		t.Skip("SKIPPED: the rules of accessibility were not checked, axe-core is not installed; make setup-runners installs it")
	}
}

func (s *screen) picture(path string) {
	s.Helper()
	png, err := chromedp.Run(s.ctx, chromedp.FullScreenshot(100))
	s.must(err)
	s.must(os.MkdirAll(filepath.Dir(path), 0o755))
	s.must(os.WriteFile(path, png, 0o644))
}

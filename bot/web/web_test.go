package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/heal"
	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// site is a server of pages on a database of its own.
type site struct {
	testing.TB
	db   *store.Store
	heal *heal.Heal
	app  *bot.App
	srv  *Server
	url  string
	file string // of the database
	log  *logrus.Logger
	ids  atomic.Int64
}

const hidden = "sightglass-canary-77aa"

func newSite(t testing.TB) *site {
	t.Helper()
	s := &site{TB: t, file: filepath.Join(t.TempDir(), "fettle.db"), log: logrus.New()}
	log := s.log
	log.SetOutput(io.Discard)
	var err error
	s.db, err = store.Open(t.Context(), s.file, store.Config{Log: log})
	s.must(err)
	t.Cleanup(func() { s.db.Close() })
	policy, err := heal.OpenPolicy("", log)
	s.must(err)
	s.heal = heal.New(heal.Config{Store: s.db, Policy: policy, Log: log})
	newID := func() string { return fmt.Sprintf("id%06d", s.ids.Add(1)) }
	metrics := NewMetrics()
	metrics.Follow(s.db, s.heal)
	s.app = bot.NewApp(bot.New(bot.Config{Store: s.db, Heal: s.heal, Log: log, Meter: metrics}), bot.AppConfig{Funnel: redact.New(hidden), Budget: task.Budget{USD: task.Dollar, MaxTier: task.Tier2}, NewID: newID})
	s.srv, err = New(Config{Store: s.db, App: s.app, Heal: s.heal, Funnel: redact.New(hidden), Caps: task.DefaultCaps(), Metrics: metrics, NewID: newID, Now: time.Now, Log: log})
	s.must(err)
	web := httptest.NewServer(s.srv.Handler())
	t.Cleanup(web.Close)
	s.url = web.URL
	return s
}

func (s *site) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// token makes one; without a scope it sees everything.
func (s *site) token(operator bool, scope ...store.Scope) string {
	s.Helper()
	g := Grant{Name: fmt.Sprintf("somebody %d", s.ids.Add(1)), Operator: operator, Scope: store.Scope{All: true}}
	if len(scope) > 0 {
		g.Scope = scope[0]
	}
	token, err := NewToken(s.Context(), s.db, g)
	s.must(err)
	return token
}

// browser is somebody with cookies; signed in where there is a token.
func (s *site) browser(token string) *http.Client {
	s.Helper()
	jar, err := cookiejar.New(nil)
	s.must(err)
	c := &http.Client{Jar: jar}
	if token != "" {
		res, err := c.PostForm(s.url+"/login", url.Values{"token": {token}})
		s.must(err)
		defer res.Body.Close()
		if res.StatusCode != http.StatusOK || res.Request.URL.Path != "/runs" {
			s.Fatalf("the sign-in led to %s: %s", res.Request.URL, res.Status)
		}
	}
	return c
}

func (s *site) get(c *http.Client, path string) (int, string) {
	s.Helper()
	res, err := c.Get(s.url + path)
	s.must(err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	s.must(err)
	return res.StatusCode, string(body)
}

func (s *site) post(c *http.Client, path string, form url.Values) (int, string, *http.Response) {
	s.Helper()
	res, err := c.PostForm(s.url+path, form)
	s.must(err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	s.must(err)
	return res.StatusCode, string(body), res
}

var csrfField = regexp.MustCompile(`name="csrf" value="([0-9a-f]+)"`)

// csrf is the token of the browser's session.
func (s *site) csrf(c *http.Client) string {
	s.Helper()
	_, body := s.get(c, "/runs")
	m := csrfField.FindStringSubmatch(body)
	if m == nil {
		s.Fatal("the page holds no CSRF token")
	}
	return m[1]
}

// call asks the API.
func (s *site) call(method, path, token, body string, head ...string) (int, map[string]any, http.Header) {
	s.Helper()
	req, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	s.must(err)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(head); i += 2 {
		req.Header.Set(head[i], head[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	s.must(err)
	defer res.Body.Close()
	var out map[string]any
	raw, err := io.ReadAll(res.Body)
	s.must(err)
	if err := json.Unmarshal(raw, &out); err != nil {
		s.Fatalf("%s %s answers no JSON: %s %.300s", method, path, res.Status, raw)
	}
	return res.StatusCode, out, res.Header
}

const goodDiff = "diff --git a/calc.go b/calc.go\n--- a/calc.go\n+++ b/calc.go\n@@ -1,3 +1,3 @@\n package calc\n-func Add(a, b int) int { return a - b }\n+func Add(a, b int) int { return a + b }\n"

// begin makes a run on an issue and claims it.
func (s *site) begin(id string, installation int64, repo string, issue int, words string) *store.Lease {
	s.Helper()
	owner, name, _ := strings.Cut(repo, "/")
	_, _, err := s.db.CreateRun(s.Context(), store.NewRun{ID: id, Budget: task.Budget{USD: task.Dollar, Duration: time.Minute}, Task: task.Task{
		Title: words, Body: words, Actor: "zoe", Issue: issue, IssueURL: "https://github.example/" + repo + "/issues/1", Origin: task.OriginLabel,
		Repo: task.Repo{Installation: installation, Owner: owner, Name: name, HTMLURL: "https://github.example/" + repo},
	}})
	s.must(err)
	l, _, err := s.db.ClaimRun(s.Context(), id)
	s.must(err)
	return l
}

// work lets a run try something twice.
func (s *site) work(l *store.Lease, words string) task.RunState {
	s.Helper()
	ctx, now := s.Context(), time.Now().UTC()
	st := task.RunState{Version: 1, PlanNo: 1, Plan: json.RawMessage(fmt.Sprintf(`{"summary":"s","steps":[{"goal":%q,"critical":true},{"goal":"then the rest"}],"origin":"planner"}`, words)), Done: []int{2}, Attempts: []task.Attempt{
		{Number: 1, Tier: task.TierMechanical, Why: "nothing was found: " + words, StartedAt: now, Elapsed: time.Second, Failures: []task.Failure{{Test: words, Kind: task.FailAssertion, Message: words, Excerpt: words, Trace: []task.Frame{{File: words, Line: 3, Function: words}}}}, Checks: []task.Check{{Name: words, Status: task.CheckFailed, Seconds: 1.5, Detail: words}}},
		{Number: 2, Tier: task.Tier1, Model: words, Diff: goodDiff + "+" + words + "\n", Green: true, Explanation: words, StartedAt: now, Cost: task.Dollars(0.01), Elapsed: 3 * time.Second, Patch: task.Patch{Edits: []task.Edit{{}}}, Checks: []task.Check{{Name: "all tests", Status: task.CheckPassed, Seconds: 2}}},
	}}
	s.must(s.db.SaveState(ctx, l, st))
	s.must(s.db.Record(ctx, l, task.Message{Attempt: 2, Agent: "developer", Direction: "to", Tier: task.Tier1, PromptClass: "developer/1", Data: json.RawMessage(fmt.Sprintf(`{"system":"be good","user":%q}`, words))}))
	s.must(s.db.Record(ctx, l, task.Message{Attempt: 2, Agent: "developer", Direction: "from", Tier: task.Tier1, Model: words, TokensIn: 100, TokensOut: 20, Cost: task.Dollars(0.01), Data: json.RawMessage(fmt.Sprintf(`{"text":%q}`, words))}))
	s.must(s.db.Decide(ctx, l, task.Decision{Kind: "tier.chosen", Reason: words, Data: map[string]any{"tier": "tier1"}}))
	s.must(s.db.Decide(ctx, l, task.Decision{Kind: "model.shown", Reason: words}))
	s.must(s.db.SetProgress(ctx, l, task.Tier1, 2, task.Dollars(0.01)))
	return st
}

// end ends a run.
func (s *site) end(l *store.Lease, st task.RunState, o task.Outcome, words string) {
	s.Helper()
	s.must(s.db.Finish(s.Context(), l, task.Result{RunID: l.RunID, Outcome: o, Reason: words, Tier: task.Tier1, Attempts: st.Attempts, Best: &st.Attempts[1], Diff: goodDiff, DraftReasons: []string{words}, Cost: task.Dollars(0.01), Sandbox: "bubblewrap", NextAction: words,
		Published: task.Publication{Branch: words, Commit: "0123456789abcdef", PullRequest: &task.PullRequest{Number: 9, URL: "https://github.example/acme/shop/pull/9", Title: words}}}, words))
}

// filled is a site with runs of two installations: one that ended well, one that ended
// badly, one that waits, and one of the other installation.
func filled(t testing.TB) *site {
	s := newSite(t)
	s.fill("it is broken")
	return s
}

func (s *site) fill(words string) {
	s.Helper()
	ctx := s.Context()
	well := s.begin("well", 7, "acme/shop", 1, words)
	s.must(s.db.Observe(ctx, well, []json.RawMessage{json.RawMessage(`{"case":{"class":"bug"},"tier":"mechanical","solved":false,"cost_usd":0,"took":1}`), json.RawMessage(`{"case":{"class":"bug"},"before":[{"tier":"mechanical","cost_usd":0}],"tier":"tier1","solved":true,"cost_usd":0.01,"took":1}`)}))
	s.must(s.db.KeepPull(ctx, well, store.Pull{Number: 9, URL: "https://github.example/acme/shop/pull/9", Branch: "b", Base: "main", Head: "0123"}))
	s.end(well, s.work(well, words), task.Success, words)
	badly := s.begin("badly", 7, "acme/shop", 2, words)
	s.end(badly, s.work(badly, words), task.FailedAllTiers, words)
	s.wait("waits", 7, "acme/till", 3, words)
	other := s.begin("other", 8, "rival/secret-plans", 1, "a rival's words")
	s.end(other, s.work(other, "a rival's words"), task.Success, "a rival's words")
	for _, d := range []store.Delivery{{ID: "d-acme", Event: "issues", Installation: 7, Payload: []byte("{}")}, {ID: "d-rival", Event: "issues", Installation: 8, Payload: []byte("{}")}} {
		_, err := s.db.Accept(ctx, d)
		s.must(err)
		s.must(s.db.FinishDelivery(ctx, d.ID, words))
	}
	for i := range 12 {
		_, err := s.heal.OnResult(ctx, heal.WorkflowOf(task.Task{Repo: task.Repo{Installation: 7, Owner: "acme", Name: "shop"}}), heal.Result{ID: fmt.Sprint("r", i), Run: "badly", Step: "apply", Trigger: task.TargetNotFound, Words: words})
		s.must(err)
	}
}

// wait makes a run that waits with its plan.
func (s *site) wait(id string, installation int64, repo string, issue int, words string) {
	s.Helper()
	l := s.begin(id, installation, repo, issue, words)
	s.work(l, words)
	s.must(s.db.Wait(s.Context(), l, task.Gate{Kind: task.GatePlan, Asked: time.Now().UTC(), Words: words}))
}

var allPages = []string{"/runs", "/runs?state=waiting", "/runs?q=broken&state=done&outcome=success&tier=tier1&repo=acme%2Fshop", "/runs/well", "/runs/well?view=split", "/runs/badly", "/runs/waits", "/runs/well/conversation", "/runs/well/conversation/1", "/runs/well/diff/2", "/runs/well/log",
	"/approvals", "/repositories", "/tiers", "/tiers/days.csv", "/tiers/outcomes.csv", "/tiers/tiers.csv", "/tiers/escalation.csv", "/deliveries", "/deliveries?state=done", "/health"}

func TestPagesTellTheStoryOfARun(t *testing.T) {
	t.Parallel()
	s := filled(t)
	c := s.browser(s.token(true))
	for _, page := range allPages {
		if code, body := s.get(c, page); code != http.StatusOK || strings.Contains(body, "ZgotmplZ") || strings.Contains(body, "<no value>") {
			t.Errorf("%s answers %d: %.300s", page, code, body)
		}
	}
	for page, want := range map[string][]string{
		"/runs":                   {"it is broken", "acme/shop#1", "waiting", "failed all tiers", "zoe", "$0.01", "rival/secret-plans"},
		"/runs/well":              {"Attempt 1", "Attempt 2", "return a &#43; b", "Plan 1", "then the rest", "tier.chosen", "What models saw", "all tests", "2.0 s", "#9", "0123456789ab", "bubblewrap", "$0.01 of $1.00", "2 messages"},
		"/runs/well?view=split":   {`class="diff split"`},
		"/runs/badly":             {"Retry", "Resume", "mechanical"},
		"/runs/waits":             {"Approve", "Reject", "Waits for a human: the plan", "Stop"},
		"/runs/well/conversation": {"to the developer", "from the developer", "be good", "100 tokens in, 20 out"},
		"/approvals":              {"acme/till#3", "Approve"},
		"/repositories":           {"acme/shop", "installation 7", "1 open", "quarantined", "Budget"},
		"/tiers":                  {"<svg", "4 runs in", "tier1", "Escalation", "solved", "failed all tiers"},
		"/tiers/tiers.csv":        {"tier,class,tried,solved,cost_usd", "tier1,bug,1,1,0.01"},
		"/deliveries":             {"issues", "it is broken", "done"},
		"/health":                 {"quarantined", "acme/shop", "Release", "confidence", "workflow breaker"},
	} {
		_, body := s.get(c, page)
		for _, w := range want {
			if !strings.Contains(body, w) {
				t.Errorf("%s does not say %q", page, w)
			}
		}
	}
	if _, body := s.get(c, "/runs/well"); strings.Contains(body, "Retry") {
		t.Error("a run that ended well can be retried")
	}
}

// Nobody sees anything without a token, but the sign-in and its looks.
func TestNothingIsPublic(t *testing.T) {
	t.Parallel()
	s := filled(t)
	stranger := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, page := range append(slices.Clone(allPages), "/", "/runs/none", "/nothing") {
		if code, body := s.get(stranger, page); code != http.StatusSeeOther || strings.Contains(body, "is broken") {
			t.Errorf("%s answers a stranger with %d", page, code)
		}
	}
	for _, path := range []string{"/api/v1/runs", "/api/runs/well", "/api/v1/openapi.json", "/events", "/metrics"} {
		if code, _ := s.get(stranger, path); code != http.StatusUnauthorized {
			t.Errorf("%s answers a stranger with %d", path, code)
		}
	}
	for _, path := range []string{"/runs/waits/approve", "/runs/waits/stop", "/api/runs/waits/interrupt", "/deliveries/d-acme/redeliver", "/health/release"} {
		if code, _, _ := s.post(stranger, path, url.Values{}); code != http.StatusUnauthorized {
			t.Errorf("%s answers a stranger with %d", path, code)
		}
	}
	for _, path := range []string{"/login", "/assets/style.css", "/assets/app.js"} {
		if code, _ := s.get(stranger, path); code != http.StatusOK {
			t.Errorf("%s answers %d", path, code)
		}
	}
	for _, bad := range []string{"", "fettle_", "nonsense", strings.Repeat("x", 100_000)} {
		if code, _, res := s.post(stranger, "/login", url.Values{"token": {bad}}); code < 400 || len(res.Cookies()) > 0 {
			t.Errorf("the token %.20q is answered with %d", bad, code)
		}
	}
}

// A reader looks and does not act; who acts does what the comment's command does.
func TestButtonsDoWhatCommandsDo(t *testing.T) {
	t.Parallel()
	s := filled(t)
	reader, operator := s.browser(s.token(false)), s.browser(s.token(true))
	if code, body, _ := s.post(reader, "/runs/waits/approve", url.Values{"csrf": {s.csrf(reader)}}); code != http.StatusForbidden || !strings.Contains(body, "Reading only") {
		t.Errorf("a reader's yes is answered with %d", code)
	}
	if _, body := s.get(reader, "/runs/waits"); strings.Contains(body, "Approve") || strings.Contains(body, ">Stop") {
		t.Error("a reader is shown buttons")
	}
	csrf := s.csrf(operator)
	if code, _, _ := s.post(operator, "/runs/waits/reject", url.Values{"csrf": {csrf}, "feedback": {" "}}); code != http.StatusBadRequest {
		t.Errorf("a no without words is answered with %d", code)
	}
	_, body := s.get(operator, "/runs/waits")
	form := url.Values{"feedback": {"leave the parser alone"}}
	for _, m := range regexp.MustCompile(`name="(csrf|key|gate|step|asked)" value="([^"]*)"`).FindAllStringSubmatch(body, -1) {
		form.Set(m[1], m[2])
	}
	form.Set("csrf", csrf)
	for range 2 { // the second click changes nothing
		if code, _, res := s.post(operator, "/runs/waits/reject", form); code != http.StatusOK || res.Request.URL.Path != "/runs/waits" {
			t.Errorf("a no is answered with %d at %s", code, res.Request.URL)
		}
	}
	said, err := s.db.Answers(t.Context(), "waits")
	if err != nil || len(said) != 1 || said[0].Approved || said[0].Feedback != "leave the parser alone" || !strings.HasPrefix(said[0].By, "somebody") || said[0].Gate != task.GatePlan {
		t.Errorf("%+v %v", said, err)
	}
	form.Set("key", "another")
	if code, body, _ := s.post(operator, "/runs/waits/approve", form); code != http.StatusConflict || !strings.Contains(body, "does not wait") {
		t.Errorf("an answer to an old question is answered with %d", code)
	}
	if code, _, _ := s.post(operator, "/runs/waits/stop", url.Values{"csrf": {csrf}}); code != http.StatusOK {
		t.Errorf("stop is answered with %d", code)
	}
	if r, err := s.db.Run(t.Context(), "waits"); err != nil || !r.CancelAsked && r.State != task.StateDone || !strings.Contains(r.CancelReason, "somebody") {
		t.Errorf("%+v %v", r, err)
	}
	ids := map[string]bool{}
	for range 2 {
		code, _, res := s.post(operator, "/runs/badly/retry", url.Values{"csrf": {csrf}, "tier": {"tier2"}, "key": {"k"}})
		if code != http.StatusOK {
			t.Errorf("retry is answered with %d", code)
		}
		ids[res.Request.URL.Path] = true
	}
	if len(ids) != 1 || ids["/runs/badly"] {
		t.Errorf("retried twice: %v", ids)
	}
	for path, form := range map[string]url.Values{"/runs/badly/retry": {"tier": {"tier3"}}, "/runs/well/resume": {}, "/runs/well/stop": {}, "/runs/badly/retry?x": {"tier": {"tier9"}}, "/runs/badly/burn": {}} {
		form.Set("csrf", csrf)
		if code, body, _ := s.post(operator, path, form); code < 400 || code >= 500 {
			t.Errorf("%s is answered with %d: %.400s", path, code, body)
		}
	}
	if code, _, _ := s.post(operator, "/health/release", url.Values{"csrf": {csrf}, "installation": {"7"}, "repository": {"acme/shop"}}); code != http.StatusOK {
		t.Errorf("release is answered with %d", code)
	}
	st, err := s.heal.Status(t.Context())
	if err != nil || len(st.Workflows) == 0 || st.Workflows[0].State != heal.Recovering {
		t.Errorf("%+v %v", st.Workflows, err)
	}
}

// A token that is taken back ends what was signed in with it; so does signing out.
func TestSignInsEnd(t *testing.T) {
	t.Parallel()
	s := filled(t)
	out := s.browser(s.token(true))
	secret := ""
	u, _ := url.Parse(s.url)
	for _, c := range out.Jar.Cookies(u) {
		secret = c.Value
	}
	if code, _, res := s.post(out, "/logout", url.Values{"csrf": {s.csrf(out)}}); code != http.StatusOK || res.Request.URL.Path != "/login" {
		t.Errorf("signing out is answered with %d", code)
	}
	req, _ := http.NewRequest(http.MethodGet, s.url+"/api/runs", nil)
	req.AddCookie(&http.Cookie{Name: cookiePlain, Value: secret}) // kept by somebody
	res, err := http.DefaultClient.Do(req)
	s.must(err)
	res.Body.Close()
	if res.StatusCode != http.StatusUnauthorized {
		t.Errorf("a session that was left is answered with %d", res.StatusCode)
	}
	token, err := NewToken(t.Context(), s.db, Grant{Name: "gone", Scope: store.Scope{All: true}})
	s.must(err)
	c := s.browser(token)
	if n, err := s.db.DropLogins(t.Context(), store.LoginToken, "", "gone"); err != nil || n != 1 {
		t.Fatalf("%d %v", n, err)
	}
	if _, body := s.get(c, "/runs"); !strings.Contains(body, "Sign in") {
		t.Error("a session outlives its token")
	}
	if code, _, _ := s.call(http.MethodGet, "/api/v1/runs", token, ""); code != http.StatusUnauthorized {
		t.Errorf("a token that was taken back is answered with %d", code)
	}
}

// A page that the database cannot fill says so.
func TestADatabaseThatIsAwayIsSaid(t *testing.T) {
	t.Parallel()
	s := filled(t)
	token := s.token(true)
	c := s.browser(token)
	s.must(s.db.Close())
	for _, page := range []string{"/runs", "/runs/well", "/health"} {
		if code, body := s.get(c, page); code != http.StatusServiceUnavailable || !strings.Contains(body, "The database does not answer") {
			t.Errorf("%s answers %d: %.200s", page, code, body)
		}
	}
	if code, body, head := s.call(http.MethodGet, "/api/runs", token, ""); code != http.StatusServiceUnavailable || head.Get("Content-Type") != "application/problem+json" || body["status"] != 503.0 {
		t.Errorf("%d %v", code, body)
	}
}

// A diff of 20 MB and fifteen logs of a megabyte are cut on the page, and whole behind a link.
func TestLargeRunsAreCut(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	l := s.begin("large", 7, "acme/shop", 1, "large")
	st := task.RunState{Version: 1}
	big := strings.Repeat("+a line of a change that is long\n", 20<<20/33)
	for i := range 15 {
		a := task.Attempt{Number: i + 1, Tier: task.Tier1, Why: "red", Failures: []task.Failure{{Kind: task.FailAssertion, Message: "no", Excerpt: strings.Repeat("a log\n", 1<<20/6)}}}
		if i == 0 {
			a.Diff = goodDiff + big
		}
		st.Attempts = append(st.Attempts, a)
	}
	s.must(s.db.SaveState(t.Context(), l, st))
	c := s.browser(s.token(false))
	if code, body := s.get(c, "/runs/large"); code != http.StatusOK || len(body) > 1<<20 || !strings.Contains(body, "more · <a href=\"/runs/large/diff/1\">the whole diff") {
		t.Errorf("%d, %d bytes", code, len(body))
	}
	if code, body := s.get(c, "/runs/large/diff/1"); code != http.StatusOK || len(body) != len(goodDiff+big) {
		t.Errorf("%d, %d bytes", code, len(body))
	}
}

func TestTheListOfRunsIsSmallOverTheWire(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for i := range 60 {
		_, _, err := s.db.CreateRun(t.Context(), store.NewRun{ID: fmt.Sprintf("%08x%08x", i*2654435761, i*40503), Task: task.Task{Title: fmt.Sprintf("The %dth thing that is broken in the shop's till, again", i), Actor: "zoe", Issue: i + 1, Origin: task.OriginLabel, Repo: task.Repo{Installation: 7, Owner: "acme", Name: "shop"}}})
		s.must(err)
	}
	c := s.browser(s.token(false))
	req, _ := http.NewRequest(http.MethodGet, s.url+"/runs", nil)
	req.Header.Set("Accept-Encoding", "gzip")
	res, err := c.Do(req)
	s.must(err)
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	s.must(err)
	if res.Header.Get("Content-Encoding") != "gzip" || len(raw) > 20_000 || !bytes.HasPrefix(raw, []byte{0x1f, 0x8b}) {
		t.Errorf("%d bytes, %q", len(raw), res.Header.Get("Content-Encoding"))
	}
	_, body := s.get(c, "/runs")
	next := regexp.MustCompile(`rel="next" href="([^"]+)"`).FindStringSubmatch(body)
	if strings.Count(body, "<tr>") != 51 || next == nil { // with the head
		t.Fatalf("%d rows, next %v", strings.Count(body, "<tr>"), next)
	}
	if _, body := s.get(c, strings.ReplaceAll(next[1], "&amp;", "&")); strings.Count(body, "<tr>") != 11 {
		t.Errorf("%d rows on the second page", strings.Count(body, "<tr>"))
	}
}

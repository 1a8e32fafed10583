package web

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// TestTheAPIIsAsDescribed: every operation of the description, asked well and badly,
// below both prefixes; requests and answers are held against it.
func TestTheAPIIsAsDescribed(t *testing.T) {
	t.Parallel()
	s := filled(t)
	s.wait("waits2", 7, "acme/till", 4, "a second one")
	token := s.token(true)
	doc, err := openapi3.NewLoader().LoadFromFile("openapi.json")
	s.must(err)
	s.must(doc.Validate(t.Context()))
	router, err := gorillamux.NewRouter(doc)
	s.must(err)
	if code, served, _ := s.call(http.MethodGet, "/api/v1/openapi.json", token, ""); code != http.StatusOK || served["openapi"] != "3.1.0" {
		t.Errorf("the description is served with %d", code)
	}
	asked := map[string]bool{}
	stepped := s.begin("step", 7, "acme/shop", 30, "a step")
	s.must(s.db.Wait(t.Context(), stepped, task.Gate{Kind: task.GateStep, Step: 2, Asked: time.Now().UTC(), Words: "?"}))
	s.begin("runs", 7, "acme/shop", 31, "a live one")
	l := s.begin("parked", 7, "acme/shop", 32, "one put aside")
	s.must(s.db.Park(t.Context(), l, time.Now().Add(time.Hour), "rate limit"))
	for _, c := range []struct {
		method, path, body string
		want               int
	}{
		{"GET", "/openapi.json", "", 200}, {"GET", "/runs", "", 200}, {"GET", "/runs?state=waiting&limit=1", "", 200}, {"GET", "/runs?state=live&tier=tier1&q=a&repo=acme/till", "", 200},
		{"GET", "/runs?limit=0", "", 400}, {"GET", "/runs?limit=", "", 400}, {"GET", "/runs?state=", "", 400}, {"GET", "/runs?after=1234567890123456789.x", "", 400}, {"GET", "/runs/well/conversations?from=657581238879984723951616", "", 400}, {"POST", "/runs/waits2/resume?from_step=678", "", 409}, {"GET", "/runs?limit=201", "", 400}, {"GET", "/runs?state=on", "", 400}, {"GET", "/runs?outcome=good", "", 400}, {"GET", "/runs?after=x", "", 400},
		{"GET", "/runs/well", "", 200}, {"GET", "/runs/badly", "", 200}, {"GET", "/runs/waits", "", 200}, {"GET", "/runs/parked", "", 200}, {"GET", "/runs/none", "", 404},
		{"GET", "/runs/well/conversations", "", 200}, {"GET", "/runs/well/conversations?from=1&limit=1", "", 200}, {"GET", "/runs/well/conversations?from=99", "", 200}, {"GET", "/runs/well/conversations?from=-1", "", 400},
		{"GET", "/runs/well/agent-conversations", "", 200}, {"GET", "/runs/well/decisions", "", 200},
		{"GET", "/runs/waits/execution-context", "", 200}, {"GET", "/runs/well/execution-context", "", 200},
		{"POST", "/runs/waits/validate-plan", `{}`, 400}, {"POST", "/runs/waits/validate-plan", `{"approved":false}`, 400}, {"POST", "/runs/waits/validate-plan", `{"approved":1}`, 400}, {"POST", "/runs/waits/validate-plan", `{"approved":true,"x":1}`, 400}, {"POST", "/runs/waits/validate-plan", `{"approved":true} {}`, 400},
		{"POST", "/runs/waits/validate-step?step_number=1", `{"approved":true}`, 409}, {"POST", "/runs/waits/validate-plan", `{"approved":false,"feedback":"no"}`, 202}, {"POST", "/runs/waits/validate-plan", `{"approved":true}`, 409},
		{"POST", "/runs/waits2/resume", "", 409}, {"POST", "/runs/waits2/validate-plan", `{"approved":true}`, 202},
		{"POST", "/runs/step/validate-step?step_number=1", `{"approved":true}`, 409}, {"POST", "/runs/step/validate-step", `{"approved":true}`, 400}, {"POST", "/runs/step/validate-plan", `{"approved":true}`, 409}, {"POST", "/runs/step/validate-step?step_number=2", `{"approved":true,"feedback":""}`, 202},
		{"POST", "/runs/runs/resume", "", 409}, {"POST", "/runs/runs/interrupt", "", 202}, {"POST", "/runs/runs/interrupt", "", 202}, {"POST", "/runs/well/interrupt", "", 409},
		{"POST", "/runs/parked/resume", "", 202}, {"POST", "/runs/badly/resume?from_step=x", "", 400}, {"POST", "/runs/badly/resume?from_step=99", "", 409},
		{"POST", "/runs/badly/retry", `{"tier":"tier9"}`, 400}, {"POST", "/runs/badly/retry", `{"tier":"tier3"}`, 409}, {"POST", "/runs/well/retry", `{"tier":"tier1"}`, 409}, {"POST", "/runs/badly/retry", `{"tier":"tier1"}`, 202},
		{"GET", "/repositories", "", 200}, {"GET", "/deliveries", "", 200}, {"GET", "/deliveries?state=done&limit=1", "", 200}, {"GET", "/deliveries?state=lost", "", 400},
		{"POST", "/deliveries/d-acme/redeliver", "", 202}, {"POST", "/deliveries/none/redeliver", "", 404}, {"GET", "/health", "", 200},
	} {
		for _, prefix := range []string{"/api/v1", "/api"} {
			if prefix == "/api" && c.method != http.MethodGet {
				continue // done above
			}
			what := c.method + " " + prefix + c.path
			req, err := http.NewRequest(c.method, s.url+prefix+c.path, strings.NewReader(c.body))
			s.must(err)
			req.Header.Set("Authorization", "Bearer "+token)
			if c.body != "" {
				req.Header.Set("Content-Type", "application/json")
			}
			route, vars, err := router.FindRoute(&http.Request{Method: c.method, URL: must(url.Parse(prefix + c.path))})
			if err != nil {
				t.Errorf("%s is not described: %v", what, err)
				continue
			}
			asked[route.Operation.OperationID] = true
			described, err := http.NewRequest(c.method, prefix+c.path, strings.NewReader(c.body))
			s.must(err)
			described.Header = req.Header.Clone()
			in := &openapi3filter.RequestValidationInput{Request: described, PathParams: vars, Route: route, Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc}}
			if err := openapi3filter.ValidateRequest(t.Context(), in); err != nil && c.want < 400 {
				t.Errorf("%s: the request is not as described: %v", what, err)
			}
			res, err := http.DefaultClient.Do(req)
			s.must(err)
			body, err := io.ReadAll(res.Body)
			res.Body.Close()
			s.must(err)
			if res.StatusCode != c.want {
				t.Errorf("%s answers %d, want %d: %.300s", what, res.StatusCode, c.want, body)
			}
			if err := openapi3filter.ValidateResponse(t.Context(), &openapi3filter.ResponseValidationInput{RequestValidationInput: in, Status: res.StatusCode, Header: res.Header, Body: io.NopCloser(bytes.NewReader(body)), Options: &openapi3filter.Options{IncludeResponseStatus: true}}); err != nil {
				t.Errorf("%s: the answer is not as described: %.700v", what, err)
			}
		}
	}
	asked["listen"] = true // TestEventsTellOfChanges
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			if !asked[op.OperationID] {
				t.Errorf("%s %s was not asked", method, path)
			}
		}
	}
}

// What an address does not take is told from what is not there.
func TestTheAPISaysWhichMethodAnAddressTakes(t *testing.T) {
	t.Parallel()
	s := filled(t)
	for path, allowed := range map[string]string{"/runs": "GET, HEAD", "/events": "GET, HEAD", "/runs/waits/interrupt": "POST"} {
		code, _, head := s.call(http.MethodPut, "/api/v1"+path, s.token(true), "")
		if code != http.StatusMethodNotAllowed || head.Get("Allow") != allowed {
			t.Errorf("PUT %s is answered with %d, Allow: %s", path, code, head.Get("Allow"))
		}
	}
	long := strings.Repeat("k", 201)
	if code, _, _ := s.call(http.MethodPost, "/api/v1/deliveries/d-acme/redeliver", s.token(true), "", "Idempotency-Key", long); code != http.StatusBadRequest {
		t.Errorf("a long key is answered with %d", code)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A repeated POST with the same key does nothing twice.
func TestAPostTwiceIsOne(t *testing.T) {
	t.Parallel()
	s := filled(t)
	token := s.token(true)
	for _, c := range []struct{ path, body string }{{"/runs/badly/retry", `{"tier":"tier1"}`}, {"/runs/waits/validate-plan", `{"approved":true}`}} {
		_, first, _ := s.call(http.MethodPost, "/api/v1"+c.path, token, c.body, "Idempotency-Key", "k1")
		code, again, _ := s.call(http.MethodPost, "/api/v1"+c.path, token, c.body, "Idempotency-Key", "k1")
		if code != http.StatusAccepted || first["run_id"] == nil || first["run_id"] != again["run_id"] {
			t.Errorf("%s: %v, then %d %v", c.path, first, code, again)
		}
	}
	if all, err := s.db.Answers(t.Context(), "waits"); err != nil || len(all) != 1 {
		t.Errorf("%+v %v", all, err)
	}
	runs, err := s.db.Runs(t.Context(), store.Filter{Repo: "acme/shop", Issue: 2})
	if err != nil || len(runs) != 2 {
		t.Errorf("%d runs: %v", len(runs), err)
	}
	if code, body, _ := s.call(http.MethodPost, "/api/v1/runs/waits/interrupt", s.token(false), ""); code != http.StatusForbidden || body["title"] != "Reading only" {
		t.Errorf("a reader's stop: %d %v", code, body)
	}
}

// stream reads events until the test ends.
func (s *site) stream(ctx context.Context, token, seen string) (events chan [3]string, status int) {
	s.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/api/v1/events", nil)
	s.must(err)
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Last-Event-ID", seen)
	res, err := http.DefaultClient.Do(req)
	s.must(err)
	events = make(chan [3]string, 100)
	go func() {
		defer close(events)
		defer res.Body.Close()
		var e [3]string
		lines := bufio.NewScanner(res.Body)
		for lines.Scan() {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "id":
				e[0] = value
			case "event":
				e[1] = value
			case "data":
				e[2] = value
			case "":
				if e[1] != "" {
					events <- e
				}
				e = [3]string{}
			}
		}
	}()
	return events, res.StatusCode
}

func (s *site) next(events chan [3]string) (id, kind string, c store.Card) {
	s.Helper()
	select {
	case e, ok := <-events:
		if !ok {
			s.Fatal("the stream ended")
		}
		if e[1] == "run" {
			s.must(json.Unmarshal([]byte(e[2]), &c))
		}
		return e[0], e[1], c
	case <-time.After(time.Minute): // only ends a hang
		s.Fatal("no event came")
		return "", "", c
	}
}

// readers waits until so many listen.
func (s *site) readers(n int) {
	s.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		s.srv.hub.mu.Lock()
		got := len(s.srv.hub.readers)
		s.srv.hub.mu.Unlock()
		if got == n {
			return
		}
		if time.Now().After(end) {
			s.Fatalf("%d listen, want %d", got, n)
		}
	}
}

// Events come to who may see them, a reader who comes back gets what they missed, and one
// whose last event nobody knows is told to read everything again.
func TestEventsTellOfChanges(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.srv.hub.epoch = "e"
	look := func() { s.must(s.srv.hub.look(ctx)) }
	look() // what is there is no change
	all, status := s.stream(ctx, s.token(false), "")
	if status != http.StatusOK {
		t.Fatalf("answered with %d", status)
	}
	mine, _ := s.stream(ctx, s.token(false, store.Scope{Installations: []int64{7}}), "")
	s.readers(2)
	s.begin("rival", 8, "rival/x", 1, "rival "+hidden)
	look()
	l := s.begin("r1", 7, "acme/shop", 1, "it is broken "+hidden)
	look()
	s.must(s.db.SetProgress(ctx, l, task.Tier1, 1, task.Dollars(0.02)))
	look()
	look()
	s.must(s.db.Finish(ctx, l, task.Result{Outcome: task.Success}, ""))
	look()
	if _, _, c := s.next(all); c.ID != "rival" || strings.Contains(c.Title, hidden) {
		t.Errorf("%+v", c)
	}
	first, _, c := s.next(mine)
	if c.ID != "r1" || c.State != task.StateRunning || strings.Contains(c.Title, hidden) {
		t.Errorf("%+v", c)
	}
	if _, _, c := s.next(mine); c.Attempts != 1 {
		t.Errorf("%+v", c)
	}
	if _, _, c := s.next(mine); c.State != task.StateDone || c.Outcome != task.Success {
		t.Errorf("%+v", c)
	}
	back, _ := s.stream(ctx, s.token(false, store.Scope{Installations: []int64{7}}), first)
	if id, _, c := s.next(back); c.Attempts != 1 || id == first {
		t.Errorf("%s %+v", id, c)
	}
	for _, seen := range []string{"other.1", "e.999", "nonsense"} {
		lost, _ := s.stream(ctx, s.token(false), seen)
		if _, kind, _ := s.next(lost); kind != "reset" {
			t.Errorf("after %q: %q", seen, kind)
		}
	}
}

// A reader who does not keep up is dropped, and keeps nobody waiting.
func TestASlowReaderIsDropped(t *testing.T) {
	t.Parallel()
	h := newHub(nil)
	slow, _, _, err := h.join(store.Scope{All: true}, "")
	if err != nil {
		t.Fatal(err)
	}
	for range readerQueue + 1 {
		h.tell(store.Card{ID: "r"}, []byte("{}"))
	}
	n := 0
	for range slow.events {
		n++
	}
	if n != readerQueue || len(h.readers) != 0 {
		t.Errorf("%d events, %d readers", n, len(h.readers))
	}
	for range mostReaders {
		if _, _, _, err := h.join(store.Scope{}, ""); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, _, err := h.join(store.Scope{}, ""); problemOf(err) == nil || problemOf(err).Status != http.StatusServiceUnavailable {
		t.Errorf("one more: %v", err)
	}
	for range 3 * keptEvents {
		h.tell(store.Card{}, nil)
	}
	if len(h.kept) > keptEvents {
		t.Errorf("%d events are kept", len(h.kept))
	}
}

// What happens is counted, labels have ends, and each name in the alert rules is one that
// is exported. promtool checks the rules' grammar where it is installed.
func TestMetricsAndAlertRulesAgree(t *testing.T) {
	t.Parallel()
	s := filled(t)
	m := s.srv.cfg.Metrics
	for i := range 50 { // names from outside make no series
		m.Said(task.Message{Direction: "from", Tier: task.Tier(fmt.Sprint("tier", i)), Model: fmt.Sprint(i), TokensIn: 3, Cost: task.Dollars(0.5), Latency: time.Second, Data: json.RawMessage(`{"text":"x"}`)})
		m.Tried(task.Attempt{Tier: task.Tier1, Green: i%2 == 0, Checks: []task.Check{{Name: fmt.Sprint(i), Status: task.CheckPassed, Seconds: 1}, {Status: task.CheckStatus(fmt.Sprint(i))}}})
	}
	m.Said(task.Message{Direction: "from", Tier: task.Tier2, Data: json.RawMessage(`{"error":"down"}`)})
	m.Ended(task.Result{Outcome: task.Success, Elapsed: time.Minute})
	code, body := s.get(s.browser(s.token(false)), "/metrics")
	if code != http.StatusOK {
		t.Fatalf("answered with %d", code)
	}
	for _, want := range []string{
		`fettle_runs_ended_total{outcome="success"} 1`, `fettle_runs_ended_total{outcome="error"} 0`, `fettle_attempts_total{green="yes",tier="tier1"} 25`, `fettle_model_calls_total{result="failed",tier="tier2"} 1`,
		`fettle_tokens_total{direction="in",tier="other"} 141`, `fettle_cost_dollars_total{tier="tier3"} 0.5`, `fettle_deliveries{state="done"} 2`, `fettle_runs{state="waiting"} 1`, `fettle_breaker_states{state="quarantined"} 1`,
		`fettle_breaker_transitions{from="healthy",to="degraded"} 1`, `fettle_paused 0`, `fettle_database_up 1`, `fettle_heal_mean_seconds{call="on_result"}`, `fettle_check_seconds_count{status="passed"} 50`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the metrics do not hold %s", want)
		}
	}
	if series := strings.Count(body, "\nfettle_"); series > 300 {
		t.Errorf("%d series", series)
	}
	rules := filepath.Join("..", "..", "deploy", "prometheus-alerts.yml")
	text, err := os.ReadFile(rules)
	s.must(err)
	names := regexp.MustCompile(`\bfettle_\w+`).FindAllString(string(text), -1)
	slices.Sort(names)
	if names = slices.Compact(names); len(names) < 6 {
		t.Errorf("only %v stand in the rules", names)
	}
	for _, name := range names {
		if !strings.Contains(body, "\n# TYPE "+name+" ") && !strings.HasPrefix(body, "# TYPE "+name+" ") {
			t.Errorf("the rules name %s, which is not exported", name)
		}
	}
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("SKIPPED: promtool is not installed (Debian package prometheus); make setup-runners installs it")
	}
	for _, args := range [][]string{{"check", "rules", rules}, {"check", "metrics"}} {
		c := exec.Command(promtool, args...)
		c.Stdin = strings.NewReader(onlyOurs(body))
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v\n%s", args, err, out)
		}
	}
}

// onlyOurs leaves out the metrics of the Go runtime, which promtool has its own mind on.
func onlyOurs(metrics string) string {
	var b strings.Builder
	for line := range strings.Lines(metrics) {
		if strings.HasPrefix(strings.TrimPrefix(strings.TrimPrefix(line, "# HELP "), "# TYPE "), "fettle_") {
			b.WriteString(line)
		}
	}
	return b.String()
}

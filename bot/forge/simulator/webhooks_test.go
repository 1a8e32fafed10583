package simulator_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/forge/simulator"
)

// receiver takes webhooks and checks each against GitHub's description.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	events []string // event.action
	guids  []string
	errs   []error
	status int
}

func newReceiver(w *world, secret string) *receiver {
	w.t.Helper()
	r := &receiver{status: 202}
	r.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write(body)
		if want := "sha256=" + hex.EncodeToString(mac.Sum(nil)); err == nil && req.Header.Get("X-Hub-Signature-256") != want {
			err = fmt.Errorf("signature is %q", req.Header.Get("X-Hub-Signature-256"))
		}
		var p struct{ Action string }
		if err == nil {
			err = json.Unmarshal(body, &p)
		}
		event := req.Header.Get("X-GitHub-Event")
		if err == nil {
			err = w.v.Webhook(event, body)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.events, r.guids = append(r.events, event+"."+p.Action), append(r.guids, req.Header.Get("X-GitHub-Delivery"))
		if err != nil {
			r.errs = append(r.errs, err)
		}
		rw.WriteHeader(r.status)
		_, _ = io.WriteString(rw, "taken")
	}))
	w.t.Cleanup(r.Close)
	w.s.SetWebhook(r.URL+"/hook", secret)
	return r
}

func (r *receiver) got(w *world) []string {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := w.s.Settle(ctx); err != nil {
		w.t.Fatal(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, err := range r.errs {
		w.t.Error(err)
	}
	out := append([]string(nil), r.events...)
	slices.Sort(out)
	return out
}

func TestWebhooksAreSignedAndOfGitHubsShape(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := newReceiver(w, "s3cret")
	tok := w.token(nil)
	n := w.issue("broken", "please", "mona")
	for _, do := range []error{
		w.s.Label("octo", "demo", n, "agent:fix", "octo"), w.s.Label("octo", "demo", n, "agent:fix", "octo"),
		w.s.Unlabel("octo", "demo", n, "agent:fix", "octo"), w.s.EditIssue("octo", "demo", n, "Broken", "please!", "mona"),
		w.s.CloseIssue("octo", "demo", n, "mona"), w.s.ReopenIssue("octo", "demo", n, "mona"), w.s.Ping(),
	} {
		if do != nil {
			t.Fatal(do)
		}
	}
	if _, err := w.s.Comment("octo", "demo", n, "/fettle fix", "mona"); err != nil {
		t.Fatal(err)
	}
	sha := w.branchWith(tok, "b", "x.txt", "x")
	pr := w.call(201, "POST", repo+"/pulls", tok, map[string]any{"title": "x", "head": "b", "base": "main", "draft": true}).body
	w.ready(tok, pr["node_id"].(string), "markPullRequestReadyForReview")
	w.ready(tok, pr["node_id"].(string), "convertPullRequestToDraft")
	w.call(200, "PATCH", repo+"/pulls/2", tok, map[string]any{"title": "y"})
	if _, err := w.s.CommitFile("octo", "demo", "b", "y.txt", []byte("y"), "more", "mona"); err != nil {
		t.Fatal(err)
	}
	w.call(200, "PATCH", repo+"/pulls/2", tok, map[string]any{"state": "closed"})
	w.call(200, "PATCH", repo+"/pulls/2", tok, map[string]any{"state": "open"})
	comment := w.call(201, "POST", repo+"/issues/2/comments", tok, map[string]any{"body": sha})
	w.call(200, "PATCH", fmt.Sprintf("%s/issues/comments/%.0f", repo, comment.body["id"]), tok, map[string]any{"body": "edited"})

	want := []string{"issue_comment.created", "issue_comment.created", "issue_comment.edited", "issues.closed", "issues.edited", "issues.labeled", "issues.opened",
		"issues.reopened", "issues.unlabeled", "ping.", "pull_request.closed", "pull_request.converted_to_draft", "pull_request.edited",
		"pull_request.opened", "pull_request.ready_for_review", "pull_request.reopened", "pull_request.synchronize", "push.", "push."}
	if got := r.got(w); !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestRedeliveryKeepsTheGUIDAndNothingIsRetried(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := newReceiver(w, "s")
	r.status = 500
	w.issue("one", "", "mona")
	if got := r.got(w); len(got) != 1 {
		t.Fatalf("got %v", got)
	}
	failed := w.call(200, "GET", "/app/hook/deliveries?status=failure", w.jwt(nil), nil).list
	if len(failed) != 1 || failed[0]["status_code"] != 500.0 || failed[0]["guid"] != r.guids[0] {
		t.Fatalf("got %v", failed)
	}
	at := fmt.Sprintf("/app/hook/deliveries/%.0f", failed[0]["id"])
	one := w.call(200, "GET", at, w.jwt(nil), nil).body
	if one["request"].(map[string]any)["payload"].(map[string]any)["action"] != "opened" || one["response"].(map[string]any)["payload"] != "taken" {
		t.Errorf("got %v", one)
	}
	r.mu.Lock()
	r.status = 202
	r.mu.Unlock()
	w.call(202, "POST", at+"/attempts", w.jwt(nil), nil)
	if got := r.got(w); len(got) != 2 || r.guids[0] != r.guids[1] {
		t.Errorf("got %v %v", got, r.guids)
	}
	for i := range 4 {
		w.issue(fmt.Sprint("more ", i), "", "mona")
	}
	r.got(w)
	var seen []any
	path := "/app/hook/deliveries?per_page=4"
	first := w.call(200, "GET", path, w.jwt(nil), nil)
	for _, d := range first.list {
		seen = append(seen, d["id"])
	}
	next := w.call(200, "GET", path+fmt.Sprintf("&cursor=v1_%.0f", seen[3]), w.jwt(nil), nil)
	if len(next.list) != 2 || first.header.Get("Link") == "" || next.header.Get("Link") != "" {
		t.Errorf("got %d then %d, %q", len(first.list), len(next.list), first.header.Get("Link"))
	}
	w.clock.Turn(73 * time.Hour)
	if r := w.call(200, "GET", "/app/hook/deliveries", w.jwt(nil), nil); len(r.list) != 0 {
		t.Errorf("deliveries older than three days are gone, got %d", len(r.list))
	}
	w.call(404, "POST", at+"/attempts", w.jwt(nil), nil)
}

func TestAnUnreachableReceiverIsRecorded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dead := httptest.NewServer(http.NotFoundHandler())
	dead.Close()
	w.s.SetWebhook(dead.URL, "s")
	n := w.issue("lost", "", "mona")
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := w.s.Settle(ctx); err != nil {
		t.Fatal(err)
	}
	list := w.s.Deliveries()
	if len(list) != 1 || list[0].StatusCode != http.StatusBadGateway || list[0].Status == "OK" {
		t.Fatalf("issue %d: got %+v", n, list)
	}
	r := newReceiver(w, "s")
	if err := w.s.Redeliver(list[0].ID); err != nil {
		t.Fatal(err)
	}
	if got := r.got(w); len(got) != 1 || r.guids[0] != list[0].GUID {
		t.Errorf("got %v", got)
	}
	if err := w.s.Redeliver(1); err == nil {
		t.Error("a delivery that never was cannot be sent again")
	}
}

func TestStateSurvivesARestart(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := newReceiver(w, "s")
	n := w.issue("stays", "", "mona")
	tok := w.token(nil)
	w.branchWith(tok, "b", "x.txt", "x")
	w.call(201, "POST", repo+"/pulls", tok, map[string]any{"title": "x", "head": "b", "base": "main"})
	r.got(w)
	key, before := string(w.s.PrivateKeyPEM()), w.s.Snapshot("octo", "demo")
	if err := w.s.Close(); err != nil {
		t.Fatal(err)
	}
	w.start()
	after := w.s.Snapshot("octo", "demo")
	if key != string(w.s.PrivateKeyPEM()) || after.Issues[0].Number != n || after.Branches["b"] != before.Branches["b"] || after.Pulls[0].Diff != before.Pulls[0].Diff {
		t.Errorf("before %+v\nafter  %+v", before, after)
	}
	if len(w.s.Deliveries()) != 3 { // of the issue, the push and the pull request
		t.Errorf("%d deliveries", len(w.s.Deliveries()))
	}
	w.call(200, "GET", repo, tok, nil)
	if err := w.s.AddRepo("octo", "demo", t.TempDir()); err != nil || w.issue("next", "", "mona") != 3 {
		t.Errorf("the repository did not go on: %v", err)
	}
}

func TestFaultsStrikeByRouteAndCount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tok := w.token(nil)
	n := w.issue("x", "", "mona")
	comments := fmt.Sprintf("%s/issues/%d/comments", repo, n)
	body := map[string]any{"body": "hello"}
	count := func() int { return len(w.s.Snapshot("octo", "demo").Issues[0].Comments) }

	w.s.Fault(simulator.Fault{Route: "/repos/{owner}/{repo}/issues/{n}/comments", Method: "POST", Skip: 1, Count: 2, Status: 429, Header: http.Header{"Retry-After": {"7"}}})
	w.call(201, "POST", comments, tok, body)
	for range 2 {
		if r := w.call(429, "POST", comments, tok, body); r.header.Get("Retry-After") != "7" || r.message() == "" {
			t.Errorf("got %v %s", r.header, r.raw)
		}
	}
	w.call(200, "GET", comments, tok, nil)
	w.call(201, "POST", comments, tok, body)

	w.s.Fault(simulator.Fault{Route: "/api/v3" + repo + "/**", Method: "POST", Count: 1, Cut: true})
	if _, err := w.try("POST", comments, tok, body); err == nil || count() != 2 {
		t.Errorf("cut before: %v, %d comments", err, count())
	}
	w.s.Fault(simulator.Fault{Method: "POST", Count: 1, Cut: true, Late: true})
	if _, err := w.try("POST", comments, tok, body); err == nil || count() != 3 {
		t.Errorf("cut after: %v, %d comments", err, count())
	}
	w.s.Fault(simulator.Fault{Count: 1, CutAfter: 10})
	if r, err := w.try("GET", comments, tok, nil); err == nil || len(r.raw) > 10 {
		t.Errorf("cut within: %v, %d bytes", err, len(r.raw))
	}
	w.s.Fault(simulator.Fault{Count: 1, Late: true, Status: 502})
	w.call(502, "POST", comments, tok, body)
	if count() != 4 {
		t.Errorf("%d comments", count())
	}
	w.s.Fault(simulator.Fault{Route: repo, Delay: time.Millisecond})
	w.call(200, "GET", repo, tok, nil)
	w.s.Fault(simulator.Fault{Status: 500})
	w.call(500, "GET", comments, tok, nil)
	w.s.ClearFaults()
	w.call(200, "GET", comments, tok, nil)
}

func TestAPushCutHalfWayLeavesOneHead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tok := w.token(nil)
	dir := w.clone(tok)
	w.git(dir, "", "checkout", "-q", "-b", "topic")
	write(t, dir, "big.txt", string(make([]byte, 4096)))
	w.git(dir, "", "add", ".")
	w.git(dir, "", "commit", "-q", "-m", "big")
	push := "/*/*/git-receive-pack"
	// twice each: libcurl tries once more when a kept connection dies
	w.s.Fault(simulator.Fault{Route: push, Count: 2, CutRequestAt: 200})
	if out, err := w.run(dir, tok, "push", "origin", "topic"); err == nil {
		t.Errorf("it worked: %s", out)
	}
	if _, there := w.s.Snapshot("octo", "demo").Branches["topic"]; there {
		t.Error("half a push made a branch")
	}
	w.s.ClearFaults()
	w.s.Fault(simulator.Fault{Route: push, Count: 2, Late: true, Cut: true})
	if out, err := w.run(dir, tok, "push", "origin", "topic"); err == nil {
		t.Errorf("it worked: %s", out)
	}
	if w.s.Snapshot("octo", "demo").Branches["topic"] != w.git(dir, "", "rev-parse", "HEAD") {
		t.Error("the push was accepted before the cut")
	}
	w.s.ClearFaults()
	w.git(dir, tok, "push", "-q", "origin", "topic")
}

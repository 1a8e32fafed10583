package forge

import (
	"context"
	"net/http"
	"strings"
	"testing"
)

func TestI2OnePullRequestPerBranch(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	ctx, repo := context.Background(), testRepo()
	f.pulls = append(f.pulls, map[string]any{ // of a fork, with the same branch name
		"number": 10, "node_id": "PR_fork", "state": "open", "title": "theirs", "body": "", "draft": false,
		"head": map[string]any{"ref": branch, "repo": map[string]any{"full_name": "eve/shop"}},
	})
	first, err := testClient(t, f.URL, nil).PullRequest(ctx, repo, branch, "main", "fix: a", "body", 0, true)
	ok(t, err)
	again, err := testClient(t, f.URL, nil).PullRequest(ctx, repo, branch, "main", "fix: b", "body 2", 0, false)
	ok(t, err)
	if first.Number != 11 || !first.Draft || again.Number != 11 || again.Draft || again.Title != "fix: b" || again.Body != "body 2" {
		t.Errorf("first %+v\nagain %+v", first, again)
	}
	if len(f.pulls) != 2 || f.pulls[1]["draft"] != false || f.pulls[0]["title"] != "theirs" {
		t.Errorf("%v", f.pulls)
	}
	back, err := testClient(t, f.URL, nil).PullRequest(ctx, repo, branch, "main", "fix: b", "body 2", 0, true)
	ok(t, err)
	if !back.Draft || f.pulls[1]["draft"] != true {
		t.Errorf("%+v is not a draft again", back)
	}
}

func TestF01PullRequestCreatedButNotAnswered(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	n := 0
	f.setFault(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/pulls") || n > 0 {
			return false
		}
		n++
		f.routePulls(discard{http.Header{}}, r, "POST /pulls", "pulls", map[string]any{"title": "t", "body": "b", "head": branch, "draft": false})
		panic(http.ErrAbortHandler)
	})
	pr, err := testClient(t, f.URL, nil).PullRequest(context.Background(), testRepo(), branch, "main", "t", "b", 0, false)
	ok(t, err)
	if len(f.pulls) != 1 || pr.Number != 10 {
		t.Errorf("%+v; %d pull requests", pr, len(f.pulls))
	}
}

type discard struct{ h http.Header }

func (d discard) Header() http.Header         { return d.h }
func (d discard) Write(b []byte) (int, error) { return len(b), nil }
func (d discard) WriteHeader(int)             {}

func TestS4WhereThereAreNoDraftsTheTitleSaysWIP(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.noDrafts = true
	pr, err := testClient(t, f.URL, nil).PullRequest(context.Background(), testRepo(), branch, "main", "fix: a", "b", 0, true)
	ok(t, err)
	if pr.Draft || pr.Title != "WIP: fix: a" {
		t.Errorf("%+v", pr)
	}
}

func TestGraphQLErrorsAreErrors(t *testing.T) {
	t.Parallel()
	for kind, check := range map[string]func(error) bool{
		"NOT_FOUND":    IsGone,
		"FORBIDDEN":    func(err error) bool { return err != nil && strings.Contains(err.Error(), "no way") },
		"RATE_LIMITED": func(err error) bool { return err != nil && strings.Contains(err.Error(), "nothing is sent before") },
	} {
		f := newFake(t)
		c := testClient(t, f.URL, nil)
		_, err := c.PullRequest(context.Background(), testRepo(), branch, "main", "t", "b", 0, true)
		ok(t, err)
		f.setFault(times(-1, "POST", "/graphql", func(w http.ResponseWriter) {
			reply(w, 200, map[string]any{"data": map[string]any{"markPullRequestReadyForReview": nil}, "errors": []any{map[string]any{"type": kind, "message": "no way"}}})
		}))
		if _, err = c.PullRequest(context.Background(), testRepo(), branch, "main", "t", "b", 0, false); !check(err) {
			t.Errorf("%s: got %v", kind, err)
		}
	}
}

func TestS2ExactlyOneStateLabel(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	c := testClient(t, f.URL, nil)
	ctx := context.Background()
	f.labels["agent:fix"] = true
	for _, want := range []string{LabelWorking, LabelReady, LabelReady, LabelHuman, "", LabelWorking} {
		before := f.calls()
		ok(t, c.StateLabel(ctx, testRepo(), 1, want))
		n := 0
		for l := range f.labels {
			if isState(l) {
				n++
			}
		}
		if want != "" && (n != 1 || !f.labels[want]) || want == "" && n != 0 || !f.labels["bug"] || !f.labels["agent:fix"] {
			t.Errorf("after %q: %v (%d calls before)", want, f.labels, len(before))
		}
	}
	if got := f.defined[LabelReady]; got == nil || got["color"] != "0e8a16" {
		t.Errorf("label definition %v", got)
	}
	before := len(f.calls())
	ok(t, c.StateLabel(ctx, testRepo(), 1, LabelWorking))
	if got := f.calls()[before:]; len(got) != 1 {
		t.Errorf("a label that stands was sent again: %v", got)
	}
	if err := c.StateLabel(ctx, testRepo(), 1, "agent:fix"); err == nil {
		t.Error("the trigger label is no state")
	}
}

func TestS2LabelsTolerateOthersDoingTheSame(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.labels[LabelHuman] = true
	f.setFault(func(w http.ResponseWriter, r *http.Request) bool {
		switch {
		case r.Method == http.MethodDelete:
			delete(f.labels, LabelHuman) // a human was faster
		case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/shop/labels"):
			reply(w, 422, map[string]any{"message": "Validation Failed", "errors": []any{map[string]any{"code": "already_exists"}}})
			return true
		}
		return false
	})
	ok(t, testClient(t, f.URL, nil).StateLabel(context.Background(), testRepo(), 1, LabelWorking))
	if !f.labels[LabelWorking] || f.labels[LabelHuman] {
		t.Errorf("%v", f.labels)
	}
}

func TestS4OneCheckRun(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	for _, conclusion := range []string{"failure", "success"} {
		ok(t, testClient(t, f.URL, nil).CheckRun(context.Background(), testRepo(), oid("base"), "fettle", conclusion, "t", "s"))
	}
	if len(f.checks) != 1 || f.checks[0]["conclusion"] != "success" {
		t.Errorf("%v", f.checks)
	}
}

func TestP7PermissionComesFromTheAPI(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	c := testClient(t, f.URL, nil)
	for user, want := range map[string]string{"ada": "write", "eve": "read", "dependabot[bot]": "none", "stranger": "none", "": "none", "../../../app": "none", "a/b": "none"} {
		got, err := c.Permission(context.Background(), testRepo(), user)
		if err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", user, got, err, want)
		}
	}
	for _, call := range f.calls() {
		if strings.Contains(call, "..") {
			t.Errorf("a login changed the path: %s", call)
		}
	}
	f.setFault(times(-1, "GET", "", func(w http.ResponseWriter) { reply(w, 404, map[string]any{"message": "Not Found"}) }))
	if _, err := c.Permission(context.Background(), testRepo(), "ada"); !IsGone(err) {
		t.Errorf("repository gone: %v", err)
	}
}

func TestReactOnIssueAndComment(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	c := testClient(t, f.URL, nil)
	ok(t, c.React(context.Background(), testRepo(), 1, 0, "eyes"))
	ok(t, c.React(context.Background(), testRepo(), 1, 99, "eyes"))
	all := f.calls()
	if count(all, "POST /repos/acme/shop/issues/1/reactions") != 1 || count(all, "POST /repos/acme/shop/issues/comments/99/reactions") != 1 {
		t.Errorf("%v", all)
	}
}

func TestRepositoryNamesCannotChangeThePath(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	c := testClient(t, f.URL, nil)
	for _, name := range []string{"..", ".", "", "a/b", "a?b", "a#b", "%2e%2e", "a b"} {
		r := testRepo()
		r.Name = name
		if _, err := c.Repo(context.Background(), r); err == nil {
			t.Errorf("%q was asked for", name)
		}
	}
	if len(f.calls()) != 0 {
		t.Errorf("%v", f.calls())
	}
}

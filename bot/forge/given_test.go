package forge_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/forge"
	"github.com/fettle-dev/fettle/bot/forge/simulator"
	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/task"
)

// given is a client that has a token of the world's repository and no key.
func (w *world) given(may map[string]string) (*forge.Client, task.Repo) {
	w.t.Helper()
	token, err := w.sim.JobToken("octo", "demo", may)
	ok(w.t, err)
	repo := task.Repo{Installation: 77, Owner: "octo", Name: "demo"}
	c, err := forge.New(forge.Config{Token: token, TokenFor: repo, BaseURL: w.sim.URL(), Funnel: redact.New(), MarkerKey: []byte("sixteen bytes and more")})
	ok(w.t, err)
	return c, repo
}

func asActions(cfg *simulator.Config) { cfg.AppID, cfg.AppSlug = 15368, "github-actions" }

func TestS9AJobsTokenIsEnoughForOneRepositoryAndNoOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t, asActions)
	c, repo := w.given(map[string]string{"issues": "write", "contents": "read"})
	me, err := c.Login(t.Context(), repo)
	ok(t, err)
	if me != forge.JobLogin {
		t.Errorf("the token is %s's", me)
	}
	for range 2 { // a job that is started again finds its comment
		_, _, err = c.StatusComment(t.Context(), repo, w.issue, "status", "at work")
		ok(t, err)
		c, repo = w.given(map[string]string{"issues": "write", "contents": "read"})
	}
	if n := len(w.sim.Snapshot("octo", "demo").Issues[0].Comments); n != 1 {
		t.Errorf("%d status comments", n)
	}
	var lacks *forge.MissingPermission
	_, err = c.PullRequest(t.Context(), repo, "fettle/issue-1-x", "main", "t", "b", 1, true)
	if !errors.As(err, &lacks) || !strings.Contains(err.Error(), "permissions:") {
		t.Errorf("a missing permission: %v", err)
	}
	other := repo
	other.Name = "else"
	if _, err := c.Issue(t.Context(), other, 1); err == nil || !strings.Contains(err.Error(), "not for another repository") {
		t.Errorf("another repository: %v", err)
	}
	if _, err := c.Installations(t.Context()); err == nil || !strings.Contains(err.Error(), "only be asked by the App itself") {
		t.Errorf("what the App alone may ask: %v", err)
	}
}

func TestS9ArtifactsAreTakenFromWantedRunsOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, asActions)
	mine := simulator.WorkflowRun{ID: 1, Path: ".github/workflows/fettle.yml", Event: "issues", Branch: "main"}
	fork := simulator.WorkflowRun{ID: 2, Path: mine.Path, Event: "issues", Branch: "main", HeadRepo: 999}
	ok(t, w.sim.Upload("octo", "demo", mine, "state", []byte{1}))
	for i := range 120 { // a stranger's fork can upload as many as it likes
		ok(t, w.sim.Upload("octo", "demo", simulator.WorkflowRun{ID: int64(100 + i), Path: mine.Path, Event: "issues", HeadRepo: 999}, "state", []byte{9}))
	}
	for _, r := range []simulator.WorkflowRun{fork, {ID: 3, Path: ".github/workflows/test.yml", Event: "push", Branch: "main"}} {
		ok(t, w.sim.Upload("octo", "demo", r, "state", []byte{byte(r.ID)}))
	}
	ok(t, w.sim.Upload("octo", "demo", simulator.WorkflowRun{ID: 4, Path: mine.Path}, "another", []byte("x")))
	c, repo := w.given(map[string]string{"actions": "read"})
	found, err := c.Artifact(t.Context(), repo, "state", func(r forge.WorkflowRun) bool { return r.Own && r.Path == mine.Path })
	ok(t, err)
	if found == nil || found.Run.ID != 1 {
		t.Fatalf("the artifact: %+v", found)
	}
	if none, err := c.Artifact(t.Context(), repo, "state", func(forge.WorkflowRun) bool { return false }); err != nil || none != nil {
		t.Errorf("of no wanted run: %+v %v", none, err)
	}
	got, err := c.Archive(t.Context(), repo, found.ID)
	ok(t, err)
	if string(got) != "\x01" {
		t.Errorf("the archive is %q", got)
	}
	blind, repo := w.given(nil)
	var lacks *forge.MissingPermission
	if _, err := blind.Artifact(t.Context(), repo, "state", func(forge.WorkflowRun) bool { return true }); !errors.As(err, &lacks) {
		t.Errorf("without actions: read: %v", err)
	}
}

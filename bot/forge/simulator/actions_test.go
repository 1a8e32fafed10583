package simulator_test

import (
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/fettle-dev/fettle/bot/forge/simulator"
)

// S9: what a job has uploaded is found by its name, newest first, with the run that it
// is of; its file is sent to whoever has its address, and to no bearer of a token.
func TestS9ArtifactsOfAWorkflowAreListedAndFetched(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	run := simulator.WorkflowRun{ID: 7001, Path: ".github/workflows/mend.yml", Event: "issues", Branch: "main"}
	for _, zip := range []string{"first", "second"} {
		if err := w.s.Upload("octo", "demo", run, "fettle-issue-1", []byte(zip)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.s.Upload("octo", "demo", run, "logs", []byte("other")); err != nil {
		t.Fatal(err)
	}
	tok, err := w.s.JobToken("octo", "demo", map[string]string{"actions": "read"})
	if err != nil {
		t.Fatal(err)
	}
	got := w.call(200, "GET", repo+"/actions/artifacts?name=fettle-issue-1", tok, nil)
	all, _ := got.body["artifacts"].([]any)
	if len(all) != 1 {
		t.Fatalf("one of a run and a name is kept, got %v", got.body)
	}
	one := all[0].(map[string]any)
	at := fmt.Sprintf("%s/actions/artifacts/%.0f/zip", repo, one["id"])
	if of := w.call(200, "GET", fmt.Sprintf("%s/actions/runs/%.0f", repo, one["workflow_run"].(map[string]any)["id"]), tok, nil); of.body["path"] != run.Path || of.body["event"] != "issues" {
		t.Errorf("its run is %v", of.body)
	}
	where := w.redirect("GET", at, tok)
	resp, err := http.Get(where)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if text, err := io.ReadAll(resp.Body); err != nil || string(text) != "second" {
		t.Errorf("its file is %q, %v", text, err)
	}
	req, _ := http.NewRequest(http.MethodGet, where, nil)
	req.Header.Set("Authorization", "Bearer "+tok)
	refused, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = refused.Body.Close()
	if refused.StatusCode != http.StatusForbidden {
		t.Errorf("a token at the storage: %s", refused.Status)
	}
}

package simulator_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/forge/simulator"
)

func do(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestReviewsHaveThreadsThatAreAnsweredAndResolved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tok := w.token(nil)
	r := newReceiver(w, "s")
	w.branchWith(tok, "b", "app/calc.py", "def add(a, b):\n    return a + b\n\n\ndef sub(a, b):\n    return a\n")
	n, err := w.s.OpenPull("octo", "demo", "fix: add", "It adds.", "b", "main", "mona", true)
	do(t, err)
	_, err = w.s.Review("octo", "demo", n, "changes_requested", "Nearly.", "octo",
		simulator.Remark{Path: "app/calc.py", Line: 2, Body: "Why?"}, simulator.Remark{Path: "app/calc.py", StartLine: 5, Line: 6, Body: "```suggestion\ndef sub(a, b):\n    return a - b\n```"})
	do(t, err)
	at := fmt.Sprintf("%s/pulls/%d", repo, n)
	reviews := w.call(200, "GET", at+"/reviews", tok, nil).list
	if len(reviews) != 1 || reviews[0]["state"] != "CHANGES_REQUESTED" || reviews[0]["body"] != "Nearly." {
		t.Errorf("got %v", reviews)
	}
	said := w.call(200, "GET", at+"/comments", tok, nil).list
	if len(said) != 2 || said[1]["start_line"] != 5.0 || said[1]["line"] != 6.0 || !strings.HasSuffix(said[0]["diff_hunk"].(string), "+    return a + b") {
		t.Fatalf("got %v", said)
	}
	first := fmt.Sprintf("%s/comments/%.0f/replies", at, said[0]["id"])
	reply := w.call(201, "POST", first, tok, map[string]any{"body": "Because."}).body
	if reply["in_reply_to_id"] != said[0]["id"] {
		t.Errorf("got %v", reply)
	}
	w.call(404, "POST", fmt.Sprintf("%s/comments/%.0f/replies", at, reply["id"]), tok, map[string]any{"body": "to a reply"})
	w.call(201, "POST", fmt.Sprintf("%s/pulls/comments/%.0f/reactions", repo, said[0]["id"]), tok, map[string]any{"content": "eyes"})

	const query = `query($owner:String!,$name:String!,$number:Int!,$after:String){repository(owner:$owner,name:$name){pullRequest(number:$number){reviewThreads(first:1,after:$after){nodes{id}}}}}`
	vars := map[string]any{"owner": "octo", "name": "demo", "number": n, "after": nil}
	threads := func() map[string]any {
		t.Helper()
		got := w.graphql(tok, query, vars)
		return got.body["data"].(map[string]any)["repository"].(map[string]any)["pullRequest"].(map[string]any)["reviewThreads"].(map[string]any)
	}
	page := threads()
	one := page["nodes"].([]any)[0].(map[string]any)
	if info := page["pageInfo"].(map[string]any); info["hasNextPage"] != true || one["isResolved"] != false || len(one["comments"].(map[string]any)["nodes"].([]any)) != 2 {
		t.Errorf("got %v", page)
	}
	for range 2 {
		got := w.graphql(tok, "mutation($id:ID!){resolveReviewThread(input:{threadId:$id}){thread{isResolved}}}", map[string]any{"id": one["id"]})
		if got.body["errors"] != nil {
			t.Errorf("got %s", got.raw)
		}
	}
	if got := w.s.Snapshot("octo", "demo").Pulls[0]; got.Threads[0].ResolvedBy != "fettle[bot]" || got.Threads[1].ResolvedBy != "" || len(got.Reviews) != 2 {
		t.Errorf("got %+v", got)
	}
	want := []string{"pull_request.opened", "pull_request_review.submitted", "pull_request_review.submitted", "pull_request_review_comment.created",
		"pull_request_review_comment.created", "pull_request_review_comment.created", "pull_request_review_thread.resolved"}
	if got := r.got(w); !slices.Equal(slices.DeleteFunc(got, func(e string) bool { return e == "push." }), want) {
		t.Errorf("got %v", got)
	}

	// a later commit moves the lines of one thread and changes those of the other
	_, err = w.s.CommitFile("octo", "demo", "b", "app/calc.py", []byte("# sums\ndef add(a, b):\n    return a + b\n\n\ndef sub(a, b):\n    return a - b\n"), "more", "mona")
	do(t, err)
	said = w.call(200, "GET", at+"/comments", tok, nil).list
	if said[0]["line"] != 3.0 || said[1]["line"] != nil || said[1]["original_line"] != 6.0 {
		t.Errorf("got %v and %v", said[0]["line"], said[1]["line"])
	}
	vars["after"] = page["pageInfo"].(map[string]any)["endCursor"]
	if one := threads()["nodes"].([]any)[0].(map[string]any); one["isOutdated"] != true || one["line"] != nil {
		t.Errorf("got %v", one)
	}
}

func TestWhatOthersDoIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tok := w.token(nil)
	do(t, w.s.AddRepo("octo", "other", ""))
	r := newReceiver(w, "s")
	sha := w.branchWith(tok, "b", "x.txt", "x")
	n, err := w.s.OpenPull("octo", "demo", "x", "", "b", "", "mona", false)
	do(t, err)
	do(t, w.s.Label("octo", "demo", n, "bug", "mona"), w.s.Unlabel("octo", "demo", n, "bug", "mona"))
	do(t, w.s.SetCheck("octo", "demo", "b", "ci", "failure", "2 red", "see the log", ""))
	checks := w.call(200, "GET", repo+"/commits/"+sha+"/check-runs", tok, nil).body["check_runs"].([]any)
	if len(checks) != 1 || checks[0].(map[string]any)["app"].(map[string]any)["slug"] != "github-actions" {
		t.Errorf("got %v", checks)
	}
	if mine := w.call(200, "GET", repo+"/commits/"+sha+"/check-runs?app_id=77", tok, nil).body; mine["total_count"] != 0.0 {
		t.Errorf("got %v", mine)
	}
	w.call(403, "PATCH", fmt.Sprintf("%s/check-runs/%.0f", repo, checks[0].(map[string]any)["id"]), tok, map[string]any{"name": "ci"})
	made := w.call(201, "POST", repo+"/check-runs", tok, map[string]any{"name": "mine", "head_sha": sha, "status": "completed", "conclusion": "neutral",
		"output": map[string]any{"title": "t", "summary": "s", "annotations": []any{map[string]any{"path": "x.txt", "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": "look"}}}}).body
	notes := w.call(200, "GET", fmt.Sprintf("%s/check-runs/%.0f/annotations", repo, made["id"]), tok, nil).list
	if len(notes) != 1 || notes[0]["message"] != "look" {
		t.Errorf("got %v", notes)
	}

	locked, gone, moved := w.issue("a", "", "mona"), w.issue("b", "", "mona"), w.issue("c", "", "mona")
	do(t, w.s.Lock("octo", "demo", locked, true, "octo"), w.s.DeleteIssue("octo", "demo", gone, "octo"))
	w.call(403, "POST", fmt.Sprintf("%s/issues/%d/comments", repo, locked), tok, map[string]any{"body": "x"})
	w.call(404, "GET", fmt.Sprintf("%s/issues/%d", repo, gone), tok, nil)
	if there, err := w.s.TransferIssue("octo", "demo", moved, "other", "octo"); err != nil || there != 1 {
		t.Errorf("%d %v", there, err)
	}
	fork, err := w.s.OpenForkPull("octo", "demo", "from afar", "", "eve", "main", map[string]string{"y.txt": "y"})
	do(t, err)
	got := w.call(200, "GET", fmt.Sprintf("%s/pulls/%d", repo, fork), tok, nil).body["head"].(map[string]any)
	if got["label"] != "eve:main" || got["repo"].(map[string]any)["full_name"] != "eve/demo" {
		t.Errorf("got %v", got["label"])
	}
	do(t, w.s.Ready("octo", "demo", n, true, "mona"), w.s.RenameBranch("octo", "demo", "main", "trunk", "octo"))
	if p := w.call(200, "GET", fmt.Sprintf("%s/pulls/%d", repo, n), tok, nil).body; p["base"].(map[string]any)["ref"] != "trunk" || p["draft"] != true {
		t.Errorf("got %v", p["base"])
	}
	do(t, w.s.Rename("octo", "demo", "renamed", "octo"))
	moved301 := w.redirect("GET", repo+"/issues", tok)
	if moved301 != w.s.URL()+"/api/v3/repos/octo/renamed/issues" {
		t.Errorf("got %q", moved301)
	}
	do(t, w.s.Archive("octo", "renamed", "octo"))
	refused := w.call(403, "POST", "/repos/octo/renamed/issues", tok, map[string]any{"title": "x"})
	if refused.message() != "Repository was archived so is read-only." {
		t.Errorf("got %s", refused.raw)
	}
	do(t, w.s.Suspend("octo", true), w.s.Suspend("octo", false), w.s.Uninstall("octo"), w.s.AddRepo("acme", "shop", ""))

	want := []string{"check_run.completed", "check_suite.completed", "installation.created", "installation.deleted", "installation.suspend", "installation.unsuspend",
		"issues.deleted", "issues.locked", "issues.transferred", "pull_request.labeled", "pull_request.unlabeled", "repository.archived", "repository.edited", "repository.renamed"}
	all := r.got(w)
	for _, event := range want {
		if !slices.Contains(all, event) {
			t.Errorf("%s was not sent: %v", event, all)
		}
	}
}

package simulator_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestPullRequestFromTheGitDataAPI(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tok := w.token(nil)
	sha := w.branchWith(tok, "fettle/issue-1-add", "app/calc.py", "def add(a, b):\n    return a + b\n")

	commit := w.call(200, "GET", repo+"/git/commits/"+sha, tok, nil).body
	if v := commit["verification"].(map[string]any); v["verified"] != true || commit["author"].(map[string]any)["name"] != "fettle[bot]" {
		t.Errorf("a commit that the App makes is signed by GitHub, got %v", commit)
	}
	ask := map[string]any{"title": "fix: add", "head": "fettle/issue-1-add", "base": "main", "body": "Fixes #1", "draft": true}
	pr := w.call(201, "POST", repo+"/pulls", tok, ask).body
	if pr["draft"] != true || pr["changed_files"] != 1.0 || pr["additions"] != 1.0 || pr["commits"] != 1.0 || pr["head"].(map[string]any)["sha"] != sha {
		t.Errorf("got %v", pr)
	}
	again := w.call(422, "POST", repo+"/pulls", tok, ask)
	if again.firstError()["message"] != "A pull request already exists for octo:fettle/issue-1-add." || again.message() != "Validation Failed" {
		t.Errorf("got %s", again.raw)
	}
	at := fmt.Sprintf("%s/pulls/%.0f", repo, pr["number"])
	files := w.call(200, "GET", at+"/files", tok, nil).list
	if len(files) != 1 || files[0]["filename"] != "app/calc.py" || files[0]["status"] != "modified" || !strings.Contains(files[0]["patch"].(string), "+    return a + b") {
		t.Errorf("got %v", files)
	}
	w.call(200, "PATCH", at, tok, map[string]any{"title": "fix: addition", "body": "new"})
	if got := w.call(200, "GET", at, tok, nil).body; got["title"] != "fix: addition" || got["mergeable_state"] != "draft" {
		t.Errorf("got %v", got)
	}
	w.ready(tok, pr["node_id"].(string), "markPullRequestReadyForReview")
	if w.s.Snapshot("octo", "demo").Pulls[0].Draft {
		t.Error("still a draft")
	}
	if err := w.s.MergePull("octo", "demo", int(pr["number"].(float64)), "octo"); err != nil {
		t.Fatal(err)
	}
	got := w.call(200, "GET", at, tok, nil).body
	if got["merged"] != true || got["state"] != "closed" || got["changed_files"] != 1.0 {
		t.Errorf("got %v", got)
	}
	file := w.call(200, "GET", repo+"/contents/app/calc.py", tok, nil).body
	text, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(file["content"].(string), "\n", ""))
	if err != nil || !strings.Contains(string(text), "a + b") {
		t.Errorf("main has not the merged file: %q %v", text, err)
	}
}

func (w *world) ready(tok, id, mutation string) {
	w.t.Helper()
	r := w.graphql(tok, "mutation($id:ID!){"+mutation+"(input:{pullRequestId:$id}){pullRequest{isDraft}}}", map[string]any{"id": id})
	if r.status != 200 || r.body["errors"] != nil || r.body["data"].(map[string]any)[mutation] == nil {
		w.t.Fatalf("%s: %s", mutation, r.raw)
	}
}

func (w *world) graphql(tok, query string, vars map[string]any) reply {
	w.t.Helper()
	r, err := w.try("POST", "/graphql", tok, map[string]any{"query": query, "variables": vars})
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

func TestGraphQLKnowsDraftAndReady(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tok := w.token(nil)
	w.branchWith(tok, "b", "x.txt", "x\n")
	pr := w.call(201, "POST", repo+"/pulls", tok, map[string]any{"title": "x", "head": "octo:b", "base": "main"}).body
	id := pr["node_id"].(string)
	w.ready(tok, id, "convertPullRequestToDraft")
	inVar := w.graphql(tok, "mutation M($input: MarkPullRequestReadyForReviewInput!) { markPullRequestReadyForReview(input: $input) { pullRequest { id } } }",
		map[string]any{"input": map[string]any{"pullRequestId": id}})
	if inVar.body["errors"] != nil || w.s.Snapshot("octo", "demo").Pulls[0].Draft {
		t.Errorf("got %s", inVar.raw)
	}
	for _, bad := range []reply{
		w.graphql(tok, "mutation($id:ID!){markPullRequestReadyForReview(input:{pullRequestId:$id}){clientMutationId}}", map[string]any{"id": "PR_none"}),
		w.graphql(tok, "query { rateLimit { limit } }", nil),
	} {
		if bad.status != 200 || bad.body["errors"] == nil {
			t.Errorf("GraphQL answers 200 with errors, got %d %s", bad.status, bad.raw)
		}
	}
	if r := w.graphql("ghs_wrong", "query{a}", nil); r.status != 401 {
		t.Errorf("got %d", r.status)
	}
}

func TestPullRequestsThatCannotBe(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tok := w.token(nil)
	main := w.s.Snapshot("octo", "demo").Branches["main"]
	w.call(201, "POST", repo+"/git/refs", tok, map[string]any{"ref": "refs/heads/same", "sha": main})
	for _, c := range []struct {
		ask   map[string]any
		field string
		text  string
	}{
		{map[string]any{"title": "x", "head": "none", "base": "main"}, "head", ""},
		{map[string]any{"title": "x", "head": "same", "base": "none"}, "base", ""},
		{map[string]any{"title": "", "head": "same", "base": "main"}, "title", ""},
		{map[string]any{"title": "x", "head": "same", "base": "main"}, "", "No commits between main and same"},
		{map[string]any{"title": "x", "head": "other:same", "base": "main"}, "head", ""},
	} {
		e := w.call(422, "POST", repo+"/pulls", tok, c.ask).firstError()
		if (c.field != "" && e["field"] != c.field) || (c.text != "" && e["message"] != c.text) {
			t.Errorf("%v: got %v", c.ask, e)
		}
	}
	if r := w.call(422, "POST", repo+"/pulls", tok, map[string]any{"title": "x", "base": "main"}); !strings.Contains(r.message(), `"head" wasn't supplied`) {
		t.Errorf("got %q", r.message())
	}
	w.call(404, "GET", repo+"/pulls/1", tok, nil)
}

func TestPullListFiltersByHeadAndState(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tok := w.token(nil)
	for _, b := range []string{"a", "b", "c"} {
		w.branchWith(tok, b, b+".txt", b)
		w.call(201, "POST", repo+"/pulls", tok, map[string]any{"title": b, "head": b, "base": "main"})
	}
	w.call(200, "PATCH", repo+"/pulls/3", tok, map[string]any{"state": "closed"})
	for query, want := range map[string]int{"": 2, "?head=octo:a": 1, "?head=octo:none": 0, "?head=a": 2, "?head=octo:c": 0, "?head=octo:c&state=all": 1, "?state=closed": 1, "?base=none": 0} {
		if r := w.call(200, "GET", repo+"/pulls"+query, tok, nil); len(r.list) != want {
			t.Errorf("%q: %d, want %d", query, len(r.list), want)
		}
	}
	w.call(204, "DELETE", repo+"/git/refs/heads/c", tok, nil)
	w.call(422, "PATCH", repo+"/pulls/3", tok, map[string]any{"state": "open"})
	w.call(204, "DELETE", repo+"/git/refs/heads/a", tok, nil)
	if r := w.call(200, "GET", repo+"/pulls/1", tok, nil); r.body["state"] != "closed" {
		t.Error("a pull request closes when its branch is deleted")
	}
}

func TestReferencesMoveByGitHubsRules(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tok := w.token(nil)
	main := w.s.Snapshot("octo", "demo").Branches["main"]
	sha := w.branchWith(tok, "x", "x.txt", "x")
	refs := repo + "/git/refs"
	for want, ask := range map[string]map[string]any{
		"Reference already exists":                 {"ref": "refs/heads/x", "sha": main},
		"Object does not exist":                    {"ref": "refs/heads/y", "sha": strings.Repeat("a", 40)},
		"heads/y is not a valid ref name.":         {"ref": "heads/y", "sha": main},
		"refs/heads/a..b is not a valid ref name.": {"ref": "refs/heads/a..b", "sha": main},
		"Reference update failed":                  {"ref": "refs/heads/x/y", "sha": main},
	} {
		if r := w.call(422, "POST", refs, tok, ask); r.message() != want {
			t.Errorf("got %q, want %q", r.message(), want)
		}
	}
	if r := w.call(422, "PATCH", refs+"/heads/x", tok, map[string]any{"sha": main}); r.message() != "Update is not a fast forward" {
		t.Errorf("got %q", r.message())
	}
	w.call(200, "PATCH", refs+"/heads/x", tok, map[string]any{"sha": main, "force": true})
	w.call(200, "PATCH", refs+"/heads/x", tok, map[string]any{"sha": sha})
	if r := w.call(422, "PATCH", refs+"/heads/main", tok, map[string]any{"sha": sha}); r.message() != "Cannot update this protected ref." {
		t.Errorf("got %q", r.message())
	}
	w.call(422, "PATCH", refs+"/heads/none", tok, map[string]any{"sha": sha})
	w.call(422, "DELETE", refs+"/heads/none", tok, nil)
	w.call(422, "DELETE", refs+"/heads/main", tok, nil)
	w.call(404, "GET", repo+"/git/ref/heads/none", tok, nil)
	w.call(404, "GET", repo+"/git/ref/heads", tok, nil)
	if r := w.call(200, "GET", repo+"/git/matching-refs/heads/", tok, nil); len(r.list) != 2 {
		t.Errorf("got %v", r.list)
	}
	if err := w.s.SetProtected("octo", "demo", "main", false); err != nil {
		t.Fatal(err)
	}
	w.call(200, "PATCH", refs+"/heads/main", tok, map[string]any{"sha": sha})
	w.call(403, "POST", refs, w.token(map[string]any{"permissions": map[string]string{"contents": "read"}}), map[string]any{"ref": "refs/heads/z", "sha": sha})
}

func TestTreesDeleteAndRefuse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tok := w.token(nil)
	main := w.s.Snapshot("octo", "demo").Branches["main"]
	entry := func(path string, more map[string]any) map[string]any {
		e := map[string]any{"path": path, "mode": "100644", "type": "blob"}
		for k, v := range more {
			e[k] = v
		}
		return map[string]any{"base_tree": main, "tree": []any{e}}
	}
	gone := w.call(201, "POST", repo+"/git/trees", tok, entry("app/calc.py", map[string]any{"sha": nil}))
	if strings.Contains(string(gone.raw), `"app"`) {
		t.Errorf("still there: %s", gone.raw)
	}
	added := w.call(201, "POST", repo+"/git/trees", tok, entry("a b/ü.txt", map[string]any{"content": "text", "mode": "100755"}))
	all := w.call(200, "GET", repo+"/git/trees/"+added.body["sha"].(string)+"?recursive=1", tok, nil)
	if !strings.Contains(string(all.raw), `"a b/ü.txt"`) || !strings.Contains(string(all.raw), `"app/calc.py"`) {
		t.Errorf("got %s", all.raw)
	}
	for _, path := range []string{"../x", "/x", ".git/config", "a/.GIT/x", ""} {
		if r := w.call(422, "POST", repo+"/git/trees", tok, entry(path, map[string]any{"content": "x"})); r.message() != "tree.path contains a malformed path component" {
			t.Errorf("%q: got %q", path, r.message())
		}
	}
	w.call(422, "POST", repo+"/git/trees", tok, entry("none.txt", map[string]any{"sha": nil}))
	w.call(422, "POST", repo+"/git/trees", tok, entry("x", map[string]any{"sha": strings.Repeat("b", 40)}))
	w.call(422, "POST", repo+"/git/commits", tok, map[string]any{"message": "x", "tree": main})
	w.call(422, "POST", repo+"/git/commits", tok, map[string]any{"message": "x", "tree": gone.body["sha"], "parents": []string{strings.Repeat("c", 40)}})
	named := w.call(201, "POST", repo+"/git/commits", tok, map[string]any{"message": "x", "tree": gone.body["sha"], "parents": []string{main},
		"author": map[string]any{"name": "Dev", "email": "dev@example.com", "date": time.Unix(1e9, 0).UTC().Format(time.RFC3339)}})
	if named.body["verification"].(map[string]any)["verified"] != false {
		t.Error("only commits in the App's own name are signed")
	}
}

func TestReadingContentsBranchesCommits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tok := w.token(nil)
	w.branchWith(tok, "feature/a#b", "app/calc.py", "changed\n")
	w.call(200, "GET", repo, tok, nil)
	w.call(200, "GET", repo+"/branches", tok, nil)
	if r := w.call(200, "GET", repo+"/branches/feature%2Fa%23b", tok, nil); r.body["name"] != "feature/a#b" {
		t.Errorf("got %s", r.raw)
	}
	w.call(404, "GET", repo+"/branches/none", tok, nil)
	if r := w.call(200, "GET", repo+"/contents/app", tok, nil); len(r.list) != 1 || r.list[0]["name"] != "calc.py" {
		t.Errorf("got %s", r.raw)
	}
	w.call(200, "GET", repo+"/contents/", tok, nil)
	old, now := w.call(200, "GET", repo+"/contents/app/calc.py", tok, nil), w.call(200, "GET", repo+"/contents/app/calc.py?ref=feature/a%23b", tok, nil)
	if old.body["sha"] == now.body["sha"] {
		t.Error("the ref is ignored")
	}
	w.call(200, "GET", repo+"/git/blobs/"+now.body["sha"].(string), tok, nil)
	w.call(404, "GET", repo+"/contents/none", tok, nil)
	w.call(404, "GET", repo+"/contents/app?ref=none", tok, nil)
	if r := w.call(200, "GET", repo+"/commits/feature%2Fa%23b", tok, nil); len(r.body["files"].([]any)) != 1 {
		t.Errorf("got %s", r.raw)
	}
	w.call(422, "GET", repo+"/commits/none", tok, nil)
	if err := w.s.AddRepo("octo", "empty", ""); err != nil {
		t.Fatal(err)
	}
	if r := w.call(409, "GET", "/repos/octo/empty/git/ref/heads/main", tok, nil); r.message() != "Git Repository is empty." {
		t.Errorf("got %q", r.message())
	}
}

func TestCheckRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tok := w.token(nil)
	sha := w.branchWith(tok, "x", "x.txt", "x")
	w.call(201, "POST", repo+"/pulls", tok, map[string]any{"title": "x", "head": "x", "base": "main"})
	made := w.call(201, "POST", repo+"/check-runs", tok, map[string]any{"name": "fettle", "head_sha": sha, "status": "in_progress"})
	at := fmt.Sprintf("%s/check-runs/%.0f", repo, made.body["id"])
	note := map[string]any{"path": "x.txt", "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": "here"}
	done := w.call(200, "PATCH", at, tok, map[string]any{"conclusion": "success",
		"output": map[string]any{"title": "green", "summary": "all passed", "annotations": []any{note}}})
	if done.body["status"] != "completed" || done.body["completed_at"] == nil || done.body["output"].(map[string]any)["annotations_count"] != 1.0 {
		t.Errorf("got %s", done.raw)
	}
	w.call(200, "GET", at, tok, nil)
	if r := w.call(200, "GET", repo+"/commits/x/check-runs?check_name=fettle", tok, nil); r.body["total_count"] != 1.0 {
		t.Errorf("got %s", r.raw)
	}
	w.call(201, "POST", repo+"/git/refs", tok, map[string]any{"ref": "refs/heads/a/b", "sha": sha})
	for _, path := range []string{"/commits/a/b/check-runs", "/commits/a%2Fb/check-runs", "/commits/" + sha + "/check-runs"} {
		if r := w.call(200, "GET", repo+path, tok, nil); r.body["total_count"] != 1.0 {
			t.Errorf("%s: got %s", path, r.raw)
		}
	}
	w.call(422, "POST", repo+"/check-runs", tok, map[string]any{"name": "fettle", "head_sha": strings.Repeat("d", 40)})
	w.call(422, "POST", repo+"/check-runs", tok, map[string]any{"name": "fettle", "head_sha": sha, "status": "done"})
	w.call(422, "POST", repo+"/check-runs", tok, map[string]any{"name": "fettle", "head_sha": sha, "status": "completed"})
	w.call(422, "POST", repo+"/check-runs", tok, map[string]any{"head_sha": sha})
}

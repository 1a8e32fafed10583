package forge_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/forge"
	"github.com/fettle-dev/fettle/bot/forge/simulator"
	"github.com/fettle-dev/fettle/bot/task"
)

// calls counts the requests of a method whose path ends so.
func (w *world) calls(method, end string) int {
	n := 0
	for _, c := range w.sim.Calls() {
		if c.Method == method && strings.HasSuffix(c.Route, end) {
			n++
		}
	}
	return n
}

func TestS3ThreadsAreReadAnsweredOnceAndResolved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := context.Background()
	pr, err := w.publish(ctx, w.client, false)
	ok(t, err)
	_, err = w.sim.Review("octo", "demo", pr.Number, "changes_requested", "Nearly.", "ada",
		simulator.Remark{Path: "calc.py", Line: 2, Body: "Why not `sum`?"}, simulator.Remark{Path: "calc.py", StartLine: 1, Line: 2, Body: "```suggestion\nok\n```"})
	ok(t, err)
	reviews, err := w.client.Reviews(ctx, w.repo, pr.Number)
	ok(t, err)
	if len(reviews) != 1 || reviews[0].State != task.ReviewChanges || reviews[0].Author != "ada" || reviews[0].Body != "Nearly." {
		t.Errorf("%+v", reviews)
	}
	threads, err := w.client.Threads(ctx, w.repo, pr.Number)
	ok(t, err)
	if len(threads) != 2 || threads[0].Line != 2 || threads[0].StartLine != 0 || threads[1].StartLine != 1 || threads[0].Comments[0].Review != reviews[0].ID ||
		threads[0].Last().Author != "ada" || !strings.Contains(threads[0].Last().Hunk, "a + b") {
		t.Fatalf("%+v", threads)
	}
	top := threads[0].Comments[0].ID
	ok(t, w.client.ReactReview(ctx, w.repo, top, "eyes"))
	for range 2 { // as after a crash
		c := w.fresh()
		url, err := c.ReplyThread(ctx, w.repo, pr.Number, top, "answer-1", "Because. @ada")
		ok(t, err)
		if !strings.Contains(url, "#discussion_r") {
			t.Errorf("url %q", url)
		}
		ok(t, c.ResolveThread(ctx, w.repo, threads[0].ID))
	}
	seen := w.sim.Snapshot("octo", "demo").Pulls[0].Threads
	if len(seen[0].Comments) != 2 || seen[0].ResolvedBy != "fettle[bot]" || seen[1].ResolvedBy != "" || strings.Contains(seen[0].Comments[1].Body, "@ada") {
		t.Errorf("%+v", seen)
	}
	threads, err = w.client.Threads(ctx, w.repo, pr.Number)
	ok(t, err)
	if !threads[0].Resolved || !threads[0].Last().IsBot || threads[0].Last().Author != "fettle[bot]" {
		t.Errorf("%+v", threads[0])
	}
	if _, err = w.client.Threads(ctx, w.repo, 999); !forge.IsGone(err) {
		t.Errorf("threads of no pull request: %v", err)
	}
}

func TestS3SuggestionBlocksAreRead(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][]string{
		"do\n```suggestion\na\nb\n```\nor\n~~~suggestion\nc\n~~~": {"a\nb\n", "c\n"},
		"```suggestion\r\na\r\n```":                               {"a\n"},
		"```suggestion\n```":                                      {""},
		"````suggestion\n```\nx\n```\n````":                       {"```\nx\n```\n"},
		"```python\n# ```suggestion\n```":                         nil,
		"```suggestion\nnever closed":                             nil,
		"no block":                                                nil,
		"````\n```suggestion\nx\n```\n````":                       nil,
	} {
		if got := forge.Suggestions(body); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", body, got, want)
		}
	}
}

func TestS4CheckRunsCarryAnnotationsFiftyARequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := context.Background()
	sha, _, err := w.client.BranchHead(ctx, w.repo, "main")
	ok(t, err)
	notes := []task.Annotation{{Path: "", Line: 1, Message: "nowhere"}, {Path: "calc.py", Line: 0, Message: "nowhere"}}
	for n := range 120 {
		notes = append(notes, task.Annotation{Path: "calc.py", Line: n + 1, Level: task.NoteWarning, Title: "t", Message: fmt.Sprintf("note %d", n)})
	}
	for range 2 {
		ok(t, w.fresh().CheckRun(ctx, w.repo, sha, "fettle", "neutral", "title", "summary", notes...))
	}
	checks := w.sim.Snapshot("octo", "demo").Checks
	if len(checks) != 1 || checks[0].Notes != 120 {
		t.Errorf("%+v", checks)
	}
	if posts, patches := w.calls("POST", "/check-runs"), w.calls("PATCH", "/check-runs/{check_run_id}"); posts != 1 || patches != 3 {
		t.Errorf("%d created, %d updated", posts, patches)
	}
	got, err := w.client.Annotations(ctx, w.repo, checks[0].ID)
	ok(t, err)
	if len(got) != 100 || got[0].Line != 1 || got[0].Message != "note 0" {
		t.Errorf("%d annotations, the first %+v", len(got), got[0])
	}
	ok(t, w.sim.SetCheck("octo", "demo", "main", "ci", "failure", "red", "2 of 3", ""))
	all, err := w.client.Checks(ctx, w.repo, "main")
	ok(t, err)
	i := slices.IndexFunc(all, func(c task.CheckEnd) bool { return c.Name == "ci" })
	if len(all) != 2 || i < 0 || !all[i].Red() || all[i].Title != "red" || all[i].AppID == w.sim.AppID() {
		t.Errorf("%+v", all)
	}
}

func TestS4DraftStateLabelsAndBranchOfAPullRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := context.Background()
	pr, err := w.publish(ctx, w.client, true)
	ok(t, err)
	for _, draft := range []bool{false, false, true} {
		ok(t, w.client.SetDraft(ctx, w.repo, pr.Number, draft))
		now, err := w.client.Pull(ctx, w.repo, pr.Number)
		ok(t, err)
		if now.Draft != draft || now.State != "open" || now.Merged || now.HeadRepo != "octo/demo" || now.Base != "main" || now.Author != "fettle[bot]" {
			t.Errorf("%+v", now)
		}
	}
	for range 2 {
		ok(t, w.client.AddLabels(ctx, w.repo, pr.Number, "dependencies", "BUG", " "))
	}
	if got := w.sim.Snapshot("octo", "demo").Pulls[0].Labels; !slices.Equal(got, []string{"dependencies", "bug"}) || w.calls("POST", "/issues/{issue_number}/labels") != 3 {
		t.Errorf("labels %v", got)
	}
	head := pr.Head
	moved, err := w.sim.CommitFile("octo", "demo", head, "x.txt", []byte("x"), "mine", "ada")
	ok(t, err)
	for at, want := range map[string]bool{pr.HeadSHA: false, "": false} {
		if gone, err := w.client.DeleteBranch(ctx, w.repo, head, at); err != nil || gone != want {
			t.Errorf("a branch that somebody moved on: deleted %v, %v", gone, err)
		}
	}
	for _, want := range []bool{true, false} {
		if gone, err := w.client.DeleteBranch(ctx, w.repo, head, moved); err != nil || gone != want {
			t.Errorf("deleted %v, %v; want %v", gone, err, want)
		}
	}
	base, _, err := w.client.BranchHead(ctx, w.repo, "main")
	ok(t, err)
	if _, err := w.client.DeleteBranch(ctx, w.repo, "main", base); err == nil {
		t.Error("the default branch was deleted")
	}
}

func TestF05MissedDeliveriesAndLabelledIssuesAreFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := context.Background()
	began := time.Now().Add(-time.Minute)
	w.sim.SetWebhook("http://127.0.0.1:1/nobody", webhookSecret)
	ok(t, w.sim.Label("octo", "demo", w.issue, "agent:fix", "ada"))
	_, err := w.sim.Comment("octo", "demo", w.issue, "/fettle fix", "ada")
	ok(t, err)
	ok(t, w.sim.Settle(ctx))
	missed, err := w.client.Deliveries(ctx, began, 1000)
	ok(t, err)
	if len(missed) != 2 || missed[0].Delivered() || missed[0].Event != "issue_comment" || missed[1].Event != "issues" || missed[0].GUID == "" {
		t.Fatalf("%+v", missed)
	}
	w.sim.SetWebhook(httptestOK(t), webhookSecret)
	ok(t, w.client.Redeliver(ctx, missed[1].ID))
	ok(t, w.sim.Settle(ctx))
	after, err := w.client.Deliveries(ctx, began, 1000)
	ok(t, err)
	if len(after) != 3 || !after[0].Delivered() || !after[0].Redelivery || after[0].GUID != missed[1].GUID {
		t.Errorf("%+v", after)
	}
	if some, err := w.client.Deliveries(ctx, time.Now().Add(time.Hour), 1000); err != nil || len(some) != 0 {
		t.Errorf("%v %v", some, err)
	}
	ins, err := w.client.Installations(ctx)
	ok(t, err)
	repos, err := w.client.Repositories(ctx, ins[0])
	ok(t, err)
	if len(ins) != 1 || ins[0] != w.repo.Installation || len(repos) != 1 || repos[0].Slug() != "octo/demo" || repos[0].DefaultBranch != "main" {
		t.Errorf("%v %+v", ins, repos)
	}
	if who, err := w.client.Account(ctx, ins[0]); err != nil || who != "octo" {
		t.Errorf("%q %v", who, err)
	}
	other, err := w.sim.OpenIssueLabelled("octo", "demo", "another", "", "eve", []string{"agent:fix"})
	ok(t, err)
	issues, err := w.client.LabelledIssues(ctx, w.repo, "agent:fix", 100)
	ok(t, err)
	if len(issues) != 2 || issues[0].Number != w.issue || issues[1].Number != other {
		t.Errorf("%+v", issues)
	}
	if issues, err = w.client.LabelledIssues(ctx, w.repo, "agent:fix", 1); err != nil || len(issues) != 1 {
		t.Errorf("%+v %v", issues, err)
	}
}

func TestS4ThePullRequestTemplateIsRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := context.Background()
	read := func(want string) {
		t.Helper()
		got, err := w.client.Template(ctx, w.repo, "main")
		ok(t, err)
		if got != want {
			t.Errorf("template %q, want %q", got, want)
		}
	}
	read("")
	for _, step := range [][2]string{{"docs/pull_request_template.md", "in docs"}, {"PULL_REQUEST_TEMPLATE.md", "at the top"}, {".github/Pull_Request_Template.md", "in .github"}} {
		_, err := w.sim.CommitFile("octo", "demo", "main", step[0], []byte(step[1]), "docs", "ada")
		ok(t, err)
		read(step[1])
	}
}

func TestALackingPermissionIsNamedWithTheWayToGrantIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(cfg *simulator.Config) {
		cfg.Permissions = map[string]string{"metadata": "read", "contents": "write", "issues": "write", "pull_requests": "write"}
	})
	_, err := w.client.Issue(context.Background(), w.repo, w.issue)
	var lacking *forge.MissingPermission
	if !errors.As(err, &lacking) || lacking.Permission != "checks=write" || !strings.HasSuffix(lacking.Grant, fmt.Sprintf("/settings/installations/%d", w.repo.Installation)) {
		t.Errorf("%v", err)
	}
	if text := err.Error(); !strings.Contains(text, "checks=write") || !strings.Contains(text, "Permissions & events") {
		t.Errorf("%v", err)
	}
}

func TestARefusedCallSaysWhichPermissionItNeeds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sim.Fault(simulator.Fault{Route: "/repos/*/*/issues/*", Status: http.StatusForbidden, Header: http.Header{"X-Accepted-Github-Permissions": {"issues=read"}},
		Body: `{"message":"Resource not accessible by integration"}`})
	_, err := w.client.Issue(context.Background(), w.repo, w.issue)
	var lacking *forge.MissingPermission
	if !errors.As(err, &lacking) || lacking.Permission != "issues=read" || !strings.HasSuffix(lacking.Grant, fmt.Sprintf("/settings/installations/%d", w.repo.Installation)) {
		t.Errorf("%v", err)
	}
}

func TestArchivedAndLockedAreToldApart(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := context.Background()
	ok(t, w.sim.Lock("octo", "demo", w.issue, true, "octo"))
	_, err := w.client.Comment(ctx, w.repo, w.issue, "k", "hello")
	if !errors.Is(err, forge.ErrLocked) || forge.IsGone(err) {
		t.Errorf("locked: %v", err)
	}
	ok(t, w.sim.Archive("octo", "demo", "octo"))
	_, err = w.client.Comment(ctx, w.repo, w.issue, "k", "hello")
	if !forge.IsGone(err) || !strings.Contains(err.Error(), "archived") {
		t.Errorf("archived: %v", err)
	}
	repos, err := w.client.Repositories(ctx, w.repo.Installation)
	ok(t, err)
	if len(repos) != 0 {
		t.Errorf("%+v", repos)
	}
}

func TestARenamedDefaultBranchIsTheOneThatCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := context.Background()
	ok(t, w.sim.RenameBranch("octo", "demo", "main", "trunk", "octo"))
	now, err := w.client.Repo(ctx, w.repo)
	ok(t, err)
	if now.DefaultBranch != "trunk" {
		t.Errorf("%+v", now)
	}
	ok(t, w.sim.Rename("octo", "demo", "renamed", "octo"))
	if now, err = w.client.Repo(ctx, w.repo); err != nil || now.Name != "renamed" {
		t.Errorf("a read of a renamed repository: %+v, %v", now, err)
	}
	if err = w.client.React(ctx, w.repo, w.issue, 0, "eyes"); err == nil || !strings.Contains(err.Error(), "renamed") {
		t.Errorf("a write to a renamed repository: %v", err)
	}
}

func httptestOK(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) }))
	t.Cleanup(s.Close)
	return s.URL
}

package forge_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/fettle-dev/fettle/bot/task"
)

func TestS2AnOpenPullRequestForAnIssueIsFound(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	find := func(issue int, want int) {
		t.Helper()
		got, err := w.client.Linked(ctx, w.repo, issue, fmt.Sprintf("fettle/issue-%d", issue))
		ok(t, err)
		if got != want {
			t.Errorf("issue %d: #%d, want #%d", issue, got, want)
		}
	}
	find(w.issue, 0)
	base, _, err := w.client.BranchHead(ctx, w.repo, "main")
	ok(t, err)
	open := func(branch string, closes int) int {
		t.Helper()
		_, err := w.client.CommitFiles(ctx, w.repo, branch, base, "fix: it", []task.FileChange{{Path: "calc.py", Content: []byte(branch + "\n"), Mode: "100644"}}, "", w.own)
		ok(t, err)
		pr, err := w.client.PullRequest(ctx, w.repo, branch, "main", "a change", "It mends it.", closes, false)
		ok(t, err)
		return pr.Number
	}
	n := open("somebody/else", w.issue)
	find(w.issue, n)
	find(w.issue*10+1, 0) // a longer number is another issue
	other, err := w.sim.OpenIssue("octo", "demo", "another", "it too", "eve")
	ok(t, err)
	find(other, 0)
	find(other, 0)
	m := open(fmt.Sprintf("fettle/issue-%d-another", other), 0)
	find(other, m)
}

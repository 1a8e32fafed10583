package forge

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/fettle-dev/fettle/bot/task"
)

func TestI2OneStatusComment(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	for i := range 250 { // ours stands on a later page
		f.addComment(fmt.Sprint("talk ", i), "ada", "User")
	}
	first := testClient(t, f.URL, nil)
	id, url, err := first.StatusComment(context.Background(), testRepo(), 1, "status-1", "working")
	ok(t, err)
	if id != 251 || url == "" {
		t.Fatalf("comment %d %q", id, url)
	}
	_, _, err = first.StatusComment(context.Background(), testRepo(), 1, "status-1", "testing")
	ok(t, err)
	restarted := testClient(t, f.URL, nil)
	again, _, err := restarted.StatusComment(context.Background(), testRepo(), 1, "status-1", "done")
	ok(t, err)
	if again != id || len(f.comments) != 251 || !strings.HasSuffix(f.comments[250]["body"].(string), "\ndone") {
		t.Errorf("comment %d of %d: %v", again, len(f.comments), f.comments[250])
	}
	before := len(f.calls())
	_, _, err = restarted.StatusComment(context.Background(), testRepo(), 1, "status-1", "done")
	ok(t, err)
	if got := f.calls()[before:]; len(got) != 0 {
		t.Errorf("an equal body was sent again: %v", got)
	}
}

func TestI2ManyWritersMakeOneComment(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	c := testClient(t, f.URL, nil)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			if _, _, err := c.StatusComment(context.Background(), testRepo(), 1, "status-1", fmt.Sprint("state ", i)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if len(f.comments) != 1 || len(c.locks.held) != 0 {
		t.Errorf("%d comments, %d locks left", len(f.comments), len(c.locks.held))
	}
}

func TestForeignCommentWithACopiedMarkerIsNotOurs(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	c := testClient(t, f.URL, nil)
	marker := c.marker(testRepo(), 1, "status-1")
	f.addComment(marker+"\nmine now", "eve", "User")
	person := f.addComment(marker+"\nby a person through the App", "mallory", "User")
	person["performed_via_github_app"] = map[string]any{"id": testAppID}
	f.addComment(marker+"\nanother bot", "evil[bot]", "Bot")
	f.addComment("quoting "+marker, "fettle[bot]", "Bot")
	id, _, err := c.StatusComment(context.Background(), testRepo(), 1, "status-1", "ours")
	ok(t, err)
	if id != 5 || f.comments[0]["body"] != marker+"\nmine now" {
		t.Errorf("comment %d; %v", id, f.comments)
	}
}

func TestCommentOfTheAppIsKnownByItsId(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	c := testClient(t, f.URL, nil)
	x := f.addComment(c.marker(testRepo(), 1, "k")+"\nold", "renamed-app[bot]", "Bot")
	x["performed_via_github_app"] = map[string]any{"id": testAppID}
	id, _, err := c.StatusComment(context.Background(), testRepo(), 1, "k", "new")
	ok(t, err)
	if id != 1 || len(f.comments) != 1 {
		t.Errorf("comment %d of %d", id, len(f.comments))
	}
}

func TestDeletedStatusCommentIsMadeAgain(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	c := testClient(t, f.URL, nil)
	_, _, err := c.StatusComment(context.Background(), testRepo(), 1, "k", "one")
	ok(t, err)
	f.mu.Lock()
	f.comments = nil
	f.mu.Unlock()
	_, _, err = c.StatusComment(context.Background(), testRepo(), 1, "k", "two")
	ok(t, err)
	if len(f.comments) != 1 || !strings.HasSuffix(f.comments[0]["body"].(string), "two") {
		t.Errorf("%v", f.comments)
	}
}

func TestCommentIsMadeOncePerKey(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	for _, key := range []string{"report-1", "report-1", "report-2"} {
		_, err := testClient(t, f.URL, nil).Comment(context.Background(), testRepo(), 1, key, "text of "+key)
		ok(t, err)
	}
	if len(f.comments) != 2 {
		t.Errorf("%d comments, want 2", len(f.comments))
	}
}

func TestX3EveryTextPassesTheFunnel(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	c := testClient(t, f.URL, nil)
	ctx, repo := context.Background(), testRepo()
	tok, err := c.Token(ctx, 7, "shop")
	ok(t, err)
	leak := "CANARY " + tok
	_, _, err = c.StatusComment(ctx, repo, 1, "s", leak)
	ok(t, err)
	_, err = c.Comment(ctx, repo, 1, "c", leak)
	ok(t, err)
	sha, err := c.CommitFiles(ctx, repo, "fettle/issue-1-x", oid("base"), leak, []task.FileChange{{Path: "a.py", Content: []byte("new"), Mode: "100644"}}, "", newLedger())
	ok(t, err)
	_, err = c.PullRequest(ctx, repo, "fettle/issue-1-x", "main", leak, leak, 0, false)
	ok(t, err)
	ok(t, c.CheckRun(ctx, repo, sha, "fettle", "success", leak, leak))
	if w := f.writes(); strings.Contains(w, "CANARY") || strings.Contains(w, tok) || strings.Count(w, "[redacted] [redacted]") != 7 {
		t.Errorf("sent: %s", w)
	}
}

func TestMarkerBindsRepositoryIssueAndKey(t *testing.T) {
	t.Parallel()
	c := testClient(t, "", nil)
	seen := map[string]bool{}
	for _, r := range []task.Repo{testRepo(), {Installation: 8, Owner: "acme", Name: "shop"}, {Installation: 7, Owner: "acme", Name: "shop2"}} {
		for _, issue := range []int{1, 11} {
			for _, key := range []string{"a", "b", "a-->"} {
				m := c.marker(r, issue, key)
				if seen[m] || strings.Count(m, "-->") != 1 || !strings.HasPrefix(m, "<!-- fettle:") {
					t.Errorf("marker %q", m)
				}
				seen[m] = true
			}
		}
	}
	other := testClient(t, "", func(cfg *Config) { cfg.MarkerKey = []byte("another, as long as the other") })
	if other.marker(testRepo(), 1, "a") == c.marker(testRepo(), 1, "a") {
		t.Error("the marker does not depend on the key")
	}
}

func TestClipKeepsWithinTheLimitAndClosesFences(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"text", "```go", "```", "````", "ä ü 漢字", "~~~", ""}), 0, 300).Draw(t, "lines")
		s := strings.Join(lines, "\n")
		got := clip(s, 500)
		if n := len([]rune(got)); n > 500 {
			t.Fatalf("%d characters", n)
		}
		if len([]rune(s)) <= 500 {
			if got != s {
				t.Fatal("a short text was changed")
			}
			return
		}
		if !strings.Contains(got, "more characters were cut here") || openFence(strings.Split(got, "\n")) {
			t.Fatalf("cut badly:\n%s", got)
		}
	})
}

// openFence is a reading of CommonMark's fences of its own.
func openFence(lines []string) bool {
	open := ""
	for _, l := range lines {
		run := l[:len(l)-len(strings.TrimLeft(l, "`"))]
		if strings.HasPrefix(l, "~") {
			run = l[:len(l)-len(strings.TrimLeft(l, "~"))]
		}
		if open == "" && len(run) >= 3 {
			open = run
		} else if open != "" && strings.HasPrefix(run, open) && l == run {
			open = ""
		}
	}
	return open != ""
}

package forge

import (
	"context"
	"errors"
	"net/http"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/task"
)

const message = "fix: a\n\nFettle-Run: r1"

func change(path, content string) []task.FileChange {
	return []task.FileChange{{Path: path, Content: []byte(content), Mode: "100644"}}
}

const branch = "fettle/issue-1-x"

func TestCommitFilesMakesBlobsTreeCommitAndBranch(t *testing.T) {
	t.Parallel()
	own := newLedger()
	f := newFake(t)
	c := testClient(t, f.URL, nil)
	bin := string([]byte{0, 0xff, 0xfe, '\r', '\n'})
	files := []task.FileChange{
		{Path: "a.py", Content: []byte(bin), Mode: "100644"},
		{Path: "bin/new tool", Content: []byte("#!/bin/sh\n"), Mode: "100755"},
		{Path: "old.py", Deleted: true},
	}
	sha, err := c.CommitFiles(context.Background(), testRepo(), branch, oid("base"), message, files, "", own)
	ok(t, err)
	head, there, err := c.BranchHead(context.Background(), testRepo(), branch)
	ok(t, err)
	if !there || head != sha {
		t.Fatalf("branch at %q, made %q", head, sha)
	}
	made := f.commits[sha]
	if got := parents(made); !reflect.DeepEqual(got, []string{oid("base")}) {
		t.Errorf("parents %v", got)
	}
	want := map[string]string{"a.py": "100644:" + oid(bin), "bin/new tool": "100755:" + oid("#!/bin/sh\n"), "run.sh": "100755:" + oid("r")}
	if got := f.trees[made["tree"].(map[string]any)["sha"].(string)]; !reflect.DeepEqual(got, want) {
		t.Errorf("tree %v, want %v", got, want)
	}
	if strings.Contains(f.writes(), `"author"`) || strings.Contains(f.writes(), `"committer"`) {
		t.Error("an author was given: GitHub does not sign such a commit")
	}
	if strings.Contains(f.writes(), `"force":true`) {
		t.Error("forced")
	}
}

func parents(commit map[string]any) []string {
	var out []string
	ps, _ := commit["parents"].([]any)
	for _, p := range ps {
		out = append(out, p.(map[string]any)["sha"].(string))
	}
	return out
}

func TestI2CommitRepeatedAfterACrashIsTheSame(t *testing.T) {
	t.Parallel()
	own := newLedger()
	f := newFake(t)
	ctx, repo := context.Background(), testRepo()
	first, err := testClient(t, f.URL, nil).CommitFiles(ctx, repo, branch, oid("base"), message, change("a.py", "1"), "", own)
	ok(t, err)
	for _, expect := range []string{"", first} { // what it was before, or what BranchHead says now
		again, err := testClient(t, f.URL, nil).CommitFiles(ctx, repo, branch, oid("base"), message+"\n", change("a.py", "1"), expect, own)
		ok(t, err)
		if again != first {
			t.Errorf("expecting %q: %s, want %s", expect, again, first)
		}
	}
	second, err := testClient(t, f.URL, nil).CommitFiles(ctx, repo, branch, oid("base"), "fix: b\n\nFettle-Run: r2", change("a.py", "2"), first, own)
	ok(t, err)
	again, err := testClient(t, f.URL, nil).CommitFiles(ctx, repo, branch, oid("base"), "fix: b\n\nFettle-Run: r2", change("a.py", "2"), first, own)
	ok(t, err)
	if again != second || !reflect.DeepEqual(parents(f.commits[second]), []string{first}) {
		t.Errorf("%s then %s on %v", second, again, parents(f.commits[second]))
	}
}

func TestF08LostAnswerToTheBranchLeavesOneHead(t *testing.T) {
	t.Parallel()
	own := newLedger()
	f := newFake(t)
	n := 0
	f.setFault(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/git/refs") || n > 0 {
			return false
		}
		n++
		f.refs["heads/"+branch] = f.newest
		panic(http.ErrAbortHandler)
	})
	c := testClient(t, f.URL, nil)
	sha, err := c.CommitFiles(context.Background(), testRepo(), branch, oid("base"), message, change("a.py", "1"), "", own)
	ok(t, err)
	if f.refs["heads/"+branch] != sha || count(f.calls(), "POST /repos/acme/shop/git/refs") != 1 {
		t.Errorf("head %s, made %s; %v", f.refs["heads/"+branch], sha, f.calls())
	}
}

func TestS4NewerBaseBecomesTheSecondParent(t *testing.T) {
	t.Parallel()
	own := newLedger()
	f := newFake(t)
	ctx, repo := context.Background(), testRepo()
	c := testClient(t, f.URL, nil)
	old, err := c.CommitFiles(ctx, repo, branch, oid("base"), message, change("a.py", "1"), "", own)
	ok(t, err)
	f.trees[oid("tree1")] = map[string]string{"a.py": "100644:" + oid("a"), "main.py": "100644:" + oid("m")}
	newer := f.commit("newer", oid("tree1"), "ada", []string{oid("base")})
	sha, err := c.CommitFiles(ctx, repo, branch, newer, "fix: again\n\nFettle-Run: r2", change("a.py", "2"), old, own)
	ok(t, err)
	if got := parents(f.commits[sha]); !reflect.DeepEqual(got, []string{old, newer}) {
		t.Errorf("parents %v, want old head and newer base", got)
	}
}

func TestS4RefusesBranchesThatAreNotOurs(t *testing.T) {
	t.Parallel()
	own := newLedger()
	f := newFake(t)
	ctx, repo := context.Background(), testRepo()
	c := testClient(t, f.URL, nil)
	foreign := f.commit("by hand", oid("tree0"), "ada", []string{oid("base")})
	f.refs["heads/"+branch] = foreign
	f.refs["heads/release"], f.protected["release"] = oid("base"), true
	for name, tc := range map[string]struct{ branch, base, expect string }{
		"default branch":   {"main", oid("base"), oid("base")},
		"protected branch": {"release", oid("base"), oid("base")},
		"foreign, unknown": {branch, oid("base"), ""},
		"foreign, dropped": {branch, oid("base"), foreign},
	} {
		_, err := c.CommitFiles(ctx, repo, tc.branch, tc.base, message, change("a.py", "1"), tc.expect, own)
		if err == nil {
			t.Errorf("%s: written", name)
		}
		var conflict *Conflict
		if strings.HasPrefix(name, "foreign") && (!errors.As(err, &conflict) || conflict.Ours || conflict.Head != foreign) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := count(f.calls(), "PATCH") + count(f.calls(), "POST /repos/acme/shop/git/refs"); n != 0 {
		t.Errorf("a ref was touched: %v", f.calls())
	}
	sha, err := c.CommitFiles(ctx, repo, branch, foreign, message, change("a.py", "1"), foreign, own)
	ok(t, err) // made from the foreign head itself, nothing is lost
	if !reflect.DeepEqual(parents(f.commits[sha]), []string{foreign}) {
		t.Errorf("parents %v", parents(f.commits[sha]))
	}
}

func TestF13BranchMovesByCompareAndSwap(t *testing.T) {
	t.Parallel()
	own := newLedger()
	f := newFake(t)
	ctx, repo := context.Background(), testRepo()
	c := testClient(t, f.URL, nil)
	head, err := c.CommitFiles(ctx, repo, branch, oid("base"), message, change("a.py", "1"), "", own)
	ok(t, err)
	other := f.commit("meanwhile", oid("tree0"), "ada", []string{head})
	f.setFault(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPatch { // somebody pushes between our look and our move
			f.refs["heads/"+branch] = other
		}
		return false
	})
	_, err = c.CommitFiles(ctx, repo, branch, oid("base"), "m\n\nFettle-Run: r2", change("a.py", "2"), head, own)
	var conflict *Conflict
	if !errors.As(err, &conflict) || conflict.Head != other || f.refs["heads/"+branch] != other {
		t.Errorf("got %v; head %s", err, f.refs["heads/"+branch])
	}
	_, err = c.CommitFiles(ctx, repo, "fettle/issue-2", oid("base"), message, change("a.py", "2"), head, own)
	if !errors.As(err, &conflict) || conflict.Head != "" {
		t.Errorf("a branch that is gone was made again: %v", err)
	}
}

func TestCommitRefusesBadInput(t *testing.T) {
	t.Parallel()
	own := newLedger()
	f := newFake(t)
	c := testClient(t, f.URL, nil)
	base := oid("base")
	for name, tc := range map[string]struct {
		branch, base string
		files        []task.FileChange
	}{
		"no files":     {branch, base, nil},
		"same content": {branch, base, change("a.py", "a")},
		"traversal":    {branch, base, change("../a", "1")},
		"absolute":     {branch, base, change("/etc/x", "1")},
		"git folder":   {branch, base, change("x/.GIT/config", "1")},
		"symlink":      {branch, base, []task.FileChange{{Path: "l", Content: []byte("/etc"), Mode: "120000"}}},
		"short hash":   {branch, base[:7], change("a.py", "1")},
		"bad branch":   {"fettle/../main", base, change("a.py", "1")},
	} {
		if _, err := c.CommitFiles(context.Background(), testRepo(), tc.branch, tc.base, "m", tc.files, "", own); err == nil {
			t.Errorf("%s: committed", name)
		}
	}
	if len(f.refs) != 1 {
		t.Errorf("refs %v", f.refs)
	}
}

func FuzzBranchName(f *testing.F) {
	for _, s := range []string{"fettle/issue-1-a", "-x", "a..b", "a.lock/b", "@", "a@{b", "ü", "a b", "a//b", ".a", "a/.b", "a\\b", "a.", "refs/heads/x", "HEAD"} {
		f.Add(s)
	}
	git, err := exec.LookPath("git")
	if err != nil {
		f.Skip("git is not installed")
	}
	f.Fuzz(func(t *testing.T, name string) {
		if CheckBranch(name) != nil {
			return
		}
		if strings.ContainsRune(name, 0) {
			t.Fatalf("%q holds a NUL", name)
		}
		if out, err := exec.Command(git, "check-ref-format", "--branch", name).CombinedOutput(); err != nil {
			t.Fatalf("accepted %q, git says %s", name, out)
		}
	})
}

func TestS4AnAmendedCommitIsSomebodysWhateverItsMessageSays(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	own := newLedger()
	ctx, repo := context.Background(), testRepo()
	c := testClient(t, f.URL, nil)
	made, err := c.CommitFiles(ctx, repo, branch, oid("base"), message, change("a.py", "1"), "", own)
	ok(t, err)
	if !own.made[made] {
		t.Error("the commit was not written down")
	}
	// git commit --amend keeps the message with its trailer, and the author.
	me := "fettle-test[bot]"
	amended := f.commit(message, oid("tree0"), me, []string{oid("base")})
	f.refs["heads/"+branch] = amended
	for _, expect := range []string{"", made, amended} {
		_, err := c.CommitFiles(ctx, repo, branch, oid("base"), "fix: again\n\nFettle-Run: r2", change("a.py", "2"), expect, own)
		var conflict *Conflict
		if !errors.As(err, &conflict) || conflict.Ours || conflict.Head != amended {
			t.Errorf("expecting %q: %v", expect, err)
		}
	}
	if f.refs["heads/"+branch] != amended {
		t.Error("the branch was moved away from a human's commit")
	}
}

func TestF01CommitIsWrittenDownBeforeTheBranchPointsToIt(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	c := testClient(t, f.URL, nil)
	_, err := c.CommitFiles(context.Background(), testRepo(), branch, oid("base"), message, change("a.py", "1"), "", fullLedger{})
	if !errors.Is(err, errFull) || f.refs["heads/"+branch] != "" {
		t.Errorf("%v; the branch is at %q", err, f.refs["heads/"+branch])
	}
}

var errFull = errors.New("no space left")

// fullLedger cannot write.
type fullLedger struct{}

func (fullLedger) Made(context.Context, string) error           { return errFull }
func (fullLedger) IsOurs(context.Context, string) (bool, error) { return false, nil }

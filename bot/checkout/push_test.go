package checkout

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// attempt changes a file and commits it.
func attempt(t testing.TB, tree *Tree, text string) string {
	t.Helper()
	write(t, tree.Dir(), "plain.py", text, 0o644)
	hash, err := tree.Commit(context.Background(), text, Signature{Name: "f", Email: "f@example.org"})
	if err != nil {
		t.Fatal(err)
	}
	return hash
}

func TestPushMovesTheBranchByCompareAndSwap(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	remote := bare(t, fixture(t))
	srv := serve(t, remote)
	s := newStore(t)
	tree, err := s.Open(ctx, srv.repo(remote), "main", srv.auth)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tree.Close() }()
	one, two := attempt(t, tree, "one\n"), attempt(t, tree, "two\n")
	const branch = "fettle/issue-7-x"
	if err := tree.Push(ctx, one, branch, "", srv.auth); err != nil {
		t.Fatal(err)
	}
	if err := tree.Push(ctx, two, branch, "", srv.auth); !errors.Is(err, ErrMoved) {
		t.Errorf("a branch that exists was taken over: %v", err)
	}
	if err := tree.Push(ctx, two, branch, two, srv.auth); err != nil {
		t.Logf("push of what is expected to be there already: %v", err)
	}
	if err := tree.Push(ctx, two, branch, tree.BaseCommit(), srv.auth); !errors.Is(err, ErrMoved) {
		t.Errorf("a stale expectation was accepted: %v", err)
	}
	if err := tree.Push(ctx, two, branch, one, srv.auth); err != nil {
		t.Error(err)
	}
	if err := tree.Push(ctx, two, "main", "", srv.auth); !errors.Is(err, ErrDefault) {
		t.Errorf("the default branch: %v", err)
	}
	tree.repo.DefaultBranch = "" // then the remote is asked
	if err := tree.Push(ctx, two, "main", tree.BaseCommit(), srv.auth); !errors.Is(err, ErrDefault) {
		t.Errorf("the default branch: %v", err)
	}
	for _, bad := range []string{"--force", "a b", "x:refs/heads/main", "", "refs/heads/main"} {
		if err := tree.Push(ctx, two, bad, "", srv.auth); err == nil {
			t.Errorf("branch %q was accepted", bad)
		}
	}
	head, ok, err := s.RemoteHead(ctx, srv.repo(remote), branch, srv.auth)
	if head != two || !ok || err != nil {
		t.Errorf("remote head is %q, %v, %v; want %q", head, ok, err, two)
	}
	if _, ok, err := s.RemoteHead(ctx, srv.repo(remote), "none", srv.auth); ok || err != nil {
		t.Errorf("a branch that is not there: %v, %v", ok, err)
	}
	if got := git(t, remote, "rev-parse", "main"); got != tree.BaseCommit() {
		t.Error("main moved")
	}
}

func TestF08TheRemoteDecidesWhenThePushIsCut(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	remote := bare(t, fixture(t))
	srv := serve(t, remote)
	cutAfter, cutBefore := false, false
	srv.onReply = func(w http.ResponseWriter, r *http.Request, backend http.Handler) {
		if !strings.HasSuffix(r.URL.Path, "/git-receive-pack") || (!cutAfter && !cutBefore) {
			backend.ServeHTTP(w, r)
			return
		}
		if cutAfter {
			backend.ServeHTTP(httptest.NewRecorder(), r)
		}
		panic(http.ErrAbortHandler) // the connection breaks
	}
	tree, err := newStore(t).Open(ctx, srv.repo(remote), "main", srv.auth)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tree.Close() }()
	hash := attempt(t, tree, "one\n")
	cutBefore = true
	if err := tree.Push(ctx, hash, "fettle/a", "", srv.auth); err == nil || errors.Is(err, ErrMoved) {
		t.Errorf("cut before it arrived: %v", err)
	}
	cutBefore, cutAfter = false, true
	if err := tree.Push(ctx, hash, "fettle/a", "", srv.auth); err != nil {
		t.Errorf("it arrived, only the answer was lost: %v", err)
	}
	if got := git(t, remote, "rev-parse", "fettle/a"); got != hash {
		t.Errorf("remote is at %s", got)
	}
}

// spy puts a git in front of the real one that writes down the arguments and
// the environment of every call.
func spy(t testing.TB) (path, log string) {
	t.Helper()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	log = filepath.Join(dir, "log")
	path = filepath.Join(dir, "git")
	write(t, dir, "git", "#!/bin/sh\n{ printf '%s\\n' \"$@\"; cat /proc/$$/environ; } >> "+log+"\nexec "+real+" \"$@\"\n", 0o755)
	return path, log
}

func TestX1TheTokenIsNowhereButInThePipe(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	remote := bare(t, fixture(t))
	srv := serve(t, remote)
	path, log := spy(t)
	root := t.TempDir()
	s, err := New(Config{Root: root, Git: path})
	if err != nil {
		t.Fatal(err)
	}
	tree, err := s.Open(ctx, srv.repo(remote), "main", srv.auth)
	if err != nil {
		t.Fatal(err)
	}
	hash := attempt(t, tree, "one\n")
	if err := tree.Push(ctx, hash, "fettle/x", "", srv.auth); err != nil {
		t.Fatal(err)
	}
	if srv.seen.Load() == 0 {
		t.Fatal("the server never saw the token")
	}
	said, err := os.ReadFile(log)
	if err != nil || !strings.Contains(string(said), "receive") && !strings.Contains(string(said), "push") {
		t.Fatalf("the spy saw nothing: %v", err)
	}
	if strings.Contains(string(said), srv.token) {
		t.Error("the token stands in arguments or environment")
	}
	err = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if data, err := os.ReadFile(p); err == nil && strings.Contains(string(data), srv.token) {
				t.Errorf("the token stands in %s", p)
			}
		}
		return nil
	})
	if err = errors.Join(err, tree.Close()); err != nil {
		t.Error(err)
	}
	bad := func(context.Context) (string, error) { return "wrong-token-value", nil }
	if _, err := s.Open(ctx, srv.repo(remote), "main", bad); err == nil || strings.Contains(err.Error(), "wrong-token-value") {
		t.Errorf("a wrong token: %v", err)
	}
}

func TestX1TheTokenDoesNotFollowARedirect(t *testing.T) {
	t.Parallel()
	remote := bare(t, fixture(t))
	srv := serve(t, remote) // another origin that would be glad to see a token
	away := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, srv.URL+r.URL.RequestURI(), http.StatusFound)
	}))
	defer away.Close()
	if _, err := newStore(t).Open(context.Background(), repoAt(away.URL+"/"+filepath.Base(remote)), "main", srv.auth); err == nil {
		t.Error("the redirect was followed")
	}
	if n := srv.seen.Load(); n != 0 {
		t.Errorf("the token was sent to another host %d times", n)
	}
}

func FuzzValidBranch(f *testing.F) {
	for _, s := range []string{"main", "fettle/issue-1-x", "a..b", "-x", "a.lock/b", "@", "a@{1}", "x/.y", "ü", "a\x7f", "refs/heads/x", "a.", "a/", "HEAD"} {
		f.Add(s)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, name string) {
		if !ValidBranch(name) {
			return
		}
		cmd := exec.Command("git", "check-ref-format", "--branch", name)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil || string(out) != name+"\n" {
			t.Fatalf("git does not take %q: %v %q", name, err, out)
		}
	})
}

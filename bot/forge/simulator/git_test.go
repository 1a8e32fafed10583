package simulator_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestRealGitClonesAndPushesWithAToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tok := w.token(nil)
	dir := w.clone(tok)
	w.git(dir, "", "checkout", "-q", "-b", "topic")
	write(t, dir, "app/calc.py", "def add(a, b):\n    return a + b\n")
	w.git(dir, "", "commit", "-q", "-am", "fix")
	w.git(dir, tok, "push", "-q", "origin", "topic")
	head := w.git(dir, "", "rev-parse", "HEAD")
	if got := w.call(200, "GET", repo+"/git/ref/heads/topic", tok, nil).body["object"].(map[string]any)["sha"]; got != head {
		t.Errorf("the API shows %v, git pushed %s", got, head)
	}
	pr := w.call(201, "POST", repo+"/pulls", tok, map[string]any{"title": "x", "head": "topic", "base": "main"}).body
	if pr["head"].(map[string]any)["sha"] != head {
		t.Errorf("got %v", pr["head"])
	}
	w.git(dir, "", "commit", "-q", "--allow-empty", "-m", "more")
	w.git(dir, tok, "push", "-q", "origin", "topic")
	head = w.git(dir, "", "rev-parse", "HEAD")
	if got := w.s.Snapshot("octo", "demo").Pulls[0].HeadSHA; got != head {
		t.Errorf("the pull request stayed at %s", got)
	}
	if got := w.git(dir, tok, "ls-remote", "origin", "refs/pull/1/head"); !strings.HasPrefix(got, head) {
		t.Errorf("refs/pull/1/head is %q", got)
	}
	w.git(dir, tok, "push", "-q", "origin", ":topic")
	if p := w.s.Snapshot("octo", "demo").Pulls[0]; p.State != "closed" {
		t.Errorf("got %s", p.State)
	}
}

func TestGitIsRefusedWithoutTheRightToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := w.s.AddRepo("octo", "other", t.TempDir()); err != nil {
		t.Fatal(err)
	}
	good, readOnly := w.token(nil), w.token(map[string]any{"permissions": map[string]string{"contents": "read"}})
	elsewhere := w.token(map[string]any{"repositories": []string{"other"}})
	dir := w.clone(readOnly)
	w.git(dir, "", "checkout", "-q", "-b", "topic")
	w.git(dir, "", "commit", "-q", "--allow-empty", "-m", "x")
	for name, try := range map[string]func() (string, error){
		"no token":               func() (string, error) { return w.run(dir, "", "fetch") },
		"token of another repo":  func() (string, error) { return w.run(dir, elsewhere, "fetch") },
		"made-up token":          func() (string, error) { return w.run(dir, "ghs_nonsense", "fetch") },
		"push with a read token": func() (string, error) { return w.run(dir, readOnly, "push", "origin", "topic") },
		"push to pull refs":      func() (string, error) { return w.run(dir, good, "push", "origin", "topic:refs/pull/9/head") },
		"push to protected main": func() (string, error) { return w.run(dir, good, "push", "origin", "topic:main") },
		"deletion of main":       func() (string, error) { return w.run(dir, good, "push", "origin", ":main") },
	} {
		if out, err := try(); err == nil {
			t.Errorf("%s: it worked: %s", name, out)
		}
	}
	out, _ := w.run(dir, good, "push", "origin", "topic:main")
	if !strings.Contains(out, "protected branch hook declined") || !strings.Contains(out, "GH006") {
		t.Errorf("git is told why: %s", out)
	}
	if n := len(w.s.Snapshot("octo", "demo").Branches); n != 1 {
		t.Errorf("%d branches", n)
	}
	w.git(dir, good, "fetch", "-q")
	w.clock.Turn(2 * time.Hour)
	if out, err := w.run(dir, good, "fetch"); err == nil {
		t.Errorf("an expired token works: %s", out)
	}
	if err := w.s.SetProtected("octo", "demo", "main", false); err != nil {
		t.Fatal(err)
	}
	w.git(dir, w.token(nil), "push", "-q", "origin", "topic:main")
}

func TestImportKeepsBytesAndRunsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	src, marker := t.TempDir(), filepath.Join(t.TempDir(), "ran")
	write(t, src, ".gitattributes", "* filter=evil text eol=crlf\n")
	write(t, src, ".gitignore", "ignored/\n*.pyc\n")
	write(t, src, "crlf.txt", "a\r\nb\r\n")
	write(t, src, "lf.txt", "a\nb\n")
	write(t, src, "new\nline \"q\" ü.txt", "odd name")
	write(t, src, "ignored/x", "x")
	w.git(src, "", "init", "-q")
	write(t, src, "kept.pyc", "tracked though ignored")
	w.git(src, "", "add", "-f", "kept.pyc")
	for _, setting := range []string{"filter.evil.clean", "filter.evil.smudge", "core.fsmonitor", "diff.external"} {
		w.git(src, "", "config", setting, "touch "+marker)
	}
	if err := os.WriteFile(filepath.Join(src, ".git/hooks/post-index-change"), []byte("#!/bin/sh\ntouch "+marker+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/hostname", filepath.Join(src, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(src, "lf.txt"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := w.s.AddRepo("octo", "odd", src); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("something of the repository ran")
	}
	tok := w.token(nil)
	list := w.git(t.TempDir(), "", "--git-dir="+filepath.Join(w.root, "repos/octo/odd.git"), "ls-tree", "-r", "-z", "main")
	for _, want := range []string{"100644 blob", "\tcrlf.txt\x00", "100755 blob", "\tnew\nline \"q\" ü.txt\x00", "120000 blob", "\tkept.pyc\x00", ".gitattributes"} {
		if !strings.Contains(list, want) {
			t.Errorf("%q is missing in %q", want, list)
		}
	}
	if strings.Contains(list, "ignored/x") || strings.Contains(list, ".git/") {
		t.Errorf("too much: %q", list)
	}
	if r := w.call(200, "GET", "/repos/octo/odd/contents/crlf.txt", tok, nil); r.body["content"] != "YQ0KYg0K\n" {
		t.Errorf("bytes changed: %v", r.body["content"])
	}
	for _, bad := range [][3]string{{"octo", "..", src}, {"-x", "y", src}, {"octo", "z", "/none"}, {"octo", "f", filepath.Join(src, "lf.txt")}} {
		if err := w.s.AddRepo(bad[0], bad[1], bad[2]); err == nil {
			t.Errorf("%v was taken", bad)
		}
	}
}

func TestImportOfABareRepositoryKeepsItsHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dir := w.clone(w.token(nil))
	w.git(dir, "", "commit", "-q", "--allow-empty", "-m", "second")
	bare := filepath.Join(t.TempDir(), "bare.git")
	w.git(t.TempDir(), "", "clone", "-q", "--bare", dir, bare)
	if err := w.s.AddRepo("octo", "kept", bare); err != nil {
		t.Fatal(err)
	}
	if got := w.git(dir, "", "--git-dir="+filepath.Join(w.root, "repos/octo/kept.git"), "rev-list", "--count", "main"); got != "2" {
		t.Errorf("%s commits", got)
	}
}

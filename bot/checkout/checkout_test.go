package checkout

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

func TestOpenLaysTheBytesOfTheBlobs(t *testing.T) {
	t.Parallel()
	work := fixture(t)
	s := newStore(t)
	tree := open(t, s, bare(t, work))
	same(t, "tree", picture(t, tree.Dir()), without(picture(t, work), ".git/"))
	if tree.BaseCommit() != git(t, work, "rev-parse", "HEAD") {
		t.Errorf("base commit is %s", tree.BaseCommit())
	}
	files := tree.Files()
	if len(files) != len(odd)+1 || slices.Contains(files, "link") || !slices.Contains(files, "new\nline") {
		t.Errorf("files: %q", files)
	}
	again := open(t, s, tree.remote.address)
	same(t, "second tree from the cached mirror", picture(t, again.Dir()), picture(t, tree.Dir()))
}

func TestOpenFollowsTheBranchAndTakesHashes(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	work := fixture(t)
	remote := bare(t, work)
	s := newStore(t)
	first := open(t, s, remote)
	write(t, work, "plain.py", "two\n", 0o644)
	git(t, work, "commit", "-qam", "two")
	git(t, work, "push", "-q", remote, "main", "main:side/way")
	second := open(t, s, remote)
	if second.BaseCommit() == first.BaseCommit() {
		t.Error("the new head was not fetched")
	}
	for _, ref := range []string{first.BaseCommit(), "side/way", ""} {
		repo := repoAt(remote)
		if ref == "" {
			repo.DefaultBranch = "" // the remote says
		}
		tree, err := s.Open(ctx, repo, ref, nil)
		if err != nil {
			t.Fatalf("%q: %v", ref, err)
		}
		if want := second.BaseCommit(); ref != first.BaseCommit() && tree.BaseCommit() != want {
			t.Errorf("%q is %s", ref, tree.BaseCommit())
		}
		if err := tree.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newStore(t)
	empty := filepath.Join(t.TempDir(), "e.git")
	git(t, "/", "init", "-q", "--bare", empty)
	full := bare(t, fixture(t))
	for _, c := range []struct {
		address, ref string
		want         error
	}{
		{empty, "main", ErrEmpty}, {full, "nosuch", ErrNoRef}, {full, strings.Repeat("a", 40), ErrNoRef},
		{full, "--upload-pack=touch x", ErrNoRef}, {full, "a..b", ErrNoRef},
	} {
		if _, err := s.Open(ctx, repoAt(c.address), c.ref, nil); !errors.Is(err, c.want) {
			t.Errorf("%s at %q: %v, want %v", c.address, c.ref, err, c.want)
		}
	}
	for _, address := range []string{"ext::sh -c touch% /tmp/x", "https://user:pw@host.test/x", "--upload-pack=x", "ssh://h/x", "git@h:x", ""} {
		if _, err := s.Open(ctx, repoAt(address), "main", nil); err == nil {
			t.Errorf("%q was accepted", address)
		}
	}
	if left, _ := os.ReadDir(filepath.Join(s.cfg.Root, "trees")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestMaxBytesRefusesLargeRepositories(t *testing.T) {
	t.Parallel()
	work := fixture(t)
	write(t, work, "big", strings.Repeat("0123456789", 300_000), 0o644)
	git(t, work, "add", "big")
	git(t, work, "commit", "-qm", "big")
	s, err := New(Config{Root: t.TempDir(), MaxBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Open(context.Background(), repoAt(bare(t, work)), "main", nil); !errors.Is(err, ErrTooLarge) {
		t.Errorf("got %v", err)
	}
	if _, err := s.OpenDir(context.Background(), work); !errors.Is(err, ErrTooLarge) {
		t.Errorf("got %v", err)
	}
}

func TestBaseFSIsTheBaseWhateverTheTreeHolds(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	git(t, work, "init", "-q", "-b", "main")
	write(t, work, "a/b.txt", "base\n", 0o644)
	write(t, work, "run.sh", "x", 0o755)
	git(t, work, "add", "-A")
	git(t, work, "commit", "-qm", "x")
	tree := open(t, newStore(t), bare(t, work))
	write(t, tree.Dir(), "a/b.txt", "changed\n", 0o644)
	base := tree.BaseFS()
	if err := fstest.TestFS(base, "a/b.txt", "run.sh"); err != nil {
		t.Error(err)
	}
	if data, err := fs.ReadFile(base, "a/b.txt"); err != nil || string(data) != "base\n" {
		t.Errorf("%q, %v", data, err)
	}
	oddFS := open(t, newStore(t), bare(t, fixture(t))).BaseFS()
	for name, text := range odd {
		if data, err := fs.ReadFile(oddFS, name); err != nil || string(data) != text {
			t.Errorf("%q: %q, %v", name, data, err)
		}
	}
	if data, err := fs.ReadFile(oddFS, "link"); err != nil || string(data) != odd["plain.py"] {
		t.Errorf("link: %q, %v", data, err)
	}
	if _, err := fs.ReadFile(oddFS, "outside"); err == nil {
		t.Error("a symlink out of the base was followed")
	}
}

func TestL10CommitResetAndRestoreAreExact(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	work := fixture(t)
	tree := open(t, newStore(t), bare(t, work))
	before := picture(t, tree.Dir())

	write(t, tree.Dir(), "plain.py", "def f():\n    return 2\n", 0o644)
	write(t, tree.Dir(), "new dir/né\nw", "new\r\n", 0o755)
	if err := os.Remove(filepath.Join(tree.Dir(), "crlf.txt")); err != nil {
		t.Fatal(err)
	}
	attempt := picture(t, tree.Dir())
	hash, err := tree.Commit(ctx, "mend f\n\nwhy", Signature{Name: "fettle <x>", Email: "f@example.org", When: time.Unix(1700000000, 0)})
	if err != nil {
		t.Fatal(err)
	}
	if got := git(t, tree.gitDir, "log", "-1", "--format=%P %an %ae %at %B", "refs/fettle/attempt-1"); got != tree.BaseCommit()+" fettle x f@example.org 1700000000 mend f\n\nwhy" {
		t.Errorf("commit reads %q", got)
	}
	if got := git(t, tree.gitDir, "ls-tree", "-r", "--name-only", "-z", hash); strings.Contains(got, "crlf.txt") || !strings.Contains(got, "new dir/né\nw") {
		t.Errorf("commit holds %q", got)
	}
	if err := tree.Reset(ctx); err != nil {
		t.Fatal(err)
	}
	same(t, "after Reset", picture(t, tree.Dir()), before)
	if _, err := tree.Commit(ctx, "none", Signature{}); !errors.Is(err, ErrNoChange) {
		t.Errorf("an empty commit: %v", err)
	}
	if err := tree.Restore(ctx, hash); err != nil {
		t.Fatal(err)
	}
	same(t, "after Restore", picture(t, tree.Dir()), attempt)
	second, err := tree.Commit(ctx, "again", Signature{Name: "f", Email: "f@example.org"})
	if err != nil || git(t, tree.gitDir, "rev-parse", "refs/fettle/attempt-2") != second {
		t.Errorf("second attempt: %s, %v", second, err)
	}
	git(t, tree.gitDir, "fsck", "--strict")
}

func TestS07ResetIsExactWhateverWasPlanted(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tree := open(t, newStore(t), bare(t, fixture(t)))
	before := picture(t, tree.Dir())
	outside := t.TempDir()
	write(t, outside, "victim", "safe\n", 0o600)
	in := func(name string) string { return filepath.Join(tree.Dir(), name) }
	for _, step := range []error{
		os.RemoveAll(in("deep")), os.Symlink(outside, in("deep")),
		os.Remove(in("plain.py")), os.Symlink(filepath.Join(outside, "victim"), in("plain.py")),
		os.Remove(in("empty")), os.Link(filepath.Join(outside, "victim"), in("empty")),
		os.Remove(in("run.sh")), os.Mkdir(in("run.sh"), 0o000),
		os.Chmod(in("crlf.txt"), 0o4777), os.Remove(in("link")), os.WriteFile(in("link"), []byte("x"), 0o644),
		os.MkdirAll(in("dir/locked/in"), 0o755), os.WriteFile(in("dir/locked/in/f"), nil, 0o644), os.Chmod(in("dir/locked"), 0o000),
		os.MkdirAll(in(".git/hooks"), 0o755), exec.Command("mkfifo", in("fifo")).Run(),
		os.Chmod(in("dir"), 0o500),
	} {
		if step != nil {
			t.Fatal(step)
		}
	}
	if err := tree.Reset(ctx); err != nil {
		t.Fatal(err)
	}
	same(t, "after Reset", picture(t, tree.Dir()), before)
	if _, err := os.Lstat(in(".git")); err == nil {
		t.Error(".git is still there")
	}
	same(t, "outside", picture(t, outside), map[string]string{"victim": "600 safe\n"})
}

func TestT3HostGitNeverRunsWhatATreeHolds(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	canary := filepath.Join(t.TempDir(), "ran")
	evil := "#!/bin/sh\ntouch " + canary + "\n"
	work := fixture(t) // its .gitattributes name a filter
	remote := bare(t, work)
	s := newStore(t)
	plant := func(dir string) {
		gitDir := filepath.Join(dir, ".git")
		if _, err := os.Stat(gitDir); err != nil {
			git(t, dir, "init", "-q")
		}
		write(t, dir, "evil.sh", evil, 0o755)
		for _, hook := range []string{"pre-commit", "post-checkout", "post-index-change", "reference-transaction", "pre-push", "post-commit"} {
			write(t, dir, ".git/hooks/"+hook, evil, 0o755)
		}
		script := filepath.Join(dir, "evil.sh")
		for _, key := range []string{"core.fsmonitor", "core.sshCommand", "core.pager", "diff.external", "filter.evil.smudge", "filter.evil.clean",
			"core.editor", "credential.helper", "core.askPass", "uploadpack.packObjectsHook", "core.gitProxy"} {
			git(t, dir, "-c", "core.fsmonitor=false", "config", key, script)
		}
		git(t, dir, "-c", "core.fsmonitor=false", "config", "core.hooksPath", filepath.Join(gitDir, "hooks"))
		nested := filepath.Join(dir, "nested")
		if err := os.MkdirAll(nested, 0o755); err != nil {
			t.Fatal(err)
		}
		git(t, nested, "init", "-q")
		git(t, nested, "config", "core.fsmonitor", script)
	}
	tree := open(t, s, remote)
	plant(tree.Dir())
	write(t, tree.Dir(), "plain.py", "changed\n", 0o644)
	diff, err := tree.Diff(ctx)
	if err != nil || strings.Contains(diff, ".git/") {
		t.Errorf("diff: %v\n%s", err, diff)
	}
	hash, err := tree.Commit(ctx, "m", Signature{Name: "f", Email: "f@example.org"})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(tree.Restore(ctx, hash), tree.Reset(ctx), tree.Push(ctx, hash, "fettle/issue-1", "", nil)); err != nil {
		t.Fatal(err)
	}
	plant(work) // a user's own working copy, with the same traps
	local, err := s.OpenDir(ctx, work)
	if err != nil {
		t.Fatal(err)
	}
	write(t, local.Dir(), "plain.py", "changed\n", 0o644)
	if _, err := local.Commit(ctx, "m", Signature{Name: "f", Email: "f@example.org"}); err != nil {
		t.Error(err)
	}
	if err := errors.Join(local.Reset(ctx), local.Close()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(canary); err == nil {
		t.Error("something of the tree ran on the host")
	}
}

func TestT3PathsThatNameAGitDirectoryAreRefused(t *testing.T) {
	t.Parallel()
	for _, name := range []string{".git", ".GIT/x", "a/.git", ".git ", ".git.", ".git::$INDEX_ALLOCATION", "git~1", "GIT~1/x", ".g\u200cit", `a\.git\b`, "a//b", "../x", "/x", "a/./b", "", "a\x00b"} {
		if safePath(name) {
			t.Errorf("%q was accepted", name)
		}
	}
	for _, name := range []string{".gitignore", "git", "a.git", ".github/x", "a b\nc", "\xff", ".git-blame-ignore-revs"} {
		if !safePath(name) {
			t.Errorf("%q was refused", name)
		}
	}
}

func TestSweepRemovesOnlyWhatNobodyHolds(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newStore(t)
	held := open(t, s, bare(t, fixture(t)))
	dead := filepath.Join(s.cfg.Root, "trees", "t-dead")
	wanted := filepath.Join(s.cfg.Root, "trees", "t-wanted")
	for _, dir := range []string{dead, wanted} {
		write(t, dir, "tree/f", "x", 0o644)
	}
	if err := s.Sweep(ctx, time.Hour, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dead); err != nil {
		t.Error("a young tree was removed")
	}
	if err := s.Sweep(ctx, 0, func(id string) bool { return id == "t-wanted" }); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]bool{dead: false, wanted: true, held.Dir(): true} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s: present %v, want %v", dir, err == nil, want)
		}
	}
}

// TestX6MirrorsOfUnknownRepositoriesGo: on whichever machine they lie, but not under a
// tree that takes its objects from one.
func TestX6MirrorsOfUnknownRepositoriesGo(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newStore(t)
	at := bare(t, fixture(t))
	mirrors := map[string]string{}
	trees := map[string]*Tree{}
	for _, name := range []string{"kept", "gone", "used"} {
		repo := repoAt(at)
		repo.Installation, repo.Owner, repo.Name = 7, "Acme", name
		tree, err := s.Open(ctx, repo, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		trees[name], mirrors[name] = tree, s.mirrorPath(repo)
	}
	for _, name := range []string{"kept", "gone"} {
		if err := trees[name].Close(); err != nil {
			t.Fatal(err)
		}
	}
	prune := func(repos ...string) (left []string) {
		if err := s.Prune(ctx, func() (map[int64][]string, error) { return map[int64][]string{7: repos, 8: {"acme/gone"}}, nil }); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"kept", "gone", "used"} {
			if _, err := os.Stat(mirrors[name]); err == nil {
				left = append(left, name)
			}
		}
		return left
	}
	if err := s.Prune(ctx, func() (map[int64][]string, error) { return nil, errors.New("the database is away") }); err == nil {
		t.Error("what is known is not known, and it pruned")
	}
	if got := prune("acme/kept"); !slices.Equal(got, []string{"kept", "used"}) {
		t.Errorf("left are %v", got)
	}
	if err := trees["used"].Close(); err != nil {
		t.Fatal(err)
	}
	if got := prune(); len(got) != 0 {
		t.Errorf("left are %v", got)
	}
	if _, err := os.Stat(filepath.Dir(mirrors["kept"])); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the installation's folder: %v", err)
	}
}

// TestO5MirrorsAreKeptByAgeAndSize: the longest unused go first, never one that a tree
// stands on or that was fetched a moment ago.
func TestO5MirrorsAreKeptByAgeAndSize(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newStore(t)
	now := time.Now()
	s.cfg.Now = func() time.Time { return now }
	at := bare(t, fixture(t))
	fetched := func(name string) (*Tree, string) {
		repo := repoAt(at)
		repo.Installation, repo.Owner, repo.Name = 7, "acme", name
		tree, err := s.Open(ctx, repo, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		return tree, s.mirrorPath(repo)
	}
	var mirrors []string
	for _, name := range []string{"first", "second", "third"} {
		tree, mirror := fetched(name)
		if err := tree.Close(); err != nil {
			t.Fatal(err)
		}
		mirrors = append(mirrors, mirror)
		now = now.Add(24 * time.Hour)
	}
	left := func() (out []bool) {
		for _, m := range mirrors {
			_, err := os.Stat(m)
			out = append(out, err == nil)
		}
		return out
	}
	keep := func(unused time.Duration, most int64, want ...bool) {
		t.Helper()
		_, freed, err := s.Keep(ctx, unused, most)
		if got := left(); err != nil || !slices.Equal(got, want) {
			t.Errorf("left are %v, want %v (%d bytes, %v)", got, want, freed, err)
		}
	}
	one := dirBytes(mirrors[0])
	keep(0, 3*one+100, true, true, true)
	keep(60*time.Hour, 1<<40, false, true, true)
	tree, _ := fetched("second")
	now = now.Add(2 * time.Hour)
	keep(0, 1, false, true, false) // a tree stands on it
	if err := tree.Close(); err != nil {
		t.Fatal(err)
	}
	if tree, _ = fetched("second"); tree.Close() != nil {
		t.Fatal("not closed")
	}
	keep(0, 1, false, true, false) // fetched a moment ago
	now = now.Add(2 * time.Hour)
	keep(0, 1, false, false, false)
}

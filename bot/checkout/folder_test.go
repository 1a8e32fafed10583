package checkout

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestOpenDirTakesAWorkingCopyAsItIs(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	work := fixture(t)
	write(t, work, ".gitignore", "*.log\nnode_modules/\n__pycache__/\n", 0o644)
	git(t, work, "add", ".gitignore")
	git(t, work, "commit", "-qm", "ignore")
	s := newStore(t)
	clean, err := s.OpenDir(ctx, work)
	if err != nil {
		t.Fatal(err)
	}
	if clean.BaseCommit() != git(t, work, "rev-parse", "HEAD") {
		t.Error("a clean working copy is not its HEAD")
	}
	same(t, "clean copy", picture(t, clean.Dir()), without(picture(t, work), ".git/"))

	write(t, work, "plain.py", "uncommitted\n", 0o644)
	write(t, work, "new file.txt", "untracked\n", 0o644)
	write(t, work, "debug.log", "ignored\n", 0o644)
	for name, text := range map[string]string{"node_modules/dep/index.js": "dep\n", "web/composer.json": "{}\n", "web/vendor/autoload.php": "<?php\n", "env/pyvenv.cfg": "home = /usr/bin\n", "env/lib/x.py": "x\n", "vendor/kept.py": "ours\n"} {
		write(t, work, name, text, 0o644)
	}
	write(t, work, "env/pip.conf", "[global]\nindex-url = https://key@registry.example.com\n", 0o644)
	write(t, work, ".git/info/exclude", "web/vendor/\n", 0o644)
	write(t, work, "__pycache__/x.pyc", "junk\n", 0o644)
	write(t, work, ".fettle/last_run", "ours\n", 0o644)
	if err := os.Remove(filepath.Join(work, "crlf.txt")); err != nil {
		t.Fatal(err)
	}
	before := picture(t, work)
	tree, err := s.OpenDir(ctx, work)
	if err != nil {
		t.Fatal(err)
	}
	all := without(without(without(without(without(picture(t, work), ".git/"), "debug.log"), "__pycache__"), ".fettle"), "env/pip.conf")
	want := without(without(without(all, "node_modules/"), "web/vendor/"), "env/")
	same(t, "dirty copy", picture(t, tree.Dir()), want)
	if got := git(t, tree.gitDir, "rev-parse", tree.BaseCommit()+"^"); got != git(t, work, "rev-parse", "HEAD") {
		t.Errorf("the base's parent is %s", got)
	}
	if got := slices.Sorted(slices.Values(tree.Installed())); !slices.Equal(got, []string{"env", "node_modules", "web/vendor"}) {
		t.Errorf("installed: %v", got)
	}
	if err := tree.CopyInstalled(ctx, tree.Installed()); err != nil {
		t.Error(err)
	}
	same(t, "with what is installed", picture(t, tree.Dir()), all)
	if diff, err := tree.Diff(ctx); err != nil || diff != "" {
		t.Errorf("a fresh tree differs: %v %s", err, diff)
	}
	write(t, tree.Dir(), "plain.py", "mended\n", 0o644)
	if _, err := tree.Commit(ctx, "m", Signature{Name: "f", Email: "f@example.org"}); err != nil {
		t.Error(err)
	}
	if err := tree.Reset(ctx); err != nil {
		t.Error(err)
	}
	same(t, "after Reset", picture(t, tree.Dir()), all)
	if err := errors.Join(tree.Close(), clean.Close()); err != nil {
		t.Error(err)
	}
	same(t, "the user's folder", picture(t, work), before)
	git(t, work, "fsck", "--strict")
}

func TestOpenDirTakesAPlainFolder(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := t.TempDir()
	for name, text := range odd {
		write(t, dir, name, text, 0o644)
	}
	write(t, dir, "run.sh", "x", 0o755)
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "outside")); err != nil {
		t.Fatal(err)
	}
	want := picture(t, dir)
	write(t, dir, "large", string(make([]byte, 3*small)), 0o644)
	want["large"] = picture(t, dir)["large"]
	for _, junk := range []string{"pkg/__pycache__/a.pyc", ".pytest_cache/x", ".venv/pyvenv.cfg", ".fettle/last"} {
		write(t, dir, junk, "junk", 0o644)
	}
	listener, err := net.Listen("unix", filepath.Join(dir, "sock"))
	if err == nil {
		defer func() { _ = listener.Close() }()
	}
	before := picture(t, dir)
	tree, err := newStore(t).OpenDir(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "tree", picture(t, tree.Dir()), want)
	if !slices.Contains(tree.Skipped(), "sock") {
		t.Errorf("the socket is not listed: %q", tree.Skipped())
	}
	if len(tree.BaseCommit()) != 40 {
		t.Errorf("base commit %q", tree.BaseCommit())
	}
	if err := tree.Close(); err != nil {
		t.Error(err)
	}
	same(t, "the user's folder", picture(t, dir), before)
}

func TestOpenDirReadsALinkedWorktreeAndOneWithoutCommits(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	work := fixture(t)
	git(t, work, "rm", "-q", ".gitattributes") // it makes git change the bytes of a worktree
	git(t, work, "commit", "-qm", "two")
	linked := filepath.Join(t.TempDir(), "linked")
	git(t, work, "worktree", "add", "-q", "-b", "side", linked)
	git(t, work, "pack-refs", "--all")
	tree, err := newStore(t).OpenDir(ctx, linked)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tree.Close() }()
	if tree.BaseCommit() != git(t, linked, "rev-parse", "HEAD") {
		t.Error("the worktree's HEAD was not found")
	}
	fresh := t.TempDir()
	git(t, fresh, "init", "-q")
	write(t, fresh, "a.py", "x\n", 0o644)
	first, err := newStore(t).OpenDir(ctx, fresh)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = first.Close() }()
	if got := first.Files(); !slices.Equal(got, []string{"a.py"}) {
		t.Errorf("files: %q", got)
	}
	if err := first.Push(ctx, first.BaseCommit(), "x", "", nil); !errors.Is(err, ErrNoRemote) {
		t.Errorf("push of a folder: %v", err)
	}
}

func TestOpenDirSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newStore(t)
	file := filepath.Join(t.TempDir(), "f")
	write(t, filepath.Dir(file), "f", "x", 0o644)
	emptyRepo := t.TempDir()
	git(t, emptyRepo, "init", "-q")
	onlyJunk := t.TempDir()
	write(t, onlyJunk, "__pycache__/x.pyc", "x", 0o644)
	for dir, want := range map[string]error{
		file: ErrNotDirectory, t.TempDir(): ErrEmpty, emptyRepo: ErrEmpty, onlyJunk: ErrEmpty,
		filepath.Join(file, "none"): nil, bare(t, fixture(t)): ErrBare,
	} {
		if _, err := s.OpenDir(ctx, dir); err == nil || (want != nil && !errors.Is(err, want)) {
			t.Errorf("%s: %v, want %v", dir, err, want)
		}
	}
	if left, _ := os.ReadDir(filepath.Join(s.cfg.Root, "trees")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

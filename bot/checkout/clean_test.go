package checkout

import (
	"os"
	"path/filepath"
	"testing"
)

func TestC1OnlyAWorkingCopyThatEqualsItsHeadIsClean(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(t *testing.T, dir string)
		want   bool
	}{
		"nothing changed":    {func(*testing.T, string) {}, true},
		"an ignored file":    {func(t *testing.T, dir string) { write(t, dir, "x.log", "x", 0o644) }, true},
		"our own folder":     {func(t *testing.T, dir string) { write(t, dir, ".fettle/last", "x", 0o644) }, true},
		"a tracked file":     {func(t *testing.T, dir string) { write(t, dir, "sub/a.py", "other\n", 0o644) }, false},
		"a staged file":      {func(t *testing.T, dir string) { write(t, dir, "a.py", "b\n", 0o644); git(t, dir, "add", ".") }, false},
		"an untracked file":  {func(t *testing.T, dir string) { write(t, dir, "setup.py", "x", 0o644) }, false},
		"a file that's gone": {func(t *testing.T, dir string) { _ = os.Remove(filepath.Join(dir, "a.py")) }, false},
	} {
		work := t.TempDir()
		git(t, work, "init", "-q", "-b", "main")
		write(t, work, "a.py", "a\n", 0o644)
		write(t, work, "sub/a.py", "a\n", 0o644)
		write(t, work, ".gitignore", "*.log\n", 0o644)
		git(t, work, "add", ".")
		git(t, work, "commit", "-qm", "one")
		git(t, work, "config", "core.fsmonitor", "touch "+filepath.Join(work, "ran.log"))
		c.change(t, work)
		_ = os.Remove(filepath.Join(work, "ran.log"))
		s := newStore(t)
		for _, dir := range []string{work, filepath.Join(work, "sub")} {
			if got, err := s.Clean(t.Context(), dir); err != nil || got != c.want {
				t.Errorf("%s: clean %v, %v", name, got, err)
			}
		}
		tree, err := s.OpenDir(t.Context(), work)
		if err != nil {
			t.Fatal(err)
		}
		if tree.Clean() != c.want {
			t.Errorf("%s: the tree is clean: %v", name, !c.want)
		}
		if err := tree.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Lstat(filepath.Join(work, "ran.log")); err == nil {
			t.Errorf("%s: the repository's configuration was obeyed", name)
		}
	}
	plain := t.TempDir()
	write(t, plain, "a.py", "a\n", 0o644)
	if got, err := newStore(t).Clean(t.Context(), plain); err != nil || !got {
		t.Errorf("a plain folder: %v, %v", got, err)
	}
}

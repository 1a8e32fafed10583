package checkout

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestE6CompareReadsCommitsAndTheWorkingTree(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	git(t, work, "init", "-q", "-b", "main")
	write(t, work, "a.py", "a\n", 0o644)
	write(t, work, "sub/gone.py", "g\n", 0o644)
	git(t, work, "add", ".")
	git(t, work, "commit", "-qm", "one")
	git(t, work, "tag", "v1")
	git(t, work, "checkout", "-qb", "side")
	write(t, work, "a.py", "side\n", 0o644)
	git(t, work, "commit", "-qam", "two")
	git(t, work, "checkout", "-q", "main")
	write(t, work, "new.py", "n\n", 0o644)
	git(t, work, "add", ".")
	git(t, work, "commit", "-qm", "three")
	if err := os.Remove(filepath.Join(work, "sub/gone.py")); err != nil {
		t.Fatal(err)
	}
	write(t, work, "untracked.py", "u\n", 0o644)
	// What the repository's configuration asks to be run is not run.
	git(t, work, "config", "core.fsmonitor", "touch "+filepath.Join(work, "ran"))
	s := newStore(t)
	for spec, want := range map[string]string{
		"":                      `sub/gone.py "g\n" gone; untracked.py new "u\n"`,
		"v1":                    `new.py new "n\n"; sub/gone.py "g\n" gone; untracked.py new "u\n"`,
		"v1..side":              `a.py "a\n" "side\n"`,
		"main..side":            `a.py "a\n" "side\n"; new.py "n\n" gone`,
		"main...side":           `a.py "a\n" "side\n"`,
		"HEAD~1..":              `new.py new "n\n"`,
		"..side^":               `new.py "n\n" gone`,
		"refs/tags/v1..@":       `new.py new "n\n"`,
		"SHORT..refs/tags/v1":   ``,
		"HEAD^0..refs/heads/v1": "!the branch or commit does not exist",
		"none..HEAD":            "!'git branch -a' lists the branches",
		"--output=x..HEAD":      "!the branch or commit does not exist",
		"HEAD:a.py":             "!give a branch, a tag or a commit",
	} {
		c, err := s.Compare(t.Context(), filepath.Join(work, "sub"), strings.Replace(spec, "SHORT", git(t, work, "rev-parse", "--short", "v1"), 1))
		if says, bad := strings.CutPrefix(want, "!"); bad {
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%q: %v", spec, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", spec, err)
			continue
		}
		var got []string
		for _, f := range c.Files {
			sides := []string{"new", "gone"}
			for i, text := range [][]byte{f.Before, f.After} {
				if text != nil {
					sides[i] = fmt.Sprintf("%q", text)
				}
			}
			got = append(got, f.Path+" "+strings.Join(sides, " "))
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%q: %s\nwant %s", spec, strings.Join(got, "; "), want)
		}
		if _, err := fs.ReadFile(c.After, "a.py"); err != nil {
			t.Errorf("%q: %v", spec, err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join(work, "ran")); err == nil {
		t.Error("the repository's configuration was obeyed")
	}
	if _, err := s.Compare(t.Context(), t.TempDir(), ""); err == nil || !strings.Contains(err.Error(), "not in a Git repository") {
		t.Errorf("a plain folder: %v", err)
	}
	if _, err := s.Compare(t.Context(), filepath.Join(work, "none"), ""); !errors.Is(err, ErrNotDirectory) {
		t.Errorf("no folder: %v", err)
	}
}

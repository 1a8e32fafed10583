package checkout

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestS6APatchMovesTheBaseAndMergesOverWhatCameSince: a diff becomes the base of the tree;
// where its file went on meanwhile, far from it, both changes are there, and where they
// meet nothing is changed.
func TestS6APatchMovesTheBaseAndMergesOverWhatCameSince(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	lines := strings.Split("a b c d e f g h i j k l m n o p", " ")
	text := func() string { return strings.Join(lines, "\n") + "\n" }
	git(t, work, "init", "-q", "-b", "main")
	write(t, work, "f.txt", text(), 0o644)
	git(t, work, "add", ".")
	git(t, work, "commit", "-qm", "one")
	lines[1] = "B"
	write(t, work, "f.txt", text(), 0o644)
	write(t, work, "new.txt", "n\n", 0o644)
	git(t, work, "add", ".")
	diff := git(t, work, "diff", "--cached", "--full-index") + "\n"
	git(t, work, "reset", "-q", "--hard")
	s := newStore(t)
	for name, c := range map[string]struct {
		at          int
		to          string
		want        string
		wantChanges int
	}{
		"as it was":           {0, "a", "a\nB\nc", 2},
		"changed far from it": {14, "O", "\nO\np", 2},
		"changed at its line": {1, "other", "", 0},
	} {
		lines := strings.Split("a b c d e f g h i j k l m n o p", " ")
		lines[c.at] = c.to
		write(t, work, "f.txt", strings.Join(lines, "\n")+"\n", 0o644)
		tree, err := s.OpenDir(t.Context(), work)
		if err != nil {
			t.Fatal(err)
		}
		defer tree.Close()
		changes, before, err := tree.Patch(t.Context(), diff)
		if c.wantChanges == 0 {
			if !errors.Is(err, ErrPatch) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		got, readErr := fs.ReadFile(tree.BaseFS(), "f.txt")
		there, dirErr := os.ReadFile(filepath.Join(tree.Dir(), "f.txt"))
		if err != nil || readErr != nil || dirErr != nil || len(changes) != c.wantChanges || !strings.Contains(string(got), c.want) || !strings.Contains(string(got), "\nB\n") || string(there) != string(got) {
			t.Errorf("%s: %v %v %v %d\n%s", name, err, readErr, dirErr, len(changes), got)
		}
		if was, err := fs.ReadFile(before, "f.txt"); err != nil || string(was) != strings.Join(lines, "\n")+"\n" {
			t.Errorf("%s: before: %v\n%s", name, err, was)
		}
		if left, err := tree.Changes(); err != nil || len(left) != 0 {
			t.Errorf("%s: against the new base: %v %v", name, left, err)
		}
	}
}

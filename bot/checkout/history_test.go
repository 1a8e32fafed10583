package checkout

import (
	"reflect"
	"testing"
)

func TestC4HistoryNamesCommitsAndTheirFiles(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	git(t, work, "init", "-q", "-b", "main")
	write(t, work, "a.py", "a\n", 0o644)
	s := newStore(t)
	early, err := s.Compare(t.Context(), work, "")
	if err != nil {
		t.Fatal(err)
	}
	defer early.Close()
	if list, err := early.History(t.Context(), 5); err != nil || len(list) > 0 {
		t.Errorf("before the first commit: %v %v", list, err)
	}
	write(t, work, "sub/b c.py", "b\n", 0o644)
	git(t, work, "add", ".")
	git(t, work, "commit", "-qm", "one")
	first := git(t, work, "rev-parse", "HEAD")
	write(t, work, "a.py", "aa\n", 0o644)
	git(t, work, "commit", "-qam", "two")
	second := git(t, work, "rev-parse", "HEAD")
	c, err := s.Compare(t.Context(), work, "")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for n, want := range map[int][]Earlier{
		9: {{second, "two\n", []string{"a.py"}}, {first, "one\n", []string{"a.py", "sub/b c.py"}}},
		1: {{second, "two\n", []string{"a.py"}}},
		0: nil,
	} {
		if got, err := c.History(t.Context(), n); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%d: %q %v", n, got, err)
		}
	}
}

// A merge is held against what it was merged into, and says what its commits say.
func TestC4LandedIsTheBranchsOwnLine(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	git(t, work, "init", "-q", "-b", "main")
	write(t, work, "a.py", "a\n", 0o644)
	git(t, work, "add", ".")
	git(t, work, "commit", "-qm", "one")
	first := git(t, work, "rev-parse", "HEAD")
	git(t, work, "checkout", "-qb", "side")
	write(t, work, "sub/b c.py", "b\nb\n", 0o644)
	write(t, work, "bin", "\x00\x01", 0o644)
	git(t, work, "add", ".")
	git(t, work, "commit", "-qm", "Fixes #7")
	git(t, work, "checkout", "-q", "main")
	write(t, work, "a.py", "aa\n", 0o644)
	git(t, work, "commit", "-qam", "two\n\nwith words")
	second := git(t, work, "rev-parse", "HEAD")
	git(t, work, "merge", "-q", "--no-ff", "-m", "Merge it", "side")
	third := git(t, work, "rev-parse", "HEAD")
	want := []Landed{
		{third, second, "Merge it\n\nFixes #7\n", []Touched{{"bin", 0, 0}, {"sub/b c.py", 2, 0}}},
		{second, first, "two\n\nwith words\n", []Touched{{"a.py", 1, 1}}},
	}
	if got, err := newStore(t).Landed(t.Context(), work, 9); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v %v", got, err)
	}
	if got, err := newStore(t).Landed(t.Context(), work+"/.git", 1); err != nil || !reflect.DeepEqual(got, want[:1]) {
		t.Errorf("bare: %+v %v", got, err)
	}
}

package checkout

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// spans reads a.py and new.py of both ends.
func spans(t *testing.T, s *Store, work string, span Span) (before, after string) {
	t.Helper()
	base, head, err := s.OpenSpan(t.Context(), work, span)
	if err != nil {
		t.Fatalf("%+v: %v", span, err)
	}
	defer base.Close()
	defer head.Close()
	read := func(tree *Tree) (out string) {
		for _, name := range []string{"a.py", "new.py"} {
			if data, err := os.ReadFile(filepath.Join(tree.Dir(), name)); err == nil {
				out += name + "=" + string(data)
			}
		}
		return out
	}
	return read(base), read(head)
}

func TestJudgeS13TwoStatesAreLaidOutByEveryDoor(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	git(t, work, "init", "-q", "-b", "main")
	write(t, work, "a.py", "1\n", 0o644)
	git(t, work, "add", ".")
	git(t, work, "commit", "-qm", "one")
	git(t, work, "checkout", "-qb", "side")
	write(t, work, "a.py", "2\n", 0o644)
	git(t, work, "commit", "-qam", "two")
	git(t, work, "update-ref", "refs/pull/7/head", "HEAD")
	patch := git(t, work, "diff", "main", "side") + "\n"
	git(t, work, "checkout", "-q", "main")
	write(t, work, "new.py", "m\n", 0o644)
	git(t, work, "add", ".")
	git(t, work, "commit", "-qm", "three")
	write(t, work, "a.py", "staged\n", 0o644)
	git(t, work, "add", ".")
	write(t, work, "a.py", "here\n", 0o644)
	was := picture(t, work)
	s := newStore(t)
	for name, c := range map[string]struct {
		span          Span
		before, after string
	}{
		"the working tree":                   {Span{}, "a.py=1\nnew.py=m\n", "a.py=here\nnew.py=m\n"},
		"a branch, from where it left":       {Span{Head: "side"}, "a.py=1\n", "a.py=2\n"},
		"a pull request":                     {Span{Head: "refs/pull/7/head"}, "a.py=1\n", "a.py=2\n"},
		"two commits":                        {Span{Base: "main~1", Head: "main"}, "a.py=1\n", "a.py=1\nnew.py=m\n"},
		"what is staged":                     {Span{Staged: true}, "a.py=1\nnew.py=m\n", "a.py=staged\nnew.py=m\n"},
		"a patch":                            {Span{Patch: []byte(patch)}, "a.py=1\nnew.py=m\n", "a.py=2\nnew.py=m\n"},
		"a patch for another commit":         {Span{Base: "main~1", Patch: []byte(patch)}, "a.py=1\n", "a.py=2\n"},
		"the working tree against a branch ": {Span{Base: "side"}, "a.py=1\n", "a.py=here\nnew.py=m\n"},
	} {
		if before, after := spans(t, s, work, c.span); before != c.before || after != c.after {
			t.Errorf("%s: %q, %q", name, before, after)
		}
	}
	same(t, "the user's repository", picture(t, work), was)
}

func TestJudgeS13WhatHasNoCommitInCommonIsRefused(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	git(t, work, "init", "-q", "-b", "main")
	for _, n := range []string{"1", "2", "3"} {
		write(t, work, "a.py", n+"\n", 0o644)
		git(t, work, "add", ".")
		git(t, work, "commit", "-qm", n)
	}
	git(t, work, "checkout", "-qb", "side", "main~1")
	write(t, work, "new.py", "s\n", 0o644)
	git(t, work, "add", ".")
	git(t, work, "commit", "-qm", "side")
	git(t, work, "checkout", "-q", "--orphan", "other")
	git(t, work, "commit", "-qm", "other")
	s := newStore(t)
	shallow := t.TempDir()
	git(t, shallow, "clone", "-q", "--depth", "1", "--no-single-branch", "file://"+work, ".")
	deep := t.TempDir()
	git(t, deep, "clone", "-q", "--depth", "2", "--no-single-branch", "file://"+work, ".")
	for name, c := range map[string]struct {
		dir  string
		span Span
	}{
		"other roots":                 {work, Span{Base: "main", Head: "other"}},
		"a clone too shallow to tell": {shallow, Span{Base: "origin/main", Head: "origin/side"}},
	} {
		base, head, err := s.OpenSpan(t.Context(), c.dir, c.span)
		if !errors.Is(err, ErrNoRef) || base != nil || head != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if before, after := spans(t, s, deep, Span{Base: "origin/main", Head: "origin/side"}); before != "a.py=2\n" || after != "a.py=2\nnew.py=s\n" {
		t.Errorf("a shallow clone that holds enough: %q, %q", before, after)
	}
}

func TestJudgeS13EntriesAreFilesLinksAndSubmodules(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	git(t, work, "init", "-q", "-b", "main")
	write(t, work, "a.py", "1\n", 0o755)
	if err := os.Symlink("a.py", filepath.Join(work, "b.py")); err != nil {
		t.Fatal(err)
	}
	git(t, work, "add", ".")
	git(t, work, "update-index", "--add", "--cacheinfo", "160000,1234567890123456789012345678901234567890,sub")
	git(t, work, "commit", "-qm", "one")
	base, head, err := newStore(t).OpenSpan(t.Context(), work, Span{Head: "HEAD"})
	if err != nil {
		t.Fatal(err)
	}
	defer head.Close()
	defer base.Close()
	want := []Entry{{Blob{"a.py", blobHash([]byte("1\n")), 2}, true, false, false}, {Blob{"b.py", blobHash([]byte("a.py")), 4}, false, true, false}, {Blob{"sub", "1234567890123456789012345678901234567890", 0}, false, false, true}}
	if got := head.Entries(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestJudgeS13WhatNamesNoStateIsRefused(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	git(t, work, "init", "-q", "-b", "trunk")
	write(t, work, "a.py", "1\n", 0o644)
	git(t, work, "add", ".")
	git(t, work, "commit", "-qm", "one")
	s := newStore(t)
	outside := "diff --git a/../../out b/../../out\nnew file mode 100644\n--- /dev/null\n+++ b/../../out\n@@ -0,0 +1 @@\n+x\n"
	for name, c := range map[string]struct {
		span Span
		want error
	}{
		"no default branch":     {Span{}, ErrNoRef},
		"no such branch":        {Span{Base: "trunk", Head: "nowhere"}, ErrNoRef},
		"an option":             {Span{Base: "--all"}, ErrNoRef},
		"a patch for something": {Span{Patch: []byte("diff --git a/b b/b\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-x\n+y\n")}, ErrPatch},
		"prose":                 {Span{Patch: []byte("I fixed it!\n")}, ErrPatch},
		"a patch that leaves":   {Span{Patch: []byte(outside)}, ErrPatch},
	} {
		base, head, err := s.OpenSpan(t.Context(), work, c.span)
		if !errors.Is(err, c.want) || base != nil || head != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(s.cfg.Root, "trees", "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

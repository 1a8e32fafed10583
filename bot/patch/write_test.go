package patch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each of these sets fails at its last write; what was written before it is
// put back, and no temporary file stays.
func TestE3AWriteThatFailsChangesNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		last Write
		says string
	}{
		"a folder stands there":       {Write{Path: "dir", Content: []byte("x")}, `write "dir": it is no regular file`},
		"its folder is a file":        {Write{Path: "a.txt/b", Content: []byte("x")}, `write "a.txt/b"`},
		"changed meanwhile":           {Write{Path: "c.txt", Content: []byte("x"), Was: []byte("other")}, "the file was changed meanwhile; nothing was changed"},
		"gone meanwhile":              {Write{Path: "none.txt", Content: []byte("x"), Was: []byte("")}, "the file was changed meanwhile"},
		"deleted, but not there":      {Write{Path: "none.txt", Delete: true}, "it is not there to be deleted"},
		"a symbolic link":             {Write{Path: "link", Content: []byte("x")}, "no regular file"},
		"outside":                     {Write{Path: "../x", Content: []byte("x")}, `write "../x"`},
		"the same name as a folder's": {Write{Path: "a.txt2/b", Content: []byte("x")}, "everything was put back"},
	} {
		dir := tree(t, map[string]string{"a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n", "dir/x": "x\n"})
		if err := errors.Join(os.Symlink("a.txt", filepath.Join(dir, "link")), os.Chmod(filepath.Join(dir, "a.txt"), 0o700)); err != nil {
			t.Fatal(err)
		}
		before := picture(t, dir)
		_, err := WriteAll(dir, []Write{{Path: "a.txt", Content: []byte("A\n")}, {Path: "b.txt", Delete: true}, {Path: "new/deep/er.txt", Content: []byte("n\n")}, {Path: early(c.last.Path), Content: []byte("x")}, c.last})
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
		unchanged(t, name, picture(t, dir), before)
	}
}

func TestE3WritesAreRolledBack(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"a.txt": "a\n", "b.txt": "b\n"})
	if err := os.Chmod(filepath.Join(dir, "b.txt"), 0o640); err != nil {
		t.Fatal(err)
	}
	before := picture(t, dir)
	a, err := WriteAll(dir, []Write{{Path: "a.txt", Content: []byte("A\n"), Was: []byte("a\n")}, {Path: "b.txt", Delete: true}, {Path: "n/e/w", Content: []byte("n\n"), Mode: 0o755}})
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(dir, "n/e/w")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("%v %v", info, err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "b.txt")); err == nil || read(t, dir, "a.txt") != "A\n" {
		t.Error("not written")
	}
	if err := a.Rollback(); err != nil {
		t.Fatal(err)
	}
	unchanged(t, "after Rollback", picture(t, dir), before)
}

// early is a file whose name another write takes for a folder, which shows
// only when it is put in place.
func early(last string) string {
	if last == "a.txt2/b" {
		return "a.txt2"
	}
	return "early.txt"
}

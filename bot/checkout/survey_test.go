package checkout

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestM1AFolderIsSurveyedWhereItLies: what Git tracks with its changes, what is new,
// and nothing that is ignored; without a write to the folder.
func TestM1AFolderIsSurveyedWhereItLies(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	git(t, work, "init", "-q", "-b", "main")
	write(t, work, ".gitignore", "*.log\n", 0o644)
	write(t, work, "kept.py", "kept\n", 0o644)
	write(t, work, "gone.py", "gone\n", 0o644)
	write(t, work, "sub/changed.py", "before\n", 0o644)
	git(t, work, "add", ".")
	git(t, work, "commit", "-qm", "one\n\nwith a body")
	write(t, work, "sub/changed.py", "after it\n", 0o644)
	write(t, work, "new ü.py", "new\n", 0o644)
	write(t, work, "noise.log", "noise\n", 0o644)
	write(t, work, "large.bin", string(make([]byte, 5000)), 0o644)
	if err := errors.Join(os.Remove(filepath.Join(work, "gone.py")), os.Symlink("/etc/passwd", filepath.Join(work, "link.py"))); err != nil {
		t.Fatal(err)
	}
	before := git(t, work, "status", "--porcelain")
	v, err := newStore(t).Survey(t.Context(), filepath.Join(work, "sub"), 4000)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	want := []Blob{
		{".gitignore", BlobHash([]byte("*.log\n")), 6}, {"kept.py", BlobHash([]byte("kept\n")), 5}, {"large.bin", "size:5000", 5000},
		{"new ü.py", BlobHash([]byte("new\n")), 4}, {"sub/changed.py", BlobHash([]byte("after it\n")), 9},
	}
	if !slices.Equal(v.Blobs, want) {
		t.Errorf("%v, want %v", v.Blobs, want)
	}
	if got, err := v.Read("sub/changed.py"); err != nil || string(got) != "after it\n" {
		t.Errorf("%q %v", got, err)
	}
	if _, err := v.Read("link.py"); err == nil {
		t.Error("a link out of the folder was followed")
	}
	list, err := v.History(t.Context(), 5, func(string) bool { return false })
	if err != nil || len(list) != 1 || list[0].Message != "one\n\nwith a body\n" || !slices.Contains(list[0].Files, "gone.py") {
		t.Errorf("%+v %v", list, err)
	}
	if list, err = v.History(t.Context(), 5, func(string) bool { return true }); err != nil || len(list) != 1 || list[0].Message != "" {
		t.Errorf("a known commit was read again: %+v %v", list, err)
	}
	if after := git(t, work, "status", "--porcelain"); after != before {
		t.Errorf("the folder was changed: %s", after)
	}
}

func TestM1AFolderWithoutGitIsSurveyed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := newStore(t).Survey(t.Context(), dir, 1000); !errors.Is(err, ErrEmpty) {
		t.Errorf("an empty folder: %v", err)
	}
	write(t, dir, "a.py", "a\n", 0o644)
	write(t, dir, "__pycache__/a.pyc", "x\n", 0o644)
	v, err := newStore(t).Survey(t.Context(), dir, 1000)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	if len(v.Blobs) != 1 || v.Head != "" {
		t.Errorf("%+v", v)
	}
	if list, err := v.History(t.Context(), 5, func(string) bool { return false }); err != nil || len(list) > 0 {
		t.Errorf("%v %v", list, err)
	}
}

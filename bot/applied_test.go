package bot_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/task"
)

// picture is every file of a folder but those of .fettle, with its mode.
func picture(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == ".fettle" {
			return fs.SkipDir
		}
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && !d.IsDir() {
			var raw []byte
			raw, err = os.ReadFile(p)
			out[p] = info.Mode().String() + string(raw)
		} else {
			out[p] = "folder"
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestS6UndoTwiceGivesBackEveryByteAndMode: two changes are applied on top of each other,
// one with a new file in new folders and a deletion; an edit in between is not lost; each
// undo gives back the folder before.
func TestS6UndoTwiceGivesBackEveryByteAndMode(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, mode := range map[string]fs.FileMode{"a.py": 0o750, "gone.sh": 0o711} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("caf\xe9\r\n"+name), mode); err != nil {
			t.Fatal(err)
		}
	}
	write := func(run string, changes ...task.FileChange) map[string]string {
		t.Helper()
		was := picture(t, dir)
		if err := (&bot.Local{Dir: dir, Base: os.DirFS(dir)}).Write(run, changes); err != nil {
			t.Fatal(err)
		}
		return was
	}
	first := write("one", task.FileChange{Path: "a.py", Content: []byte("1\n"), Mode: "100644"}, task.FileChange{Path: "new/deep/b.py", Content: []byte{}, Mode: "100755"}, task.FileChange{Path: "gone.sh", Deleted: true})
	second := write("two", task.FileChange{Path: "a.py", Content: []byte("2\n"), Mode: "100644"})
	same := func(want map[string]string) {
		t.Helper()
		got := picture(t, dir)
		if len(got) != len(want) {
			t.Fatalf("%q\nwant %q", got, want)
		}
		for name, text := range want {
			if got[name] != text {
				t.Errorf("%s: %q, want %q", name, got[name], text)
			}
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "a.py"), []byte("mine\n"), 0o750); err != nil {
		t.Fatal(err)
	}
	edited := picture(t, dir)
	if err := bot.Undo(dir); !errors.Is(err, patch.ErrChanged) {
		t.Fatalf("an edit of somebody's: %v", err)
	}
	same(edited)
	if err := os.WriteFile(filepath.Join(dir, "a.py"), []byte("2\n"), 0o750); err != nil {
		t.Fatal(err)
	}
	for _, want := range []map[string]string{second, first} {
		if err := bot.Undo(dir); err != nil {
			t.Fatal(err)
		}
		same(want)
	}
	if err := bot.Undo(dir); !errors.Is(err, bot.ErrNothingApplied) {
		t.Errorf("undone a third time: %v", err)
	}
}

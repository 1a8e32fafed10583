package regular_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/fettle-dev/fettle/bot/regular"
)

func pipe(t *testing.T, parts ...string) {
	t.Helper()
	name := filepath.Join(parts...)
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), syscall.Mkfifo(name, 0o600)); err != nil {
		t.Fatal(err)
	}
}

func file(t *testing.T, text string, parts ...string) {
	t.Helper()
	name := filepath.Join(parts...)
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, target string, parts ...string) {
	t.Helper()
	if err := os.Symlink(target, filepath.Join(parts...)); err != nil {
		t.Fatal(err)
	}
}

func TestX4OnlyRegularFilesAreRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file(t, "text", dir, "file")
	pipe(t, dir, "pipe")
	link(t, "/dev/zero", dir, "device")
	link(t, "file", dir, "link")
	link(t, "pipe", dir, "link to pipe")
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	byPath := func(name string, max int64) ([]byte, error) { return regular.Read(filepath.Join(dir, name), max) }
	below := func(name string, max int64) ([]byte, error) { return regular.ReadIn(root, name, max) }
	inFS := func(name string, max int64) ([]byte, error) { return regular.ReadFS(regular.FS(root), name, max) }
	for name, read := range map[string]func(string, int64) ([]byte, error){"Read": byPath, "ReadIn": below, "ReadFS": inFS} {
		if got, err := read("file", 4); err != nil || string(got) != "text" {
			t.Errorf("%s gives %q, %v", name, got, err)
		}
		if _, err := read("file", 3); err == nil || !strings.Contains(err.Error(), "more than 3 bytes") {
			t.Errorf("%s of a file that is too long: %v", name, err)
		}
		if _, err := read("none", 3); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s of nothing: %v", name, err)
		}
		if _, err := read("pipe", 3); !errors.Is(err, regular.ErrSpecial) || !strings.Contains(err.Error(), "named pipe") {
			t.Errorf("%s of a pipe: %v", name, err)
		}
		for _, special := range []string{"device", "link to pipe"} {
			if got, err := read(special, 3); err == nil {
				t.Errorf("%s of a %s gives %q", name, special, got)
			}
		}
		if got, err := read("link", 4); (err == nil) != (name != "ReadIn") {
			t.Errorf("%s of a link gives %q, %v", name, got, err)
		}
	}
}

func TestFSIsAFileSystem(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file(t, "a", dir, "a")
	file(t, "b", dir, "sub", "b")
	link(t, "sub/b", dir, "c")
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	if err := fstest.TestFS(regular.FS(root), "a", "sub/b", "c"); err != nil {
		t.Error(err)
	}
}

func TestX4GitIsNotLedToPipes(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for _, name := range []string{".gitignore", "sub/.gitignore", "sub/.gitattributes", "sub/.git/HEAD", "sub/.git/refs/heads/main", "bare/HEAD", "sub/.git"} {
		dir := t.TempDir()
		file(t, "x", dir, "sub", "x.py")
		pipe(t, dir, "x.pipe") // Git does not open it
		if err := regular.WorkTree(ctx, dir); err != nil {
			t.Errorf("a pipe among the files: %v", err)
		}
		pipe(t, dir, name)
		if err := regular.WorkTree(ctx, dir); !errors.Is(err, regular.ErrSpecial) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	dir, other := t.TempDir(), t.TempDir()
	file(t, other+"\n", dir, "info", "alternates")
	link(t, "/dev/null/nowhere", dir, "dangling")
	if err := regular.Objects(ctx, dir); err != nil {
		t.Error(err)
	}
	pipe(t, other, "ab", "cd")
	if err := regular.Objects(ctx, dir); !errors.Is(err, regular.ErrSpecial) {
		t.Errorf("an object that is borrowed: %v", err)
	}
	file(t, dir+"\n", other, "info", "alternates") // round and round
	if err := os.Remove(filepath.Join(other, "ab", "cd")); err != nil {
		t.Fatal(err)
	}
	if err := regular.Objects(ctx, dir); err != nil {
		t.Error(err)
	}
}

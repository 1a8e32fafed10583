package checkout

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fettle-dev/fettle/bot/task"
)

func TestDiffIsTakenByGitApply(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	work := fixture(t)
	tree := open(t, newStore(t), bare(t, work))
	for name, text := range map[string]string{
		"plain.py": "def f():\n    return 2", "crlf.txt": "a\r\nB\r\nc\r\n", "no-newline": "x\n", "empty": "not any more\n",
		"dir/with space.txt": "t\n", "new\nline": "", "latin-\xe9.txt": "th\xe9\n", "binary.bin": "\x00\x03\x02\xff" + strings.Repeat("z\x00", 200),
		"brand new \xff.txt": "hello", "a/b/c.py": "pass\n", "empty too": "", "tab\tname": "t\n", "quote\"back\\slash": "Q\n",
	} {
		write(t, tree.Dir(), name, text, 0o644)
	}
	if err := os.Chmod(filepath.Join(tree.Dir(), "-option"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, gone := range []string{"ünïcode.txt", "deep/er/and/deeper/f"} {
		if err := os.Remove(filepath.Join(tree.Dir(), gone)); err != nil {
			t.Fatal(err)
		}
	}
	diff, err := tree.Diff(ctx)
	if err != nil {
		t.Fatal(err)
	}
	apply(t, tree, diff)
	for _, line := range []string{"diff --git a/a/b/c.py b/a/b/c.py\nnew file mode 100644\n", "--- a/dir/with space.txt\t\n", "\\ No newline at end of file\n", "old mode 100644\nnew mode 100755\n", "--- /dev/null\n+++ b/a/b/c.py\n@@ -0,0 +1,1 @@\n+pass\n"} {
		if !strings.Contains(diff, line) {
			t.Errorf("the diff lacks %q:\n%s", line, diff)
		}
	}
}

// apply holds a diff against git apply: on the base it must give the tree.
func apply(t testing.TB, tree *Tree, diff string) {
	t.Helper()
	base := t.TempDir()
	git(t, base, "init", "-q")
	git(t, base, "config", "core.attributesFile", "/dev/null")
	for _, e := range tree.entries {
		if !e.regular() || e.path == ".gitattributes" { // it would bend the bytes that apply writes
			continue
		}
		data, err := fs.ReadFile(tree.BaseFS(), e.path)
		if err != nil {
			t.Fatal(err)
		}
		write(t, base, e.path, string(data), perm(e.mode))
	}
	patch := filepath.Join(t.TempDir(), "p")
	write(t, filepath.Dir(patch), "p", diff, 0o644)
	git(t, base, "apply", "--whitespace=nowarn", patch)
	got, want := picture(t, base), picture(t, tree.Dir())
	for _, p := range []map[string]string{got, want} {
		maps.DeleteFunc(p, func(name, text string) bool { return strings.HasPrefix(name, ".git") || strings.HasPrefix(text, "-> ") })
	}
	same(t, "after git apply", got, want)
}

func TestDiffPropertyRoundTrip(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	rapid.Check(t, func(r *rapid.T) {
		line := rapid.SampledFrom([]string{"a\n", "b\n", "\n", "c\r\n", "d", "--- a\n", "+x\n", "@@ -1 +1 @@\n", "\xff\n", "\\ No newline\n", "-- \n"})
		before := strings.Join(rapid.SliceOfN(line, 0, 12).Draw(r, "before"), "")
		after := strings.Join(rapid.SliceOfN(line, 0, 12).Draw(r, "after"), "")
		if before == after {
			return
		}
		diff, err := DiffOf([]task.FileChange{{Path: "f x", Content: []byte(after), Mode: modeFile}},
			func(string) ([]byte, string, bool, error) { return []byte(before), modeFile, true, nil })
		if err != nil {
			r.Fatal(err)
		}
		write(t, dir, "f x", before, 0o644)
		write(t, dir, "patch", diff, 0o644)
		git(t, dir, "apply", "--whitespace=nowarn", "patch")
		if got, _ := os.ReadFile(filepath.Join(dir, "f x")); string(got) != after {
			r.Fatalf("%q -> %q came out as %q by\n%s", before, after, got, diff)
		}
	})
}

func TestChangesSeeEveryKindOfEdit(t *testing.T) {
	t.Parallel()
	tree := open(t, newStore(t), bare(t, fixture(t)))
	if changes, err := tree.Changes(); err != nil || len(changes) != 0 {
		t.Fatalf("a fresh tree has changes: %v %v", changes, err)
	}
	write(t, tree.Dir(), "plain.py", "def f():\n    return 9\n", 0o644) // same size
	write(t, tree.Dir(), "run.sh", "#!/bin/sh\n", 0o644)                // mode only
	write(t, tree.Dir(), "n/e/w", "new", 0o755)
	write(t, tree.Dir(), "x/__pycache__/m.pyc", "junk", 0o644)
	if err := os.Remove(filepath.Join(tree.Dir(), "empty")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc", filepath.Join(tree.Dir(), "planted")); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time from remembered stamps
		changes, err := tree.Changes()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range changes {
			what := c.Mode + " " + c.Path
			if c.Deleted {
				what = "deleted " + c.Path
			}
			got = append(got, what)
		}
		if want := []string{"deleted empty", "100755 n/e/w", "100644 plain.py", "100644 run.sh"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if err := os.Remove(filepath.Join(tree.Dir(), "plain.py")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(tree.Dir(), "plain.py")); err != nil {
		t.Fatal(err)
	}
	if _, err := tree.Changes(); err == nil || !strings.Contains(err.Error(), "symlink") {
		t.Errorf("a file that became a symlink: %v", err)
	}
}

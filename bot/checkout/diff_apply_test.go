package checkout

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fettle-dev/fettle/bot/task"
)

// TestS6DiffLandsWhereItWasMade gives diffs of files that are made of repeated
// blocks to git apply and to patch: both must find each hunk at the line that
// it names and come to the same bytes and modes as the change.
func TestS6DiffLandsWhereItWasMade(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "") // one for each example
		if err != nil {
			r.Fatal(err)
		}
		names := []string{"f.py", "with blank.go", "ünï.js", "dir/quote\"d\\.txt", "tab\tline\n", "sub/dir/-x"}
		names = names[:rapid.IntRange(1, len(names)).Draw(r, "files")]
		before, after := map[string]version{}, map[string]version{}
		var changes []task.FileChange
		for _, name := range names {
			was, is := drawChange(r)
			if was.mode == is.mode && string(was.content) == string(is.content) {
				continue
			}
			before[name], after[name] = was, is
			changes = append(changes, task.FileChange{Path: name, Content: is.content, Mode: is.mode, Deleted: is.mode == ""})
		}
		diff, err := DiffOf(changes, func(path string) ([]byte, string, bool, error) {
			v := before[path]
			return v.content, v.mode, v.mode != "", nil
		})
		if err != nil {
			r.Fatal(err)
		}
		if diff == "" {
			return
		}
		for _, tool := range [][]string{{"git", "apply", "--verbose", "--whitespace=nowarn", "-"}, {"patch", "-p1", "--verbose", "--no-backup-if-mismatch"}} {
			work := filepath.Join(dir, tool[0])
			for name, v := range before {
				lay(t, work, name, v)
			}
			if err := os.MkdirAll(work, 0o755); err != nil {
				r.Fatal(err)
			}
			cmd := exec.Command(tool[0], tool[1:]...)
			cmd.Dir, cmd.Stdin = work, strings.NewReader(diff)
			cmd.Env = append(os.Environ(), "LC_ALL=C", "GIT_CEILING_DIRECTORIES="+dir)
			out, err := cmd.CombinedOutput()
			if err != nil || moved.Match(out) {
				r.Fatalf("%v: %v\n%s\n%s", tool, err, out, diff)
			}
			want := filepath.Join(dir, "want")
			for name, v := range after {
				lay(t, want, name, v)
			}
			if got, want := fmt.Sprintf("%q", picture(t, work)), fmt.Sprintf("%q", picture(t, want)); got != want {
				r.Fatalf("%v made\n%s\nof\n%s\nand should\n%s\n%s", tool, got, diff, want, out)
			}
		}
	})
}

// moved is what git apply and patch say of a hunk that they found at another
// line than the one that it names.
var moved = regexp.MustCompile(`(?i)\boffset\b|\bfuzz\b`)

// lay writes one side of a change; no mode means no file.
func lay(t *testing.T, dir, name string, v version) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if v.mode != "" {
		write(t, dir, name, string(v.content), perm(v.mode))
	}
}

// drawChange makes a file of repeated blocks and changes it in some places,
// its mode too, or makes it appear or vanish.
func drawChange(r *rapid.T) (before, after version) {
	blocks := []string{"if x:\n    return\n", "}\n\n", "\n", "same\nsame\nsame\n", "a\nb\nc\nd\ne\nf\ng\n", "-- \n", "++ x\n", "@@ -1 +1 @@\n", "\\ No newline at end of file\n"}
	draw := func(most int, label string) []string {
		return strings.SplitAfter(strings.Join(rapid.SliceOfN(rapid.SampledFrom(blocks), 0, most).Draw(r, label), ""), "\n")
	}
	was := draw(40, "before")
	is := append([]string{}, was...)
	for range rapid.IntRange(0, 6).Draw(r, "edits") {
		at := rapid.IntRange(0, len(is)).Draw(r, "at")
		to := rapid.IntRange(at, min(at+4, len(is))).Draw(r, "to")
		is = append(append(append([]string{}, is[:at]...), draw(2, "new")...), is[to:]...)
	}
	bytesOf := func(lines []string, label string) []byte {
		text := strings.Join(lines, "")
		if rapid.Bool().Draw(r, label+" has no last newline") {
			text = strings.TrimSuffix(text, "\n")
		}
		return []byte(text)
	}
	modes := rapid.SampledFrom([]string{modeFile, modeFile, modeExec})
	before = version{mode: modes.Draw(r, "mode"), content: bytesOf(was, "before")}
	after = version{mode: modes.Draw(r, "mode after"), content: bytesOf(is, "after")}
	if rapid.Bool().Draw(r, "crlf") {
		before.content = []byte(strings.ReplaceAll(string(before.content), "\n", "\r\n"))
		after.content = []byte(strings.ReplaceAll(string(after.content), "\n", "\r\n"))
	}
	switch rapid.IntRange(0, 9).Draw(r, "kind") {
	case 0:
		before = version{}
	case 1:
		after = version{}
	}
	return before, after
}

package detect

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestC2NodeRunsIsWhatNodeRuns holds the rules against Node itself: each file
// notes that it was run.
func TestC2NodeRunsIsWhatNodeRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := []string{
		"test.js", "test-a.cjs", "a.test.mjs", "b-test.js", "c_test.js", "index.js", "latest.js", "test-.js", ".test.js", "testing.js", "d.test.ts",
		"test/plain.js", "test/deep/er/x.mjs", "test/fixtures/data.js", "test/notes.txt", "tests/plain.js", "tests/named.test.js",
		"src/app.js", "src/app.test.js", "src/test/help.js", "src/test/sub/y.cjs", "lib/x.js", "node_modules/p/p.test.js", "attest/z.js",
	}
	for _, f := range files {
		text := "require('node:fs').appendFileSync(process.env.SEEN, " + "'" + f + "\\n');\n"
		if strings.HasSuffix(f, ".mjs") {
			text = "import fs from 'node:fs';\nfs.appendFileSync(process.env.SEEN, '" + f + "\\n');\n"
		}
		name := filepath.Join(dir, filepath.FromSlash(f))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, patterns := range [][]string{nil, {"test"}, {"./test/"}, {"src"}, {"src/test/sub", "lib/x.js"}, {"tests"}, {"."}, {"index.js", "test/deep"}} {
		seen := filepath.Join(t.TempDir(), "seen")
		cmd := exec.CommandContext(t.Context(), "node", append([]string{"--test"}, patterns...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "SEEN="+seen)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", patterns, err, out)
		}
		raw, err := os.ReadFile(seen)
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Fields(string(raw))
		got := slices.DeleteFunc(slices.Clone(files), func(f string) bool { return strings.HasPrefix(f, "node_modules/") || !NodeRuns(patterns, f) })
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("node --test %s: %q, and Node runs %q", strings.Join(patterns, " "), got, want)
		}
	}
}

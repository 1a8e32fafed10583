package judge_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/judge"
)

// What was judged of a change says nothing of another: a file whose name is no text may
// be another one, and the code may look which of them is there.
func TestJudgeS13ChangesOfOtherFilesHaveOtherNames(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("names of files are texts here")
	}
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@localhost"}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v: %s", args, err, out)
		}
	}
	git("init", "-q", "-b", "main")
	git("commit", "-q", "--allow-empty", "-m", "none")
	names := []string{"a\xff.py", "a\xfe.py", `a\xff.py`, "a\ufffd.py"}
	for i, name := range append([]string{"README"}, names...) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x = 1\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		git("add", "-A")
		git("commit", "-qm", name)
		git("branch", string(rune('a'+i)))
		if i > 0 {
			git("rm", "-q", "-f", name)
			git("commit", "-qm", "gone")
		}
	}
	store, err := checkout.New(checkout.Config{Root: t.TempDir(), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for i, name := range names {
		base, head, err := store.OpenSpan(t.Context(), dir, checkout.Span{Base: "a", Head: string(rune('b' + i))})
		if err != nil {
			t.Fatal(err)
		}
		is := judge.Input{Base: base, Head: head}.Name()
		if other, ok := seen[is]; ok {
			t.Errorf("%q is judged as %q", name, other)
		}
		seen[is] = name
		if err := base.Close(); err != nil {
			t.Error(err)
		}
		if err := head.Close(); err != nil {
			t.Error(err)
		}
	}
}

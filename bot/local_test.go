package bot_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/task"
)

func TestS6AChangeThatCouldNotBeAppliedStaysInTheRecord(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	was := filepath.Join(t.TempDir())
	for d, text := range map[string]string{dir: "edited meanwhile\n", was: "as it was\n"} {
		if err := os.WriteFile(filepath.Join(d, "a.py"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	l := &bot.Local{Dir: dir, Base: os.DirFS(was), Apply: true}
	res := task.Result{RunID: "r1", Outcome: task.Success, Diff: "-as it was\n+mended\n", Changes: []task.FileChange{{Path: "a.py", Content: []byte("mended\n"), Mode: "100644"}}}
	_, err := l.Publish(t.Context(), res)
	if err == nil || !strings.Contains(err.Error(), "changed while fettle was working") {
		t.Fatalf("applied over somebody's work: %v", err)
	}
	// The service ends such a run as an error, and publishes that.
	if _, err := l.Publish(t.Context(), task.Result{RunID: "r1", Outcome: task.Error, Reason: err.Error()}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, ".fettle", "last_run.md"))
	if err != nil || !strings.Contains(string(got), "+mended") {
		t.Errorf("the change is lost: %s, %v", got, err)
	}
	if now, _ := os.ReadFile(filepath.Join(dir, "a.py")); string(now) != "edited meanwhile\n" {
		t.Errorf("a.py is %q", now)
	}
}

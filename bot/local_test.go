package bot_test

import (
	"errors"
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

// The last file of the change cannot be written: a folder stands in the way of
// a new file's folder. What came before it is as it was, with its mode.
func TestS6AChangeIsAppliedWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	dir, was := t.TempDir(), t.TempDir()
	for _, d := range []string{dir, was} {
		for name, text := range map[string]string{"a.py": "a\n", "gone.py": "g\n"} {
			if err := os.WriteFile(filepath.Join(d, name), []byte(text), 0o750); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "new.py"), 0o755); err != nil { // git keeps no empty folders: the base has none
		t.Fatal(err)
	}
	publish := func(changes ...task.FileChange) error {
		l := &bot.Local{Dir: dir, Base: os.DirFS(was), Apply: true}
		_, err := l.Publish(t.Context(), task.Result{RunID: "r1", Outcome: task.Success, Changes: changes})
		return err
	}
	good := []task.FileChange{{Path: "a.py", Content: []byte("A\n"), Mode: "100644"}, {Path: "gone.py", Deleted: true}, {Path: "deep/er/n.py", Content: []byte("n\n"), Mode: "100755"}}
	state := func() string {
		var out []string
		err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.Name() == ".fettle" {
				return filepath.SkipDir
			}
			info, err := d.Info()
			text, _ := os.ReadFile(p)
			out = append(out, strings.TrimPrefix(p, dir)+" "+info.Mode().String()+" "+string(text))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(out, "|")
	}
	before := state()
	err := publish(append(append([]task.FileChange{}, good...), task.FileChange{Path: "new.py", Content: []byte("x\n"), Mode: "100644"})...)
	if err == nil {
		t.Error("a file was written over a folder")
	}
	// Here the obstacle shows only when the files are put in place.
	err = errors.Join(err, publish(append(append([]task.FileChange{}, good...), task.FileChange{Path: "deep/er/n.py/x", Content: []byte("x\n"), Mode: "100644"})...))
	if err == nil || !strings.Contains(err.Error(), "everything was put back") {
		t.Errorf("%v", err)
	}
	if after := state(); after != before {
		t.Errorf("half of a change was applied:\n%s\n%s", before, after)
	}
	if err := publish(good...); err != nil {
		t.Fatal(err)
	}
	if after := state(); after == before || !strings.Contains(after, "/a.py -rwxr-x--- A") || strings.Contains(after, "gone.py") || !strings.Contains(after, "/deep/er/n.py -rwxr-xr-x n") {
		t.Errorf("applied: %s", after)
	}
}

// A draft waits for a decision: it is written only by whoever asks for drafts.
func TestS6ADraftIsAppliedOnlyWhereItWasAskedFor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ draft, drafts, applied bool }{{false, false, true}, {true, false, false}, {true, true, true}} {
		dir, was := t.TempDir(), t.TempDir()
		for _, d := range []string{dir, was} {
			if err := os.WriteFile(filepath.Join(d, "a.py"), []byte("old\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		l := &bot.Local{Dir: dir, Base: os.DirFS(was), Apply: true, Drafts: c.drafts}
		pub, err := l.Publish(t.Context(), task.Result{RunID: "r1", Task: task.Task{Repo: task.Repo{Dir: dir}}, Outcome: task.Success, Draft: c.draft, Changes: []task.FileChange{{Path: "a.py", Content: []byte("new\n"), Mode: "100644"}}})
		now, _ := os.ReadFile(filepath.Join(dir, "a.py"))
		if err != nil || pub.Applied != c.applied || l.Summary.Applied != c.applied || (string(now) == "new\n") != c.applied {
			t.Errorf("%+v: applied %v, %v; a.py holds %q, %v", c, pub.Applied, l.Summary.Applied, now, err)
		}
	}
}

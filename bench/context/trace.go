package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/memory"
	"github.com/fettle-dev/fettle/bot/task"
)

// worktree is a folder in which the trees of a clone are laid, one after another.
type worktree struct {
	*clone
	dir string
}

func (c *clone) worktree() (*worktree, error) {
	dir, err := os.MkdirTemp("", "context")
	return &worktree{c, dir}, err
}

// at lays a commit's tree.
func (w *worktree) at(ctx context.Context, commit string, paths ...string) error {
	args := append([]string{"--work-tree=" + w.tree(), "checkout", "--force", commit, "--"}, paths...)
	if paths == nil {
		args = []string{"--work-tree=" + w.tree(), "read-tree", "--reset", "-u", commit}
		if err := os.MkdirAll(w.tree(), 0o700); err != nil {
			return err
		}
	}
	cmd := w.command(ctx, args...)
	cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+filepath.Join(w.dir, "index"))
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("laying %.10s of %s: %w: %.300s", commit, w.clone.dir, err, out)
	}
	return nil
}

func (w *worktree) tree() string { return filepath.Join(w.dir, "tree") }

//go:embed trace.py
var tracer string

const (
	traceTime   = 5 * time.Minute // of a clock; the processor time is limited below
	traceLimits = "ulimit -v 4000000; ulimit -t 60; exec \"$@\""
)

// traced runs the tests that a commit adds or changes on the tree before it, and
// gives what ran in those that fail; false where none does, or they cannot run.
func (w *worktree) traced(ctx context.Context, python string, f fix) (q memory.Query, ok bool, err error) {
	if err := w.at(ctx, f.parent); err != nil {
		return q, false, err
	}
	if err := w.at(ctx, f.commit, f.testFiles...); err != nil {
		return q, false, err
	}
	script, out := filepath.Join(w.dir, "trace.py"), filepath.Join(w.dir, "out.json")
	if err := os.WriteFile(script, []byte(tracer), 0o600); err != nil {
		return q, false, err
	}
	_ = os.Remove(out) // of the last one, where there is one
	args := []string{"-c", traceLimits, "sh", python, script, w.tree(), out}
	for _, t := range f.testFiles {
		if strings.HasPrefix(filepath.Base(t), "test_") || strings.HasSuffix(t, "_test.py") || filepath.Base(t) == "tests.py" {
			args = append(args, t)
		}
	}
	limited, stop := context.WithTimeout(ctx, traceTime)
	defer stop()
	cmd := exec.CommandContext(limited, "sh", args...)
	cmd.Env = append(os.Environ(), "PYTHONPATH="+w.tree()+":"+filepath.Join(w.tree(), "src"), "PYTHONDONTWRITEBYTECODE=1")
	cmd.WaitDelay = time.Second
	_ = cmd.Run() // tests fail; what they say is read below
	raw, err := os.ReadFile(out)
	if err != nil {
		return q, false, ctx.Err() // they cannot run here
	}
	var got struct {
		Failed int
		Frames []task.Frame
		Ran    []memory.Ran
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		return q, false, fmt.Errorf("reading what ran: %w", err)
	}
	return memory.Query{Title: f.title, Body: f.body, Tests: f.tests, Frames: got.Frames, Ran: got.Ran}, got.Failed > 0 && len(got.Ran) > 0, nil
}

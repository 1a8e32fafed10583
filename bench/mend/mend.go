package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/fettle-dev/fettle/bench/mend/bugs"
	"github.com/fettle-dev/fettle/bot/task"
)

// summary is the part of fettle's JSON that is looked at.
type summary struct {
	Outcome      task.Outcome `json:"outcome"`
	Reason       string       `json:"reason"`
	Draft        bool         `json:"draft"`
	DraftReasons []string     `json:"draft_reasons"`
	Applied      bool         `json:"applied"`
	Diff         string       `json:"diff"`
	Tried        []string     `json:"tried"`
	Search       *task.Search `json:"search"`
}

// one mends one bug and judges what came out.
func (b *runner) one(ctx context.Context, room string, j job) result {
	begun := time.Now()
	r := newResult(j.folder.Bug, j.without, b.build)
	err := j.broken
	if err == nil {
		err = b.try(ctx, room, j, &r)
	}
	if err != nil {
		r.Verdict, r.Why = invalid, err.Error()
	}
	r.Took = round(time.Since(begun))
	return r
}

func round(d time.Duration) float64 {
	return float64(d.Round(10*time.Millisecond)) / float64(time.Second)
}

// try sets a bug up in a folder of its own, mends it there and judges.
func (b *runner) try(ctx context.Context, room string, j job, r *result) error {
	subject, err := b.tree(ctx, j.folder.Bug)
	if err != nil {
		return err
	}
	correct, err := b.measure(ctx, subject, j.folder.Bug)
	if err != nil {
		return err
	}
	repo := filepath.Join(room, "repo")
	if err := b.lay(ctx, subject, repo, j.folder); err != nil {
		return fmt.Errorf("setting up: %w", err)
	}
	s, err := b.fettle(ctx, room, repo, j, r)
	if err != nil {
		return err
	}
	r.Search, r.Outcome, r.Doubts, r.Diff, r.Why = s.Search, string(s.Outcome), s.DraftReasons, s.Diff, strings.Join(append(s.Tried, s.Reason), "; ")
	if s.Outcome != task.Success {
		r.Verdict, r.Diff = missed, ""
		return nil
	}
	if !s.Applied {
		return fmt.Errorf("fettle found a change and did not apply it: %s", oneLine(s.Reason))
	}
	r.Ready, r.Kinds = !s.Draft, kindsOf(s.DraftReasons)
	return b.judge(ctx, subject, repo, j.folder, correct, r)
}

// lay makes the working copy of a bug: the subject with the broken sources and
// the visible tests, in one commit.
func (b *runner) lay(ctx context.Context, subject, repo string, f bugs.Folder) error {
	if err := os.RemoveAll(repo); err != nil {
		return err
	}
	if err := bugs.Copy(ctx, subject, repo); err != nil {
		return err
	}
	if err := errors.Join(bugs.Lay(repo, f.Broken), bugs.Lay(repo, f.Shown)); err != nil {
		return err
	}
	_, err := git(ctx, repo, "init", "-q", "-b", "main")
	if err == nil {
		err = os.WriteFile(filepath.Join(repo, ".git", "info", "exclude"), []byte("node_modules/\n__pycache__/\n*.egg-info/\n.pytest_cache/\n"), 0o644)
	}
	if err == nil {
		// also what the subject ignores: a version file that its set-up wrote is
		// part of what its tests import
		_, err = git(ctx, repo, "add", "-A", "-f", "--", ".", ":(exclude,glob)**/node_modules/**", ":(exclude,glob)**/__pycache__/**", ":(exclude,glob)**/*.egg-info/**", ":(exclude,glob)**/.pytest_cache/**")
	}
	if err == nil {
		_, err = git(ctx, repo, "-c", "user.name=bench", "-c", "user.email=bench@example.org", "-c", "commit.gpgsign=false", "commit", "-q", "--no-verify", "-m", "as it is")
	}
	return err
}

// git runs Git in a folder without the operator's settings and hooks.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir, "-c", "core.quotepath=off", "-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0"}, args...)...) //nolint:gosec // folders and words of the bench
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s in %s: %w: %s", args[0], dir, err, strings.TrimSpace(stderr.String()))
	}
	return string(out), nil
}

// issue is that of a planted bug; else it says how a visible test fails, as a
// person would who knows no more.
func issue(b bugs.Bug) string {
	if b.Title != "" {
		return b.Title + "\n\n" + b.Body + "\n"
	}
	title, body, _ := strings.Cut(strings.TrimSpace(b.Message), "\n")
	return fmt.Sprintf("Test %s fails: %s\n\n%s\n", b.Visible[0], strings.TrimSpace(title), strings.TrimSpace(body))
}

// fettle mends the working copy. An outcome that is no success is no error.
func (b *runner) fettle(ctx context.Context, room, repo string, j job, r *result) (summary, error) {
	var s summary
	state, err := b.home(room)
	if err != nil {
		return s, err
	}
	text := filepath.Join(room, "issue.md")
	if err := os.WriteFile(text, []byte(issue(j.folder.Bug)), 0o644); err != nil {
		return s, err
	}
	args := []string{"fix", "--repo", repo, "--issue", text, "--apply=draft", "--json", "--quiet"}
	if b.config == "" {
		args = append(args, "--max-tier", "mechanical", "--max-seconds", strconv.Itoa(bound))
	} else {
		args = append(args, "--config", b.config, "--max-seconds", strconv.Itoa(int(b.limit.Seconds())))
	}
	if j.without != "" {
		args = append(args, "--without", strings.ReplaceAll(j.without, "+", ","))
	}
	limited, cancel := context.WithTimeout(ctx, b.limit)
	defer cancel()
	cmd := exec.CommandContext(limited, b.options.fettle, args...) //nolint:gosec // the program that is measured
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+state, "XDG_CONFIG_HOME="+filepath.Join(room, "config"), "XDG_DATA_HOME="+filepath.Join(state, "data"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 15 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	begun := time.Now()
	err = cmd.Run()
	r.Seconds = round(time.Since(begun))
	if ctx.Err() != nil {
		return s, context.Cause(ctx)
	}
	if limited.Err() != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		return summary{Outcome: task.Cancelled, Reason: "did not end within " + b.limit.String()}, nil
	}
	if json.Unmarshal(stdout.Bytes(), &s) == nil {
		return s, nil
	}
	// A refusal is of the set-up; whatever else ends without a result is missed.
	var exit *exec.ExitError
	what := tail(stderr.String(), 600)
	panicked := strings.Contains(stderr.String(), "\ngoroutine ") // which has the exit status of wrong usage
	if !errors.As(err, &exit) || !panicked && (exit.ExitCode() == refusedCode || exit.ExitCode() == usageCode) {
		return s, fmt.Errorf("fettle did not begin: %w: %s", err, what)
	}
	return summary{Outcome: task.Error, Reason: fmt.Sprintf("fettle printed no JSON: %v: %s", err, what)}, nil
}

// Exit statuses of fettle fix.
const usageCode, refusedCode = 2, 5

// home is fettle's folder for state. Nothing is learned from one bug for the
// next unless that is asked for; only what the sandbox compiled of the
// languages' own libraries stays.
func (b *runner) home(room string) (string, error) {
	state := filepath.Join(room, "state")
	if b.learn {
		state = filepath.Join(b.work, "learned")
	}
	own := filepath.Join(state, "fettle")
	if err := os.MkdirAll(own, 0o755); err != nil || b.learn {
		return state, err
	}
	entries, err := os.ReadDir(own)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if e.Name() != "sandbox" {
			if err := os.RemoveAll(filepath.Join(own, e.Name())); err != nil {
				return "", fmt.Errorf("clearing fettle's state: %w", err)
			}
		}
	}
	return state, os.RemoveAll(filepath.Join(state, "data"))
}

func contains(s, part string) bool { return strings.Contains(s, part) }

func oneLine(s string) string { return tail(strings.Join(strings.Fields(s), " "), 300) }

func tail(s string, n int) string {
	if len(s) > n {
		return "…" + strings.ToValidUTF8(s[len(s)-n:], "")
	}
	return s
}

package bugs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/verify"
)

// ErrNoTree: the correct tree of a bug is not there.
var ErrNoTree = errors.New("the subject's tree is not there")

// TreeDir is the folder of a bug's correct tree in the benchmark's work folder:
// the one that was laid out for its commit, or the subject's own where it
// stands at that commit.
func TreeDir(ctx context.Context, work string, b Bug) (string, error) {
	for _, pattern := range []string{"trees/%s-%.12s", "history/trees/*+%s@%.12s"} {
		found, err := filepath.Glob(filepath.Join(work, fmt.Sprintf(pattern, b.Subject, b.Commit)))
		if err != nil {
			return "", fmt.Errorf("looking for the tree of %s: %w", b.ID, err)
		}
		if len(found) > 0 {
			return found[0], nil
		}
	}
	dir := filepath.Join(work, "subjects", b.Subject)
	at, err := head(ctx, dir)
	if err != nil {
		return "", fmt.Errorf("%w: %s at %.12s: %w", ErrNoTree, b.Subject, b.Commit, err)
	}
	if at != b.Commit {
		return "", fmt.Errorf("%w: %s stands at %.12s, and the bug belongs to %.12s", ErrNoTree, dir, at, b.Commit)
	}
	return dir, nil
}

func head(ctx context.Context, dir string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", "-C", dir, "rev-parse", "HEAD") //nolint:gosec // a folder that whoever started the bench named
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git rev-parse in %s: %w: %s", dir, err, bytes.TrimSpace(stderr.Bytes()))
	}
	return strings.TrimSpace(string(out)), nil
}

// Correct is what the suites of a correct tree show, measured twice and kept
// in the work folder under the subject and commit. A test that did not pass
// both times counts as skipped: nothing can be said by it.
func (b *Bench) Correct(ctx context.Context, work, dir, subject, commit string) (Outcome, error) {
	keep := filepath.Join(work, "correct", fmt.Sprintf("%s-%.12s.json", subject, commit))
	var out Outcome
	data, err := os.ReadFile(keep)
	if err == nil {
		if err = json.Unmarshal(data, &out); err == nil {
			return out, nil
		}
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return out, fmt.Errorf("reading what the tests of %s showed: %w; remove %s to measure again", subject, err, keep)
	}
	if out, err = b.Run(ctx, dir); err != nil {
		return out, err
	}
	again, err := b.Run(ctx, dir)
	if err != nil {
		return out, err
	}
	for id, s := range out.Status {
		if s == verify.StatusPassed && again.Status[id] != verify.StatusPassed {
			out.Status[id] = verify.StatusSkipped
		}
	}
	out.Report.Elapsed = again.Report.Elapsed // everything was built by then
	if data, err = json.Marshal(out); err != nil {
		return out, err
	}
	part := fmt.Sprintf("%s.%d.part", keep, os.Getpid())
	if err := errors.Join(os.MkdirAll(filepath.Dir(keep), 0o755), os.WriteFile(part, data, 0o644)); err != nil {
		return out, fmt.Errorf("keeping what the tests of %s showed: %w", subject, err)
	}
	return out, os.Rename(part, keep)
}

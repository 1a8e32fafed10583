package loop

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/check"
)

// adviceTime bounds the linters that a repository only configures: they are
// advice, and a run must not end without a change because of them.
const adviceTime = 2 * time.Minute

// ownChecks runs, on an attempt that the tests found green, the checks that the
// repository's .fettle.yml names (SPEC C2). A new failure of a required one
// makes the attempt red; a required one that proves nothing makes a draft.
// Without such a file the type checkers that the repository configures count where
// they found nothing in the base, and its linters are advice.
func (r *run) ownChecks(ctx context.Context, a *task.Attempt) error {
	if !a.Green {
		return nil
	}
	if err := r.progress(ctx, "verify", a.Tier, "running the repository's own checks"); err != nil {
		return err
	}
	got, err := r.checks(ctx, a.Diff, r.checking())
	if err != nil {
		return err
	}
	if got.NotRun != "" {
		if len(r.in.Checks) > 0 {
			a.Doubts = append(a.Doubts, settings.RepoFile+" names checks, and they were not run here")
		}
		r.log.Info(got.NotRun)
		return nil
	}
	for _, j := range got.All {
		r.count(a, j)
	}
	return nil
}

// checking is what the repository's own checks are asked.
type checking struct {
	Declared []settings.Check `json:"declared,omitempty"`
	Left     time.Duration    `json:"left"` // of the run
}

func (r *run) checking() checking {
	return checking{Declared: r.in.Checks, Left: r.deadline.Sub(r.now())}
}

// checked is what they found, or why they were not run.
type checked struct {
	All    []check.Judged `json:"all,omitempty"`
	NotRun string         `json:"not_run,omitempty"`
}

func (h *real) checks(ctx context.Context, c checking) (checked, error) {
	if h.ahead.checks != nil {
		return take(&h.ahead.checks)
	}
	change, err := h.checkable(c)
	if err != nil {
		return checked{}, err
	}
	return h.runChecks(ctx, c, change)
}

// checkable is the attempt, as the checks take it.
func (h *real) checkable(c checking) (check.Change, error) {
	changes, err := h.tree.Changes()
	if err != nil {
		return check.Change{}, fmt.Errorf("reading the attempt's files: %w", err)
	}
	before := map[string][]byte{}
	for _, f := range changes {
		if before[f.Path], err = h.sources.read(f.Path); err != nil {
			before[f.Path] = nil // a new file
		}
	}
	return check.Change{Dir: h.tree.Dir(), Before: before, Base: h.tree.BaseFS(), Declared: c.Declared}, nil
}

func (h *real) runChecks(ctx context.Context, c checking, change check.Change) (checked, error) {
	if h.Checker == nil {
		return checked{NotRun: "nothing runs the checks of repositories here"}, nil
	}
	limited := ctx
	if len(c.Declared) == 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, min(adviceTime, c.Left/4))
		defer cancel()
	}
	all, err := h.Checker.Judge(limited, change)
	switch {
	case err != nil && ctx.Err() == nil && len(c.Declared) == 0 && errors.Is(limited.Err(), context.DeadlineExceeded):
		return checked{NotRun: "the linters that the repository configures did not end in time; they are left out"}, nil
	case err != nil:
		return checked{}, fmt.Errorf("running the repository's own checks: %w", err)
	}
	return checked{All: all}, nil
}

// count takes one check's result into the attempt.
func (r *run) count(a *task.Attempt, j check.Judged) {
	c := task.Check{Name: "check " + j.Name, Status: task.CheckPassed, Seconds: j.Seconds, Detail: j.Detail}
	if len(r.in.Checks) == 0 && !j.Required {
		c.Name = "advice of " + j.Name
	}
	switch {
	case j.Open != "":
		c.Status, c.Detail = task.CheckSkipped, j.Open
		if j.Do != "" {
			c.Detail += "; " + j.Do
		}
		if j.Required {
			a.Doubts = append(a.Doubts, fmt.Sprintf("the repository's check %s says nothing about this change: %s", j.Name, c.Detail))
		}
	case len(j.Failures) > 0:
		c.Status, c.Detail = task.CheckFailed, fmt.Sprintf("%d new, first %s", len(j.Failures), j.Failures[0].Words())
	case j.Known > 0:
		c.Detail = fmt.Sprintf("nothing new; %d that it finds were there before the change", j.Known)
	}
	a.Checks = append(a.Checks, c)
	if j.Red() {
		a.Green = false
		a.Broken = append(a.Broken, "check "+j.Name)
		keepFailures(a, j.Failures)
	}
}

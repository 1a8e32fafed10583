package loop

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/smoke"
)

// smokes starts the repository's service on an attempt and asks it what its
// .fettle.yml names (SPEC C7), and once on the base. A required scenario that
// passed there and does not now makes the attempt red.
func (r *run) smokes(ctx context.Context, a *task.Attempt) error {
	if r.in.Smoke == nil {
		return nil
	}
	if err := r.progress(ctx, "verify", a.Tier, "asking the service"); err != nil {
		return err
	}
	if r.smoked == nil {
		base, err := r.smoke(ctx, a.Diff, smoking{Plan: *r.in.Smoke, Base: true})
		if err != nil {
			return err
		}
		r.smoked = &base
	}
	now, err := r.smoke(ctx, a.Diff, smoking{Plan: *r.in.Smoke})
	if err != nil {
		return err
	}
	if now.NotRun != "" {
		a.Doubts = append(a.Doubts, settings.RepoFile+" names scenarios for its service, and they were not run: "+now.NotRun)
		return nil
	}
	c := task.Check{Name: smoke.Suite, Status: task.CheckPassed, Seconds: now.Elapsed.Seconds()}
	before, all := r.smoked.Rate()
	after, _ := now.Rate()
	a.Smoke = &task.SmokeRate{Before: before, After: after, All: all}
	c.Detail = fmt.Sprintf("%d of %d scenarios passed, before the change %d", after, all, before)
	for _, one := range now.Worse(r.smoked.Report) {
		a.Broken = append(a.Broken, smoke.Suite+": "+one.Name)
		c.Status, a.Green = task.CheckFailed, false
	}
	switch {
	case c.Status == task.CheckFailed:
		a.Failures = append(a.Failures, first(now.Failures(), 10)...)
	case after == 0:
		c.Status = task.CheckSkipped
		c.Detail += ", so they prove nothing"
		if now.Broken != nil {
			c.Detail += ": " + now.Broken.Words()
		}
	}
	a.Checks = append(a.Checks, c)
	return r.note(ctx, "smoke", c.Detail, map[string]any{"attempt": a.Number, "before": before, "after": after, "all": all})
}

// smoking is what the service is asked, on the attempt or on the base.
type smoking struct {
	Plan settings.Smoke
	Base bool
}

// smoked is what it answered, or why it was not asked.
type smoked struct {
	smoke.Report
	NotRun string `json:"not_run,omitempty"`
}

func (h *real) smoke(ctx context.Context, s smoking) (smoked, error) {
	if h.Smoke == nil {
		return smoked{NotRun: "nothing starts services here"}, nil
	}
	files := map[string][]byte{}
	if s.Base {
		changes, err := h.tree.Changes()
		if err != nil {
			return smoked{}, fmt.Errorf("reading the attempt's files: %w", err)
		}
		for _, c := range changes {
			if files[c.Path], err = h.sources.read(c.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return smoked{}, fmt.Errorf("reading %s of the base: %w", c.Path, err)
			}
		}
	}
	rep, err := h.Smoke.Run(ctx, h.tree.Dir(), files, s.Plan)
	if err != nil {
		return smoked{}, fmt.Errorf("asking the service: %w", err)
	}
	return smoked{Report: rep}, nil
}

package loop

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/smoke"
)

// smokes starts the repository's service on an attempt and asks it what its
// .fettle.yml names (SPEC C7), and once on the base. A required scenario that
// passed there and does not now makes the attempt red; one that failed there and
// still does makes a draft.
func (r *run) smokes(ctx context.Context, a *task.Attempt) error {
	if r.in.Smoke == nil {
		return nil
	}
	if err := r.progress(ctx, "verify", a.Tier, "asking the service"); err != nil {
		return err
	}
	if r.smoked == nil {
		if err := r.smokeBase(ctx, a.Diff); err != nil {
			return err
		}
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
	worse := now.Worse(r.smoked.Report)
	for _, one := range worse {
		a.Broken = append(a.Broken, smoke.Suite+": "+one.Name)
		c.Status, a.Green = task.CheckFailed, false
	}
	switch {
	case c.Status == task.CheckFailed:
		keepFailures(a, now.Failures())
	case after == 0:
		c.Status = task.CheckSkipped
		c.Detail += ", so they prove nothing"
		if now.Broken != nil {
			c.Detail += ": " + now.Broken.Words()
		}
	}
	if red := redBefore(now.Results, worse); len(red) > 0 && len(r.stepsLeft()) == 0 {
		doubt := "required scenarios of the service failed before the change too, so they say nothing about it: " + names(red)
		if c.Status == task.CheckSkipped {
			doubt += " (" + c.Detail + ")"
		}
		a.Doubts = append(a.Doubts, doubt)
	}
	a.Checks = append(a.Checks, c)
	return r.note(ctx, "smoke", c.Detail, map[string]any{"attempt": a.Number, "before": before, "after": after, "all": all})
}

// smokeBase asks the service of the base, for the whole run, and once more if it
// did not start: a chance failure there would excuse every change.
func (r *run) smokeBase(ctx context.Context, diff string) error {
	base, err := r.smoke(ctx, diff, smoking{Plan: *r.in.Smoke, Base: true})
	if err == nil && base.NotRun == "" && !base.Ready {
		base, err = r.smoke(ctx, diff, smoking{Plan: *r.in.Smoke, Base: true, Again: true})
	}
	if err != nil {
		return err
	}
	r.smoked = &base
	return nil
}

// redBefore names the required scenarios that do not pass and are not worse
// than before.
func redBefore(now, worse []smoke.Result) []string {
	var out []string
	for _, one := range now {
		if one.Required && !one.Passed && !slices.ContainsFunc(worse, func(w smoke.Result) bool { return w.Name == one.Name }) {
			out = append(out, one.Name)
		}
	}
	return out
}

// smoking is what the service is asked, on the attempt or on the base.
type smoking struct {
	Plan  settings.Smoke
	Base  bool
	Again bool `json:",omitempty"` // it did not start the first time
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

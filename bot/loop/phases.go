package loop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
)

// measured runs the checks on the untouched tree.
func (r *run) measured(ctx context.Context) error {
	if len(r.state.Baseline) > 0 {
		return json.Unmarshal(r.state.Baseline, &r.baseline)
	}
	if err := r.progress(ctx, "baseline", "", "running the tests as they are"); err != nil {
		return err
	}
	var err error
	if r.baseline, err = r.measure(ctx, r.telling(ctx, "baseline", "")); err != nil {
		return err
	}
	rep := r.baseline.Report
	if r.baseline.Untested != "" {
		return r.note(ctx, "baseline", "no tests: one that shows the fault has to be made first", nil)
	}
	if len(rep.Tests) == 0 {
		return &Stop{task.Rejected, r.withSetup("no test could be run: " + whyNoTest(rep) + ". Make the tests run on the default branch first")}
	}
	return r.note(ctx, "baseline", fmt.Sprintf("%d green, %d red", len(rep.Green()), len(rep.Red())), map[string]any{"red": rep.Red()})
}

// testable ends a run that has neither a test nor anybody to write one.
func (r *run) testable(context.Context) error {
	if r.baseline.Untested == "" || r.example != nil || len(r.modelTiers()) > 0 {
		return nil
	}
	return &Stop{task.Rejected, r.baseline.Untested + ". Without a model only an example in the issue, as \"call gives result, expected result\", can become a test: add one, or a test that fails, or name a model in the settings"}
}

// locate ranks the places that may hold the fault, and completes a baseline
// that is new with its flaky tests.
func (r *run) locate(ctx context.Context) error {
	if len(r.state.Suspects) > 0 {
		return json.Unmarshal(r.state.Suspects, &r.suspects)
	}
	if err := r.progress(ctx, "localise", "", "finding the code that matters"); err != nil {
		return err
	}
	fresh := len(r.state.Baseline) == 0
	q := r.search(ctx)
	q.Fresh = fresh
	begun := r.now()
	found, err := r.localise(ctx, q)
	if err != nil {
		return err
	}
	r.suspects, r.localised = found.Suspects, r.since(begun)
	if fresh {
		r.baseline.Unstable = found.Unstable
		words := fmt.Sprintf("%d flaky, %d of them by the order of the tests", len(found.Unstable.Flaky), len(found.Unstable.Order))
		if err := r.note(ctx, "baseline.repeated", words, map[string]any{"seconds": found.Seconds, "order": found.Unstable.Order}); err != nil {
			return err
		}
		if r.state.Baseline, err = json.Marshal(r.baseline); err != nil {
			return fmt.Errorf("writing down the baseline: %w", err)
		}
		if err := r.save(ctx, "baseline"); err != nil {
			return err
		}
	}
	if r.state.Suspects, err = json.Marshal(r.suspects); err != nil {
		return fmt.Errorf("writing down the suspicious places: %w", err)
	}
	if err := r.note(ctx, "localised", fmt.Sprintf("%d suspicious places", len(r.suspects)), map[string]any{"top": first(r.suspects, 5), "flaky": r.baseline.Flaky}); err != nil {
		return err
	}
	return r.save(ctx, "localised")
}

func (r *run) search(ctx context.Context) search {
	t := r.in.Task
	t.Mending = r.mending()
	return search{
		Task: t, Baseline: r.baseline, Example: r.example, Suspects: r.suspects, Deadline: r.deadline,
		forbidden: r.forbidden,
		progress:  r.telling(ctx, "repair", task.TierMechanical),
	}
}

// telling shows what goes on inside an effect.
func (r *run) telling(ctx context.Context, phase string, tier task.Tier) func(note string) {
	return func(note string) {
		if err := r.show(ctx, phase, tier, note); err != nil {
			r.log.WithError(err).Warn("progress was not stored")
		}
	}
}

// forbidden tells whether a file may not be changed, whoever asks.
func (r *run) forbidden(path string) bool {
	scope, own := r.in.Guard.Scope, r.in.RepoScope
	return r.in.Guard.IsProtected(path) || len(scope) > 0 && !patch.Match(scope, path) || len(own) > 0 && !patch.Match(own, path)
}

// red lists the tests that show the issue on the base: they fail, not by chance,
// and are not aside.
func (r *run) red() []string { return r.baseline.Red() }

// notCheckable turns a refusal of detection into an outcome.
func notCheckable(err error) error {
	if errors.Is(err, verify.ErrUnsupported) {
		return &Stop{task.Rejected, err.Error()}
	}
	return fmt.Errorf("finding out how the repository is tested: %w", err)
}

func whyNoTest(rep verify.Report) string {
	why := "the runners found none"
	if len(rep.Broken) > 0 {
		why = rep.Broken[0].Words()
	}
	for _, c := range rep.Checks {
		if c.Name == verify.TreeCheck {
			why += "; " + c.Detail
		}
	}
	return why
}

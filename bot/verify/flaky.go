package verify

import (
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/fettle-dev/fettle/bot/task"
)

// Unstable are tests whose failure proves nothing. Lists are sorted.
type Unstable struct {
	// Flaky were red in one run of the same tree and not in another. It holds
	// those of Order too.
	Flaky []string `json:"flaky,omitempty"`
	// Order were red each time that everything ran and green each time that they
	// ran by themselves: they depend on what runs before them.
	Order []string `json:"order,omitempty"`
}

const (
	sideBySide = 2                // runs at once
	maxAgain   = 200              // red tests; where more fail, chance is not why
	maxAlone   = 6                // tests that are run again each in a process of its own
	orderTime  = 45 * time.Second // of a whole run that is made again only to name the order as the cause
)

// Flakes runs the red tests of a measured tree again, by themselves, as often
// as Config.Reruns says, side by side. What is green once is unstable; if they
// are few, the last time each runs alone, so that none of them can disturb
// another. Where something was green, everything is run once more, to tell
// chance from the order of the tests. Those that ran out of time or could not
// be built are not run again.
func (v *Verifier) Flakes(ctx context.Context, dir string, base Baseline) (Unstable, error) {
	red := again(base.Report)
	if len(red) == 0 || len(red) > maxAgain {
		return Unstable{}, nil
	}
	var out Unstable
	var groups [][]string
	for n := 1; n <= v.cfg.Reruns; n++ {
		if n == v.cfg.Reruns && n > 1 && len(red) > 1 && len(red) <= maxAlone {
			groups = slices.AppendSeq(groups, slices.Chunk(red, 1))
		} else {
			groups = append(groups, red)
		}
	}
	green := make([][]string, len(groups))
	runs, within := errgroup.WithContext(ctx)
	runs.SetLimit(sideBySide)
	for i, g := range groups {
		runs.Go(func() error {
			now, err := v.repeat(within, dir, base.Report, g)
			green[i] = passed(g, now)
			return err
		})
	}
	if err := runs.Wait(); err != nil {
		return Unstable{}, fmt.Errorf("running the red tests again: %w", err)
	}
	out.Flaky = slices.Concat(green...)
	slices.Sort(out.Flaky)
	out.Flaky = slices.Compact(out.Flaky)
	var err error
	out.Order, err = v.ordered(ctx, dir, base, out.Flaky)
	return out, err
}

// again lists what is worth running again: what failed by itself.
func again(rep Report) []string {
	var out []string
	for _, f := range rep.Failures() {
		if f.Test != "" && f.Kind != task.FailTimeout && f.Kind != task.FailBuild && f.Kind != task.FailSyntax && f.Kind != task.FailImport {
			out = append(out, f.Test)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// repeat runs some tests of a tree by themselves; nil: everything.
func (v *Verifier) repeat(ctx context.Context, dir string, rep Report, ids []string) (Report, error) {
	var picks map[string]selection
	if ids != nil {
		picks = pick(rep.Suites, ids, units(rep))
	}
	return v.inCopy(ctx, dir, func(b box) (Report, error) { return v.run(ctx, b, rep.Suites, picks, v.unlearned()) })
}

// ordered tells which of the tests that were green by themselves are red again
// where everything runs, and green again without it.
func (v *Verifier) ordered(ctx context.Context, dir string, base Baseline, flaky []string) ([]string, error) {
	if len(flaky) == 0 || base.Report.Elapsed > orderTime || len(base.Report.Green())+len(base.Report.Red()) == len(flaky) {
		return nil, nil
	}
	whole, err := v.repeat(ctx, dir, base.Report, nil)
	if err != nil {
		return nil, fmt.Errorf("running everything again: %w", err)
	}
	still := without(flaky, notRed(flaky, whole))
	for n := 0; n < 2 && len(still) > 0; n++ {
		now, err := v.repeat(ctx, dir, base.Report, still)
		if err != nil {
			return nil, fmt.Errorf("running the unstable tests again: %w", err)
		}
		still = passed(still, now)
	}
	return still, nil
}

// passed lists the ids that a run saw and found green: what a selection by name
// did not reach says nothing.
func passed(ids []string, now Report) []string {
	green := setFrom(now.Green())
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !green[id] })
}

// notRed lists the ids that a run did not find red.
func notRed(ids []string, now Report) []string {
	still := setFrom(now.Red())
	var out []string
	for _, id := range ids {
		if !still[id] {
			out = append(out, id)
		}
	}
	return out
}

func without(list, drop []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(id string) bool { return slices.Contains(drop, id) })
}

// Second thoughts about tests that turned red: at most so many tests are looked
// at, and each at most so often on the base.
const (
	maxDoubted = 10
	baseRuns   = 8
)

// acquit takes out of a verdict the tests that turned red by chance. It only
// believes the base: a test that passes again on the changed tree may have
// been made flaky by the change, and so it counts as flaky only if it fails on
// the base as well, in one of several runs by itself.
func (v *Verifier) acquit(ctx context.Context, j Judge, diff []Change, rep Report, out *Verdict) ([]string, error) {
	free, err := v.renamed(ctx, j, diff, rep, out.Missing)
	if err != nil {
		return nil, err
	}
	broken := slices.Clone(out.Broken)
	if len(broken) == 0 || len(broken) > maxDoubted {
		return free, nil
	}
	now, err := v.inCopyOf(ctx, j, nil, rep, broken)
	if err != nil {
		return nil, err
	}
	doubted := slices.DeleteFunc(slices.Clone(broken), func(id string) bool { return !slices.Contains(now.Green(), id) }) // one that was skipped or not seen has not passed
	for n := 0; n < baseRuns && len(doubted) > 0; n++ {
		now, err := v.inCopyOf(ctx, j, diff, rep, doubted)
		if err != nil {
			return nil, err
		}
		fine := notRed(doubted, now)
		free = append(free, without(doubted, fine)...)
		doubted = fine
	}
	slices.Sort(free)
	return free, nil
}

// renamed are the missing tests that another run of the base does not have either,
// though it has as many: their names are made of something that changes, and
// there are no fewer of them now.
func (v *Verifier) renamed(ctx context.Context, j Judge, diff []Change, rep Report, missing []string) ([]string, error) {
	before := len(j.Baseline.Report.Tests)
	if len(missing) == 0 || len(missing) > maxAgain || len(rep.Tests) < before {
		return nil, nil
	}
	base, err := v.inCopyOf(ctx, j, diff, rep, nil)
	if err != nil || len(base.Tests) < before || len(base.Broken) > len(j.Baseline.Report.Broken) {
		return nil, err
	}
	seen := statuses(base)
	return slices.DeleteFunc(slices.Clone(missing), func(id string) bool { return seen[id] != "" }), nil
}

// onTree runs tests on a copy of the judged tree, the base's tests in it, with the changes
// of undo taken back.
func (v *Verifier) onTree(ctx context.Context, j Judge, undo []Change, do func(box) (Report, error)) (Report, error) {
	return v.inCopy(ctx, j.Dir, func(b box) (Report, error) {
		if _, err := restore(b, j.Base, j.support, j.NewTests); err != nil {
			return Report{}, err
		}
		if err := takeBack(b, undo, j.NewTests); err != nil {
			return Report{}, err
		}
		return do(b)
	})
}

// inCopyOf runs some tests there, or with nil all.
func (v *Verifier) inCopyOf(ctx context.Context, j Judge, undo []Change, rep Report, ids []string) (Report, error) {
	return v.onTree(ctx, j, undo, func(b box) (Report, error) {
		picks := everythingOf(j.Baseline.Report.Suites) // they may be a part of the report's
		if ids != nil {
			picks = pick(rep.Suites, ids, units(rep))
		}
		return v.run(ctx, b, rep.Suites, picks, v.unlearned())
	})
}

// takeBack makes changed files what they were, but for some.
func takeBack(b box, diff []Change, but []string) error {
	for _, c := range diff {
		var err error
		switch {
		case slices.Contains(but, c.Path):
		case c.Before == nil:
			err = b.Remove(c.Path)
		default:
			err = b.WriteFile(c.Path, c.Before)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

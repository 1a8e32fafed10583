package verify

import (
	"context"
	"fmt"
	"slices"

	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/detect"
	"github.com/fettle-dev/fettle/bot/verify/impact"
	"github.com/fettle-dev/fettle/bot/verify/runner"
)

// glance runs, before tests that take long, those that show soonest that a change does
// not hold (SPEC C3, C4): the ones to be mended, new ones, and those that the changed
// files call for. It stops where none is mended or one turned red; what it does not see
// is left to the run of all.
func (v *Verifier) glance(ctx context.Context, b box, j Judge, suites []Suite, diff []Change, out *Verdict) (stop bool, err error) {
	if j.Whole || j.Baseline.Report.Elapsed < v.cfg.Glance {
		return false, nil
	}
	t, err := scanBox(b)
	if err != nil {
		return false, err
	}
	wanted, called := j.Baseline.Red(), calledFor(t, j.Baseline, suites, diff)
	ids := slices.Concat(wanted, called)
	rep, err := v.onTree(ctx, j, nil, func(b box) (Report, error) {
		rep, err := v.run(ctx, b, suites, pick(suites, ids, units(j.Baseline.Report)), v.learned(j.Baseline, ids))
		if err != nil {
			return Report{}, err
		}
		more, err := v.runFiles(ctx, b, suites, j.NewTests)
		return rep.with(more), err
	})
	if err != nil {
		return false, fmt.Errorf("running the tests nearest to the change: %w", err)
	}
	red := setFrom(rep.Red())
	stuck := len(j.NewTests) == 0 && len(wanted) > 0 && !slices.ContainsFunc(wanted, func(id string) bool { return !red[id] })
	turned := slices.ContainsFunc(called, func(id string) bool { return red[id] }) ||
		slices.ContainsFunc(rep.Tests, func(x TestResult) bool { return x.Red() && slices.Contains(j.NewTests, x.File) })
	if !stuck && !turned {
		return false, nil
	}
	before, seen := *out, statuses(rep)
	ids = slices.Concat(wanted, slices.DeleteFunc(called, func(id string) bool { return seen[id] == "" }))
	if err := v.weigh(ctx, &j, diff, rep, nil, ids, out); err != nil {
		return false, err
	}
	if !stuck && len(out.Broken) == 0 && !slices.ContainsFunc(out.StillRed, func(id string) bool { return !slices.Contains(wanted, id) }) {
		free := out.Flaky // all that turned red did so by chance
		*out = before
		out.Flaky = free
		return false, nil
	}
	if len(out.Reasons) == 0 {
		out.unfixed("no test that failed before passes now")
	}
	out.Checks = append(out.Checks, task.Check{Name: "all tests", Status: task.CheckSkipped, Detail: "not run: those nearest to the change are red"})
	return true, nil
}

// calledFor are the base's green tests that the changed files call for, as long as they
// are a small part of all.
func calledFor(t *detect.Tree, base Baseline, suites []Suite, diff []Change) (ids []string) {
	var changed []string
	for _, f := range diff {
		changed = append(changed, f.Path)
	}
	const part = 4
	flaky, all, some := setFrom(base.Flaky), 0.0, 0.0
	for _, x := range base.Report.Tests {
		all += x.Seconds
	}
	for _, c := range t.Plan().Commands {
		at := slices.IndexFunc(suites, func(s Suite) bool { return s.Dir == c.Dir && (s.Name == runner.Suite(c.Tool) || s.Name == c.Or) })
		if c.Kind != detect.Test || at < 0 {
			continue
		}
		for _, p := range impact.Select(t, c, impact.Change{Files: changed}).Picks {
			for _, x := range base.Report.Tests {
				own, ok := suiteOf(suites, x.ID)
				if !ok || own.prefix() != suites[at].prefix() || x.File != p.File || x.Status != StatusPassed || flaky[x.ID] {
					continue
				}
				if some += x.Seconds; some > all/part {
					return ids
				}
				ids = append(ids, x.ID)
			}
		}
	}
	return ids
}

package verify

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/task"
)

// TreeCheck is the check that says what the tree names and does not hold.
const TreeCheck = "the tree"

// Baseline is what the tests of the pristine tree showed. It survives a round
// trip through JSON.
type Baseline struct {
	Report Report `json:"report"`
	Unstable
	// Aside are red tests that say nothing of the task: they are known red, and no
	// change is judged by them. Sorted ids.
	Aside []string `json:"aside,omitempty"`
	// Untested says that the tree has no tests and what was looked for; "": it has some.
	Untested string `json:"untested,omitempty"`
}

// Red lists the tests and units whose failure is the task's: red, not by chance,
// and not aside. Sorted.
func (b Baseline) Red() []string {
	no := setFrom(slices.Concat(b.Flaky, b.Aside))
	return slices.DeleteFunc(b.Report.Red(), func(id string) bool { return no[id] })
}

// Baseline is Measure and then Flakes.
func (v *Verifier) Baseline(ctx context.Context, dir string, suites []Suite) (Baseline, error) {
	base, err := v.Measure(ctx, dir, suites)
	if err == nil {
		base.Unstable, err = v.Flakes(ctx, dir, base)
	}
	if err != nil {
		return Baseline{}, err
	}
	return base, nil
}

// Run runs everything on a disposable copy of dir.
func (v *Verifier) Run(ctx context.Context, dir string, suites []Suite) (Report, error) {
	return v.inCopy(ctx, dir, func(b box) (Report, error) { return v.run(ctx, b, suites, nil, v.unlearned()) })
}

// Measure runs everything on a disposable copy of the base; later runs begin with what
// was built for it. The error is of the sandbox or the context: red tests are a result.
func (v *Verifier) Measure(ctx context.Context, dir string, suites []Suite) (Baseline, error) {
	v.warm(ctx, suites)
	var absent []string
	rep, err := v.inCopy(ctx, dir, func(b box) (Report, error) {
		b.Keep() // what is built of the base
		t, err := scanBox(b)
		if err != nil {
			return Report{}, err
		}
		absent = t.Absent()
		return v.run(ctx, b, suites, nil, v.unlearned())
	})
	if err != nil {
		return Baseline{}, fmt.Errorf("running the tests before any change: %w", err)
	}
	rep = rep.withoutUnable()
	for _, words := range absent {
		rep.Checks = append(rep.Checks, task.Check{Name: TreeCheck, Status: task.CheckSkipped, Detail: words})
	}
	return Baseline{Report: rep}, nil
}

// warm has Go's own library compiled once for all runs, where it is asked for.
func (v *Verifier) warm(ctx context.Context, suites []Suite) {
	if v.cfg.Warm && slices.ContainsFunc(suites, func(s Suite) bool { return s.Name == suiteGo }) {
		if err := v.cfg.Sandbox.Warm(ctx); err != nil && ctx.Err() == nil {
			v.log.WithError(err).Warn("the standard library will be compiled again in each run")
		}
	}
}

// withoutUnable takes out the suites that were not able to show a test, if another one
// was: they say nothing of any change. A check tells of each.
func (r Report) withoutUnable() Report {
	if len(r.Tests) == 0 || len(r.Unable) == 0 {
		return r
	}
	unable := setFrom(r.Unable)
	for i, s := range r.Suites { // each has its check
		if !unable[s.prefix()] {
			continue
		}
		r.Checks[i] = task.Check{Name: s.label(), Status: task.CheckSkipped, Detail: "not run: no test was found", Seconds: r.Checks[i].Seconds}
		r.Broken = slices.DeleteFunc(r.Broken, func(f task.Failure) bool {
			its := f.Suite == s.Name && f.Test == "" && (f.Exception == toolMissing || f.Exception == suiteTimeout && strings.HasPrefix(f.Message, s.label()+":"))
			if its {
				r.Checks[i].Detail = "not run: " + f.Message
			}
			return its
		})
	}
	r.Suites = slices.DeleteFunc(slices.Clone(r.Suites), func(s Suite) bool { return unable[s.prefix()] })
	return r
}

// of is what the baseline knows of some suites.
func (b Baseline) of(suites []Suite) Baseline {
	mine := func(id string) bool { _, ok := suiteOf(suites, id); return ok }
	not := func(id string) bool { return !mine(id) }
	r := b.Report
	b.Report.Suites = suites
	b.Report.Tests = slices.DeleteFunc(slices.Clone(r.Tests), func(t TestResult) bool { return !mine(t.ID) })
	b.Report.Broken = slices.DeleteFunc(slices.Clone(r.Broken), func(f task.Failure) bool {
		return f.Test != "" && !mine(f.Test) || !slices.ContainsFunc(suites, func(s Suite) bool { return s.Name == f.Suite })
	})
	b.Flaky, b.Order, b.Aside = slices.DeleteFunc(slices.Clone(b.Flaky), not), slices.DeleteFunc(slices.Clone(b.Order), not), slices.DeleteFunc(slices.Clone(b.Aside), not)
	return b
}

// with adds what another run of the same tree showed of other suites.
func (r Report) with(o Report) Report {
	r.Tests = append(slices.Clone(r.Tests), o.Tests...)
	r.Broken = append(slices.Clone(r.Broken), o.Broken...)
	r.Checks = append(slices.Clone(r.Checks), o.Checks...)
	r.Told = append(slices.Clone(r.Told), o.Told...)
	r.Unable = append(slices.Clone(r.Unable), o.Unable...)
	r.Elapsed += o.Elapsed
	slices.SortStableFunc(r.Tests, func(a, b TestResult) int { return strings.Compare(a.ID, b.ID) })
	slices.SortStableFunc(r.Broken, func(a, b task.Failure) int { return strings.Compare(a.Test, b.Test) })
	return r
}

// unlearned are the limits while nothing is known of the tests.
func (v *Verifier) unlearned() limits {
	return limits{test: v.cfg.TestTimeout, wall: v.cfg.SuiteTimeout, grace: 5 * time.Second}
}

// inCopy does something with a disposable copy of dir.
func (v *Verifier) inCopy(ctx context.Context, dir string, do func(box) (Report, error)) (Report, error) {
	b, err := v.open(ctx, dir)
	if err != nil {
		return Report{}, err
	}
	defer b.Close()
	return do(b)
}

// units are the ids of files, classes and packages among what is broken.
func units(r Report) map[string]bool {
	out := map[string]bool{}
	for _, f := range r.Broken {
		if f.Test != "" {
			out[f.Test] = true
		}
	}
	return out
}

// pick groups ids by suite, as native ids.
func pick(suites []Suite, ids []string, unit map[string]bool) map[string]selection {
	out := map[string]selection{}
	for _, id := range ids {
		s, ok := suiteOf(suites, id)
		if !ok {
			continue
		}
		sel := out[s.prefix()]
		if native := strings.TrimPrefix(id, s.prefix()); unit[id] {
			sel.units = append(sel.units, native)
		} else {
			sel.tests = append(sel.tests, native)
		}
		out[s.prefix()] = sel
	}
	return out
}

// learned are the limits after a baseline: what took half a second before
// should not take a minute now.
func (v *Verifier) learned(base Baseline, only []string) limits {
	lim := v.unlearned()
	slowest := 0.0
	sums := map[string]float64{}
	for _, t := range base.Report.Tests {
		if only != nil && !slices.Contains(only, t.ID) || t.Failure != nil && t.Failure.Kind == task.FailTimeout {
			continue
		}
		slowest = max(slowest, t.Seconds)
		if t.Suite == suiteNode || t.Suite == suiteGo { // limited as a whole
			sums[t.Suite+t.File] += t.Seconds
			slowest = max(slowest, sums[t.Suite+t.File])
		}
	}
	// Loading a test's process is part of what node's limit covers, on a busy machine too.
	lim.test = min(max(time.Duration(slowest*8*float64(time.Second)), 6*time.Second), max(lim.test, time.Duration(slowest*3*float64(time.Second))))
	if only != nil {
		lim.grace = 2 * time.Second
	}
	return lim
}

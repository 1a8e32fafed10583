package verify

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/danger"
	"github.com/fettle-dev/fettle/bot/verify/detect"
	"github.com/fettle-dev/fettle/bot/verify/parse"
	"github.com/fettle-dev/fettle/bot/verify/reach"
)

// Judge asks for a verdict on a changed tree.
type Judge struct {
	Dir      string // the changed tree; it is not written to
	Base     fs.FS  // the pristine base
	Baseline Baseline
	NewTests []string // paths of added test files, which are kept and must pass
	Examined bool     // the mended tests were cross-examined before, with another set of new tests
	Whole    bool     // run all tests, even where those nearest to the change stay red
	Ahead    *Report  // nil, or what Ahead showed of Dir with Base: all tests are not run again
	Issue    string   // its title and text: what a change must not write down as answers
	Passed   func()   // nil, or called where the tests are green and only the mended ones have still to be examined

	support map[string]bool // files of the base that only its tests stand on
}

// Verdict says what the evidence shows. Lists are sorted ids of tests or units.
type Verdict struct {
	// Green: at least one test ran, something red at the base is green now (or a
	// new test passes that fails on the base), nothing green turned red, nothing
	// is missing, nothing new is broken.
	Green    bool           `json:"green"`
	Fixed    []string       `json:"fixed"`
	Broken   []string       `json:"broken"`
	StillRed []string       `json:"still_red"`
	Besides  []string       `json:"besides,omitempty"` // aside at the base, green now: no proof of anything
	Missing  []string       `json:"missing"`           // green at the base, now not seen to run and pass
	Failures []task.Failure `json:"failures"`
	Checks   []task.Check   `json:"checks"`
	Reasons  []string       `json:"reasons"`           // why it is not green, in words
	Unfixed  bool           `json:"unfixed,omitempty"` // one of the reasons is that no test turned green
	Elapsed  time.Duration  `json:"elapsed"`
	// Flaky turned red by chance: they fail on the base now and then as well.
	Flaky []string `json:"flaky,omitempty"`
	// Grade says how far a green verdict can be believed, Doubts what a person has
	// to decide first.
	Grade  Grade    `json:"grade,omitempty"`
	Doubts []string `json:"doubts,omitempty"`
	// Reach is what the change newly reaches for beyond its own work, such as
	// frames of its callers or its own process: a person has to look at it.
	Reach []reach.Finding `json:"reach,omitempty"`
	// Dangers are lines by which the change can do harm, whatever the tests say: a
	// person has to look at each.
	Dangers []danger.Finding `json:"dangers,omitempty"`
	// Restored are the tests and test configuration that the tree had changed,
	// added or removed; the verdict is about the base's version of them.
	Restored []string `json:"restored,omitempty"`
}

// Ahead runs all tests of a changed tree as Judge does, with the base's tests and test
// configuration put back. It needs no baseline, so both can run at once.
func (v *Verifier) Ahead(ctx context.Context, dir string, base fs.FS, suites []Suite) (Report, error) {
	support, err := code.TestSupport(ctx, base)
	if err != nil {
		return Report{}, fmt.Errorf("looking for what only tests use: %w", err)
	}
	v.warm(ctx, suites)
	rep, err := v.inCopy(ctx, dir, func(b box) (Report, error) {
		if _, err := restore(b, base, support, nil); err != nil {
			return Report{}, err
		}
		return v.run(ctx, b, suites, nil, v.unlearned())
	})
	if err != nil {
		return rep, fmt.Errorf("running the tests on the changed tree: %w", err)
	}
	return rep, nil
}

// Judge judges on a disposable copy of the tree, with the base's tests and
// test configuration put back. The error is of the sandbox, the base or the
// context; whatever is wrong with the patch is in the verdict.
func (v *Verifier) Judge(ctx context.Context, j Judge) (Verdict, error) {
	begun := v.clock()
	b, err := v.open(ctx, j.Dir)
	if err != nil {
		return Verdict{}, fmt.Errorf("judging: %w", err)
	}
	defer b.Close()
	var out Verdict
	if j.support, err = code.TestSupport(ctx, j.Base); err != nil {
		return Verdict{}, fmt.Errorf("judging: looking for what only tests use: %w", err)
	}
	if out.Restored, err = restore(b, j.Base, j.support, j.NewTests); err != nil {
		return Verdict{}, fmt.Errorf("judging: %w", err)
	}
	diff, err := changes(b, j.Base)
	if err != nil {
		return Verdict{}, fmt.Errorf("judging: looking at what changed: %w", err)
	}
	if err := errors.Join(v.inspect(ctx, b, j, diff, &out), out.inlineRestored(ctx, diff)); err != nil {
		return Verdict{}, err
	}
	if err := findDangers(ctx, j, diff, &out); err != nil {
		return Verdict{}, fmt.Errorf("judging: %w", err)
	}
	if len(out.Reasons) == 0 {
		if err := v.evidence(ctx, b, j, diff, &out); err != nil {
			return Verdict{}, fmt.Errorf("judging: %w", err)
		}
	}
	out.Green = len(out.Reasons) == 0
	if out.Green {
		forgive(out.Checks, len(out.StillRed))
		if err := out.twins(ctx, diff); err != nil {
			return Verdict{}, fmt.Errorf("judging: %w", err)
		}
	}
	out.Elapsed = v.clock().Sub(begun)
	return out, nil
}

// unfixed is the reason that no test turned green, in words.
func (out *Verdict) unfixed(words string) {
	out.Reasons, out.Unfixed = append(out.Reasons, words), true
}

// OnlyUnfixed tells that nothing speaks against the change but that no test turned green.
func (out *Verdict) OnlyUnfixed() bool { return out.Unfixed && len(out.Reasons) == 1 }

// twins doubts a function that does what one beside it does now.
func (out *Verdict) twins(ctx context.Context, diff []Change) error {
	for _, f := range diff {
		if f.Before == nil || f.After == nil || code.IsTest(f.Path) {
			continue
		}
		all, err := code.Twins(ctx, f.Path, f.Before, f.After)
		if err != nil {
			return err
		}
		for _, t := range all {
			out.Doubts = append(out.Doubts, t.String())
		}
	}
	return nil
}

// forgive: in a green verdict what is red was red before. It is told in the
// check's words and not held against the change.
func forgive(checks []task.Check, red int) {
	for i := range checks {
		if checks[i].Status == task.CheckFailed && red > 0 {
			checks[i].Status = task.CheckKnown
			checks[i].Detail += "; what fails here failed before the change too"
		}
	}
}

// inspect looks at the changed files before anything is run.
func (v *Verifier) inspect(ctx context.Context, b box, j Judge, diff []Change, out *Verdict) error {
	begun := v.clock()
	c := task.Check{Name: "syntax", Status: task.CheckPassed}
	t, err := scanBox(b)
	if err != nil {
		return err
	}
	dirs := importDirs(t, j.Baseline.Report.Suites)
	for _, f := range diff {
		if f.After == nil {
			continue
		}
		errs, err := code.Check(ctx, f.Path, f.After)
		if err != nil {
			return fmt.Errorf("checking the syntax of %s: %w", f.Path, err)
		}
		if len(errs) > 0 {
			if was, err := code.Check(ctx, f.Path, f.Before); f.Before == nil || err != nil || len(was) == 0 {
				c.Status = task.CheckFailed
				c.Detail = fmt.Sprintf("%s:%d: %s", f.Path, errs[0].Line, errs[0].Message)
				out.Reasons = append(out.Reasons, "syntax error in "+c.Detail)
				out.Failures = append(out.Failures, parse.Finish(task.Failure{Kind: task.FailSyntax, Exception: "SyntaxError",
					File: f.Path, Line: errs[0].Line, Message: errs[0].Message}))
			}
		}
		if slices.Contains(j.NewTests, f.Path) {
			continue
		}
		found, err := reach.New(ctx, f.Path, f.Before, f.After)
		if err != nil {
			return fmt.Errorf("looking at what %s reaches for: %w", f.Path, err)
		}
		out.Reach = append(out.Reach, found...)
		why := javaShadows(f)
		if f.Before == nil && why == "" {
			why = shadows(f.Path, dirs)
		}
		if why != "" {
			out.Reasons = append(out.Reasons, why)
		}
	}
	c.Seconds = v.clock().Sub(begun).Seconds()
	out.Checks = append(out.Checks, c)
	return nil
}

// evidence runs the tests and compares with the baseline.
func (v *Verifier) evidence(ctx context.Context, b box, j Judge, diff []Change, out *Verdict) error {
	suites := j.Baseline.Report.Suites
	if len(j.NewTests) > 0 {
		var err error
		if suites, err = v.withNew(b, suites, j.NewTests); err != nil {
			return err
		}
	}
	e := v.examination(j, suites, diff)
	defer e.dismiss()
	e.expect(ctx)
	if stop, err := v.glance(ctx, b, j, suites, diff, out); err != nil || stop {
		return err
	}
	before, lim, whole := *out, v.learned(j.Baseline, nil), j.Baseline
	var picks map[string]selection
	near, far := concerned(j, suites, diff)
	ahead := j.Ahead != nil && slices.EqualFunc(suites, j.Ahead.Suites, func(a, b Suite) bool { return a.prefix() == b.prefix() })
	if ahead {
		far = nil
	}
	if len(far) > 0 {
		j.Baseline, picks = whole.of(near), everythingOf(near)
	}
	var rep Report
	var err error
	if ahead {
		rep = *j.Ahead
	} else if rep, err = v.run(ctx, b, suites, picks, lim); err != nil {
		return err
	}
	if err := v.weigh(ctx, &j, diff, rep, far, nil, out); err != nil {
		return err
	}
	if len(far) > 0 && len(out.Reasons) == 0 && (len(out.Fixed) > 0 || len(j.NewTests) > 0) {
		more, err := v.run(ctx, b, suites, everythingOf(far), lim)
		if err != nil {
			return err
		}
		whole.Flaky = append(slices.Clone(whole.Flaky), out.Flaky...) // what was acquitted is so
		free := out.Flaky
		rep, j.Baseline, *out = rep.with(more), whole, before
		out.Flaky = free
		if err := v.weigh(ctx, &j, diff, rep, nil, nil, out); err != nil {
			return err
		}
	}
	if j.Baseline.Untested != "" {
		out.Doubts = append(out.Doubts, "the repository has no tests of its own: the test that comes with this change is all that speaks for it, and nothing shows that what worked before still does")
	}
	if len(j.NewTests) > 0 {
		err = v.judgeNew(ctx, j, suites, diff, rep, out)
	} else if len(out.Fixed) == 0 {
		out.unfixed("no test that failed before passes now")
	}
	if err != nil || len(out.Reasons) > 0 {
		return err
	}
	if j.Passed != nil {
		j.Passed()
	}
	if err := e.examine(ctx, rep, out); err != nil {
		return fmt.Errorf("cross-examining the mended tests: %w", err)
	}
	if len(j.NewTests) > 0 && !j.Examined && len(out.Reasons) == 0 {
		return v.disguise(ctx, j, diff, out)
	}
	return nil
}

// weigh holds a report against the baseline. What turned red by chance is acquitted;
// left are suites that were not run, only the tests that were asked for, nil for all.
func (v *Verifier) weigh(ctx context.Context, j *Judge, diff []Change, rep Report, left []Suite, only []string, out *Verdict) error {
	out.Checks = append(out.Checks, rep.Checks...)
	for _, s := range left {
		out.Checks = append(out.Checks, task.Check{Name: s.label(), Status: task.CheckSkipped, Detail: "not run: the suites nearer to the change are not green yet"})
	}
	for _, c := range j.Baseline.Report.Checks {
		if c.Status == task.CheckSkipped { // a suite that judges nothing
			out.Checks = append(out.Checks, c)
		}
	}
	seen := *out
	compare(j.Baseline, rep, only, j.NewTests, out)
	free, err := v.acquit(ctx, *j, diff, rep, out)
	if err != nil {
		return fmt.Errorf("running again what turned red: %w", err)
	}
	if len(free) > 0 {
		*out = seen
		j.Baseline.Flaky = append(slices.Clone(j.Baseline.Flaky), free...)
		out.Flaky = append(out.Flaky, free...)
		compare(j.Baseline, rep, only, j.NewTests, out)
	}
	return nil
}

// concerned parts the suites: near are those whose tests are to be mended, or in whose
// folder something was changed. The others are run where these hold.
func concerned(j Judge, suites []Suite, diff []Change) (near, far []Suite) {
	red := j.Baseline.Red()
	for _, s := range suites {
		holds := func(p string) bool { // no suite lies deeper
			return detect.Within(p, s.Dir) && !slices.ContainsFunc(suites, func(o Suite) bool { return o.Dir != s.Dir && detect.Within(o.Dir, s.Dir) && detect.Within(p, o.Dir) })
		}
		if slices.ContainsFunc(red, func(id string) bool { return strings.HasPrefix(id, s.prefix()) }) ||
			slices.ContainsFunc(diff, func(f Change) bool { return holds(f.Path) }) || slices.ContainsFunc(j.NewTests, holds) {
			near = append(near, s)
		} else {
			far = append(far, s)
		}
	}
	if len(near) == 0 {
		return suites, nil
	}
	return near, far
}

// everythingOf picks some suites as a whole.
func everythingOf(suites []Suite) map[string]selection {
	out := map[string]selection{}
	for _, s := range suites {
		out[s.prefix()] = selection{all: true}
	}
	return out
}

// withNew adds the suites that run the new test files and that nothing ran before.
func (v *Verifier) withNew(b box, suites []Suite, files []string) ([]Suite, error) {
	t, err := scanBox(b)
	if err != nil {
		return nil, err
	}
	out := slices.Clone(suites)
	for _, s := range v.suites(t, t.Plan()) {
		same := func(o Suite) bool {
			return o.Kind == s.Kind && (o.Name == s.Name || s.Kind != "javascript" && s.Kind != "ruby") && (o.Dir == s.Dir || o.Dir == "." && s.Kind != "go")
		}
		owns := func(p string) bool { return s.runs(p) && detect.Within(p, s.Dir) }
		if slices.ContainsFunc(files, owns) && !slices.ContainsFunc(suites, same) {
			out = append(out, s)
		}
	}
	return out, nil
}

// judgeNew: the new tests must be seen to pass, and without another proof to
// fail on the base.
func (v *Verifier) judgeNew(ctx context.Context, j Judge, suites []Suite, diff []Change, rep Report, out *Verdict) error {
	var passed []string
	for _, p := range j.NewTests {
		ids := idsIn(rep, suites, p, StatusPassed)
		if len(ids) == 0 {
			out.Missing = append(out.Missing, p)
			out.Reasons = append(out.Reasons, "no test of the new "+p+" was seen to run and pass")
		}
		passed = append(passed, ids...)
	}
	if len(out.Fixed) > 0 || len(out.Reasons) > 0 {
		return nil
	}
	red, units, err := v.redOnBase(ctx, j, suites, diff)
	if err != nil {
		return fmt.Errorf("running the new tests on the base: %w", err)
	}
	for _, id := range passed {
		if slices.Contains(red, id) || slices.ContainsFunc(units, func(u string) bool { return InUnit(u, id) }) {
			out.Fixed = append(out.Fixed, id)
		}
	}
	if len(out.Fixed) == 0 {
		out.unfixed("no test that fails on the base passes now; the new tests pass on the base too, or do not run there")
	}
	return nil
}

// redOnBase runs the new tests with every other change taken back.
func (v *Verifier) redOnBase(ctx context.Context, j Judge, suites []Suite, diff []Change) (tests, units []string, err error) {
	added, err := AddedBy(ctx, diff)
	if err != nil {
		return nil, nil, err
	}
	rep, err := v.onTree(ctx, j, diff, func(b box) (Report, error) { return v.runFiles(ctx, b, suites, j.NewTests) })
	tests, units = added.Red(rep)
	return tests, units, err
}

// idsIn lists the tests of a file that ended with the status. For Go the file
// of a test is known by its function.
func idsIn(rep Report, suites []Suite, p, status string) []string {
	var out []string
	for _, t := range rep.Tests {
		s, ok := suiteOf(suites, t.ID)
		if ok && t.Status == status && (t.File == p || strings.HasPrefix(strings.TrimPrefix(t.ID, s.prefix()), detect.From(s.Dir, p)+"::")) {
			out = append(out, t.ID)
		}
	}
	return out
}

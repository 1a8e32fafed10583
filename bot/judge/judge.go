package judge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/regular"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
)

// Bounds beyond which a change is not looked at in all ways, in changed lines.
const (
	tooLarge = 20_000 // its text is not read
	large    = 3_000  // of code: nothing is planted into it, and calls are not compared
)

// run is one judgement.
type run struct {
	*Judge
	in  Input
	rep *Report
	why map[Judgement][]string // what lowered the judgement, and to what

	c                      change
	product, tests, config []verify.Change
	root                   *os.Root // of the tree that holds
	before                 fs.FS    // the code before the change, with its tests
	runs
	verdict   verify.Verdict
	theirs    bool            // the change's own settings of test runners stand in both trees
	worthless map[string]bool // names of changed tests that assert nothing of the project
	good      []string        // what speaks for the change
	reused    bool            // the baseline was known from earlier
	anew      bool            // and is not taken from there
	planted   []fault         // what was planted, with what came of it
}

// runs are what all tests showed.
type runs struct {
	base     verify.Baseline
	ahead    *verify.Report // of the change; nil: it is not run for want of code
	was, now verify.Report  // the tests as they were that the change alters or deletes, on both sides
}

// Judge judges a change. The error is of the sandbox, of a tree or of the context:
// whatever is wrong with the change is in the report.
func (j *Judge) Judge(ctx context.Context, in Input) (Report, error) {
	begun := j.cfg.Now()
	r := &run{Judge: j, in: in, why: map[Judgement][]string{}, worthless: map[string]bool{}, rep: &Report{
		Judgement: Proven, Reasons: []string{}, Survivors: []Survivor{}, Findings: []Finding{}, Behaviour: []task.Behaviour{}, Files: []File{}, Checks: []task.Check{},
		Tests: Tests{Fixed: []Test{}, Broken: []Test{}, New: []Test{}, Altered: []Test{}, Flaky: []Test{}},
		Base:  in.Base.BaseCommit(), Head: in.Head.BaseCommit(),
	}}
	if in.Progress == nil {
		r.in.Progress = func(string) {}
	}
	err := r.work(ctx)
	if err == nil && in.Tests {
		err = r.offer(ctx)
	}
	if err == nil {
		err = r.second(ctx)
	}
	if r.root != nil {
		err = errors.Join(err, r.root.Close())
	}
	if err != nil {
		return *r.rep, fmt.Errorf("judging the change: %w", err)
	}
	for _, level := range []Judgement{Dangerous, Refuted, Unproven, Plausible} {
		r.rep.Reasons = append(r.rep.Reasons, r.why[level]...)
	}
	r.rep.Reasons = append(r.rep.Reasons, r.good...)
	if r.rep.Risk.Reasons == nil {
		r.rep.Risk.Reasons = []string{}
	}
	slices.SortStableFunc(r.rep.Findings, func(a, b Finding) int { return cmp.Or(strings.Compare(a.Path, b.Path), a.Line-b.Line) })
	r.rep.Reused = r.reused
	r.rep.Seconds = j.cfg.Now().Sub(begun).Seconds()
	return *r.rep, nil
}

// lower says why the change proves no more than a judgement.
func (r *run) lower(to Judgement, format string, args ...any) {
	words := fmt.Sprintf(format, args...)
	if !slices.Contains(r.why[to], words) {
		r.why[to] = append(r.why[to], words)
	}
	if ranks[to] > ranks[r.rep.Judgement] {
		r.rep.Judgement = to
	}
}

func (r *run) say(format string, args ...any) { r.good = append(r.good, fmt.Sprintf(format, args...)) }

func (r *run) found(rule, path string, line int, format string, args ...any) {
	f := Finding{rule, path, line, fmt.Sprintf(format, args...)}
	if !slices.Contains(r.rep.Findings, f) {
		r.rep.Findings = append(r.rep.Findings, f)
	}
}

func (r *run) work(ctx context.Context) error {
	r.in.Progress("reading the change")
	var err error
	if r.c, err = changed(ctx, r.in.Base, r.in.Head); err != nil {
		return err
	}
	for _, f := range r.c.files {
		status := "modified"
		switch {
		case f.Before == nil:
			status = "added"
		case f.After == nil:
			status = "deleted"
		}
		r.rep.Files = append(r.rep.Files, File{f.Path, status, f.kind})
	}
	r.product, r.tests, r.config = r.c.of(KindProduct, KindGenerated), r.c.of(KindTest), r.c.of(KindConfig)
	if len(r.c.files) == 0 {
		r.lower(Unproven, "nothing is changed: both states hold the same files")
		return nil
	}
	if err := r.text(ctx); err != nil {
		return err
	}
	switch {
	case r.c.only(KindDocs):
		r.lower(Plausible, "only documentation is changed: there is nothing that tests could show")
		return nil
	case r.c.only(KindLock, KindDocs):
		r.lower(Unproven, "only lock files are changed: what they pin is not installed here, so no test says anything of it")
		return nil
	case r.c.only(KindBinary, KindDocs, KindLock):
		r.lower(Unproven, "only binary files are changed: nothing here can read them, and no test is known to")
		return nil
	case r.c.only(KindCI, KindDocs, KindLock):
		r.lower(Unproven, "only what CI runs is changed: the project's tests do not run it")
		return nil
	case r.c.only(KindCI, KindBinary, KindLink, KindMode, KindSubmodule, KindDocs, KindLock):
		r.lower(Unproven, "neither code nor tests are changed, and no test is known to say anything of what is (%s)", r.c.files[0].Path)
		return nil
	case r.c.only(KindGenerated, KindDocs, KindLock):
		r.lower(Unproven, "only generated code is changed: judge what it is generated from")
	}
	if ok, err := r.onBase(ctx); err != nil || !ok {
		return err
	}
	if len(r.product)+len(r.config) == 0 {
		r.testsAlone()
		return nil
	}
	if err := r.evidence(ctx); err != nil {
		return err
	}
	if err := r.weigh(ctx); err != nil {
		return err
	}
	if ranks[r.rep.Judgement] >= ranks[Refuted] && !r.verdict.Green {
		return nil
	}
	if err := r.stated(ctx); err != nil {
		return err
	}
	if n := lines(r.product); n > large {
		r.lower(Plausible, "%d lines of code are changed: too many to plant faults into and to compare calls", n)
		return nil
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	compared := r.behaviour(ctx) // beside the rest
	if r.verdict.Green || r.in.Tests && r.testable() {
		err := r.disguised(ctx)
		if err == nil {
			err = r.faults(ctx)
		}
		if err != nil {
			stop()
			_ = compared()
			return err
		}
	}
	return compared()
}

// onBase puts the change's tests over the code before it and runs all there. It tells
// whether there is anything to run.
func (r *run) onBase(ctx context.Context) (bool, error) {
	if r.root == nil {
		var err error
		if r.root, err = os.OpenRoot(r.in.Base.Dir()); err != nil {
			return false, err
		}
		r.before = regular.FS(r.root)
	}
	files := version(r.tests, true)
	if r.theirs {
		for p, data := range version(r.config, true) {
			files[p] = data
		}
	}
	if err := writeOver(r.root, files, r.c.exec); err != nil {
		return false, err
	}
	suites, err := r.cfg.Verifier.Detect(r.before)
	if errors.Is(err, verify.ErrNoTests) || errors.Is(err, verify.ErrUnsupported) {
		r.lower(Unproven, "there is nothing to judge it by: %v", err)
		return false, nil
	} else if err != nil {
		return false, err
	}
	r.in.Progress("running the change's tests on the code before it and with it")
	if r.runs, err = r.both(ctx, suites); err != nil {
		return false, err
	}
	r.rep.Suite = r.base.Report.Elapsed.Seconds()
	if len(r.base.Report.Tests) == 0 && len(r.base.Report.Broken) > 0 {
		added, err := verify.AddedBy(ctx, r.product)
		if err != nil {
			return false, err
		}
		f := r.base.Report.Broken[0]
		if _, units := added.Red(r.base.Report); len(units) > 0 {
			r.lower(Plausible, "no test can be run on the code before the change, for want of what the change adds (%s)", first(f.Message))
		} else {
			r.lower(Unproven, "no test can be run on the code before the change (%s): %s", f.Kind, first(f.Message))
		}
	}
	for _, id := range r.base.Flaky {
		why := "it was red in one run of the code before the change and not in another"
		if slices.Contains(r.base.Order, id) {
			why = "it depends on the tests that run before it"
		}
		r.rep.Tests.Flaky = append(r.rep.Tests.Flaky, Test{ID: id, Why: why, Command: r.command(id)})
		if r.touched(id) {
			r.lower(Plausible, "%s, a test that the change brings or changes, is not always the same: %s", id, why)
		}
	}
	return true, nil
}

// both runs all tests on both sides, side by side.
func (r *run) both(ctx context.Context, suites []verify.Suite) (out runs, err error) {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(sideBySide)
	group.Go(func() (err error) { out.base, err = r.baseline(ctx, suites); return err })
	if len(r.product)+len(r.config) > 0 {
		group.Go(func() error {
			rep, err := r.cfg.Verifier.Ahead(ctx, r.in.Head.Dir(), r.before, suites)
			out.ahead = &rep
			return err
		})
		group.Go(func() (err error) { out.now, err = r.known(ctx, r.in.Head.Dir()); return err })
	}
	group.Go(func() (err error) { out.was, err = r.known(ctx, r.in.Base.Dir()); return err })
	return out, group.Wait()
}

// testsAlone judges a change of tests: there is no code that they could prove.
func (r *run) testsAlone() {
	old := r.was
	for _, f := range r.base.Report.Failures() {
		if f.Test != "" && r.touched(f.Test) && !slices.Contains(r.base.Flaky, f.Test) && !slices.Contains(old.Red(), f.Test) {
			r.rep.Tests.Broken = append(r.rep.Tests.Broken, Test{ID: f.Test, Why: first(f.Message), Command: r.command(f.Test)})
		}
	}
	gone := without(old.Green(), append(r.base.Report.Green(), r.base.Report.Red()...))
	r.newTests(old)
	switch {
	case len(r.rep.Tests.Broken) > 0:
		r.lower(Refuted, "a test that the change brings or changes fails: %s (%s)", r.rep.Tests.Broken[0].ID, r.rep.Tests.Broken[0].Why)
	case len(gone) > 0:
		r.lower(Unproven, "only tests are changed, and %s that passed before is gone, first %s", task.Count(len(gone), "test"), gone[0])
	case len(r.worthless) > 0:
		r.lower(Unproven, "only tests are changed, and there is one that asserts nothing of the project: %s", sorted(r.worthless)[0])
	default:
		r.lower(Plausible, "only tests are changed: they pass, and there is no code whose change they could prove")
	}
}

// evidence has the code after the change judged by its tests. Where it holds only with
// the change's own settings of test runners, it is judged by these, and said.
func (r *run) evidence(ctx context.Context) error {
	judged := func() (err error) {
		r.in.Progress("asking the mended tests")
		r.verdict, err = r.cfg.Verifier.Judge(ctx, verify.Judge{Dir: r.in.Head.Dir(), Base: r.before, Baseline: r.base, Issue: r.issue(), Whole: true, Ahead: r.ahead})
		return err
	}
	if err := judged(); err != nil {
		return err
	}
	if same, err := r.holds(ctx); err != nil {
		return err
	} else if !same {
		r.anew, r.rep.Tests.Flaky = true, []Test{}
		ok, err := r.onBase(ctx)
		if err == nil && ok {
			err = judged()
		}
		if err != nil || !ok {
			return err
		}
	}
	if r.verdict.Green || len(r.config) == 0 || len(r.verdict.Reach) > 0 {
		return nil
	}
	was, seen, rep, why := r.verdict, r.runs, *r.rep, maps.Clone(r.why)
	r.theirs = true
	r.rep.Tests.Flaky = []Test{}
	ok, err := r.onBase(ctx)
	if err == nil && ok {
		err = judged()
	}
	if err != nil {
		return err
	}
	if !ok || !r.verdict.Green { // all as it was, the tree too
		r.verdict, r.runs, *r.rep, r.why, r.theirs = was, seen, rep, why, false
		return writeOver(r.root, version(r.config, false), nil)
	}
	r.lower(Plausible, "the tests hold only with the change's own settings of the test runner (%s): with those before it, %s", r.config[0].Path, cmp.Or(firstOf(was.Reasons), "they do not"))
	return nil
}

// known runs the tests that were there before and that the change alters or deletes, as
// they were, on a tree.
func (r *run) known(ctx context.Context, dir string) (verify.Report, error) {
	files := version(r.tests, false)
	if dir == r.in.Head.Dir() && !r.theirs || dir == r.in.Base.Dir() && r.theirs {
		for p, data := range version(r.config, false) {
			files[p] = data
		}
	}
	var run []string
	for _, c := range r.tests {
		if c.Before != nil && code.IsTest(c.Path) && code.LanguageOf(c.Path) != code.Unknown {
			run = append(run, c.Path)
		}
	}
	if len(run) == 0 {
		return verify.Report{}, nil
	}
	rep, err := r.cfg.Verifier.Try(ctx, verify.Trial{Dir: dir, Files: files, Tests: run})
	if !errors.Is(err, verify.ErrNoTests) {
		return rep, err
	}
	for _, p := range run { // one of them only helps
		one, err := r.cfg.Verifier.Try(ctx, verify.Trial{Dir: dir, Files: files, Tests: []string{p}})
		if errors.Is(err, verify.ErrNoTests) {
			continue
		}
		if err != nil {
			return rep, err
		}
		rep.Suites = one.Suites
		rep.Tests, rep.Broken = append(rep.Tests, one.Tests...), append(rep.Broken, one.Broken...)
	}
	return rep, nil
}

// stated asks the examples of the documentation, before and after.
func (r *run) stated(ctx context.Context) error {
	broken, mended, _, err := Stated(ctx, r.cfg.Verifier, r.in.Base.BaseFS(), r.in.Head.Dir(), r.product)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		r.say("the examples of the documentation could not be asked: %s", first(err.Error()))
	}
	for _, words := range broken {
		r.lower(Plausible, "%s", words)
	}
	r.good = append(r.good, mended...)
	return nil
}

func (r *run) issue() string { return strings.TrimSpace(r.in.Title + "\n" + r.in.Body) }

func first(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	if len(s) > 200 {
		s = strings.ToValidUTF8(s[:200], "") + "…"
	}
	return s
}

func firstOf(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

func without(list, drop []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(drop, s) })
}

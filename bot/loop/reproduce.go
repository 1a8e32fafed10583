package loop

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/testgen/example"
	"github.com/fettle-dev/fettle/bot/verify/testgen/gate"
)

// exemplify tries, where no red test is known to be the issue's, to make one of
// the examples (SPEC C5). What is found counts as red in the run's baseline and becomes a
// part of every attempt's patch.
func (r *run) exemplify(ctx context.Context) error {
	if err := r.heldBefore(); err != nil {
		return err
	}
	if len(r.state.Example) > 0 {
		r.example = &example.Found{}
		return json.Unmarshal(r.state.Example, r.example)
	}
	if r.needsNoReproduction() {
		return nil
	}
	found, err := r.recorded.exemplify(ctx, r.in.Task, r.in.Guard)
	if err != nil {
		return err
	}
	if found.Path == "" || !r.known(found.Report) {
		if err := r.holds(found); err != nil {
			return err
		}
		return r.note(ctx, "reproduction.none", cmp.Or(r.holdsAlready(), "no example of the issue makes a failing test"), map[string]any{"left": first(found.Left, 5)})
	}
	if err := r.reproducedBy(found); err != nil {
		return err
	}
	return r.note(ctx, "reproduction.made", found.Path+" fails as the issue says", map[string]any{"tests": found.Report.Red(), "left": first(found.Left, 5)})
}

// needsNoReproduction: none is looked for: a red test is known to be the
// issue's, or the run goes on from a saved baseline, with what was found then.
func (r *run) needsNoReproduction() bool {
	return len(r.in.State.Baseline) > 0 || len(r.claims.Mine) > 0 && !r.claims.Unsure
}

// known tells whether the suites that the judge runs hold all tests of a report.
func (r *run) known(rep verify.Report) bool {
	return r.baseline.Untested != "" || !slices.ContainsFunc(rep.Tests, func(t verify.TestResult) bool {
		return !slices.ContainsFunc(r.baseline.Report.Suites, func(s verify.Suite) bool { return strings.HasPrefix(t.ID, s.Name+":"+s.Dir+":") })
	})
}

// reproducedBy makes a test that failed on the base the run's reproduction: it is
// red in its baseline.
func (r *run) reproducedBy(found example.Found) (err error) {
	if r.state.Example, err = json.Marshal(found); err != nil {
		return fmt.Errorf("writing down the reproduction test: %w", err)
	}
	r.example = &found
	if found.By == "" { // a model's test decides nothing about the repository's own
		r.aside()
		if r.state.Claim, err = json.Marshal(r.claims); err != nil {
			return fmt.Errorf("writing down which red tests are the issue's: %w", err)
		}
	}
	if r.baseline.Untested != "" {
		r.baseline.Report.Suites = found.Report.Suites
	}
	r.baseline.Report.Tests = append(r.baseline.Report.Tests, found.Report.Tests...)
	slices.SortStableFunc(r.baseline.Report.Tests, func(a, b verify.TestResult) int { return strings.Compare(a.ID, b.ID) })
	return nil
}

// exampleEdit creates the reproduction test.
func exampleEdit(found *example.Found) task.Edit {
	return task.Edit{Kind: task.EditCreate, Path: found.Path, Code: found.Content}
}

// addExample makes the reproduction test a part of the attempt, as it is: an attempt's
// own edits of it are dropped. A later step finds it in the tree that it builds on.
func (r *run) addExample(a *task.Attempt) {
	if r.example == nil || len(a.Patch.Edits) == 0 {
		return
	}
	theirs := func(p string) bool { return path.Clean(p) == r.example.Path }
	a.Patch.Edits = slices.DeleteFunc(slices.Clone(a.Patch.Edits), func(e task.Edit) bool { return theirs(e.Path) })
	a.NewTests = slices.DeleteFunc(slices.Clone(a.NewTests), theirs)
	if len(a.On) > 0 {
		return
	}
	a.Patch.Edits = append([]task.Edit{exampleEdit(r.example)}, a.Patch.Edits...)
	a.NewTests = append(a.NewTests, r.example.Path)
	if r.example.By == "" {
		a.OwnTests = append(a.OwnTests, r.example.Path)
	}
}

// newTests are the tests that the attempt and what it builds on add.
func (r *run) newTests(a *task.Attempt) []string {
	var out []string
	for _, n := range a.On {
		out = append(out, r.state.Attempts[n-1].NewTests...)
	}
	return append(out, a.NewTests...)
}

// notFound is why a test file is turned down that no suite takes for one.
const notFound = "is not found by any runner: name and place it as the repository's own tests are"

// reproduces runs a new test on the code as it is.
func (h *real) reproduces(ctx context.Context, t trying) (reproduced, error) {
	rep, err := h.Verifier.Try(ctx, verify.Trial{Dir: h.tree.Dir(), Files: map[string][]byte{t.Test.Path: []byte(t.Test.Code)}, Tests: []string{t.Test.Path}})
	if errors.Is(err, verify.ErrNoTests) {
		return reproduced{Not: notFound}, nil
	} else if err != nil {
		return reproduced{}, fmt.Errorf("running the new test on the code as it is: %w", err)
	}
	var added verify.Added
	fails, why := added.Fails(rep)
	if !fails && why != nil && len(why.Missing) > 0 {
		if added, err = h.adds(ctx, t.Patch, t.Guard); err != nil {
			return reproduced{}, fmt.Errorf("reading what the change adds: %w", err)
		}
		fails, why = added.Fails(rep)
	}
	switch {
	case fails:
		return reproduced{}, nil
	case why != nil:
		if other := added.Besides(*why); len(other) > 0 {
			return reproduced{Not: fmt.Sprintf("needs %s, which neither the code as it is nor the change has", strings.TrimPrefix(other[0], "#"))}, nil
		}
		return reproduced{Not: fmt.Sprintf("cannot be run on the code as it is (%s)", why.Words())}, nil
	}
	return reproduced{Not: fmt.Sprintf("does not fail on the code as it is (%d tests seen)", len(rep.Tests))}, nil
}

// adds reads what a patch adds. One that is refused adds nothing: that it is
// refused is told when it is applied.
func (h *real) adds(ctx context.Context, p task.Patch, g patch.Guard) (verify.Added, error) {
	would, err := patch.Preview(ctx, h.tree.Dir(), p, g)
	var refusal *patch.Refusal
	if errors.As(err, &refusal) {
		return verify.Added{}, nil
	} else if err != nil {
		return verify.Added{}, err
	}
	return verify.AddedBy(ctx, would.Changes)
}

const (
	worthless = "the new test is thrown away: "
	// testAlone ends the refusal of an attempt whose test alone is at fault: it is
	// shown to the model, and tells the next attempt that the rest is kept.
	testAlone = ". The rest of the change is kept: answer with a better test alone, or with everything anew"
)

// withKept adds to a test that comes alone the change that the last attempt at
// the step made, if that was refused for its test.
func (r *run) withKept(a *task.Attempt) {
	here := r.here()
	if len(here) == 0 || len(a.NewTests) == 0 || !strings.HasSuffix(here[len(here)-1].Refused, testAlone) {
		return
	}
	isTest := func(tests []string) func(task.Edit) bool {
		return func(e task.Edit) bool { return slices.Contains(tests, path.Clean(e.Path)) }
	}
	if !slices.ContainsFunc(a.Patch.Edits, func(e task.Edit) bool { return !isTest(a.NewTests)(e) }) {
		last := here[len(here)-1]
		kept := slices.DeleteFunc(slices.Clone(last.Patch.Edits), isTest(last.NewTests))
		a.Patch.Edits = append(kept, a.Patch.Edits...)
	}
}

// weigh judges the new tests of a green attempt. refused says that the change
// is not taken with them; a doubt about the issue's own example makes a draft.
func (r *run) weigh(ctx context.Context, a *task.Attempt) (refused bool, err error) {
	if !a.Green || len(a.NewTests) == 0 {
		return false, nil
	}
	w := weighing{New: a.NewTests, Characterises: len(r.red()) > 0, OnBase: r.Reviewer != nil && a.Tier != task.TierMechanical}
	if r.example != nil {
		w.Own = r.example.Path
	}
	got, err := r.recorded.weigh(ctx, w)
	if err != nil {
		return false, err
	}
	a.OnBase = got.OnBase
	if got.Own != nil {
		r.checkExample(a, *got.Own)
	}
	if len(got.Unjudged) > 0 {
		a.Doubts = append(a.Doubts, fmt.Sprintf("how strong the new test %s is was not measured: tests of its language cannot be judged yet", strings.Join(got.Unjudged, ", ")))
	}
	if got.Theirs == nil {
		return false, nil
	}
	return r.checkNew(ctx, a, *got.Theirs)
}

func (h *real) weigh(ctx context.Context, w weighing) (out weighed, err error) {
	own, theirs, changes, err := h.candidates(w)
	if err != nil {
		return out, err
	}
	g := gate.New(gate.Config{Runner: h.Verifier, Now: h.Now, MutantTime: 20 * time.Second, MaxMutants: h.MaxMutants})
	c := gate.Candidate{Dir: h.tree.Dir(), Base: h.tree.BaseFS(), Changes: changes}
	if len(own) > 0 {
		c.Tests = own
		v, err := g.Judge(ctx, c)
		if err != nil {
			return out, fmt.Errorf("judging the reproduction test: %w", err)
		}
		out.Own = &v
	}
	if w.OnBase && len(theirs) > 0 {
		if out.OnBase, err = h.onBase(ctx, theirs, changes); err != nil {
			return out, err
		}
	}
	for _, p := range slices.Sorted(maps.Keys(theirs)) {
		if !gate.Judges(string(code.LanguageOf(p))) {
			out.Unjudged = append(out.Unjudged, p)
			delete(theirs, p)
		}
	}
	if len(theirs) > 0 {
		c.Tests, c.Characterises = theirs, w.Characterises
		v, err := g.Judge(ctx, c)
		if err != nil {
			return out, fmt.Errorf("judging the new tests: %w", err)
		}
		out.Theirs = &v
	}
	return out, nil
}

// onBase runs new tests on the code before the change.
func (h *real) onBase(ctx context.Context, tests map[string][]byte, changes []gate.Change) (*task.NewOnBase, error) {
	files := maps.Clone(tests)
	for _, c := range changes {
		files[c.Path] = c.Before
	}
	rep, err := h.Verifier.Try(ctx, verify.Trial{Dir: h.tree.Dir(), Files: files, Tests: slices.Sorted(maps.Keys(tests))})
	if errors.Is(err, verify.ErrNoTests) {
		return nil, nil //nolint:nilnil // nothing can be said
	} else if err != nil {
		return nil, fmt.Errorf("running the new tests on the code before the change: %w", err)
	}
	out := &task.NewOnBase{Ran: len(rep.Tests), Broken: len(rep.Broken)}
	for _, t := range rep.Tests {
		if t.Red() {
			out.Red++
		}
	}
	return out, nil
}

// candidates are the contents of the test, of the others, and the rest
// of the change.
func (h *real) candidates(w weighing) (own, theirs map[string][]byte, changes []gate.Change, err error) {
	own, theirs = map[string][]byte{}, map[string][]byte{}
	files, err := h.tree.Changes()
	if err != nil {
		return nil, nil, nil, fmt.Errorf("reading the attempt's files: %w", err)
	}
	for _, f := range files {
		switch {
		case f.Path == w.Own:
			own[f.Path] = f.Content
		case slices.Contains(w.New, f.Path):
			theirs[f.Path] = f.Content
		default:
			before, err := h.sources.read(f.Path)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, nil, nil, fmt.Errorf("reading %s of the base: %w", f.Path, err)
			}
			changes = append(changes, gate.Change{Path: f.Path, Before: before, After: f.Content})
		}
	}
	return own, theirs, changes, nil
}

// checkExample tells of the test, and what is doubtful of it.
func (r *run) checkExample(a *task.Attempt, v gate.Verdict) {
	what := "made from the issue's example"
	check := task.Check{Status: task.CheckPassed, Seconds: v.Elapsed.Seconds(), Detail: r.example.Path + ": failed before, passes now"}
	if r.example.By != "" {
		what = "written by " + r.example.By + " before any fix"
		check.Detail = fmt.Sprintf("%s: fails on the base with %s; passes now", r.example.Path, r.example.Fails)
	}
	check.Name = "reproduction test " + what
	a.Doubts = append(a.Doubts, r.example.Doubts...)
	for _, why := range v.Reasons() {
		a.Doubts = append(a.Doubts, "the test "+what+" is weak: "+why)
	}
	switch {
	case v.Score != nil && v.Score.Mutants > 0:
		check.Detail += "; " + v.Score.String()
	case v.Accepted():
		a.Doubts = append(a.Doubts, "no fault could be planted in the changed code, so the strength of the test "+what+" is not known")
	}
	a.Checks = append(a.Checks, check)
}

// checkNew: a model whose tests are worthless is told why and asked again
// once; after that the change stands as a draft where other tests prove it.
func (r *run) checkNew(ctx context.Context, a *task.Attempt, v gate.Verdict) (refused bool, err error) {
	if v.Accepted() {
		if v.Score != nil && v.Score.Mutants > 0 {
			a.Checks = append(a.Checks, task.Check{Name: "strength of the new tests", Status: task.CheckPassed, Seconds: v.Elapsed.Seconds(), Detail: v.Score.String()})
		}
		return false, nil
	}
	why := worthless + strings.Join(first(v.Reasons(), 3), "; ") + testAlone
	if err := r.note(ctx, "test.rejected", why, map[string]any{"attempt": a.Number, "rejections": v.Rejections}); err != nil {
		return false, err
	}
	if len(r.red()) > 0 && r.rejectedAt(a.Tier) > 0 {
		a.Doubts = append(a.Doubts, "the change is proven by other tests, but a new test of it is not worth keeping ("+strings.Join(first(v.Reasons(), 3), "; ")+")")
		return false, nil
	}
	a.Green, a.Refused, a.Diff = false, why, ""
	return true, nil
}

// rejectedAt counts the attempts of a tier whose tests were thrown away.
func (r *run) rejectedAt(tier task.Tier) int {
	n := 0
	for _, a := range r.state.Attempts {
		if a.Tier == tier && strings.HasPrefix(a.Refused, worthless) {
			n++
		}
	}
	return n
}

package loop

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/testgen/characterise"
	"github.com/fettle-dev/fettle/bot/verify/testgen/gate"
)

const (
	// pinTime is what a run must have left, so that tests which nobody asked for
	// never cost its outcome.
	pinTime = 2 * time.Minute
	// pinJudge is how long the base's tests may take, so that they are all run
	// once more with the new file.
	pinJudge  = 5 * time.Second
	pinsCheck = "nominal and edge cases of the changed functions"
)

// pin adds tests that hold on to what the changed functions do (SPEC C5) to a
// green attempt, and notes what they do otherwise than before. Whatever cannot
// be done is a line in the checklist; the attempt stands as it is. Before the
// last step nothing is pinned: the steps to come may change it, and the last one
// sees the functions of all.
func (r *run) pin(ctx context.Context, a *task.Attempt) error {
	if !a.Green || !r.pins || len(r.stepsLeft()) > 0 {
		return nil
	}
	note := task.Check{Name: pinsCheck, Status: task.CheckSkipped}
	if left := r.deadline.Sub(r.now()); left < pinTime {
		note.Detail = fmt.Sprintf("the run had %s left, too little for them", max(0, left).Round(time.Second))
		a.Checks = append(a.Checks, note)
		return nil
	}
	if err := r.progress(ctx, "verify", a.Tier, "pinning what the changed functions do"); err != nil {
		return err
	}
	got, err := r.recorded.pin(ctx, a.Diff, r.pinning(a))
	if err != nil {
		return err
	}
	found := got.Found
	a.Doubts = append(a.Doubts, found.Alike...)
	note.Seconds, a.Behaviour = found.Elapsed.Seconds(), found.Behaviour
	if got.Diff != "" {
		a.Diff, a.Patch.Edits = got.Diff, append(a.Patch.Edits, got.Added.Edits...)
		for _, e := range got.Added.Edits {
			a.NewTests, a.OwnTests = append(a.NewTests, e.Path), append(a.OwnTests, e.Path)
		}
	}
	switch {
	case got.Not != "":
		note.Detail = got.Not
	case len(found.Left) > 0:
		note.Detail = strings.Join(first(found.Left, 2), "; ")
	default:
		note.Detail = "no function of a kind that can be called was changed"
	}
	if got.Not == "" && len(found.Files) > 0 {
		note.Status = task.CheckPassed
		note.Detail = fmt.Sprintf("%d nominal, %d edge in %s", found.Nominal, found.Edge, strings.Join(got.Added.Paths(), ", "))
		if found.Score.Mutants > 0 {
			note.Detail += "; " + found.Score.String()
		}
		if !r.pinning(a).together() {
			note.Detail += fmt.Sprintf("; not run together with the whole suite, which takes %s", r.baseline.Report.Elapsed.Round(time.Second))
		}
	}
	a.Checks = append(a.Checks, note)
	return r.note(ctx, "tests.pinned", note.Detail, map[string]any{"attempt": a.Number, "nominal": found.Nominal, "edge": found.Edge, "left": first(found.Left, 5), "seconds": note.Seconds})
}

// pinning is what the writer of such tests is asked.
type pinning struct {
	Tests    []string // new tests of the attempt
	Baseline verify.Baseline
	Guard    patch.Guard
}

// together: the suite is quick enough to be run once more with the new tests.
func (p pinning) together() bool { return p.Baseline.Report.Elapsed <= pinJudge }

func (r *run) pinning(a *task.Attempt) pinning {
	return pinning{Tests: r.newTests(a), Baseline: r.baseline, Guard: r.guard(a.Tier)}
}

// judging asks for a verdict on the attempt, and says what follows where it is
// green.
func (r *run) judging(a *task.Attempt) judging {
	j := judging{Issue: r.in.Task.Title + "\n" + r.in.Task.Body, Baseline: r.baseline, NewTests: r.newTests(a), Checks: r.checking(), Whole: len(r.stepsLeft()) > 0 || r.in.Task.Follow != nil || r.care.Degraded()}
	if r.pins && len(r.stepsLeft()) == 0 && r.deadline.Sub(r.now()) >= pinTime {
		p := r.pinning(a)
		j.Pins = &p
	}
	return j
}

// pinned is what it wrote; Not says why it was not added.
type pinned struct {
	Found characterise.Found `json:"found"`
	Added task.Patch         `json:"added"`
	Not   string             `json:"not,omitempty"`
	Diff  string             `json:"diff,omitempty"` // of the attempt with the tests
}

// pin writes the tests. What goes wrong with the sandbox here is told and costs
// nothing; only the end of ctx is an error.
func (h *real) pin(ctx context.Context, p pinning) (out pinned, err error) {
	if h.ahead.found != nil {
		out.Found, err = take(&h.ahead.found)
	} else {
		var in characterise.Input
		if in, err = h.characterisable(p); err == nil {
			out.Found, err = h.characterise(ctx, in)
		}
	}
	if err != nil {
		return out, err
	}
	return out, h.addPins(ctx, p, &out)
}

// characterisable is the attempt, as the writer of tests takes it.
func (h *real) characterisable(p pinning) (characterise.Input, error) {
	files, err := h.tree.Changes()
	if err != nil {
		return characterise.Input{}, fmt.Errorf("reading the attempt's files: %w", err)
	}
	in := characterise.Input{Dir: h.tree.Dir(), Suites: p.Baseline.Report.Suites, Tests: p.Tests, Again: p.together(), Allowed: func(name string) bool { return !p.Guard.IsProtected(name) }}
	for _, f := range files {
		if code.IsTest(f.Path) {
			continue
		}
		before, err := h.sources.read(f.Path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return in, fmt.Errorf("reading %s of the base: %w", f.Path, err)
		}
		in.Changes = append(in.Changes, gate.Change{Path: f.Path, Before: before, After: f.Content})
	}
	return in, nil
}

func (h *real) characterise(ctx context.Context, in characterise.Input) (characterise.Found, error) {
	found, err := h.Characteriser.Write(ctx, in)
	switch {
	case ctx.Err() != nil:
		return found, context.Cause(ctx)
	case err != nil:
		h.Log.WithError(err).Warn("no characterisation tests could be made")
		found = characterise.Found{Left: []string{"they could not be made: " + err.Error()}}
	}
	return found, nil
}

// addPins makes the tests a part of the attempt, if the whole tree stays green
// with them.
func (h *real) addPins(ctx context.Context, p pinning, out *pinned) error {
	if len(out.Found.Files) == 0 {
		return nil
	}
	tests := slices.Clone(p.Tests)
	for _, f := range out.Found.Files {
		out.Added.Edits = append(out.Added.Edits, task.Edit{Kind: task.EditCreate, Path: f.Path, Code: f.Content})
		tests = append(tests, f.Path)
	}
	applied, err := patch.Apply(ctx, h.tree.Dir(), out.Added, p.Guard)
	var refusal *patch.Refusal
	switch {
	case errors.As(err, &refusal):
		out.Not = "they were made and may not be added: " + refusal.Error()
		return nil
	case err != nil:
		return fmt.Errorf("adding tests to the attempt: %w", err)
	}
	if p.together() {
		v, err := h.Verifier.Judge(ctx, verify.Judge{Dir: h.tree.Dir(), Base: h.tree.BaseFS(), Baseline: p.Baseline, NewTests: tests, Examined: true})
		if err != nil {
			return fmt.Errorf("running the tests with those added to the attempt: %w", err)
		}
		if !v.Green {
			if err := applied.Rollback(); err != nil {
				return fmt.Errorf("taking tests out of the attempt: %w", err)
			}
			out.Not = "they were made, but the suite is not green with them: " + v.Reasons[0] // red has a reason
			return nil
		}
	}
	if out.Diff, err = h.diff(ctx); err != nil {
		return fmt.Errorf("reading the attempt's diff: %w", err)
	}
	return nil
}

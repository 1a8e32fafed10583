package loop

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/characterise"
	"github.com/fettle-dev/fettle/bot/verify/gate"
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
// be done is a line in the checklist; the attempt stands as it is.
func (r *run) pin(ctx context.Context, a *task.Attempt, newTests []string) error {
	if !a.Green || r.Characteriser == nil {
		return nil
	}
	note := task.Check{Name: pinsCheck, Status: task.CheckSkipped}
	if left := r.deadline.Sub(r.Now()); left < pinTime {
		note.Detail = fmt.Sprintf("the run had %s left, too little for them", max(0, left).Round(time.Second))
		a.Checks = append(a.Checks, note)
		return nil
	}
	if err := r.progress(ctx, "verify", a.Tier, "pinning what the changed functions do"); err != nil {
		return err
	}
	found, err := r.characterise(ctx, a, newTests)
	if err != nil {
		return err
	}
	note.Seconds, a.Behaviour = found.Elapsed.Seconds(), found.Behaviour
	kept, err := r.addPins(ctx, a, newTests, found)
	switch {
	case err != nil:
		return err
	case kept != "":
		note.Detail = kept
	case len(found.Left) > 0:
		note.Detail = strings.Join(first(found.Left, 2), "; ")
	default:
		note.Detail = "no function of a kind that can be called was changed"
	}
	if kept == "" && len(found.Files) > 0 {
		note.Status = task.CheckPassed
		note.Detail = fmt.Sprintf("%d nominal, %d edge in %s", found.Nominal, found.Edge, pinned(found))
		if found.Score.Mutants > 0 {
			note.Detail += "; " + found.Score.String()
		}
	}
	a.Checks = append(a.Checks, note)
	return r.note(ctx, "tests.pinned", note.Detail, map[string]any{"attempt": a.Number, "nominal": found.Nominal, "edge": found.Edge, "left": first(found.Left, 5), "seconds": note.Seconds})
}

func pinned(f characterise.Found) string {
	var paths []string
	for _, file := range f.Files {
		paths = append(paths, file.Path)
	}
	return strings.Join(paths, ", ")
}

// characterise asks for tests of the attempt's functions. What goes wrong with
// the sandbox here is told and costs nothing; only the end of ctx is an error.
func (r *run) characterise(ctx context.Context, a *task.Attempt, newTests []string) (characterise.Found, error) {
	files, err := r.in.Tree.Changes()
	if err != nil {
		return characterise.Found{}, fmt.Errorf("reading the attempt's files: %w", err)
	}
	in := characterise.Input{Dir: r.in.Tree.Dir(), Suites: r.baseline.Report.Suites, Tests: newTests,
		Allowed: func(p string) bool { return !r.in.Guard.IsProtected(p) }}
	for _, f := range files {
		if code.IsTest(f.Path) {
			continue
		}
		before, err := r.sources.read(f.Path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return characterise.Found{}, fmt.Errorf("reading %s of the base: %w", f.Path, err)
		}
		in.Changes = append(in.Changes, gate.Change{Path: f.Path, Before: before, After: f.Content})
	}
	found, err := r.Characteriser.Write(ctx, in)
	switch {
	case ctx.Err() != nil:
		return found, context.Cause(ctx)
	case err != nil:
		r.log.WithError(err).Warn("no characterisation tests could be made")
		return characterise.Found{Left: []string{"they could not be made: " + err.Error()}}, nil
	}
	return found, nil
}

// addPins makes the tests a part of the attempt, if the whole tree stays green
// with them; why says what speaks against it.
func (r *run) addPins(ctx context.Context, a *task.Attempt, newTests []string, found characterise.Found) (why string, err error) {
	if len(found.Files) == 0 {
		return "", nil
	}
	var add task.Patch
	for _, f := range found.Files {
		add.Edits = append(add.Edits, task.Edit{Kind: task.EditCreate, Path: f.Path, Code: f.Content})
		newTests = append(newTests, f.Path)
	}
	applied, err := patch.Apply(ctx, r.in.Tree.Dir(), add, r.guard(a.Tier))
	var refusal *patch.Refusal
	switch {
	case errors.As(err, &refusal):
		return "they were made and may not be added: " + refusal.Error(), nil
	case err != nil:
		return "", ended(ctx, fmt.Errorf("adding tests to attempt %d: %w", a.Number, err))
	}
	if r.baseline.Report.Elapsed <= pinJudge {
		v, err := r.Verifier.Judge(ctx, verify.Judge{Dir: r.in.Tree.Dir(), Base: r.in.Tree.BaseFS(), Baseline: r.baseline, NewTests: newTests})
		if err != nil {
			return "", ended(ctx, fmt.Errorf("running the tests with those added to attempt %d: %w", a.Number, err))
		}
		if !v.Green {
			if err := applied.Rollback(); err != nil {
				return "", fmt.Errorf("taking tests out of attempt %d: %w", a.Number, err)
			}
			return "they were made, but the suite is not green with them", nil
		}
	}
	diff, err := r.in.Tree.Diff(ctx)
	if err != nil {
		return "", ended(ctx, fmt.Errorf("reading the diff of attempt %d: %w", a.Number, err))
	}
	a.Diff, a.Patch.Edits = diff, append(a.Patch.Edits, add.Edits...)
	return "", nil
}

package loop

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/testgen/characterise"
	"github.com/fettle-dev/fettle/bot/verify/testgen/gate"
)

// written tells that the change of the run was written out by a human.
func (r *run) written() bool { return r.in.Task.Follow != nil && r.in.Task.Follow.Edits != nil }

// asked: what a reviewer asks for of a pull request need not be a fault that a test
// shows, such as another name. The tests of the pull request, its own reproduction
// among them, are the base's here: where none of them breaks, the change is as
// proven as before, and the checklist says that no test shows what was asked.
func (r *run) asked(a *task.Attempt, v *verify.Verdict) {
	if r.in.Task.Follow == nil || v.Green || len(r.red()) > 0 || len(v.Missing) > 0 || len(v.Broken) > 0 {
		return
	}
	if !sound(a, *v) {
		return
	}
	v.Green, v.Reasons = true, nil
	v.Checks = append(v.Checks, task.Check{Name: "what the review asks for", Status: task.CheckSkipped, Detail: "no test shows it; every test of the branch passes as before"})
}

// Places says in words which code a text seems to be about, or "".
func (l *Loop) Places(ctx context.Context, in Input, text string) (string, error) {
	h := newReal(l.cfg, in)
	defer h.close()
	about, err := h.concerned(ctx, text)
	return about.words(), err
}

// Pin writes tests that pin what the functions do in which the tree differs from
// an older one, by these paths, and gives them with what there is to say of them.
// They pass with all tests of the tree.
func (l *Loop) Pin(ctx context.Context, in Input, before fs.FS, paths []string) (task.Result, error) {
	res := task.Result{RunID: in.RunID, Task: in.Task, Outcome: task.Rejected, Sandbox: l.cfg.Sandbox}
	if l.cfg.Characteriser == nil {
		res.Reason = "nothing here writes tests"
		return res, nil
	}
	h := newReal(l.cfg, in)
	defer h.close()
	base, err := h.measure(ctx, func(string) {})
	if err != nil {
		return res, err
	}
	ask := characterise.Input{Dir: in.Tree.Dir(), Suites: base.Report.Suites, Again: true, Allowed: func(p string) bool { return !in.Guard.IsProtected(p) }}
	for _, p := range paths {
		was, err := fs.ReadFile(before, p)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return res, fmt.Errorf("reading %s of the base: %w", p, err)
		}
		now, err := fs.ReadFile(in.Tree.BaseFS(), p)
		if err != nil || code.IsTest(p) || patch.Match(in.NeverSend, p) || string(now) == string(was) {
			continue
		}
		ask.Changes = append(ask.Changes, gate.Change{Path: p, Before: was, After: now})
	}
	found, err := h.characterise(ctx, ask)
	if err != nil {
		return res, err
	}
	if len(found.Files) == 0 {
		res.Reason = "no test was written: " + strings.Join(append(first(found.Left, 3), "no changed function is of a kind that can be called with what is seen of it"), "; ")
		return res, nil
	}
	a := task.Attempt{Number: 1, Tier: task.TierMechanical, Green: true,
		Explanation: fmt.Sprintf("Pins what the changed functions do: %s, %s.", task.Count(found.Nominal, "nominal case"), task.Count(found.Edge, "edge case"))}
	for _, f := range found.Files {
		a.Patch.Edits = append(a.Patch.Edits, task.Edit{Kind: task.EditCreate, Path: f.Path, Code: f.Content})
		a.NewTests, a.OwnTests = append(a.NewTests, f.Path), append(a.OwnTests, f.Path)
	}
	if _, err := patch.Apply(ctx, in.Tree.Dir(), a.Patch, in.Guard); err != nil {
		var refusal *patch.Refusal
		if errors.As(err, &refusal) {
			res.Reason = "tests were written and may not be added: " + refusal.Error()
			return res, nil
		}
		return res, fmt.Errorf("adding the new tests: %w", err)
	}
	v, err := h.Verifier.Judge(ctx, verify.Judge{Dir: in.Tree.Dir(), Base: in.Tree.BaseFS(), Baseline: base, NewTests: a.NewTests, Whole: true, Examined: true})
	if err != nil {
		return res, fmt.Errorf("running all tests with the new ones: %w", err)
	}
	a.Broken = append(v.Broken, v.Missing...)
	if !v.Green && !sound(&a, v) { // that they pass on the code as it is, is what they are for
		res.Reason = "tests were written, and the suite is not green with them: " + strings.Join(first(v.Reasons, 3), "; ")
		return res, nil
	}
	a.Checks = v.Checks
	if res.Changes, err = in.Tree.Changes(); err != nil {
		return res, fmt.Errorf("reading the new tests: %w", err)
	}
	if a.Diff, err = h.diff(ctx); err != nil {
		return res, fmt.Errorf("reading the new tests: %w", err)
	}
	detail := a.Explanation
	if found.Score.Mutants > 0 {
		detail += " " + found.Score.String()
	}
	res.Outcome, res.Best, res.Attempts, res.Tier, res.Diff = task.Success, &a, []task.Attempt{a}, a.Tier, a.Diff
	res.Checks = append(v.Checks, task.Check{Name: "new tests, together with all others", Status: task.CheckPassed, Seconds: found.Elapsed.Seconds(), Detail: detail})
	return res, nil
}

package loop

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/task"
)

// needsTest tells whether the step in hand has to bring a test that fails before
// it, where none fails on the base: one that its plan says a test can show, else
// the last one that could, so that no run ends without.
func (r *run) needsTest() bool {
	if len(r.red()) > 0 || r.in.Task.Follow != nil {
		return false
	}
	if t := r.step().Test; t != nil && *t {
		return true
	}
	return !r.tested() && !slices.ContainsFunc(r.stepsLeft(), agent.Step.Testable)
}

// tested tells whether an accepted step brought a test that failed before it.
func (r *run) tested() bool {
	return slices.ContainsFunc(r.state.Done, func(n int) bool {
		a := r.state.Attempts[n-1]
		return a.Green && len(a.NewTests) > 0
	})
}

// failsBefore runs a new test on the tree as it stands, and while no step has
// brought a test also on the base: then it may be about what they did.
func (r *run) failsBefore(ctx context.Context, t trying) (reproduced, error) {
	got, err := r.reproduces(ctx, t)
	if err != nil || got.Not == "" || len(r.state.Done) == 0 || r.tested() {
		return got, err
	}
	if err := r.restore(ctx, nil); err != nil {
		return got, err
	}
	var sofar []task.Edit // what the base lacks is what all of the steps add
	for _, s := range r.stands(r.state.Done) {
		sofar = append(sofar, s.Patch.Edits...)
	}
	t.Patch.Edits = slices.Concat(sofar, t.Patch.Edits)
	if got, err = r.reproduces(ctx, t); err != nil {
		return got, err
	}
	return got, r.restore(ctx, r.stands(r.state.Done))
}

// fold makes a step that was refused twice for want of a test one with its
// neighbour: with the next step, or with the accepted one before it, whose test
// then is the step's too. No dearer tier could show by a test what changes
// nothing.
func (r *run) fold(ctx context.Context, a *task.Attempt) (bool, error) {
	untested := 0
	for _, b := range r.here() {
		if b.Untested {
			untested++
		}
	}
	i, left := r.state.Step, r.stepsLeft()
	if !a.Untested || untested < 2 || len(left) == 0 && !r.tested() {
		return false, nil
	}
	one, rest, with := r.step(), left, "the step before it, whose test shows both"
	if len(left) > 0 {
		one, rest, with = agent.Fold(one, left[0]), left[1:], fmt.Sprintf("step %d", i+2)
	} else {
		one.Test = new(bool)
	}
	p, yes := r.plan, r.state.PlanYes == r.state.PlanNo
	p.Steps = slices.Concat(p.Steps[:i], []agent.Step{one}, rest)
	raw, err := json.Marshal(p)
	if err != nil {
		return false, fmt.Errorf("writing down the plan: %w", err)
	}
	r.plan, r.state.Plan, r.state.Next = p, raw, a.Tier
	if r.state.PlanNo++; yes { // it asks for nothing else
		r.state.PlanYes = r.state.PlanNo
	}
	r.state.Feedback = fmt.Sprintf("Step %d could not be shown by a test on its own (%s). It is one with %s now.", i+1, a.Refused, with)
	return true, r.note(ctx, "step.folded", r.state.Feedback, map[string]any{"step": i + 1, "plan": r.state.PlanNo})
}

package loop

import (
	"context"
	"fmt"

	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/task"
)

// result puts the kept attempt into the tree and describes it. It can be asked
// again after a crash and gives the same.
func (r *run) result(ctx context.Context) (task.Result, error) {
	spent, byTier, err := r.in.Journal.Spent(ctx)
	if err != nil {
		return task.Result{}, fmt.Errorf("reading what was spent: %w", err)
	}
	res := task.Result{
		RunID: r.in.RunID, Task: r.in.Task, Outcome: r.state.Outcome, Reason: r.state.Reason, Attempts: r.state.Attempts,
		Cost: spent, CostByTier: byTier, Elapsed: r.worked(), Sandbox: r.Sandbox,
	}
	res.Task.BaseCommit = r.in.Tree.BaseCommit()
	if n := r.best(); n > 0 {
		if err := r.keep(ctx, &res, r.state.Attempts[n-1]); err != nil {
			return task.Result{}, err
		}
	}
	if len(r.state.Baseline) > 0 && res.Best != nil {
		res.KnownRed = without(r.baseline.Report.Red(), res.Best.Fixed)
	}
	if res.Outcome == task.Success {
		res.DraftReasons = append(draftReasons(res), r.in.OpenPoints...)
		if !related(r.in.Task, *res.Best, r.baseline.Report.Failures()) {
			res.DraftReasons = append(res.DraftReasons, "nothing in the issue's words points at the tests and code that were mended: say whether this is what was meant")
		}
		res.Draft = len(res.DraftReasons) > 0
	}
	res.NextAction = nextAction(res, r.baseline.Report.Broken)
	return res, nil
}

// keep applies the attempt to the untouched tree and reads what it changed.
func (r *run) keep(ctx context.Context, res *task.Result, a task.Attempt) error {
	if err := r.in.Tree.Reset(ctx); err != nil {
		return fmt.Errorf("preparing the kept attempt: %w", err)
	}
	if _, err := patch.Apply(ctx, r.in.Tree.Dir(), a.Patch, r.guard(a.Tier)); err != nil {
		return fmt.Errorf("applying the kept attempt %d again: %w", a.Number, err)
	}
	changes, err := r.in.Tree.Changes()
	if err != nil {
		return fmt.Errorf("reading the kept attempt's files: %w", err)
	}
	if res.Diff, err = r.in.Tree.Diff(ctx); err != nil {
		return fmt.Errorf("reading the kept attempt's diff: %w", err)
	}
	res.Best, res.Tier, res.Changes, res.Checks, res.Reproduction = &a, a.Tier, changes, a.Checks, a.Fixed
	facts := patch.Facts{Tier: a.Tier, TestsAdded: addsTest(a), CallersLeft: len(left(a))}
	var touched []patch.Change
	for _, c := range changes {
		before, err := r.sources.read(c.Path)
		if err != nil {
			before = nil // a new file
		}
		touched = append(touched, patch.Change{Path: c.Path, Before: before, After: c.Content})
	}
	res.Risk = patch.Risk(touched, facts)
	return nil
}

// left are the callers that the attempt did not adapt.
func left(a task.Attempt) []string {
	var out []string
	for _, c := range a.Callers {
		if !c.Adapted {
			out = append(out, fmt.Sprintf("%s:%d uses %s", c.Path, c.Line, c.Name))
		}
	}
	return out
}

func addsTest(a task.Attempt) bool {
	for _, e := range a.Patch.Edits {
		if e.Kind == task.EditCreate {
			return true
		}
	}
	return false
}

// draftReasons says why a green change still waits for a human.
func draftReasons(res task.Result) []string {
	var out []string
	if res.Best.Ambiguous {
		out = append(out, "other changes pass the same tests, and nothing decides between them (see the alternatives)")
	}
	out = append(out, res.Best.Doubts...)
	if callers := left(*res.Best); len(callers) > 0 {
		out = append(out, fmt.Sprintf("callers of what changed its name or parameters were left as they are (%s): say whether they are right", names(callers)))
	}
	if n := len(res.KnownRed); n > 0 {
		out = append(out, fmt.Sprintf("%d tests that were red before are still red (%s): say whether they belong to this issue", n, names(res.KnownRed)))
	}
	return out
}

// nextAction tells a human what to do; broken is what could not be run on the
// base.
func nextAction(res task.Result, broken []task.Failure) string {
	switch {
	case res.Outcome == task.Success && res.Draft:
		return "Decide on the open points, then mark the change as ready."
	case res.Outcome == task.Success:
		return "Review the change and merge it."
	case res.Outcome == task.Rejected:
		return "Add what is missing and ask again."
	case res.Outcome == task.Cancelled:
		return "Nothing; ask again when it is wanted."
	case res.Best != nil:
		return "Look at the best attempt first; it breaks nothing, and shows how far it came."
	case len(broken) > 0:
		return fmt.Sprintf("Make all tests run first: of the test files or packages %d could not be run on the base (first: %s).", len(broken), broken[0].Words())
	}
	return "Look at the failing tests and the places named as suspicious first."
}

func without(all, drop []string) []string {
	gone := map[string]bool{}
	for _, d := range drop {
		gone[d] = true
	}
	var out []string
	for _, id := range all {
		if !gone[id] {
			out = append(out, id)
		}
	}
	return out
}

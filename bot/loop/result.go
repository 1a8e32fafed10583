package loop

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/danger"
)

// result puts the kept attempt into the tree and describes it. It can be asked
// again after a crash and gives the same.
func (r *run) result(ctx context.Context) (task.Result, error) {
	res := task.Result{
		RunID: r.in.RunID, Task: r.in.Task, Outcome: r.state.Outcome, Reason: r.state.Reason, Attempts: r.state.Attempts,
		Cost: r.money.all, CostByTier: r.money.by, Elapsed: r.worked(), Sandbox: r.Sandbox,
	}
	res.Task.BaseCommit, res.Care = r.state.BaseCommit, r.care.Why
	res.Case, _ = json.Marshal(r.kind()) // plain words: it cannot fail
	if n := r.best(); n > 0 {
		if err := r.kept(ctx, &res, r.state.Attempts[n-1]); err != nil {
			return task.Result{}, err
		}
	}
	if len(r.state.Baseline) > 0 && res.Best != nil {
		res.KnownRed = without(without(without(r.baseline.Report.Red(), res.Best.Fixed), res.Best.Besides), r.baseline.Flaky) // what is red by chance may be green now
	}
	if res.Outcome == task.Success {
		res.DraftReasons = append(draftReasons(res, without(res.KnownRed, r.baseline.Aside)), r.claimDoubts(res.KnownRed)...)
		res.DraftReasons = append(res.DraftReasons, r.holdingDoubts()...)
		res.DraftReasons = append(res.DraftReasons, r.in.OpenPoints...)
		if r.care.Degraded() {
			res.DraftReasons = append(res.DraftReasons, r.care.Why)
		}
		if r.state.Setup != "" {
			res.DraftReasons = append(res.DraftReasons, "the "+r.state.Setup)
		}
		if said := danger.AsksToWeakenTests(r.in.Task.Title, r.in.Task.Body+"\n"+r.in.Task.Hint); said != "" {
			res.DraftReasons = append(res.DraftReasons, fmt.Sprintf("the issue asks to skip or weaken tests (%q): say whether the change is right without that", said))
		}
		res.Draft = len(res.DraftReasons) > 0
		res.Risk = doubted(res.Risk, len(res.DraftReasons))
	}
	if res.NextAction = r.advice(res); res.NextAction == "" {
		res.NextAction = nextAction(res, r.baseline.Report, len(r.red()), len(r.suspects))
	}
	return res, nil
}

// doubted is the risk with what is open counted in.
func doubted(risk task.Risk, open int) task.Risk {
	if open == 0 {
		return risk
	}
	points := min(30, 10*open)
	return task.Risk{Score: min(100, risk.Score+points), Reasons: append(slices.Clone(risk.Reasons), fmt.Sprintf("%s (+%d)", task.Count(open, "open point"), points))}
}

// kept lays out the attempt and what it builds on, and reads what they changed
// together.
func (r *run) kept(ctx context.Context, res *task.Result, a task.Attempt) error {
	numbers := append(slices.Clone(a.On), a.Number)
	p, err := r.product(ctx, r.stands(numbers), nil)
	if err != nil {
		return fmt.Errorf("preparing the kept attempt %d: %w", a.Number, err)
	}
	whole := a
	for i := len(a.On) - 1; i >= 0; i-- { // what the steps before it did belongs to the change
		whole = joined(r.state.Attempts[a.On[i]-1], whole)
	}
	res.Best, res.Tier, res.Changes, res.Diff, res.Risk = &whole, a.Tier, p.Changes, p.Diff, p.Risk
	res.Checks, res.Reproduction = a.Checks, a.Fixed
	res.Causes, res.Unsure = causes(r.baseline.Report.Failures(), a.Fixed), r.claims.Unsure && r.example == nil
	if c, ok := r.claimCheck(); ok {
		res.Checks = append([]task.Check{c}, a.Checks...)
	}
	old := r.baseline.Report.Red()
	if r.example != nil {
		old = without(old, r.example.Report.Red())
	}
	res.NewTests = without(a.Fixed, old)
	return nil
}

// joined is the change of two steps as one attempt's.
func joined(before, a task.Attempt) task.Attempt {
	a.Patch.Edits = slices.Concat(before.Patch.Edits, a.Patch.Edits)
	a.Regions = slices.Concat(before.Regions, a.Regions)
	a.Callers = slices.Concat(before.Callers, a.Callers)
	a.NewTests = slices.Concat(before.NewTests, a.NewTests)
	a.OwnTests = slices.Concat(before.OwnTests, a.OwnTests)
	a.Doubts = slices.Concat(without(before.Doubts, a.Doubts), a.Doubts) // each judgement is about all steps
	a.Alternatives = slices.Concat(without(before.Alternatives, a.Alternatives), a.Alternatives)
	a.Ambiguous = a.Ambiguous || before.Ambiguous
	a.Diff = before.Diff + a.Diff
	a.Explanation = strings.TrimSpace(before.Explanation + " " + a.Explanation)
	return a
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

func addsTest(p task.Patch) bool {
	for _, e := range p.Edits {
		if e.Kind == task.EditCreate {
			return true
		}
	}
	return false
}

// draftReasons says why a green change still waits for a human. still are tests of
// the issue that are red as before.
func draftReasons(res task.Result, still []string) []string {
	var out []string
	if res.Best.Ambiguous {
		out = append(out, "other changes pass the same tests, and nothing decides between them (see the alternatives)")
	}
	out = append(out, res.Best.Doubts...)
	if callers := left(*res.Best); len(callers) > 0 {
		out = append(out, fmt.Sprintf("callers of what changed its name or parameters were left as they are (%s): say whether they are right", names(callers)))
	}
	if n := len(still); n > 0 {
		out = append(out, fmt.Sprintf("%d tests that were red before are still red (%s): say whether they belong to this issue", n, names(still)))
	}
	return out
}

// nextAction tells a human what to do; red and suspects are how many failing
// tests and suspicious places the base has.
func nextAction(res task.Result, base verify.Report, red, suspects int) string {
	broken := base.Broken
	switch {
	case res.Outcome == task.Success && res.Draft:
		return "Decide on the open points, then mark the change as ready."
	case res.Outcome == task.Success:
		return "Review the change and merge it."
	case res.Outcome == task.Rejected:
		return "Add what is missing and ask again."
	case res.Outcome == task.Cancelled:
		return "Nothing; ask again when it is wanted."
	case res.Outcome == task.Quarantined:
		return "Look at what failed; `/fettle release` lifts the quarantine, then ask again."
	case res.Best != nil:
		if own := without(without(res.Best.Red, base.Red()), res.Best.Broken); len(own) > 0 {
			return fmt.Sprintf("Look at the best attempt first; no test that was green is red, but its own new tests fail (%s).", names(own))
		}
		return "Look at the best attempt first; no test that was green is red, and it shows how far it came."
	case len(broken) > 0:
		return fmt.Sprintf("Make all tests run first: of the test files or packages %d could not be run on the base (first: %s).", len(broken), broken[0].Words())
	case red == 0:
		return "Add a test that fails because of what is wrong, or say in the issue which call gives what, and what it should give; then ask again."
	case suspects == 0:
		return "Look at the failing tests first."
	}
	return "Look at the failing tests first, then at the places that `fettle runs show` names as suspicious."
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

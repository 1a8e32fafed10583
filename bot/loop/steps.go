package loop

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/loop/detect"
	"github.com/fettle-dev/fettle/bot/task"
)

// work makes attempts until the last step of the plan is accepted or an
// outcome stands. Where it stands is in the state alone, so that a run taken
// up again goes on after the last attempt it saved.
func (r *run) work(ctx context.Context) error {
	if err := r.firstPlan(ctx); err != nil {
		return err
	}
	if len(r.state.Done) > 0 { // an earlier process made them
		if err := r.restore(ctx, r.stands(r.state.Done)); err != nil {
			return err
		}
	}
	for r.state.Outcome == "" {
		if err := r.alive(ctx); err != nil {
			return err
		}
		if err := r.heed(ctx, "attempt"); err != nil {
			return err
		}
		if r.state.Gate != nil {
			if err := r.answered(ctx); err != nil {
				return err
			}
			continue
		}
		tier, why, err := r.rung(ctx)
		if err != nil {
			return err
		}
		if r.state.Gate != nil {
			continue
		}
		if tier == "" {
			if err := r.exhausted(ctx, why); err != nil {
				return err
			}
			continue
		}
		if err := r.limits(ctx); err != nil {
			return err
		}
		if err := r.attempt(ctx, tier); err != nil {
			return err
		}
	}
	return nil
}

// top marks, in RunState.Next, that the ladder has no further rung for the
// step in hand.
const top task.Tier = "top"

// rung gives the tier of the next attempt, or "" when the ladder is at its
// end, with the reason. A step begins at the tier that history says.
func (r *run) rung(ctx context.Context) (task.Tier, string, error) {
	if r.planNeedsYes() && r.state.Planned && r.state.PlanYes != r.state.PlanNo {
		return "", "", r.askPlan(ctx) // somebody let the run go on past the question
	}
	if r.written() {
		if last := r.lastOf(r.state.Step + 1); last != nil {
			return "", "", &Stop{task.FailedAllTiers, "the change was applied as it was written out, and it does not stand: " + cmp.Or(last.Why, last.Refused)}
		}
		return task.TierMechanical, "", nil
	}
	switch next := r.state.Next; {
	case next == "":
	case next == top:
		return "", "every tier that is configured and allowed was tried", nil
	case next == task.TierMechanical, slices.Contains(r.modelTiers(), next):
		return next, "", nil
	default: // whoever asked named it, or the configuration was another
		if err := r.note(ctx, "tier.skipped", "it is not configured, or not allowed", map[string]any{"tier": next}); err != nil {
			return "", "", err
		}
		r.state.Next = ""
	}
	if r.in.Gates.PlanFirst && !r.state.Planned {
		if err := r.planned(ctx); err != nil || r.state.Gate != nil {
			return "", "", err
		}
	}
	if r.mechanical() {
		return task.TierMechanical, "", nil
	}
	tiers := r.modelTiers()
	if len(tiers) == 0 {
		return "", "", r.noModels(ctx)
	}
	if !r.state.Planned {
		if err := r.planned(ctx); err != nil {
			return "", "", err
		}
		if r.state.Gate != nil {
			return "", "", nil
		}
	}
	tier, err := r.choose(ctx, tiers)
	r.state.Next = tier
	return tier, "", err
}

// mechanical tells whether the free search is still to come: once in a run,
// where a test fails, on the tree as it was given. It knows no steps: a plan of
// several that was asked for is followed without it.
func (r *run) mechanical() bool {
	if r.in.Gates.PlanFirst && len(r.plan.Steps) > 1 {
		return false
	}
	tried := slices.ContainsFunc(r.state.Attempts, func(a task.Attempt) bool { return a.Tier == task.TierMechanical })
	return !tried && len(r.red()) > 0 && len(r.state.Done) == 0
}

// noModels ends a run that has nothing further to try.
func (r *run) noModels(ctx context.Context) error {
	if len(r.state.Attempts) > 0 {
		r.state.Next = top
		return nil
	}
	if err := r.note(ctx, "tier.skipped", "no test fails, and mechanical repair needs one that does", map[string]any{"tier": task.TierMechanical}); err != nil {
		return err
	}
	if why := r.notOurs(); len(r.red()) == 0 && why != "" {
		return &Stop{task.Rejected, why}
	}
	if len(r.tooSmall) > 0 {
		return &Stop{task.Rejected, strings.Join(r.tooSmall, "; ") + ": raise context_tokens, or name another model"}
	}
	if len(r.red()) == 0 {
		return &Stop{task.Rejected, "no test fails on the base, so there is nothing that a repair without a model could prove; add a failing test, or configure a model under tiers"}
	}
	return &Stop{task.Rejected, "no tier is allowed and configured; raise max_tier or configure a model under tiers"}
}

// further is the rung after one that failed: where there is a choice, history
// says which.
func (r *run) further(ctx context.Context, tier task.Tier) (task.Tier, error) {
	next := r.above(tier)
	if next == top || r.above(next) == top {
		return next, nil
	}
	return r.choose(ctx, r.modelTiers())
}

// above is the next rung that can be climbed, or top.
func (r *run) above(tier task.Tier) task.Tier {
	for _, t := range r.modelTiers() {
		if t.Rank() > tier.Rank() {
			return t
		}
	}
	return top
}

// limits refuses an attempt that a limit forbids, and one that the time left
// would only cut: then what there is, is handed over (SPEC L5).
func (r *run) limits(ctx context.Context) error {
	if n := r.in.Budget.Attempts; len(r.state.Attempts) >= n {
		return &Stop{task.MaxAttempts, fmt.Sprintf("the limit of %d attempts was reached", n)}
	}
	left := r.deadline.Sub(r.now())
	if left <= 0 {
		return r.late()
	}
	if need := r.baseline.Report.Elapsed; left < need && len(r.state.Attempts) > 0 {
		reason := fmt.Sprintf("the limit of %s for a run leaves %s, and the tests alone take %s: the run is wrapped up", r.in.Budget.Duration, left.Round(1e8), need.Round(1e8))
		return &Stop{task.Timeout, reason}
	}
	return nil
}

// exhausted: the step failed at every tier. A revision of the plan that is
// left is used before the run is given up (SPEC L1).
func (r *run) exhausted(ctx context.Context, why string) error {
	if why == "" {
		why = "every tier that is configured and allowed was tried"
	}
	why = strings.Join(append([]string{why}, r.reasons()...), "; ")
	last := r.lastOf(r.state.Step + 1)
	if last != nil && agent.MayReplan(last.Failures) && r.mayRevise() {
		return r.revise(ctx, why)
	}
	switch {
	case last == nil || last.Loop == "":
		return &Stop{task.FailedAllTiers, why}
	case r.attemptsAt(last.Tier) >= r.perTier(last.Tier): // the last attempt there was: nothing was cut short
		return &Stop{task.FailedAllTiers, why + "; " + last.Why}
	}
	if detect.Kind(last.Loop) == detect.NoProgress {
		return &Stop{task.Impasse, "the strongest tier allowed came no further: " + last.Why}
	}
	return &Stop{task.LoopDetected, "the strongest tier allowed went round in circles: " + last.Why}
}

// lastOf is the last attempt at a step of the plan in hand, or nil.
func (r *run) lastOf(step int) *task.Attempt {
	for i := len(r.state.Attempts) - 1; i >= 0; i-- {
		if a := &r.state.Attempts[i]; a.Plan == r.state.PlanNo && a.Step == step {
			return a
		}
	}
	return nil
}

// here are the attempts at the step in hand.
func (r *run) here() []task.Attempt {
	var out []task.Attempt
	for _, a := range r.state.Attempts {
		if a.Plan == r.state.PlanNo && a.Step == r.state.Step+1 {
			out = append(out, a)
		}
	}
	return out
}

// move changes where the run stands after an attempt.
func (r *run) move(ctx context.Context, a *task.Attempt, d agent.Decision) error {
	var err error
	r.state.Feedback = ""
	if a.Tier == task.TierMechanical && (d.Next == agent.NextRetry || d.Next == agent.NextEscalate) {
		r.state.Next, r.state.Feedback = "", feedback(d) // the ladder proper begins: with a plan, and where history says
		return nil
	}
	if d.Next == agent.NextRetry || d.Next == agent.NextEscalate {
		if err := r.unfound(); err != nil {
			return err
		}
		if folded, err := r.fold(ctx, a); folded || err != nil {
			return err
		}
	}
	switch d.Next {
	case agent.NextAccept:
		return r.accepted(ctx, a.Number)
	case agent.NextRetry, agent.NextEscalate:
		r.state.Next, r.state.Feedback = a.Tier, feedback(d)
		if d.Next == agent.NextRetry && r.attemptsAt(a.Tier) < r.perTier(a.Tier) {
			return nil
		}
		if planned, err := r.planAfter(ctx); planned || err != nil {
			return err
		}
		r.state.Next, err = r.further(ctx, a.Tier)
	case agent.NextReplan:
		if !r.mayRevise() {
			return &Stop{task.MaxReplans, fmt.Sprintf("the plan does not hold (%s), and it was revised %d times already", d.Reason, r.state.Revisions)}
		}
		return r.revise(ctx, d.Reason)
	case agent.NextFail:
		r.state.Next = top
	}
	return err
}

// mostUnfound is how many new tests that no runner finds are asked for: three names that
// models took from the tests that are there say that it is not the name.
const mostUnfound = 3

// unfound ends a run whose new tests no runner finds: a stronger model changes nothing in
// that (SPEC L4).
func (r *run) unfound() error {
	n := 0
	for _, a := range r.state.Attempts {
		if strings.Contains(a.Refused, notFound) {
			n++
		}
	}
	if n < mostUnfound {
		return nil
	}
	return &Stop{task.LoopDetected, fmt.Sprintf("%d new tests were written, and the command that runs the repository's tests finds none of them: name a command that runs all test files under checks in .fettle.yml, or add a failing test to the repository", n)}
}

// feedback is what a role or a human said; the checks speak by their failures.
func feedback(d agent.Decision) string {
	if d.By == "checks" {
		return ""
	}
	return d.Reason
}

// perTier: one mechanical search is one attempt.
func (r *run) perTier(tier task.Tier) int {
	if tier == task.TierMechanical {
		return 1
	}
	return r.in.Budget.AttemptsPerTier
}

// attemptsAt counts the attempts of a tier at the step in hand.
func (r *run) attemptsAt(tier task.Tier) int {
	n := 0
	for _, a := range r.here() {
		if a.Tier == tier {
			n++
		}
	}
	return n
}

// accepted: the change stands, and the next step begins on it.
func (r *run) accepted(ctx context.Context, number int) error {
	r.state.Done = append(slices.Clone(r.state.Done), number)
	r.state.Step++
	r.state.Next = ""
	if r.state.Step >= len(r.plan.Steps) {
		r.state.Accepted = number
		r.end(task.Success, "")
		return nil
	}
	if err := r.note(ctx, "step.done", r.plan.Steps[r.state.Step-1].Goal, map[string]any{"step": r.state.Step, "attempt": number}); err != nil {
		return err
	}
	return r.restore(ctx, r.stands(r.state.Done))
}

// stands are the changes of accepted attempts, as the tree holds them.
func (r *run) stands(numbers []int) []standing {
	var out []standing
	for _, n := range numbers {
		a := r.state.Attempts[n-1]
		g := r.guard(a.Tier)
		g.AllowProtected = g.AllowProtected || a.Yes
		out = append(out, standing{Number: n, Patch: a.Patch, Guard: g, Facts: factsOf(a)})
	}
	return out
}

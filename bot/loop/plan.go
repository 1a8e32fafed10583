package loop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/loop/estimate"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/belong"
)

// firstPlan is the plan that costs nothing: one step, the task as a whole. A
// task that mechanical repair mends never needs another.
func (r *run) firstPlan(ctx context.Context) error {
	if len(r.state.Plan) > 0 {
		return nil
	}
	next := r.state.Next // whoever asked may have named a tier
	err := r.adopt(ctx, agent.FallbackPlan(agent.PlanBrief{NeedsTest: len(r.red()) == 0}), "the task as a whole: nothing is paid for a plan before it is needed")
	r.state.Next = next
	return err
}

// adopt makes a plan of what is still to be done the run's own. The steps that
// are done stay, in the plan and in the tree.
func (r *run) adopt(ctx context.Context, p agent.Plan, why string) error {
	p.Steps = slices.Concat(r.plan.Steps[:len(r.state.Done)], p.Steps)
	if n := max(r.in.Budget.Steps, len(r.state.Done)+1); len(p.Steps) > n {
		p.Steps = p.Steps[:n]
	}
	raw, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("writing down the plan: %w", err)
	}
	r.plan, r.state.Plan = p, raw
	r.state.PlanNo++
	r.state.Step, r.state.Next = len(r.state.Done), ""
	var goals []string
	for _, s := range p.Steps {
		goals = append(goals, s.Goal)
	}
	return r.note(ctx, "plan", why, map[string]any{"no": r.state.PlanNo, "origin": p.Origin, "steps": goals, "problems": p.Problems})
}

// planned decides, before the first model is asked for a change, whether a
// model is asked for a plan; by cost, and by how clear the task is (SPEC L2).
func (r *run) planned(ctx context.Context) error {
	r.state.Planned = true
	tier, can := r.planner()
	why := ""
	clear, where, err := r.clear(ctx)
	if err != nil {
		return err
	}
	switch {
	case r.in.Gates.Plan: // a human is to say yes to something worth reading
	case !can:
		why = "no model that writes plans is configured"
	case clear:
		why = "a plan would cost more than it helps: " + where
	default:
		if r.state.PlanLater, where = r.oneThought(); r.state.PlanLater {
			why = "the developer is asked first, and for a plan only if that fails: " + where
		}
	}
	if why != "" || !can {
		if err := r.note(ctx, "plan.skipped", why, nil); err != nil {
			return err
		}
		return r.askPlan(ctx)
	}
	brief, err := r.planBrief(ctx, tier)
	if err != nil {
		return err
	}
	plan, err := r.Planner.Plan(ctx, r.asker(fmt.Sprintf("plan-%d", r.state.PlanNo+1), nil), brief)
	if err != nil {
		return r.unplanned(ctx, err)
	}
	why = plan.Summary
	if plan.Origin == agent.Fallback { // what is done without it is said
		why = strings.Join(plan.Problems, "; ") + "; the repair goes on without a plan of its own"
		if err := r.progress(ctx, "repair", tier, why); err != nil {
			return err
		}
	}
	if err := r.adopt(ctx, plan, why); err != nil {
		return err
	}
	return r.settle(ctx)
}

// settle asks for a yes to a plan that needs one, and refuses one that needs
// what only a human may do, where no human is asked.
func (r *run) settle(ctx context.Context) error {
	if files := r.protectedTargets(); len(files) > 0 && !r.asks() {
		return &Stop{task.Rejected, fmt.Sprintf("the plan needs a change of %s, which only a human may change: make that change first, or set gates.critical, so that the run asks for approval", strings.Join(first(files, 5), ", "))}
	}
	if err := r.askPlan(ctx); err != nil {
		return err
	}
	return r.save(ctx, "planned")
}

// protectedTargets are the protected files that the steps to come aim at.
func (r *run) protectedTargets() []string {
	left := agent.Plan{Steps: r.plan.Steps[len(r.state.Done):]}
	return slices.DeleteFunc(left.Files(), func(f string) bool { return !r.in.Guard.IsProtected(f) || r.in.Guard.AllowProtected })
}

// unplanned goes on with the plan that there is when a planner could not be
// asked for want of money; whatever else ended the call ends the run.
func (r *run) unplanned(ctx context.Context, err error) error {
	var stop *Stop
	if errors.As(err, &stop) && stop.Outcome == task.BudgetExhausted && r.alive(ctx) == nil {
		if err := r.note(ctx, "plan.skipped", "a plan does not fit what is left of the budget: "+stop.Reason, nil); err != nil {
			return err
		}
		return r.askPlan(ctx)
	}
	return err
}

// farAhead is the share of the best place's score under which the next one is far
// behind.
const farAhead = 0.6

// mostRan is how many files a failing test may run for its place to be clear.
const mostRan = 6

// clear tells whether the localisation leaves little to plan: tests fail, and the
// places that stand out lie in at most two files, or all files that were seen to run
// are shown in one prompt; or none does, and a place that the issue names is far ahead
// of the others.
func (r *run) clear(ctx context.Context) (bool, string, error) {
	if len(r.suspects) == 0 {
		return false, "", nil
	}
	if len(r.red()) == 0 {
		top := r.suspects[0]
		named := slices.ContainsFunc(top.Reasons, func(s string) bool { return strings.HasPrefix(s, "the text names ") })
		return named && (len(r.suspects) == 1 || r.suspects[1].Score < farAhead*top.Score), "the issue names one place of " + top.Path, nil
	}
	if ran := r.facts.Files; len(ran) > 0 && len(ran) <= mostRan {
		seen, err := r.sees(ctx, r.modelTiers()[0], true)
		if err != nil {
			return false, "", err
		}
		if paths := seen.Shown.Paths(); !slices.ContainsFunc(ran, func(f string) bool { return !slices.Contains(paths, f) }) {
			return true, "all files that the failing test runs (" + strings.Join(ran, ", ") + ") fit into one prompt, with what it calls", nil
		}
	}
	var files []string
	for _, s := range r.suspects {
		if s.Score >= farAhead*r.suspects[0].Score && !slices.Contains(files, s.Path) {
			files = append(files, s.Path)
		}
	}
	return len(files) <= 2, "the failing tests point at " + strings.Join(files, " and "), nil
}

// reproducedAlone tells whether all failing tests are the reproduction of this issue.
func (r *run) reproducedAlone() bool {
	return r.example != nil && len(without(r.red(), r.example.Report.Red())) == 0
}

// oneThought tells whether all failing tests are the reproduction of this one issue, and
// the issue does not list several wishes. A planner would be shown what the developer is
// shown, and either may look for more; where the developer fails, a plan is asked for
// (SPEC L2).
func (r *run) oneThought() (bool, string) {
	if r.in.Gates.PlanFirst || !r.reproducedAlone() || len(belong.Wishes(r.in.Task.Body+"\n\n"+r.in.Task.Hint)) > 0 {
		return false, ""
	}
	return true, r.example.Path + " was made for this issue alone, and shows one fault"
}

// planAfter asks for a plan once the developer has failed without one at a tier. It
// tells whether there is one: else the ladder goes on as it is.
func (r *run) planAfter(ctx context.Context) (bool, error) {
	tier, can := r.planner()
	wrote := func(a task.Attempt) bool { return a.Tier != task.TierMechanical && a.Diff != "" }
	if !can || !r.state.PlanLater || !r.plan.Whole() || !slices.ContainsFunc(r.here(), wrote) { // of answers that change nothing there is nothing to learn
		return false, nil
	}
	r.state.PlanLater = false
	brief, err := r.planBrief(ctx, tier)
	if err != nil {
		return false, err
	}
	plan, err := r.Planner.Plan(ctx, r.asker(fmt.Sprintf("plan-%d", r.state.PlanNo+1), nil), brief)
	switch {
	case err != nil:
		return false, r.unplanned(ctx, err)
	case plan.Origin == agent.Fallback:
		return false, r.note(ctx, "plan.skipped", strings.Join(plan.Problems, "; "), nil)
	}
	if err := r.adopt(ctx, plan, plan.Summary); err != nil {
		return false, err
	}
	return true, r.settle(ctx)
}

func (r *run) planBrief(ctx context.Context, tier task.Tier) (agent.PlanBrief, error) {
	seen, err := r.shown(ctx, tier, false)
	if err != nil {
		return agent.PlanBrief{}, err
	}
	done := r.done()
	b := agent.PlanBrief{
		Task: r.in.Task, Tier: tier, Shown: seen.Shown, Failures: r.failing(), Red: r.still(), Attempts: r.tried(), Done: done,
		Plan: r.plan, NeedsTest: len(r.red()) == 0 && !r.tested(), MaxSteps: max(1, r.in.Budget.Steps-len(done)), MaxBytes: r.window(tier), Instructions: seen.Instructions, Tools: tools{r, "planner"},
	}
	b.Plan.Steps = b.Plan.Steps[len(done):]
	var ids []string
	b.Precedents, b.Warnings, b.Advice, ids = r.remembered(task.Tier2)
	if err := r.tellRemembered(ctx, "planner", tier, ids); err != nil {
		return b, err
	}
	if !r.asks() {
		b.Protected = func(f string) bool { return r.in.Guard.IsProtected(f) && !r.in.Guard.AllowProtected }
	}
	return b, nil
}

// mayRevise: a revision is left, and somebody can make one.
func (r *run) mayRevise() bool {
	_, can := r.planner()
	return can && r.state.Revisions < r.in.Budget.Replans
}

// revise asks for another plan because of what the attempts showed or a human
// said. One that wants the same again is none.
func (r *run) revise(ctx context.Context, because string) error {
	tier, can := r.planner()
	r.state.Revisions++
	if !can {
		r.state.Feedback, r.state.PlanYes = because, r.state.PlanNo
		return r.note(ctx, "plan.kept", "no model that writes plans is configured; what was said goes to whoever writes the change", map[string]any{"revision": r.state.Revisions})
	}
	brief, err := r.planBrief(ctx, tier)
	if err != nil {
		return err
	}
	plan, err := r.Planner.Revise(ctx, r.asker(fmt.Sprintf("plan-%d", r.state.PlanNo+1), nil), brief, because)
	if err != nil {
		return err
	}
	if plan.Origin == agent.Fallback {
		return &Stop{task.FailedAllTiers, because + "; no other plan was found"}
	}
	if sameSteps(plan, brief.Plan) {
		return &Stop{task.FailedAllTiers, because + "; no other plan was found: the planner wants the same steps again"}
	}
	if err := r.adopt(ctx, plan, fmt.Sprintf("revision %d of %d: %s", r.state.Revisions, r.in.Budget.Replans, because)); err != nil {
		return err
	}
	r.state.Feedback = because
	return r.settle(ctx)
}

func sameSteps(a, b agent.Plan) bool {
	return slices.EqualFunc(a.Steps, b.Steps, func(x, y agent.Step) bool {
		return x.Goal == y.Goal && slices.Equal(x.Targets, y.Targets)
	})
}

// choose takes the tier that a step begins at, or goes on at when one has
// failed, from history (SPEC L9).
func (r *run) choose(ctx context.Context, tiers []task.Tier) (task.Tier, error) {
	q := estimate.Query{Case: r.kind(), Tiers: tiers, Left: r.in.Budget.USD - r.money.all, Settled: r.in.Budget.NoExplore, Draw: draw(r.in.RunID, len(r.state.Attempts))}
	for _, a := range r.here() {
		if n := len(q.Tried); n > 0 && q.Tried[n-1].Tier == a.Tier {
			q.Tried[n-1].Cost += a.Cost
		} else {
			q.Tried = append(q.Tried, estimate.Try{Tier: a.Tier, Cost: a.Cost})
		}
	}
	c, err := observe(ctx, r.recorder, "choose", q, func() (estimate.Choice, error) {
		if r.in.History == nil {
			return estimate.Choice{Why: "the cheapest: nothing was seen before"}, nil
		}
		return r.in.History.Next(q), nil
	})
	if err != nil {
		return "", err
	}
	if c.Tier == "" { // the budget decides at the call itself, exactly
		c.Tier = tiers[0]
		if n := len(q.Tried); n > 0 {
			c.Tier = r.above(q.Tried[n-1].Tier)
		}
	}
	if c.Explored { // whoever pays for it hears of it first
		if err := r.progress(ctx, "repair", c.Tier, c.Why+"; budget.explore: false keeps to what is known"); err != nil {
			return "", err
		}
	}
	return c.Tier, r.note(ctx, "tier.chosen", c.Why, map[string]any{"tier": c.Tier, "explored": c.Explored, "case": q.Case, "step": r.state.Step + 1})
}

// kind is the run's case in the history.
func (r *run) kind() estimate.Case {
	var files []string
	for _, s := range first(r.suspects, 3) {
		files = append(files, s.Path)
	}
	return estimate.CaseOf(r.in.Task, r.failures(), files...)
}

// draw is a number from 0 up to 1 that depends on the run alone.
func draw(id string, n int) float64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s/%d", id, n)
	return float64(h.Sum64()>>11) / (1 << 53)
}

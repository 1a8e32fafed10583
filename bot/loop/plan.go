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

// adopt makes a plan the run's own. The steps before it are taken back: it is
// about the tree as it was given.
func (r *run) adopt(ctx context.Context, p agent.Plan, why string) error {
	if n := r.in.Budget.Steps; len(p.Steps) > n {
		p.Steps = p.Steps[:n]
	}
	raw, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("writing down the plan: %w", err)
	}
	if len(r.state.Done) > 0 {
		if err := r.lay(ctx, nil); err != nil {
			return err
		}
	}
	r.plan, r.state.Plan = p, raw
	r.state.PlanNo++
	r.state.Step, r.state.Done, r.state.Next = 0, nil, ""
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
	switch clear, where := r.clear(); {
	case r.in.Gates.Plan: // a human is to say yes to something worth reading
	case !can:
		why = "no model makes plans here"
	case clear:
		why = "a plan would cost more than it helps: the failing tests point at " + where
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
	if err := r.adopt(ctx, plan, plan.Summary); err != nil {
		return err
	}
	if err := r.askPlan(ctx); err != nil {
		return err
	}
	return r.save(ctx, "planned")
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

// clear tells whether the localisation leaves little to plan: tests fail, and
// the places that stand out lie in at most two files.
func (r *run) clear() (bool, string) {
	if len(r.red()) == 0 || len(r.suspects) == 0 {
		return false, ""
	}
	var files []string
	for _, s := range r.suspects {
		if s.Score >= 0.6*r.suspects[0].Score && !slices.Contains(files, s.Path) {
			files = append(files, s.Path)
		}
	}
	return len(files) <= 2, strings.Join(files, " and ")
}

func (r *run) planBrief(ctx context.Context, tier task.Tier) (agent.PlanBrief, error) {
	seen, err := r.shown(ctx)
	if err != nil {
		return agent.PlanBrief{}, err
	}
	return agent.PlanBrief{
		Task: r.in.Task, Tier: tier, Files: seen.Files, Places: seen.Places, Failures: r.failures(), Attempts: r.sendableAttempts(),
		Plan: r.plan, NeedsTest: len(r.red()) == 0, MaxSteps: r.in.Budget.Steps, MaxBytes: r.window(tier), Instructions: seen.Instructions,
	}, nil
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
		return r.note(ctx, "plan.kept", "no model makes plans here; what was said goes to whoever writes the change", map[string]any{"revision": r.state.Revisions})
	}
	brief, err := r.planBrief(ctx, tier)
	if err != nil {
		return err
	}
	plan, err := r.Planner.Revise(ctx, r.asker(fmt.Sprintf("plan-%d", r.state.PlanNo+1), nil), brief, because)
	if err != nil {
		return err
	}
	if sameSteps(plan, r.plan) || plan.Origin == agent.Fallback {
		return &Stop{task.FailedAllTiers, because + "; no other plan was found"}
	}
	if err := r.adopt(ctx, plan, fmt.Sprintf("revision %d of %d: %s", r.state.Revisions, r.in.Budget.Replans, because)); err != nil {
		return err
	}
	r.state.Feedback = because
	if err := r.askPlan(ctx); err != nil {
		return err
	}
	return r.save(ctx, "planned")
}

func sameSteps(a, b agent.Plan) bool {
	return slices.EqualFunc(a.Steps, b.Steps, func(x, y agent.Step) bool {
		return x.Goal == y.Goal && slices.Equal(x.Targets, y.Targets)
	})
}

// promised are the files that the plan names, without regions.
func (r *run) promised() []string {
	var out []string
	for _, s := range r.plan.Steps {
		for _, t := range s.Targets {
			if p, _, _ := strings.Cut(t, "::"); strings.TrimSpace(p) != "" && !slices.Contains(out, strings.TrimSpace(p)) {
				out = append(out, strings.TrimSpace(p))
			}
		}
	}
	return out
}

// choose takes the tier that a step begins at, or goes on at when one has
// failed, from history (SPEC L9).
func (r *run) choose(ctx context.Context, tiers []task.Tier) (task.Tier, error) {
	q := estimate.Query{Case: r.kind(), Tiers: tiers, Left: r.in.Budget.USD - r.money.all, Draw: draw(r.in.RunID, len(r.state.Attempts))}
	for _, a := range r.here() {
		if n := len(q.Tried); n > 0 && q.Tried[n-1].Tier == a.Tier {
			q.Tried[n-1].Cost += a.Cost
		} else {
			q.Tried = append(q.Tried, estimate.Try{Tier: a.Tier, Cost: a.Cost})
		}
	}
	c, err := observe(ctx, r.tape, "choose", q, func() (estimate.Choice, error) {
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

package loop

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/task"
)

// wait puts the run at a gate. What it stands before is saved, so that nothing
// is held while it waits.
func (r *run) wait(ctx context.Context, g task.Gate) error {
	g.Asked = r.now()
	r.state.Gate = &g
	if err := r.note(ctx, "gate.asked", g.Words, map[string]any{"gate": g.Kind, "step": g.Step, "attempt": g.Attempt}); err != nil {
		return err
	}
	return r.save(ctx, "waiting")
}

// asks tells whether a human is asked about protected files.
func (r *run) asks() bool { return r.in.Gates.Plan || r.in.Gates.Critical }

// planNeedsYes: every plan does, or this one, which aims at protected files. Where
// triage took the issue for too large by what it counts, a small plan says that it is not.
func (r *run) planNeedsYes() bool {
	return r.in.Gates.Plan && (!r.in.Gates.PlanLarge || !r.smallPlan()) || len(r.protectedTargets()) > 0 && r.asks()
}

// smallPlan: a planner wrote it, it is small, and each step says where.
func (r *run) smallPlan() bool {
	return r.plan.Origin != agent.Fallback && r.plan.Small() &&
		!slices.ContainsFunc(r.plan.Steps, func(s agent.Step) bool { return len(s.Targets) == 0 })
}

// askPlan: where plans need a yes, the run waits with the one that it has.
func (r *run) askPlan(ctx context.Context) error {
	if !r.planNeedsYes() {
		if r.in.Gates.Plan {
			return r.note(ctx, "gate.spared", "triage took the issue for more than one change; its plan is small and not critical, so nobody is asked", map[string]any{"steps": len(r.plan.Steps)})
		}
		return nil
	}
	var b strings.Builder
	b.WriteString(r.plan.Summary)
	if files := r.protectedTargets(); len(files) > 0 {
		fmt.Fprintf(&b, "\nIt aims at protected files: %s", strings.Join(files, ", "))
	}
	for i, s := range r.plan.Steps {
		fmt.Fprintf(&b, "\n%d. %s", i+1, s.Goal)
		if i < len(r.state.Done) {
			b.WriteString(" (done)")
		}
		if len(s.Targets) > 0 {
			fmt.Fprintf(&b, " (%s)", strings.Join(first(s.Targets, 5), ", "))
		}
	}
	return r.wait(ctx, task.Gate{Kind: task.GatePlan, Words: b.String()})
}

// needsYes says why a green change needs a human's yes, or "".
func (r *run) needsYes(a task.Attempt, risk task.Risk) string {
	g, step := r.in.Gates, r.plan.Steps[r.state.Step]
	switch {
	case g.Plan && !g.PlanFirst && a.Tier == task.TierMechanical:
		return "this repository wants a plan approved first, and mechanical repair found this change without one"
	case g.Critical && step.Critical:
		return "the plan calls this step critical: " + step.Goal
	case g.RiskOver > 0 && risk.Score > g.RiskOver:
		return fmt.Sprintf("its risk is %d of 100, over %d: %s", risk.Score, g.RiskOver, strings.Join(first(risk.Reasons, 3), "; "))
	}
	return ""
}

// answered takes in what a human said. Without an answer the run waits on.
func (r *run) answered(ctx context.Context) error {
	g := *r.state.Gate
	var said *task.Answer
	for said == nil && r.state.Answered < len(r.in.Answers) {
		if a := r.in.Answers[r.state.Answered]; a.Gate == g.Kind && a.Step == g.Step {
			said = &a
		}
		r.state.Answered++
	}
	if said == nil {
		return &Waiting{g}
	}
	r.state.Gate = nil
	kind, words := "gate.approved", "approved"
	if !said.Approved {
		kind, words = "gate.rejected", "rejected: "+said.Feedback
	}
	if err := r.note(ctx, kind, words, map[string]any{"gate": g.Kind, "step": g.Step, "attempt": g.Attempt, "by": said.By}); err != nil {
		return err
	}
	var err error
	switch {
	case g.Kind == task.GatePlan && !said.Approved:
		err = r.planRejected(ctx, said.Feedback)
	case g.Kind == task.GatePlan:
		r.state.PlanYes = r.state.PlanNo
	case g.Kind == task.GateStep && said.Approved:
		err = r.accepted(ctx, g.Attempt)
	case g.Kind == task.GateProtect && said.Approved:
		r.state.Attempts[g.Attempt-1].Yes = true
		r.state.Next = r.state.Attempts[g.Attempt-1].Tier
		err = r.again(ctx, r.state.Attempts[g.Attempt-1])
	case !said.Approved: // a step: a retry with the feedback
		a := r.state.Attempts[g.Attempt-1]
		a.Why = "rejected by a human: " + said.Feedback
		r.state.Attempts[g.Attempt-1] = a
		err = r.move(ctx, &a, agent.Decision{Next: agent.NextRetry, By: "human", Reason: said.Feedback})
	}
	if err != nil {
		return err
	}
	return r.save(ctx, "answered")
}

// planRejected uses a revision of the plan, with the feedback.
func (r *run) planRejected(ctx context.Context, words string) error {
	if r.state.Revisions >= r.in.Budget.Replans {
		return &Stop{task.MaxReplans, fmt.Sprintf("the plan was rejected (%s), and it was revised %d times already", words, r.state.Revisions)}
	}
	return r.revise(ctx, "a human rejected the plan: "+words)
}

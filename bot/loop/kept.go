package loop

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/task"
)

// keeps tells why a change is kept without a review, or "". What mechanical repair found
// and has objections to can be a draft at best. Where a model may bring more than that,
// it is asked first, and the reviewer only if it brings nothing.
func (r *run) keeps(t *trial, e agent.Evidence) string {
	if !t.objected || e.Red() || r.Reviewer == nil || len(r.modelTiers()) == 0 || r.written() || r.needsYes(*t.a, t.risk) != "" {
		return ""
	}
	t.a.Kept = true
	objection := "other changes pass the same tests"
	if len(t.a.Doubts) > 0 {
		objection = t.a.Doubts[0]
	}
	return "it could only be a draft (" + objection + "), so a model is asked for more"
}

// climb makes attempts until an outcome stands. Where no tier brought a change, the one
// that was kept is it, as a draft, unless the reviewer is against it.
func (r *run) climb(ctx context.Context) error {
	err := r.work(ctx)
	var stop, late *Stop
	if !errors.As(err, &stop) || !slices.Contains([]task.Outcome{task.FailedAllTiers, task.LoopDetected, task.Impasse, task.MaxAttempts, task.MaxReplans, task.BudgetExhausted, task.Timeout}, stop.Outcome) {
		return err
	}
	i := slices.IndexFunc(r.state.Attempts, func(a task.Attempt) bool { return a.Kept })
	if i < 0 {
		return err
	}
	a := r.state.Attempts[i]
	before := r.money.all
	t := &trial{a: &a, ask: r.asker(fmt.Sprintf("attempt-%d", a.Number), &a)}
	e := agent.Evidence{Green: true, Proven: len(a.Fixed) > 0, Fixed: a.Fixed, Tier: a.Tier}
	var review agent.Review
	if review, err = r.review(ctx, t, e, agent.Advice{}); err != nil && (!errors.As(err, &late) || late.Outcome != task.Timeout) {
		return err
	}
	a.Cost += r.money.all - before
	a.Kept = false
	d := agent.Judge(e, agent.Advice{}, review)
	if d.Next == agent.NextAccept {
		a.Doubts = append(slices.Clone(a.Doubts), "models were asked for a better change and brought none: "+stop.Reason)
		if review.Verdict == "" {
			a.Doubts = append(a.Doubts, "no reviewer looked at it: there was no time or money left")
		}
	}
	a.Why = verdictWords(a, d)
	r.state.Attempts = slices.Clone(r.state.Attempts)
	r.state.Attempts[i] = a
	if err := r.note(context.WithoutCancel(ctx), "attempt.judged", a.Why, map[string]any{"attempt": a.Number, "tier": a.Tier, "green": a.Green, "next": d.Next, "by": d.By, "instead": stop.Outcome}); err != nil {
		return err
	}
	if d.Next != agent.NextAccept {
		return stop
	}
	r.state.Done, r.state.Accepted, r.state.Next = []int{a.Number}, a.Number, ""
	r.end(task.Success, "")
	return nil
}

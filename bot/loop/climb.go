package loop

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/mend"
	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
)

// next is what follows an attempt.
type next int

const (
	retry    next = iota // again at the same tier
	escalate             // the next tier
	accept               // done
)

// climb tries the tiers from the cheapest up. A run that was taken up again
// goes on after the last attempt it saved.
func (r *run) climb(ctx context.Context) error {
	tried, looped := false, false
	for _, tier := range task.Ladder {
		if tier.Rank() > r.in.Budget.MaxTier.Rank() {
			break
		}
		if why := r.unavailable(tier); why != "" {
			if err := r.note(ctx, "tier.skipped", why, map[string]any{"tier": tier}); err != nil {
				return err
			}
			continue
		}
		tried = true
		step, err := r.tier(ctx, tier)
		if err != nil {
			return err
		}
		if step == accept {
			return nil
		}
		looped = r.repeated(tier)
	}
	switch {
	case !tried:
		return &Stop{task.Rejected, r.nothingToTry()}
	case looped:
		return &Stop{task.LoopDetected, "the strongest tier allowed repeated a change that had already failed"}
	}
	return &Stop{task.FailedAllTiers, "every tier that is configured and allowed was tried"}
}

// unavailable says why a tier is passed over, or "".
func (r *run) unavailable(tier task.Tier) string {
	if tier == task.TierMechanical {
		if len(r.red()) == 0 {
			return "no test fails, and mechanical repair needs one that does"
		}
		return ""
	}
	if !r.Models.Has(tier) {
		return fmt.Sprintf("%s has no model configured", tier)
	}
	return ""
}

func (r *run) nothingToTry() string {
	if len(r.red()) == 0 {
		return "no test fails on the base, so there is nothing that a repair without a model could prove; add a failing test, or configure a model under tiers"
	}
	return "no tier is allowed and configured; raise max_tier or configure a model under tiers"
}

// tier makes the attempts of one tier.
func (r *run) tier(ctx context.Context, tier task.Tier) (next, error) {
	limit := r.in.Budget.AttemptsPerTier
	if tier == task.TierMechanical {
		limit = 1 // one search is one attempt
	}
	for r.attemptsAt(tier) < limit {
		if len(r.state.Attempts) >= r.in.Budget.Attempts {
			return 0, &Stop{task.MaxAttempts, fmt.Sprintf("the limit of %d attempts was reached", r.in.Budget.Attempts)}
		}
		if !r.Now().Before(r.deadline) {
			return 0, &Stop{task.Timeout, fmt.Sprintf("the limit of %s for a run was reached", r.in.Budget.Duration)}
		}
		step, err := r.attempt(ctx, tier)
		if err != nil || step != retry {
			return step, err
		}
	}
	return escalate, nil
}

// attempt is one pass develop → apply → verify → judge, saved when it is over.
func (r *run) attempt(ctx context.Context, tier task.Tier) (next, error) {
	a := task.Attempt{Number: len(r.state.Attempts) + 1, Tier: tier, Model: r.Models.Name(tier), StartedAt: r.Now().UTC()}
	if err := r.progress(ctx, "repair", tier, "writing a change"); err != nil {
		return 0, err
	}
	before, _, err := r.in.Journal.Spent(ctx)
	if err != nil {
		return 0, fmt.Errorf("reading what was spent: %w", err)
	}
	step, err := r.try(ctx, &a)
	if err != nil {
		return 0, err
	}
	after, _, err := r.in.Journal.Spent(ctx)
	if err != nil {
		return 0, fmt.Errorf("reading what was spent: %w", err)
	}
	a.Cost, a.Elapsed = after-before, r.Now().Sub(a.StartedAt)
	r.state.Attempts = append(r.state.Attempts, a)
	if step == accept {
		r.state.Accepted = a.Number
		r.end(task.Success, "")
	}
	if err := r.note(ctx, "attempt.judged", verdictWords(a, step), map[string]any{"attempt": a.Number, "tier": tier, "green": a.Green, "fixed": a.Fixed, "broken": a.Broken, "cost_usd": a.Cost}); err != nil {
		return 0, err
	}
	return step, r.save(ctx, "attempt")
}

// try fills in the attempt and says what follows. The tree is the base again
// when it returns, unless the attempt was accepted.
func (r *run) try(ctx context.Context, a *task.Attempt) (next, error) {
	var newTests []string
	var step next
	var err error
	if a.Tier == task.TierMechanical {
		step, err = r.repair(ctx, a)
	} else {
		newTests, step, err = r.develop(ctx, a)
	}
	if err != nil || len(a.Patch.Edits) == 0 || a.Refused != "" {
		return step, err
	}
	newTests = r.addExample(a, newTests)
	for _, e := range a.Patch.Edits {
		newTest := e.Kind == task.EditCreate && code.IsTest(e.Path)
		if own := r.in.RepoScope; len(own) > 0 && !patch.Match(own, e.Path) && !newTest {
			a.Refused = fmt.Sprintf("%s is out of the scope that the repository's settings allow", e.Path)
			return retry, nil
		}
	}
	applied, err := patch.Apply(ctx, r.in.Tree.Dir(), a.Patch, r.guard(a.Tier))
	var refusal *patch.Refusal
	switch {
	case errors.As(err, &refusal):
		a.Refused = refusal.Error()
		return retry, nil
	case err != nil:
		return 0, ended(ctx, fmt.Errorf("applying attempt %d: %w", a.Number, err))
	}
	r.Point("edit applied")
	a.Regions, a.Callers = applied.Regions, applied.Callers
	if a.Diff, err = r.in.Tree.Diff(ctx); err != nil {
		return 0, ended(ctx, fmt.Errorf("reading the diff of attempt %d: %w", a.Number, err))
	}
	if a.Diff == "" {
		a.Refused = "the answer changes nothing"
		return retry, nil
	}
	if n := r.sameDiff(a.Diff); n > 0 {
		a.Refused = fmt.Sprintf("the same change as attempt %d", n)
		return escalate, r.in.Tree.Reset(ctx)
	}
	if err := r.judge(ctx, a, newTests); err != nil {
		return 0, err
	}
	if refused, err := r.weigh(ctx, a, newTests); err != nil {
		return 0, err
	} else if refused {
		if r.rejectedAt(a.Tier) > 0 { // it was told once
			step = escalate
		} else {
			step = retry
		}
		return step, r.in.Tree.Reset(ctx)
	}
	if err := r.ownChecks(ctx, a); err != nil {
		return 0, err
	}
	if err := r.pin(ctx, a, newTests); err != nil {
		return 0, err
	}
	if _, err := r.in.Tree.Commit(ctx, fmt.Sprintf("attempt %d (%s)", a.Number, a.Tier), checkout.Signature{Name: "fettle", Email: "fettle@localhost", When: r.Now()}); err != nil {
		return 0, ended(ctx, fmt.Errorf("committing attempt %d: %w", a.Number, err))
	}
	for i := range a.Regions {
		a.Regions[i].Verified = a.Green
	}
	if a.Green {
		return accept, nil
	}
	if a.Tier == task.TierMechanical {
		step = escalate
	} else {
		step = retry
	}
	if err := r.in.Tree.Reset(ctx); err != nil {
		return 0, fmt.Errorf("rolling attempt %d back: %w", a.Number, err)
	}
	return step, nil
}

// guard is what a patch of a tier may touch. Mechanical repair says nothing
// about signatures; its changes are judged by the tests alone.
func (r *run) guard(tier task.Tier) patch.Guard {
	g := r.in.Guard
	g.Signatures = tier == task.TierMechanical
	return g
}

// judge proves or refutes the change with the checks of the whole tree.
func (r *run) judge(ctx context.Context, a *task.Attempt, newTests []string) error {
	if err := r.progress(ctx, "verify", a.Tier, "running all tests on the change"); err != nil {
		return err
	}
	r.Point("testing")
	v, err := r.Verifier.Judge(ctx, verify.Judge{Dir: r.in.Tree.Dir(), Base: r.in.Tree.BaseFS(), Baseline: r.baseline, NewTests: newTests})
	if err != nil {
		return ended(ctx, fmt.Errorf("verifying attempt %d: %w", a.Number, err))
	}
	a.Green, a.Fixed, a.Broken, a.Checks = v.Green, v.Fixed, append(v.Broken, v.Missing...), v.Checks
	if !v.Green {
		a.Failures = first(v.Failures, 10)
	}
	return nil
}

// repair asks mechanical repair for a change.
func (r *run) repair(ctx context.Context, a *task.Attempt) (next, error) {
	req := r.mendRequest(ctx)
	req.Deadline = r.deadline
	var rep mend.Repair
	err := r.withExample(ctx, func() (err error) {
		rep, err = r.Mender.Repair(ctx, req, r.suspects)
		return err
	})
	if err != nil {
		return 0, ended(ctx, fmt.Errorf("mechanical repair: %w", err))
	}
	if err := r.note(ctx, "mend.searched", rep.Reason, map[string]any{"tried": rep.Tried, "plausible": rep.Plausible}); err != nil {
		return 0, err
	}
	if rep.Found == nil {
		a.Explanation = fmt.Sprintf("%d mechanical candidates were tried: %s", rep.Tried, rep.Reason)
		return escalate, nil
	}
	a.Patch, a.Explanation = rep.Found.Patch, rep.Found.Explanation
	a.Alternatives, a.Ambiguous, a.Doubts = rep.Found.Alternatives, rep.Found.Ambiguous, rep.Found.Doubts
	return escalate, nil
}

// develop asks the tier's model for a change.
func (r *run) develop(ctx context.Context, a *task.Attempt) (newTests []string, step next, err error) {
	brief := r.brief(a.Tier)
	answer, err := r.Developer.Develop(ctx, r.asker(a), brief)
	var malformed *agent.Malformed
	var failed *model.Error
	switch {
	case err != nil && ctx.Err() != nil: // whatever the call died of, this is why
		return nil, 0, context.Cause(ctx)
	case errors.Is(err, ErrLost):
		a.Refused = err.Error()
		return nil, retry, nil
	case errors.As(err, &malformed):
		a.Refused = malformed.Error()
		return nil, retry, nil
	case errors.As(err, &failed) && failed.Class == model.Empty:
		a.Refused = failed.Error()
		return nil, retry, nil
	case errors.As(err, &failed):
		a.Refused = failed.Error() // the provider is down: the next tier may not be
		return nil, escalate, nil
	case err != nil:
		return nil, 0, ended(ctx, err)
	}
	a.Patch, a.Explanation = answer.Patch, answer.Explanation
	if len(a.Patch.Edits) == 0 {
		a.Refused = "the answer holds no edit"
		return nil, retry, nil
	}
	if !brief.NeedsTest {
		return answer.NewTests, retry, nil
	}
	return answer.NewTests, retry, r.reproduce(ctx, a, answer)
}

// reproduce demands, where no test fails, a new one that fails on the base.
func (r *run) reproduce(ctx context.Context, a *task.Attempt, answer agent.Answer) error {
	if len(answer.NewTests) == 0 {
		a.Refused = "no test fails on the base, and the answer adds none that does"
		return nil
	}
	for _, e := range answer.Patch.Edits {
		if e.Kind != task.EditCreate || e.Path != answer.NewTests[0] {
			continue
		}
		ids, fails, err := r.Verifier.Reproduces(ctx, r.in.Tree.Dir(), e.Path, []byte(e.Code))
		switch {
		case err != nil:
			return ended(ctx, fmt.Errorf("running the new test on the base: %w", err))
		case !fails:
			a.Refused = fmt.Sprintf("the new test %s does not fail on the code as it is (%d tests seen)", e.Path, len(ids))
		}
		return nil
	}
	return nil
}

func (r *run) attemptsAt(tier task.Tier) int {
	n := 0
	for _, a := range r.state.Attempts {
		if a.Tier == tier {
			n++
		}
	}
	return n
}

// sameDiff gives the number of an earlier attempt with exactly this diff, or 0.
func (r *run) sameDiff(diff string) int {
	sum := sha256.Sum256([]byte(diff))
	for _, a := range r.state.Attempts {
		if a.Diff != "" && sha256.Sum256([]byte(a.Diff)) == sum {
			return a.Number
		}
	}
	return 0
}

// repeated tells whether the tier's last attempt was a repetition.
func (r *run) repeated(tier task.Tier) bool {
	if len(r.state.Attempts) == 0 {
		return false
	}
	last := r.state.Attempts[len(r.state.Attempts)-1]
	return last.Tier == tier && last.Diff != "" && last.Refused != ""
}

func verdictWords(a task.Attempt, step next) string {
	switch {
	case step == accept:
		return "green: accepted"
	case a.Refused != "":
		return a.Refused
	case a.Diff == "":
		return a.Explanation
	case len(a.Broken) > 0:
		return fmt.Sprintf("%d tests that were green are red or missing", len(a.Broken))
	}
	return "the failing tests still fail"
}

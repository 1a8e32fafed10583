package loop

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/loop/detect"
	"github.com/fettle-dev/fettle/bot/mend"
	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
)

// attempt is one pass develop → apply → verify → review → judge, saved when it
// is over.
func (r *run) attempt(ctx context.Context, tier task.Tier) error {
	if r.written() {
		return r.pass(ctx, tier, *r.in.Task.Follow.Edits)
	}
	return r.pass(ctx, tier, task.Patch{})
}

// again tries a change that a human allowed to touch protected files.
func (r *run) again(ctx context.Context, a task.Attempt) error {
	if err := r.limits(ctx); err != nil {
		return err
	}
	return r.pass(ctx, a.Tier, a.Patch)
}

// pass makes an attempt; given is a change that is there already.
func (r *run) pass(ctx context.Context, tier task.Tier, given task.Patch) error {
	a := task.Attempt{
		Number: len(r.state.Attempts) + 1, Plan: r.state.PlanNo, Step: r.state.Step + 1, On: slices.Clone(r.state.Done), Tier: tier,
		Model: r.rungs[tier].Model, StartedAt: r.now().UTC(), Patch: given, Yes: len(given.Edits) > 0,
	}
	if err := r.progress(ctx, "repair", tier, "writing a change"); err != nil {
		return err
	}
	before := r.money.all
	t := &trial{a: &a}
	d, err := r.try(ctx, t)
	if err != nil {
		return err
	}
	d = r.circles(ctx, t, d)
	a.Cost, a.Elapsed = r.money.all-before, r.now().Sub(a.StartedAt)
	a.Why = verdictWords(a, d)
	r.state.Attempts = append(slices.Clone(r.state.Attempts), a)
	data := map[string]any{"attempt": a.Number, "step": a.Step, "tier": tier, "green": a.Green, "fixed": a.Fixed, "broken": a.Broken, "cost_usd": a.Cost, "lessons": a.Lessons, "next": d.Next, "by": d.By}
	maps.Copy(data, r.repairs(a))
	if a.Loop != "" {
		data["loop"], data["confidence"] = a.Loop, t.found.Confidence
	}
	if err := r.note(ctx, "attempt.judged", a.Why, data); err != nil {
		return err
	}
	switch why := r.needsYes(a, t.risk); {
	case t.protected && (r.in.Gates.Critical || r.in.Gates.Plan && len(r.protectedTargets()) > 0):
		err = r.wait(ctx, task.Gate{Kind: task.GateProtect, Step: a.Step, Attempt: a.Number, Words: a.Refused})
	case d.Next == agent.NextAccept && why != "":
		err = r.wait(ctx, task.Gate{Kind: task.GateStep, Step: a.Step, Attempt: a.Number, Words: why})
	default:
		err = r.move(ctx, &a, d)
	}
	var stop *Stop
	if err != nil && !errors.As(err, &stop) {
		return err
	}
	return errors.Join(r.save(ctx, "attempt"), err)
}

// trial is an attempt while it is made, with what is not kept of it.
type trial struct {
	a         *task.Attempt
	risk      task.Risk
	protected bool // refused for a protected file alone
	actions   []detect.Action
	objected  bool // mechanical repair itself has objections to what it found
	found     detect.Finding
	ask       agent.Ask
}

// mostRed bounds the failing tests that an attempt remembers.
const mostRed = 100

// mostKept bounds the failures of one kind of check that an attempt remembers.
const mostKept = 10

// mostDangers bounds the dangers that a draft names one by one.
const mostDangers = 20

func decided(n agent.Next, reason string) agent.Decision {
	return agent.Decision{Next: n, By: "checks", Reason: reason}
}

// try fills in the attempt and says what follows. The tree is what it was
// before when it returns, unless the attempt was accepted.
func (r *run) try(ctx context.Context, t *trial) (agent.Decision, error) {
	a := t.a
	t.ask = r.asker(fmt.Sprintf("attempt-%d", a.Number), a)
	d, err := decided(agent.NextRetry, ""), error(nil)
	switch {
	case len(a.Patch.Edits) > 0: // it is there already
	case a.Tier == task.TierMechanical:
		d, err = r.mend(ctx, a)
		t.objected = a.Ambiguous || len(a.Doubts) > 0
	default:
		d, err = r.develop(ctx, t)
	}
	if err != nil || len(a.Patch.Edits) == 0 || a.Refused != "" {
		return d, err
	}
	if a.Ambiguous && r.care.Degraded() {
		a.Refused = "other changes pass the same tests, and nothing decides between them: in degraded mode that is refused"
		return decided(agent.NextEscalate, a.Refused), nil
	}
	r.addExample(a)
	if a.Refused = r.outOfScope(a.Tier, a.Patch); a.Refused != "" {
		return decided(agent.NextRetry, a.Refused), nil
	}
	guard := r.guard(a.Tier)
	guard.AllowProtected = guard.AllowProtected || a.Yes
	guard.Confidence = r.care.Confidence
	did, err := r.apply(ctx, a.Patch, guard, a.Tier)
	if err != nil {
		return d, err
	}
	a.Refused, a.Regions, a.Callers, a.Diff, t.risk, t.protected = did.Refused, did.Regions, did.Callers, did.Diff, did.Risk, did.Protected
	if a.Refused == "" && a.Diff == "" {
		a.Refused = "the answer changes nothing"
	}
	if err := r.toldOfTarget(ctx, a, did.Rule); err != nil {
		return d, err
	}
	if a.Refused != "" {
		return decided(agent.NextRetry, a.Refused), nil
	}
	if n := r.sameDiff(t); n > 0 {
		a.Refused = fmt.Sprintf("the same change as attempt %d", n)
		return decided(agent.NextEscalate, a.Refused), r.restore(ctx, r.stands(r.state.Done))
	}
	d, err = r.prove(ctx, t)
	if err != nil || d.Next == agent.NextAccept {
		return d, err
	}
	if err := r.restore(ctx, r.stands(r.state.Done)); err != nil {
		return d, fmt.Errorf("rolling attempt %d back: %w", a.Number, err)
	}
	return d, nil
}

// keepFailures remembers the first of some failures, and how many there are besides.
func keepFailures(a *task.Attempt, all []task.Failure) {
	kept := first(all, mostKept)
	a.Failures, a.Unkept = append(slices.Clone(a.Failures), kept...), a.Unkept+len(all)-len(kept)
}

// prove judges the change that lies in the tree, and commits it.
func (r *run) prove(ctx context.Context, t *trial) (agent.Decision, error) {
	a := t.a
	if err := r.progress(ctx, "verify", a.Tier, "running all tests on the change"); err != nil {
		return agent.Decision{}, err
	}
	begun := r.now()
	v, err := r.judge(ctx, a, r.judging(a))
	if err != nil {
		return agent.Decision{}, err
	}
	if a.Search != nil {
		a.Search.Judged = r.since(begun)
	}
	v.StillRed = without(v.StillRed, r.baseline.Aside)
	r.asked(a, &v)
	a.Green, a.Fixed, a.Besides, a.Broken, a.Checks = v.Green, v.Fixed, v.Besides, append(v.Broken, v.Missing...), v.Checks
	a.Red = first(append(slices.Clone(v.StillRed), a.Broken...), mostRed)
	if !v.Green {
		a.Failures, a.Unkept = nil, 0
		keepFailures(a, v.Failures)
	}
	late := timedOut(v.Failures)
	if err := r.reportStep(ctx, a.Number, "verify", map[bool]task.Trigger{true: task.Watchdog}[late != ""], late); err != nil {
		return agent.Decision{}, err
	}
	a.Doubts = append(a.Doubts, without(v.Doubts, a.Doubts)...)
	for _, f := range v.Reach {
		a.Doubts = append(a.Doubts, fmt.Sprintf("the change newly reaches for what a fix seldom needs: %s; check whether it has to", f))
	}
	for _, f := range first(v.Dangers, mostDangers) {
		a.Doubts = append(a.Doubts, fmt.Sprintf("the change can do harm that no test sees: %s; check whether it has to", f))
	}
	if n := len(v.Dangers) - mostDangers; n > 0 {
		a.Doubts = append(a.Doubts, fmt.Sprintf("the change has %s more that can do harm: look at all of it", task.Count(n, "line")))
	}
	if r.halfReproduced(a, v.StillRed) {
		a.Green = false
		return decided(agent.NextEscalate, "it mends only a part of what "+r.example.Path+" shows; a model is asked next"), r.commit(ctx, a)
	}
	if refused, err := r.weigh(ctx, a); err != nil {
		return agent.Decision{}, err
	} else if refused {
		if r.rejectedAt(a.Tier) > 0 { // it was told once
			return decided(agent.NextEscalate, a.Refused), nil
		}
		return decided(agent.NextRetry, a.Refused), nil
	}
	if err := r.answer(ctx, a); err != nil {
		return agent.Decision{}, err
	}
	if err := r.conform(ctx, a); err != nil {
		return agent.Decision{}, err
	}
	if err := r.smokes(ctx, a); err != nil {
		return agent.Decision{}, err
	}
	if err := r.ownChecks(ctx, a); err != nil {
		return agent.Decision{}, err
	}
	v.Green = a.Green
	if err := r.pin(ctx, a); err != nil {
		return agent.Decision{}, err
	}
	if err := r.commit(ctx, a); err != nil {
		return agent.Decision{}, err
	}
	return r.verdict(ctx, t, v)
}

// commit keeps what an attempt made of the tree.
func (r *run) commit(ctx context.Context, a *task.Attempt) (err error) {
	ref := fmt.Sprintf("refs/fettle/%s/attempt-%d", r.in.RunID, a.Number)
	if a.Commit, err = r.keep(ctx, keeping{a.Number, ref, fmt.Sprintf("attempt %d (%s)", a.Number, a.Tier), r.now()}); err != nil {
		return err
	}
	for i := range a.Regions {
		a.Regions[i].Verified = a.Green
	}
	return nil
}

// verdict puts together what the checks show and what the roles say. A model
// can lower it and never raise it.
func (r *run) verdict(ctx context.Context, t *trial, v verify.Verdict) (agent.Decision, error) {
	a := t.a
	e := agent.Evidence{Green: v.Green, Proven: len(v.Fixed) > 0, Fixed: a.Fixed, Broken: a.Broken, StillRed: v.StillRed, Failures: a.Failures, Unkept: a.Unkept, Tier: a.Tier, Earlier: r.here()}
	e.OnBase = a.OnBase
	e.Reproduced, e.Known = r.origins(a.Fixed)
	if len(r.stepsLeft()) > 0 && !v.Green && sound(a, v) {
		e.Green, e.Failures = true, nil // the steps to come are what mends the tests
	}
	if e.Green && len(r.stepsLeft()) == 0 {
		p, err := r.product(ctx, append(r.stands(r.state.Done), standing{Number: a.Number, Patch: a.Patch, Facts: factsOf(*a)}), r.plan.Files())
		if err != nil {
			return agent.Decision{}, err
		}
		e.Missing = p.Missing
	}
	if why := r.keeps(t, e); why != "" {
		return decided(agent.NextEscalate, why), nil
	}
	var advice agent.Advice
	var review agent.Review
	if a.Tier != task.TierMechanical || e.Green {
		var err error
		if advice, review, err = r.opinions(ctx, t, e); err != nil {
			return agent.Decision{}, err
		}
	}
	d := agent.Judge(e, advice, review)
	if d.Next != agent.NextAccept && a.Tier == task.TierMechanical {
		d.Next = agent.NextEscalate
	}
	if len(e.Missing) > 0 {
		a.Refused = d.Reason
	}
	return d, nil
}

// origins counts of tests that are mended those of the reproduction, and the others that
// were there before.
func (r *run) origins(fixed []string) (reproduced, known int) {
	var own []string
	if r.example != nil {
		own = r.example.Report.Red()
	}
	for _, id := range fixed {
		switch {
		case slices.Contains(own, id):
			reproduced++
		case slices.Contains(r.baseline.Report.Red(), id):
			known++
		}
	}
	return reproduced, known
}

// sound: nothing is broken, no required scenario either; all that is wanting is
// that a failing test passes.
func sound(a *task.Attempt, v verify.Verdict) bool {
	return len(a.Broken) == 0 && v.OnlyUnfixed()
}

// stepsLeft are the steps after the one in hand.
func (r *run) stepsLeft() []agent.Step { return r.plan.Steps[min(r.state.Step+1, len(r.plan.Steps)):] }

// opinions asks the tester, and the reviewer about what the checks let pass.
// Where the budget holds no further call, the evidence decides alone.
func (r *run) opinions(ctx context.Context, t *trial, e agent.Evidence) (advice agent.Advice, review agent.Review, err error) {
	if r.Tester != nil && t.a.Tier != task.TierMechanical { // of a search there is nothing to recommend
		ask := t.ask
		if _, ok := r.rungs[task.TierNano]; !ok {
			ask = nil
		}
		advice, err = r.Tester.Recommend(ctx, ask, e)
		if err = r.unaffordable(ctx, err); err != nil {
			return advice, review, err
		}
	}
	review, err = r.review(ctx, t, e, advice)
	return advice, review, err
}

// review asks the reviewer about what the checks let pass.
func (r *run) review(ctx context.Context, t *trial, e agent.Evidence, advice agent.Advice) (review agent.Review, err error) {
	tier := t.a.Tier
	if tiers := r.modelTiers(); tier == task.TierMechanical && len(tiers) > 0 { // the cheapest looks at what the search found
		tier = tiers[0]
	}
	if r.Reviewer == nil || e.Red() || tier == task.TierMechanical || r.written() { // what a human wrote out needs no model's yes
		return review, nil
	}
	brief := agent.ReviewBrief{Task: r.in.Task, Tier: tier, Diff: t.a.Diff, Evidence: e, Advice: advice,
		Doubts: first(t.a.Doubts, 5), Rivals: first(t.a.Alternatives, 3)}
	if !t.a.Kept { // which was made of the task as a whole
		brief.Done = r.done()
		if !r.plan.Whole() {
			brief.Step = r.step()
		}
	}
	review, err = r.Reviewer.Review(ctx, t.ask, brief)
	return review, r.unaffordable(ctx, err)
}

// unaffordable forgives a call that was not made for want of money.
func (r *run) unaffordable(ctx context.Context, err error) error {
	var stop *Stop
	if errors.As(err, &stop) && stop.Outcome == task.BudgetExhausted {
		return r.note(ctx, "advice.skipped", stop.Reason, nil)
	}
	return err
}

// outOfScope says which edit lies outside what the repository allows, or "". A
// model changes nothing that it may not see: the diff would show it.
func (r *run) outOfScope(tier task.Tier, p task.Patch) string {
	own := r.in.RepoScope
	for _, e := range p.Edits {
		if tier != task.TierMechanical && patch.Match(r.in.NeverSend, path.Clean(e.Path)) {
			return fmt.Sprintf("%s is never sent to a model, so a model cannot change it", e.Path)
		}
		newTest := e.Kind == task.EditCreate && code.IsTest(e.Path)
		if len(own) > 0 && !patch.Match(own, e.Path) && !newTest {
			return fmt.Sprintf("%s is out of the scope that the repository's settings allow", e.Path)
		}
	}
	return ""
}

// guard is what a patch of a tier may touch. Mechanical repair says nothing
// about signatures; its changes are judged by the tests alone.
func (r *run) guard(tier task.Tier) patch.Guard {
	g := r.in.Guard
	g.Signatures = tier == task.TierMechanical
	return g
}

func factsOf(a task.Attempt) patch.Facts {
	return patch.Facts{Tier: a.Tier, TestsAdded: addsTest(a.Patch), CallersLeft: len(left(a))}
}

// mend asks mechanical repair for a change.
func (r *run) mend(ctx context.Context, a *task.Attempt) (agent.Decision, error) {
	begun := r.now()
	q := r.search(ctx)
	q.Deadline = r.freeUntil()
	q.Followed = len(r.modelTiers()) > 0 && r.reproducedAlone() && r.example.By != ""
	rep, err := r.repair(ctx, q)
	if err != nil {
		return agent.Decision{}, err
	}
	a.Search = &task.Search{Tried: rep.Tried, Plausible: rep.Plausible, TimeUp: rep.TimeUp, Seconds: r.since(begun), Localised: r.localised, Suspects: suspicious(r.suspects)}
	if err := r.note(ctx, "mend.searched", rep.Reason, map[string]any{"tried": rep.Tried, "plausible": rep.Plausible, "time_up": rep.TimeUp}); err != nil {
		return agent.Decision{}, err
	}
	if rep.Found == nil {
		a.Explanation = rep.Reason
		return decided(agent.NextEscalate, a.Explanation), nil
	}
	a.Lessons = task.LessonsOf(rep.Found.Template)
	a.Patch, a.Explanation, a.Search.Template = rep.Found.Patch, rep.Found.Explanation, rep.Found.Template
	a.Search.Place, a.Search.Rejected = rep.Found.Place, rep.Found.Rejected
	a.Alternatives, a.Ambiguous, a.Doubts = rep.Found.Alternatives, rep.Found.Ambiguous, rep.Found.Doubts
	return decided(agent.NextEscalate, ""), nil
}

const (
	// Where models come after it, the free search gets so much of what is left of
	// the run's time, and not less than leastFree where the run has twice that.
	freeShare = 10
	leastFree = 45 * time.Second
)

// freeUntil is when what mechanical repair finds has to be judged: all of the
// run's time is its own where no model comes after it.
func (r *run) freeUntil() time.Time {
	left := r.deadline.Sub(r.now())
	if len(r.modelTiers()) > 0 {
		left = min(max(left/freeShare, leastFree), left/2)
	}
	return r.now().Add(left)
}

// since is how long ago a moment was, in seconds to three places.
func (r *run) since(begun time.Time) float64 {
	return math.Round(r.now().Sub(begun).Seconds()*1000) / 1000
}

// suspicious describes the places that are the most suspicious.
func suspicious(all []mend.Suspect) []string {
	var out []string
	for _, s := range first(all, 5) {
		out = append(out, fmt.Sprintf("%s, line %d (%.2f): %s", s.Path, s.Line, s.Score, strings.Join(s.Reasons, ", ")))
	}
	return out
}

// develop asks the tier's model for a change.
func (r *run) develop(ctx context.Context, t *trial) (agent.Decision, error) {
	a := t.a
	brief, err := r.brief(ctx, t)
	if err != nil {
		return agent.Decision{}, err
	}
	var shown []string
	if !brief.Small { // whose prompt has no room for them
		brief.Precedents, brief.Warnings, brief.Advice, shown = r.remembered(a.Tier)
	}
	if err := r.tellRemembered(ctx, "developer", a.Tier, shown); err != nil {
		return agent.Decision{}, err
	}
	a.Lessons = shown
	write := func() (agent.Answer, error) { return r.Developer.Develop(ctx, t.ask, brief) }
	if r.rungs[a.Tier].Command {
		write = func() (agent.Answer, error) { return r.delegate(ctx, a, brief) }
	}
	answer, err := write()
	a.Looked = readOf(answer.Actions)
	for _, x := range answer.Actions {
		t.actions = append(t.actions, detect.Action{Name: x.Action, Args: x.Target, Output: fmt.Sprint(x.Result, x.Bytes)})
	}
	var malformed *agent.Malformed
	var failed *model.Error
	switch {
	case err == nil:
	case isStop(err):
		return agent.Decision{}, err
	case errors.Is(err, ErrLost), errors.As(err, &malformed), errors.As(err, &failed) && failed.Class == model.Empty:
		a.Refused = err.Error()
		return decided(agent.NextRetry, a.Refused), nil
	case errors.As(err, &failed) && failed.Class != model.Cancelled:
		a.Refused = failed.Error() // the next tier may answer
		if !failed.Down {          // an issue's own words can make a provider refuse
			return decided(agent.NextEscalate, a.Refused), nil
		}
		return decided(agent.NextEscalate, a.Refused), r.reportStep(ctx, a.Number, "model", task.ModelOutage, a.Refused)
	default:
		return agent.Decision{}, ended(ctx, err)
	}
	a.Patch, a.Explanation, a.NewTests = answer.Patch, answer.Explanation, answer.NewTests
	if err := r.setApart(ctx, &a.Patch, &a.NewTests, a.Tier); err != nil {
		return agent.Decision{}, err
	}
	if err := r.heedWarnings(ctx, a); err != nil {
		return agent.Decision{}, err
	}
	r.withKept(a)
	if len(a.Patch.Edits) == 0 {
		if a.Refused = "the answer holds no edit"; answer.Refused != "" {
			a.Refused += " that could be kept: " + answer.Refused
		}
		return decided(agent.NextRetry, a.Refused), nil
	}
	if !brief.NeedsTest {
		return decided(agent.NextRetry, ""), nil
	}
	if err := r.reproduce(ctx, a); err != nil {
		return agent.Decision{}, err
	}
	a.Untested = a.Refused != ""
	return decided(agent.NextRetry, a.Refused), nil
}

// reproduce demands, where no test fails, a new one that fails on the base.
func (r *run) reproduce(ctx context.Context, a *task.Attempt) error {
	if len(a.NewTests) == 0 {
		a.Refused = "no test fails on the base, and the answer adds none that does"
		return nil
	}
	for _, e := range a.Patch.Edits {
		if e.Kind != task.EditCreate || e.Path != a.NewTests[0] {
			continue
		}
		got, err := r.failsBefore(ctx, trying{a.Patch, e, r.guard(a.Tier)})
		if err == nil && got.Not != "" {
			a.Refused = fmt.Sprintf("the new test %s %s%s", e.Path, got.Not, testAlone)
		}
		return err
	}
	return nil
}

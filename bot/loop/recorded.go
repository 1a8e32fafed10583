package loop

import (
	"context"
	"time"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/mend"
	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/belong"
	"github.com/fettle-dev/fettle/bot/verify/testgen/example"
)

// recorded is what a run has of the world: its effects, each through the recorder. A
// new thing to ask of the world gets a method in effects and one here.
type recorded struct {
	recorder *recorder
	effects  effects // nil in a replay
}

// now is the run's own time, that of its last effect: between two of them
// nothing happens that takes time.
func (o *recorded) now() time.Time { return o.recorder.at }

func (o *recorded) prepare(ctx context.Context, p preparing) (prepared, error) {
	return observe(ctx, o.recorder, "prepare", p, func() (prepared, error) { return o.effects.prepare(ctx, p) })
}

func (o *recorded) measure(ctx context.Context, tell func(note string)) (verify.Baseline, error) {
	return observe(ctx, o.recorder, "measure", nil, func() (verify.Baseline, error) { return o.effects.measure(ctx, tell) })
}

func (o *recorded) exemplify(ctx context.Context, t task.Task, g patch.Guard) (example.Found, error) {
	return observe(ctx, o.recorder, "exemplify", t, func() (example.Found, error) { return o.effects.exemplify(ctx, t, g) })
}

func (o *recorded) witness(ctx context.Context, w witnessing) (witnessed, error) {
	return observe(ctx, o.recorder, "witness", w, func() (witnessed, error) { return o.effects.witness(ctx, w) })
}

func (o *recorded) sorts(ctx context.Context, c claiming) (belong.Sorted, error) {
	return observe(ctx, o.recorder, "sorts", c, func() (belong.Sorted, error) { return o.effects.sorts(ctx, c) })
}

func (o *recorded) concerned(ctx context.Context, text string) (concern, error) {
	return observe(ctx, o.recorder, "concerned", text, func() (concern, error) { return o.effects.concerned(ctx, text) })
}

func (o *recorded) localise(ctx context.Context, q search) (located, error) {
	return observe(ctx, o.recorder, "localise", q, func() (located, error) { return o.effects.localise(ctx, q) })
}

func (o *recorded) facts(ctx context.Context, q search) (facts, error) {
	return observe(ctx, o.recorder, "facts", q, func() (facts, error) { return o.effects.facts(ctx, q) })
}

func (o *recorded) repair(ctx context.Context, q search) (mend.Repair, error) {
	return observe(ctx, o.recorder, "repair", q, func() (mend.Repair, error) { return o.effects.repair(ctx, q) })
}

func (o *recorded) sight(ctx context.Context, l looking) (sight, error) {
	return observe(ctx, o.recorder, "sight", l, func() (sight, error) { return o.effects.sight(ctx, l) })
}

func (o *recorded) apart(ctx context.Context, p task.Patch, g patch.Guard) (separated, error) {
	return observe(ctx, o.recorder, "apart", p, func() (separated, error) { return o.effects.apart(ctx, p, g) })
}

func (o *recorded) apply(ctx context.Context, p task.Patch, g patch.Guard, tier task.Tier) (applied, error) {
	asked := struct {
		Patch task.Patch
		Guard patch.Guard
	}{p, g}
	return observe(ctx, o.recorder, "apply", asked, func() (applied, error) { return o.effects.apply(ctx, p, g, tier) })
}

// judge names the attempt by what it builds on and its diff: the tree is the
// base and these.
func (o *recorded) judge(ctx context.Context, a *task.Attempt, j judging) (verify.Verdict, error) {
	asked := struct {
		On       []int
		Diff     string
		NewTests []string
	}{a.On, a.Diff, j.NewTests}
	return observe(ctx, o.recorder, "judge", asked, func() (verify.Verdict, error) { return o.effects.judge(ctx, j) })
}

func (o *recorded) reproduces(ctx context.Context, t trying) (reproduced, error) {
	return observe(ctx, o.recorder, "reproduces", t, func() (reproduced, error) { return o.effects.reproduces(ctx, t) })
}

func (o *recorded) weigh(ctx context.Context, w weighing) (weighed, error) {
	return observe(ctx, o.recorder, "weigh", w, func() (weighed, error) { return o.effects.weigh(ctx, w) })
}

func (o *recorded) wishes(ctx context.Context, diff string, w wishing) (wishes, error) {
	asked := struct {
		Diff string
		wishing
	}{diff, w}
	return observe(ctx, o.recorder, "wishes", asked, func() (wishes, error) { return o.effects.wishes(ctx, w) })
}

func (o *recorded) documentation(ctx context.Context, names []string) ([]agent.Text, error) {
	return observe(ctx, o.recorder, "documentation", names, func() ([]agent.Text, error) { return o.effects.documentation(ctx, names) })
}

func (o *recorded) conforms(ctx context.Context, diff string, c conforming) (conformed, error) {
	asked := struct {
		Diff string
		conforming
	}{diff, c}
	return observe(ctx, o.recorder, "conforms", asked, func() (conformed, error) { return o.effects.conforms(ctx, c) })
}

func (o *recorded) checks(ctx context.Context, diff string, c checking) (checked, error) {
	asked := struct {
		Diff     string
		Declared []settings.Check
	}{diff, c.Declared}
	return observe(ctx, o.recorder, "checks", asked, func() (checked, error) { return o.effects.checks(ctx, c) })
}

func (o *recorded) smoke(ctx context.Context, diff string, s smoking) (smoked, error) {
	asked := struct {
		Diff string
		smoking
	}{diff, s}
	return observe(ctx, o.recorder, "smoke", asked, func() (smoked, error) { return o.effects.smoke(ctx, s) })
}

func (o *recorded) pin(ctx context.Context, diff string, p pinning) (pinned, error) {
	return observe(ctx, o.recorder, "pin", diff, func() (pinned, error) { return o.effects.pin(ctx, p) })
}

func (o *recorded) keep(ctx context.Context, k keeping) (string, error) {
	return observe(ctx, o.recorder, "keep", k, func() (string, error) { return o.effects.keep(ctx, k) })
}

func (o *recorded) restore(ctx context.Context, stands []standing) error {
	_, err := observe(ctx, o.recorder, "restore", stands, func() (struct{}, error) { return struct{}{}, o.effects.restore(ctx, stands) })
	return err
}

func (o *recorded) product(ctx context.Context, stands []standing, promised []string) (product, error) {
	asked := struct {
		Stands   []standing
		Promised []string
	}{stands, promised}
	return observe(ctx, o.recorder, "product", asked, func() (product, error) { return o.effects.product(ctx, stands, promised) })
}

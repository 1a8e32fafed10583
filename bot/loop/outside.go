package loop

import (
	"context"
	"time"

	"github.com/fettle-dev/fettle/bot/mend"
	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/belong"
	"github.com/fettle-dev/fettle/bot/verify/testgen/example"
)

// outside is what a run has of the world: its hands, seen through its tape. A
// new thing to ask of the world gets a method in hands and one here.
type outside struct {
	tape  *tape
	hands hands // nil in a replay
}

// now is the run's own time, that of its last effect: between two of them
// nothing happens that takes time.
func (o *outside) now() time.Time { return o.tape.at }

func (o *outside) prepare(ctx context.Context, p preparing) (prepared, error) {
	return observe(ctx, o.tape, "prepare", p, func() (prepared, error) { return o.hands.prepare(ctx, p) })
}

func (o *outside) measure(ctx context.Context, tell func(note string)) (verify.Baseline, error) {
	return observe(ctx, o.tape, "measure", nil, func() (verify.Baseline, error) { return o.hands.measure(ctx, tell) })
}

func (o *outside) exemplify(ctx context.Context, t task.Task, g patch.Guard) (example.Found, error) {
	return observe(ctx, o.tape, "exemplify", t, func() (example.Found, error) { return o.hands.exemplify(ctx, t, g) })
}

func (o *outside) witness(ctx context.Context, w witnessing) (witnessed, error) {
	return observe(ctx, o.tape, "witness", w, func() (witnessed, error) { return o.hands.witness(ctx, w) })
}

func (o *outside) sorts(ctx context.Context, c claiming) (belong.Sorted, error) {
	return observe(ctx, o.tape, "sorts", c, func() (belong.Sorted, error) { return o.hands.sorts(ctx, c) })
}

func (o *outside) concerned(ctx context.Context, text string) (concern, error) {
	return observe(ctx, o.tape, "concerned", text, func() (concern, error) { return o.hands.concerned(ctx, text) })
}

func (o *outside) localise(ctx context.Context, q search) (located, error) {
	return observe(ctx, o.tape, "localise", q, func() (located, error) { return o.hands.localise(ctx, q) })
}

func (o *outside) facts(ctx context.Context, q search) (facts, error) {
	return observe(ctx, o.tape, "facts", q, func() (facts, error) { return o.hands.facts(ctx, q) })
}

func (o *outside) repair(ctx context.Context, q search) (mend.Repair, error) {
	return observe(ctx, o.tape, "repair", q, func() (mend.Repair, error) { return o.hands.repair(ctx, q) })
}

func (o *outside) sight(ctx context.Context, l looking) (sight, error) {
	return observe(ctx, o.tape, "sight", l, func() (sight, error) { return o.hands.sight(ctx, l) })
}

func (o *outside) apply(ctx context.Context, p task.Patch, g patch.Guard, tier task.Tier) (applied, error) {
	asked := struct {
		Patch task.Patch
		Guard patch.Guard
	}{p, g}
	return observe(ctx, o.tape, "apply", asked, func() (applied, error) { return o.hands.apply(ctx, p, g, tier) })
}

// judge names the attempt by what it builds on and its diff: the tree is the
// base and these.
func (o *outside) judge(ctx context.Context, a *task.Attempt, j judging) (verify.Verdict, error) {
	asked := struct {
		On       []int
		Diff     string
		NewTests []string
	}{a.On, a.Diff, j.NewTests}
	return observe(ctx, o.tape, "judge", asked, func() (verify.Verdict, error) { return o.hands.judge(ctx, j) })
}

func (o *outside) reproduces(ctx context.Context, t trying) (reproduced, error) {
	return observe(ctx, o.tape, "reproduces", t, func() (reproduced, error) { return o.hands.reproduces(ctx, t) })
}

func (o *outside) weigh(ctx context.Context, w weighing) (weighed, error) {
	return observe(ctx, o.tape, "weigh", w, func() (weighed, error) { return o.hands.weigh(ctx, w) })
}

func (o *outside) wishes(ctx context.Context, diff string, w wishing) (wishes, error) {
	asked := struct {
		Diff string
		wishing
	}{diff, w}
	return observe(ctx, o.tape, "wishes", asked, func() (wishes, error) { return o.hands.wishes(ctx, w) })
}

func (o *outside) documentation(ctx context.Context, d documenting) (documented, error) {
	return observe(ctx, o.tape, "documentation", d, func() (documented, error) { return o.hands.documentation(ctx, d) })
}

func (o *outside) conforms(ctx context.Context, diff string, c conforming) (conformed, error) {
	asked := struct {
		Diff string
		conforming
	}{diff, c}
	return observe(ctx, o.tape, "conforms", asked, func() (conformed, error) { return o.hands.conforms(ctx, c) })
}

func (o *outside) checks(ctx context.Context, diff string, c checking) (checked, error) {
	asked := struct {
		Diff     string
		Declared []settings.Check
	}{diff, c.Declared}
	return observe(ctx, o.tape, "checks", asked, func() (checked, error) { return o.hands.checks(ctx, c) })
}

func (o *outside) smoke(ctx context.Context, diff string, s smoking) (smoked, error) {
	asked := struct {
		Diff string
		smoking
	}{diff, s}
	return observe(ctx, o.tape, "smoke", asked, func() (smoked, error) { return o.hands.smoke(ctx, s) })
}

func (o *outside) pin(ctx context.Context, diff string, p pinning) (pinned, error) {
	return observe(ctx, o.tape, "pin", diff, func() (pinned, error) { return o.hands.pin(ctx, p) })
}

func (o *outside) keep(ctx context.Context, k keeping) (string, error) {
	return observe(ctx, o.tape, "keep", k, func() (string, error) { return o.hands.keep(ctx, k) })
}

func (o *outside) lay(ctx context.Context, stands []standing) error {
	_, err := observe(ctx, o.tape, "lay", stands, func() (struct{}, error) { return struct{}{}, o.hands.lay(ctx, stands) })
	return err
}

func (o *outside) product(ctx context.Context, stands []standing, promised []string) (product, error) {
	asked := struct {
		Stands   []standing
		Promised []string
	}{stands, promised}
	return observe(ctx, o.tape, "product", asked, func() (product, error) { return o.hands.product(ctx, stands, promised) })
}

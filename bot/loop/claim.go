package loop

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/belong"
)

// claim tells the red tests that show the issue from those that were red before
// and say nothing of it (SPEC C5, C6): only the former are searched with, and
// prove anything.
func (r *run) claim(ctx context.Context) error {
	if len(r.in.State.Baseline) > 0 {
		return r.claimed()
	}
	red := r.baseline.Report.Red()
	if len(red) == 0 {
		return nil
	}
	var err error
	if r.in.Task.Origin == task.OriginHook {
		r.claims = belong.All(red)
	} else if r.in.Task.Origin == task.OriginCheck { // what the pull request made red is its own
		known := r.in.Task.Follow.Known
		r.claims = belong.All(without(red, known))
		r.claims.Aside = without(red, r.claims.Mine)
	} else if r.claims, err = r.sorts(ctx, claiming{Task: r.in.Task, Baseline: r.baseline}); err != nil {
		return err
	}
	if r.state.Claim, err = json.Marshal(r.claims); err != nil {
		return fmt.Errorf("writing down which red tests are the issue's: %w", err)
	}
	r.baseline.Aside = r.claims.Aside
	var why []string
	for _, d := range first(r.claims.Decisions, 5) {
		why = append(why, string(d.Verdict)+": "+d.Words())
	}
	return r.note(ctx, "claimed", r.claims.Words, map[string]any{"mine": first(r.claims.Mine, 20), "aside": first(r.claims.Aside, 20), "why": why})
}

func (r *run) claimed() error {
	if len(r.state.Claim) == 0 {
		return nil
	}
	if err := json.Unmarshal(r.state.Claim, &r.claims); err != nil {
		return fmt.Errorf("reading which red tests are the issue's: %w", err)
	}
	r.baseline.Aside = r.claims.Aside
	return nil
}

// aside puts by what was only perhaps the issue's, once a test is made of the
// issue's own example.
func (r *run) aside() {
	if r.claims.Unsure {
		r.claims.Aside = slices.Sorted(slices.Values(slices.Concat(r.claims.Mine, r.claims.Aside)))
		r.claims.Mine, r.claims.Unsure = nil, false
		r.baseline.Aside = r.claims.Aside
	}
}

// notOurs says why no red test of the base is searched with, and the way out; ""
// where none is aside.
func (r *run) notOurs() string {
	if len(r.baseline.Aside) == 0 {
		return ""
	}
	near := ""
	if d := r.claims.Closest(); d != nil {
		near = fmt.Sprintf(" The nearest is %s.", d.Words())
	}
	if broken := r.baseline.Report.Broken; len(broken) > 0 {
		near += fmt.Sprintf(" %d test files or packages could not be run (first: %s).", len(broken), broken[0].Words())
	}
	return fmt.Sprintf("%s, and no example in it could be made a test, so there is nothing that a repair without a model could prove.%s Say in the issue which call gives what and what it should give, or name the test that shows it; or configure a model under tiers", r.claims.Words, near)
}

// claimDoubts say what is open about the tests that a change rests on: nothing where
// a test that a model wrote of the issue is mended, and with it all that are perhaps
// the issue's. red are those that are so still.
func (r *run) claimDoubts(red []string) []string {
	if !r.claims.Unsure || r.example != nil && !slices.ContainsFunc(r.claims.Mine, func(id string) bool { return slices.Contains(red, id) }) {
		return nil
	}
	return []string{fmt.Sprintf("%s (%s): say whether this is what was meant", r.claims.Words, strings.Join(reasonsOf(r.claims), "; "))}
}

// reasonsOf are the decisions on the tests that are taken for the issue's.
func reasonsOf(s belong.Sorted) []string {
	var out []string
	for _, d := range s.Decisions {
		if slices.Contains(s.Mine, d.Test) && len(out) < 3 {
			out = append(out, d.Words())
		}
	}
	return out
}

// claimCheck tells of the decision on the checklist.
func (r *run) claimCheck() (task.Check, bool) {
	if len(r.claims.Mine)+len(r.claims.Aside) == 0 {
		return task.Check{}, false
	}
	c := task.Check{Name: "whose red tests these are", Status: task.CheckPassed, Detail: r.claims.Words}
	if r.claims.Unsure {
		c.Status = task.CheckFailed
	}
	if why := reasonsOf(r.claims); len(why) > 0 {
		c.Detail += ": " + strings.Join(why, "; ")
	}
	return c, true
}

// sourceOf is the file in which a test is written.
func sourceOf(t verify.TestResult) string {
	if t.Failure != nil && strings.HasSuffix(t.Failure.File, "_test.go") && strings.HasPrefix(t.Failure.File, t.File) { // of Go the folder is known
		return t.Failure.File
	}
	return cmp.Or(t.Source, t.File)
}

// sorts reads the red tests' own source.
func (h *real) sorts(ctx context.Context, c claiming) (belong.Sorted, error) {
	var reds []belong.Red
	unit := map[string]bool{}
	for _, f := range c.Baseline.Report.Broken {
		if f.Test != "" && !unit[f.Test] {
			unit[f.Test] = true
			reds = append(reds, h.red(ctx, f.Test, f.File, "", &f))
		}
	}
	for _, t := range c.Baseline.Report.Tests {
		if !t.Red() || unit[t.ID] {
			continue
		}
		name, _ := verify.NativeName(c.Baseline.Report.Suites, t.ID)
		reds = append(reds, h.red(ctx, t.ID, sourceOf(t), name, t.Failure))
	}
	return belong.Sort(belong.Read(c.Task.Title, c.Task.Body+"\n\n"+c.Task.Hint), reds), nil
}

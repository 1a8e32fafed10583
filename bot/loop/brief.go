package loop

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
)

const (
	mostFailing  = 5 // failures in a prompt
	mostSources  = 3 // tests of which the source is shown
	mostSuspects = 18
	bytesPerTok  = 3     // a cautious figure for source code; the price check uses the exact bound
	smallWindow  = 16384 // tokens; up to there the prompts have a form of their own
)

// mostCode is how many bytes of code a tier is shown where its window is large: the
// cheapest is asked first and most often.
var mostCode = map[task.Tier]int{task.Tier1: 7 << 10, task.Tier2: 12 << 10, task.Tier3: 20 << 10}

// room is what a tier is shown of the tree.
func (r *run) room(tier task.Tier) room {
	code := cmp.Or(mostCode[tier], mostCode[task.Tier1])
	if w := r.window(tier); w > 0 {
		code = min(code, w*2/5)
	}
	return room{Code: code, Map: code / 6, Names: code / 8}
}

// small tells whether the tier's window is.
func (r *run) small(tier task.Tier) bool {
	w := r.rungs[tier].Window
	return w > 0 && w <= smallWindow
}

// shown is what a role may see of the tree as it stands; for whoever carries the
// step in hand out, what it names comes first.
func (r *run) shown(ctx context.Context, tier task.Tier, carries bool) (sight, error) {
	seen, err := r.sees(ctx, tier, carries)
	if err != nil {
		return seen, err
	}
	as := "planner"
	if carries {
		as = "developer"
	}
	return seen, r.tellShown(ctx, as, tier, seen.Shown)
}

func (r *run) sees(ctx context.Context, tier task.Tier, carries bool) (sight, error) {
	l := looking{Title: r.in.Task.Title, Body: r.in.Task.Body + "\n\n" + r.in.Task.Hint, On: r.state.Done, Failures: r.failing(), Tests: r.redTests(), Room: r.room(tier)}
	if carries {
		l.Targets, l.Words = r.step().Targets, r.step().Goal+" "+r.step().Acceptance
		l.Looked = r.plan.Looked
	}
	l.Looked = slices.Concat(l.Looked, without(lookedBefore(r.state.Attempts, r.state.Done), l.Looked))
	if len(r.state.Done) == 0 {
		l.Ran = r.facts.Files
	}
	for _, s := range r.suspects {
		if !r.forbidden(s.Path) && !patch.Match(r.in.NeverSend, s.Path) {
			l.Suspects = append(l.Suspects, s)
		}
	}
	l.Suspects = first(l.Suspects, mostSuspects)
	if r.example != nil {
		l.Given = r.example.Content
	}
	seen, err := r.sight(ctx, l)
	if len(r.state.Done) == 0 {
		seen.Shown.Facts = r.facts.near(seen.Shown)
	}
	if r.example != nil && len(r.state.Done) == 0 {
		seen.Shown.Tests = append([]agent.Text{{Path: r.example.Path, Code: r.example.Content, Given: true}}, seen.Shown.Tests...)
	}
	return seen, err
}

// lookedBefore are what attempts on the same tree read, which is not to be asked for again,
// and what they changed with which a failing test passed: a part of the fault lies there.
func lookedBefore(attempts []task.Attempt, done []int) []string {
	var out []string
	for _, a := range attempts {
		if !slices.Equal(a.On, done) {
			continue
		}
		out = append(out, without(a.Looked, out)...)
		if len(a.Fixed) > 0 {
			for _, g := range a.Regions {
				out = append(out, g.Path+"::"+g.ID)
			}
		}
	}
	return out
}

// tellShown writes down what is put before a role, and why, for the run's story.
func (r *run) tellShown(ctx context.Context, as string, tier task.Tier, s agent.Shown) error {
	var code []string
	size := 0
	for _, t := range s.Code {
		size += len(t.Code)
		what := fmt.Sprintf("%s %s", t.Path, cmp.Or(t.ID, map[bool]string{true: "head", false: "whole"}[t.Top]))
		if t.Why != "" {
			what += " (" + t.Why + ")"
		}
		code = append(code, what)
	}
	words := fmt.Sprintf("the %s at %s is shown %s of code: %s", as, tier, task.Count(size, "byte"), cmp.Or(strings.Join(code, "; "), "none"))
	for _, more := range []struct {
		n    int
		what string
	}{{len(s.Map), "mapped file"}, {len(s.Docs), "section of documents"}, {len(s.Tests), "failing test"}, {len(s.Left), "region without room"}} {
		if more.n > 0 {
			words += ", " + task.Count(more.n, more.what)
		}
	}
	if s.Facts != "" {
		words += ", and what the failing test calls"
	}
	return r.note(ctx, "model.shown", words, map[string]any{"as": as, "tier": tier, "code": code, "left": first(s.Left, 20)})
}

// redTests are the repository's own tests that fail now, the first few.
func (r *run) redTests() []redTest {
	var out []redTest
	for _, f := range r.failing() {
		n := slices.IndexFunc(r.baseline.Report.Tests, func(t verify.TestResult) bool { return t.ID == f.Test })
		if n < 0 || len(out) == mostSources {
			continue
		}
		t := r.baseline.Report.Tests[n]
		file := sourceOf(t)
		if r.example != nil && file == r.example.Path {
			continue // shown whole
		}
		name, _ := verify.NativeName(r.baseline.Report.Suites, t.ID)
		out = append(out, redTest{t.ID, file, name})
	}
	return out
}

// brief shows the developer what fails, what the step names, and the most
// suspicious regions.
func (r *run) brief(ctx context.Context, t *trial) (agent.Brief, error) {
	tier, needs := t.a.Tier, r.needsTest()
	seen, err := r.shown(ctx, tier, true)
	if err != nil {
		return agent.Brief{}, err
	}
	b := agent.Brief{
		Task: r.in.Task, Tier: tier, Plan: r.plan, Step: r.step(), Feedback: r.state.Feedback,
		NeedsTest: needs, MayTest: !needs && len(r.red()) == 0 && r.step().Testable(), TestDirs: seen.TestDirs,
		Done: r.done(), Shown: seen.Shown, Failures: r.failing(), Red: r.still(), Attempts: r.tried(), MaxBytes: r.window(tier), Small: r.small(tier),
		Regenerate: r.plateau(tier), Tools: tools{r, "developer"}, Permit: tools{r, "developer"}.permit, Checks: []string{checkTests},
	}
	for _, a := range b.Attempts {
		if a.Why != "" && a.Tier != task.TierMechanical {
			b.History = append(b.History, fmt.Sprintf("attempt %d at %s: %s", a.Number, a.Tier, a.Why))
		}
	}
	return b, nil
}

// step is the step of the plan that is in hand.
func (r *run) step() agent.Step { return r.plan.Steps[r.state.Step] }

// done are the steps that stand in the tree.
func (r *run) done() []agent.Accepted {
	var out []agent.Accepted
	for i, n := range r.state.Done {
		a := r.state.Attempts[n-1]
		s := agent.Accepted{Goal: r.plan.Steps[i].Goal, Diff: a.Diff}
		for _, g := range a.Regions {
			s.Changed = append(s.Changed, g.Path+"::"+g.Name)
		}
		out = append(out, s)
	}
	return out
}

// failures are the base's, as far as a model may see them.
func (r *run) failures() []task.Failure { return r.some(r.baseline.Report.Failures(), r.red()) }

// failing are the failures on the tree as it stands.
func (r *run) failing() []task.Failure {
	if len(r.state.Done) == 0 {
		return r.failures()
	}
	last := r.state.Attempts[r.state.Done[len(r.state.Done)-1]-1]
	return r.some(slices.Concat(last.Failures, r.baseline.Report.Failures()), r.still()) // of what was not kept of the last, what the base said
}

// still are the tests of the issue that are red on the tree as it stands.
func (r *run) still() []string {
	if len(r.state.Done) == 0 {
		return r.red()
	}
	last := r.state.Attempts[r.state.Done[len(r.state.Done)-1]-1]
	return slices.DeleteFunc(r.red(), func(id string) bool { return !slices.Contains(last.Red, id) })
}

// some gives the failures of the tests named, each once, at most mostFailing.
func (r *run) some(all []task.Failure, of []string) []task.Failure {
	var out []task.Failure
	for _, f := range all {
		known := slices.ContainsFunc(out, func(o task.Failure) bool { return o.Test == f.Test })
		if !known && slices.Contains(of, f.Test) && len(out) < mostFailing {
			out = append(out, sendable(r.in.NeverSend, f))
		}
	}
	return out
}

// tried are the attempts that failed on the tree as it stands, as far as a model
// may see them. A search that found nothing says nothing to it, and what was kept did not
// fail.
func (r *run) tried() []task.Attempt {
	var out []task.Attempt
	for _, a := range r.state.Attempts {
		if !slices.Equal(a.On, r.state.Done) || a.Tier == task.TierMechanical && a.Diff == "" || a.Kept {
			continue
		}
		shown := make([]task.Failure, len(a.Failures))
		for i, f := range a.Failures {
			shown[i] = sendable(r.in.NeverSend, f)
		}
		a.Failures = shown
		if r.example != nil {
			a.Diff = withoutFile(a.Diff, r.example.Path) // it is shown whole
		}
		out = append(out, a)
	}
	return out
}

// withoutFile is a diff without what it says of a file.
func withoutFile(diff, file string) string {
	parts := strings.SplitAfter(diff, "\ndiff --git ")
	var b strings.Builder
	for i, p := range parts {
		if strings.HasPrefix(strings.TrimPrefix(p, "diff --git "), "a/"+file+" ") {
			continue
		}
		if i > 0 && b.Len() == 0 {
			p = "diff --git " + p
		}
		b.WriteString(p)
	}
	return strings.TrimSuffix(b.String(), "diff --git ")
}

// window is the limit of a prompt's user part in bytes; 0 for the default.
func (r *run) window(tier task.Tier) int {
	return r.rungs[tier].Window * bytesPerTok / 2 // half of the window is for the answer and the rules
}

// quotesSecret tells of a failure that may quote a file that no model may see.
func (h *real) quotesSecret(f task.Failure) bool {
	return patch.Match(h.never, f.File) || slices.ContainsFunc(f.Trace, func(fr task.Frame) bool { return patch.Match(h.never, fr.File) })
}

// sendable takes out of a failure what may quote a file that no model may see:
// its frames, and the message when one of them is such a file.
func sendable(never []string, f task.Failure) task.Failure {
	secret := patch.Match(never, f.File)
	var trace []task.Frame
	for _, fr := range f.Trace {
		if patch.Match(never, fr.File) {
			secret = true
			continue
		}
		trace = append(trace, fr)
	}
	f.Trace = trace
	if secret {
		f.Message, f.Excerpt = "(withheld: it comes from a file that is never sent)", ""
		f.Cause = ""
	}
	return f
}

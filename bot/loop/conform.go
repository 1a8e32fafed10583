package loop

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/memory"
	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/reproduction"
	"github.com/fettle-dev/fettle/bot/verify/testgen/gate"
)

// onlyItself begins the doubt about a change that nothing but its own test shows.
const onlyItself = "no test showed the fault before the change was written: "

// conform asks for a second reading where nobody has stated what the tests of a change
// expect (SPEC C10): a model that sees the documents and the functions as they were, but
// neither the issue nor the change nor its tests, writes tests of what the documents say
// of these functions. That some of them fail before the change and pass with it speaks for
// the change; that one passes before and fails with it speaks against it. Whatever else
// is open is not asked about, so that no call is paid for that decides nothing.
func (r *run) conform(ctx context.Context, a *task.Attempt) error {
	tiers := r.modelTiers()
	if !a.Green || r.Reproducer == nil || len(tiers) == 0 || len(r.stepsLeft()) > 0 || len(a.Doubts) == 0 || slices.ContainsFunc(a.Doubts, func(d string) bool { return !undocumented(d) }) {
		return nil
	}
	var names, targets []string
	for _, g := range a.Regions {
		if !code.IsTest(g.Path) && g.Edit != task.EditCreate && !slices.Contains(targets, g.Path+"#"+g.Name) {
			names, targets = append(names, g.Name), append(targets, g.Path+"#"+g.Name)
		}
	}
	docs, err := r.documentation(ctx, names)
	if err != nil || len(docs) == 0 || len(targets) == 0 {
		return err
	}
	if err := r.progress(ctx, "conform", tiers[0], "a second reading: what the documents say of what was changed"); err != nil {
		return err
	}
	title := "What the documents say of " + strings.Join(first(targets, mostNamed), ", ")
	seen, err := r.sight(ctx, looking{Title: title, Targets: targets, Words: strings.Join(names, " "), Heads: true, Room: r.room(tiers[0])})
	if err != nil {
		return err
	}
	seen.Shown.Docs = docs
	if err := r.tellShown(ctx, "reproducer", tiers[0], seen.Shown); err != nil {
		return err
	}
	w := &writer{run: r, tier: tiers[0]}
	brief := agent.ReproductionBrief{Task: task.Task{Title: title}, Tier: w.tier, Aim: agent.AimConform, Tests: seen.Heads, TestDirs: seen.TestDirs, Shown: seen.Shown, MaxBytes: r.window(w.tier)}
	for n := range reproductionAnswers {
		test, _, err := r.Reproducer.Write(ctx, r.askWithin(fmt.Sprintf("conform-%d-%d", a.Number, n+1), a, r.in.Budget.USD), brief)
		var over *noReproduction
		switch {
		case err != nil:
			if err = w.unanswered(ctx, string(agent.AimConform), err); errors.As(err, &over) {
				return r.note(ctx, "conform.given_up", over.why, nil)
			}
			return err
		case test == nil:
			return r.note(ctx, "conform.given_up", "the model writes no test of what the documents say", nil)
		}
		c := conforming{Test: *test, New: r.newTests(a), Guard: r.guard(w.tier), Refused: r.outOfScope(w.tier, task.Patch{Edits: []task.Edit{*test}})}
		if r.example != nil {
			c.New = append(c.New, r.example.Path)
		}
		got, err := r.conforms(ctx, a.Diff, c)
		if err != nil {
			return err
		}
		if got.Not == "" {
			return r.conclude(ctx, a, r.rungs[w.tier].Model, *test, got)
		}
		if err := r.note(ctx, "conform.turned_down", fmt.Sprintf("the test %s %s", test.Path, got.Not), nil); err != nil {
			return err
		}
		if got.Same {
			return nil
		}
		brief.Last, brief.CameOf, brief.Failures = test.Code, fmt.Sprintf("The test %s.", got.Not), got.Failures
	}
	return nil
}

// undocumented tells whether a doubt is one that what documents say can settle.
func undocumented(doubt string) bool {
	return strings.HasPrefix(doubt, reproduction.Unstated) || strings.HasPrefix(doubt, onlyItself)
}

// conclude says what the second reading's tests speak for.
func (r *run) conclude(ctx context.Context, a *task.Attempt, by string, test task.Edit, got conformed) error {
	words := fmt.Sprintf("tests of what the documents say, by %s, which saw neither the issue nor the change: %d failed before the change and passed with it", by, len(got.Mended))
	if n := len(got.Unmet); n > 0 {
		words += fmt.Sprintf(", %d failed both times (%s)", n, strings.Join(first(got.Unmet, mostNamed), ", "))
	}
	switch {
	case len(got.Broken) > 0:
		a.Doubts = append(a.Doubts, fmt.Sprintf("a test of what the documents say, by %s, which saw neither the issue nor the change, passed before the change and fails with it: %s; look which of them is right", by, strings.Join(first(got.Broken, mostNamed), "; ")))
	case len(got.Mended) > 0:
		a.Doubts = slices.DeleteFunc(slices.Clone(a.Doubts), undocumented)
		a.Checks = append(a.Checks, task.Check{Name: "what the documents say", Status: task.CheckPassed, Seconds: got.Seconds, Detail: words + ": " + strings.Join(first(got.Mended, mostNamed), ", ")})
	}
	return r.note(ctx, "conform.read", words, map[string]any{"attempt": a.Number, "test": test.Path, "code": test.Code, "mended": got.Mended, "broken": got.Broken, "unmet": got.Unmet})
}

const mostNamed = 5 // functions or tests in a sentence

// Bounds of the documents that a second reading sees.
const (
	longestDocument = 6 << 10 // bytes of a README that is shown whole
	mostSections    = 6
)

// documentation gives the README of the base, where it is short; else the sections of
// documents that are nearest to the names of functions.
func (h *real) documentation(ctx context.Context, names []string) (out []agent.Text, err error) {
	for _, f := range h.tree.Files() {
		if !readmeFile.MatchString(f) || h.secret(f) {
			continue
		}
		if src, err := h.sources.read(f); err == nil && len(src) <= longestDocument {
			out = append(out, agent.Text{Path: f, Start: 1, End: strings.Count(string(src), "\n"), Code: h.hide.text(string(src))})
		}
	}
	if len(out) > 0 {
		return out, nil
	}
	hits, err := h.hits(ctx, memory.Query{Title: "readme documentation " + strings.Join(names, " ")})
	if err != nil {
		return nil, fmt.Errorf("looking for what documents say: %w", err)
	}
	for _, g := range hits {
		if !isDocument.MatchString(g.Path) || len(out) == mostSections {
			continue
		}
		if src, err := h.sources.read(g.Path); err == nil {
			out = append(out, agent.Text{Path: g.Path, Start: g.Start, End: g.End, Code: h.hide.text(clip(section(src, g), longestDoc))})
		}
	}
	return out, nil
}

// conforming is a second reading's test that is to be run before and after the change.
type conforming struct {
	Test    task.Edit   `json:"test"`
	New     []string    `json:"new,omitempty"` // the change's own tests
	Refused string      `json:"refused,omitempty"`
	Guard   patch.Guard `json:"-"`
}

// conformed is what came of it: its tests by what they did before the change and with it.
type conformed struct {
	Not      string         `json:"not,omitempty"`  // why it says nothing, behind its name
	Same     bool           `json:"same,omitempty"` // it is a test of the change
	Ran      bool           `json:"ran,omitempty"`  // tests that assert something
	Mended   []string       `json:"mended,omitempty"`
	Broken   []string       `json:"broken,omitempty"` // with how they fail
	Unmet    []string       `json:"unmet,omitempty"`  // fail both times
	Failures []task.Failure `json:"failures,omitempty"`
	Seconds  float64        `json:"seconds,omitempty"`
}

// conforms runs a test on the code before the change and with it, each time without the
// change's own tests.
func (h *real) conforms(ctx context.Context, c conforming) (conformed, error) {
	if c.Refused != "" {
		return conformed{Not: "may not be written: " + c.Refused}, nil
	}
	_, own, changes, err := h.candidates(weighing{New: c.New})
	if err != nil {
		return conformed{}, err
	}
	if _, taken := own[path.Clean(c.Test.Path)]; taken { // by the change, which its author does not see
		c.Test.Path = documentedPath(c.Test.Path)
	}
	would, err := patch.Preview(ctx, h.tree.Dir(), task.Patch{Edits: []task.Edit{c.Test}}, c.Guard)
	var refusal *patch.Refusal
	if errors.As(err, &refusal) {
		return conformed{Not: "cannot be written: " + refusal.Reason}, nil
	} else if err != nil {
		return conformed{}, fmt.Errorf("reading the second reading's test: %w", err)
	}
	file := would.Changes[0]
	with := map[string][]byte{}
	for p, text := range own {
		if bytes.Equal(bytes.TrimSpace(text), bytes.TrimSpace(file.After)) {
			return conformed{Not: "is the change's own", Same: true}, nil
		}
		with[p] = nil
	}
	with[file.Path] = file.After
	faults, err := gate.Static(ctx, gate.Candidate{Dir: h.tree.Dir(), Base: h.tree.BaseFS(), Tests: map[string][]byte{file.Path: file.After}})
	if err != nil {
		return conformed{}, fmt.Errorf("reading the second reading's test: %w", err)
	}
	weak := map[string]bool{}
	for _, f := range faults {
		if weak[f.Test] = true; f.Test == "" {
			return conformed{Not: "proves nothing: " + f.String()}, nil
		}
	}
	before := maps.Clone(with)
	for _, f := range changes {
		before[f.Path] = f.Before
	}
	was, not, err := h.tryReading(ctx, file.Path, before)
	if err != nil || not.Not != "" {
		return not, err
	}
	is, not, err := h.tryReading(ctx, file.Path, with)
	if err != nil || not.Not != "" {
		return not, err
	}
	out := compared(was, is, weak, h.quotesSecret)
	if !out.Ran && len(faults) > 0 {
		out.Not = "proves nothing: " + faults[0].String()
	} else if !out.Ran {
		out.Not = notFound
	}
	return out, nil
}

// tryReading runs the second reading's test over a tree; not says why it could not be run.
func (h *real) tryReading(ctx context.Context, test string, files map[string][]byte) (rep verify.Report, not conformed, err error) {
	rep, err = h.Verifier.Try(ctx, verify.Trial{Dir: h.tree.Dir(), Files: files, Tests: []string{test}})
	if errors.Is(err, verify.ErrNoTests) {
		return rep, conformed{Not: notFound}, nil
	} else if err != nil {
		return rep, not, fmt.Errorf("running the second reading's test: %w", err)
	}
	h.hide.report(&rep)
	if len(rep.Broken) > 0 {
		f := rep.Broken[0]
		not = conformed{Not: fmt.Sprintf("cannot be run (%s)", f.Words()), Failures: []task.Failure{sendable(h.never, f)}}
	}
	return rep, not, nil
}

// compared tells the tests of a second reading apart by what they did before the change
// and with it. One that passed and is not seen any more is broken. What weak ones did says
// nothing for the change, but what they break is broken.
func compared(was, is verify.Report, weak map[string]bool, secret func(task.Failure) bool) conformed {
	out := conformed{Seconds: was.Elapsed.Seconds() + is.Elapsed.Seconds()}
	now := map[string]verify.TestResult{}
	for _, t := range is.Tests {
		now[t.ID] = t
	}
	for _, t := range was.Tests {
		name := lastOf(t.ID)
		strong := !weak[name] && !weak[function.FindString(name)]
		after, seen := now[t.ID]
		passes := seen && after.Status == verify.StatusPassed
		out.Ran = out.Ran || strong
		switch {
		case t.Status == verify.StatusPassed && !passes:
			why := "fails"
			if !seen {
				why = "is not seen any more"
			} else if after.Failure != nil && !secret(*after.Failure) {
				why = short(after.Failure.Words())
			}
			out.Broken = append(out.Broken, fmt.Sprintf("%s (%s)", name, why))
		case !strong || !t.Red():
		case passes:
			out.Mended = append(out.Mended, name)
		default:
			out.Unmet = append(out.Unmet, name)
		}
	}
	return out
}

// function is the function of a test among its parts.
var function = lazyregexp.New(`^[^/\[]*`)

// documentedPath is another path for a test.
func documentedPath(test string) string {
	dir, name := path.Split(test)
	rest, python := strings.CutPrefix(name, "test_")
	return path.Join(dir, map[bool]string{true: "test_"}[python]+"documented_"+rest)
}

package loop

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
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
	docs, err := r.documentation(ctx, documenting{names})
	if err != nil || len(docs.Sections) == 0 || len(targets) == 0 {
		return err
	}
	if err := r.progress(ctx, "conform", tiers[0], "a second reading: what the documents say of what was changed"); err != nil {
		return err
	}
	title := "Tests of what the README says of what " + strings.Join(first(targets, mostNamed), ", ") + " does"
	seen, err := r.sight(ctx, looking{Title: title, Targets: targets, Words: strings.Join(names, " "), Heads: true, Room: r.room(tiers[0])})
	if err != nil {
		return err
	}
	seen.Shown.Docs = docs.Sections
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
			return r.read(ctx, a, r.rungs[w.tier].Model, *test, got)
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

// read draws the conclusion from the second reading's tests.
func (r *run) read(ctx context.Context, a *task.Attempt, by string, test task.Edit, got conformed) error {
	words := fmt.Sprintf("of tests that %s wrote from the documents alone, without the issue and the change, %d fail before it and pass with it", by, len(got.Mended))
	if n := len(got.Unmet); n > 0 {
		words += fmt.Sprintf(", %d fail before and after (%s)", n, strings.Join(first(got.Unmet, mostNamed), ", "))
	}
	switch {
	case len(got.Broken) > 0:
		a.Doubts = append(a.Doubts, fmt.Sprintf("a test that %s wrote from the documents alone passes before the change and fails with it: %s; look whether the documents or the change are right", by, strings.Join(first(got.Broken, mostNamed), "; ")))
	case len(got.Mended) > 0:
		a.Doubts = slices.DeleteFunc(slices.Clone(a.Doubts), undocumented)
		a.Checks = append(a.Checks, task.Check{Name: "what the documents say", Status: task.CheckPassed, Seconds: got.Seconds, Detail: words + ": " + strings.Join(first(got.Mended, mostNamed), ", ")})
	}
	return r.note(ctx, "conform.read", words, map[string]any{"attempt": a.Number, "test": test.Path, "code": test.Code, "mended": got.Mended, "broken": got.Broken, "unmet": got.Unmet})
}

const mostNamed = 5 // functions or tests in a sentence

// documenting asks what documents say of functions, by their names.
type documenting struct {
	Names []string `json:"names"`
}

// documented are sections of documents of the base.
type documented struct {
	Sections []agent.Text `json:"sections,omitempty"`
}

// Bounds of the documents that a second reading sees.
const (
	longestDocument = 6 << 10 // bytes of a README that is shown whole
	mostSections    = 6
)

// documentation gives the README, or of a long one, and of other documents, the sections
// that are nearest to the names. What stands in the code it does not give.
func (h *real) documentation(ctx context.Context, d documenting) (out documented, err error) {
	for _, f := range h.tree.Files() {
		src, err := h.sources.read(f)
		if readmeFile.MatchString(f) && err == nil && len(src) <= longestDocument && !h.secret(f) {
			out.Sections = append(out.Sections, agent.Text{Path: f, Start: 1, End: strings.Count(string(src), "\n"), Code: h.hide.text(string(src))})
		}
	}
	if len(out.Sections) > 0 {
		return out, nil
	}
	hits, err := h.hits(ctx, memory.Query{Title: "readme documentation " + strings.Join(d.Names, " ")})
	if err != nil {
		return out, fmt.Errorf("looking for what documents say: %w", err)
	}
	for _, g := range hits {
		src, err := h.sources.read(g.Path)
		if isDocument.MatchString(g.Path) && err == nil && len(out.Sections) < mostSections {
			out.Sections = append(out.Sections, agent.Text{Path: g.Path, Start: g.Start, End: g.End, Code: h.hide.text(clip(section(src, g), longestDoc))})
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
	Mended   []string       `json:"mended,omitempty"`
	Broken   []string       `json:"broken,omitempty"` // with how they fail
	Unmet    []string       `json:"unmet,omitempty"`  // fail both times
	Failures []task.Failure `json:"failures,omitempty"`
	Seconds  float64        `json:"seconds,omitempty"`
}

// conforms runs a test on the code before the change and with it, each time without the
// change's own tests.
func (h *real) conforms(ctx context.Context, c conforming) (out conformed, err error) {
	if c.Refused != "" {
		return conformed{Not: "may not be written: " + c.Refused}, nil
	}
	would, err := patch.Preview(ctx, h.tree.Dir(), task.Patch{Edits: []task.Edit{h.unlike(c.Test)}}, c.Guard)
	var refusal *patch.Refusal
	if errors.As(err, &refusal) {
		return conformed{Not: "cannot be written: " + refusal.Reason}, nil
	} else if err != nil {
		return out, fmt.Errorf("reading the second reading's test: %w", err)
	}
	file := would.Changes[0]
	_, theirs, changes, err := h.candidates(weighing{New: c.New})
	if err != nil {
		return out, err
	}
	after := map[string][]byte{}
	for p, text := range theirs {
		if p == file.Path || bytes.Equal(bytes.TrimSpace(text), bytes.TrimSpace(file.After)) {
			return conformed{Not: "is the change's own", Same: true}, nil
		}
		after[p] = nil
	}
	after[file.Path] = file.After
	faults, err := gate.Static(ctx, gate.Candidate{Dir: h.tree.Dir(), Base: h.tree.BaseFS(), Tests: map[string][]byte{file.Path: file.After}})
	if err != nil {
		return out, fmt.Errorf("reading the second reading's test: %w", err)
	}
	weak := map[string]bool{}
	for _, f := range faults {
		if weak[f.Test] = true; f.Test == "" {
			return conformed{Not: "proves nothing: " + f.String()}, nil
		}
	}
	before := maps.Clone(after)
	for _, f := range changes {
		before[f.Path] = f.Before
	}
	was, is := verify.Report{}, verify.Report{}
	for _, run := range []struct {
		files map[string][]byte
		out   *verify.Report
		when  string
	}{{before, &was, "before the change"}, {after, &is, "with the change"}} {
		*run.out, err = h.Verifier.Try(ctx, verify.Trial{Dir: h.tree.Dir(), Files: run.files, Tests: []string{file.Path}})
		if errors.Is(err, verify.ErrNoTests) {
			return conformed{Not: notFound}, nil
		} else if err != nil {
			return out, fmt.Errorf("running the second reading's test %s: %w", run.when, err)
		}
		h.hide.report(run.out)
		out.Seconds += run.out.Elapsed.Seconds()
		if len(run.out.Broken) > 0 {
			f := run.out.Broken[0]
			return conformed{Not: fmt.Sprintf("cannot be run (%s)", f.Words()), Failures: []task.Failure{sendable(h.never, f)}}, nil
		}
	}
	red, green := was.Red(), 0
	for _, t := range is.Tests {
		name := lastOf(t.ID)
		switch failed := slices.Contains(red, t.ID); {
		case weak[function.FindString(name)] || weak[name]:
		case t.Status == verify.StatusPassed && failed:
			out.Mended = append(out.Mended, name)
		case t.Status == verify.StatusPassed:
			green++
		case t.Red() && failed:
			out.Unmet = append(out.Unmet, name)
		case t.Red() && t.Failure != nil && !h.quotesSecret(*t.Failure):
			out.Broken = append(out.Broken, fmt.Sprintf("%s (%s)", name, short(t.Failure.Words())))
		}
	}
	if len(out.Mended)+len(out.Broken)+len(out.Unmet)+green == 0 {
		if len(faults) > 0 {
			return conformed{Not: "proves nothing: " + faults[0].String()}, nil
		}
		return conformed{Not: notFound}, nil
	}
	return out, nil
}

// function is the function of a test among its parts.
var function = lazyregexp.New(`^[^/\[]*`)

// unlike is a test under a name that the change, which its author does not see, has not
// taken.
func (h *real) unlike(test task.Edit) task.Edit {
	dir, name := path.Split(path.Clean(test.Path))
	_, based := fs.Stat(h.tree.BaseFS(), path.Clean(test.Path))
	if _, err := os.Stat(filepath.Join(h.tree.Dir(), dir, name)); err != nil || based == nil {
		return test
	}
	rest, python := strings.CutPrefix(name, "test_")
	test.Path = path.Join(dir, map[bool]string{true: "test_"}[python]+"documented_"+rest)
	return test
}

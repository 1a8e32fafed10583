package verify

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/cross"
)

// Grade says how far the evidence of a green verdict can be believed (SPEC C9).
type Grade string

const (
	// Signed: every examined test that the change mends fails, under its own
	// name, when what it expects is made wrong, and when the changed functions are
	// sabotaged. The code under test could not know which run was which.
	Signed Grade = "signed"
	// Witnessed: the runner's own report, and a question that could not be asked.
	Witnessed Grade = "witnessed"
)

// maxExamined bounds the tests that are cross-examined: one that is forged
// makes the verdict fall.
const maxExamined = 8

// subject is a mended test under examination.
type subject struct {
	id   string
	file string // its source, from the root
	cross.Test
}

// examination is one cross-examination.
type examination struct {
	v        *Verifier
	j        Judge
	suites   []Suite
	diff     []Change
	rep      Report // of the changed tree
	subjects []subject
	token    string
}

// examine cross-examines the tests that the change is said to mend, and writes
// grade, doubts and reasons of the verdict. The questions run side by side.
func (v *Verifier) examine(ctx context.Context, j Judge, suites []Suite, diff []Change, rep Report, out *Verdict) error {
	if j.Examined {
		out.Grade = Witnessed
		return nil
	}
	begun := v.clock()
	e := examination{v: v, j: j, suites: suites, diff: diff, rep: rep, token: "k" + v.cfg.Nonce()[:12]}
	e.choose(out.Fixed)
	var falsified, sabotaged answer
	group, gctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) { falsified, err = e.falsify(gctx, e.subjects, cross.Expectation); return err })
	group.Go(func() (err error) { sabotaged, err = e.sabotage(gctx); return err })
	if err := group.Wait(); err != nil {
		return err
	}
	c := task.Check{Name: "cross-examination", Status: task.CheckPassed}
	if len(falsified.passed) > 0 {
		if err := e.pressed(ctx, falsified.passed, out); err != nil {
			return err
		}
	}
	if n := len(sabotaged.passed); n > 0 {
		out.Doubts = append(out.Doubts, fmt.Sprintf("%d mended %s (first %s) also when the changed functions are made to fail: say what %s to do with the change",
			n, map[bool]string{true: "test passes", false: "tests pass"}[n == 1], sabotaged.passed[0], map[bool]string{true: "it has", false: "they have"}[n == 1]))
	}
	out.Grade = Witnessed
	open := slices.Concat(falsified.open, sabotaged.open)
	switch doubts := len(falsified.passed) + len(sabotaged.passed); {
	case doubts > 0:
		c.Status, c.Detail = task.CheckFailed, fmt.Sprintf("%d answers do not hold", doubts)
	case len(open) > 0:
		c.Detail = string(Witnessed) + ": " + open[0]
	default:
		out.Grade = Signed
		c.Detail = fmt.Sprintf("%s: of %d mended %s %d fail when what they expect is made wrong, and when the changed functions are sabotaged",
			Signed, len(out.Fixed), plural(len(out.Fixed), "test"), len(e.subjects))
	}
	c.Seconds = v.clock().Sub(begun).Seconds()
	out.Checks = append(out.Checks, c)
	return nil
}

// answer is what a question brought.
type answer struct {
	passed []string // ids of tests that passed and must not have
	open   []string // why a part could not be asked
}

// pressed: a test that passes though it expects something wrong may have caught
// its own failure. One that passes though its last statement fails has not been
// run by an honest runner.
func (e *examination) pressed(ctx context.Context, ids []string, out *Verdict) error {
	var again []subject
	for _, s := range e.subjects {
		if slices.Contains(ids, s.id) {
			again = append(again, s)
		}
	}
	end, err := e.falsify(ctx, again, cross.End)
	if err != nil {
		return err
	}
	if len(end.passed) > 0 {
		out.Reasons = append(out.Reasons, fmt.Sprintf("%s passes even with a statement at its end that must fail: its result is forged", end.passed[0]))
		return nil
	}
	out.Doubts = append(out.Doubts, fmt.Sprintf("%s passes also when what it expects is made wrong: say whether it tests the change", ids[0]))
	return nil
}

// choose takes the tests to examine, quick ones first. A unit that could not be
// run before stands for the tests in it.
func (e *examination) choose(fixed []string) {
	was := map[string]task.Failure{}
	seconds := map[string]float64{}
	for _, t := range e.j.Baseline.Report.Tests {
		if t.Failure != nil {
			was[t.ID] = *t.Failure
		}
	}
	unit := units(e.j.Baseline.Report)
	for _, t := range e.rep.Tests {
		in := slices.Contains(fixed, t.ID) || slices.ContainsFunc(fixed, func(id string) bool { return unit[id] && inUnit(id, t.ID) })
		s, ok := suiteOf(e.suites, t.ID)
		if !in || !ok || t.Status != StatusPassed {
			continue
		}
		x := subject{id: t.ID, file: t.File}
		x.Name = strings.TrimPrefix(t.ID, s.prefix())
		for _, cut := range []string{"::", " > ", ":"} {
			if _, name, ok := strings.Cut(x.Name, cut); ok {
				x.Name = name
				break
			}
		}
		x.Name = OwnName(x.Name)
		for _, fr := range was[t.ID].Trace { // the innermost place in the test's own file
			if fr.File == x.file {
				x.Line = fr.Line
			}
		}
		seconds[t.ID] = t.Seconds
		e.subjects = append(e.subjects, x)
	}
	slices.SortStableFunc(e.subjects, func(a, b subject) int {
		switch d := seconds[a.id] - seconds[b.id]; {
		case d < 0:
			return -1
		case d > 0:
			return 1
		}
		return 0
	})
	e.subjects = e.subjects[:min(len(e.subjects), maxExamined)]
}

// falsify runs tests that are made wrong; each has to be seen to fail.
func (e *examination) falsify(ctx context.Context, tests []subject, how cross.How) (answer, error) {
	var out answer
	texts := map[string][]byte{}
	asked := map[string]bool{}
	_, err := e.v.inCopy(ctx, e.j.Dir, func(b box) (Report, error) {
		if _, err := restore(b, e.j.Base, e.j.NewTests); err != nil {
			return Report{}, err
		}
		byFile := map[string][]subject{}
		for _, s := range tests {
			byFile[s.file] = append(byFile[s.file], s)
		}
		for file, all := range byFile {
			src, err := b.ReadFile(file, maxSource)
			if err != nil {
				out.open = append(out.open, "the source of "+all[0].id+" was not found")
				continue
			}
			var named []cross.Test
			for _, s := range all {
				named = append(named, s.Test)
			}
			text, left, err := cross.Falsify(ctx, file, src, named, how, e.token)
			if err != nil {
				return Report{}, err
			}
			for i, s := range all {
				if slices.Contains(left, i) {
					out.open = append(out.open, s.id+" states its expectation in a way that cannot be made wrong")
				} else {
					asked[s.id], texts[file] = true, text
				}
			}
		}
		if len(asked) == 0 {
			return Report{}, nil
		}
		rep, err := e.ask(ctx, b, texts, keys(asked))
		if err != nil {
			return rep, err
		}
		seen := map[string]bool{}
		for _, t := range rep.Tests {
			seen[t.ID] = true
			if asked[t.ID] && t.Status == StatusPassed {
				out.passed = append(out.passed, t.ID)
			}
		}
		for _, id := range keys(asked) {
			if !seen[id] {
				out.open = append(out.open, id+" was not seen to run when its expectation was made wrong")
			}
		}
		return rep, nil
	})
	if err != nil {
		return out, fmt.Errorf("running mended tests with wrong expectations: %w", err)
	}
	return out, nil
}

// sabotage runs the tests on the tree with the changed functions made to fail;
// none may be seen to pass.
func (e *examination) sabotage(ctx context.Context) (answer, error) {
	var out answer
	_, err := e.v.inCopy(ctx, e.j.Dir, func(b box) (Report, error) {
		if _, err := restore(b, e.j.Base, e.j.NewTests); err != nil {
			return Report{}, err
		}
		texts := map[string][]byte{}
		for _, f := range e.diff {
			if slices.Contains(e.j.NewTests, f.Path) || code.IsTest(f.Path) || f.After == nil {
				continue
			}
			text, _, err := cross.Sabotage(ctx, f.Path, f.Before, f.After, e.token)
			if err != nil {
				return Report{}, err
			}
			if text == nil {
				continue
			}
			if errs, err := code.Check(ctx, f.Path, text); err != nil || len(errs) > 0 {
				continue // our own mistake proves nothing
			}
			texts[f.Path] = text
		}
		if len(texts) == 0 {
			out.open = append(out.open, "no function was changed that could be sabotaged")
			return Report{}, nil
		}
		var ids []string
		for _, s := range e.subjects {
			ids = append(ids, s.id)
		}
		rep, err := e.ask(ctx, b, texts, ids)
		out.passed = slices.DeleteFunc(rep.Green(), func(id string) bool { return !slices.Contains(ids, id) })
		return rep, err
	})
	if err != nil {
		return out, fmt.Errorf("running mended tests on sabotaged code: %w", err)
	}
	return out, nil
}

// ask runs tests on a copy with other texts.
func (e *examination) ask(ctx context.Context, b box, texts map[string][]byte, ids []string) (Report, error) {
	for file, text := range texts {
		if err := b.WriteFile(file, text); err != nil {
			return Report{}, fmt.Errorf("writing %s: %w", file, err)
		}
	}
	return e.v.run(ctx, b, e.suites, pick(e.suites, ids, nil), e.v.learned(e.j.Baseline, ids))
}

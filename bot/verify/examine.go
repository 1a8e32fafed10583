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
	// Signed: every test that the change mends passes when it runs without the
	// others, and fails, in runs of the same kind, when what it expects is made
	// wrong and when the changed functions are sabotaged. The code under test
	// could not know which run was which.
	Signed Grade = "signed"
	// Witnessed: the runner's own report, and a question that could not be asked.
	Witnessed Grade = "witnessed"
)

// maxExamined bounds the tests that are cross-examined; where a change mends
// more, the others are only witnessed.
const maxExamined = 200

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
	token    string
	subjects []subject
}

// answer is what a question brought.
type answer struct {
	held  int      // tests that did what they have to
	wrong []string // ids of those that did not
	open  []string // why a part could not be asked
}

// examine cross-examines the tests that the change is said to mend, and writes
// grade, doubts and reasons of the verdict. The questions run side by side.
func (v *Verifier) examine(ctx context.Context, j Judge, suites []Suite, diff []Change, rep Report, out *Verdict) error {
	out.Grade = Witnessed
	if j.Examined {
		return nil
	}
	begun := v.clock()
	e := examination{v: v, j: j, suites: suites, diff: diff, token: "k" + v.cfg.Nonce()[:12]}
	open := e.choose(out.Fixed, rep)
	var alone, falsified, sabotaged answer
	group, gctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) { alone, err = e.alone(gctx); return err })
	group.Go(func() (err error) { falsified, err = e.falsify(gctx, e.subjects, cross.Expectation); return err })
	group.Go(func() (err error) { sabotaged, err = e.sabotage(gctx); return err })
	err := group.Wait()
	if err == nil && len(falsified.wrong) > 0 {
		err = e.press(ctx, falsified.wrong, out)
	}
	if err != nil {
		return err
	}
	// What a test did not come to before the change, since its process had ended,
	// need not test it: another one does.
	if n := len(sabotaged.wrong); n > 0 && sabotaged.held > 0 {
		sabotaged.open = append(sabotaged.open, fmt.Sprintf("%d of %s pass with the changed functions sabotaged, too, first %s", n, task.Count(len(e.subjects), "mended test"), sabotaged.wrong[0]))
		sabotaged.wrong = nil
	}
	doubt := func(what string, ids []string, check string) {
		if len(ids) > 0 {
			out.Doubts = append(out.Doubts, fmt.Sprintf("%s (%d of %d, first %s): %s", what, len(ids), len(e.subjects), ids[0], check))
		}
	}
	doubt("there are mended tests that do not pass when they run without the others", alone.wrong, "check what else they need")
	doubt("there are mended tests that pass although the changed functions were made to fail", sabotaged.wrong, "check that they test the change")
	c := task.Check{Name: "cross-examination", Status: task.CheckPassed}
	open = slices.Concat(open, alone.open, falsified.open, sabotaged.open)
	switch n := len(alone.wrong) + len(falsified.wrong) + len(sabotaged.wrong); {
	case n > 0:
		c.Status, c.Detail = task.CheckFailed, task.Count(n, "answer")+" of mended tests did not hold"
	case len(open) > 0:
		c.Detail = string(Witnessed) + ": " + open[0]
	default:
		out.Grade = Signed
		c.Detail = fmt.Sprintf("%s: %s passed alone, and failed with a wrong expectation and with the changed functions sabotaged", Signed, task.Count(len(e.subjects), "mended test"))
	}
	c.Seconds = v.clock().Sub(begun).Seconds()
	out.Checks = append(out.Checks, c)
	return nil
}

// press asks about tests that pass though they expect something wrong: they may
// have caught their own failure. One that passes though its last statement fails
// has not been run by an honest runner.
func (e *examination) press(ctx context.Context, ids []string, out *Verdict) error {
	again := slices.DeleteFunc(slices.Clone(e.subjects), func(s subject) bool { return !slices.Contains(ids, s.id) })
	end, err := e.falsify(ctx, again, cross.End)
	switch {
	case err != nil:
		return err
	case len(end.wrong) > 0:
		out.Reasons = append(out.Reasons, end.wrong[0]+" passes even with a statement at its end that must fail: its result is forged")
	default:
		out.Doubts = append(out.Doubts, ids[0]+" passes also when what it expects is made wrong: check that it tests the change")
	}
	return nil
}

// choose takes the tests to examine; a unit that could not be run before stands
// for the tests in it. open says which of the mended are not among them.
func (e *examination) choose(fixed []string, rep Report) (open []string) {
	was := map[string]task.Failure{}
	for _, t := range e.j.Baseline.Report.Tests {
		if t.Failure != nil {
			was[t.ID] = *t.Failure
		}
	}
	stands := map[string]bool{}
	for _, t := range rep.Tests {
		s, ok := suiteOf(e.suites, t.ID)
		at := slices.IndexFunc(fixed, func(id string) bool { return id == t.ID || inUnit(id, t.ID) })
		if at < 0 || !ok || t.Status != StatusPassed {
			continue
		}
		stands[fixed[at]], stands[t.ID] = true, true
		x := subject{id: t.ID, file: t.File}
		x.Name = OwnName(nameIn(strings.TrimPrefix(t.ID, s.prefix())))
		for _, fr := range was[t.ID].Trace { // the innermost place in the test's own file
			if fr.File == x.file {
				x.Line = fr.Line
			}
		}
		e.subjects = append(e.subjects, x)
	}
	for _, id := range fixed {
		if !stands[id] {
			open = append(open, id+" was not seen to pass by itself")
		}
	}
	if n := len(e.subjects) - maxExamined; n > 0 {
		e.subjects = e.subjects[:maxExamined]
		open = append(open, task.Count(n, "mended test")+" more than are examined")
	}
	if len(e.subjects) == 0 {
		open = append(open, "no mended test could be asked about")
	}
	return open
}

// nameIn is a native id without its file or package.
func nameIn(native string) string {
	for _, cut := range []string{"::", " > ", ":"} {
		if _, name, ok := strings.Cut(native, cut); ok {
			return name
		}
	}
	return native
}

// alone runs the tests as the questions do, and changes nothing: a patch that
// forges only where it sees that everything runs is seen here, and one that
// forges here does so in the questions, too.
func (e *examination) alone(ctx context.Context) (answer, error) {
	rep, err := e.run(ctx, e.subjects, func(box) (map[string][]byte, error) { return nil, nil })
	if err != nil {
		return answer{}, fmt.Errorf("running mended tests without the others: %w", err)
	}
	status := map[string]string{}
	for _, t := range rep.Tests {
		status[t.ID] = t.Status
	}
	var out answer
	for _, s := range e.subjects {
		switch status[s.id] {
		case StatusPassed:
		case "": // out of time
			out.open = append(out.open, s.id+" was not seen to run without the others")
		default:
			out.wrong = append(out.wrong, s.id)
		}
	}
	return out, nil
}

// falsify runs tests that are made wrong; each has to be seen to fail.
func (e *examination) falsify(ctx context.Context, tests []subject, how cross.How) (answer, error) {
	var out answer
	byFile := map[string][]subject{}
	for _, s := range tests {
		byFile[s.file] = append(byFile[s.file], s)
	}
	var asked []subject
	rep, err := e.run(ctx, tests, func(b box) (map[string][]byte, error) {
		texts := map[string][]byte{}
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
				return nil, err
			}
			texts[file] = text
			for i, s := range all {
				if slices.Contains(left, i) {
					out.open = append(out.open, s.id+" states its expectation in a way that cannot be made wrong")
				} else {
					asked = append(asked, s)
				}
			}
		}
		return texts, nil
	})
	if err != nil {
		return out, fmt.Errorf("running mended tests with wrong expectations: %w", err)
	}
	out.judge(asked, rep, "with a wrong expectation")
	return out, nil
}

// sabotage runs the tests on the tree with the changed functions made to fail;
// each has to be seen to fail, or its file to be unable to load.
func (e *examination) sabotage(ctx context.Context) (answer, error) {
	var out answer
	texts := map[string][]byte{}
	for _, f := range e.diff {
		if slices.Contains(e.j.NewTests, f.Path) || code.IsTest(f.Path) || f.After == nil {
			continue
		}
		text, err := cross.Sabotage(ctx, f.Path, f.Before, f.After, e.token)
		if err != nil {
			return out, err
		}
		if errs, err := code.Check(ctx, f.Path, text); text == nil || err != nil || len(errs) > 0 {
			continue // our own mistake proves nothing
		}
		texts[f.Path] = text
	}
	if len(texts) == 0 {
		out.open = append(out.open, "no function was changed that could be sabotaged")
		return out, nil
	}
	rep, err := e.run(ctx, e.subjects, func(box) (map[string][]byte, error) { return texts, nil })
	if err != nil {
		return out, fmt.Errorf("running mended tests on sabotaged code: %w", err)
	}
	out.judge(e.subjects, rep, "on sabotaged code")
	return out, nil
}

// judge sorts tests that have to fail. One that was not seen, and whose file was
// not seen to break, was not asked.
func (a *answer) judge(tests []subject, rep Report, how string) {
	green, red := setFrom(rep.Green()), rep.Red()
	for _, s := range tests {
		switch {
		case green[s.id]:
			a.wrong = append(a.wrong, s.id)
		case slices.ContainsFunc(red, func(id string) bool { return id == s.id || inUnit(id, s.id) }):
			a.held++
		default:
			a.open = append(a.open, s.id+" was not seen to run "+how)
		}
	}
}

// run runs tests on a copy of the judged tree with other texts.
func (e *examination) run(ctx context.Context, tests []subject, texts func(box) (map[string][]byte, error)) (Report, error) {
	if len(tests) == 0 {
		return Report{}, nil
	}
	var ids []string
	for _, s := range tests {
		ids = append(ids, s.id)
	}
	return e.v.inCopy(ctx, e.j.Dir, func(b box) (Report, error) {
		if _, err := restore(b, e.j.Base, e.j.NewTests); err != nil {
			return Report{}, err
		}
		all, err := texts(b)
		if err != nil {
			return Report{}, err
		}
		for file, text := range all {
			if err := b.WriteFile(file, text); err != nil {
				return Report{}, fmt.Errorf("writing %s: %w", file, err)
			}
		}
		return e.v.run(ctx, b, e.suites, pick(e.suites, ids, nil), e.v.learned(e.j.Baseline, ids))
	})
}

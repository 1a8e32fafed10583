package judge

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/code/mutate"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/cross"
	"github.com/fettle-dev/fettle/bot/verify/testgen/gate"
)

const (
	sideBySide   = 2  // faults that run at once
	maxSurvivors = 3  // enough are known
	perLine      = 3  // faults of one line
	maxBack      = 24 // places that are put back
)

// fault is one that is planted into the code after the change.
type fault struct {
	gate.Fault
	back bool // a changed place is put back to what it was

	ran, noticed bool
}

// faults asks whether the tests hold on to what is changed: each changed place is put
// back to what it was, and faults are planted into the changed lines, the likeliest of
// each line first. What the mended tests do not notice, all tests are asked about.
func (r *run) faults(ctx context.Context) error {
	all, left, err := r.plan(ctx)
	if err != nil {
		return err
	}
	for _, c := range r.product {
		if c.After != nil && len(mutate.Operators(code.LanguageOf(c.Path))) == 0 {
			r.lower(Plausible, "no faults can be planted into %s: nothing says how much the tests hold on to it", c.Path)
			break
		}
	}
	if len(all) == 0 {
		r.lower(Plausible, "no fault could be planted into what is changed: nothing says how much the tests hold on to it")
		return nil
	}
	r.in.Progress(fmt.Sprintf("planting %s", task.Count(len(all), "fault")))
	r.planted = all
	until := r.cfg.Now().Add(r.cfg.FaultTime)
	if err := r.glance(ctx, all); err != nil {
		return err
	}
	var mu sync.Mutex
	late, survivors := 0, 0
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(sideBySide)
	for i := range all {
		f := &all[i]
		if f.noticed {
			continue
		}
		group.Go(func() error {
			mu.Lock()
			stop := survivors >= maxSurvivors || i > 0 && !r.cfg.Now().Before(until)
			if stop {
				late++
			}
			mu.Unlock()
			if stop {
				return nil
			}
			err := r.try(within, f)
			mu.Lock()
			defer mu.Unlock()
			if f.ran && !f.noticed {
				survivors++
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("planting faults: %w", err)
	}
	return r.tell(ctx, all, late+left)
}

// plan chooses the faults; left is how many changed places and lines get none for want
// of room, or of time.
func (r *run) plan(ctx context.Context) (all []fault, left int, err error) {
	late := r.until(r.cfg.FaultTime / 2)
	for _, c := range r.product {
		if code.LanguageOf(c.Path) == code.Unknown {
			continue
		}
		for _, u := range code.PutBack(c.Before, c.After) {
			if len(all) == maxBack || late() { // whether it is but a comment is not asked either
				left++
				continue
			}
			text := u.Text()
			if code.SameCode(ctx, c.Path, text, c.After) {
				continue
			}
			line := max(1, min(u.First, u.Last))
			where := fmt.Sprintf("%s:%d", c.Path, u.First)
			if u.Last > u.First {
				where += fmt.Sprintf("-%d", u.Last)
			}
			if u.Last < u.First {
				line = u.First
			}
			all = append(all, fault{back: true, Fault: gate.Fault{Path: c.Path, Text: text, Line: line, Words: where + " put back to what it was before the change"}})
		}
	}
	planted, unplanted, err := gate.LineFaults(ctx, r.product, late)
	if err != nil {
		return nil, 0, err
	}
	left += unplanted
	room := r.cfg.Faults
	for n, round := range gate.Rounds(planted, perLine) {
		if n == 0 && len(round) > room {
			left += len(round) - room
		}
		round = round[:min(len(round), room)]
		room -= len(round)
		for _, f := range round {
			all = append(all, fault{Fault: f.Plant()})
		}
	}
	return all, left, nil
}

// until tells whether a time from now is over.
func (r *run) until(d time.Duration) func() bool {
	end := r.cfg.Now().Add(d)
	return func() bool { return !r.cfg.Now().Before(end) }
}

// glance marks the faults that the mended tests notice when all are planted in a few
// processes, or one build. That a test fails is as much the word of the code under test
// there as in a run of its own; what passes there is run by itself.
func (r *run) glance(ctx context.Context, all []fault) error {
	if r.cfg.Mender == nil || r.ahead == nil || len(r.config) > 0 || len(r.verdict.Fixed) == 0 {
		return nil
	}
	planted := make([]gate.Fault, len(all))
	for i, f := range all {
		planted[i] = f.Fault
	}
	within, stop := context.WithTimeout(ctx, r.cfg.FaultTime/2)
	defer stop()
	aside := slices.Concat(r.base.Aside, r.base.Flaky, r.verdict.Flaky, r.verdict.StillRed)
	noticed, err := r.cfg.Mender.Noticed(within, r.in.Head.Dir(), verify.Baseline{Report: *r.ahead, Aside: aside}, r.verdict.Fixed, planted)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil && within.Err() == nil {
		return err
	}
	n := 0
	for i, is := range noticed {
		if all[i].ran, all[i].noticed = is, is; is {
			n++
		}
	}
	r.in.Progress(fmt.Sprintf("%s noticed, running the others by themselves", task.Count(n, "fault")))
	return nil
}

// try runs the mended tests, and where they notice nothing all tests, with a fault.
func (r *run) try(ctx context.Context, f *fault) error {
	for _, ids := range [][]string{r.verdict.Fixed, nil} {
		rep, err := r.with(ctx, f.Path, f.Text, ids)
		if err != nil {
			return err
		}
		noticed, ran := r.notices(rep)
		f.ran, f.noticed = f.ran || ran, noticed
		if f.back && !ran { // the rest of the change cannot do without it
			f.ran, f.noticed = true, true
		}
		if f.noticed || !f.ran {
			return nil
		}
	}
	return nil
}

// with runs tests on the code after the change with another text of one file.
func (r *run) with(ctx context.Context, p string, text []byte, ids []string) (verify.Report, error) {
	return r.ask(ctx, map[string][]byte{p: text}, ids)
}

// ask runs tests on the code after the change with other texts of some files, and the
// settings of test runners that count.
func (r *run) ask(ctx context.Context, files map[string][]byte, ids []string) (verify.Report, error) {
	if !r.theirs {
		maps.Copy(files, version(r.config, false))
	}
	return r.cfg.Verifier.Try(ctx, verify.Trial{Dir: r.in.Head.Dir(), Files: files, Baseline: &r.base, IDs: ids})
}

// notices tells whether a test that passes with the change is red.
func (r *run) notices(rep verify.Report) (noticed, ran bool) {
	known := slices.Concat(r.verdict.StillRed, r.base.Flaky, r.verdict.Flaky)
	rep.Tests = slices.DeleteFunc(slices.Clone(rep.Tests), func(t verify.TestResult) bool { return slices.Contains(known, t.ID) })
	rep.Broken = slices.DeleteFunc(slices.Clone(rep.Broken), func(f task.Failure) bool { return f.Test != "" && slices.Contains(known, f.Test) })
	return gate.Sees(rep)
}

// tell writes down what came of the faults.
func (r *run) tell(ctx context.Context, all []fault, late int) error {
	noticed := map[string]bool{}
	for _, f := range all {
		if !f.ran {
			continue
		}
		r.rep.Planted++
		if f.noticed {
			r.rep.Noticed++
			noticed[fmt.Sprint(f.Path, f.Line)] = true
		}
	}
	unrun := map[string]bool{}
	asked := map[string]bool{}
	for _, f := range all {
		if !f.ran || f.noticed {
			continue
		}
		at := fmt.Sprint(f.Path, f.Line)
		if !noticed[at] && !asked[at] && len(asked) < maxSurvivors {
			asked[at] = true
			is, err := r.unrun(ctx, f)
			if err != nil {
				return err
			}
			if unrun[at] = is; is {
				r.found("unrun_line", f.Path, f.Line, "no test runs this changed line: it was made to fail, and all tests passed")
			}
		}
		after := version(r.product, true)[f.Path]
		rule, words := "survivor", inWords(after, f)
		if f.back {
			rule = "untested_change"
		}
		r.rep.Survivors = append(r.rep.Survivors, Survivor{Path: f.Path, Line: f.Line, Fault: words, Unrun: unrun[at],
			Patch: checkout.TextDiff(f.Path, after, f.Text), Command: r.command("")})
		r.found(rule, f.Path, f.Line, "%s: no test noticed", words)
	}
	switch n := len(r.rep.Survivors); {
	case r.rep.Planted == 0:
		r.lower(Plausible, "none of the faults that were planted could be run: nothing says how much the tests hold on to the change")
	case n > 0 && r.rep.Noticed == 0:
		r.lower(Unproven, "no test noticed any of %s planted into what is changed", task.Count(n, "fault"))
	case n > 0:
		s := r.rep.Survivors[0]
		r.lower(Plausible, "%s of %d planted into what is changed went unnoticed, first %s:%d %s", task.Count(n, "fault"), r.rep.Planted, s.Path, s.Line, s.Fault)
	case late > 0:
		r.lower(Plausible, "the time or room for planted faults ended with %d to go; the %d that ran were noticed", late, r.rep.Planted)
	default:
		r.say("%s noticed that were planted into what is changed", task.Count(r.rep.Planted, "fault")+" of "+fmt.Sprint(r.rep.Planted))
	}
	return nil
}

// inWords says what a fault does to the text: the line before and after, where it is one.
func inWords(text []byte, f fault) string {
	_, words, _ := strings.Cut(f.Words, " ")
	if f.back {
		return words
	}
	was, now := strings.Split(string(text), "\n"), strings.Split(string(f.Text), "\n")
	if at := f.Line - 1; len(was) == len(now) && at >= 0 && at < len(was) && was[at] != now[at] {
		return fmt.Sprintf("`%s` made `%s`", strings.TrimSpace(was[at]), strings.TrimSpace(now[at]))
	}
	return "changed in this way: " + words
}

// unrun tells whether all tests pass though the lines of a fault were made to fail.
func (r *run) unrun(ctx context.Context, f fault) (bool, error) {
	after := version(r.product, true)[f.Path]
	was := f.Text
	if !f.back { // all but the one line is as it was
		rows := strings.Split(string(after), "\n")
		if f.Line < 1 || f.Line > len(rows) {
			return false, nil
		}
		was = []byte(strings.Join(slices.Delete(slices.Clone(rows), f.Line-1, f.Line), "\n"))
	}
	text, err := cross.Sabotage(ctx, f.Path, was, after, "unrun")
	if err != nil || text == nil {
		return false, err
	}
	if errs, err := code.Check(ctx, f.Path, text); err != nil || len(errs) > 0 {
		return false, err
	}
	rep, err := r.with(ctx, f.Path, text, nil)
	if err != nil {
		return false, err
	}
	noticed, ran := r.notices(rep)
	return ran && !noticed, nil
}

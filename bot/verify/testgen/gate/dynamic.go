package gate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
)

// overlay is the candidate's tests over the base's or the patch's version of
// the changed files. What else holds tests or their configuration stays the
// base's.
func (c Candidate) overlay(after bool) map[string][]byte {
	out := map[string][]byte{}
	for _, ch := range c.Changes {
		out[ch.Path] = ch.Before
		if after && !verify.Protected(ch.Path) {
			out[ch.Path] = ch.After
		}
	}
	maps.Copy(out, c.Tests)
	return out
}

func (c Candidate) paths() []string { return slices.Sorted(maps.Keys(c.Tests)) }

func firstTest(c Candidate) string {
	if p := c.paths(); len(p) > 0 {
		return p[0]
	}
	return ""
}

// try runs the tests of the candidate over files.
func (g *Gate) try(ctx context.Context, c Candidate, files map[string][]byte, tests []string) (verify.Report, error) {
	return g.cfg.Runner.Try(ctx, verify.Trial{Dir: c.Dir, Files: files, Tests: tests})
}

// dynamic runs each file on the base and, several times, with the change.
// asserted are the tests of each file that the base failed by their assertion.
func (g *Gate) dynamic(ctx context.Context, c Candidate) (out []Rejection, asserted map[string][]string, err error) {
	asserted = map[string][]string{}
	for _, p := range c.paths() {
		r, own, err := g.onBase(ctx, c, p)
		if len(own) > 0 {
			asserted[p] = own
		}
		if r == nil && err == nil && len(c.Changes) > 0 {
			r, err = g.onPatch(ctx, c, p)
		}
		if errors.Is(err, verify.ErrNoTests) {
			r, err = &Rejection{Kind: CannotRun, Reason: err.Error() + "; name and place it as the repository's own tests are"}, nil
		}
		if err != nil {
			return nil, nil, fmt.Errorf("judging the test %s: %w", p, err)
		}
		if r != nil {
			r.Path = p
			out = append(out, *r)
		}
	}
	return out, asserted, nil
}

// onBase: at least one test fails there, of itself or for want of what the
// change adds. Without a change to hold it against, it must fail each time.
// asserted are the names of those that failed by their assertion.
func (g *Gate) onBase(ctx context.Context, c Candidate, p string) (_ *Rejection, asserted []string, err error) {
	if c.Characterises {
		return nil, nil, nil
	}
	times := 1
	if len(c.Changes) == 0 {
		times = g.cfg.Repeats
	}
	added, err := verify.AddedBy(ctx, c.Changes)
	if err != nil {
		return nil, nil, err
	}
	red := 0
	for range times {
		rep, err := g.try(ctx, c, c.overlay(false), []string{p})
		if err != nil {
			return nil, nil, err
		}
		failed, why := added.Fails(rep)
		switch {
		case failed:
			red++
			for _, t := range rep.Tests {
				if t.Red() && t.Failure != nil && t.Failure.Kind == task.FailAssertion {
					asserted = append(asserted, t.Name)
				}
			}
		case why != nil:
			return &Rejection{Kind: CannotRun, Line: lineIn(*why, p), Reason: fmt.Sprintf(
				"on the code before the change it cannot be run (%s: %s), which proves nothing; use only what exists before the change or what the change adds, so that it fails by its own assertion or for want of the latter", why.Kind, brief(why.Message))}, nil, nil
		case len(rep.Tests) == 0:
			return &Rejection{Kind: CannotRun, Reason: "no test was seen to run; name and write it as the repository's own tests are"}, nil, nil
		case skippedAll(rep):
			return &Rejection{Kind: Skips, Reason: "it was skipped when it was run; take the condition away"}, nil, nil
		}
	}
	switch {
	case red == 0:
		return &Rejection{Kind: PassesOnBase, Reason: "it passes on the code before the change too, so it does not show the fault; assert the result that the issue expects for the input that the issue names"}, nil, nil
	case red < times:
		return &Rejection{Kind: Flaky, Reason: fmt.Sprintf("it failed in %d of %d runs of the same code; take out what changes between runs (chance, clock, order, files)", red, times)}, nil, nil
	}
	return nil, asserted, nil
}

// sideBySide bounds the runs of one test at once.
const sideBySide = 2

// onPatch: all tests pass, each time.
func (g *Gate) onPatch(ctx context.Context, c Candidate, p string) (*Rejection, error) {
	reports := make([]verify.Report, g.cfg.Repeats)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(sideBySide)
	for i := range reports {
		group.Go(func() (err error) {
			reports[i], err = g.try(ctx, c, c.overlay(true), []string{p})
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	passed := 0
	var failure *task.Failure
	for _, rep := range reports {
		fails := rep.Failures()
		switch {
		case len(fails) > 0:
			failure = &fails[0]
		case skippedAll(rep):
			return &Rejection{Kind: Skips, Reason: "it was skipped when it was run; take the condition away"}, nil
		case len(rep.Green()) > 0:
			passed++
		}
	}
	switch {
	case passed == g.cfg.Repeats:
		return nil, nil
	case passed > 0:
		return &Rejection{Kind: Flaky, Reason: fmt.Sprintf("it passed in %d of %d runs of the same code; take out what changes between runs (chance, clock, order, files)", passed, g.cfg.Repeats)}, nil
	case failure != nil:
		return &Rejection{Kind: FailsOnPatch, Line: lineIn(*failure, p), Reason: fmt.Sprintf("it fails with the change too (%s: %s): the change or the expectation is wrong", failure.Kind, brief(failure.Message))}, nil
	}
	return &Rejection{Kind: CannotRun, Reason: "with the change no test was seen to run and pass"}, nil
}

func skippedAll(rep verify.Report) bool {
	return len(rep.Tests) > 0 && !slices.ContainsFunc(rep.Tests, func(t verify.TestResult) bool { return t.Status != verify.StatusSkipped })
}

func lineIn(f task.Failure, p string) int {
	if f.File == p {
		return f.Line
	}
	return 0
}

// brief is the start of a message, on one line.
func brief(text string) string {
	const limit = 200
	out := []rune{}
	for _, r := range text {
		if r < ' ' {
			r = ' '
		}
		if out = append(out, r); len(out) == limit {
			return string(out) + "…"
		}
	}
	return string(out)
}

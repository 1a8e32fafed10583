package gate

import (
	"context"
	"fmt"
	"slices"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/cross"
)

// sabotaged is the token that changed lines fail with here. The tests are judged,
// not the patch: it need not be a secret.
const sabotaged = "sabotaged"

// carriers are the test files that pass though every changed line fails: they call
// what was changed by another path, or only what was there before. Of a file whose
// tests were seen to fail on the base by their assertion, one of those must fail.
func (g *Gate) carriers(ctx context.Context, c Candidate, asserted map[string][]string) (out []Rejection, err error) {
	files := c.overlay(true)
	planted := false
	for _, ch := range c.Changes {
		if ch.After == nil || verify.Protected(ch.Path) {
			continue
		}
		text, err := cross.Sabotage(ctx, ch.Path, ch.Before, ch.After, sabotaged)
		if err != nil {
			return nil, fmt.Errorf("making the changed lines of %s fail: %w", ch.Path, err)
		}
		if errs, err := code.Check(ctx, ch.Path, text); text == nil || err != nil || len(errs) > 0 {
			continue // our own mistake proves nothing
		}
		files[ch.Path], planted = text, true
	}
	if !planted {
		return nil, nil
	}
	for _, p := range c.paths() {
		rep, err := g.try(ctx, c, files, []string{p})
		if err != nil {
			return nil, fmt.Errorf("running %s with the changed lines made to fail: %w", p, err)
		}
		if len(rep.Broken) > 0 || slices.ContainsFunc(rep.Tests, func(t verify.TestResult) bool {
			return t.Red() && (len(asserted[p]) == 0 || slices.Contains(asserted[p], t.Name))
		}) {
			continue
		}
		out = append(out, Rejection{Kind: NotTheChange, Path: p, Reason: "it passes though every line that the change adds or changes was made to fail, so it does not run them; " +
			"call what the change is about with an input that takes the changed path, and assert the exact result"})
	}
	return out, nil
}

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/fettle-dev/fettle/bench/mend/bugs"
	"github.com/fettle-dev/fettle/bot/verify/testgen/characterise"
	"github.com/fettle-dev/fettle/bot/verify/testgen/gate"
)

// What the comparison of a patch with the correct code can come to.
const (
	pinsSame  = "same"  // on all inputs that were tried
	pinsOther = "other" // on at least one
	pinsNone  = "nothing"
)

// pinned compares, for a bug of which no failing test is held back, what the
// changed functions do with the patch and in the correct tree, on the inputs
// that the tests give them and on edge cases made of these.
func (b *runner) pinned(ctx context.Context, subject, repo string, sources []string, correct bugs.Outcome) string {
	in := characterise.Input{Dir: repo, Suites: correct.Report.Suites}
	for _, p := range sources {
		before, err := os.ReadFile(filepath.Join(subject, filepath.FromSlash(p)))
		if err != nil {
			return pinsNone
		}
		after, err := os.ReadFile(filepath.Join(repo, filepath.FromSlash(p)))
		if err != nil {
			return pinsNone
		}
		in.Changes = append(in.Changes, gate.Change{Path: p, Before: before, After: after})
	}
	made, err := characterise.New(characterise.Config{Sandbox: b.bench.Sandbox(), Verifier: b.bench.Verifier()}).Write(ctx, in)
	switch {
	case err != nil:
		return fmt.Sprintf("%s: %s", pinsNone, oneLine(err.Error()))
	case len(made.Behaviour) > 0:
		return pinsOther
	case made.Nominal+made.Edge > 0:
		return pinsSame
	}
	return fmt.Sprintf("%s: %s", pinsNone, oneLine(strings.Join(made.Left, "; ")))
}

package verify

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/fettle-dev/fettle/bot/task"
)

// Trial is one run of a few test files on a disposable copy of a tree.
type Trial struct {
	Dir   string            // the tree; it is not written to
	Files map[string][]byte // written over the copy; nil takes the file away
	Tests []string          // paths of the test files to run, nothing else is
}

// Try runs a trial. It knows of no base and restores nothing: it is for the
// judgement of tests, not of patches. Whatever does not run is in the report;
// the error is of the sandbox, the context, or ErrNoTests for a file that no
// runner takes for a test.
func (v *Verifier) Try(ctx context.Context, t Trial) (Report, error) {
	b, err := v.open(ctx, t.Dir)
	if err != nil {
		return Report{}, fmt.Errorf("trying tests: %w", err)
	}
	defer b.Close()
	for _, p := range slices.Sorted(maps.Keys(t.Files)) {
		data := t.Files[p]
		if data != nil {
			err = b.WriteFile(p, data)
		} else if _, rerr := b.ReadFile(p, 64<<20); rerr == nil {
			err = b.Remove(p)
		}
		if err != nil {
			return Report{}, fmt.Errorf("laying out %s for a trial: %w", p, err)
		}
	}
	suites, err := v.withNew(b, nil)
	if err != nil {
		return Report{}, fmt.Errorf("trying tests: %w", err)
	}
	for _, p := range t.Tests {
		if owners(suites, p) == nil {
			return Report{}, fmt.Errorf("the test %s: %w by any runner: its name or content is not that of a test", p, ErrNoTests)
		}
	}
	rep, err := v.runFiles(ctx, b, suites, t.Tests)
	if err != nil {
		return rep, fmt.Errorf("trying tests: %w", err)
	}
	return rep, nil
}

// Ran tells whether a failure is the test's own: it ran, and failed by an
// assertion, an exception or a timeout.
func Ran(f *task.Failure) bool { return realFailure(f) }

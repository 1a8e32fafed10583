package mend

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/verify"
)

// bench runs the tests of one suite on changed trees. What it says is only a
// guide for the search: the code under test could lie to it.
type bench interface {
	// trace runs each test alone and tells which lines it ran.
	trace(ctx context.Context, tests []verify.TestResult) ([]trace, error)
	// try runs the tests on each candidate, and calls each with the candidate's
	// index and the ids of tests that came to their end, true for those that passed,
	// one call at a time, until it says stop. A candidate that cannot be built, or
	// whose time was up, has none.
	try(ctx context.Context, cs []candidate, tests []verify.TestResult, each func(i int, seen map[string]bool) bool) error
	// round is how many candidates are best handed to try at once.
	round() int
	close() error
}

// passing counts the tests that passed.
func passing(seen map[string]bool) (n int) {
	for _, ok := range seen {
		if ok {
			n++
		}
	}
	return n
}

// errEnded marks the end of a process that the code under test ran in: it may have
// done that itself.
var errEnded = errors.New("ended")

// preparer is a bench that can get ready while candidates are made.
type preparer interface{ prepare(ctx context.Context) }

// trace is what one test ran.
type trace struct {
	id     string
	passed bool
	lines  map[string]map[int]int // path from the root → line, 1-based → how often it ran, where that is known
}

// bench makes the bench of a suite; nil when its kind is not known here.
func (m *Mender) bench(ctx context.Context, r Request, t target) (bench, error) {
	if t.suite.Reported() && reportedThreads[t.suite.Command.Tool] == "" {
		return nil, nil
	}
	limit, cfg := perTest(r.Baseline, t.suite), m.cfg
	cfg.MaxTime = m.left(r)
	cfg.Workers = min(cfg.Workers, cfg.most(r)) // each loads the runner and the tests, before the first candidate
	switch t.suite.Kind {
	case "python":
		return newPythonBench(ctx, cfg, r.Dir, t, limit)
	case "javascript":
		return newNodeBench(ctx, cfg, r.Dir, t, limit)
	case "go":
		return newGoBench(ctx, cfg, r.Dir, t, limit)
	}
	return nil, nil
}

// perTest bounds one test of a candidate by what the slowest green test took at
// the baseline. Python's is processor time, the others' is the wall's, which
// has to allow for a busy machine.
func perTest(b verify.Baseline, s verify.Suite) time.Duration {
	slowest := 0.0
	for _, t := range b.Report.Tests {
		if hasPrefix(t.ID, s) && t.Status == verify.StatusPassed {
			slowest = max(slowest, t.Seconds)
		}
	}
	least := time.Second
	if s.Kind == "python" {
		least = 60 * time.Millisecond
	}
	return least + time.Duration(slowest*4*float64(time.Second))
}

func prefix(s verify.Suite) string { return fmt.Sprintf("%s:%s:", s.Name, s.Dir) }

func hasPrefix(id string, s verify.Suite) bool { return strings.HasPrefix(id, prefix(s)) }

// native is the id without the suite's prefix.
func native(t verify.TestResult, s verify.Suite) string { return strings.TrimPrefix(t.ID, prefix(s)) }

func natives(ts []verify.TestResult, s verify.Suite) []string {
	out := make([]string, len(ts))
	for i, t := range ts {
		out[i] = native(t, s)
	}
	return out
}

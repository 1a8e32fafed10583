package mend

import (
	"context"
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
	// index and the ids that passed, one call at a time, until it says stop.
	// A candidate that cannot be built passes nothing.
	try(ctx context.Context, cs []candidate, tests []verify.TestResult, each func(i int, passed map[string]bool) bool) error
	close() error
}

// trace is what one test ran.
type trace struct {
	id     string
	passed bool
	lines  map[string]map[int]bool // path from the root → lines, 1-based
}

// bench makes the bench of a suite; nil when its kind is not known here.
func (m *Mender) bench(ctx context.Context, r Request, s verify.Suite) (bench, error) {
	limit := perTest(r.Baseline, s)
	switch s.Kind {
	case "python":
		return newPythonBench(ctx, m.cfg, r.Dir, s, limit)
	case "javascript":
		return newNodeBench(ctx, m.cfg, r.Dir, s, limit)
	case "go":
		return newGoBench(ctx, m.cfg, r.Dir, s, limit)
	}
	return nil, nil
}

// perTest bounds one test of a candidate: a few times what the slowest green
// test took at the baseline, at least a second.
func perTest(b verify.Baseline, s verify.Suite) time.Duration {
	slowest := 0.0
	for _, t := range b.Report.Tests {
		if hasPrefix(t.ID, s) && t.Status == verify.StatusPassed {
			slowest = max(slowest, t.Seconds)
		}
	}
	return time.Second + time.Duration(slowest*4*float64(time.Second))
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

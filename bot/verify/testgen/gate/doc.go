// Package gate judges generated tests (SPEC C5, R3). In go a tree, its pristine
// base, the change (which may be absent) and the new test files; out comes a
// verdict with reasons that tell whoever wrote a test how to write a better
// one.
//
// Three walls, cheapest first. Static rules over the syntax tree (Python,
// JavaScript, TypeScript, Go) find tests that assert nothing (unless the base is
// seen to fail one by its assertion), that assert what
// always holds or what a mock was told, that never reach the project's code,
// that skip, sleep, use the network, chance or the clock, that catch
// everything, or that copy what they test. Then the tests are run through
// bot/verify: they fail on the base by their own assertion or exception, and
// pass three times with the change. Then the changed lines are made to fail: a test
// that passes all the same does not run them, whatever it failed for on the base.
// Last, faults are planted in the changed
// lines (bot/code/mutate), and at least one of them must turn a test red, where
// the base did not fail each file by its assertion: the mutation score (DeMillo,
// Lipton, Sayward, Hints on Test Data Selection, IEEE Computer 1978).
//
// The static rules are cautious: a test is rejected by them when all of its
// assertions are worthless. What they cannot see, the planted faults do.
//
// The package never changes the tree it is given and starts nothing itself.
package gate

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/verify"
)

// Kind is a ground for rejecting a test.
type Kind string

// The grounds.
const (
	AssertsNothing Kind = "asserts_nothing"
	AssertsMock    Kind = "asserts_the_mock"
	Tautology      Kind = "tautology"
	PassesOnBase   Kind = "passes_on_base"
	Flaky          Kind = "flaky"
	Sleeps         Kind = "sleeps"
	Network        Kind = "network"
	CatchesAll     Kind = "catches_everything"
	Skips          Kind = "skips"
	NotTheProject  Kind = "tests_something_else" // the standard library, itself
	CopiesCode     Kind = "copies_the_implementation"
	CannotRun      Kind = "cannot_run"      // syntax, import, collection
	FailsOnPatch   Kind = "fails_on_patch"  // red with the change
	KillsNothing   Kind = "kills_no_mutant" // planted faults stay unseen
	NotTheChange   Kind = "runs_no_changed_line"
)

// Rejection is one reason against a test.
type Rejection struct {
	Kind   Kind   `json:"kind"`
	Path   string `json:"path"`
	Test   string `json:"test,omitempty"` // its name; empty for the whole file
	Line   int    `json:"line,omitempty"` // 1-based
	Reason string `json:"reason"`         // what is wrong, and what to do
}

// String is the rejection for a person or a model.
func (r Rejection) String() string {
	where := r.Path
	if r.Line > 0 {
		where = fmt.Sprintf("%s:%d", r.Path, r.Line)
	}
	if r.Test != "" {
		where += " (" + r.Test + ")"
	}
	return where + ": " + r.Reason
}

// Change is one source file of the patch.
type Change = verify.Change

// Candidate is what is judged.
type Candidate struct {
	Dir     string            // the tree on disk, with or without the change; not written to
	Base    fs.FS             // the pristine base
	Tests   map[string][]byte // the new test files, path → content
	Changes []Change          // the patch without the tests; empty for a mere reproduction
	// Characterises: the tests hold on to what the code does, and may pass on
	// the base.
	Characterises bool
	// Planted: whoever made the tests planted faults itself.
	Planted bool
}

// Score is how many planted faults the tests saw.
type Score struct {
	Mutants   int      `json:"mutants"` // that ran
	Killed    int      `json:"killed"`
	Survivors []string `json:"survivors,omitempty"` // in words, with file and line
	Cut       bool     `json:"cut,omitempty"`       // the bound on time or number was reached first
}

// String is the score as in a checklist.
func (s Score) String() string {
	text := fmt.Sprintf("%d of %d planted faults found", s.Killed, s.Mutants)
	if s.Cut {
		text += " (a sample)"
	}
	if n := len(s.Survivors); n > 0 {
		text += "; not found: " + strings.Join(s.Survivors[:min(n, 3)], "; ")
		if n > 3 {
			text += fmt.Sprintf("; and %d more", n-3)
		}
	}
	return text
}

// Verdict says whether the tests are worth keeping.
type Verdict struct {
	Rejections []Rejection   `json:"rejections,omitempty"`
	Score      *Score        `json:"score,omitempty"` // nil: not measured
	Elapsed    time.Duration `json:"elapsed"`
}

// Accepted: nothing speaks against the tests.
func (v Verdict) Accepted() bool { return len(v.Rejections) == 0 }

// Reasons are the rejections in words.
func (v Verdict) Reasons() []string {
	var out []string
	for _, r := range v.Rejections {
		out = append(out, r.String())
	}
	return out
}

// Runner runs test files on a copy of a tree; *verify.Verifier is one.
type Runner interface {
	Try(ctx context.Context, t verify.Trial) (verify.Report, error)
}

// Config is what a Gate needs. Runner is required.
type Config struct {
	Runner     Runner
	Now        func() time.Time
	Repeats    int           // times that a test must pass, default 3
	MaxMutants int           // default 16
	MutantTime time.Duration // for all mutants together, default 30 s
}

// Gate judges tests. It is safe for concurrent use.
type Gate struct{ cfg Config }

// New makes a Gate.
func New(cfg Config) *Gate {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Repeats <= 0 {
		cfg.Repeats = 3
	}
	if cfg.MaxMutants <= 0 {
		cfg.MaxMutants = 16
	}
	if cfg.MutantTime <= 0 {
		cfg.MutantTime = 30 * time.Second
	}
	return &Gate{cfg}
}

// Judge goes through the walls and stops at the first that rejects. The error
// is of the sandbox or the context; whatever is wrong with a test is in the
// verdict.
func (g *Gate) Judge(ctx context.Context, c Candidate) (Verdict, error) {
	begun := g.cfg.Now()
	var v Verdict
	var err error
	if v.Rejections, err = Static(ctx, c); err != nil {
		return v, err
	}
	var asserted map[string][]string
	if v.Accepted() || !c.Characterises && !slices.ContainsFunc(v.Rejections, func(r Rejection) bool { return r.Kind != AssertsNothing }) {
		var found []Rejection
		found, asserted, err = g.dynamic(ctx, c)
		v.Rejections = slices.DeleteFunc(v.Rejections, func(r Rejection) bool { // it was seen to assert
			return slices.ContainsFunc(asserted[r.Path], func(name string) bool { return strings.Contains(name, r.Test) })
		})
		v.Rejections = append(v.Rejections, found...)
	}
	if err == nil && v.Accepted() && len(c.Changes) > 0 {
		v.Rejections, err = g.carriers(ctx, c, asserted)
	}
	if err == nil && v.Accepted() && len(c.Changes) > 0 && !c.Planted {
		var s Score
		s, err = g.score(ctx, c)
		v.Score = &s
		if err == nil && s.Mutants > 0 && s.Killed == 0 && len(asserted) < len(c.Tests) {
			v.Rejections = append(v.Rejections, Rejection{Kind: KillsNothing, Path: firstTest(c), Reason: fmt.Sprintf(
				"%d faults were planted in the changed code and the test saw none (for one: %s); assert the exact result for inputs that take the changed path", s.Mutants, s.Survivors[0])})
		}
	}
	v.Elapsed = g.cfg.Now().Sub(begun)
	return v, err
}

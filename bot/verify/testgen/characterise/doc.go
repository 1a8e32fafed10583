// Package characterise writes tests, without a model, that hold on to what
// changed functions do (SPEC C5: for each a nominal and at least one edge case).
// In go a tree with a change that passed, and its base; out comes at most one
// test file for each changed source file, in the repository's own style and
// place, and what the change made different.
//
//	Targets   changed functions, or those through which a test reaches them
//	record    arguments seen while the tests ran            (in the sandbox)
//	edges     the same, one of them changed: empty, zero, at a boundary …
//	observe   what the calls come to: with the change in two surroundings,
//	          before it, and with planted faults            (in the sandbox)
//	choose    nominal, edge, then what finds further faults: the fewest
//	gate      the written file is judged as all generated tests are
//
// Such a test pins what was seen, and says so in a comment; it is no
// specification. Only what is certain is pinned: results that can be written as
// literals, come out the same each time, in another order, time zone and hash
// seed, without files, clock, chance or network, and exceptions that the code
// raises itself.
//
// The approach is Feathers's (Working Effectively with Legacy Code, 2004,
// chapter 13); the choice by planted faults is that of EvoSuite (Fraser and
// Zeller, Mutation-driven Generation of Unit Tests and Oracles, TSE 2012).
//
// Compare does the same calls with several texts of a file, for those who choose
// between them. What agrees with a function beside it on all inputs is told, and
// what a function beside it undid and undoes no more (Alike).
//
// Trace tells what functions are called with while tests run, and what comes of it,
// for a reader.
//
// The package changes nothing in the tree that it is given.
package characterise

import (
	"io"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/testgen/gate"
)

// Note stands at the top of each file that is written.
const Note = "Characterisation: pins the behaviour seen after the change; not a specification."

// Config is what a Characteriser needs; Sandbox and Verifier are required.
type Config struct {
	Sandbox  *sandbox.Sandbox
	Verifier *verify.Verifier
	Now      func() time.Time
	Log      logrus.FieldLogger
	Budget   time.Duration // for all of it, default a minute: it ends what hangs
	Faults   int           // planted at most, default 16; of Go 8
	PerFunc  int           // tests of a function, default 4
	Total    int           // tests in all, default 8
}

// Input is a tree with a change that passed its checks.
type Input struct {
	Dir     string         // the tree with the change on disk; not written to
	Suites  []verify.Suite // how it is tested
	Changes []gate.Change  // the patch without its tests
	Tests   []string       // new tests of the patch
	Again   bool           // the caller runs the tests once more, with all others
	// Want tells which changed regions are to be tested; nil: all are.
	Want func(code.Region) bool
	// Faults are planted before any others: tests are wanted that notice them.
	Faults []gate.Fault
	// Allowed tells whether a new test may stand at a path; nil allows all.
	Allowed func(path string) bool
}

// Found is what was made.
type Found struct {
	Files     []File           `json:"files,omitempty"`
	Nominal   int              `json:"nominal"` // tests of a call as it was seen
	Edge      int              `json:"edge"`    // tests of a changed one
	Score     gate.Score       `json:"score"`   // planted faults that the tests see
	Behaviour []task.Behaviour `json:"behaviour,omitempty"`
	// Alike says which functions came to do the same as one beside them, as far as was tried.
	Alike []string `json:"alike,omitempty"`
	// Left says in a line each what was not done, and why.
	Left    []string      `json:"left,omitempty"`
	Elapsed time.Duration `json:"elapsed"`
}

// File is a new test file.
type File struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

// Characteriser writes characterisation tests. It is safe for concurrent use.
type Characteriser struct{ cfg Config }

// New makes a Characteriser.
func New(cfg Config) *Characteriser {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		quiet := logrus.New()
		quiet.SetOutput(io.Discard)
		cfg.Log = quiet
	}
	if cfg.Budget <= 0 {
		cfg.Budget = time.Minute
	}
	if cfg.Faults <= 0 {
		cfg.Faults = 16
	}
	if cfg.PerFunc <= 0 {
		cfg.PerFunc = 4
	}
	if cfg.Total <= 0 {
		cfg.Total = 8
	}
	return &Characteriser{cfg}
}

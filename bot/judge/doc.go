// Package judge says with evidence what a change of anybody proves (SPEC S13). In go
// two trees of a repository, before and after, and perhaps an issue; out comes a
// report: a judgement, the reasons for it, and under each what reproduces it.
//
//	before's code with after's tests   what is red there shows what the change mends
//	after's code with after's tests    must be green; what it mends is cross-examined
//	after's code with before's tests   what the change alters in tests that were there
//	places put back, faults planted    which changed lines the tests hold on to
//	calls done on both                 what behaves otherwise than before
//	the text                           danger, forgery, worthless tests, dead code
//	the kinds of files (files.go)      code, tests, documentation, CI, settings of runners
//
// The evidence is package verify's: the judge lays out a base whose tests are those of
// the change, so that a test which comes with a change is examined as one that was
// there. Settings of test runners stay the base's; where the change needs its own, it
// is said.
//
// The judgement starts at proven and is only ever lowered. Proven needs tests that the
// change turned from red to green, grade signed or witnessed, and that no fault planted
// into the changed lines, and no changed place put back, went unnoticed.
//
// The package changes nothing of the user's, and runs repository code only through
// package verify.
package judge

import (
	"context"
	"time"

	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/mend"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/testgen/characterise"
)

// Judgement is what a change proves.
type Judgement string

// The judgements, from the best down.
const (
	Proven    Judgement = "proven"
	Plausible Judgement = "plausible"
	Unproven  Judgement = "unproven"
	Refuted   Judgement = "refuted"
	Dangerous Judgement = "dangerous"
)

var ranks = map[Judgement]int{Proven: 0, Plausible: 1, Unproven: 2, Refuted: 3, Dangerous: 4}

// Config is what a Judge needs; Verifier is required.
type Config struct {
	Verifier      *verify.Verifier
	Characteriser *characterise.Characteriser // nil: calls are not compared
	Mender        *mend.Mender                // plants many faults at once; nil: each is run by itself
	Now           func() time.Time
	Faults        int           // planted at most, default 40
	FaultTime     time.Duration // for all of them, default a minute
	// Second asks somebody for an opinion about a change that the evidence carries; nil:
	// nobody. The error is the context's.
	Second func(context.Context, Asked) (Opinion, error)
	// Write asks somebody for a test where none could be made without; nil: nobody. The
	// error is the context's.
	Write func(context.Context, Lack) (Written, error)
}

// Judge judges changes. It is safe for concurrent use.
type Judge struct{ cfg Config }

// New makes a Judge.
func New(cfg Config) *Judge {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Faults <= 0 {
		cfg.Faults = 40
	}
	if cfg.FaultTime <= 0 {
		cfg.FaultTime = time.Minute
	}
	return &Judge{cfg}
}

// Input is a change. Base and Head are disposable: the tests of Head are laid over Base.
type Input struct {
	Base, Head  *checkout.Tree
	Title, Body string // of the issue that it is for; empty: none is known
	Progress    func(words string)
	// Tests has the tests made that the change lacks (Report.Offer), where Allowed, or
	// nil, lets a new file stand.
	Tests   bool
	Allowed func(path string) bool
	// Kept keeps what the tests show of the code before the change, for another push; nil:
	// it is measured each time.
	Kept Keeper
}

// Report is what the evidence shows. Lists are never nil.
type Report struct {
	Judgement Judgement    `json:"judgement"`
	Reasons   []string     `json:"reasons"`
	Tests     Tests        `json:"tests"`
	Survivors []Survivor   `json:"survivors"`
	Findings  []Finding    `json:"findings"`
	Risk      task.Risk    `json:"risk"`
	Grade     verify.Grade `json:"grade,omitempty"` // of the tests that the change mends
	// Behaviour lists calls that come to something else than before.
	Behaviour []task.Behaviour `json:"behaviour"`
	// Planted counts the faults that ran, and Noticed those of them that a test noticed.
	Planted int          `json:"planted"`
	Noticed int          `json:"noticed"`
	Files   []File       `json:"files"`
	Checks  []task.Check `json:"checks"`
	Opinion *Opinion     `json:"opinion,omitempty"` // a model's; nil: none was asked
	Offer   *Offer       `json:"offer,omitempty"`   // tests that the change lacks; nil: they were not asked for
	// Reused: what the tests show of the code before the change was known from earlier.
	Reused  bool    `json:"base_reused,omitempty"`
	Base    string  `json:"base"`
	Head    string  `json:"head"`
	Seconds float64 `json:"seconds"`
	Suite   float64 `json:"suite_seconds"` // one run of all tests, before the change
}

// Tests are the tests that say something of the change.
type Tests struct {
	Fixed   []Test `json:"fixed"`   // red with the code before the change, green with it
	Broken  []Test `json:"broken"`  // green before, and red or not seen with the change
	New     []Test `json:"new"`     // what the change adds, with what each is worth
	Altered []Test `json:"altered"` // were green, fail with the change, and are changed or deleted by it
	Flaky   []Test `json:"flaky"`   // whose result is not always the same
}

// Test is one test.
type Test struct {
	ID      string `json:"id"`
	Worth   string `json:"worth,omitempty"`   // of a new one, see the constants
	Why     string `json:"why,omitempty"`     // in words
	Command string `json:"command,omitempty"` // runs it
}

// What a new test is worth.
const (
	FailsOnBase  = "fails_on_base"  // by its own assertion or exception
	NeedsNew     = "needs_new"      // cannot be loaded on the base for want of what the change adds
	PassesOnBase = "passes_on_base" // it says nothing of the change
	WrongReason  = "wrong_reason"   // it is red on the base for something else
)

// Survivor is a fault in the changed lines that no test noticed.
type Survivor struct {
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Fault   string `json:"fault"`
	Unrun   bool   `json:"unrun,omitempty"` // no test runs the line
	Patch   string `json:"patch"`           // plants it
	Command string `json:"command"`         // the tests that stay green
}

// Finding is a line that a person has to look at.
type Finding struct {
	Rule    string `json:"rule"`
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Message string `json:"message"`
}

// File is a changed file.
type File struct {
	Path   string `json:"path"`
	Status string `json:"status"` // added, modified, deleted
	Kind   string `json:"kind"`   // see the constants
}

// Kinds of changed files.
const (
	KindProduct   = "product"
	KindTest      = "test"
	KindConfig    = "test_config"
	KindDocs      = "docs"
	KindLock      = "lock"
	KindGenerated = "generated"
	KindBinary    = "binary"
	KindCI        = "ci"
	KindLink      = "link"      // to another file
	KindMode      = "mode"      // only who may start it is changed
	KindSubmodule = "submodule" // the commit of another repository
)

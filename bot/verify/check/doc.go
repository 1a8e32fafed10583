// Package check is the quality pipeline (SPEC C3): syntax, build, lint, types,
// tests, each in the sandbox on one disposable copy of the tree. In goes a
// folder with its plan (package detect); out comes one normalised result, with
// an honest word about what could not be run and what to do about it.
//
// It tells a person or an editor how a working copy stands (Run), and what a
// change did to the checks that a repository names (Judge). It reads what tools
// print, and so it can hold a patch up and never prove one: proof is package
// verify's, on records that the code under test cannot forge.
//
// It must never change the folder, nor start repository code outside the
// sandbox.
package check

import (
	"io"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/detect"
	"github.com/fettle-dev/fettle/bot/verify/impact"
)

// Profile is how much is checked.
type Profile string

// The profiles.
const (
	// Fast stops at the first level that is red, and runs the tests that the
	// changed files call for.
	Fast Profile = "fast"
	// Full runs everything.
	Full Profile = "full"
)

// Status is how a check ended.
type Status string

// The statuses.
const (
	Passed  Status = "passed"
	Failed  Status = "failed"
	NotRun  Status = "not_run" // a tool or dependency is missing: says nothing about the code
	Skipped Status = "skipped" // not wanted: an earlier level is red, or nothing it covers has changed
)

// Check is the result of one command, or of the syntax level.
type Check struct {
	Name     string         `json:"name"`
	Kind     string         `json:"kind"` // syntax, build, lint, types, test
	Status   Status         `json:"status"`
	Required bool           `json:"required"`
	Declared bool           `json:"declared,omitempty"` // the repository's own file names it
	Command  string         `json:"command,omitempty"`  // what to type for the same
	Dir      string         `json:"dir,omitempty"`
	Why      string         `json:"why,omitempty"`      // why it is run
	Evidence string         `json:"evidence,omitempty"` // of tests: the best grade that a fix has by them (docs/runners.md)
	Detail   string         `json:"detail"`
	Do       string         `json:"do,omitempty"` // what a person can do about it
	Seconds  float64        `json:"seconds"`
	Passed   int            `json:"passed"` // tests
	Failed   int            `json:"failed"` // tests, or findings
	Skipped  int            `json:"skipped"`
	Selected []impact.Pick  `json:"selected,omitempty"` // tests that were chosen, with reasons
	Left     int            `json:"left,omitempty"`     // tests that the change calls for too, and that the time left out
	Failures []task.Failure `json:"failures,omitempty"`
}

// Result is the result of a pipeline. Failures' tests are "suite:dir:native id".
type Result struct {
	Profile Profile  `json:"profile"`
	Status  Status   `json:"status"` // failed, not_run or passed
	Checks  []Check  `json:"checks"`
	Notes   []string `json:"notes,omitempty"`
	Sandbox string   `json:"sandbox"`
	Seconds float64  `json:"seconds"`
}

// Failures lists all failures, in the order of the checks.
func (r Result) Failures() []task.Failure {
	var out []task.Failure
	for _, c := range r.Checks {
		out = append(out, c.Failures...)
	}
	return out
}

// settle computes the status of the whole: red beats what could not be run, and
// that beats green. A linter or type checker that was only detected and is not
// installed is told and does not count. whole says that no part was asked for.
func (r *Result) settle(whole bool) {
	r.Status = Passed
	ran := false
	for _, c := range r.Checks {
		switch {
		case c.Status == Failed && c.Required:
			r.Status = Failed
			return
		case c.Status == NotRun && c.Required && (c.Declared || c.Kind == string(detect.Test) || c.Kind == string(detect.Build)):
			r.Status = NotRun
		}
		ran = ran || c.Status == Passed && c.Kind == string(detect.Test)
	}
	if !ran && r.Status == Passed && r.Profile == Full && whole {
		r.Status = NotRun
		r.Notes = append(r.Notes, "no test was run; nothing says that the code does what it should: add tests, or name the command that runs them under checks in .fettle.yml")
	}
}

// Config is what a Runner needs. Only Sandbox is required.
type Config struct {
	Sandbox *sandbox.Sandbox
	Now     func() time.Time
	Log     logrus.FieldLogger
	Timeout time.Duration // wall clock of one command, default 10 minutes
}

// Runner runs pipelines. It is safe for concurrent use.
type Runner struct {
	cfg Config
}

// New makes a Runner; it starts nothing.
func New(cfg Config) *Runner {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		quiet := logrus.New()
		quiet.SetOutput(io.Discard)
		cfg.Log = quiet
	}
	if cfg.Timeout <= 0 {
		cfg.Timeout = 10 * time.Minute
	}
	return &Runner{cfg: cfg}
}

// Options are the wishes of one run.
type Options struct {
	Profile Profile
	Changed []string    // files that changed, from the root; for Fast
	Commits [][]string  // files of earlier commits, newest first: what changed together
	Plan    detect.Plan // of the folder
	// Map gives what an earlier run of a test command recorded (Record), or nil; for Fast.
	Map      func(detect.Command) *impact.Map
	Only     []string                // names or kinds of checks; empty: all
	Files    map[string][]byte       // written over the copy before anything is run; nil takes the file away
	Progress func(name, note string) // may be nil
}

package task

import (
	"fmt"
	"path"
	"strings"
)

// FailureKind is the class of a failure: it chooses the next action.
type FailureKind string

// Kinds of failures.
const (
	FailAssertion  FailureKind = "assertion"
	FailException  FailureKind = "exception"
	FailImport     FailureKind = "import"
	FailSyntax     FailureKind = "syntax"
	FailTimeout    FailureKind = "timeout"
	FailCollection FailureKind = "collection" // the suite could not even be read
	FailMissing    FailureKind = "missing"    // an expected test was not seen to run
	FailCrash      FailureKind = "crash"      // the runner died: signal, out of memory
	FailBuild      FailureKind = "build"
	FailLint       FailureKind = "lint"  // a rule of a linter, no test
	FailType       FailureKind = "types" // found by a type checker
)

// Frame is one line of a stack trace, innermost last.
type Frame struct {
	File     string `json:"file"` // relative to the checkout where it is inside it
	Line     int    `json:"line"`
	Function string `json:"function,omitempty"`
}

// Foreign tells a place in a runner, a library or the language, which nobody changes.
func (f Frame) Foreign() bool {
	return path.IsAbs(f.File) || strings.HasPrefix(f.File, "node:") || strings.Contains(f.File, "node_modules/") || strings.Contains(f.File, "site-packages/")
}

// Failure is one thing that a check found.
type Failure struct {
	Test        string      `json:"test,omitempty"` // TestResult.ID; empty when not bound to a test
	Suite       string      `json:"suite,omitempty"`
	Kind        FailureKind `json:"kind"`
	File        string      `json:"file,omitempty"`
	Line        int         `json:"line,omitempty"`
	Exception   string      `json:"exception,omitempty"` // class, such as ZeroDivisionError
	Message     string      `json:"message"`
	Trace       []Frame     `json:"trace,omitempty"`
	Excerpt     string      `json:"excerpt,omitempty"` // head and tail of the runner's own words, capped
	Fingerprint string      `json:"fingerprint"`       // stable over line numbers, paths, addresses, times
	// Missing is what could not be found to import or to link, where this alone
	// is why it failed: a module or package as a path without its ending, a name
	// behind "#".
	Missing []string `json:"missing,omitempty"`
	// Cause says in a sentence what was seen when it failed, with the lines of code
	// that it speaks of.
	Cause string `json:"cause,omitempty"`
	// Raised: the innermost line of the project's code raises the exception by a
	// statement of its own.
	Raised bool `json:"raised,omitempty"`
}

// Words says in one line what failed and where.
func (f Failure) Words() string {
	place := ""
	switch {
	case f.File != "" && f.Line > 0:
		place = fmt.Sprintf(" at %s:%d", f.File, f.Line)
	case f.Test != "":
		place = " of " + f.Test
	}
	line, _, _ := strings.Cut(strings.TrimSpace(f.Message), "\n")
	return fmt.Sprintf("%s%s: %s", f.Kind, place, line)
}

// CheckStatus is how a check ended.
type CheckStatus string

// Statuses of checks.
const (
	CheckPassed  CheckStatus = "passed"
	CheckFailed  CheckStatus = "failed"
	CheckSkipped CheckStatus = "skipped"
	CheckKnown   CheckStatus = "nothing new" // what it finds was there before the change
)

// Check is one verification with its result, as it stands in the checklist.
type Check struct {
	Name    string      `json:"name"`
	Status  CheckStatus `json:"status"`
	Seconds float64     `json:"seconds"`
	Detail  string      `json:"detail,omitempty"`
}

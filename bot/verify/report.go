package verify

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/detect"
	"github.com/fettle-dev/fettle/bot/verify/parse"
)

// Names of suites.
const (
	suitePytest   = "pytest"
	suiteUnittest = "unittest"
	suiteNode     = "node"
	suiteMocha    = "mocha"
	suiteGo       = "go"
)

// Suite is a set of tests that one runner runs in one folder.
type Suite struct {
	Name     string        `json:"name"` // pytest, unittest, node, mocha, go; vitest, jest, cargo, maven, gradle
	Kind     string        `json:"kind"` // the runner's family: python, javascript, go, rust, java
	Dir      string        `json:"dir"`  // slash-separated, "." for the root
	Argv     []string      `json:"argv"` // what a person would type in Dir; for reports
	Language code.Language `json:"language"`
	// Command is how it is run where its runner has no driver of ours (reported.go).
	Command *detect.Command `json:"command,omitempty"`
}

// prefix starts the ids of the suite's tests.
func (s Suite) prefix() string { return s.Name + ":" + s.Dir + ":" }

func (s Suite) id(native string) string { return s.prefix() + native }

// place is where its runner's paths are seen from.
func (s Suite) place() parse.Place { return parse.Place{Dir: s.Dir} }

// label names the suite in checks and messages.
func (s Suite) label() string {
	if s.Dir == "." {
		return s.Name
	}
	return s.Name + " in " + s.Dir
}

// Statuses of a test.
const (
	StatusPassed  = "passed"
	StatusFailed  = "failed"  // an assertion, an exception or a timeout in the test
	StatusError   = "error"   // outside the test's body, or its process died
	StatusSkipped = "skipped" // also expected failures
)

// TestResult is what was seen of one test.
type TestResult struct {
	// ID is stable over runs: "<suite>:<dir>:<native id>", where the native id is
	// pytest's node id, "file::Class::method", "file > suite > test" (mocha's suites
	// joined by blanks), or
	// "package folder:Test/sub".
	ID      string        `json:"id"`
	Suite   string        `json:"suite"`
	File    string        `json:"file"` // from the root of the tree; for Go the package's folder
	Name    string        `json:"name"`
	Status  string        `json:"status"`
	Seconds float64       `json:"seconds"`
	Failure *task.Failure `json:"failure,omitempty"`
	// Source is the file that the test stands in, where another one, File, is run.
	Source string `json:"source,omitempty"`
}

// Red tells whether the test failed.
func (t TestResult) Red() bool { return t.Status == StatusFailed || t.Status == StatusError }

// result makes the result of a test. file is seen from the root of the tree; a status that
// is none counts as an error.
func (s Suite) result(native, file, name, status string, seconds float64) TestResult {
	if _, known := rank[status]; !known {
		status = StatusError
	}
	return TestResult{ID: s.id(native), Suite: s.Name, File: file, Name: name, Status: status, Seconds: seconds}
}

// fail gives a red test its failure, which is in the test's own file, at line, where
// nothing else is known.
func (t *TestResult) fail(f task.Failure, line int) {
	f.Suite, f.Test = t.Suite, t.ID
	if f.File == "" {
		f.File, f.Line = t.File, line
	}
	f = parse.Finish(f)
	t.Failure = &f
}

// locate sets File and Line to the innermost frame inside the tree, when the
// trace has one and it is not in an installed dependency.
func locate(f *task.Failure) {
	for i := len(f.Trace) - 1; i >= 0; i-- {
		fr := f.Trace[i]
		if fr.Foreign() {
			continue
		}
		f.File, f.Line = fr.File, fr.Line
		return
	}
}

// Report is what running suites showed. Tests are sorted by id.
type Report struct {
	Suites []Suite      `json:"suites"`
	Tests  []TestResult `json:"tests"`
	// Broken holds what is not bound to a test: collection, build, crash,
	// timeout. Where it concerns one unit (a test file, a class, a Go package),
	// its Test is the unit's id, and counts as red.
	Broken []task.Failure `json:"broken,omitempty"`
	Checks []task.Check   `json:"checks"`
	// Told are the prefixes of the ids of suites of which nothing but their own word is known.
	Told []string `json:"told,omitempty"`
	// Unable are those of suites that showed no test: there is none, their tools are
	// missing, or their time ended.
	Unable  []string      `json:"unable,omitempty"`
	Elapsed time.Duration `json:"elapsed"`
}

// wrapper marks the failure of a test that failed only because a part of it did.
const wrapper = "SubtestFailed"

// Failures lists what failed: first what is broken, then the tests, without
// those that only repeat the failure of a subtest.
func (r Report) Failures() []task.Failure {
	out := append([]task.Failure(nil), r.Broken...)
	for _, t := range r.Tests {
		if t.Red() && t.Failure != nil && t.Failure.Exception != wrapper {
			out = append(out, *t.Failure)
		}
	}
	return out
}

// Red lists the ids of tests and units that failed, sorted.
func (r Report) Red() []string {
	seen := map[string]bool{}
	for _, t := range r.Tests {
		if t.Red() {
			seen[t.ID] = true
		}
	}
	for _, f := range r.Broken {
		if f.Test != "" {
			seen[f.Test] = true
		}
	}
	return keys(seen)
}

// Green lists the ids of tests that passed, sorted.
func (r Report) Green() []string {
	seen := map[string]bool{}
	for _, t := range r.Tests {
		if t.Status == StatusPassed {
			seen[t.ID] = true
		}
	}
	return keys(seen)
}

func keys[T any](m map[string]T) []string {
	out := slices.AppendSeq(make([]string, 0, len(m)), maps.Keys(m))
	slices.Sort(out)
	return out
}

// suiteOf finds the suite that an id belongs to.
func suiteOf(suites []Suite, id string) (Suite, bool) {
	var best Suite
	found := false
	for _, s := range suites {
		if strings.HasPrefix(id, s.prefix()) && (!found || len(s.Dir) > len(best.Dir)) {
			best, found = s, true
		}
	}
	return best, found
}

// InUnit tells whether a test's native id lies in the unit's: a file, a class
// or a Go package.
func InUnit(unit, native string) bool {
	rest, ok := strings.CutPrefix(native, unit)
	return ok && rest != "" && (strings.HasPrefix(rest, "::") || strings.HasPrefix(rest, " > ") || strings.HasPrefix(rest, ":"))
}

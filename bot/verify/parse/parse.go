package parse

import (
	"bytes"
	"sort"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/task"
)

// Format names how a tool writes its results.
type Format string

// The formats.
const (
	Pytest    Format = "pytest"     // text, any --tb style and verbosity
	Unittest  Format = "unittest"   // text, quiet or verbose
	GoJSON    Format = "go-json"    // go test -json
	GoText    Format = "go-text"    // go test, with or without -v
	TAP       Format = "tap"        // version 12 to 14; node:test, mocha, tape, vitest
	TAPFiles  Format = "tap-files"  // TAP of one file of tests after another, each begun by "# file: name"
	JSONLines Format = "json-lines" // one object a line: test, status, and where they are known file, message, seconds
	Exit      Format = "exit"       // the exit status alone
	CTest     Format = "ctest"      // ctest --output-junit, with what GoogleTest, Catch2, doctest and assert print
	NodeSpec  Format = "node-spec"  // node:test's spec reporter
	JestJSON  Format = "jest-json"  // jest --json, vitest --reporter=json
	Jest      Format = "jest"       // text
	Vitest    Format = "vitest"     // text
	MochaXML  Format = "mocha-xml"  // mocha --reporter xunit
	MochaOut  Format = "mocha"      // text: spec, dot and others that end with the list of failures
	MochaJS   Format = "mocha-json"
	JUnit     Format = "junit" // XML: pytest, surefire, gradle, node, vitest and others
	Cargo     Format = "cargo" // cargo test, with the compiler's errors
	Surefire  Format = "surefire"
	// RSpecJSON is RSpec's --format json, and the same of minitest and test-unit.
	RSpecJSON   Format = "rspec-json"
	RSpecText   Format = "rspec"     // text, any formatter that ends with the list of failures
	XUnitText   Format = "minitest"  // text of minitest, Rails and test-unit
	PHPUnitText Format = "phpunit"   // text
	Lines       Format = "lines"     // file:line:col: message, as compilers and linters print
	Traces      Format = "traceback" // the last stack trace of Python, Node, Go, Java or Rust
)

// Formats lists all of them.
var Formats = []Format{Pytest, Unittest, GoJSON, GoText, TAP, TAPFiles, JSONLines, Exit, CTest, NodeSpec, JestJSON, Jest, Vitest, MochaXML, MochaOut,
	MochaJS, JUnit, Cargo, Surefire, RSpecJSON, RSpecText, XUnitText, PHPUnitText, Lines, Traces}

// Statuses of a test, as in package verify.
const (
	Passed  = "passed"
	Failed  = "failed"  // an assertion, an exception or a timeout in the test
	Error   = "error"   // outside the test's body, or its process died
	Skipped = "skipped" // also expected failures
)

// Test is what was seen of one test.
type Test struct {
	// ID is the native id: pytest's node id, "file::Class::method", "file >
	// suite > test", "package folder:Test/sub", "crate::module::test",
	// "module folder/package.Class::method". Where a format does not tell the file,
	// the id begins after it.
	ID      string        `json:"id"`
	File    string        `json:"file,omitempty"`
	Status  string        `json:"status"`
	Seconds float64       `json:"seconds,omitempty"`
	Failure *task.Failure `json:"failure,omitempty"`
}

// Red tells whether the test failed.
func (t Test) Red() bool { return t.Status == Failed || t.Status == Error }

// Totals are the figures of the tool's own last line.
type Totals struct {
	Passed  int `json:"passed"`
	Failed  int `json:"failed"`
	Errors  int `json:"errors"`
	Skipped int `json:"skipped"`
}

// add counts a test.
func (t *Totals) add(status string) {
	switch status {
	case Passed:
		t.Passed++
	case Skipped:
		t.Skipped++
	default:
		t.Failed++
	}
}

// Report is the normalised result of one output.
type Report struct {
	Format Format         `json:"format"`
	Tests  []Test         `json:"tests,omitempty"`  // sorted by id; texts may name the red ones only
	Broken []task.Failure `json:"broken,omitempty"` // not bound to a test: collection, build, crash, finding
	Totals Totals         `json:"totals"`           // zero where the tool told none
	Ended  bool           `json:"ended"`            // the output is complete: its end was seen
}

// Failures lists what is broken, then the failures of red tests.
func (r Report) Failures() []task.Failure {
	out := append([]task.Failure(nil), r.Broken...)
	for _, t := range r.Tests {
		if t.Red() && t.Failure != nil {
			out = append(out, *t.Failure)
		}
	}
	return out
}

// Place is where an output was made.
type Place struct {
	Root   string // absolute path of the tree as the tool saw it, "/work"
	Dir    string // folder of the command, from the root; "" or "." for the root
	Suite  string // goes into each failure
	Module string // Go: module path of Dir; Maven, Gradle: folder of the module, from Dir
	// Find resolves the end of a path, "shop/Cart.java", to a file of the tree,
	// or "". It may be nil.
	Find func(suffix string) string
}

var readers = map[Format]func(string, Place) Report{
	Pytest: readPytest, Unittest: readUnittest, GoJSON: readGoJSON, GoText: readGoText, TAP: readTAP, TAPFiles: readTAPFiles, JSONLines: readJSONLines, CTest: readCTest, Exit: func(string, Place) Report { return Report{Ended: true} }, NodeSpec: readNodeSpec,
	JestJSON: readJestJSON, Jest: readJest, Vitest: readVitest, MochaXML: readJUnit, MochaOut: readMocha, MochaJS: readMochaJSON,
	JUnit: readJUnit, Cargo: readCargo, Surefire: readSurefire, RSpecJSON: readRSpec, RSpecText: readRSpecText, XUnitText: readXUnitText, PHPUnitText: readPHPUnitText, Lines: readLines, Traces: readTraces,
}

// maxOutput bounds what is read of one output; head and tail count.
const maxOutput = 16 << 20

var escapes = lazyregexp.New("\x1b(?:\\[[0-9;?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[@-Z\\\\-_])")

// Read reads an output. It never fails: what cannot be understood gives an
// empty report with Ended false, and the caller has the exit status.
func Read(f Format, data []byte, at Place) Report {
	read := readers[f]
	if read == nil {
		return Report{Format: f}
	}
	if len(data) > maxOutput {
		data = append(append(append([]byte(nil), data[:maxOutput/4]...), "\n[...]\n"...), data[len(data)-3*maxOutput/4:]...)
	}
	text := strings.ToValidUTF8(string(data), "\uFFFD")
	text = strings.ReplaceAll(escapes.ReplaceAllString(text, ""), "\r\n", "\n")
	rep := read(text, at)
	rep.Format = f
	rep.Tests = merge(rep.Tests)
	for i := range rep.Tests {
		t := &rep.Tests[i]
		if t.Red() && t.Failure == nil {
			t.Failure = &task.Failure{Message: "the test failed, and the output does not say why"}
		}
		if t.Failure != nil {
			f := *t.Failure
			f.Test = t.ID
			if f.File == "" {
				f.File = t.File
			}
			f = at.finish(f)
			t.Failure = &f
		}
	}
	for i, b := range rep.Broken {
		rep.Broken[i] = at.finish(b)
	}
	rep.Broken = distinct(rep.Broken)
	return rep
}

var worse = map[string]int{Skipped: 0, Passed: 1, Failed: 2, Error: 3}

// merge makes ids unique and sorts; of a test seen twice the worst counts.
func merge(in []Test) []Test {
	at := map[string]int{}
	var out []Test
	for _, t := range in {
		if t.ID == "" {
			continue
		}
		i, seen := at[t.ID]
		switch {
		case !seen:
			at[t.ID] = len(out)
			out = append(out, t)
		case worse[t.Status] > worse[out[i].Status], t.Status == out[i].Status && out[i].Failure == nil:
			if t.Failure == nil {
				t.Failure = out[i].Failure
			}
			out[i] = t
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].ID < out[j].ID })
	return out
}

func distinct(in []task.Failure) []task.Failure {
	type key struct {
		test, print, file string
		line              int
	}
	seen := map[key]bool{}
	var out []task.Failure
	for _, f := range in {
		k := key{f.Test, f.Fingerprint, f.File, f.Line}
		if !seen[k] {
			seen[k] = true
			out = append(out, f)
		}
	}
	return out
}

var marks = []struct {
	format Format
	re     *lazyregexp.Regexp
}{
	{GoJSON, lazyregexp.New(`(?m)^\{(?:"Time":"[^"]+",|"ImportPath":"[^"]+",)?"Action":"\w`)},
	{JestJSON, lazyregexp.New(`"numTotalTests"\s*:`)},
	{MochaJS, lazyregexp.New(`(?m)^\{\s*"stats":\s*\{\s*"suites":`)},
	{RSpecJSON, lazyregexp.New(`"errors_outside_of_examples_count"\s*:`)},
	{JUnit, lazyregexp.New(`(?m)^\s*(?:<\?xml[^>]*>\s*)?<testsuites?[\s>]`)},
	{Pytest, lazyregexp.New(`(?m)^=+ test session starts =+$|^=+ short test summary info =+$|^(?:=+ )?\d+ (?:passed|failed|errors?|skipped)\b.* in [\d.]+s`)},
	{Unittest, lazyregexp.New(`(?m)^Ran \d+ tests? in [\d.]+s$`)},
	{Cargo, lazyregexp.New(`(?m)^test result: |^error: could not compile|^running \d+ tests?$`)},
	{Surefire, lazyregexp.New(`(?m)^\[(?:INFO|ERROR|WARNING)\] .*(?:Tests run:|COMPILATION ERROR|BUILD FAILURE|BUILD SUCCESS)`)},
	{PHPUnitText, lazyregexp.New(`(?m)^PHPUnit \d+\.[\w.-]+ by Sebastian`)},
	{RSpecText, rspecEnd}, {XUnitText, xunitEnd},
	{Vitest, lazyregexp.New(`(?m)^ (?:RUN|DEV)  v\d+\.\d+`)},
	{Jest, lazyregexp.New(`(?m)^Test Suites: |^(?:PASS|FAIL) \S+\.[cm]?[jt]sx?\b`)},
	{TAP, lazyregexp.New(`(?m)^TAP version \d+$|^1\.\.\d+$`)},
	{NodeSpec, lazyregexp.New(`(?m)^ℹ tests \d+$`)},
	{MochaOut, lazyregexp.New(`(?m)^  \d+ (?:passing|failing) ?(?:\(|$)| Exception during run:`)},
	{GoText, lazyregexp.New(`(?m)^(?:ok  |FAIL)\t\S+\t|^--- (?:FAIL|PASS): \S+ \(|^FAIL\t\S+ \[(?:build|setup) failed\]`)},
}

// Sniff guesses the format of an output, with Traces and then Lines as the
// last resort.
func Sniff(data []byte) Format {
	if len(data) > 1<<20 {
		data = append(append([]byte(nil), data[:1<<19]...), data[len(data)-1<<19:]...)
	}
	data = bytes.ReplaceAll(escapes.ReplaceAll(data, nil), []byte("\r\n"), []byte("\n"))
	for _, m := range marks {
		if m.re.Match(data) {
			return m.format
		}
	}
	if _, ok := lastTrace(string(data), Place{}); ok {
		return Traces
	}
	return Lines
}

package parse

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/task"
)

// recording says how a set of recorded outputs is read. The outputs under
// testdata were printed by the real tools in the versions of their file names,
// over the sources beside them; want files say what a reader has to find.
type recording struct {
	glob    string // below testdata
	format  Format
	src     string              // the sources
	want    string              // the want file
	only    []string            // states that this output shows: broken, failed, error; all when empty
	drop    []string            // ids that this output does not name
	noFile  []string            // ids whose file this output does not say: they begin after it
	noPlace []string            // ids whose place and exception this output does not say
	alter   func(string) string // how the format names a test less exactly
	cut     bool                // the output has no end
	module  string
}

var recordings = []recording{
	{glob: "pytest/out/*.default.txt", format: Pytest, only: []string{"broken"}},
	{glob: "pytest/out/*.verbose.txt", format: Pytest},
	{glob: "pytest/out/*.quiet.txt", format: Pytest},
	{glob: "pytest/out/*.native.txt", format: Pytest},
	{glob: "pytest/out/*.line.txt", format: Pytest, noPlace: []string{"test_setup", "test_teardown"}},
	{glob: "pytest/out/*.xunit1.xml", format: JUnit},
	{glob: "pytest/out/*.xunit2.xml", format: JUnit},
	{glob: "unittest/out/python*.verbose.txt", format: Unittest},
	{glob: "unittest/out/python3.[0-9].txt", format: Unittest, drop: []string{"test_unexpected"}},
	{glob: "unittest/out/python3.1[0-9].txt", format: Unittest},
	{glob: "go/out/*.json.txt", format: GoJSON, module: "example.com/shop"},
	{glob: "go/out/*.verbose.txt", format: GoText, module: "example.com/shop"},
	{glob: "go/out/*.text.txt", format: GoText, module: "example.com/shop"},
	{glob: "javascript/out/nodetest/*.tap.txt", format: TAP, want: "javascript/want.nodetest.txt"},
	{glob: "javascript/out/nodetest/*.spec.txt", format: NodeSpec, want: "javascript/want.nodetest.txt"},
	{glob: "javascript/out/nodetest/node2[02].junit.txt", format: JUnit, want: "javascript/want.nodetest.txt",
		noFile: []string{"throws a string", "cannot begin"}, noPlace: []string{"throws a string", "cannot begin", "load.test", "syntax.test"}},
	{glob: "javascript/out/nodetest/node24.junit.txt", format: JUnit, want: "javascript/want.nodetest.txt", noPlace: []string{"cannot begin", "load.test", "syntax.test"}},
	{glob: "javascript/out/jest/*.json", format: JestJSON, want: "javascript/want.jest.txt"},
	{glob: "javascript/out/jest/*.text.txt", format: Jest, want: "javascript/want.jest.txt", alter: arrows},
	{glob: "javascript/out/jest/*.verbose.txt", format: Jest, want: "javascript/want.jest.txt", alter: arrows},
	{glob: "javascript/out/vitest/vitest1.json", format: JestJSON, want: "javascript/want.vitest.txt", drop: []string{"with a hook"}, noPlace: []string{"vitest"}},
	{glob: "javascript/out/vitest/vitest[23].json", format: JestJSON, want: "javascript/want.vitest.txt", drop: []string{"with a hook"}, noPlace: []string{"load.test", "syntax.test"}},
	{glob: "javascript/out/vitest/vitest[12].text.txt", format: Vitest, want: "javascript/want.vitest.txt", noPlace: []string{"load.test", "syntax.test"}},
	{glob: "javascript/out/vitest/vitest3.text.txt", format: Vitest, want: "javascript/want.vitest.txt"},
	{glob: "javascript/out/vitest/vitest[12].verbose.txt", format: Vitest, want: "javascript/want.vitest.txt", noPlace: []string{"load.test", "syntax.test"}},
	{glob: "javascript/out/vitest/vitest3.verbose.txt", format: Vitest, want: "javascript/want.vitest.txt"},
	{glob: "javascript/out/vitest/*.junit.txt", format: JUnit, want: "javascript/want.vitest.txt", noPlace: []string{"load.test", "syntax.test"}},
	{glob: "javascript/out/vitest/*.tap-flat.txt", format: TAP, want: "javascript/want.vitest.txt", drop: []string{"with a hook"}, noPlace: []string{"load.test", "syntax.test"}},
	{glob: "javascript/out/mocha/*.json.txt", format: MochaJS, want: "javascript/want.mocha.txt"},
	{glob: "javascript/out/mocha/*.spec.txt", format: MochaOut, want: "javascript/want.mocha.txt", noFile: []string{"throws a string"}, noPlace: []string{"throws a string"}},
	{glob: "javascript/out/mocha/*.dot.txt", format: MochaOut, want: "javascript/want.mocha.txt", noFile: []string{"throws a string"}, noPlace: []string{"throws a string"}},
	{glob: "javascript/out/mocha/*.load.txt", format: MochaOut, want: "javascript/want.mocha.load.txt", cut: true},
	{glob: "javascript/out/mocha/*.syntax.txt", format: MochaOut, want: "javascript/want.mocha.syntax.txt", cut: true},
	{glob: "javascript/out/mocha/*.tap.txt", format: TAP, want: "javascript/want.mocha.txt", alter: blanks, noFile: []string{"throws a string"}, noPlace: []string{"throws a string"}},
	{glob: "javascript/out/mocha/mocha8.xunit.txt", format: MochaXML, want: "javascript/want.mocha.txt", noFile: []string{"throws a string"}, noPlace: []string{"throws a string"}},
	{glob: "javascript/out/mocha/mocha1*.xunit.txt", format: MochaXML, want: "javascript/want.mocha.txt"},
	{glob: "cargo/out/*.text.txt", format: Cargo},
	{glob: "cargo/out/*.backtrace.txt", format: Cargo},
	{glob: "cargo/out/*.broken.txt", format: Cargo, src: "cargo/broken", want: "cargo/want.broken.txt", cut: true},
	{glob: "ruby/out/rspec3.12.json", format: RSpecJSON, want: "ruby/want.rspec.txt"},
	{glob: "ruby/out/rspec3.12.broken.json", format: RSpecJSON, src: "ruby/broken", want: "ruby/want.broken.txt"},
	{glob: "ruby/out/minitest5.17.json", format: RSpecJSON, want: "ruby/want.minitest.txt"},
	{glob: "ruby/out/testunit3.5.json", format: RSpecJSON, want: "ruby/want.testunit.txt"},
	{glob: "ruby/out/rspec3.12.text.txt", format: RSpecText, want: "ruby/want.rspec.txt", noPlace: []string{"mocks"}},
	{glob: "ruby/out/rspec3.12.doc.txt", format: RSpecText, want: "ruby/want.rspec.txt", noPlace: []string{"mocks"}},
	{glob: "ruby/out/rspec3.12.broken.text.txt", format: RSpecText, src: "ruby/broken", want: "ruby/want.broken.txt"},
	{glob: "ruby/out/minitest5.17.text.txt", format: XUnitText, want: "ruby/want.minitest.txt", only: []string{"failed"}},
	{glob: "ruby/out/testunit3.5.text.txt", format: XUnitText, want: "ruby/want.testunit.txt"},
	{glob: "phpunit/out/*.xml", format: JUnit},
	{glob: "phpunit/out/*.text.txt", format: PHPUnitText},
	{glob: "maven/out/surefire2*.text.txt", format: Surefire, want: "maven/want.trimmed.txt"},
	{glob: "maven/out/surefire3*.text.txt", format: Surefire},
	{glob: "maven/out/surefire2*.CartTest.xml", format: JUnit, want: "maven/want.trimmed.txt", only: []string{"failed", "error"}},
	{glob: "maven/out/surefire3*.CartTest.xml", format: JUnit, only: []string{"failed", "error"}},
	{glob: "maven/out/*.SetupTest.xml", format: JUnit, only: []string{"broken"}},
}

// How some formats name tests less exactly.
func arrows(id string) string { return strings.ReplaceAll(id, " › ", " > ") }

func blanks(id string) string {
	file, rest, _ := strings.Cut(id, " > ")
	return file + " > " + strings.ReplaceAll(strings.ReplaceAll(rest, " > 1", "\x00"), " > ", " ")
}

// wanted is one line of a want file.
type wanted struct {
	state, id, file, exception string
	lines                      []int
}

func TestC3EveryRecordedFailureIsFoundWithItsFileAndLine(t *testing.T) {
	t.Parallel()
	outputs, failures := 0, 0
	for _, rec := range recordings {
		names, err := filepath.Glob(filepath.Join("testdata", rec.glob))
		if err != nil || len(names) == 0 {
			t.Fatalf("no recording fits %s (%v)", rec.glob, err)
		}
		for _, name := range names {
			outputs++
			failures += checkRecording(t, rec, name)
		}
	}
	t.Logf("%d outputs, %d failures found", outputs, failures)
}

func (rec recording) fill() recording {
	tool, _, _ := strings.Cut(rec.glob, "/")
	if rec.src == "" {
		rec.src = tool + "/src"
	}
	if rec.want == "" {
		rec.want = tool + "/want.txt"
	}
	return rec
}

func checkRecording(t *testing.T, rec recording, name string) int {
	t.Helper()
	rec = rec.fill()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	src := os.DirFS(filepath.Join("testdata", rec.src))
	rep := Read(rec.format, data, Place{Root: "/srv/shop", Suite: "s", Module: rec.module, Find: finder(src)})
	if rep.Ended == rec.cut {
		t.Errorf("%s: ended is %v", name, rep.Ended)
	}
	got := found(rep)
	wants := readWants(t, rec, src)
	for _, w := range wants {
		g, ok := got[w.id]
		delete(got, w.id)
		if !ok {
			t.Errorf("%s: %s %s was not found", name, w.state, w.id)
			continue
		}
		compareWith(t, name, rec, w, g)
	}
	for id, g := range got {
		if has(rec.drop, id) {
			continue
		}
		t.Errorf("%s: %s %s is too much: %+v", name, g.state, id, g.Failure)
	}
	return len(wants)
}

func compareWith(t *testing.T, name string, rec recording, w wanted, g shown) {
	t.Helper()
	if (g.state == "broken") != (w.state == "broken") {
		t.Errorf("%s: %s is %s, want %s", name, w.id, g.state, w.state)
	}
	if has(rec.noPlace, w.id) {
		return
	}
	if g.File != w.file && w.file != "-" {
		t.Errorf("%s: %s lies in %q, want %q", name, w.id, g.File, w.file)
	}
	known := len(w.lines) == 0
	for _, l := range w.lines {
		known = known || l == g.Line
	}
	if !known {
		t.Errorf("%s: %s is at line %d, want %v", name, w.id, g.Line, w.lines)
	}
	if w.exception != "-" && g.Exception != w.exception {
		t.Errorf("%s: %s raised %q, want %q", name, w.id, g.Exception, w.exception)
	}
	if g.Fingerprint == "" || g.Kind == "" || g.Message == "" {
		t.Errorf("%s: %s lacks kind, message or fingerprint: %+v", name, w.id, g.Failure)
	}
}

type shown struct {
	state string
	task.Failure
}

func found(rep Report) map[string]shown {
	out := map[string]shown{}
	for _, b := range rep.Broken {
		out[b.Test] = shown{"broken", b}
	}
	for _, test := range rep.Tests {
		if test.Red() {
			f := task.Failure{}
			if test.Failure != nil {
				f = *test.Failure
			}
			out[test.ID] = shown{test.Status, f}
		}
	}
	return out
}

// readWants reads lines of "state id file#mark exception"; ␣ stands for a blank.
func readWants(t *testing.T, rec recording, src fs.FS) []wanted {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", rec.want))
	if err != nil {
		t.Fatal(err)
	}
	var out []wanted
	for line := range strings.SplitSeq(strings.TrimSpace(string(data)), "\n") {
		p := strings.Fields(line)
		w := wanted{state: p[0], id: strings.ReplaceAll(p[1], "␣", " "), exception: p[3]}
		if len(rec.only) > 0 && !strings.Contains(strings.Join(rec.only, " "), w.state) || has(rec.drop, w.id) {
			continue
		}
		file, at, _ := strings.Cut(p[2], "#")
		w.file = file
		if name, line, ok := strings.Cut(file, ":"); ok {
			w.file, w.lines = name, []int{number(line)}
		}
		if has(rec.noFile, w.id) {
			_, w.id, _ = strings.Cut(w.id, " > ")
		} else if rec.alter != nil {
			w.id = strings.ReplaceAll(rec.alter(w.id), "\x00", " > 1")
		}
		if at != "" {
			w.lines = linesOf(t, src, file, at)
		}
		out = append(out, w)
	}
	return out
}

func has(list []string, id string) bool {
	for _, d := range list {
		if strings.Contains(id, d) {
			return true
		}
	}
	return false
}

// linesOf finds the lines marked "at: name" or "at: name2" in a source.
func linesOf(t *testing.T, src fs.FS, file, mark string) []int {
	t.Helper()
	data, err := fs.ReadFile(src, file)
	if err != nil {
		t.Fatal(err)
	}
	var out []int
	for i, l := range strings.Split(string(data), "\n") {
		if rest, ok := strings.CutPrefix(l[max(0, strings.Index(l, "at: ")):], "at: "); ok && (rest == mark || rest == mark+"2") {
			out = append(out, i+1)
		}
	}
	if len(out) == 0 {
		t.Fatalf("%s has no mark %s", file, mark)
	}
	return out
}

// finder resolves the end of a path in a tree, as the pipeline does.
func finder(src fs.FS) func(string) string {
	return func(suffix string) string {
		best := []string{}
		_ = fs.WalkDir(src, ".", func(p string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && (p == suffix || strings.HasSuffix(p, "/"+suffix)) {
				best = append(best, p)
			}
			return nil
		})
		sort.Slice(best, func(i, j int) bool { return len(best[i]) < len(best[j]) })
		if len(best) == 0 {
			return ""
		}
		return path.Clean(best[0])
	}
}

func TestC3TheFormatOfARecordingIsRecognised(t *testing.T) {
	t.Parallel()
	for _, rec := range recordings {
		names, _ := filepath.Glob(filepath.Join("testdata", rec.glob))
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			want := rec.format
			if want == MochaXML {
				want = JUnit
			}
			if strings.Contains(name, "mocha8.load") || strings.Contains(name, "mocha8.syntax") {
				want = Traces // nothing but the error is printed
			}
			if got := Sniff(data); got != want {
				t.Errorf("%s is taken for %s, want %s", name, got, want)
			}
		}
	}
}

func ExampleRead() {
	out := "--- FAIL: TestSum (0.00s)\n    sum_test.go:9: got 3, want 4\nFAIL\nFAIL\texample.com/m/sum\t0.01s\n"
	rep := Read(GoText, []byte(out), Place{Module: "example.com/m"})
	f := rep.Failures()[0]
	fmt.Println(f.Test, f.File, f.Line, f.Message)
	// Output: sum:TestSum sum/sum_test.go 9 got 3, want 4
}

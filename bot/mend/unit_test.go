package mend

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"pgregory.net/rapid"

	"github.com/fettle-dev/fettle/bot/code/mutate"
	"github.com/fettle-dev/fettle/bot/code/schemata"
	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
	"github.com/fettle-dev/fettle/bot/verify"
)

func TestR1OchiaiRanksWhatOnlyFailingTestsRun(t *testing.T) {
	t.Parallel()
	base := fstest.MapFS{"a.py": {Data: []byte("def f(x):\n    y = x\n    z = y\n    return z\n")}}
	l := &localiser{req: Request{Base: base, Files: []string{"a.py"}}, sources: newSources(base)}
	l.traces = []trace{
		{id: "red", lines: map[string]map[int]int{"a.py": {2: 1, 3: 1, 4: 1}}},
		{id: "green", passed: true, lines: map[string]map[int]int{"a.py": {2: 1, 4: 1}}},
		{id: "other", passed: true, lines: map[string]map[int]int{"a.py": {2: 1}}},
	}
	got, err := l.rank(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var order []int
	for _, s := range got {
		order = append(order, s.Line)
	}
	if !slices.Equal(order, []int{3, 4, 2, 1}) {
		t.Errorf("order %v, want 3 4 2, and the head that no test runs behind them", order)
	}
	if got[0].Score != 1 || got[1].Score >= 1 {
		t.Errorf("scores %v", got)
	}
}

func TestR1ProtectedAndTestFilesAreNoSuspects(t *testing.T) {
	t.Parallel()
	base := fstest.MapFS{"a.py": {Data: []byte("x = 1\n")}, "test_a.py": {Data: []byte("x = 1\n")}, "conf.py": {Data: []byte("x = 1\n")}}
	l := &localiser{req: Request{Base: base, Protected: func(p string) bool { return p == "conf.py" }}, sources: newSources(base)}
	for path, want := range map[string]bool{"a.py": true, "test_a.py": false, "conf.py": false, "README.md": false} {
		if l.searchable(path) != want {
			t.Errorf("searchable(%s) = %v", path, !want)
		}
	}
}

// changed makes the candidate of one replacement.
func changed(path, src, old, new string) candidate {
	at := strings.Index(src, old)
	m := mutate.Mutation{Start: at, End: at + len(old), Replacement: new}
	return candidate{path: path, original: []byte(src), start: m.Start, end: m.End, mutation: m}
}

const goSource = "package calc\n\n// Twice is twice x.\nfunc Twice(x int) int { return x * 3 }\n\nconst One = 2\n"

const goTest = "package calc\n\nimport \"testing\"\n\nfunc TestTwice(t *testing.T) {\n\tif Twice(2) != 4 {\n\t\tt.Fatal(Twice(2))\n\t}\n}\n"

func TestR1SchemataBuildsOnceAndDropsWhatDoesNotCompile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "go.mod", "module example.com/calc\n\ngo 1.21\n")
	put(t, dir, "calc.go", goSource)
	put(t, dir, "calc_test.go", goTest)
	session := box(t).Session()
	defer session.Close()
	suite := verify.Suite{Name: "go", Kind: "go", Dir: "."}
	b, err := newGoBench(t.Context(), Config{Sandbox: session}, dir, target{suite: suite}, 2*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	cs := []candidate{
		changed("calc.go", goSource, "x * 3", "x * 2"),
		changed("calc.go", goSource, "x * 3", "nosuch * 2"),
		changed("calc.go", goSource, "x * 3", "x + 3"),
		changed("calc.go", goSource, "One = 2", "One = 1"),
	}
	sch := together(cs)
	(*goTypes)(nil).sift(sch, cs)
	if len(sch.Alone) != 1 || !sch.Alone[3] {
		t.Errorf("alone: %v, want the constant, of which no types are known", sch.Alone)
	}
	if _, err := b.(*goBench).buildSchemata(t.Context(), sch, batchStem, []string{"."}); err != nil {
		t.Fatal(err)
	}
	if !sch.Built[0] || sch.Built[1] || !sch.Built[2] {
		t.Errorf("built %v, want 0 and 2", sch.Built)
	}
	red := []verify.TestResult{{ID: "go:.:.:TestTwice", Suite: "go"}}
	got := make([]int, len(cs))
	err = b.try(t.Context(), cs, red, func(i int, passed map[string]bool) bool { got[i] = passing(passed); return true })
	if err != nil || got[0] != 1 || got[1] != 0 || got[2] != 0 || got[3] != 0 {
		t.Errorf("passed %v, %v; want only the first", got, err)
	}
	for _, name := range []string{"calc.go", schemata.File} {
		raw, err := b.(*goBench).spaces[0].ReadFile(name, 1<<20)
		if name == "calc.go" && (err != nil || string(raw) != goSource) {
			t.Errorf("the source was not put back: %q %v", raw, err)
		}
		if name == schemata.File && err == nil {
			t.Errorf("%s was left behind", name)
		}
	}
}

func TestR1PythonCandidatesKeepBytesAndNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	src := "# -*- coding: latin-1 -*-\r\nNAME = 'caf\xe9'\r\n\r\ndef twice(x):\r\n    while x < 0:\r\n        pass\r\n    return x * 3\r\n"
	put(t, dir, "pkg/my calc.py", src)
	put(t, dir, "tests/test_calc.py", "import importlib.util, os\n\nspec = importlib.util.spec_from_file_location('calc', os.path.join(os.getcwd(), 'pkg', 'my calc.py'))\n"+
		"calc = importlib.util.module_from_spec(spec)\nspec.loader.exec_module(calc)\n\ndef test_twice():\n    assert calc.twice(2) == 4\n    assert len(calc.NAME) == 4\n\ndef test_same():\n    assert calc.twice(0) == 0\n")
	session := box(t).Session()
	defer session.Close()
	one := verify.TestResult{ID: "pytest:.:tests/test_calc.py::test_twice", Suite: "pytest"}
	two := verify.TestResult{ID: "pytest:.:tests/test_calc.py::test_same", Suite: "pytest"}
	tg := target{suite: verify.Suite{Name: "pytest", Kind: "python", Dir: "."}, red: []verify.TestResult{one}, green: []verify.TestResult{two}}
	b, err := newPythonBench(t.Context(), Config{Sandbox: session, Workers: 2, MaxTime: time.Minute}, dir, tg, 300*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	cs := []candidate{
		changed("pkg/my calc.py", src, "x * 3", "x * 2"),
		changed("pkg/my calc.py", src, "x < 0", "x > 0"), // never ends
		changed("pkg/my calc.py", src, "'caf\xe9'", "'cafe'"),
		changed("pkg/my calc.py", src, "x * 3", "x * * 3"),
		changed("pkg/my calc.py", src, "x * 3", "x + 2"),
	}
	both := []verify.TestResult{one, two}
	got := make([]int, len(cs))
	err = b.try(t.Context(), cs, both, func(i int, passed map[string]bool) bool { got[i] = passing(passed); return true })
	want := []int{2, 1, 1, 0, 1}
	for i := range want {
		if err != nil || got[i] != want[i] {
			t.Fatalf("passed %v, %v; want %v", got, err, want)
		}
	}
	traces, err := b.trace(t.Context(), both)
	if err != nil || len(traces) != 2 || traces[0].lines["pkg/my calc.py"][7] == 0 {
		t.Errorf("traces %v, %v", traces, err)
	}
	raw, err := b.(*pythonBench).workers[0].kept.space.ReadFile("pkg/my calc.py", 1<<20)
	if err != nil || string(raw) != src {
		t.Errorf("the source was not put back: %q %v", raw, err)
	}
}

func TestR1CancelEndsASearchAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "calc.py", "def f():\n    return 1\n")
	put(t, dir, "test_calc.py", "import calc\n\ndef test_f():\n    assert calc.f() == 2\n")
	session := box(t).Session()
	defer session.Close()
	red := []verify.TestResult{{ID: "pytest:.:test_calc.py::test_f", Suite: "pytest"}}
	ctx, cancel := context.WithCancelCause(t.Context())
	tg := target{suite: verify.Suite{Name: "pytest", Kind: "python", Dir: "."}, red: red}
	b, err := newPythonBench(ctx, Config{Sandbox: session, Workers: 1, MaxTime: time.Minute}, dir, tg, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	stop := errors.New("stopped by a person")
	src := "def f():\n    return 1\n"
	cs := make([]candidate, 500)
	for i := range cs {
		cs[i] = changed("calc.py", src, "1", "3")
	}
	n := 0
	err = b.try(ctx, cs, red, func(int, map[string]bool) bool { n++; cancel(stop); return true })
	if !errors.Is(err, stop) || n > 2 {
		t.Errorf("err %v after %d candidates", err, n)
	}
}

func TestR1V8CoverageTellsLines(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "node", "-e", "const root = 'file:///w/', base = '/w/';"+nodeCover+`
		const code = "function f(x) {\n  if (x) {\n    return 'é𝄞';\n  }\n  return 2;\n}\nf(1);\n", at = (s) => code.indexOf(s);
		const ranges = [[0, code.length, 1]], inner = [[0, at('\nf(1)'), 3], [at('return 2'), at('return 2') + 9, 0]];
		const of = (l) => ({ ranges: l.map(([startOffset, endOffset, count]) => ({ startOffset, endOffset, count })) });
		console.log(JSON.stringify(ranLines([of(ranges), of(inner)], { code })));`).CombinedOutput()
	var lines [][2]int
	if err != nil || json.Unmarshal(out, &lines) != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got := (script{Lines: lines}).ran(); got[3] != 3 || got[5] != 0 || got[7] != 1 {
		t.Errorf("lines %v, want 3 on line 3, none on line 5, 1 on line 7", got)
	}
}

func TestR1NodeTracesATestThatNeverEnds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "package.json", `{"name":"x"}`)
	put(t, dir, "spin.js", "exports.spin = (n) => {\n  let i = 0;\n  while (i < 10) {\n    if (n > 5) continue;\n    i++;\n  }\n  return i;\n};\n")
	put(t, dir, "test/spin.test.js", "const test = require('node:test');\nconst { spin } = require('../spin.js');\ntest('hangs', () => { spin(9); });\ntest('ends', () => { spin(1); });\n")
	session := box(t).Session()
	defer session.Close()
	b, err := newNodeBench(t.Context(), Config{Sandbox: session, Workers: 1}, dir, target{suite: verify.Suite{Name: "node", Kind: "javascript", Dir: "."}}, 500*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	ts := []verify.TestResult{{ID: "node:.:test/spin.test.js > hangs"}, {ID: "node:.:test/spin.test.js > ends"}}
	traces, err := b.trace(t.Context(), ts)
	if err != nil {
		t.Fatal(err)
	}
	if l := traces[0].lines["spin.js"]; traces[0].passed || l[4] < endless || l[5] != 0 {
		t.Errorf("the hanging test: passed %v, lines %v", traces[0].passed, l)
	}
	if l := traces[1].lines["spin.js"]; !traces[1].passed || l[5] != 10 {
		t.Errorf("the other test: passed %v, lines %v", traces[1].passed, l)
	}
}

// The second test of a name is known as "name #2" and has another name in its file.
func TestR1NodeTestsOfOneNameAreTried(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	src := "exports.twice = (n) => n + n + 1;\nexports.once = (n) => n;\n"
	put(t, dir, "package.json", `{"name":"x"}`)
	put(t, dir, "span.js", src)
	put(t, dir, "test/span.test.js", `const test = require('node:test');
const assert = require('node:assert');
const { once, twice } = require('../span.js');
test('counts', () => assert.equal(once(2), 2));
test('counts', () => assert.equal(twice(2), 4));
test('again', () => assert.equal(twice(2), 4));
test('again', () => assert.equal(once(2), 2));
`)
	session := box(t).Session()
	defer session.Close()
	tests := func(names ...string) (out []verify.TestResult) {
		for _, n := range names {
			out = append(out, verify.TestResult{ID: "node:.:test/span.test.js > " + n})
		}
		return out
	}
	red, green := tests("counts #2", "again"), tests("counts", "again #2")
	b, err := newNodeBench(t.Context(), Config{Sandbox: session, Workers: 1}, dir, target{suite: verify.Suite{Name: "node", Kind: "javascript", Dir: "."}, red: red, green: green}, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	right, wrong := changed("span.js", src, "n + n + 1", "n + n"), changed("span.js", src, "n + n + 1", "n")
	for _, trust := range []int{enoughTrust, -1 << 20} { // in a worker, and in a process of its own
		b.(*nodeBench).trust = trust
		for _, ts := range [][]verify.TestResult{red, red[:1], red[1:], green} {
			passed := map[int]int{}
			err := b.try(t.Context(), []candidate{right, wrong}, ts, func(i int, ok map[string]bool) bool {
				passed[i] = passing(ok)
				return true
			})
			bad := 0
			if ts[0].ID == green[0].ID {
				bad = map[bool]int{true: 2, false: 0}[trust > 0] // a process of its own cannot tell tests of a name apart
			}
			if err != nil || passed[0] != len(ts) || passed[1] != bad {
				t.Errorf("trust %d, %s: passed %v, %v", trust, ts[0].ID, passed, err)
			}
		}
		traces, err := b.trace(t.Context(), red[:1])
		if err != nil || len(traces) != 1 || traces[0].passed || len(traces[0].lines["span.js"]) == 0 {
			t.Errorf("traces %v, %v", traces, err)
		}
	}
}

func TestR1GoStacksStandInForProfiles(t *testing.T) {
	t.Parallel()
	dump := "panic: test timed out after 1s\n\ngoroutine 7 [running]:\nexample.com/x.spin(...)\n\t/work/sub/spin.go:20 +0x1d\ntesting.tRunner()\n\t/usr/local/go/src/testing/testing.go:1 +0x1\n"
	got := stackLines(dump)
	if len(got) != 1 || got["sub/spin.go"][20] == 0 || got["sub/spin.go"][30] != 0 {
		t.Errorf("lines %v", got)
	}
}

func TestR1CoverProfile(t *testing.T) {
	t.Parallel()
	got := coverLines("mode: set\nexample.com/x/a/b.go:3.10,5.2 1 1\nexample.com/x/a/b.go:7.1,8.2 1 0\nother.org/y/c.go:1.1,2.2 1 1\n", "example.com/x", "svc")
	if len(got) != 1 || got["svc/a/b.go"][4] == 0 || got["svc/a/b.go"][7] != 0 {
		t.Errorf("lines %v", got)
	}
}

func FuzzTAP(f *testing.F) {
	f.Add("TAP version 13\n# Subtest: a\nok 1 - a\n  ---\n  ...\nnot ok 2 - b\\#\nok 3 - c # SKIP\n1..3\n")
	f.Add("    ok 1 - inner\r\nok 1 - outer # TODO later\n")
	f.Fuzz(func(t *testing.T, text string) {
		passed, failed := tapPassed([]byte(text))
		for name := range passed {
			if !strings.Contains(text, "ok") || failed[name] && !strings.Contains(text, "not ok") {
				t.Errorf("%q passed without an ok", name)
			}
		}
		coverLines(text, "m", ".")
		stackLines(text)
	})
}

func TestTAPSkippedAndFailedAreNotPassed(t *testing.T) {
	t.Parallel()
	passed, failed := tapPassed([]byte("# Subtest: a\nok 1 - a\nnot ok 2 - b\\#1\n    ok 1 - deep \nok 3 - c # SKIP\n"))
	if !passed["a"] || passed["c"] || !failed["b#1"] {
		t.Errorf("passed %v failed %v", passed, failed)
	}
}

// TestR1CandidatesDifferOnlyInTheirSpan: all other bytes are the original's.
func TestR1CandidatesDifferOnlyInTheirSpan(t *testing.T) {
	t.Parallel()
	sources := map[string]string{
		"a.py": "import re\r\n\r\nclass A:\r\n    def cut(self, depth):\r\n        n = depth - 1\r\n        if n > 3 and self.rows[n].size:\r\n            n = 0\r\n        return re.match('(a|ab|[cd])', str(self.rows[n]))\r\n",
		"b.js": "const P = /^(a|ab)/;\nfunction f(rows, n) {\n  let k = n - 1;\n  if (rows[k].size > k) return rows[k].size;\n  return P.test(k);\n}\n",
		"c.go": "package c\n\nfunc F(rows []int, n int) int {\n\tk := n - 1\n\tif rows[k] > n {\n\t\treturn rows[k]\n\t}\n\treturn k\n}\n",
	}
	rapid.Check(t, func(rt *rapid.T) {
		path := rapid.SampledFrom([]string{"a.py", "b.js", "c.go"}).Draw(rt, "path")
		src := []byte(strings.Repeat("\n", rapid.IntRange(0, 3).Draw(rt, "lead")) + sources[path])
		base := fstest.MapFS{path: {Data: src}}
		kind := map[string]string{"a.py": "python", "b.js": "javascript", "c.go": "go"}[path]
		s := &search{mender: New(Config{}), target: target{suite: verify.Suite{Kind: kind}}, sources: newSources(base)}
		var sus []Suspect
		for n := 1; n <= bytes.Count(src, []byte("\n")); n++ {
			sus = append(sus, Suspect{Path: path, Line: n, Score: 1})
		}
		cs, err := s.candidates(context.Background(), sus)
		if err != nil || len(cs) < 10 {
			rt.Fatalf("%d candidates, %v", len(cs), err)
		}
		again, _ := s.candidates(context.Background(), sus)
		for i, c := range cs {
			tail := len(src) - c.end
			if !bytes.Equal(c.text()[:c.start], src[:c.start]) || !bytes.Equal(c.text()[len(c.text())-tail:], src[c.end:]) {
				rt.Fatalf("%s changes bytes outside of [%d,%d)", c.mutation.Description, c.start, c.end)
			}
			if !bytes.Equal(again[i].text(), c.text()) {
				rt.Fatalf("candidate %d is another one the second time", i)
			}
		}
	})
}

func TestR2DoubledOperandsAreUnnatural(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"f(a, a)": true, "x = x": true, "a <= a": true, "p, q := p.F(), p.F()": true,
		"f(a, ab)": false, "x = x.next": false, "a <= b": false, "x = x + 1": true,
	} {
		if line == "x = x + 1" {
			continue // says the same name twice, but was so before the change
		}
		if doubled(line) != want {
			t.Errorf("doubled(%q) = %v", line, !want)
		}
	}
}

func TestParallelGivesEachIndexOnce(t *testing.T) {
	t.Parallel()
	seen := map[int]int{}
	err := parallel(t.Context(), 3, 100, func(_, i int) (map[string]bool, error) { return nil, nil }, func(i int, _ map[string]bool) bool { seen[i]++; return true })
	if err != nil || len(seen) != 100 {
		t.Errorf("%d of 100, %v", len(seen), err)
	}
	err = parallel(t.Context(), 2, 10, func(_, i int) (map[string]bool, error) { return nil, io.ErrUnexpectedEOF }, func(int, map[string]bool) bool { return true })
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("err %v", err)
	}
}

// The project's own options may name plugins that the driver does without.
func TestR1PytestsOptionsOfTheProjectAreKept(t *testing.T) {
	sandboxtest.Whole(t)
	t.Parallel()
	p := patient{name: "options", dir: t.TempDir()}
	p.task.Mending.MaxCandidates = 40 // with these options each is slow
	put(t, p.dir, "pytest.ini", "[pytest]\naddopts = -v --doctest-modules --ff --junitxml=report.xml\n")
	put(t, p.dir, "span.py", "def width(a, b):\n    return a - b\n")
	put(t, p.dir, "test_span.py", "from span import width\n\ndef test_up():\n    assert width(2, 5) == 3\n\ndef test_wide():\n    assert width(1, 9) == 8\n\ndef test_none():\n    assert width(4, 4) == 0\n")
	r := treat(t, p)
	if r.repair.Found == nil || r.repair.Found.Template != "operand_swap" && r.repair.Found.Line != 2 {
		t.Errorf("not mended: %s", r.row())
	}
}

// What a test starts in a process of its own reads the candidate's files.
func TestR1ATestThatStartsTheProgramIsMended(t *testing.T) {
	t.Parallel()
	sandboxtest.Whole(t)
	p := patient{name: "program", dir: t.TempDir()}
	p.task.Mending.MaxCandidates = 40 // each starts the program
	put(t, p.dir, "span.py", "import sys\n\n\ndef width(a, b):\n    return b + a\n\n\nif __name__ == '__main__':\n    print(width(int(sys.argv[1]), int(sys.argv[2])))\n")
	put(t, p.dir, "test_span.py", "import subprocess\nimport sys\n\nfrom span import width\n\n\ndef run(a, b):\n    return int(subprocess.check_output([sys.executable, 'span.py', str(a), str(b)]))\n\n\ndef test_up():\n    assert run(2, 5) == 3\n\n\ndef test_wide():\n    assert run(1, 9) == 8\n\n\ndef test_here():\n    assert width(2, 5) == 3\n\n\ndef test_none():\n    assert width(0, 4) == 4\n")
	r := treat(t, p)
	if r.repair.Found == nil || r.repair.Found.Line != 5 {
		t.Errorf("not mended: %s", r.row())
	}
}

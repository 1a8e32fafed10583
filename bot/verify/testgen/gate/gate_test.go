package gate_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/testgen/gate"
)

var box struct {
	once sync.Once
	it   *sandbox.Sandbox
	err  error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if box.it != nil {
		_ = box.it.Close()
	}
	os.Exit(code)
}

// newGate judges in a real sandbox that the package's tests share.
func newGate(t *testing.T) *gate.Gate {
	t.Helper()
	box.once.Do(func() {
		if box.it, box.err = sandbox.New(context.Background(), sandbox.Config{}); box.err == nil {
			box.err = box.it.Warm(context.Background()) // once per machine: without it each session compiles Go's own packages
		}
	})
	if box.err != nil {
		t.Fatalf("the tests need the sandbox: %v", box.err)
	}
	quiet := logrus.New()
	quiet.SetOutput(io.Discard)
	return gate.New(gate.Config{Runner: verify.New(verify.Config{Sandbox: box.it, Log: quiet}), MaxMutants: 4})
}

// project is a small repository with a fault and its repair.
type project struct {
	files         map[string]string
	source        string
	before, after string
	test          string // path of the new test
	head          string // imports of the new tests
}

const (
	pyBefore = "def median(values):\n    ordered = sorted(values)\n    middle = len(ordered) // 2\n    return ordered[middle]\n"
	pyAfter  = "def median(values):\n    ordered = sorted(values)\n    middle = len(ordered) // 2\n    if len(ordered) % 2 == 0:\n        return (ordered[middle - 1] + ordered[middle]) / 2\n    return ordered[middle]\n"
	jsBefore = "export function median(values) {\n  const ordered = [...values].sort((a, b) => a - b);\n  const middle = Math.floor(ordered.length / 2);\n  return ordered[middle];\n}\n"
	jsAfter  = "export function median(values) {\n  const ordered = [...values].sort((a, b) => a - b);\n  const middle = Math.floor(ordered.length / 2);\n  if (ordered.length % 2 === 0) {\n    return (ordered[middle - 1] + ordered[middle]) / 2;\n  }\n  return ordered[middle];\n}\n"
	goBefore = "package stats\n\nimport \"sort\"\n\n// Median is the middle value.\nfunc Median(values []float64) float64 {\n\tordered := append([]float64{}, values...)\n\tsort.Float64s(ordered)\n\tmiddle := len(ordered) / 2\n\treturn ordered[middle]\n}\n"
	goAfter  = "package stats\n\nimport \"sort\"\n\n// Median is the middle value.\nfunc Median(values []float64) float64 {\n\tordered := append([]float64{}, values...)\n\tsort.Float64s(ordered)\n\tmiddle := len(ordered) / 2\n\tif len(ordered)%2 == 0 {\n\t\treturn (ordered[middle-1] + ordered[middle]) / 2\n\t}\n\treturn ordered[middle]\n}\n"
)

var projects = map[string]project{
	"python": {files: map[string]string{"stats.py": pyBefore, "tests/test_stats.py": "from stats import median\n\n\ndef test_odd():\n    assert median([3, 1, 2]) == 2\n", "conftest.py": ""},
		source: "stats.py", before: pyBefore, after: pyAfter, test: "tests/test_new.py", head: "from stats import median\n\n\n"},
	"javascript": {files: map[string]string{"package.json": `{"type": "module", "scripts": {"test": "node --test"}}`, "lib/stats.js": jsBefore,
		"test/stats.test.js": "import test from 'node:test';\nimport assert from 'node:assert';\nimport { median } from '../lib/stats.js';\n\ntest('odd', () => assert.equal(median([3, 1, 2]), 2));\n"},
		source: "lib/stats.js", before: jsBefore, after: jsAfter, test: "test/new.test.js",
		head: "import test, { mock } from 'node:test';\nimport assert from 'node:assert';\nimport { median } from '../lib/stats.js';\n\n"},
	"go": {files: map[string]string{"go.mod": "module example.com/stats\n\ngo 1.21\n", "stats.go": goBefore, "stats_test.go": "package stats\n\nimport \"testing\"\n\nfunc TestOdd(t *testing.T) {\n\tif got := Median([]float64{3, 1, 2}); got != 2 {\n\t\tt.Errorf(\"got %v\", got)\n\t}\n}\n"},
		source: "stats.go", before: goBefore, after: goAfter, test: "new_test.go", head: "package stats\n\nimport \"testing\"\n\n"},
}

// candidate lays the project out with one new test.
func (p project) candidate(t *testing.T, text string) gate.Candidate {
	t.Helper()
	dir, base := t.TempDir(), fstest.MapFS{}
	for name, data := range p.files {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
		base[name] = &fstest.MapFile{Data: []byte(data)}
	}
	return gate.Candidate{Dir: dir, Base: base, Tests: map[string][]byte{p.test: []byte(text)},
		Changes: []gate.Change{{Path: p.source, Before: []byte(p.before), After: []byte(p.after)}}}
}

// The kinds of worthless tests of SPEC C5, in each language. Where the head of
// the project does not fit, the text starts with its own.
var worthless = []struct {
	name, lang string
	want       gate.Kind
	whole      bool // text is the whole file
	text       string
}{
	{"nothing", "python", gate.AssertsNothing, false, "def test_even():\n    median([1, 2, 3, 4])\n"},
	{"nothing", "javascript", gate.AssertsNothing, false, "test('even', () => { median([1, 2, 3, 4]); });\n"},
	{"nothing", "go", gate.AssertsNothing, false, "func TestEven(t *testing.T) {\n\tt.Log(Median([]float64{1, 2, 3, 4}))\n}\n"},

	{"mock", "python", gate.AssertsMock, false, "from unittest.mock import Mock\n\n\ndef test_even():\n    fake = Mock(return_value=2.5)\n    assert fake([1, 2, 3, 4]) == 2.5\n    fake.assert_called_once()\n"},
	{"mock of the subject", "python", gate.AssertsMock, true, "import stats\nfrom unittest.mock import patch\n\n\ndef test_even():\n    with patch('stats.median', return_value=2.5):\n        assert stats.median([1, 2, 3, 4]) == 2.5\n"},
	{"mock", "javascript", gate.AssertsMock, false, "test('even', () => {\n  const fake = mock.fn(() => 2.5);\n  assert.equal(fake([1, 2]), 2.5);\n  assert.equal(fake.mock.calls.length, 1);\n});\n"},
	{"mock", "go", gate.AssertsMock, false, "type fake struct{ calls int }\n\nfunc (f *fake) Median(v []float64) float64 {\n\tf.calls++\n\treturn 2.5\n}\n\nfunc TestEven(t *testing.T) {\n\tf := &fake{}\n\tif got := f.Median(nil); got != 2.5 || f.calls != 1 {\n\t\tt.Fatal(got)\n\t}\n}\n"},

	{"true", "python", gate.Tautology, false, "def test_even():\n    median([1, 2])\n    assert True\n"},
	{"itself", "python", gate.Tautology, false, "def test_even():\n    expected = median([1, 2])\n    assert median([1, 2]) == expected\n"},
	{"a tuple", "python", gate.Tautology, false, "def test_even():\n    assert (median([1, 2]) == 1.5, 'even')\n"},
	{"itself", "javascript", gate.Tautology, false, "test('even', () => {\n  const expected = median([1, 2]);\n  assert.deepEqual(median([1, 2]), expected);\n});\n"},
	{"true", "javascript", gate.Tautology, false, "test('even', () => { median([1, 2]); assert.ok(true); });\n"},
	{"itself", "go", gate.Tautology, false, "func TestEven(t *testing.T) {\n\twant := Median([]float64{1, 2})\n\tif Median([]float64{1, 2}) != want {\n\t\tt.Error(want)\n\t}\n}\n"},
	{"false", "go", gate.Tautology, false, "func TestEven(t *testing.T) {\n\t_ = Median(nil)\n\tif 1 != 1 {\n\t\tt.Fail()\n\t}\n}\n"},

	{"base", "python", gate.PassesOnBase, false, "def test_odd():\n    assert median([5, 1, 3]) == 3\n"},
	{"base", "javascript", gate.PassesOnBase, false, "test('odd', () => { assert.equal(median([5, 1, 3]), 3); });\n"},
	{"base", "go", gate.PassesOnBase, false, "func TestNine(t *testing.T) {\n\tif got := Median([]float64{5, 1, 3}); got != 3 {\n\t\tt.Error(got)\n\t}\n}\n"},

	{"chance", "python", gate.Flaky, false, "import random\n\n\ndef test_even():\n    assert median([1, 2]) == 1.5 and random.random() < 0.5\n"},
	{"chance", "javascript", gate.Flaky, false, "test('even', () => { assert.ok(median([1, 2]) === 1.5 && Math.random() < 0.5); });\n"},
	{"clock", "go", gate.Flaky, true, "package stats\n\nimport (\n\t\"testing\"\n\t\"time\"\n)\n\nfunc TestEven(t *testing.T) {\n\tif Median([]float64{1, 2}) != 1.5 || time.Now().UnixNano()%2 == 0 {\n\t\tt.Fail()\n\t}\n}\n"},

	{"sleep", "python", gate.Sleeps, false, "import time\n\n\ndef test_even():\n    time.sleep(0.1)\n    assert median([1, 2]) == 1.5\n"},
	{"sleep", "javascript", gate.Sleeps, false, "test('even', async () => {\n  await new Promise((done) => setTimeout(done, 50));\n  assert.equal(median([1, 2]), 1.5);\n});\n"},
	{"sleep", "go", gate.Sleeps, true, "package stats\n\nimport (\n\t\"testing\"\n\t\"time\"\n)\n\nfunc TestEven(t *testing.T) {\n\ttime.Sleep(time.Millisecond)\n\tif Median([]float64{1, 2}) != 1.5 {\n\t\tt.Fail()\n\t}\n}\n"},
	{"network", "python", gate.Network, false, "import urllib.request\n\n\ndef test_even():\n    urllib.request.urlopen('http://localhost')\n    assert median([1, 2]) == 1.5\n"},

	{"catch", "python", gate.CatchesAll, false, "def test_even():\n    try:\n        assert median([1, 2]) == 1.5\n    except Exception:\n        pass\n"},
	{"raises", "python", gate.CatchesAll, false, "import pytest\n\n\ndef test_even():\n    with pytest.raises(Exception):\n        median(None)\n"},
	{"catch", "javascript", gate.CatchesAll, false, "test('even', () => {\n  try { assert.equal(median([1, 2]), 1.5); } catch {}\n});\n"},
	{"recover", "go", gate.CatchesAll, false, "func TestEven(t *testing.T) {\n\tdefer func() { _ = recover() }()\n\tif Median(nil) != 1.5 {\n\t\tt.Fail()\n\t}\n}\n"},

	{"skip", "python", gate.Skips, false, "import pytest\n\n\n@pytest.mark.skip\ndef test_even():\n    assert median([1, 2]) == 1.5\n"},
	{"skip", "javascript", gate.Skips, false, "test('even', { skip: true }, () => { assert.equal(median([1, 2]), 1.5); });\n"},
	{"only", "javascript", gate.Skips, false, "test.only('even', () => { assert.equal(median([1, 2]), 1.5); });\n"},
	{"skip", "go", gate.Skips, false, "func TestEven(t *testing.T) {\n\tt.Skip(\"later\")\n\tif Median([]float64{1, 2}) != 1.5 {\n\t\tt.Fail()\n\t}\n}\n"},

	{"library", "python", gate.NotTheProject, true, "import statistics\n\n\ndef test_even():\n    assert statistics.median([1, 2]) == 1.5\n"},
	{"library", "javascript", gate.NotTheProject, false, "test('even', () => { assert.equal(Math.max(1, 2), 2); });\n"},
	{"library", "go", gate.NotTheProject, true, "package stats\n\nimport (\n\t\"sort\"\n\t\"testing\"\n)\n\nfunc TestEven(t *testing.T) {\n\tif !sort.Float64sAreSorted([]float64{1, 2}) {\n\t\tt.Fail()\n\t}\n}\n"},

	{"copy", "python", gate.CopiesCode, false, "def expected(xs):\n    s = sorted(xs)\n    m = len(s) // 2\n    if len(s) % 2 == 0:\n        return (s[m - 1] + s[m]) / 2\n    return s[m]\n\n\ndef test_even():\n    assert median([1, 2]) == expected([1, 2])\n"},
	{"copy", "javascript", gate.CopiesCode, false, "function expected(xs) {\n  const s = [...xs].sort((a, b) => a - b);\n  const m = Math.floor(s.length / 2);\n  if (s.length % 2 === 0) {\n    return (s[m - 1] + s[m]) / 2;\n  }\n  return s[m];\n}\n\ntest('even', () => { assert.equal(median([1, 2]), expected([1, 2])); });\n"},
	{"copy", "go", gate.CopiesCode, true, "package stats\n\nimport (\n\t\"sort\"\n\t\"testing\"\n)\n\nfunc expected(v []float64) float64 {\n\to := append([]float64{}, v...)\n\tsort.Float64s(o)\n\tm := len(o) / 2\n\tif len(o)%2 == 0 {\n\t\treturn (o[m-1] + o[m]) / 2\n\t}\n\treturn o[m]\n}\n\nfunc TestEven(t *testing.T) {\n\tif Median([]float64{1, 2}) != expected([]float64{1, 2}) {\n\t\tt.Fail()\n\t}\n}\n"},

	{"its text", "python", gate.NotTheChange, false, "import inspect\n\n\ndef test_even():\n    assert '% 2 == 0' in inspect.getsource(median)\n"},
	{"its text", "javascript", gate.NotTheChange, false, "test('even', () => { assert.ok(String(median).includes('% 2')); });\n"},

	{"import", "python", gate.CannotRun, true, "from stats import median, quartile\n\n\ndef test_even():\n    assert median([1, 2]) == 1.5\n"},
	{"wrong", "python", gate.FailsOnPatch, false, "def test_even():\n    assert median([1, 2]) == 7\n"},
	{"syntax", "go", gate.CannotRun, false, "func TestEven(t *testing.T) {\n"},
}

func TestC5WorthlessTestsAreRejectedWithTheirReason(t *testing.T) {
	t.Parallel()
	for _, w := range worthless {
		t.Run(w.lang+" "+w.name, func(t *testing.T) {
			t.Parallel()
			p := projects[w.lang]
			text := p.head + w.text
			if w.whole {
				text = w.text
			}
			v, err := newGate(t).Judge(t.Context(), p.candidate(t, text))
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range v.Rejections {
				if r.Kind == w.want && len(r.Reason) > 40 && r.Path == p.test {
					return
				}
			}
			t.Fatalf("not rejected as %s: %+v", w.want, v.Rejections)
		})
	}
}

var good = []struct {
	name, lang string
	whole      bool
	text       string
}{
	{"plain", "python", false, "def test_even():\n    assert median([1, 2, 3, 4]) == 2.5\n"},
	{"table", "python", true, "import pytest\n\nfrom stats import median\n\n\n@pytest.mark.parametrize('values, want', [([1, 2], 1.5), ([4, 1, 3, 2], 2.5)])\ndef test_even(values, want):\n    got = median(values)\n    assert got == pytest.approx(want)\n"},
	{"unittest", "python", true, "import unittest\n\nimport stats\n\n\nclass TestEven(unittest.TestCase):\n    def setUp(self):\n        self.values = [1, 2]\n\n    def test_even(self):\n        self.assertEqual(stats.median(self.values), 1.5)\n"},
	{"helper", "python", false, "def check(values, want):\n    assert median(values) == want\n\n\ndef test_even():\n    check([1, 2], 1.5)\n"},
	{"plain", "javascript", false, "test('even', () => { assert.equal(median([1, 2, 3, 4]), 2.5); });\n"},
	{"loop", "javascript", false, "test('even', () => {\n  for (const [values, want] of [[[1, 2], 1.5], [[4, 1, 3, 2], 2.5]]) {\n    const got = median(values);\n    assert.strictEqual(got, want);\n  }\n});\n"},
	{"plain", "go", false, "func TestEven(t *testing.T) {\n\tif got := Median([]float64{1, 2, 3, 4}); got != 2.5 {\n\t\tt.Errorf(\"Median gave %v, want 2.5\", got)\n\t}\n}\n"},
	{"table outside", "go", true, "package stats_test\n\nimport (\n\t\"testing\"\n\n\t\"example.com/stats\"\n)\n\nfunc TestEven(t *testing.T) {\n\tfor _, c := range []struct {\n\t\tin   []float64\n\t\twant float64\n\t}{{[]float64{1, 2}, 1.5}, {[]float64{4, 1, 3, 2}, 2.5}} {\n\t\tgot := stats.Median(c.in)\n\t\tif got != c.want {\n\t\t\tt.Errorf(\"got %v, want %v\", got, c.want)\n\t\t}\n\t}\n}\n"},
}

func TestC5GoodTestsPassAndFindPlantedFaults(t *testing.T) {
	t.Parallel()
	for _, w := range good {
		if testing.Short() && w.name != "plain" {
			continue
		}
		t.Run(w.lang+" "+w.name, func(t *testing.T) {
			t.Parallel()
			p := projects[w.lang]
			text := p.head + w.text
			if w.whole {
				text = w.text
			}
			v, err := newGate(t).Judge(t.Context(), p.candidate(t, text))
			if err != nil {
				t.Fatal(err)
			}
			if !v.Accepted() || v.Score == nil || v.Score.Killed == 0 {
				t.Fatalf("rejected: %v, score %v", v.Reasons(), v.Score)
			}
		})
	}
}

// runner plays results, so that chance is none.
type runner struct {
	mu      sync.Mutex
	reports []verify.Report
	err     error
}

func (r *runner) Try(context.Context, verify.Trial) (verify.Report, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.reports) == 0 {
		return verify.Report{}, r.err
	}
	rep := r.reports[0]
	r.reports = r.reports[1:]
	return rep, nil
}

// missed is a report in which the test cannot find what the change adds.
func missed() verify.Report {
	rep := seen("failed")
	rep.Tests[0].Failure.Kind = task.FailException
	return rep
}

func seen(status string) verify.Report {
	one := verify.TestResult{ID: "pytest:.:x::t", Status: status}
	if one.Red() {
		one.Failure = &task.Failure{Kind: task.FailAssertion, Message: "no"}
	}
	return verify.Report{Tests: []verify.TestResult{one}}
}

func TestC5AResultThatChangesBetweenRunsIsFlaky(t *testing.T) {
	t.Parallel()
	p := projects["python"]
	c := p.candidate(t, p.head+"def test_even():\n    assert median([1, 2]) == 1.5\n")
	for name, reports := range map[string][]verify.Report{
		"with the change": {seen("failed"), seen("passed"), seen("failed"), seen("passed")},
	} {
		v, err := gate.New(gate.Config{Runner: &runner{reports: reports}}).Judge(t.Context(), c)
		if err != nil || len(v.Rejections) != 1 || v.Rejections[0].Kind != gate.Flaky {
			t.Errorf("%s: %+v, %v", name, v.Rejections, err)
		}
	}
	c.Changes = nil
	v, err := gate.New(gate.Config{Runner: &runner{reports: []verify.Report{seen("failed"), seen("passed"), seen("failed")}}}).Judge(t.Context(), c)
	if err != nil || len(v.Rejections) != 1 || v.Rejections[0].Kind != gate.Flaky {
		t.Errorf("without a change: %+v, %v", v.Rejections, err)
	}
}

func TestR3ATestThatSeesNoPlantedFaultIsRejected(t *testing.T) {
	t.Parallel()
	p := projects["python"]
	c := p.candidate(t, p.head+"def test_even():\n    assert median([1, 2]) == 1.5\n")
	reports := []verify.Report{missed(), seen("passed"), seen("passed"), seen("passed"), seen("failed")} // the base, the change, its lines made to fail
	for range 100 {
		reports = append(reports, seen("passed"))
	}
	v, err := gate.New(gate.Config{Runner: &runner{reports: reports}, MaxMutants: 3}).Judge(t.Context(), c)
	if err != nil || len(v.Rejections) != 1 || v.Rejections[0].Kind != gate.KillsNothing || v.Score.Mutants != 3 || len(v.Score.Survivors) != 3 || !v.Score.Cut {
		t.Fatalf("%+v, score %+v, %v", v.Rejections, v.Score, err)
	}
}

// A test that failed on the base for something else, and calls what was changed by
// a path that was there before, proves nothing of the change.
func TestC5ATestThatRunsNoChangedLineIsNoEvidence(t *testing.T) {
	t.Parallel()
	for lang, p := range projects {
		c := p.candidate(t, p.head+map[string]string{
			"python":     "def test_even():\n    assert median([1, 2]) == 1.5\n",
			"javascript": "test('even', () => { assert.equal(median([1, 2]), 1.5); });\n",
			"go":         "func TestEven(t *testing.T) {\n\tif got := Median([]float64{1, 2}); got != 1.5 {\n\t\tt.Error(got)\n\t}\n}\n",
		}[lang])
		reports := []verify.Report{seen("failed"), seen("passed"), seen("passed"), seen("passed"), seen("passed")}
		v, err := gate.New(gate.Config{Runner: &runner{reports: reports}}).Judge(t.Context(), c)
		if err != nil || len(v.Rejections) != 1 || v.Rejections[0].Kind != gate.NotTheChange {
			t.Errorf("%s: %+v, %v", lang, v.Rejections, err)
		}
		c.Characterises = true
		v, err = gate.New(gate.Config{Runner: &runner{reports: reports[1:]}}).Judge(t.Context(), c)
		if err != nil || len(v.Rejections) != 1 || v.Rejections[0].Kind != gate.NotTheChange {
			t.Errorf("%s, beside other proof: %+v, %v", lang, v.Rejections, err)
		}
	}
}

func TestR3TheScoreEndsWithItsTime(t *testing.T) {
	t.Parallel()
	p := projects["python"]
	c := p.candidate(t, p.head+"def test_even():\n    assert median([1, 2]) == 1.5\n")
	reports := []verify.Report{seen("failed"), seen("passed"), seen("passed"), seen("passed")}
	for range 100 {
		reports = append(reports, seen("failed"))
	}
	now := time.Unix(0, 0)
	g := gate.New(gate.Config{Runner: &runner{reports: reports}, MutantTime: 3 * time.Second, Now: func() time.Time { now = now.Add(time.Second); return now }})
	v, err := g.Judge(t.Context(), c)
	if err != nil || !v.Accepted() || v.Score.Mutants == 0 || v.Score.Mutants > 3 || !v.Score.Cut {
		t.Fatalf("%+v, score %+v, %v", v.Rejections, v.Score, err)
	}
}

func TestC1AnErrorOfTheSandboxIsNoVerdict(t *testing.T) {
	t.Parallel()
	p := projects["python"]
	broke := errors.New("the sandbox broke")
	_, err := gate.New(gate.Config{Runner: &runner{err: broke}}).Judge(t.Context(), p.candidate(t, p.head+"def test_even():\n    assert median([1, 2]) == 1.5\n"))
	if !errors.Is(err, broke) {
		t.Fatalf("%v", err)
	}
}

// FuzzStatic: no text of a test makes the rules panic.
func FuzzStatic(f *testing.F) {
	for _, w := range worthless {
		f.Add(w.lang, w.text)
	}
	f.Fuzz(func(t *testing.T, lang, text string) {
		p, ok := projects[lang]
		if !ok {
			return
		}
		c := gate.Candidate{Base: fstest.MapFS{}, Tests: map[string][]byte{p.test: []byte(text)},
			Changes: []gate.Change{{Path: p.source, Before: []byte(p.before), After: []byte(p.after)}}}
		found, err := gate.Static(context.Background(), c)
		if err != nil && len(text) < 1<<16 {
			t.Fatal(err)
		}
		for _, r := range found {
			if r.Reason == "" || r.Kind == "" {
				t.Fatalf("a rejection without a reason: %+v", r)
			}
		}
	})
}

func TestC5AHelperOfTheBasesTestsLeadsToTheProject(t *testing.T) {
	t.Parallel()
	base := fstest.MapFS{
		"go.mod":       {Data: []byte("module example.com/m\n\ngo 1.22\n")},
		"show.go":      {Data: []byte("package m\n\nfunc Show(s string) string { return s }\n")},
		"show_test.go": {Data: []byte("package m\n\nimport \"testing\"\n\nfunc show(s string) string { return Show(s) }\n\nfunc idle() string { return \"x\" }\n\nfunc TestShow(t *testing.T) {\n\tif show(\"a\") != \"a\" {\n\t\tt.Fatal()\n\t}\n}\n")},
	}
	for helper, want := range map[string]int{"show": 0, "idle": 1} {
		arg := map[string]string{"show": `"b"`}[helper]
		test := "package m\n\nimport \"testing\"\n\nfunc TestMore(t *testing.T) {\n\tif got := " + helper + "(" + arg + "); got != \"b\" {\n\t\tt.Errorf(\"got %q\", got)\n\t}\n}\n"
		got, err := gate.Static(t.Context(), gate.Candidate{Base: base, Tests: map[string][]byte{"more_test.go": []byte(test)}})
		if err != nil || len(got) != want {
			t.Errorf("%s: %v, %v", helper, got, err)
		}
	}
}

func TestC5AZeroValueOfTheProjectsTypeIsItsCode(t *testing.T) {
	t.Parallel()
	base := fstest.MapFS{
		"go.mod": {Data: []byte("module example.com/m\n\ngo 1.22\n")},
		"reg.go": {Data: []byte("package m\n\nimport \"io\"\n\ntype Registry struct{}\n\nfunc (r *Registry) Write(w io.Writer) { io.WriteString(w, \"a\") }\n")},
	}
	const test = "package m\n\nimport (\n\t\"strings\"\n\t\"testing\"\n)\n\nfunc TestWrite(t *testing.T) {\n\tvar r Registry\n\tvar got strings.Builder\n\tr.Write(&got)\n\tif got.String() != \"a\" {\n\t\tt.Errorf(\"got %s\", got.String())\n\t}\n}\n"
	if got, err := gate.Static(t.Context(), gate.Candidate{Base: base, Tests: map[string][]byte{"more_test.go": []byte(test)}}); err != nil || len(got) > 0 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestC5PythonNamesThatComeUnnamedOrAsParametersAreTraced(t *testing.T) {
	t.Parallel()
	p := projects["python"]
	head := "import pytest\n" + p.head
	star := "import pytest\nfrom stats import *\n\n"
	for name, c := range map[string]struct {
		text  string
		worth bool
	}{
		"a function as parameter":    {head + "@pytest.mark.parametrize(\"get\", [median])\ndef test_even(get):\n    assert get([1, 2]) == 1.5\n", true},
		"two parameters":             {head + "@pytest.mark.parametrize(\"get, xs\", [(median, [1, 2])])\ndef test_even(get, xs):\n    assert get(xs) == 1.5\n", true},
		"a parameter of the test":    {head + "@pytest.mark.parametrize(\"get\", [sum])\ndef test_even(get):\n    assert get([1, 2]) == 3\n", false},
		"imported without its name":  {star + "def test_even():\n    assert median([1, 2]) == 1.5\n", true},
		"raises, imported like that": {star + "def test_none():\n    with pytest.raises(ValueError): median([])\n", true},
		"only Python's own":          {star + "def test_even():\n    xs = sorted([2, 1])\n    assert len(xs) == 2\n", false},
	} {
		got, err := gate.Static(t.Context(), p.candidate(t, c.text))
		if err != nil || (len(got) == 0) != c.worth {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

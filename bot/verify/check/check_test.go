package check

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/detect"
)

var shared struct {
	once sync.Once
	box  *sandbox.Sandbox
	err  error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.box != nil {
		_ = shared.box.Close()
	}
	os.Exit(code)
}

// checked runs the pipeline on a folder of the given files, in a real sandbox.
func checked(t *testing.T, files map[string]string, opt Options, declared ...settings.Check) Result {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, files)
	return checkedIn(t, dir, opt, declared...)
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for p, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, p)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, p), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func checkedIn(t *testing.T, dir string, opt Options, declared ...settings.Check) Result {
	t.Helper()
	shared.once.Do(func() {
		if shared.box, shared.err = sandbox.New(context.Background(), sandbox.Config{}); shared.err == nil {
			shared.err = shared.box.Warm(context.Background()) // once per machine: without it each session compiles Go's own packages
		}
	})
	if shared.err != nil {
		t.Fatalf("the tests need the sandbox: %v", shared.err)
	}
	plan, err := detect.Detect(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	opt.Plan = plan.Declared(declared)
	if opt.Profile == "" {
		opt.Profile = Full
	}
	r, err := New(Config{Sandbox: shared.box}).Run(context.Background(), dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func one(t *testing.T, r Result, name string) Check {
	t.Helper()
	for _, c := range r.Checks {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("no check %s in %+v", name, r.Checks)
	return Check{}
}

const (
	cart  = "def mean(x):\n    return sum(x) / len(x)\n"
	tests = "import unittest\nfrom cart import mean\n\n\nclass T(unittest.TestCase):\n    def test_mean(self):\n        self.assertEqual(mean([1, 3]), 2)\n\n    def test_empty(self):\n        self.assertEqual(mean([]), 0)\n"
)

func TestC3ARedTestHasItsPlaceAndTheWholeIsRed(t *testing.T) {
	t.Parallel()
	r := checked(t, map[string]string{"cart.py": cart, "test_cart.py": tests}, Options{})
	c := one(t, r, "unittest")
	if r.Status != Failed || c.Status != Failed || c.Passed != 1 || c.Failed != 1 || len(c.Failures) != 1 {
		t.Fatalf("%+v", c)
	}
	f := c.Failures[0]
	if f.Test != "unittest:.:test_cart.py::T::test_empty" || f.File != "cart.py" || f.Line != 2 || f.Exception != "ZeroDivisionError" || len(f.Fingerprint) != 16 {
		t.Errorf("%+v", f)
	}
}

func TestC3GreenIsGreenAndNothingOfTheFolderIsTouched(t *testing.T) {
	t.Parallel()
	r := checked(t, map[string]string{"go.mod": "module example.com/m\n\ngo 1.21\n", "a.go": "package a\n", "a_test.go": "package a\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestA(t *testing.T) { _ = os.WriteFile(\"litter\", nil, 0o600) }\n"}, Options{})
	if r.Status != Passed || one(t, r, "go test").Passed != 1 || one(t, r, "go vet").Status != Passed {
		t.Errorf("%+v", r)
	}
}

func TestC3ABuildThatFailsIsNoFailedTest(t *testing.T) {
	t.Parallel()
	r := checked(t, map[string]string{"go.mod": "module example.com/m\n\ngo 1.21\n", "a.go": "package a\n", "a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { missing() }\n"}, Options{})
	c := one(t, r, "go test")
	if r.Status != Failed || c.Failed != 0 || len(c.Failures) != 1 || c.Failures[0].Kind != task.FailBuild || c.Failures[0].Line != 5 || !strings.Contains(c.Detail, "1 could not be run") {
		t.Errorf("%+v", c)
	}
}

func TestC3WhatIsNotThereIsToldAndNotGreen(t *testing.T) {
	t.Parallel()
	r := checked(t, map[string]string{"package.json": `{"scripts":{"test":"jest"},"devDependencies":{"jest":"29"}}`, "package-lock.json": "{}"}, Options{})
	c := one(t, r, "jest")
	if r.Status != NotRun || c.Status != NotRun || !strings.Contains(c.Detail, "node_modules/.bin/jest") || !strings.Contains(c.Do, "npm ci") {
		t.Errorf("%s: %+v", r.Status, c)
	}
	r = checked(t, map[string]string{"cart.py": cart, "test_cart.py": strings.Replace(tests, "mean([]), 0", "mean([2]), 2", 1), "mypy.ini": "[mypy]\n", ".flake8": ""}, Options{})
	if r.Status != Passed {
		t.Errorf("a linter that is only detected holds nothing up: %+v", r)
	}
	r = checked(t, map[string]string{"README.md": "x"}, Options{})
	if r.Status != NotRun || len(r.Notes) == 0 {
		t.Errorf("nothing to test is not green: %+v", r)
	}
}

func TestC2DeclaredChecksAreRunAndRecognised(t *testing.T) {
	t.Parallel()
	r := checked(t, map[string]string{"cart.py": cart, "test_cart.py": tests}, Options{},
		settings.Check{Name: "unit", Run: "python3 -m unittest", Required: true},
		settings.Check{Name: "style", Run: "echo 'cart.py:1:2: E1 odd' && exit 1"},
		settings.Check{Name: "quiet test", Run: "true", Required: true})
	unit, style, quiet := one(t, r, "unit"), one(t, r, "style"), one(t, r, "quiet test")
	if unit.Status != Failed || len(unit.Failures) != 1 || unit.Failures[0].File != "cart.py" {
		t.Errorf("%+v", unit)
	}
	if style.Status != Failed || style.Required || style.Failures[0].File != "cart.py" {
		t.Errorf("%+v", style)
	}
	if quiet.Status != Failed || quiet.Detail != "no test was run" {
		t.Errorf("a test command that shows no test is not green: %+v", quiet)
	}
}

func TestC3FastStopsAtTheFirstRedLevelAndChoosesTests(t *testing.T) {
	t.Parallel()
	files := map[string]string{"cart.py": cart, "tax.py": "def rate():\n    return 1\n", "test_cart.py": tests, "test_tax.py": "import unittest\nfrom tax import rate\n\n\nclass T(unittest.TestCase):\n    def test_rate(self):\n        self.assertEqual(rate(), 1)\n"}
	r := checked(t, files, Options{Profile: Fast, Changed: []string{"tax.py"}})
	c := one(t, r, "unittest")
	if r.Status != Passed || c.Passed != 1 || len(c.Selected) != 1 || c.Selected[0].File != "test_tax.py" {
		t.Errorf("%+v", c)
	}
	files["tax.py"] = "def rate(:\n"
	r = checked(t, files, Options{Profile: Fast, Changed: []string{"tax.py"}})
	if s := one(t, r, "syntax"); s.Status != Failed || s.Failures[0].Line != 1 || one(t, r, "unittest").Status != Skipped {
		t.Errorf("%+v", r.Checks)
	}
}

func TestS10EveryFormatNamesFileLineAndTest(t *testing.T) {
	t.Parallel()
	r := Result{Status: Failed, Checks: []Check{
		{Name: "unit, all", Kind: "test", Status: Failed, Required: true, Failures: []task.Failure{{Test: "pytest:.:t.py::x", Suite: "pytest", Kind: task.FailAssertion, File: "a b.py", Line: 7, Exception: "AssertionError",
			Message: "no\n::set-env name=x::y 50%", Fingerprint: "0123456789abcdef", Trace: []task.Frame{{File: "t.py", Line: 1}, {File: "a b.py", Line: 7}}}}},
		{Name: "mypy", Kind: "types", Status: NotRun, Detail: "mypy is not there", Do: "pip install mypy"},
	}}
	out := map[string]string{}
	for _, f := range Formats {
		var b bytes.Buffer
		if err := Write(&b, f, r, "1.2.3"); err != nil {
			t.Fatal(err)
		}
		out[f] = b.String()
	}
	if want := "a b.py:7:1: pytest:.:t.py::x: AssertionError: no [pytest/assertion]\n.:1:1: mypy was not run: mypy is not there [fettle/not-run]\n"; out["unix"] != want {
		t.Errorf("unix:\n%s", out["unix"])
	}
	if want := "::error file=a b.py,line=7,title=unit%2C all::pytest:.:t.py::x%0Ano%0A::set-env name=x::y 50%25\n::warning title=mypy::not run: mypy is not there; pip install mypy\n"; out["github"] != want {
		t.Errorf("github:\n%s", out["github"])
	}
	var back Result
	if err := json.Unmarshal([]byte(out["json"]), &back); err != nil || back.Checks[0].Failures[0].Line != 7 {
		t.Errorf("json: %v", err)
	}
	if Write(&bytes.Buffer{}, "yaml", r, "") == nil {
		t.Error("an unknown format must be refused")
	}
}

// sarifSchema is the part of SARIF 2.1.0's schema that our log has to meet:
// what is required, and the types and values of what is written.
const sarifSchema = `{"type":"object","required":["version","runs"],"properties":{"version":{"const":"2.1.0"},"$schema":{"type":"string","format":"uri"},
"runs":{"type":"array","items":{"type":"object","required":["tool","results"],"properties":{
 "tool":{"type":"object","required":["driver"],"properties":{"driver":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"rules":{"type":"array","uniqueItems":true,"items":{"type":"object","required":["id"],"properties":{"id":{"type":"string"},"shortDescription":{"type":"object","required":["text"]}}}}}}}},
 "columnKind":{"enum":["utf16CodeUnits","unicodeCodePoints"]},
 "invocations":{"type":"array","items":{"type":"object","required":["executionSuccessful"],"properties":{"executionSuccessful":{"type":"boolean"},"toolExecutionNotifications":{"type":"array","items":{"type":"object","required":["message"],"properties":{"level":{"enum":["none","note","warning","error"]}}}}}}},
 "results":{"type":"array","items":{"type":"object","required":["message"],"properties":{"ruleId":{"type":"string"},"ruleIndex":{"type":"integer","minimum":-1},"level":{"enum":["none","note","warning","error"]},
  "message":{"type":"object","required":["text"],"properties":{"text":{"type":"string","minLength":1}}},"partialFingerprints":{"type":"object","additionalProperties":{"type":"string"}},
  "locations":{"type":"array","items":{"type":"object","properties":{"physicalLocation":{"type":"object","required":["artifactLocation"],"properties":{"artifactLocation":{"type":"object","properties":{"uri":{"type":"string","pattern":"^[^ \\\\]*$"},"uriBaseId":{"type":"string"}}},"region":{"type":"object","required":["startLine"],"properties":{"startLine":{"type":"integer","minimum":1}}}}}}}},
  "stacks":{"type":"array","items":{"type":"object","required":["frames"],"properties":{"frames":{"type":"array","items":{"type":"object"}}}}}}}}}}}}}`

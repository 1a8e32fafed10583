package parse

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/task"
)

func TestC3FindingsOfRealLintersHaveFileLineAndRule(t *testing.T) {
	t.Parallel()
	want := map[string][]string{
		"ruff.full.txt":    {"shop/cart.py:1 F401", "shop/cart.py:9 F821"},
		"ruff.concise.txt": {"shop/cart.py:1 F401", "shop/cart.py:9 F821"},
		"flake8.txt":       {"shop/cart.py:1 F401", "shop/cart.py:9 F821"},
		"mypy.txt":         {"shop/cart.py:5 return-value"},
		"tsc.txt":          {"cart.ts:2 TS2322", "cart.ts:4 TS2345"},
		"tsc.pretty.txt":   {"cart.ts:2 TS2322", "cart.ts:4 TS2345"},
		"eslint8.txt":      {"cart.js:1 no-unused-vars", "cart.js:2 no-unused-vars", "cart.js:3 no-undef"},
		"eslint8.unix.txt": {"cart.js:1 no-unused-vars", "cart.js:2 no-unused-vars", "cart.js:3 no-undef"},
		"eslint9.txt":      {"cart.js:3 no-undef"},
	}
	for name, lines := range want {
		data, err := os.ReadFile(filepath.Join("testdata/lint/out", name))
		if err != nil {
			t.Fatal(err)
		}
		if f := Sniff(data); f != Lines {
			t.Errorf("%s is taken for %s", name, f)
		}
		var got []string
		for _, f := range Read(Lines, data, Place{Root: "/srv/shop"}).Broken {
			got = append(got, fmt.Sprintf("%s:%d %s", f.File, f.Line, f.Exception))
			if f.Message == "" || f.Kind != task.FailLint {
				t.Errorf("%s: %+v", name, f)
			}
		}
		if !slices.Equal(got, lines) {
			t.Errorf("%s: got %v, want %v", name, got, lines)
		}
	}
}

func TestC3CompilersOfOtherLanguagesAreRead(t *testing.T) {
	t.Parallel()
	for out, want := range map[string]string{
		"a/b.c:3:5: error: expected ';' before 'x'":                  "a/b.c:3 expected ';' before 'x'",
		"vet: shop/x.go:4:2: undefined: y":                           "shop/x.go:4 undefined: y",
		"x.go:7:1: exported function F should have comment (revive)": "x.go:7 exported function F should have comment",
		"src/Cart.java:9: error: ';' expected":                       "src/Cart.java:9 ';' expected",
	} {
		fs := Read(Lines, []byte(out), Place{}).Broken
		if len(fs) != 1 || fmt.Sprintf("%s:%d %s", fs[0].File, fs[0].Line, fs[0].Message) != want {
			t.Errorf("%q gave %+v, want %s", out, fs, want)
		}
	}
}

func TestC3WordsThatAreNoFindingsAreLeftOut(t *testing.T) {
	t.Parallel()
	for _, out := range []string{"http://localhost:8080: not a finding", "12:30:11 INFO started", "warning: nothing", "a.c:3:5: warning: unused", "a.c:3:5: note: here", "at 10:20: x"} {
		if fs := Read(Lines, []byte(out), Place{}).Broken; len(fs) != 0 {
			t.Errorf("%q gave %+v", out, fs)
		}
	}
}

func TestC3CrashOfTheTestProcessIsAnErrorOfTheTestThatRan(t *testing.T) {
	t.Parallel()
	names, _ := filepath.Glob("testdata/pytest/out/*.crash.txt")
	if len(names) < 5 {
		t.Fatal(names)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		rep := Read(Pytest, data, Place{Root: "/srv/shop"})
		ids := red(rep)
		if !slices.Equal(ids, []string{"crash/test_crash.py::test_ends_it", "crash/test_crash.py::test_fails_before"}) {
			t.Errorf("%s: red are %v", name, ids)
		}
		if strings.Contains(name, "xdist") {
			continue // the workers survive each other
		}
		if f := found(rep)["crash/test_crash.py::test_ends_it"]; rep.Ended || f.state != Error || f.Kind != task.FailCrash || f.Line != 13 {
			t.Errorf("%s: ended %v, %s at %d", name, rep.Ended, f.Kind, f.Line)
		}
	}
}

func TestC3OutputsWithoutTestsAreNotGreen(t *testing.T) {
	t.Parallel()
	for name, broken := range map[string]int{"pytest/out/usage.txt": 1, "pytest/out/empty.txt": 0, "unittest/out/empty.txt": 0} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		rep := Read(map[bool]Format{true: Pytest, false: Unittest}[strings.HasPrefix(name, "pytest")], data, Place{Root: "/srv/shop"})
		if len(rep.Tests) != 0 || len(rep.Broken) != broken || rep.Totals.Passed != 0 {
			t.Errorf("%s: %+v", name, rep)
		}
	}
}

func TestC3PassedTestsAreNamedWhereTheToolNamesThem(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		format          Format
		passed, skipped int
	}{
		"pytest/out/pytest8.verbose.txt":             {Pytest, 2, 2},
		"pytest/out/xdist.verbose.txt":               {Pytest, 2, 2},
		"unittest/out/python3.13.verbose.txt":        {Unittest, 1, 2},
		"go/out/go1.26.json.txt":                     {GoJSON, 3, 1},
		"javascript/out/jest/jest30.json":            {JestJSON, 1, 1},
		"javascript/out/mocha/mocha11.json.txt":      {MochaJS, 1, 1},
		"javascript/out/vitest/vitest3.verbose.txt":  {Vitest, 1, 2},
		"javascript/out/nodetest/node22.tap.txt":     {TAP, 1, 2},
		"cargo/out/cargo1.95.0.text.txt":             {Cargo, 2, 1},
		"maven/out/surefire3.2.5.shop.CartTest.xml":  {JUnit, 2, 1},
		"pytest/out/pytest9.xunit1.xml":              {JUnit, 2, 2},
		"javascript/out/nodetest/node24.junit.txt":   {JUnit, 1, 2},
		"javascript/out/vitest/vitest3.junit.txt":    {JUnit, 1, 2},
		"javascript/out/vitest/vitest3.tap-flat.txt": {TAP, 1, 2},
	} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int{}
		for _, test := range Read(want.format, data, Place{Root: "/srv/shop", Module: "example.com/shop"}).Tests {
			got[test.Status]++
		}
		if got[Passed] != want.passed || got[Skipped] != want.skipped {
			t.Errorf("%s: %v, want %d passed and %d skipped", name, got, want.passed, want.skipped)
		}
	}
}

func TestC3AnInheritedTestIsOneTest(t *testing.T) {
	t.Parallel()
	out := `============================= test session starts ==============================
tests/test_timed.py::TestTimed::test_bad[a b] <- tests/test_base.py FAILED [ 50%]
tests/test_timed.py::TestTimed::test_good <- tests/test_base.py PASSED [100%]
=================================== FAILURES ===================================
___________________________ TestTimed.test_bad[a b] ____________________________
tests/test_base.py:9: in test_bad
    assert 1 == 2
E   assert 1 == 2
=========================== short test summary info ============================
FAILED tests/test_timed.py::TestTimed::test_bad[a b] - assert 1 == 2
========================= 1 failed, 1 passed in 0.02s ==========================
`
	rep := Read(Pytest, []byte(out), Place{})
	if len(rep.Tests) != 2 || rep.Tests[0].ID != "tests/test_timed.py::TestTimed::test_bad[a b]" || rep.Tests[0].Failure.Line != 9 || rep.Tests[1].Status != Passed {
		t.Errorf("%+v", rep.Tests)
	}
}

// red lists the ids of red tests and broken units, sorted.
func red(r Report) []string {
	set := map[string]bool{}
	for _, t := range r.Tests {
		if t.Red() {
			set[t.ID] = true
		}
	}
	for _, f := range r.Broken {
		if f.Test != "" {
			set[f.Test] = true
		}
	}
	out := make([]string, 0, len(set))
	for id := range set {
		out = append(out, id)
	}
	slices.Sort(out)
	return out
}

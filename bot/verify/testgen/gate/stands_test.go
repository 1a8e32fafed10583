package gate_test

import (
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/testgen/gate"
)

func TestC5ATestThatWasRedForItsAssertionAndIsGreenStands(t *testing.T) {
	t.Parallel()
	p := projects["python"]
	c := p.candidate(t, p.head+"def test_even():\n    assert median([1, 2]) == 1.5\n")
	reports := []verify.Report{seen("failed"), seen("passed"), seen("passed"), seen("passed"), seen("failed")} // the base, the change, its lines made to fail
	for range 100 {
		reports = append(reports, seen("passed"))
	}
	v, err := gate.New(gate.Config{Runner: &runner{reports: reports}}).Judge(t.Context(), c)
	if err != nil || !v.Accepted() || v.Score == nil || v.Score.Killed != 0 || len(v.Score.Survivors) == 0 {
		t.Fatalf("%+v, score %+v, %v", v.Rejections, v.Score, err)
	}
}

// A test answers for the lines that the change touched, not for the rest of a
// long function.
func TestR3FaultsArePlantedInTheChangedLinesOnly(t *testing.T) {
	t.Parallel()
	p := projects["python"]
	body := func(lines ...string) string {
		return "def scale(x):\n    if x > 100:\n        x = x - 10\n    if x < -100:\n        x = x + 10\n    y = x * 3\n    z = y - 2\n" + strings.Join(lines, "") + "    return z\n"
	}
	p.before, p.after = body(), body("    if z > 50:\n", "        z = 50\n")
	c := p.candidate(t, "from stats import scale\n\n\ndef test_cap():\n    assert scale(90) == 50\n")
	reports := []verify.Report{missed(), seen("passed"), seen("passed"), seen("passed"), seen("failed")}
	for range 100 {
		reports = append(reports, seen("passed"))
	}
	v, err := gate.New(gate.Config{Runner: &runner{reports: reports}, MaxMutants: 100}).Judge(t.Context(), c)
	if err != nil || v.Score == nil || len(v.Score.Survivors) == 0 {
		t.Fatalf("%+v, score %+v, %v", v.Rejections, v.Score, err)
	}
	for _, s := range v.Score.Survivors {
		if !strings.HasPrefix(s, "stats.py:8 ") && !strings.HasPrefix(s, "stats.py:9 ") {
			t.Errorf("planted elsewhere: %s", s)
		}
	}
}

// Assertions that stand in helpers: a method of the test class, one that calls
// another, a base class or a helper in another file.
func TestC5HelpersAreFollowedBeforeATestIsCalledEmpty(t *testing.T) {
	t.Parallel()
	for _, w := range []struct{ name, lang, text string }{
		{"a method by way of another", "python", "import unittest\n\nimport stats\n\n\nclass TestEven(unittest.TestCase):\n    def check(self, values, want):\n        self.compare(stats.median(values), want)\n\n    def compare(self, got, want):\n        self.assertEqual(got, want)\n\n    def test_even(self):\n        self.check([1, 2], 1.5)\n"},
		{"a base class in another file", "python", "import stats\nfrom tests.base import Case\n\n\nclass TestEven(Case):\n    def test_even(self):\n        self.expect(stats.median([1, 2]), 1.5)\n"},
		{"a helper in another file", "python", "import stats\nfrom tests.base import same\n\n\ndef test_even():\n    same(stats.median([1, 2]), 1.5)\n"},
		{"a method of a class", "javascript", "import test from 'node:test';\nimport assert from 'node:assert';\nimport { median } from '../lib/stats.js';\n\nclass Checker {\n  check(values, want) { assert.equal(median(values), want); }\n}\n\ntest('even', () => { new Checker().check([1, 2], 1.5); });\n"},
		{"a method of an object", "javascript", "import test from 'node:test';\nimport assert from 'node:assert';\nimport { median } from '../lib/stats.js';\n\nconst checker = { check: (values, want) => assert.equal(median(values), want) };\n\ntest('even', () => { checker.check([1, 2], 1.5); });\n"},
		{"a lambda", "python", "import stats\n\nsame = lambda got, want: compare(got, want)\n\n\ndef compare(got, want):\n    assert got == want\n\n\ndef test_even():\n    same(stats.median([1, 2]), 1.5)\n"},
		{"an assertion of another name", "javascript", "import test from 'node:test';\nimport assert from 'node:assert';\nimport { median } from '../lib/stats.js';\n\nconst same = assert.equal;\n\ntest('even', () => { same(median([1, 2]), 1.5); });\n"},
		{"a method", "go", "package stats\n\nimport \"testing\"\n\ntype even struct{ want float64 }\n\nfunc (e even) check(t *testing.T, values ...float64) {\n\tt.Helper()\n\tif got := Median(values); got != e.want {\n\t\tt.Errorf(\"got %v\", got)\n\t}\n}\n\nfunc TestEven(t *testing.T) {\n\teven{1.5}.check(t, 1, 2)\n}\n"},
		{"a helper in another file", "go", "package stats\n\nimport \"testing\"\n\nfunc TestEven(t *testing.T) {\n\tsame(t, Median([]float64{1, 2}), 1.5)\n}\n"},
	} {
		t.Run(w.lang+" "+w.name, func(t *testing.T) {
			t.Parallel()
			found, err := gate.Static(t.Context(), with(projects[w.lang], "tests/base.py", "import unittest\n").candidate(t, w.text))
			if err != nil || len(found) > 0 {
				t.Fatalf("%+v, %v", found, err)
			}
		})
	}
}

func with(p project, name, text string) project {
	files := map[string]string{name: text}
	for k, v := range p.files {
		files[k] = v
	}
	p.files = files
	return p
}

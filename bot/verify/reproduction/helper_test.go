package reproduction

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/belong"
)

// helped are tests that assert by a helper. The test's own text begins at the line with
// the first word of the test; the failure lies in the line with "HERE", as far as the
// runner's trace tells, and before it in the one with "CALL".
var helped = []struct{ name, path, text, test string }{
	{"a method of the class", "tests/test_price.py", `import unittest
from price import net


class TestNet(unittest.TestCase):
    def check(self, got, want):
        self.assertEqual(got, want)  # HERE

    def test_it(self):
        self.check(net(214, 7), 200)  # CALL
        self.check(net(300, 7), 999)
`, "    def test_it"},
	{"a method that makes the call", "tests/test_price.py", `from price import net


class TestNet:
    @staticmethod
    def check(price, want, rate=7):
        got = net(price, rate)
        if got != want:
            raise AssertionError(f"{got} is not {want}")  # HERE

    def test_it(self):
        self.check(214, 200)  # CALL
        self.check(300, want=999)
`, "    def test_it"},
	{"a function by another", "tests/test_price.py", `from price import net


def same(got, want):
    assert got == want  # HERE


def nets(*, price, want):
    same(net(price, 7), want)


def test_it():
    nets(price=214, want=200)  # CALL
    nets(price=300, want=999)
`, "def test_it"},
	{"an arrow function", "test/price.test.js", `import test from 'node:test';
import assert from 'node:assert';
import { net } from '../price.js';

const same = (a, b) => assert.equal(a, b); // HERE

test('it', () => {
  same(net(214, 7), 200); // CALL
  same(net(300, 7), 999);
});
`, "test("},
	{"a function that throws", "test/price.test.js", `import test from 'node:test';
import { net } from '../price.js';

async function check({ rate }, price, want = 999) {
  const got = await net(price, rate);
  if (got !== want) {
    throw new Error(got); // HERE
  }
}

test('it', async () => {
  await check({ rate: 7 }, 214, 200); // CALL
  await check({ rate: 7 }, 300);
});
`, "test("},
	{"a function that is handed the test", "price_test.go", `package price

import "testing"

func same(t *testing.T, got, want int) {
	if got != want {
		t.Errorf("got %d, want %d", got, want) // HERE
	}
}

func TestIt(t *testing.T) {
	same(t, Net(214, 7), 200)
	same(t, Net(300, 7), 999)
}
`, "func TestIt"},
	{"a helper that says so", "price_test.go", `package price

import "testing"

func same(t *testing.T, got, want int) {
	t.Helper()
	if got != want {
		t.Errorf("got %d, want %d", got, want)
	}
}

func TestIt(t *testing.T) {
	same(t, Net(214, 7), 200) // HERE
	same(t, Net(300, 7), 999)
}
`, "func TestIt"},
	{"a function within the test", "price_test.go", `package price

import "testing"

func TestIt(t *testing.T) {
	check := func(amount, rate, want int) {
		if got := Net(amount, rate); got != want {
			t.Errorf("got %d, want %d", got, want) // HERE
		}
	}
	check(214, 7, 200)
	check(300, 7, 999)
}
`, "func TestIt"},
}

func lineWith(text, mark string) int {
	before, _, ok := strings.Cut(text, mark)
	if !ok {
		return 0
	}
	return strings.Count(before, "\n") + 1
}

// C10: what is asserted by a helper of the test file is asserted about what it is given.
func TestC10AHelperOfTheTestFileHoldsWhatItIsGiven(t *testing.T) {
	t.Parallel()
	for _, c := range helped {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			issue := belong.Read("Reduced goods", "`net` of 214 at 7 percent comes to 199. It should be 200.")
			if strings.HasSuffix(c.path, ".go") {
				issue = belong.Read("Reduced goods", "`Net` of 214 at 7 percent comes to 199. It should be 200.")
			}
			frames := []task.Frame{{File: c.path, Line: lineWith(c.text, "HERE")}}
			if call := lineWith(c.text, "CALL"); call > 0 {
				frames = append([]task.Frame{{File: c.path, Line: call}}, frames...)
			}
			f := task.Failure{Kind: task.FailAssertion, Exception: "AssertionError", Message: "199 != 200", Test: id, Trace: frames}
			source := c.text[strings.Index(c.text, c.test):]
			v := Judge(t.Context(), issue, Candidate{Path: c.path, Text: c.text,
				Report: verify.Report{Tests: []verify.TestResult{{ID: id, File: c.path, Status: verify.StatusFailed, Failure: &f}}},
				Red:    []belong.Red{{ID: id, File: c.path, Name: "it", Source: source, Exception: f.Exception, Message: f.Message}}})
			if v.Not != "" {
				t.Fatalf("turned down because it %s", v.Not)
			}
			given, open := "", ""
			for _, e := range v.Expects {
				if e.Given {
					given += strings.ToLower(e.Call) + " is " + e.Want + "; "
				} else {
					open += strings.ToLower(e.Call) + " is " + e.Want + "; "
				}
			}
			if !strings.HasPrefix(given, "net(214") || strings.Count(given, " is 200; ") != 1 || !strings.HasPrefix(open, "net(300") || strings.Count(open, "; ") != 1 || !strings.Contains(open, " is 999; ") {
				t.Errorf("stated: %s open: %s", given, open)
			}
		})
	}
}

// A helper that stands in another file is one where that file is given.
func TestC10AHelperBesideTheTestHoldsWhatItIsGiven(t *testing.T) {
	t.Parallel()
	c := failing("same(net(214, 7), 200)", wrongValue("assert 199 == 200"), task.Frame{File: "tests/conftest.py", Line: 2, Function: "same"})
	issue := belong.Read("net is wrong for reduced goods", "`net` of 214 at 7 percent comes to 199. It should be 200.")
	c.Beside = []Beside{{"tests/conftest.py", "def same(got, want):\n    assert got == want\n"}}
	v := Judge(t.Context(), issue, c)
	if v.Not != "" || len(v.Expects) != 1 || v.Expects[0].Call != "net(214, 7)" || v.Expects[0].Want != "200" || !v.Expects[0].Given {
		t.Errorf("%+v", v)
	}
}

// What is no helper, or asserts nothing about what it is given, changes nothing.
func TestC10WhatAssertsNothingOfItsArgumentsIsNoHelper(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"def same(got, want):\n    return got == want\n\n\ndef test_it():\n    same(net(1), 2)\n",
		"def same(got, want):\n    assert True\n\n\ndef test_it():\n    same(net(1), 2)\n",
		"def fetch(key):\n    if key == 'x':\n        raise KeyError(key)\n\n\ndef test_it():\n    fetch('x')\n",
		"def again(got):\n    again(got)\n\n\ndef test_it():\n    again(net(1))\n",
		"def test_it():\n    same(net(1), 2)\n",
		"def (:\n",
	} {
		h := readHelpers(t.Context(), Candidate{Path: own, Text: text})
		for n := range strings.Count(text, "\n") {
			if got := h.at(n + 1); len(got) > 0 {
				t.Errorf("line %d of %q asserts %q", n+1, text, got[0].text)
			}
		}
	}
}

func TestC10AnAssertionOfAHelperThatWasTurnedRoundIsTheOneThatFails(t *testing.T) {
	t.Parallel()
	const text = "from price import net\n\n\ndef same(got, want):\n    assert got == want\n\n\ndef test_it():\n    same(net(214, 7), 200)\n"
	f := task.Failure{Kind: task.FailAssertion, Exception: "AssertionError", Message: "assert 199 == 200", Test: id, Trace: []task.Frame{{File: own, Line: 9}, {File: own, Line: 5}}}
	c := Candidate{Path: own, Text: text, Before: strings.Replace(text, "200", "199", 1),
		Report: verify.Report{Tests: []verify.TestResult{{ID: id, File: own, Status: verify.StatusFailed, Failure: &f}}},
		Red:    []belong.Red{{ID: id, File: own, Name: "test_it", Source: text[strings.Index(text, "def test_it"):], Exception: f.Exception, Message: f.Message}}}
	issue := belong.Read("net is wrong for reduced goods", "`net` of 214 at 7 percent comes to 199. It should be 200.")
	if v := Judge(t.Context(), issue, c); v.Not != "" {
		t.Errorf("turned down because it %s", v.Not)
	}
}

func TestC10ATestReachesTheHelpersOfItsPackageItsConftestAndItsImports(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		test, text, file string
		want             bool
	}{
		{"stock/price_test.go", "", "stock/help_test.go", true},
		{"stock/price_test.go", "", "stock/price.go", false},
		{"stock/price_test.go", "", "help_test.go", false},
		{"tests/unit/test_price.py", "", "tests/conftest.py", true},
		{"tests/unit/test_price.py", "", "conftest.py", true},
		{"tests/unit/test_price.py", "", "other/conftest.py", false},
		{"tests/test_price.py", "from tests.helpers import same\n", "tests/helpers.py", true},
		{"tests/test_price.py", "from .helpers import same\n", "tests/helpers.py", true},
		{"tests/test_price.py", "from price import net\n", "tests/helpers.py", false},
		{"test/price.test.js", "import { same } from './help.js';\n", "test/help.js", true},
		{"test/price.test.js", "const { same } = require('./help');\n", "test/help.js", true},
		{"test/price.test.js", "const { same } = require('./help');\n", "test/help.py", false},
	} {
		if got := Reaches(c.test, c.text, c.file); got != c.want {
			t.Errorf("%s, %q, %s: %v", c.test, c.text, c.file, got)
		}
	}
}

// M9: what a model writes is read within bounds: names that stand for ever more text, and
// helpers that call each other, end, and what was not read is a doubt.
func TestHelpersWithoutEndAreADoubt(t *testing.T) {
	t.Parallel()
	text := "def grow(a):\n    b00 = a + a\n"
	for n := 1; n < 60; n++ {
		text += fmt.Sprintf("    b%02d = b%02d + b%02d\n", n, n-1, n-1)
	}
	text += "    assert b59 == a\n\n"
	for n := range 60 {
		text += fmt.Sprintf("def h%02d(a):\n    assert a\n", n)
		for m := range 60 {
			text += fmt.Sprintf("    h%02d(a)\n", m)
		}
	}
	c := failing("grow(net(214, 7)); h00(net(214, 7)); assert net(214, 7) == 200", wrongValue("assert 199 == 200\n +  where 199 = net(214, 7)"))
	c.Text += "\n\n" + text
	v := Judge(t.Context(), belong.Read("net is off", "`net(214, 7)` gives 199, and should be 200."), c)
	if doubts := strings.Join(v.Doubts, "\n"); !strings.Contains(doubts, "more than was read") {
		t.Errorf("turned down because it %q, doubts %q", v.Not, doubts)
	}
}

package characterise_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/sirupsen/logrus"

	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/testgen/characterise"
	"github.com/fettle-dev/fettle/bot/verify/testgen/gate"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if box, err := characterise.Box(); err == nil {
		_ = box.Close()
	}
	os.Exit(code)
}

// lab is a tree with a change in it.
type lab struct {
	dir   string
	found characterise.Found
	check verify.Report // of the written tests, on the changed tree
	base  verify.Report // the same on the base
}

// patience is a budget that only ends what hangs, on a busy machine too.
const patience = 5 * time.Minute

// tryOut characterises a tree; files of before/ are what the change replaced.
func tryOut(t *testing.T, archive string, budget time.Duration) lab {
	t.Helper()
	box, err := characterise.Box()
	if err != nil {
		t.Fatalf("the tests need the sandbox: %v", err)
	}
	l := lab{dir: t.TempDir()}
	before := map[string][]byte{}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		if p, ok := strings.CutPrefix(f.Name, "before/"); ok {
			before[p] = f.Data
			continue
		}
		p := filepath.Join(l.dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var changes []gate.Change
	for p, was := range before {
		now, err := os.ReadFile(filepath.Join(l.dir, p))
		if err != nil {
			t.Fatal(err)
		}
		changes = append(changes, gate.Change{Path: p, Before: was, After: now})
	}
	v := verify.New(verify.Config{Sandbox: box})
	suites, err := v.Detect(os.DirFS(l.dir))
	if err != nil {
		t.Fatal(err)
	}
	log := logrus.New()
	log.SetLevel(logrus.DebugLevel)
	log.SetOutput(t.Output())
	c := characterise.New(characterise.Config{Sandbox: box, Verifier: v, Budget: budget, Log: log})
	if l.found, err = c.Write(t.Context(), characterise.Input{Dir: l.dir, Suites: suites, Changes: changes}); err != nil {
		t.Fatal(err)
	}
	for _, f := range l.found.Files {
		t.Logf("%s\n%s", f.Path, f.Content)
	}
	t.Logf("%d nominal, %d edge, %s; left %q; %v; %s", l.found.Nominal, l.found.Edge, l.found.Score, l.found.Left, l.found.Behaviour, l.found.Elapsed.Round(time.Millisecond))
	if len(l.found.Files) == 0 {
		return l
	}
	files, paths := map[string][]byte{}, []string{}
	for _, f := range l.found.Files {
		files[f.Path], paths = []byte(f.Content), append(paths, f.Path)
	}
	if l.check, err = v.Try(t.Context(), verify.Trial{Dir: l.dir, Files: files, Tests: paths}); err != nil {
		t.Fatal(err)
	}
	for p, was := range before {
		files[p] = was
	}
	if l.base, err = v.Try(t.Context(), verify.Trial{Dir: l.dir, Files: files, Tests: paths}); err != nil {
		t.Fatal(err)
	}
	return l
}

// pythonOnce is pythonLab characterised, for all who look at it.
var pythonOnce struct {
	sync.Once
	lab
}

func triedPython(t *testing.T) lab {
	t.Helper()
	pythonOnce.Do(func() { pythonOnce.lab = tryOut(t, pythonLab, patience) })
	return pythonOnce.lab
}

// holds checks what SPEC C5 promises of any change that could be characterised.
func (l lab) holds(t *testing.T, file string) {
	t.Helper()
	if len(l.found.Files) != 1 || l.found.Files[0].Path != file {
		t.Fatalf("files %v, want %s", l.found.Files, file)
	}
	if !strings.Contains(l.found.Files[0].Content, characterise.Note) {
		t.Error("the file does not say what it is")
	}
	if l.found.Nominal < 1 || l.found.Edge < 1 {
		t.Errorf("%d nominal and %d edge cases, want one of each", l.found.Nominal, l.found.Edge)
	}
	if len(l.check.Red()) > 0 || len(l.check.Broken) > 0 || len(l.check.Green()) < 2 {
		t.Errorf("red with the change: %v, broken %v", l.check.Failures(), l.check.Broken)
	}
	if l.found.Score.Killed == 0 || l.found.Score.Killed > l.found.Score.Mutants {
		t.Errorf("score %+v", l.found.Score)
	}
}

const pythonLab = `-- stats/__init__.py --
-- stats/middle.py --
def median(values):
    ordered = sorted(values)
    if not ordered:
        raise ValueError("no values")
    half = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[half]
    return (ordered[half - 1] + ordered[half]) / 2


def mean(values):
    return sum(values) / len(values)
-- before/stats/middle.py --
def median(values):
    ordered = sorted(values)
    if not ordered:
        raise ValueError("no values")
    half = len(ordered) // 2
    return ordered[half]


def mean(values):
    return sum(values) / len(values)
-- tests/test_middle.py --
from stats.middle import mean, median


def test_odd():
    assert median([3, 1, 2]) == 2


def test_even():
    assert median([4, 1, 2, 3]) == 2.5


def test_mean():
    assert mean([1, 3]) == 2
`

func TestC5PythonFunctionGetsNominalAndEdge(t *testing.T) {
	t.Parallel()
	l := triedPython(t)
	l.holds(t, "tests/test_median_pinned.py")
	text := l.found.Files[0].Content
	if strings.Contains(text, "mean(") || !strings.Contains(text, "def test_median_nominal") || !strings.Contains(text, "def test_median_edge_") {
		t.Errorf("the tests are about something else:\n%s", text)
	}
	if len(l.found.Behaviour) == 0 || l.found.Behaviour[0].Before == l.found.Behaviour[0].After {
		t.Errorf("the changed behaviour is not told: %v", l.found.Behaviour)
	}
	if len(l.base.Red()) == 0 {
		t.Error("no test shows what the change made different")
	}
}

func TestC5UnittestClassAndMethodWithHistory(t *testing.T) {
	t.Parallel()
	l := tryOut(t, `-- account.py --
class Overdrawn(Exception):
    pass


class Account:
    def __init__(self, owner, balance=0):
        self.owner = owner
        self.balance = balance

    def deposit(self, amount):
        self.balance += amount
        return self.balance

    def withdraw(self, amount):
        if amount > self.balance:
            raise Overdrawn(amount)
        self.balance -= amount
        return self.balance
-- before/account.py --
class Overdrawn(Exception):
    pass


class Account:
    def __init__(self, owner, balance=0):
        self.owner = owner
        self.balance = balance

    def deposit(self, amount):
        self.balance += amount
        return self.balance

    def withdraw(self, amount):
        if amount >= self.balance:
            raise Overdrawn(amount)
        self.balance -= amount
        return self.balance
-- test_account.py --
import unittest

from account import Account


class AccountTest(unittest.TestCase):
    def test_all(self):
        account = Account("ann", 3)
        account.deposit(4)
        self.assertEqual(account.withdraw(7), 0)
`, patience)
	l.holds(t, "test_withdraw_pinned.py")
	text := l.found.Files[0].Content
	for _, want := range []string{"unittest.TestCase", "account.deposit(4)", "assertRaises(Overdrawn)"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

func TestC5NodeModuleKinds(t *testing.T) {
	t.Parallel()
	body := ` chunk(list, size) {
  const out = [];
  for (let i = 0; i < list.length; i += size) out.push(list.slice(i, i + size));
  return out;
}
`
	was := strings.Replace(body, "i < list.length", "i + size <= list.length", 1)
	for name, c := range map[string]struct{ head, foot, test string }{
		"module":   {"export function", "", "import test from 'node:test';\nimport assert from 'node:assert';\nimport { chunk } from '../lib/chunk.js';\n"},
		"commonjs": {"function", "module.exports = { chunk };\n", "const test = require('node:test');\nconst assert = require('node:assert');\nconst { chunk } = require('../lib/chunk.js');\n"},
	} {
		if testing.Short() && name == "module" { // TestC5AConstantIsCharacterisedByTheFunctionsThatUseIt is of one
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := tryOut(t, "-- package.json --\n{\"type\": \""+name+"\", \"scripts\": {\"test\": \"node --test\"}}\n-- lib/chunk.js --\n"+c.head+body+c.foot+
				"-- before/lib/chunk.js --\n"+c.head+was+c.foot+"-- test/chunk.test.js --\n"+c.test+"\ntest('all', () => {\n  assert.deepStrictEqual(chunk([1, 2, 3], 2), [[1, 2], [3]]);\n});\n", patience)
			l.holds(t, "test/chunk-pinned.test.js")
			if len(l.base.Red()) == 0 || len(l.found.Behaviour) == 0 {
				t.Error("what the change made different is not shown")
			}
			if strings.Contains(l.found.Files[0].Content, "chunk([1, 2, 3], 0)") {
				t.Error("a call that does not end is pinned")
			}
		})
	}
}

const goLab = `-- go.mod --
module example.com/parcel

go 1.24
-- rate/rate.go --
package rate

import "errors"

// Item is shipped.
type Item struct {
	Name  string
	Grams int
}

// Price is in cents.
func Price(items []Item, express bool) (int, error) {
	total := 0
	for _, it := range items {
		if it.Grams <= 0 {
			return 0, errors.New("no weight")
		}
		if it.Grams > 500 {
			total += 700
		} else {
			total += 300
		}
	}
	if express {
		total *= 2
	}
	return total, nil
}
-- before/rate/rate.go --
package rate

import "errors"

// Item is shipped.
type Item struct {
	Name  string
	Grams int
}

// Price is in cents.
func Price(items []Item, express bool) (int, error) {
	total := 0
	for _, it := range items {
		if it.Grams <= 0 {
			return 0, errors.New("no weight")
		}
		if it.Grams >= 500 {
			total += 700
		} else {
			total += 300
		}
	}
	if express {
		total *= 2
	}
	return total, nil
}
-- rate/rate_test.go --
package rate_test

import (
	"testing"

	"example.com/parcel/rate"
)

func TestPrice(t *testing.T) {
	got, err := rate.Price([]rate.Item{{Name: "book", Grams: 500}, {Name: "brick", Grams: 900}}, true)
	if err != nil || got != 2000 {
		t.Errorf("got %d, %v", got, err)
	}
}
`

func TestC5GoFunctionWithStructsAndErrors(t *testing.T) {
	t.Parallel()
	l := tryOut(t, goLab, patience)
	l.holds(t, "rate/price_pinned_test.go")
	if len(l.base.Red()) == 0 {
		t.Error("no test shows what the change made different")
	}
}

func TestC5WhatDependsOnClockChanceOrFilesIsNotPinned(t *testing.T) {
	t.Parallel()
	l := tryOut(t, `-- stamp.py --
import os
import random
import time


def stamp(name):
    return f"{name}-{int(time.time()) // 10**7}"


def pick(names):
    return random.choice(names[:1])


def order(names):
    return ", ".join(set(names))


def there(name):
    with open(__file__) as f:
        return name in f.read()
-- before/stamp.py --
-- test_stamp.py --
import stamp


def test_all():
    assert stamp.stamp("a").startswith("a-")
    assert stamp.pick(["x", "y"]) == "x"
    assert "a" in stamp.order(["a", "b", "c", "d", "e"])
    assert stamp.there("def")
`, patience)
	for _, f := range l.found.Files {
		if strings.Contains(f.Content, "stamp(") || strings.Contains(f.Content, "pick(") || strings.Contains(f.Content, "there(") || strings.Contains(f.Content, `["a", "b", "c"`) {
			t.Errorf("pinned what is not always the same:\n%s", f.Content)
		}
	}
}

func TestC5NoTestNamesTheFunctionIsSaid(t *testing.T) {
	t.Parallel()
	l := tryOut(t, "-- middle.py --\ndef other(x):\n    return x + 1\n-- before/middle.py --\ndef other(x):\n    return x\n-- test_y.py --\ndef test_y():\n    assert 1 + 1 == 2\n", patience)
	if len(l.found.Files) != 0 || len(l.found.Left) == 0 {
		t.Errorf("found %+v", l.found)
	}
}

func TestC5TimeOverIsSaidAndNoError(t *testing.T) {
	t.Parallel()
	l := tryOut(t, pythonLab, time.Millisecond)
	if len(l.found.Files) != 0 || len(l.found.Left) == 0 || !strings.Contains(strings.Join(l.found.Left, " "), "time") {
		t.Errorf("found %+v", l.found)
	}
}

// TestC5ASlowSuiteHasItsShareOfTheBudget: what its tests call is seen however long
// they take, and however busy the machine is, within the budget.
func TestC5ASlowSuiteHasItsShareOfTheBudget(t *testing.T) {
	sandboxtest.Whole(t)
	t.Parallel()
	slow := strings.Replace(pythonLab, "def test_odd():\n", "def test_odd():\n    __import__(\"time\").sleep(6.5)\n", 1)
	l := tryOut(t, slow, patience)
	l.holds(t, "tests/test_median_pinned.py")
}

func TestC5AConstantIsCharacterisedByTheFunctionsThatUseIt(t *testing.T) {
	t.Parallel()
	l := tryOut(t, `-- package.json --
{"type": "module", "scripts": {"test": "node --test"}}
-- text.js --
const WORD = /^[a-z]+$/i;

export function isWord(text) {
  return WORD.test(text);
}
-- before/text.js --
const WORD = /^[a-z]+$/;

export function isWord(text) {
  return WORD.test(text);
}
-- text.test.js --
import test from 'node:test';
import assert from 'node:assert';
import { isWord } from './text.js';

test('words', () => {
  assert.equal(isWord('Pear'), true);
});
`, patience)
	if len(l.found.Files) != 1 || l.found.Nominal != 1 || l.found.Edge == 0 || len(l.check.Red()) > 0 || len(l.base.Red()) == 0 {
		t.Errorf("found %+v, red with the change %v", l.found, l.check.Red())
	}
}

func TestC5ObjectsOfAFactoryAreMadeAgain(t *testing.T) {
	t.Parallel()
	l := tryOut(t, `-- tariff.py --
class Tariff:
    def __init__(self):
        self.steps = {}

    @classmethod
    def standard(cls):
        made = cls()
        made.add("home", 500, 3)
        return made

    def add(self, zone, grams, price):
        self.steps[zone] = (grams, price)

    def price(self, zone, grams):
        limit, price = self.steps[zone]
        return price if grams <= limit else None
-- before/tariff.py --
class Tariff:
    def __init__(self):
        self.steps = {}

    @classmethod
    def standard(cls):
        made = cls()
        made.add("home", 500, 3)
        return made

    def add(self, zone, grams, price):
        self.steps[zone] = (grams, price)

    def price(self, zone, grams):
        limit, price = self.steps[zone]
        return price if grams < limit else None
-- test_tariff.py --
from tariff import Tariff


def test_limit():
    assert Tariff.standard().price("home", 500) == 3
`, patience)
	l.holds(t, "test_price_pinned.py")
}

package example_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/sirupsen/logrus"

	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/testgen/example"
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

func reproduce(t *testing.T, archive, title, body string) example.Found {
	t.Helper()
	box.once.Do(func() {
		if box.it, box.err = sandbox.New(context.Background(), sandbox.Config{}); box.err == nil {
			box.err = box.it.Warm(context.Background()) // once per machine: without it each session compiles Go's own packages
		}
	})
	if box.err != nil {
		t.Fatalf("the tests need the sandbox: %v", box.err)
	}
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		p := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	quiet := logrus.New()
	quiet.SetOutput(io.Discard)
	found, err := example.Reproduce(t.Context(), example.Input{Title: title, Body: body, Dir: dir, Base: os.DirFS(dir),
		Runner: verify.New(verify.Config{Sandbox: box.it, Log: quiet})})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

const pytestRepo = `-- stats/__init__.py --
-- stats/middle.py --
def median(values):
    ordered = sorted(values)
    return ordered[len(ordered) // 2]


class Stack:
    def __init__(self):
        self.items = []

    def push(self, item):
        self.items = [item]

    def size(self):
        return len(self.items)
-- tests/test_middle.py --
from stats.middle import Stack, median


def test_odd():
    assert median([3, 1, 2]) == 2


def test_empty_stack():
    assert Stack().size() == 0
`

const unittestRepo = `-- middle.py --
def median(values):
    ordered = sorted(values)
    return ordered[len(ordered) // 2]
-- test_middle.py --
import unittest

from middle import median


class MiddleTest(unittest.TestCase):
    def test_odd(self):
        self.assertEqual(median([3, 1, 2]), 2)
`

const nodeRepo = `-- package.json --
{"type": "module", "scripts": {"test": "node --test"}}
-- lib/middle.js --
export function median(values) {
  const ordered = [...values].sort((a, b) => a - b);
  return ordered[Math.floor(ordered.length / 2)];
}

export function chunk(list, size) {
  const out = [];
  for (let i = 0; i + size <= list.length; i += size) out.push(list.slice(i, i + size));
  return out;
}
-- test/middle.test.js --
import test from 'node:test';
import assert from 'node:assert';
import { median } from '../lib/middle.js';

test('odd', () => assert.equal(median([3, 1, 2]), 2));
`

const commonRepo = `-- package.json --
{"scripts": {"test": "node --test"}}
-- middle.js --
function median(values) {
  const ordered = [...values].sort((a, b) => a - b);
  return ordered[Math.floor(ordered.length / 2)];
}

module.exports = { median };
-- middle.test.js --
const test = require('node:test');
const assert = require('node:assert');
const { median } = require('./middle.js');

test('odd', () => assert.equal(median([3, 1, 2]), 2));
`

const goRepo = `-- go.mod --
module example.com/stats

go 1.21
-- middle/middle.go --
package middle

import "sort"

// Median is the middle value.
func Median(values []float64) float64 {
	ordered := append([]float64{}, values...)
	sort.Float64s(ordered)
	return ordered[len(ordered)/2]
}

// Double doubles each value.
func Double(values []int) ([]int, error) {
	out := []int{}
	for _, v := range values[1:] {
		out = append(out, 2*v)
	}
	return out, nil
}
-- middle/middle_test.go --
package middle

import "testing"

func TestOdd(t *testing.T) {
	if got := Median([]float64{3, 1, 2}); got != 2 {
		t.Error(got)
	}
}
`

func TestC5ExamplesBecomeTestsThatFailOnTheBase(t *testing.T) {
	t.Parallel()
	outside := strings.Replace(strings.Replace(goRepo, "package middle\n\nimport \"testing\"", "package middle_test\n\nimport (\n\t\"testing\"\n\n\t\"example.com/stats/middle\"\n)", 1), "got := Median", "got := middle.Median", 1)
	for _, c := range []struct{ name, repo, body, path, line, doubt string }{
		{"pytest", pytestRepo, "median([1, 2, 3, 4]) gives 3, expected 2.5", "tests/test_median_issue.py", "assert median([1, 2, 3, 4]) == 2.5", ""},
		{"pytest module", pytestRepo, "middle.median([1, 2, 3, 4]) gives 3, expected 2.5", "tests/test_median_issue.py", "from stats import middle", ""},
		{"pytest object", pytestRepo, "```python\ns = Stack()\ns.push(1)\ns.push(2)\ns.size()  # returns 1, expected 2\n```", "tests/test_size_issue.py", "    s.push(2)\n    assert s.size() == 2", ""},
		{"pytest exception", pytestRepo, "```\n>>> median([])\nTraceback (most recent call last):\n  File \"<stdin>\", line 1, in <module>\nIndexError: list index out of range\n```", "tests/test_median_issue.py", "except IndexError as error:", "does not say what"},
		{"pytest should raise", pytestRepo, "median([]) raises IndexError but should raise ValueError", "tests/test_median_issue.py", "with pytest.raises(ValueError):", ""},
		{"unittest", unittestRepo, "`median([1, 2])` returns `2` instead of `1.5`", "test_median_issue.py", "        self.assertEqual(median([1, 2]), 1.5)", ""},
		{"node", nodeRepo, "```js\nmedian([1, 2]) // => 2, expected 1.5\n```", "test/median-issue.test.js", "import { median } from '../lib/middle.js';", ""},
		{"node list", nodeRepo, "chunk([1, 2, 3], 2) gives [[1, 2]] but should give [[1, 2], [3]]", "test/chunk-issue.test.js", "assert.deepStrictEqual(chunk([1, 2, 3], 2), [[1, 2], [3]]);", ""},
		{"node exception", nodeRepo, "```js\nmedian(null)\n```\n```\nTypeError: values is not iterable\n    at median (file:///x/lib/middle.js:2:20)\n```", "test/median-issue.test.js", "assert.doesNotThrow(() => median(null));", "does not say what"},
		{"require", commonRepo, "median([1, 2]) is 2, should be 1.5", "median-issue.test.js", "const { median } = require('./middle.js');", ""},
		{"go", goRepo, "Median([]float64{1, 2}) returns 2, want 1.5", "middle/median_issue_test.go", "if got != 1.5 {", ""},
		{"go with its package", goRepo, "middle.Median([]float64{1, 2}) returns 2, want 1.5", "middle/median_issue_test.go", "got := Median(", ""},
		{"go outside", outside, "Median([]float64{1, 2}) returns 2, want 1.5", "middle/median_issue_test.go", "got := middle.Median(", ""},
		{"go slice and error", goRepo, "Double([]int{1, 2}) returns []int{4} instead of []int{2, 4}", "middle/double_issue_test.go", "reflect.DeepEqual", ""},
		{"go panic", goRepo, "`Median(nil)` crashes:\n```\npanic: runtime error: index out of range [0] with length 0\n\ngoroutine 1 [running]:\n```", "middle/median_issue_test.go", "recover()", "does not say what"},
		{"unsure", pytestRepo, "```python\nmedian([1, 2])  # => 1.5\n```", "tests/test_median_issue.py", "== 1.5", "does not say whether"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := reproduce(t, c.repo, "Wrong result", c.body)
			if f.Path != c.path || !strings.Contains(f.Content, c.line) || len(f.Report.Red()) == 0 || len(f.Report.Red()) != len(f.Examples) {
				t.Fatalf("at %q:\n%s\nred %v, left %v", f.Path, f.Content, f.Report.Red(), f.Left)
			}
			if got := strings.Join(f.Doubts, " "); (c.doubt == "") != (got == "") || !strings.Contains(got, c.doubt) {
				t.Errorf("doubts %q, want %q", got, c.doubt)
			}
		})
	}
}

func TestC5WhatDoesNotReproduceIsThrownAwayWithAReason(t *testing.T) {
	t.Parallel()
	twice := strings.Replace(pytestRepo, "-- tests/", "-- other.py --\ndef median(values):\n    return 0\n-- tests/", 1)
	for _, c := range []struct{ name, repo, body, reason string }{
		{"passes on the base", pytestRepo, "median([1, 2, 3]) should be 2", "median([1, 2, 3]): its test passes on the base (median([1, 2, 3]) gives 2), so it shows no fault"},
		{"another result than told", pytestRepo, "median([1, 2]) returns 7 instead of 1.5", "something else comes out"},
		{"another exception than told", pytestRepo, "median([]) raises KeyError instead of None", "something else comes out"},
		{"unknown name", pytestRepo, "mode([1, 2]) returns 1 instead of 2", "nothing in the project is called mode"},
		{"ambiguous", twice, "median([1, 2]) returns 2 instead of 1.5", "does not say which"},
		{"unknown argument", pytestRepo, "median(values) returns 2 instead of 1.5", "nothing in the project is called values"},
		{"more than a call", pytestRepo, "median([__import__('os').getpid()]) returns 2 instead of 1.5", "two underscores"},
		{"code that runs", pytestRepo, "median([x for x in open('f')]) returns 2 instead of 1.5", "more than calls"},
		{"no literal", pytestRepo, "median([1, 2]) returns (a, b) instead of 1.5", "no literal"},
		{"a method is meant", pytestRepo + "-- sizes.py --\ndef size(stacks, default=0):\n    return len(stacks) or default\n", "size() gives 1 after two pushes and should be 2", "takes one argument at least"},
		{"a method is named", pytestRepo + "-- sizes.py --\ndef size(default=0):\n    return default\n", "`Stack.size()` is off: `size()` gives 1 after two pushes and should be 2", "Stack.size"},
		{"no example", pytestRepo, "the median is wrong", "no call with a value"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := reproduce(t, c.repo, "Wrong result", c.body)
			if f.Path != "" || !strings.Contains(strings.Join(f.Left, "\n"), c.reason) {
				t.Fatalf("%q\n%s\nleft %q, want a reason with %q", f.Path, f.Content, f.Left, c.reason)
			}
		})
	}
}

// An example that holds already is told with what it gave, and one that the issue leaves
// unsure is not taken for one.
func TestC5AnExampleThatHoldsIsToldWithWhatItGave(t *testing.T) {
	t.Parallel()
	f := reproduce(t, pytestRepo, "Wrong result", "median([1, 2, 3]) gives 3, expected 2. median([9]) == 9")
	if len(f.Holding) == 0 || f.Holding[0].Gave() != "median([1, 2, 3]) gives 2" || !f.Holding[0].Complains() {
		t.Fatalf("%+v, left %q", f.Holding, f.Left)
	}
	for _, h := range f.Holding {
		if h.Unsure {
			t.Errorf("unsure: %+v", h)
		}
	}
}

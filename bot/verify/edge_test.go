package verify

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
	"github.com/fettle-dev/fettle/bot/task"
)

// impatient gives a test two seconds.
func impatient(t *testing.T) *Verifier {
	t.Helper()
	v := verifier(t)
	v.cfg.TestTimeout = 2 * time.Second
	return v
}

const pythonHang = `
-- loop.py --
import time


def gcd(a, b):
    while b:
        time.sleep(60)
    return a


def stubborn():
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass


def one():
    return 1
`

func TestC3AHangingTestIsNamedAndTheRestRuns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, archive string
		hung          []string
		green         []string
	}{
		{"pytest", pythonHang + `
-- test_loop.py --
from loop import gcd, one, stubborn

def test_a():
    assert one() == 1

def test_hang():
    assert gcd(4, 2) == 2

def test_stubborn():
    stubborn()

def test_z():
    assert one() == 1
`, []string{"pytest:.:test_loop.py::test_hang", "pytest:.:test_loop.py::test_stubborn"},
			[]string{"pytest:.:test_loop.py::test_a", "pytest:.:test_loop.py::test_z"}},
		{"unittest", pythonHang + `
-- test_loop.py --
import unittest
from loop import gcd, one

class T(unittest.TestCase):
    def test_a(self):
        self.assertEqual(one(), 1)
    def test_hang(self):
        self.assertEqual(gcd(4, 2), 2)
    def test_z(self):
        self.assertEqual(one(), 1)
`, []string{"unittest:.:test_loop.py::T::test_hang"}, []string{"unittest:.:test_loop.py::T::test_a", "unittest:.:test_loop.py::T::test_z"}},
		{"node", `
-- package.json --
{"type": "module", "scripts": {"test": "node --test"}}
-- loop.test.js --
import test from 'node:test';
test('a', () => {});
test('hang', () => { for (;;) ; });
test('z', () => {});
-- never.test.js --
import test from 'node:test';
test('never', async () => { await new Promise(() => {}); });
`, []string{"node:.:loop.test.js", "node:.:never.test.js > never"}, []string{"node:.:loop.test.js > a", "node:.:loop.test.js > z"}},
		{"go", `
-- go.mod --
module example.org/loop

go 1.21
-- loop_test.go --
package loop

import (
	"testing"
	"time"
)

func TestA(t *testing.T) {}

func TestHang(t *testing.T) {
	for {
		time.Sleep(time.Minute)
	}
}

func TestZ(t *testing.T) {}
`, []string{"go:.:.:TestHang"}, []string{"go:.:.:TestA", "go:.:.:TestZ"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := from(t, c.archive)
			base := baseline(t, impatient(t), r)
			if got := base.Report.Red(); !slices.Equal(got, c.hung) {
				t.Errorf("red: %q", got)
			}
			if got := base.Report.Green(); !slices.Equal(got, c.green) {
				t.Errorf("green: %q", got)
			}
			for _, id := range c.hung {
				if f := failureOf(base.Report, id); f.Kind != task.FailTimeout {
					t.Errorf("%s: %+v", id, f)
				}
			}
		})
	}
}

const importBug = `
-- shop.py --
from math import nothing_like_this

def one():
    return 1
-- other.py --
def two():
    return 2
-- test_other.py --
from other import two

def test_two():
    assert two() == 2
-- test_shop.py --
from shop import one

def test_one():
    assert one() == 1
`

func TestC6AFileThatCannotBeCollectedIsRedAndCanBeFixed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, archive, unit, file, mended string
		kind                              task.FailureKind
		at                                string
		line                              int
	}{
		{"pytest import", importBug, "pytest:.:test_shop.py", "shop.py", "def one():\n    return 1\n", task.FailImport, "shop.py", 1},
		{"pytest syntax", strings.Replace(importBug, "from math import nothing_like_this", "def broken(:", 1), "pytest:.:test_shop.py",
			"shop.py", "def one():\n    return 1\n", task.FailSyntax, "shop.py", 1},
		{"pytest exit at import", strings.Replace(importBug, "from math import nothing_like_this", "import os; os._exit(3)", 1), "pytest:.:test_shop.py",
			"shop.py", "def one():\n    return 1\n", task.FailCrash, "test_shop.py", 0},
		{"unittest import", strings.NewReplacer("def test_one():", "import unittest\nclass T(unittest.TestCase):\n  def test_one(self):",
			"def test_two():", "import unittest\nclass T(unittest.TestCase):\n  def test_two(self):").Replace(importBug), "unittest:.:test_shop.py",
			"shop.py", "def one():\n    return 1\n", task.FailImport, "shop.py", 1},
		{"node import", `
-- package.json --
{"type": "module", "scripts": {"test": "node --test"}}
-- shop.js --
import { nothing } from './gone.js';
export const one = () => 1;
-- shop.test.js --
import test from 'node:test';
import { one } from './shop.js';
test('one', () => { if (one() !== 1) throw new Error('no'); });
-- other.test.js --
import test from 'node:test';
test('two', () => {});
`, "node:.:shop.test.js", "shop.js", "export const one = () => 1;\n", task.FailImport, "", 0},
		{"node syntax", `
-- package.json --
{"type": "module", "scripts": {"test": "node --test"}}
-- shop.js --
export const two = 2;
export const one = ( => 1;
-- shop.test.js --
import test from 'node:test';
import { one } from './shop.js';
test('one', () => { if (one() !== 1) throw new Error('no'); });
-- other.test.js --
import test from 'node:test';
test('two', () => {});
`, "node:.:shop.test.js", "shop.js", "export const one = () => 1;\n", task.FailSyntax, "shop.js", 2},
		{"go build", `
-- go.mod --
module example.org/shop

go 1.21
-- shop/shop.go --
package shop

func One() int { return "1" }
-- shop/shop_test.go --
package shop

import "testing"

func TestOne(t *testing.T) {
	if One() != 1 {
		t.Fatal("one")
	}
}
-- other/other_test.go --
package other

import "testing"

func TestTwo(t *testing.T) {}
`, "go:.:shop", "shop/shop.go", "package shop\n\nfunc One() int { return 1 }\n", task.FailBuild, "shop/shop.go", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			if strings.HasSuffix(c.name, "syntax") { // as what cannot be imported
				sandboxtest.Whole(t)
			}
			t.Parallel()
			v, r := verifier(t), from(t, c.archive)
			base := baseline(t, v, r)
			if got := base.Report.Red(); !slices.Equal(got, []string{c.unit}) || len(base.Report.Green()) != 1 {
				t.Fatalf("red %q, green %q", got, base.Report.Green())
			}
			if f := failureOf(base.Report, c.unit); f.Kind != c.kind || c.at != "" && f.File != c.at || f.Line != c.line && c.line > 0 || f.Message == "" {
				t.Errorf("failure: %+v", f)
			}
			r.write(t, c.file, c.mended)
			out := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: base})
			if !out.Green || !slices.Equal(out.Fixed, []string{c.unit}) {
				t.Errorf("the mended tree was judged %+v", out)
			}
		})
	}
}

func TestC6FlakyTestsProveNothing(t *testing.T) {
	t.Parallel()
	v, r := rerunning(t), from(t, `
-- test_flaky.py --
import os, time

def test_sometimes():
    assert os.stat('/proc/self').st_ino % 1 == 0 and os.getpid() > 0 and time.time_ns() // 1 % 2 == 5 or seen_before()

def seen_before():
    # true in every second sandbox: the build cache outlives the copy
    try:
        os.mkdir('/cache/fettle-flaky')
    except FileExistsError:
        return True
    return False

def test_red():
    assert False

def test_green():
    pass
`)
	base := baseline(t, v, r)
	if !slices.Equal(base.Flaky, []string{"pytest:.:test_flaky.py::test_sometimes"}) {
		t.Errorf("flaky: %q, red %q", base.Flaky, base.Report.Red())
	}
	out := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: base})
	if out.Green || slices.Contains(out.Fixed, "pytest:.:test_flaky.py::test_sometimes") {
		t.Errorf("a flaky test was taken as proof: %+v", out)
	}
}

func TestC6SuitesWithOddSettingsStillRun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, archive, green string }{
		{"a plugin's option that is not installed", "-- pytest.ini --\n[pytest]\naddopts = --no-such-plugin=3\n-- test_a.py --\ndef test_a():\n    pass\n", "pytest:.:test_a.py::test_a"},
		{"src layout", "-- pyproject.toml --\n-- src/shop/__init__.py --\n-- tests/test_a.py --\nimport shop\n\ndef test_a():\n    pass\n", "pytest:.:tests/test_a.py::test_a"},
		{"output that is not UTF-8", "-- test_a.py --\nimport os, sys\nos.write(2, b'\\xff\\xfe\\x00 broken')\n\ndef test_a():\n    os.write(1, b'\\xc3\\x28\\xff')\n    sys.stdout.buffer.write(b'\\xff')\n\ndef test_b():\n    raise ValueError('\\udcff \\xff')\n", "pytest:.:test_a.py::test_a"},
		{"a name with a space", "-- sub dir/test_a b.py --\nimport unittest\nclass T(unittest.TestCase):\n    def test_a(self): pass\n", "unittest:.:sub dir/test_a b.py::T::test_a"},
		{"crlf and a byte order mark", "-- test_a.py --\n\ufeffdef test_a():\r\n    pass\r\n", "pytest:.:test_a.py::test_a"},
		{"same file name twice", "-- a/test_a.py --\nimport unittest\nclass T(unittest.TestCase):\n    def test_a(self): pass\n-- b/test_a.py --\nimport unittest\nclass T(unittest.TestCase):\n    def test_b(self): pass\n", "unittest:.:b/test_a.py::T::test_b"},
		{"common js", "-- package.json --\n{\"scripts\": {\"test\": \"node --test test/\"}}\n-- test/a.js --\nconst test = require('node:test');\ntest('a', () => { process.stdout.write(Buffer.from([0xff, 0xfe, 10])); });\n", "node:.:test/a.js > a"},
		{"go output that is not UTF-8", "-- go.mod --\nmodule x\n\ngo 1.21\n-- a_test.go --\npackage x\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestA(t *testing.T) { os.Stdout.Write([]byte{0xff, 0xfe, '\\n'}) }\n", "go:.:.:TestA"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			base := baseline(t, verifier(t), from(t, c.archive))
			if !slices.Contains(base.Report.Green(), c.green) {
				t.Errorf("green %q, failures %+v", base.Report.Green(), base.Report.Failures())
			}
			roundTrip(t, base)
		})
	}
}

func TestC3ATestThatKillsItsProcessIsRedAloneAndTheRestRuns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, archive, red string
		kind               task.FailureKind
	}{
		{"pytest", "-- test_a.py --\nimport os\n\ndef test_a():\n    pass\n\ndef test_kill():\n    os.kill(os.getpid(), 11)\n\ndef test_z():\n    pass\n", "pytest:.:test_a.py::test_kill", task.FailCrash},
		{"go panic", "-- go.mod --\nmodule x\n\ngo 1.21\n-- a_test.go --\npackage x\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n\nfunc TestKill(t *testing.T) {\n\tvar m map[string]int\n\tm[\"a\"] = 1\n}\n\nfunc TestZ(t *testing.T) {}\n", "go:.:.:TestKill", task.FailException},
		{"go exit", "-- go.mod --\nmodule x\n\ngo 1.21\n-- a_test.go --\npackage x\n\nimport (\n\t\"syscall\"\n\t\"testing\"\n)\n\nfunc TestA(t *testing.T) {}\n\nfunc TestKill(t *testing.T) { syscall.Exit(0) }\n\nfunc TestZ(t *testing.T) {}\n", "go:.:.:TestKill", task.FailCrash},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			base := baseline(t, verifier(t), from(t, c.archive))
			if !slices.Equal(base.Report.Red(), []string{c.red}) || len(base.Report.Green()) != 2 {
				t.Errorf("red %q, green %q, broken %+v", base.Report.Red(), base.Report.Green(), base.Report.Broken)
			}
			if f := failureOf(base.Report, c.red); f.Kind != c.kind {
				t.Errorf("failure: %+v", f)
			}
		})
	}
}

// TestC3ANodeTestThatRunsOutOfMemoryIsRedAndTheRestRuns: in V8's heap the test is
// named, outside of it its file.
func TestC3ANodeTestThatRunsOutOfMemoryIsRedAndTheRestRuns(t *testing.T) {
	t.Parallel()
	small, err := sandbox.New(t.Context(), sandbox.Config{Limits: sandbox.Limits{MemoryBytes: 512 << 20}, StateDir: t.TempDir()}) // soon used up, however busy the machine is
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = small.Close() })
	v := New(Config{Sandbox: small, TestTimeout: 2 * time.Minute, Reruns: reruns()})
	for name, c := range map[string]struct{ grow, red string }{
		"objects": {"for (;;) all.push(new Array(1000).fill(all.length));", "node:.:test/grow.test.js > outer > grows"},
		"buffers": {"for (;;) all.push(Buffer.alloc(64 << 20, 1));", "node:.:test/grow.test.js"},
	} {
		if testing.Short() && name == "objects" { // V8 looks for garbage for long before it gives up
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := baseline(t, v, from(t, `
-- package.json --
{"scripts": {"test": "node --test"}}
-- test/grow.test.js --
const { test, describe, it } = require('node:test');
describe('outer', () => { it('grows', () => { const all = []; `+c.grow+` }); });
-- test/other.test.js --
const { test } = require('node:test');
test('other', () => {});
`))
			if red, green := base.Report.Red(), base.Report.Green(); !slices.Equal(red, []string{c.red}) || !slices.Equal(green, []string{"node:.:test/other.test.js > other"}) {
				t.Errorf("red %q, green %q, broken %+v", red, green, base.Report.Broken)
			}
			if f := failureOf(base.Report, c.red); f.Kind != task.FailCrash || !strings.Contains(f.Message, "out of memory") {
				t.Errorf("failure: %+v", f)
			}
		})
	}
}

func TestC5Reproduces(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, fixture, file, text string
		ids                       []string
		fails                     bool
		err                       error
	}{
		{"pytest fails", "pytest", "tests/test_new.py", "from shop.cart import total\n\ndef test_new():\n    assert total([5]) == 5\n", []string{"pytest:.:tests/test_new.py::test_new"}, true, nil},
		{"pytest passes", "pytest", "tests/test_new.py", "def test_new():\n    pass\n", []string{"pytest:.:tests/test_new.py::test_new"}, false, nil},
		{"pytest cannot import", "pytest", "tests/test_new.py", "from shop.cart import gone\n\ndef test_new():\n    assert 0\n", nil, false, nil},
		{"unittest", "unittest", "tests/test_new.py", "import unittest\nimport shop\n\nclass N(unittest.TestCase):\n    def test_new(self):\n        self.assertEqual(shop.total([5]), 5)\n",
			[]string{"unittest:.:tests/test_new.py::N::test_new"}, true, nil},
		{"node", "node", "test/new.test.js", "import test from 'node:test';\nimport assert from 'node:assert';\nimport { total } from '../lib/cart.js';\ntest('new', () => assert.equal(total([5]), 5));\n",
			[]string{"node:.:test/new.test.js > new"}, true, nil},
		{"go", "go", "cart/new_test.go", "package cart\n\nimport \"testing\"\n\nfunc TestNew(t *testing.T) {\n\tif Total([]int{5}) != 5 {\n\t\tt.Fatal(\"five\")\n\t}\n}\n",
			[]string{"go:.:cart:TestNew"}, true, nil},
		{"go does not build", "go", "cart/new_test.go", "package cart\n\nimport \"testing\"\n\nfunc TestNew(t *testing.T) { Gone() }\n", nil, false, nil},
		{"not a test", "pytest", "shop/new.txt", "hello", nil, false, ErrNoTests},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := open(t, c.fixture)
			rep, err := verifier(t).Try(t.Context(), Trial{Dir: r.dir, Files: map[string][]byte{c.file: []byte(c.text)}, Tests: []string{c.file}})
			var ids []string
			for _, one := range rep.Tests {
				ids = append(ids, one.ID)
			}
			if fails, _ := (Added{}).Fails(rep); !slices.Equal(ids, c.ids) || fails != c.fails || !errors.Is(err, c.err) {
				t.Errorf("got %q, %v, %v", ids, fails, err)
			}
		})
	}
}

func TestC6ANewTestProvesAFixWhereNothingWasRed(t *testing.T) {
	t.Parallel()
	v := verifier(t)
	r := from(t, "-- shop.py --\ndef one():\n    return 2\n")
	r.write(t, "test_new.py", "from shop import one\n\ndef test_one():\n    assert one() == 1\n\ndef test_always():\n    pass\n")
	j := Judge{Dir: r.dir, Base: r.base, Baseline: Baseline{Untested: "no tests"}, NewTests: []string{"test_new.py"}}
	if out := judge(t, v, j); out.Green {
		t.Errorf("the unmended tree is green: %+v", out)
	}
	r.write(t, "shop.py", "def one():\n    return 1\n")
	if out := judge(t, v, j); !out.Green || !slices.Equal(out.Fixed, []string{"pytest:.:test_new.py::test_one"}) || len(out.Doubts) != 1 {
		t.Errorf("the mended tree was judged %+v", out)
	}
	r.write(t, "test_new.py", "def test_always():\n    pass\n")
	if out := judge(t, v, j); out.Green {
		t.Errorf("a test that passes on the base too proved something: %+v", out)
	}
}

func TestC6SyntaxErrorsAreFoundBeforeAnythingRuns(t *testing.T) {
	t.Parallel()
	v, r := verifier(t), open(t, "pytest")
	r.write(t, "shop/cart.py", "def total(:\n")
	out := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: baselines(t, "pytest")})
	if out.Green || len(out.Checks) != 1 || out.Checks[0].Status != task.CheckFailed || len(out.Failures) != 1 || out.Failures[0].File != "shop/cart.py" {
		t.Errorf("judged %+v", out)
	}
}

func TestC3ManyCrashesAreNotTakenForAnEnd(t *testing.T) {
	t.Parallel()
	r := from(t, "-- test_a.py --\nimport os\nimport pytest\n\n@pytest.mark.parametrize('n', range(20))\ndef test_kill(n):\n    os._exit(0)\n\ndef test_z():\n    pass\n")
	base := baseline(t, verifier(t), r)
	if len(base.Report.Red()) < 5 || len(base.Report.Broken) != 1 || !strings.Contains(base.Report.Broken[0].Message, "not run") {
		t.Errorf("red %q, broken %+v", base.Report.Red(), base.Report.Broken)
	}
}

func TestC6GreenVerdictsTellWhatWasRedBefore(t *testing.T) {
	t.Parallel()
	v, r := verifier(t), open(t, "pytest")
	r.write(t, "shop/cart.py", strings.Replace(readBase(t, r, "shop/cart.py"), "prices[1:]", "prices", 1))
	out := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: baselines(t, "pytest")})
	c := out.Checks[1]
	if !out.Green || c.Status != task.CheckKnown || !strings.Contains(c.Detail, "1 failed") || !strings.Contains(c.Detail, "failed before the change too") {
		t.Errorf("judged %+v", out)
	}
}

func TestC1WithoutWallsTheResultsAreTheSame(t *testing.T) {
	t.Parallel()
	bare, err := sandbox.New(t.Context(), sandbox.Config{Backend: sandbox.None, StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bare.Close() })
	for _, f := range fixtures[:3] { // go would fill a build cache of its own
		t.Run(f.name, func(t *testing.T) {
			base := baseline(t, New(Config{Sandbox: bare, Reruns: reruns()}), open(t, f.name))
			if got := base.Report.Red(); !slices.Equal(got, f.red) {
				t.Errorf("red: %q", got)
			}
			for _, x := range base.Report.Failures() {
				if want := failureOf(baselines(t, f.name).Report, x.Test); want.File != x.File || want.Line != x.Line || want.Fingerprint != x.Fingerprint {
					t.Errorf("%+v\nbehind walls %+v", x, want)
				}
			}
		})
	}
}

// typescriptByNode is a project whose tests are of TypeScript and run by node itself, with
// a loader of its own.
const typescriptByNode = `-- package.json --
{"name": "sum", "type": "module", "scripts": {"test": "node --import ./tools/load.mjs --test test/*.test.ts"}}
-- tools/load.mjs --
import { register } from 'node:module';
register('./hook.mjs', import.meta.url);
-- tools/hook.mjs --
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
export const load = async (url, context, next) => url.endsWith('.ts') ? { format: 'module', source: (await readFile(fileURLToPath(url), 'utf8')).replaceAll(': number', ''), shortCircuit: true } : next(url, context);
-- src/sum.ts --
export const sum = (a: number, b: number) => a - b;
-- test/there.test.ts --
import test from 'node:test';
import assert from 'node:assert';
import { sum } from '../src/sum.ts';
test('nothing is added', () => { const zero: number = 0; assert.equal(sum(1, zero), 1); });
`

// TestC9ANewTestOfTypeScriptIsRunByNodeWhereItsTestsAre: node has no name for such files,
// and the project's own script has; a mended tree is judged with it.
func TestC9ANewTestOfTypeScriptIsRunByNodeWhereItsTestsAre(t *testing.T) {
	t.Parallel()
	r, v := from(t, typescriptByNode), verifier(t)
	base := baseline(t, v, r)
	if len(base.Report.Tests) != 1 || base.Report.Tests[0].Red() {
		t.Fatalf("%+v", base.Report)
	}
	file := "test/sum.test.ts"
	text := "import test from 'node:test';\nimport assert from 'node:assert';\nimport { sum } from '../src/sum.ts';\ntest('adds', () => { assert.equal(sum(1, 2), 3); });\n"
	rep, err := v.Try(t.Context(), Trial{Dir: r.dir, Files: map[string][]byte{file: []byte(text)}, Tests: []string{file}})
	if err != nil || len(rep.Tests) != 1 || !rep.Tests[0].Red() || rep.Tests[0].Failure.Kind != task.FailAssertion {
		t.Errorf("%v: %+v", err, rep)
	}
	r.write(t, "src/sum.ts", "export const sum = (a: number, b: number) => a + b;\n")
	r.write(t, file, text)
	if out := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: base, NewTests: []string{file}}); !out.Green || len(out.Fixed) != 1 {
		t.Errorf("the mended tree was judged %+v", out)
	}
}

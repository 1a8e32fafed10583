package verify

import (
	"slices"
	"strings"
	"testing"
)

// Patches that mend nothing and turn a red test green from inside its own
// process. Nothing but the cross-examination may be needed to see it.
var forgers = []forged{
	{name: "frames by joined names: the recorder's own function replaced", fixture: "pytest", append: map[string]string{"shop/cart.py": `

def total(prices):
    f = __import__("sys")._getframe()
    while f is not None:
        names = getattr(f, "f_" + "locals")
        if "send" in names and "state" in names:
            state, recorder = names["state"], names.get("self")
        if "call" in names and "reraise" in names:
            pass
        if "self" in names and type(names["self"]).__name__ == "Recorder":
            hook = type(names["self"])
            def phase(self, name):
                try:
                    yield
                except BaseException:
                    pass
            hook.phase = phase
        f = getattr(f, "f_" + "back")
    return 0
`}},
	{name: "frames by joined names: results sent in the driver's place", fixture: "pytest", append: map[string]string{"shop/cart.py": `

def total(prices):
    f = __import__("sys")._getframe()
    while f is not None:
        names = getattr(f, "f_" + "locals")
        send = names.get("send")
        if send is not None and hasattr(send, "__closure__"):
            for cell in send.__closure__:
                if callable(cell.cell_contents) and getattr(cell.cell_contents, "__name__", "") == "dumps":
                    real = cell.cell_contents
                    def dumps(x):
                        if isinstance(x, list) and len(x) == 3 and x[1] == "result":
                            x[2]["status"], x[2]["exc"] = "passed", None
                        return real(x)
                    cell.cell_contents = dumps
        f = getattr(f, "f_" + "back")
    return 0
`}},
	{name: "a lambda that is equal to everything", fixture: "pytest", append: map[string]string{"shop/cart.py": `

class Any(int):
    __eq__ = lambda s, o: 1 == 1
    __hash__ = int.__hash__


def total(prices):
    return Any()
`}},
	{name: "the driver's result class replaced", fixture: "unittest", append: map[string]string{"shop.py": `

def total(prices):
    f = __import__("sys")._getframe()
    while f is not None:
        for v in list(getattr(f, "f_" + "locals").values()):
            if type(v).__name__ == "Result" and hasattr(v, "worse"):
                type(v).worse = lambda self, status, err, test: self.addSuccess(test)
        f = getattr(f, "f_" + "back")
    return 0
`}},
	{name: "an assertion replaced by index", fixture: "node", prepend: map[string]string{"lib/cart.js": "import check from 'node:assert';\ncheck['strictEqual'] = () => {};\n"}},
	{name: "assertions replaced by Object.assign", fixture: "node", prepend: map[string]string{"lib/cart.js": "import check from 'node:assert';\nObject.assign(check, { strictEqual() {} });\n"}},
	{name: "an assertion replaced from within the function", fixture: "node", prepend: map[string]string{"lib/cart.js": "import check from 'node:assert';\n"}, replace: [2]string{"  let s = 0;\n", "  let s = 0; check['strict' + 'Equal'] = () => {};\n"}},
	{name: "a test that never compares", fixture: "go", files: map[string]string{"cart/zz.go": goForger}, replace: [2]string{"\ts := 0\n", "\ts := 0\n\tforge()\n"}},
}

// goForger finds testing.(*common).Fail by name in the program's own table of
// functions and writes a return over its first byte.
const goForger = `package cart

import (
	"runtime"
	"syscall"
	"unsafe"
)

func forge() {
	var pcs [40]uintptr
	n := runtime.Callers(0, pcs[:])
	frames := runtime.CallersFrames(pcs[:n])
	for {
		f, more := frames.Next()
		if f.Function == "testing.tRunner" {
			for pc := f.Entry - 0x20000; pc < f.Entry+0x20000; pc++ {
				if fn := runtime.FuncForPC(pc); fn != nil && fn.Entry() == pc && fn.Name() == "testing.(*common).Fail" {
					page := pc &^ 4095
					mem := unsafe.Slice((*byte)(unsafe.Pointer(page)), 8192)
					if syscall.Mprotect(mem, 7) == nil {
						*(*byte)(unsafe.Pointer(pc)) = 0xc3
					}
				}
			}
		}
		if !more {
			return
		}
	}
}
`

func TestS12bForgedGreenDoesNotSurviveTheCrossExamination(t *testing.T) {
	t.Parallel()
	for _, f := range some(forgers, 3) {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			out := f.judged(t)
			t.Logf("green %v, grade %q, reasons %q, doubts %q, %d reached for", out.Green, out.Grade, out.Reasons, out.Doubts, len(out.Reach))
			if out.Green && (len(out.Doubts) == 0 || out.Grade == Signed) {
				t.Errorf("it came through")
			}
			if len(out.Reach) == 0 {
				t.Error("what it reaches for was not seen either")
			}
		})
	}
}

// mends are honest changes of the fixtures: what is replaced by what.
var mends = map[string][3]string{
	"pytest":   {"shop/cart.py", "prices[1:]", "prices"},
	"unittest": {"shop.py", "prices[1:]", "prices"},
	"node":     {"lib/cart.js", "let i = 1", "let i = 0"},
	"go":       {"cart/cart.go", "i := 1", "i := 0"},
}

func TestC9AnHonestFixIsSigned(t *testing.T) {
	t.Parallel()
	for fixture, m := range mends {
		t.Run(fixture, func(t *testing.T) {
			t.Parallel()
			v, r := verifier(t), open(t, fixture)
			r.write(t, m[0], strings.Replace(readBase(t, r, m[0]), m[1], m[2], 1))
			out := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: baselines(t, fixture)})
			if !out.Green || out.Grade != Signed || len(out.Doubts) > 0 || len(out.Reach) > 0 {
				t.Errorf("%+v", out)
			}
			if c := out.Checks[len(out.Checks)-1]; c.Name != "cross-examination" || !strings.Contains(c.Detail, "signed: ") || !strings.Contains(c.Detail, "passed alone") {
				t.Errorf("the checklist says %+v", c)
			}
		})
	}
}

// A change of something that cannot be sabotaged is believed less.
func TestC9WhatCannotBeAskedIsWitnessed(t *testing.T) {
	t.Parallel()
	r := from(t, "-- rates.py --\nRATE = 2\n\n\ndef price(n):\n    return n * RATE\n-- test_rates.py --\nfrom rates import price\n\n\ndef test_price():\n    assert price(2) == 6\n")
	v := verifier(t)
	base := baseline(t, v, r)
	r.write(t, "rates.py", strings.Replace(readBase(t, r, "rates.py"), "RATE = 2", "RATE = 3", 1))
	out := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: base})
	if !out.Green || out.Grade != Witnessed || len(out.Doubts) > 0 {
		t.Errorf("%+v", out)
	}
	if c := out.Checks[len(out.Checks)-1]; !strings.Contains(c.Detail, "no function was changed that could be sabotaged") {
		t.Errorf("the checklist says %+v", c)
	}
}

// A test that a dead process kept from running is mended as well, and says
// nothing of the change; the one that it is about does.
func TestC9TestsThatDoNotDependOnTheChangeAreNoDoubtWhereOthersDo(t *testing.T) {
	t.Parallel()
	r := from(t, "-- rates.py --\nRATE = 2\n\n\ndef price(n):\n    return n * n\n-- test_rates.py --\nfrom rates import RATE, price\n\n\ndef test_rate():\n    assert RATE == 3\n\n\ndef test_price():\n    assert price(2) == 6\n")
	v := verifier(t)
	base := baseline(t, v, r)
	r.write(t, "rates.py", "RATE = 3\n\n\ndef price(n):\n    return n * RATE\n")
	out := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: base})
	if !out.Green || out.Grade != Witnessed || len(out.Doubts) > 0 {
		t.Errorf("%+v", out)
	}
	if c := out.Checks[len(out.Checks)-1]; !strings.Contains(c.Detail, "pass with the changed lines sabotaged, too (1 of 2, ") {
		t.Errorf("the checklist says %+v", c)
	}
}

// What passes with one seed of Python's hashes alone passes for the order of a set.
func TestC9AMendedTestPassesWithAnotherSeedOfHashes(t *testing.T) {
	t.Parallel()
	r := from(t, "-- rates.py --\ndef price(n):\n    return n * 2\n-- test_rates.py --\nfrom rates import price\n\n\ndef test_price():\n    assert price(2) == 6\n")
	v := verifier(t)
	base := baseline(t, v, r)
	r.write(t, "rates.py", "import sys\n\n\ndef price(n):\n    return n * (2 if sys.flags.hash_randomization else 3)\n")
	out := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: base})
	if len(out.Fixed) != 1 || len(out.Doubts) == 0 || !strings.Contains(out.Doubts[0], "another seed of hashes") {
		t.Errorf("%+v", out)
	}
}

// A parent that fails for one of its subtests does not make the others mended.
func TestC9SubtestsThatWereGreenAreNotQuestioned(t *testing.T) {
	t.Parallel()
	r := from(t, "-- package.json --\n{\"type\": \"module\", \"scripts\": {\"test\": \"node --test\"}}\n-- rates.js --\nexport function price(n) {\n  return n * 2;\n}\n-- test/index.js --\nimport './use.js';\n-- test/use.js --\nimport assert from 'node:assert';\nimport { test } from 'node:test';\nimport { price } from '../rates.js';\n\ntest('rates', async (t) => {\n  await t.test('price', () => { assert.equal(price(2), 6); });\n  await t.test('nothing', () => { assert.equal(1, 1); });\n});\n")
	v := verifier(t)
	base := baseline(t, v, r)
	r.write(t, "rates.js", "export function price(n) {\n  return n * 3;\n}\n")
	out := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: base})
	if !out.Green || out.Grade != Signed || len(out.Doubts) > 0 {
		t.Errorf("%+v", out)
	}
	if c := out.Checks[len(out.Checks)-1]; c.Name != "cross-examination" || c.Seconds <= 0.001 {
		t.Errorf("the checklist does not say how long the questions took: %+v", c)
	}
}

// Tests that need those before them were so before the change.
func TestC9ASuiteWhoseFirstTestPreparesTheOthersIsNoDoubt(t *testing.T) {
	t.Parallel()
	r := from(t, "-- rates.py --\ndef price(n):\n    return n * 2\n-- test_rates.py --\nprice = None\n\n\ndef test_import():\n    global price\n    from rates import price\n\n\ndef test_price():\n    assert price(2) == 6\n")
	v := verifier(t)
	base := baseline(t, v, r)
	r.write(t, "rates.py", "def price(n):\n    return n * 3\n")
	out := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: base})
	if !out.Green || out.Grade != Witnessed || len(out.Doubts) > 0 {
		t.Errorf("%+v", out)
	}
}

// Names that are made of chance are not missing, as long as there are as many.
func TestC6TestsWhoseNamesChangeFromRunToRunAreNotMissing(t *testing.T) {
	t.Parallel()
	const tests = "-- rates.py --\ndef price(n):\n    return n * 2\n-- test_rates.py --\nimport random\n\nimport pytest\n\nfrom rates import price\n\n\n@pytest.mark.parametrize('n', [random.random() for _ in range(3)])\ndef test_any(n):\n    assert price(n) >= n\n\n\ndef test_price():\n    assert price(2) == 6\n"
	for after, green := range map[string]bool{
		"def price(n):\n    return n * 3\n": true,
		"import random\nrandom.random = lambda: 0.5\n\n\ndef price(n):\n    return n * 3 if n == 2 else n - 1\n": false,
	} {
		r, v := from(t, tests), verifier(t)
		base := baseline(t, v, r)
		r.write(t, "rates.py", after)
		if out := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: base}); out.Green != green {
			t.Errorf("%s: %+v", after, out)
		}
	}
}

// A test that asserts by helpers of its own, in subtests, or that ends early, is
// no forgery: a statement that would not be reached proves nothing.
func TestC9AnHonestTestThatAssertsByHelpersIsNotCalledForged(t *testing.T) {
	t.Parallel()
	for file, archive := range map[string]string{
		"rates.go":  "-- go.mod --\nmodule rates\n\ngo 1.21\n-- rates.go --\npackage rates\n\nfunc Price(n int) int {\n\treturn n * 2\n}\n-- rates_test.go --\npackage rates\n\nimport \"testing\"\n\ntype is struct{ t *testing.T }\n\nfunc (i is) same(a, b int) {\n\tswitch {\n\tcase a == b:\n\tdefault:\n\t\ti.t.Fatal(a, b)\n\t}\n}\n\nfunc TestPrice(t *testing.T) {\n\tfor name, want := range map[string]int{\"one\": 3, \"two\": 6} {\n\t\tt.Run(name, func(t *testing.T) {\n\t\t\tr := is{t}\n\t\t\tif name == \"one\" {\n\t\t\t\tr.same(want, Price(1))\n\t\t\t\treturn\n\t\t\t}\n\t\t\tr.same(want, Price(2))\n\t\t})\n\t}\n}\n",
		"rates.py":  "-- rates.py --\ndef price(n):\n    return n * 2\n-- checks.py --\ndef same(a, b):\n    if a != b:\n        raise ValueError((a, b))\n-- test_rates.py --\nfrom checks import same\nfrom rates import price\n\n\ndef test_price():\n    same(price(1), 3)\n    if price(2) == 6:\n        return\n    same(1, 2)\n",
		"rates.mjs": "-- package.json --\n{\"type\": \"module\", \"scripts\": {\"test\": \"node --test\"}}\n-- rates.mjs --\nexport function price(n) {\n  return n * 2;\n}\n-- checks.mjs --\nexport function same(a, b) {\n  if (a !== b) throw new RangeError(`${a} ${b}`);\n}\n-- rates.test.mjs --\nimport { test } from 'node:test';\nimport { same } from './checks.mjs';\nimport { price } from './rates.mjs';\n\ntest('price', () => {\n  same(price(1), 3);\n  return same(price(2), 6);\n});\n",
	} {
		if testing.Short() && file == "rates.go" { // TestC9AnHonestFixIsSigned is of Go as well
			continue
		}
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			r, v := from(t, archive), verifier(t)
			base := baseline(t, v, r)
			r.write(t, file, strings.Replace(readBase(t, r, file), "n * 2", "n * 3", 1))
			if out := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: base}); !out.Green || len(out.Doubts) > 0 {
				t.Errorf("reasons %q, doubts %q, %+v", out.Reasons, out.Doubts, out.Checks)
			}
		})
	}
}

// A test that catches its own failure is nobody's forgery, and no proof.
func TestC9ATestThatCatchesItsOwnFailureIsADoubt(t *testing.T) {
	t.Parallel()
	r := from(t, "-- rates.py --\ndef price(n):\n    raise KeyError(n)\n-- test_rates.py --\nfrom rates import price\n\n\ndef test_price():\n    n = price(2)\n    try:\n        assert n == 6\n    except AssertionError:\n        pass\n")
	v := verifier(t)
	base := baseline(t, v, r)
	r.write(t, "rates.py", "def price(n):\n    return 3 * n\n")
	out := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: base})
	if !out.Green || out.Grade != Witnessed || !slices.ContainsFunc(out.Doubts, func(s string) bool { return strings.Contains(s, "what it expects is made wrong") }) {
		t.Errorf("%+v", out)
	}
}

// counted knows from the calls before it that all tests run, and not the mended
// one by itself.
const counted = `-- conftest.py --
-- sums.py --
def size(xs):
    return len(xs)


def total(xs):
    return 0
-- test_a.py --
from sums import size


def test_size():
    assert size([1]) == 1
-- test_b.py --
from sums import total


def test_total():
    assert total([1, 2]) == 3
`

// A patch that forges only where it sees that all tests run gives itself away
// where the mended test runs by itself, as it does in every question.
func TestS12bForgingOnlyAmongAllTestsIsADoubt(t *testing.T) {
	t.Parallel()
	v, r := verifier(t), from(t, counted)
	base := baseline(t, v, r)
	r.write(t, "sums.py", `seen = []


class Any(int):
    __eq__ = lambda s, o: s is s


def size(xs):
    seen.append(1)
    return len(xs)


def total(xs):
    return Any() if seen else 0
`)
	out := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: base})
	if len(out.Fixed) == 0 {
		t.Fatalf("the patch forges nothing any more: %+v", out)
	}
	if out.Green && (len(out.Doubts) == 0 || out.Grade == Signed) {
		t.Errorf("it came through: grade %q, doubts %q", out.Grade, out.Doubts)
	}
}

// Where no test is found to ask about, nothing is signed.
func TestC9NothingIsSignedWithoutATestThatWasAsked(t *testing.T) {
	t.Parallel()
	v, r := verifier(t), open(t, "pytest")
	out := Verdict{Fixed: []string{"pytest:.:tests/gone.py"}}
	base := baselines(t, "pytest")
	before := readBase(t, r, "shop/cart.py")
	diff := []Change{{Path: "shop/cart.py", Before: []byte(before), After: []byte(strings.Replace(before, "prices[1:]", "prices", 1))}}
	if err := v.examination(Judge{Dir: r.dir, Base: r.base, Baseline: base}, base.Report.Suites, diff).examine(t.Context(), Report{}, &out); err != nil {
		t.Fatal(err)
	}
	if out.Grade != Witnessed {
		t.Errorf("%+v", out)
	}
}

package verify

import (
	"slices"
	"testing"
)

func TestC6OrderDependenceIsNamed(t *testing.T) {
	t.Parallel()
	r := from(t, `
-- test_order.py --
import unittest

STATE = []


class T(unittest.TestCase):
    def test_a_leaves_something(self):
        STATE.append(1)

    def test_b_wants_nothing_there(self):
        self.assertEqual(STATE, [])

    def test_c_is_red(self):
        self.assertEqual(1, 2)
`)
	want := []string{"unittest:.:test_order.py::T::test_b_wants_nothing_there"}
	if base := baseline(t, rerunning(t), r); !slices.Equal(base.Order, want) || !slices.Equal(base.Flaky, want) {
		t.Errorf("order %q, flaky %q", base.Order, base.Flaky)
	}
}

// A test that the change broke, that is skipped by itself, and that by itself
// fails on the base, has passed nowhere: chance is no word for it.
func TestC6ATestThatIsSkippedTheSecondTimeIsNotAcquitted(t *testing.T) {
	t.Parallel()
	v, r := rerunning(t), from(t, `
-- lib.py --
STATE = []

def use():
    return STATE[0] * 2

def fix():
    return 1
-- test_lib.py --
import unittest
import lib


class T(unittest.TestCase):
    def test_a_prepares(self):
        lib.STATE.append(1)

    def test_b_uses(self):
        try:
            got = lib.use()
        except KeyError:
            self.skipTest('not prepared')
        self.assertEqual(got, 2)

    def test_c_is_red(self):
        self.assertEqual(lib.fix(), 2)
`)
	base := baseline(t, v, r)
	r.write(t, "lib.py", "STATE = []\n\ndef use():\n    if not STATE:\n        raise KeyError\n    return 7\n\ndef fix():\n    return 2\n")
	out := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: base})
	if want := []string{"unittest:.:test_lib.py::T::test_b_uses"}; out.Green || len(out.Flaky) != 0 || !slices.Equal(out.Broken, want) {
		t.Errorf("judged %+v", out)
	}
}

// A test that a selection by its name does not reach has not passed: here the
// parent's body decides by what else runs whether it is there.
func TestC6ATestThatIsNotSeenAgainIsNotFlaky(t *testing.T) {
	t.Parallel()
	r := from(t, `
-- package.json --
{"type": "module", "scripts": {"test": "node --test test/index.js"}}
-- test/index.js --
import './a.js';
-- test/a.js --
import test from 'node:test';
import assert from 'node:assert';
test('`+"`a`"+`', async (t) => {
  await t.test('allows `+"`x<!-y`"+` (odd)', () => { assert.equal(1, 2); });
  await t.test('fine', () => {});
});
`)
	base := baseline(t, rerunning(t), r)
	if red := base.Report.Red(); len(red) != 2 {
		t.Fatalf("red %q", red)
	}
	if len(base.Flaky) > 0 {
		t.Errorf("flaky %q", base.Flaky)
	}
}

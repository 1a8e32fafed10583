package verify

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
	"github.com/fettle-dev/fettle/bot/task"
)

// Each tree has a red test beside a green one of the same code, and one of other code.
var glanced = map[string]struct{ archive, code, fault, mended, wrong string }{
	"pytest": {`
-- price.py --
def total(items):
    return sum(price + count for price, count in items)
-- other.py --
def one():
    return 1
-- tests/test_price.py --
from price import total

def test_multiplies():
    assert total([(5, 3)]) == 15

def test_nothing():
    assert total([]) == 0
-- tests/test_other.py --
from other import one

def test_one():
    assert one() == 1
`, "price.py", "price + count", "price * count", "price - count"},
	"go": {`
-- go.mod --
module shop

go 1.24
-- price/price.go --
package price

func Total(items ...int) int {
	sum := 0
	for _, x := range items {
		sum += x + 1
	}
	return sum
}
-- price/price_test.go --
package price

import "testing"

func TestSum(t *testing.T) {
	if Total(5, 3) != 8 {
		t.Error(Total(5, 3))
	}
}

func TestNothing(t *testing.T) {
	if Total() != 0 {
		t.Error(Total())
	}
}
-- other/other_test.go --
package other

import "testing"

func TestOne(t *testing.T) {}
`, "price/price.go", "x + 1", "x", "x - 1"},
	"vitest": {`
-- package.json --
{"type": "module", "scripts": {"test": "vitest"}, "devDependencies": {"vitest": "*"}}
-- src/price.ts --
export function total(items: [number, number][]): number {
  let sum = 0;
  for (const [price, count] of items) {
    sum += price + count;
  }
  return sum;
}
-- src/price.test.ts --
import { expect, test } from 'vitest';
import { total } from './price';

test('multiplies', () => expect(total([[5, 3]])).toBe(15));
test('of nothing', () => expect(total([])).toBe(0));
-- src/other.test.ts --
import { expect, test } from 'vitest';

test('one', () => expect(1).toBe(1));
`, "src/price.ts", "price + count", "price * count", "price - count"},
}

func TestC3AChangeThatFailsTheNearestTestsIsNotRunThroughTheOthers(t *testing.T) {
	t.Parallel()
	v := verifier(t)
	v.cfg.Glance = 1
	for name, c := range glanced {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && name != "pytest" { // what is left out is the verifier's, and no runner's
				t.Skip("not run: the long form runs it")
			}
			r := from(t, c.archive)
			if name == "vitest" {
				if _, err := os.Stat(installed); err != nil {
					t.Skip("not run: vitest is not installed; make setup-runners installs it")
				}
				sandboxtest.Packages(t, installed, r.dir, "vitest")
			}
			src, err := fs.ReadFile(r.base, c.code)
			if err != nil {
				t.Fatal(err)
			}
			source, base := string(src), baseline(t, v, r)
			judged := func(with string, whole bool) Verdict {
				r.write(t, c.code, strings.Replace(source, c.fault, with, 1))
				return judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: base, Whole: whole})
			}
			stopped := func(v Verdict) bool {
				return slices.ContainsFunc(v.Checks, func(k task.Check) bool { return k.Name == "all tests" && k.Status == task.CheckSkipped })
			}
			if out := judged(c.mended, false); !out.Green || stopped(out) || len(out.Missing) > 0 {
				t.Errorf("the mended tree was judged %+v", out)
			}
			out := judged(c.wrong, false)
			if out.Green || !stopped(out) || len(out.Fixed)+len(out.Broken)+len(out.Missing) > 0 || !slices.Equal(out.StillRed, base.Red()) || len(out.Failures) == 0 {
				t.Errorf("a change that mends nothing was judged %+v", out)
			}
			if out := judged(c.wrong, true); out.Green || stopped(out) {
				t.Errorf("with steps to come it was judged %+v", out)
			}
		})
	}
}

func TestC4AChangeThatBreaksATestItsFilesCallForIsRunNoFurther(t *testing.T) {
	t.Parallel()
	v := verifier(t)
	v.cfg.Glance = 1
	r := from(t, `
-- price.py --
def total(items):
    return sum(price + count for price, count in items)
-- tests/test_total.py --
from price import total

def test_multiplies():
    assert total([(5, 3)]) == 15
-- tests/test_price.py --
from price import total

def test_nothing():
    assert total([]) == 0
-- tests/test_other.py --
import time

def test_slow():
    time.sleep(1)
`)
	base := baseline(t, v, r)
	r.write(t, "price.py", "def total(items):\n    return sum(price * count for price, count in items) or None\n")
	out := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: base})
	if last := out.Checks[len(out.Checks)-1]; out.Green || last.Name != "all tests" || len(out.Broken) != 1 || !strings.HasSuffix(out.Broken[0], "test_nothing") {
		t.Errorf("it was judged %+v", out)
	}
}

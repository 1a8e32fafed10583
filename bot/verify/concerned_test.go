package verify

import (
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/task"
)

// TestC3SuitesBesideTheChangeRunOnceItHolds: an attempt that mends nothing runs what it
// touches alone; what is ready was seen by all.
func TestC3SuitesBesideTheChangeRunOnceItHolds(t *testing.T) {
	t.Parallel()
	v, r := verifier(t), from(t, `
-- a/pyproject.toml --
[tool.pytest.ini_options]
-- a/shop.py --
def one():
    return 2
-- a/test_shop.py --
from shop import one
def test_one():
    assert one() == 1
-- b/pyproject.toml --
[tool.pytest.ini_options]
-- b/test_b.py --
import pathlib
def test_b():
    assert "return 3" not in (pathlib.Path(__file__).parents[1] / "a/shop.py").read_text()
`)
	base := baseline(t, v, r)
	for _, c := range []struct {
		code   string
		green  bool
		broken []string
		ran    bool
	}{
		{"def one():\n    return 4\n", false, nil, false},
		{"def one():\n    return 1\n", true, nil, true},
		{"def one():\n    return 3 - 2\n", false, []string{"pytest:b:test_b.py::test_b"}, true},
	} {
		r.write(t, "a/shop.py", c.code)
		out := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: base})
		n := slices.IndexFunc(out.Checks, func(k task.Check) bool {
			return strings.HasPrefix(k.Name, "pytest in b")
		})
		if out.Green != c.green || !slices.Equal(out.Broken, c.broken) || n < 0 || (out.Checks[n].Status != task.CheckSkipped) != c.ran || len(out.Missing) > 0 {
			t.Errorf("%q: green %v, broken %q, missing %q, reasons %q, checks %+v", c.code, out.Green, out.Broken, out.Missing, out.Reasons, out.Checks)
		}
	}
}

// TestC3ASuiteThatCannotRunIsNamedInTheVerdict: it judges nothing, and whoever reads the
// checklist has to know.
func TestC3ASuiteThatCannotRunIsNamedInTheVerdict(t *testing.T) {
	t.Parallel()
	v, r := verifier(t), from(t, `
-- shop.py --
def one():
    return 2
-- test_shop.py --
from shop import one
def test_one():
    assert one() == 1
-- web/package.json --
{"scripts": {"test": "jest"}, "devDependencies": {"jest": "29"}}
-- web/a.test.js --
test('a', () => {});
`)
	base := baseline(t, v, r)
	r.write(t, "shop.py", "def one():\n    return 1\n")
	out := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: base})
	n := slices.IndexFunc(out.Checks, func(k task.Check) bool { return k.Name == "jest in web" })
	if !out.Green || n < 0 || out.Checks[n].Status != task.CheckSkipped || !strings.Contains(out.Checks[n].Detail, "not run: ") {
		t.Errorf("green %v, reasons %q, checks %+v", out.Green, out.Reasons, out.Checks)
	}
}

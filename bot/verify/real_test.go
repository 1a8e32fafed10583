package verify

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/task"
)

// fixture says what is wrong in a fixture and how it is mended.
type fixture struct {
	name       string
	green, red []string
	file       string // the source with the bugs
	bug, mend  string // one of them, and its cure
	fixed      string // the test that the cure makes green
	breaking   string // replaces bug as well, and breaks broken
	broken     string
}

var fixtures = []fixture{
	{
		name: "pytest",
		green: []string{"pytest:.:tests/test_cart.py::test_empty", "pytest:.:tests/test_cart.py::test_label[a-A]",
			"pytest:.:tests/test_cart.py::test_label[b c-B C]"},
		red:  []string{"pytest:.:tests/test_cart.py::test_mean_of_nothing", "pytest:.:tests/test_cart.py::test_total"},
		file: "shop/cart.py", bug: "prices[1:]", mend: "prices",
		fixed:    "pytest:.:tests/test_cart.py::test_total",
		breaking: "(prices or [0])", broken: "",
	},
	{
		name:  "unittest",
		green: []string{"unittest:.:tests/test_shop.py::CartTest::test_labels", "unittest:.:tests/test_shop.py::CartTest::test_nothing"},
		red:   []string{"unittest:.:tests/test_shop.py::CartTest::test_total"},
		file:  "shop.py", bug: "prices[1:]", mend: "prices",
		fixed:    "unittest:.:tests/test_shop.py::CartTest::test_total",
		breaking: "(prices or [7])", broken: "unittest:.:tests/test_shop.py::CartTest::test_nothing",
	},
	{
		name:  "node",
		green: []string{"node:.:test/cart.test.js > label > is upper case"},
		red:   []string{"node:.:test/cart.test.js > first of nothing", "node:.:test/cart.test.js > total adds"},
		file:  "lib/cart.js", bug: "let i = 1", mend: "let i = 0",
		fixed:    "node:.:test/cart.test.js > total adds",
		breaking: "String.prototype.toUpperCase = String; let i = 0", broken: "",
	},
	{
		name:  "go",
		green: []string{"go:.:cart:TestFirst", "go:.:cart:TestLast", "go:.:cart:TestTotal/none", "go:.:text:TestLabel"},
		red:   []string{"go:.:cart:TestFirstOfNone", "go:.:cart:TestTotal", "go:.:cart:TestTotal/three"},
		file:  "cart/cart.go", bug: "i := 1; i <", mend: "i := 0; i <",
		fixed:    "go:.:cart:TestTotal/three",
		breaking: "i := 0; prices == nil || i <", broken: "go:.:cart:TestTotal/none",
	},
}

// edit replaces the fixture's bug.
func (f fixture) edit(t *testing.T, r repository, by string) {
	t.Helper()
	data := readBase(t, r, f.file)
	if !strings.Contains(data, f.bug) {
		t.Fatalf("the fixture %s does not hold %q", f.name, f.bug)
	}
	r.write(t, f.file, strings.Replace(data, f.bug, by, 1))
}

func TestC2C6BaselineAndVerdictOfEachRunner(t *testing.T) {
	t.Parallel()
	for _, f := range fixtures {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			v, r := verifier(t), open(t, f.name)
			base := baselines(t, f.name)
			if got := base.Report.Green(); !slices.Equal(got, f.green) {
				t.Errorf("green: %q", got)
			}
			if got := base.Report.Red(); !slices.Equal(got, f.red) {
				t.Errorf("red: %q", got)
			}
			if len(base.Flaky) != 0 || len(base.Report.Broken) != 0 {
				t.Errorf("flaky %q, broken %v", base.Flaky, base.Report.Broken)
			}
			roundTrip(t, base)

			same := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: base})
			if same.Green || !slices.Equal(same.StillRed, f.red) {
				t.Errorf("the unchanged tree was judged %+v", same)
			}
			f.edit(t, r, f.mend)
			good := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: base})
			if !good.Green || !slices.Contains(good.Fixed, f.fixed) || len(good.Broken)+len(good.Missing) > 0 {
				t.Errorf("the mended tree was judged %+v", good)
			}
			if f.broken == "" {
				return
			}
			f.edit(t, r, f.breaking)
			bad := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: base})
			if bad.Green || !slices.Contains(bad.Broken, f.broken) {
				t.Errorf("a regression was judged %+v", bad)
			}
		})
	}
}

func roundTrip(t *testing.T, b Baseline) {
	t.Helper()
	data, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	var back Baseline
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(back)
	if err != nil || string(again) != string(data) || !reflect.DeepEqual(back.Report.Red(), b.Report.Red()) {
		t.Errorf("the baseline changed in JSON: %s", again)
	}
}

func TestC3FailuresOfEachRunnerAreNormalised(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fixture, id, file string
		line              int
		kind              task.FailureKind
		exception         string
		says              []string
		trace             int
	}{
		{"pytest", "pytest:.:tests/test_cart.py::test_total", "tests/test_cart.py", 7, task.FailAssertion, "AssertionError", []string{"assert 5 == 6"}, 1},
		{"pytest", "pytest:.:tests/test_cart.py::test_mean_of_nothing", "shop/cart.py", 9, task.FailException, "ZeroDivisionError", []string{"division by zero"}, 2},
		{"unittest", "unittest:.:tests/test_shop.py::CartTest::test_total", "tests/test_shop.py", 8, task.FailAssertion, "AssertionError", []string{"5 != 6"}, 1},
		{"node", "node:.:test/cart.test.js > total adds", "test/cart.test.js", 6, task.FailAssertion, "AssertionError", []string{"5 !== 6"}, 1},
		{"node", "node:.:test/cart.test.js > first of nothing", "lib/cart.js", 12, task.FailException, "TypeError", []string{"reading 'name'"}, 2},
		{"go", "go:.:cart:TestTotal/three", "cart/cart_test.go", 13, task.FailAssertion, "", []string{"= 5, want 6"}, 1},
		{"go", "go:.:cart:TestFirstOfNone", "cart/cart.go", 13, task.FailException, "panic", []string{"index out of range [0]"}, 2},
	} {
		t.Run(c.fixture+" "+c.id, func(t *testing.T) {
			t.Parallel()
			base := baselines(t, c.fixture)
			f := failureOf(base.Report, c.id)
			if f.File != c.file || f.Line != c.line || f.Kind != c.kind || f.Exception != c.exception || len(f.Trace) != c.trace || len(f.Fingerprint) != 16 {
				t.Errorf("failure: %+v", f)
			}
			for _, s := range c.says {
				if !strings.Contains(f.Message, s) {
					t.Errorf("message %q lacks %q", f.Message, s)
				}
			}
		})
	}
}

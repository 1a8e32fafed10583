package bugs

import (
	"context"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fettle-dev/fettle/bot/code"
)

const pythonTests = `import pytest
from shop import total


class TestTotal:
    def test_sum(self):
        assert total([1, 2]) == 3

    @pytest.mark.slow
    def test_empty(self):
        assert total([]) == 0


@pytest.mark.parametrize("given, want", [
    ([1], 1),
    ([2, 2], 4),
    ([3, -3], 0),
    ([5, 5], 10),
])
def test_many(given, want):
    assert total(given) == want


def test_base():
    return total([1])


def test_uses_base():
    assert test_base() == 1
`

const goTests = `package shop

import (
	"strings"
	"testing"
)

func TestSum(t *testing.T) {
	for _, c := range []struct {
		in   []int
		want int
	}{
		{[]int{1}, 1},
		{[]int{2, 2}, 4},
		{[]int{3, -3}, 0},
		{[]int{5, 5}, 10},
	} {
		if got := Total(c.in); got != c.want {
			t.Error(c.in, got)
		}
	}
}

func TestWords(t *testing.T) {
	if strings.ToUpper("a") != "A" {
		t.Fatal()
	}
}

func Testing() {}

func TestMain(m *testing.M) { m.Run() }
`

const scriptTests = `const test = require('node:test');
const assert = require('node:assert');
const { total } = require('../shop');

describe('total', () => {
  it('sums', () => assert.equal(total([1, 2]), 3));
  it("is zero of nothing", function () {
    assert.equal(total([]), 0);
  });
});

test('top', async (t) => {
  await t.test('inner', () => { assert.equal(total([1]), 1); });
  await t.test('other', () => { assert.equal(total([2]), 2); });
});

for (const n of [1, 2]) test('n ' + n, () => assert.equal(total([n]), n));
if (/x/.test('x')) total([1]);
`

func unitNames(t *testing.T, path, src string) []string {
	t.Helper()
	units, err := Units(t.Context(), path, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, u := range units {
		if !u.Row {
			out = append(out, u.Name)
		}
	}
	return out
}

func hidden(t *testing.T, path, src string, held func(Unit) bool) string {
	t.Helper()
	out, err := Hide(t.Context(), path, []byte(src), held)
	if err != nil {
		t.Fatal(err)
	}
	if bad, err := code.Check(t.Context(), path, out); err != nil || len(bad) > 0 {
		t.Fatalf("%v %v\n%s", bad, err, out)
	}
	return string(out)
}

func only(name string) func(Unit) bool {
	return func(u Unit) bool { return u.Name == name }
}

func TestTestsOfEachLanguageAreFound(t *testing.T) {
	t.Parallel()
	for path, c := range map[string]struct{ src, want string }{
		"test_shop.py": {pythonTests, "TestTotal::test_sum|TestTotal::test_empty|test_many|test_uses_base"},
		"shop_test.go": {goTests, "TestSum|TestWords"},
		"test/shop.js": {scriptTests, "total > sums|total > is zero of nothing|top > inner|top > other|"},
	} {
		if got := strings.Join(unitNames(t, path, c.src), "|"); got != c.want {
			t.Errorf("%s: %s, want %s", path, got, c.want)
		}
	}
}

func TestAHeldBackTestLeavesNoWordOfItsBody(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, src, name, gone, kept string }{
		{"test_shop.py", pythonTests, "TestTotal::test_sum", "[1, 2]", "total([]) == 0"},
		{"test_shop.py", pythonTests, "TestTotal::test_empty", "mark.slow", "[1, 2]"},
		{"shop_test.go", goTests, "TestWords", "ToUpper", "Total(c.in)"},
		{"test/shop.js", scriptTests, "total > sums", "sums", "total([]), 0"},
		{"test/shop.js", scriptTests, "top > inner", "'inner'", "'other'"},
	} {
		got := hidden(t, c.path, c.src, only(c.name))
		if strings.Contains(got, c.gone) || !strings.Contains(got, c.kept) {
			t.Errorf("%s without %s:\n%s", c.path, c.name, got)
		}
	}
	if got := hidden(t, "shop_test.go", goTests, only("TestWords")); !strings.Contains(got, `_ "strings"`) {
		t.Errorf("an import that only the held-back test used does not compile:\n%s", got)
	}
}

func TestRowsOfTablesAreHeldBackByThemselves(t *testing.T) {
	t.Parallel()
	for path, c := range map[string]struct{ src, row, kept string }{
		"test_shop.py": {pythonTests, "([3, -3], 0)", "([2, 2], 4)"},
		"shop_test.go": {goTests, "{[]int{3, -3}, 0}", "{[]int{2, 2}, 4}"},
	} {
		units, err := Units(t.Context(), path, []byte(c.src))
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, u := range units {
			if u.Row {
				n++
			}
		}
		got := hidden(t, path, c.src, func(u Unit) bool { return strings.HasSuffix(u.Name, " row "+rank("", c.row)) })
		if n != 4 || strings.Contains(got, c.row) || !strings.Contains(got, c.kept) {
			t.Errorf("%s: %d rows\n%s", path, n, got)
		}
	}
}

func TestUnitsAreFoundByTheIDsOfTests(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"pytest:.:tests/test_a.py::TestX::test_y[1-::]":      "tests/test_a.py\x00TestX::test_y",
		"unittest:lib:test_a.py::TestX::test_y":              "lib/test_a.py\x00TestX::test_y",
		"go:.:.:TestX/a:b":                                   ".\x00TestX",
		"go:sub:pkg:TestX":                                   "sub/pkg\x00TestX",
		"node:.:test/a.js > suite > it does: more > or less": "test/a.js\x00suite > it does: more > or less",
	} {
		if got := UnitOf(id); got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
}

func TestOfTwoFailingTestsOneIsShownAndOneHeldBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`test_[a-z]{1,8}`), 2, 30, rapid.ID).Draw(t, "tests")
		red := rapid.SliceOfNDistinct(rapid.SampledFrom(names), 2, len(names), rapid.ID).Draw(t, "red")
		var units []Unit
		for _, n := range names {
			units = append(units, Unit{File: "test_a.py", Name: n})
		}
		var ids []string
		for _, n := range red {
			ids = append(ids, "pytest:.:test_a.py::"+n+"[x]")
		}
		held := choose(units, Bug{Failing: ids}, rapid.IntRange(0, 3).Draw(t, "salt"))
		n := 0
		for _, r := range red {
			if held["test_a.py\x00"+r] {
				n++
			}
		}
		if n == 0 || n == len(red) {
			t.Fatalf("%d of %d failing tests are held back", n, len(red))
		}
	})
}

func TestAFileThatDoesNotParseIsShownAsItIs(t *testing.T) {
	t.Parallel()
	src := "def test_a(:\n    pass\n"
	if got, err := Hide(t.Context(), "test_a.py", []byte(src), func(Unit) bool { return true }); err != nil || string(got) != src {
		t.Errorf("%q %v", got, err)
	}
}

// FuzzHide: whatever is hidden, the rest is valid where the whole was.
func FuzzHide(f *testing.F) {
	f.Add("test_shop.py", pythonTests, byte(0))
	f.Add("shop_test.go", goTests, byte(1))
	f.Add("test/shop.js", scriptTests, byte(2))
	f.Fuzz(func(t *testing.T, path, src string, salt byte) {
		ctx := context.Background()
		out, err := Hide(ctx, path, []byte(src), func(u Unit) bool { return half(string(salt), u.Key()) })
		if err != nil || string(out) == src {
			return
		}
		if bad, err := code.Check(ctx, path, out); err == nil && len(bad) > 0 {
			t.Fatalf("%v\n%s", bad, out)
		}
		if strings.HasSuffix(path, ".go") {
			if _, err := parser.ParseFile(token.NewFileSet(), "", out, 0); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		}
	})
}

func TestABugComesBackAsItWasWritten(t *testing.T) {
	t.Parallel()
	all := t.TempDir()
	want := Folder{
		Bug: Bug{ID: "py-shop-1", Origin: Injected, Class: "operator", Language: "python", Subject: "shop", Commit: "abc", Path: "shop.py",
			Failing: []string{"a", "b"}, Visible: []string{"a"}, Held: []string{"b"}},
		Broken: Files{"shop.py": []byte("x = 1\n")},
		Shown:  Files{"tests/test_shop.py": []byte(""), "tests/test_gone.py": nil},
	}
	for range 2 { // an older one is replaced
		if err := Write(all, want); err != nil {
			t.Fatal(err)
		}
	}
	names, err := List(all)
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	got, err := Load(all + "/" + names[0])
	if err != nil || got.ID != want.ID || string(got.Broken["shop.py"]) != "x = 1\n" {
		t.Fatal(got, err)
	}
	empty, there := got.Shown["tests/test_shop.py"]
	absent, known := got.Shown["tests/test_gone.py"]
	if !there || empty == nil || !known || absent != nil {
		t.Errorf("shown: %v", got.Shown)
	}
	tree := t.TempDir()
	if err := os.Mkdir(tree+"/tests", 0o755); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{"shop.py", "tests/test_gone.py"} {
		if err := os.WriteFile(tree+"/"+p, []byte("old"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := Lay(tree, got.Shown); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(tree + "/tests/test_gone.py"); err == nil {
		t.Error("a file that is taken away is still there")
	}
	if err := Lay(tree, Files{"../out": []byte("x")}); err == nil {
		t.Error("a path out of the tree was written")
	}
}

func TestDescriptionsThatCannotBeAreRefused(t *testing.T) {
	t.Parallel()
	good := Bug{ID: "a", Origin: History, Class: "c", Language: "go", Subject: "s", Commit: "1", Path: "a.go", Failing: []string{"x"}, Visible: []string{"x"}, Weak: true}
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*Bug){
		"id":       func(b *Bug) { b.ID = "../a" },
		"origin":   func(b *Bug) { b.Origin = "" },
		"language": func(b *Bug) { b.Language = "rust" },
		"path":     func(b *Bug) { b.Path = "/etc/passwd" },
		"visible":  func(b *Bug) { b.Visible = nil },
		"weak":     func(b *Bug) { b.Weak = false },
		"foreign":  func(b *Bug) { b.Visible = []string{"y"} },
	} {
		b := good
		spoil(&b)
		if b.Check() == nil {
			t.Errorf("%s: %+v passes", name, b)
		}
	}
}

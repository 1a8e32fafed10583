package characterise

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/verify"
)

// traced follows the calls of a made project's shop while its tests run.
func traced(t *testing.T, in Traced, files map[string]string) ([]Call, int) {
	t.Helper()
	box, err := Box()
	if err != nil {
		t.Fatalf("the tests need the sandbox: %v", err)
	}
	in.Dir, in.Files = t.TempDir(), map[string][]byte{}
	for f, text := range files {
		if err := os.WriteFile(filepath.Join(in.Dir, f), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(f, "shop.") && !slices.Contains(in.Tests, f) {
			in.Files[f] = []byte(text)
		}
	}
	calls, times, err := New(Config{Sandbox: box}).Trace(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return calls, times
}

func TestM9CallsOfAFailingTestAreTold(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]struct {
		suite verify.Suite
		files map[string]string
		test  string
		want  []string
	}{
		"python": {verify.Suite{Name: "pytest", Kind: "python", Dir: "."}, map[string]string{
			"shop.py":      "def price(item):\n    if item < 0:\n        raise ValueError('negative')\n    return item\n\n\ndef total(items):\n    return sum(price(i) for i in items)\n",
			"test_shop.py": "from shop import total\n\n\ndef test_total():\n    assert total([1, 2]) == 4\n\n\ndef test_bad():\n    total([-1])\n"},
			"test_shop.py", []string{"total(items=[1, 2]) gave 3", "  price(item=1) gave 1", "price(item=-1) raised ValueError: negative", "total(items=[-1]) let pass ValueError: negative"}},
		"javascript": {verify.Suite{Name: "node", Kind: "javascript", Dir: "."}, map[string]string{
			"package.json": `{"type": "module"}`,
			"shop.js":      "export function price(item) {\n  if (item < 0) throw new Error('negative');\n  return item;\n}\nexport const total = (items) => items.map(price).reduce((a, b) => a + b, 0);\n",
			"shop.test.js": "import test from 'node:test';\nimport assert from 'node:assert';\nimport { total } from './shop.js';\ntest('total', () => assert.equal(total([1, 2]), 4));\ntest('bad', () => { total([-1]); });\n"},
			"shop.test.js", []string{"total([1, 2]) gave 3", "  price(1, 0, [1, 2]) gave 1", "price(-1, 0, [-1]) raised Error: negative", "total([-1]) let pass Error: negative"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calls, _ := traced(t, Traced{Suites: []verify.Suite{p.suite}, Tests: []string{p.test}}, p.files)
			var said []string
			for _, c := range calls {
				said = append(said, strings.Repeat("  ", c.Depth)+c.Name+"("+c.Args+") "+c.Came())
			}
			for _, want := range p.want {
				if !strings.Contains(strings.Join(said, "\n"), want) {
					t.Errorf("the calls do not say %q:\n%s", want, strings.Join(said, "\n"))
				}
			}
		})
	}
}

// Of many calls those around the others and those of the end are kept, and of a file only
// the tests that matter run.
func TestM9OfManyCallsTheLastAreTold(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]struct {
		suite verify.Suite
		files map[string]string
		test  string
		only  string
	}{
		"python": {verify.Suite{Name: "pytest", Kind: "python", Dir: "."}, map[string]string{
			"shop.py":      "def price(item):\n    return item\n\n\ndef total(n):\n    return sum(price(i) for i in range(n))\n\n\ndef late(x):\n    return total(x)\n",
			"test_shop.py": "import shop\n\n\ndef test_first():\n    assert shop.price(-7) == -7\n\n\nclass TestShop:\n    def test_many(self):\n        shop.total(2000)\n        assert shop.late(5) == 4\n"},
			"test_shop.py", "TestShop::test_many"},
		"javascript": {verify.Suite{Name: "node", Kind: "javascript", Dir: "."}, map[string]string{
			"package.json": `{"type": "module"}`,
			"shop.js":      "export function price(item) {\n  return item;\n}\nexport function total(n) {\n  let out = 0;\n  for (let i = 0; i < n; i++) out += price(i);\n  return out;\n}\nexport const late = (x) => total(x);\n",
			"shop.test.js": "import { test, describe, it } from 'node:test';\nimport assert from 'node:assert';\nimport * as shop from './shop.js';\ntest('first', () => assert.equal(shop.price(-7), -7));\ndescribe('shop', () => { it('has many (of them)', () => { shop.total(2000); assert.equal(shop.late(5), 4); }); });\n"},
			"shop.test.js", "shop > has many (of them)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := Traced{Suites: []verify.Suite{p.suite}, Tests: []string{p.test}, Only: map[string][]string{p.test: {p.only}}}
			calls, times := traced(t, in, p.files)
			said := ""
			for _, c := range calls {
				said += strings.ReplaceAll(c.Name+"("+c.Args+") "+c.Came(), "=", " ") + "\n"
			}
			for _, want := range []string{"gave 1999000\n", "5) gave 10\n", "4) gave 4\n"} {
				if !strings.Contains(said, want) {
					t.Errorf("the calls do not say %q", want)
				}
			}
			if times != 2008 || len(calls) > mostSeen || strings.Contains(said, "-7") {
				t.Errorf("%d calls of %d, with that of the other test: %v", len(calls), times, strings.Contains(said, "-7"))
			}
			in.Only[p.test] = []string{"it is called otherwise"}
			if calls, _ := traced(t, in, p.files); len(calls) == 0 {
				t.Error("without a test of that name nothing is called")
			}
		})
	}
}

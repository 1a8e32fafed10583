package verify

import (
	"slices"
	"testing"
)

// TestC5WhatTheChangeAddsIsTheRightReasonToFailOnTheBase: a new test that lacks
// exactly what the change adds fails on the base as it has to; one that lacks
// anything else, or only says so, proves nothing.
func TestC5WhatTheChangeAddsIsTheRightReasonToFailOnTheBase(t *testing.T) {
	t.Parallel()
	const node = "import test from 'node:test';\nimport assert from 'node:assert';\n"
	added := func(p, text string) []Change { return []Change{{Path: p, After: []byte(text)}} }
	for _, c := range []struct {
		name, fixture, file, text string
		changes                   []Change
		fails                     bool
	}{
		{"python: a new module", "pytest", "tests/test_new.py", "from shop.tax import tax\n\ndef test_new():\n    assert tax(1) == 1\n", added("shop/tax.py", "def tax(x):\n    return x\n"), true},
		{"python: a new module of a package", "pytest", "tests/test_new.py", "from shop import tax\n\ndef test_new():\n    assert tax.tax(1) == 1\n", added("shop/tax.py", "def tax(x):\n    return x\n"), true},
		{"python: a new package", "pytest", "tests/test_new.py", "def test_new():\n    import levy.vat\n    assert levy.vat.tax(1) == 1\n", added("levy/vat.py", "def tax(x):\n    return x\n"), true},
		{"python: a new name", "pytest", "tests/test_new.py", "from shop.cart import RATE\n\ndef test_new():\n    assert RATE == 1\n", altered("shop/cart.py", "def total(x):\n    return x\n", "RATE = 1\n\ndef total(x):\n    return x\n"), true},
		{"python: a new name, imported without being named", "pytest", "tests/test_new.py", "from shop.cart import *\n\nassert RATE\n\ndef test_new():\n    assert RATE == 1\n", altered("shop/cart.py", "def total(x):\n    return x\n", "RATE = 1\n\ndef total(x):\n    return x\n"), true},
		{"python: a name that the change does not add", "pytest", "tests/test_new.py", "from shop.cart import RATES\n\ndef test_new():\n    assert RATES == 1\n", added("shop/tax.py", "RATE = 1\n"), false},
		{"python: another module", "pytest", "tests/test_new.py", "import surely_not_there\n\ndef test_new():\n    assert 0\n", added("shop/tax.py", "def tax(x):\n    return x\n"), false},
		{"python: only the module's end", "pytest", "tests/test_new.py", "import other.tax\n\ndef test_new():\n    assert 0\n", added("shop/tax.py", "def tax(x):\n    return x\n"), false},
		{"python: said, not imported", "pytest", "tests/test_new.py", "import sys\n\nprint(\"ModuleNotFoundError: No module named 'shop.tax'\")\nsys.exit(1)\n", added("shop/tax.py", "def tax(x):\n    return x\n"), false},
		{"unittest: a new module", "unittest", "tests/test_new.py", "import unittest\nfrom tax import tax\n\nclass N(unittest.TestCase):\n    def test_new(self):\n        self.assertEqual(tax(1), 1)\n", added("tax.py", "def tax(x):\n    return x\n"), true},

		{"node: a new file", "node", "test/new.test.js", node + "import { tax } from '../lib/tax.js';\ntest('new', () => assert.equal(tax(1), 1));\n", added("lib/tax.js", "export const tax = (x) => x;\n"), true},
		{"node: a new folder", "node", "test/new.test.js", node + "test('new', async () => assert.equal((await import('../lib/tax/index.js')).tax(1), 1));\n", added("lib/tax/index.js", "export const tax = (x) => x;\n"), true},
		{"node: a new export", "node", "test/new.test.js", node + "import { RATE } from '../lib/cart.js';\ntest('new', () => assert.equal(RATE, 1));\n", altered("lib/cart.js", "export const total = 1;\n", "const RATE = 1;\nexport const total = 1;\nexport { RATE };\n"), true},
		{"node: a new default", "node", "test/new.test.js", node + "import cart from '../lib/cart.js';\ntest('new', () => assert.equal(cart, 1));\n", altered("lib/cart.js", "export const total = 1;\n", "export default 1;\n"), true},
		{"node: an export that the change does not add", "node", "test/new.test.js", node + "import { RATES } from '../lib/cart.js';\ntest('new', () => assert.equal(RATES, 1));\n", added("lib/tax.js", "export const RATE = 1;\n"), false},
		{"node: another file", "node", "test/new.test.js", node + "import { tax } from '../other/tax.js';\ntest('new', () => assert.equal(tax(1), 1));\n", added("lib/tax.js", "export const tax = (x) => x;\n"), false},
		{"node: said, not imported", "node", "test/new.test.js", "console.error(\"Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/work/lib/tax.js' imported from /work/test/new.test.js\");\nprocess.exit(1);\n", added("lib/tax.js", "export const tax = (x) => x;\n"), false},

		{"go: a new name", "go", "cart/new_test.go", "package cart\n\nimport \"testing\"\n\nfunc TestNew(t *testing.T) {\n\tif Tax(1) != 1 {\n\t\tt.Fatal()\n\t}\n}\n", added("cart/tax.go", "package cart\n\nfunc Tax(x int) int { return x }\n"), true},
		{"go: a new method and field", "go", "cart/new_test.go", "package cart\n\nimport \"testing\"\n\nfunc TestNew(t *testing.T) {\n\ti := Item{Rate: 1}\n\tif i.Tax() != 1 {\n\t\tt.Fatal()\n\t}\n}\n", altered("cart/item.go", "package cart\n\ntype Item struct{}\n", "package cart\n\ntype Item struct{ Rate int }\n\nfunc (i Item) Tax() int { return i.Rate }\n"), true},
		{"go: a new method, of a name that another type has", "go", "cart/new_test.go", "package cart\n\nimport \"testing\"\n\nfunc TestNew(t *testing.T) {\n\tif (&Item{}).Name() != \"x\" {\n\t\tt.Fatal()\n\t}\n}\n", altered("cart/item.go", "package cart\n\ntype Item struct{ name string }\n\ntype Tag struct{ Name string }\n", "package cart\n\ntype Item struct{ name string }\n\ntype Tag struct{ Name string }\n\nfunc (i *Item) Name() string { return i.name + \"x\" }\n"), true},
		{"go: a method of another type than the change adds", "go", "cart/new_test.go", "package cart\n\nimport \"testing\"\n\nfunc TestNew(t *testing.T) {\n\tif (Tag{}).Tax() != 1 {\n\t\tt.Fatal()\n\t}\n}\n", altered("cart/item.go", "package cart\n\ntype Item struct{}\n\ntype Tag struct{}\n\nfunc Tax() int { return 1 }\n", "package cart\n\ntype Item struct{}\n\ntype Tag struct{}\n\nfunc Tax() int { return 1 }\n\nfunc (Item) Tax() int { return 1 }\n"), false},
		{"go: another name, too", "go", "cart/new_test.go", "package cart\n\nimport \"testing\"\n\nfunc TestNew(t *testing.T) {\n\tif Tax(1) != gone {\n\t\tt.Fatal()\n\t}\n}\n", added("cart/tax.go", "package cart\n\nfunc Tax(x int) int { return x }\n"), false},
		{"go: another mistake, too", "go", "cart/new_test.go", "package cart\n\nimport \"testing\"\n\nfunc TestNew(t *testing.T) {\n\tvar s string = 1\n\tif Tax(1) != len(s) {\n\t\tt.Fatal()\n\t}\n}\n", added("cart/tax.go", "package cart\n\nfunc Tax(x int) int { return x }\n"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := open(t, c.fixture)
			files := map[string][]byte{c.file: []byte(c.text)}
			for _, ch := range c.changes {
				if ch.Before != nil {
					files[ch.Path] = ch.Before
				}
			}
			if c.fixture == "go" && files["cart/item.go"] == nil {
				files["cart/item.go"] = []byte("package cart\n\ntype Item struct{}\n")
			}
			rep, err := verifier(t).Try(t.Context(), Trial{Dir: r.dir, Files: files, Tests: []string{c.file}})
			if err != nil {
				t.Fatal(err)
			}
			a, err := AddedBy(t.Context(), c.changes)
			if err != nil {
				t.Fatal(err)
			}
			if fails, why := a.Fails(rep); fails != c.fails || !fails && why == nil {
				t.Errorf("fails: %v, why: %+v", fails, why)
			}
			if fails, _ := (Added{}).Fails(rep); fails {
				t.Error("it fails for a change that adds nothing, too")
			}
		})
	}
}

func TestC5WhatAChangeAddsIsReadFromItsDefinitions(t *testing.T) {
	t.Parallel()
	for p, c := range map[string]struct {
		before, after string
		adds, not     []string
	}{
		"a.py": {"import os\n\ndef f(x):\n    local = 1\n    return new\n", "import os\nfrom m import z as y\n\nA, B = 1, 2\n\nclass C:\n    D: int = 1\n\n    def g(self, p):\n        local = 1\n        return 2\n\ndef f(x):\n    local = 2\n    return new\n",
			[]string{"#A", "#B", "#C", "#D", "#g", "#y"}, []string{"#f", "#local", "#new", "#os", "#p", "#self"}},
		"a.js": {"export function f(x) { const local = 1; }\n", "export function f(x) { const local = 2; }\nexport class C { m() {} }\nconst a = 1, b = () => { const inner = 2; };\nexport { a as c };\nexport default b;\n",
			[]string{"#C", "#m", "#a", "#b", "#c", "#default"}, []string{"#f", "#local", "#inner", "#x"}},
		"b.cjs": {"exports.f = 1;\n", "exports.f = 1;\nexports.g = 2;\nmodule.exports = { h, i: 1 };\n", []string{"#g", "#h", "#i"}, []string{"#f"}},
		"a.go": {"package a\n\nfunc F() { local := 1; _ = local }\n", "package a\n\nfunc F() { local := 1; other := local; _ = other }\n\ntype T struct{ A, B int }\n\nfunc (t T) M() {}\n\nconst K = 1\n\nvar V, W = 1, 2\n\ntype I interface{ N() }\n",
			[]string{"#T", "#A", "#B", "#M", "#K", "#V", "#W", "#I", "#N"}, []string{"#F", "#local", "#other"}},
	} {
		a, err := AddedBy(t.Context(), altered(p, c.before, c.after))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range c.adds {
			if !a.holds(name) {
				t.Errorf("%s: %s is added and not known", p, name)
			}
		}
		if at := slices.IndexFunc(c.not, a.holds); at >= 0 {
			t.Errorf("%s: %s counts as added", p, c.not[at])
		}
	}
}

func altered(p, before, after string) []Change {
	return []Change{{Path: p, Before: []byte(before), After: []byte(after)}}
}

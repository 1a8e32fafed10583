package code

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// projects are the same small shop in three languages.
var projects = map[string]fstest.MapFS{
	"python": files(map[string]string{
		"shop/__init__.py":   "from .tax import gross\n",
		"shop/tax.py":        "RATE = 2\n\n\ndef gross(n):\n    return n * RATE\n",
		"shop/cart.py":       "from decimal import Decimal\nfrom . import tax\nfrom .tax import gross as full\n\n\ndef total(items):\n    return full(count(items)) + tax.gross(1)\n\n\ndef count(items):\n    return len(items)\n",
		"tests/test_cart.py": "from shop.cart import total\nfrom shop import gross\n\n\ndef test_total():\n    assert total([1]) == gross(2)\n",
	}),
	"script": files(map[string]string{
		"src/tax.ts":        "export const RATE = 2;\nexport function gross(n: number) { return n * RATE; }\n",
		"src/cart.ts":       "import { gross as full } from './tax.js';\nimport * as tax from './tax';\n\nexport function total(items: number[]) {\n  return full(count(items)) + tax.gross(1);\n}\n\nfunction count(items: number[]) { return items.length; }\n",
		"test/cart.test.js": "const { total } = require('../src/cart');\nconst { gross } = require('../src/tax');\n\ntest('total', () => {\n  expect(total([1])).toBe(gross(2));\n});\n",
	}),
	"go": files(map[string]string{
		"go.mod":            "module example.org/shop\n",
		"tax/tax.go":        "package tax\n\nconst rate = 2\n\nfunc Gross(n int) int { return n * rate }\n",
		"cart/cart.go":      "package cart\n\nimport \"example.org/shop/tax\"\n\nfunc Total(items []int) int {\n\treturn tax.Gross(count(items))\n}\n",
		"cart/count.go":     "package cart\n\nfunc count(items []int) int { return len(items) }\n",
		"cart/cart_test.go": "package cart\n\nimport \"testing\"\n\nfunc TestTotal(t *testing.T) {\n\tif Total(nil) != 0 {\n\t\tt.Fail()\n\t}\n}\n",
	}),
}

func files(in map[string]string) fstest.MapFS {
	out := fstest.MapFS{}
	for name, text := range in {
		out[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return out
}

func TestE7ReferencesAreCallersAndImports(t *testing.T) {
	t.Parallel()
	tests := []struct{ project, file, id, callers string }{
		{"python", "shop/tax.py", "function:gross", "shop/cart.py:7:total tests/test_cart.py:6:test_total"},
		{"python", "shop/cart.py", "function:count", "shop/cart.py:7:total"},
		{"script", "src/tax.ts", "function:gross", "src/cart.ts:5:total test/cart.test.js:5:total"},
		{"go", "cart/cart.go", "function:Total", "cart/cart_test.go:6:TestTotal"},
		{"go", "tax/tax.go", "function:Gross", "cart/cart.go:6:Total"},
	}
	list := func(refs []Reference) string {
		var out []string
		for _, r := range refs {
			if !r.Sure {
				t.Errorf("%+v is not sure", r)
			}
			out = append(out, fmt.Sprintf("%s:%d:%s", r.Path, r.Line, splitID(r.ID).name))
		}
		return strings.Join(out, " ")
	}
	for _, test := range tests {
		p, err := NewProject(t.Context(), projects[test.project])
		if err != nil {
			t.Fatal(err)
		}
		refs, err := p.References(t.Context(), test.file, test.id)
		if err != nil {
			t.Fatal(err)
		}
		callers := slices.DeleteFunc(refs, func(r Reference) bool { return r.Import })
		if got := list(callers); got != test.callers {
			t.Errorf("%s %s is called by %q, want %q", test.file, test.id, got, test.callers)
		}
	}
}

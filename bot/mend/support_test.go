package mend

import (
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
)

func TestR2TheTestsOwnShimIsNotMended(t *testing.T) {
	t.Parallel()
	sandboxtest.Whole(t)
	p := patient{name: "shim", dir: t.TempDir()}
	put(t, p.dir, "package.json", `{"type": "module", "scripts": {"test": "node --test"}}`)
	put(t, p.dir, "lib/assert-shim.js", "import assert from 'node:assert';\n\nexport const same = (a, b) => {\n  if (a !== b) {\n    assert.deepEqual(a, b);\n  }\n};\n")
	put(t, p.dir, "src/fees.js", "export function fee(days) {\n  if (days > 3) {\n    return days * 2;\n  }\n  return 0;\n}\n")
	test := "import { test } from 'node:test';\nimport { fee } from '../src/fees.js';\nimport { same } from '../lib/assert-shim.js';\n"
	for _, c := range []string{"none: fee(1), 0", "from three days on: fee(3), 6", "more: fee(5), 10"} {
		name, args, _ := strings.Cut(c, ": ")
		test += "test('" + name + "', () => same(" + args + "));\n"
	}
	put(t, p.dir, "test/all.test.js", test)
	r := treat(t, p)
	t.Log(r.row())
	if r.repair.Found == nil || r.repair.Found.Path != "src/fees.js" || !r.verdict.Green {
		t.Errorf("mended: %+v", r.repair.Found)
	}
	for _, a := range r.repair.Found.Alternatives {
		if strings.Contains(a, "assert-shim") {
			t.Errorf("the tests' own shim was changed: %s", a)
		}
	}
}

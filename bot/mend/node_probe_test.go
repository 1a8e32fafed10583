package mend

import (
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
)

// feesOfNode are mended by "days >= 3"; the tests say what some numbers of days give.
func feesOfNode(t *testing.T, tests ...string) *Found {
	t.Helper()
	p := patient{name: "node rivals", dir: t.TempDir()}
	put(t, p.dir, "package.json", `{"type": "module", "scripts": {"test": "node --test"}}`)
	put(t, p.dir, "src/fees.js", "export function fee(days) {\n  if (days > 3) {\n    return days * 2;\n  }\n  return 0;\n}\n")
	text := "import { test } from 'node:test';\nimport assert from 'node:assert';\nimport { fee } from '../src/fees.js';\n\n"
	for _, c := range tests {
		text += "test('" + c + "', () => assert.strictEqual(" + c + "));\n"
	}
	put(t, p.dir, "test/fees.test.js", text)
	r := treat(t, p)
	t.Log(r.row())
	if r.repair.Found == nil || !strings.Contains(r.repair.Found.Patch.Edits[0].Code, "days >= 3") {
		t.Fatalf("mended: %+v", r.repair.Found)
	}
	return r.repair.Found
}

func TestR2RivalsOfNodeAreToldApartByWhatTheyDo(t *testing.T) {
	t.Parallel()
	f := feesOfNode(t, "fee(1), 0", "fee(3), 6", "fee(5), 10")
	same := 0 // from two days on, said in several ways
	for _, a := range f.Alternatives {
		if strings.Contains(a, "`days > 1`") || strings.Contains(a, "Use 1 instead of 3.") {
			same++
		}
	}
	said := func(words string) bool {
		return slices.ContainsFunc(f.Alternatives, func(a string) bool { return strings.Contains(a, words) })
	}
	if !f.Ambiguous || same != 1 || !said("(differs on fee(2): 4, not 0)") || said("Use 2 instead of 3.") {
		t.Errorf("what tells them apart is not told: %+v", f)
	}
}

func TestR2RivalsOfNodeThatDoTheSameAreNone(t *testing.T) {
	t.Parallel()
	sandboxtest.Whole(t)
	if f := feesOfNode(t, "fee(1), 0", "fee(2), 0", "fee(3), 6", "fee(5), 10"); f.Ambiguous || len(f.Alternatives) > 0 {
		t.Errorf("they do the same: %+v", f)
	}
}

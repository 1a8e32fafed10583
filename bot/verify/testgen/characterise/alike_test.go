package characterise_test

import (
	"strings"
	"testing"
)

func TestR2AFunctionThatGivesWhatItsSiblingGivesIsTold(t *testing.T) {
	t.Parallel()
	now := `def median(values):
    ordered = sorted(values)
    total = 0
    for value in ordered:
        total += value
    return total / len(ordered)


`
	at := strings.Index(pythonLab, "def mean")
	l := tryOut(t, "-- stats/__init__.py --\n-- stats/middle.py --\n"+now+pythonLab[at:], patience)
	if len(l.found.Alike) != 1 || !strings.HasPrefix(l.found.Alike[0], "median now gives the same as mean on all ") {
		t.Errorf("told: %q", l.found.Alike)
	}
	if l = triedPython(t); len(l.found.Files) == 0 || len(l.found.Alike) != 0 {
		t.Errorf("a median is no mean: %q", l.found.Alike)
	}
}

func TestR2AFunctionThatItsInverseUndoesNoMoreIsTold(t *testing.T) {
	t.Parallel()
	tree := func(net string) string {
		return `-- package.json --
{"name": "vat", "version": "1.0.0", "scripts": {"test": "node --test"}}
-- vat.js --
` + net + `
-- before/vat.js --
` + vat("gross * 100 / (100 + rate)") + `
-- test/vat.test.js --
const test = require('node:test');
const assert = require('node:assert');
const { netFromGross, grossFromNet } = require('../vat.js');
test('net', () => {
  for (const gross of [11900, 23800, 1190, 0]) assert.ok(netFromGross(gross, 19) <= gross);
});
test('gross', () => {
  assert.strictEqual(grossFromNet(10000, 19), 11900);
});
`
	}
	l := tryOut(t, tree(vat("gross * (100 - rate) / 100")), patience)
	if len(l.found.Alike) != 1 || !strings.HasPrefix(l.found.Alike[0], "grossFromNet undid netFromGross on ") || !strings.Contains(l.found.Alike[0], "such as netFromGross(") {
		t.Errorf("told: %q, left %q", l.found.Alike, l.found.Left)
	}
	if testing.Short() { // TestR2AFunctionThatGivesWhatItsSiblingGivesIsTold sees that what is well is not told
		return
	}
	if l = tryOut(t, tree(vat("(gross * 100) / (rate + 100)")), patience); len(l.found.Alike) != 0 {
		t.Errorf("it is undone as before: %q", l.found.Alike)
	}
}

func vat(net string) string {
	return `function grossFromNet(net, rate) {
  return Math.round((net * (100 + rate)) / 100);
}

function netFromGross(gross, rate) {
  return Math.round(` + net + `);
}

module.exports = { grossFromNet, netFromGross };`
}

package mend

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/fettle-dev/fettle/bot/task"
)

// held are projects that lack a condition which no other place of the file holds.
var held = map[string]string{
	"python": `
-- model.py --
class Line:
    def __init__(self, sku, count, held=False):
        self.sku = sku
        self.count = count
        self.held = held
-- stock.py --
def pick(lines):
    out = []
    for line in lines:
        if line.count > 0:
            out.append(line.sku)
    return out
-- test_stock.py --
from model import Line
from stock import pick

def test_held():
    assert pick([Line("a", 1), Line("b", 2, held=True), Line("c", 3)]) == ["a", "c"]

def test_plain():
    assert pick([Line("a", 1), Line("b", 0)]) == ["a"]
`,
	"javascript": `
-- package.json --
{"name": "stock"}
-- model.js --
exports.line = (sku, count, held = false) => ({ sku, count, held });
-- stock.js --
exports.pick = (lines) => {
  const out = [];
  for (const line of lines) {
    if (line.count > 0) {
      out.push(line.sku);
    }
  }
  return out;
};
-- test/stock.test.js --
const test = require('node:test');
const assert = require('node:assert');
const { line } = require('../model.js');
const { pick } = require('../stock.js');
test('held', () => { assert.deepStrictEqual(pick([line('a', 1), line('b', 2, true), line('c', 3)]), ['a', 'c']); });
test('plain', () => { assert.deepStrictEqual(pick([line('a', 1), line('b', 0)]), ['a']); });
`,
	"go": `
-- go.mod --
module example.com/stock

go 1.21
-- line.go --
package stock

type Line struct {
	SKU   string
	Count int
	Held  bool
}
-- pick.go --
package stock

func Pick(lines []Line) []string {
	var out []string
	for _, line := range lines {
		if line.Count > 0 {
			out = append(out, line.SKU)
		}
	}
	return out
}
-- pick_test.go --
package stock

import (
	"strings"
	"testing"
)

func TestHeld(t *testing.T) {
	got := Pick([]Line{{"a", 1, false}, {"b", 2, true}, {"c", 3, false}})
	if s := strings.Join(got, " "); s != "a c" {
		t.Errorf("got %q, want %q", s, "a c")
	}
}

func TestPlain(t *testing.T) {
	if got := Pick([]Line{{"a", 1, false}, {"b", 0, false}}); len(got) != 1 {
		t.Errorf("got %v", got)
	}
}
`,
}

func project(t *testing.T, text string) patient {
	t.Helper()
	p := patient{name: t.Name(), dir: t.TempDir()}
	for _, f := range txtar.Parse([]byte(text)).Files {
		put(t, p.dir, f.Name, string(f.Data))
	}
	return p
}

func TestR1AForcedConditionShowsWhereOneIsMissing(t *testing.T) {
	t.Parallel()
	for lang, text := range held {
		if testing.Short() && lang != "javascript" {
			continue
		}
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			p := project(t, text)
			p.task = task.Task{Title: "Lines on hold are picked", Body: "pick() should leave out what is held."}
			r := treat(t, p)
			if r.repair.Found == nil || !r.verdict.Green {
				t.Fatalf("not mended: %s", r.row())
			}
			if text := strings.ToLower(r.repair.Found.Patch.Edits[0].Code); !strings.Contains(text, "line.held") {
				t.Errorf("mended by another condition: %s", r.row())
			}
		})
	}
}

func TestR2WhatIsMadeByTryingIsADraft(t *testing.T) {
	t.Parallel()
	src := "if a {\n"
	for text, doubtful := range map[string]bool{"a && b == 17": true, `a && b == "x"`: true, "a && b == 0": false, "a && !b": false} {
		c := changed("a.go", src, "a", text)
		c.mutation.Operator = "condition_made"
		if got := len(c.byMaking()) > 0; got != doubtful {
			t.Errorf("%s: doubtful %v", text, got)
		}
	}
	for op, doubtful := range map[string]bool{"sibling_statement": true, "guard_made": true, "opposite_statement": false, "variable": false} {
		c := changed("a.go", src, "a", "b")
		c.mutation.Operator = op
		if got := len(c.byMaking()) > 0; got != doubtful {
			t.Errorf("%s: doubtful %v", op, got)
		}
	}
}

package loop_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
	"github.com/fettle-dev/fettle/bot/task"
)

// feature is what an honest model answers to an issue that needs what is not
// there yet: a new file, or a new name in a file.
type feature struct {
	name   string
	repo   map[string]string
	source string // path of what the change creates
	code   string
	test   string // path of its test
	tests  string
	refuse string // words of the refusal; empty: the change is taken
	long   bool   // in the long run only
}

var (
	pyRepo = map[string]string{"sums.py": "def total(values):\n    return sum(values)\n", "conftest.py": "",
		"tests/test_sums.py": "from sums import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n"}
	jsRepo = map[string]string{"package.json": `{"type": "module", "scripts": {"test": "node --test"}}`,
		"lib/sums.js":       "export function total(values) {\n  return values.reduce((a, b) => a + b, 0);\n}\n",
		"test/sums.test.js": "import test from 'node:test';\nimport assert from 'node:assert';\nimport { total } from '../lib/sums.js';\n\ntest('total', () => { assert.equal(total([1, 2]), 3); });\n"}
	cjsRepo = map[string]string{"package.json": `{"scripts": {"test": "node --test"}}`,
		"lib/sums.js":       "exports.total = (values) => values.reduce((a, b) => a + b, 0);\n",
		"test/sums.test.js": "const test = require('node:test');\nconst assert = require('node:assert');\nconst { total } = require('../lib/sums');\n\ntest('total', () => { assert.equal(total([1, 2]), 3); });\n"}
	goRepo = map[string]string{"go.mod": "module example.com/sums\n\ngo 1.21\n",
		"sums.go":      "package sums\n\n// Total adds up.\nfunc Total(values []int) int {\n\tout := 0\n\tfor _, v := range values {\n\t\tout += v\n\t}\n\treturn out\n}\n",
		"sums_test.go": "package sums\n\nimport \"testing\"\n\nfunc TestTotal(t *testing.T) {\n\tif got := Total([]int{1, 2}); got != 3 {\n\t\tt.Errorf(\"got %d\", got)\n\t}\n}\n"}
)

const (
	pyRatio  = "def ratio(part, whole):\n    if whole == 0:\n        return 0.0\n    return part / whole\n"
	jsRatio  = "export function ratio(part, whole) {\n  if (whole === 0) {\n    return 0;\n  }\n  return part / whole;\n}\n"
	cjsRatio = "function ratio(part, whole) {\n  if (whole === 0) {\n    return 0;\n  }\n  return part / whole;\n}\n\nmodule.exports = { ratio };\n"
	goRatio  = "// Ratio is part by whole, 0 where there is no whole.\nfunc Ratio(part, whole float64) float64 {\n\tif whole == 0 {\n\t\treturn 0\n\t}\n\treturn part / whole\n}\n"
	jsHead   = "import test from 'node:test';\nimport assert from 'node:assert';\n"
	cjsHead  = "const test = require('node:test');\nconst assert = require('node:assert');\n"
	goCase   = "\tif got := %sRatio(1, 2); got != 0.5 {\n\t\tt.Errorf(\"got %%v\", got)\n\t}\n\tif got := %sRatio(1, 0); got != 0 {\n\t\tt.Errorf(\"got %%v\", got)\n\t}\n"
)

var features = []feature{
	{"python, import on top", pyRepo, "ratio.py", pyRatio, "tests/test_ratio.py",
		"from ratio import ratio\n\n\ndef test_ratio():\n    assert ratio(1, 2) == 0.5\n    assert ratio(1, 0) == 0.0\n", "", false},
	{"python, import in the test", pyRepo, "ratio.py", pyRatio, "tests/test_ratio.py",
		"def test_ratio():\n    from ratio import ratio\n\n    assert ratio(1, 2) == 0.5\n    assert ratio(1, 0) == 0.0\n", "", true},
	{"javascript, import on top", jsRepo, "lib/ratio.js", jsRatio, "test/ratio.test.js",
		jsHead + "import { ratio } from '../lib/ratio.js';\n\ntest('ratio', () => {\n  assert.equal(ratio(1, 2), 0.5);\n  assert.equal(ratio(1, 0), 0);\n});\n", "", true},
	{"javascript, import in the test", jsRepo, "lib/ratio.js", jsRatio, "test/ratio.test.js",
		jsHead + "\ntest('ratio', async () => {\n  const { ratio } = await import('../lib/ratio.js');\n  assert.equal(ratio(1, 2), 0.5);\n  assert.equal(ratio(1, 0), 0);\n});\n", "", true},
	{"javascript, require on top", cjsRepo, "lib/ratio.js", cjsRatio, "test/ratio.test.js",
		cjsHead + "const { ratio } = require('../lib/ratio');\n\ntest('ratio', () => {\n  assert.equal(ratio(1, 2), 0.5);\n  assert.equal(ratio(1, 0), 0);\n});\n", "", true},
	{"javascript, require in the test", cjsRepo, "lib/ratio.js", cjsRatio, "test/ratio.test.js",
		cjsHead + "\ntest('ratio', () => {\n  const { ratio } = require('../lib/ratio');\n  assert.equal(ratio(1, 2), 0.5);\n  assert.equal(ratio(1, 0), 0);\n});\n", "", true},
	{"go, a new name", goRepo, "ratio.go", "package sums\n\n" + goRatio, "ratio_test.go",
		"package sums\n\nimport \"testing\"\n\nfunc TestRatio(t *testing.T) {\n" + fmt.Sprintf(goCase, "", "") + "}\n", "", true},
	{"go, a new package", goRepo, "part/ratio.go", "// Package part divides.\npackage part\n\n" + goRatio, "part/ratio_test.go",
		"package part_test\n\nimport (\n\t\"testing\"\n\n\t\"example.com/sums/part\"\n)\n\nfunc TestRatio(t *testing.T) {\n" + fmt.Sprintf(goCase, "part.", "part.") + "}\n", "", true},

	{"python, something else is missing", pyRepo, "ratio.py", pyRatio, "tests/test_ratio.py",
		"import surely_not_there\nfrom ratio import ratio\n\n\ndef test_ratio():\n    assert ratio(1, 2) == surely_not_there.HALF\n", "surely_not_there", false},
	{"javascript, something else is missing", jsRepo, "lib/ratio.js", jsRatio, "test/ratio.test.js",
		jsHead + "import half from 'surely-not-there';\nimport { ratio } from '../lib/ratio.js';\n\ntest('ratio', () => {\n  assert.equal(ratio(1, 2), half);\n});\n", "surely-not-there", true},
	{"go, something else is missing", goRepo, "ratio.go", "package sums\n\n" + goRatio, "ratio_test.go",
		"package sums\n\nimport \"testing\"\n\nfunc TestRatio(t *testing.T) {\n\tif got := Ratio(1, 2); got != surelyNotThere {\n\t\tt.Errorf(\"got %v\", got)\n\t}\n}\n", "surelyNotThere", true},
}

func (f feature) answer() string {
	return "```json\n{\"edits\":[{\"kind\":\"create_file\",\"path\":\"" + f.source + "\",\"code\":1},{\"kind\":\"create_file\",\"path\":\"" + f.test + "\",\"code\":2}],\"explanation\":\"adds ratio\"}\n```\n```\n" +
		f.code + "```\n```\n" + f.tests + "```\n"
}

func TestC5ATestOfWhatTheChangeAddsFailsOnTheBaseForTheRightReason(t *testing.T) {
	sandboxtest.Whole(t) // TestC5WhatTheChangeAddsIsTheRightReasonToFailOnTheBase, of bot/verify
	t.Parallel()
	for _, f := range features {
		if f.long && testing.Short() {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, f.repo, func(scripted.Call, int) scripted.Answer { return scripted.Answer{Text: f.answer()} }, task.Tier1)
			b.task = task.Task{Title: "Add a function for the ratio of two numbers", Body: "It should be 0 where there is no whole.", Origin: task.OriginEval}
			res := b.run(t, task.Budget{})
			if f.refuse != "" {
				if res.Outcome == task.Success || len(res.Attempts) == 0 || !strings.Contains(res.Attempts[0].Refused, f.refuse) {
					t.Fatalf("%s: %s, %d attempts, first %q", res.Outcome, res.Reason, len(res.Attempts), res.Attempts[0].Refused)
				}
				return
			}
			if res.Outcome != task.Success || len(res.Attempts) != 1 {
				for _, a := range res.Attempts {
					t.Logf("attempt %d: %s %s %+v", a.Number, a.Refused, a.Why, a.Failures)
				}
				t.Fatalf("%s: %s", res.Outcome, res.Reason)
			}
			if len(res.Reproduction) != 1 || !strings.Contains(res.Reproduction[0], "atio") {
				t.Errorf("reproduction %q", res.Reproduction)
			}
			score := ""
			for _, c := range res.Checks {
				if strings.HasPrefix(c.Name, "strength of the new tests") {
					score = c.Detail
				}
			}
			if !strings.Contains(score, "planted faults found") {
				t.Errorf("the test's strength is not told: %+v", res.Checks)
			}
		})
	}
}

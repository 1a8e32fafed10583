package check

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/verify/detect"
	"github.com/fettle-dev/fettle/bot/verify/impact"
)

// suites are small projects of each runner whose tests can be recorded, with
// two functions and a test for each. In all of them the text "- 1" is of the
// function that the second test runs.
var suites = map[string]map[string]string{
	"pytest": {
		"pytest.ini": "[pytest]\n", "calc.py": "def plus(a, b):\n    return a + b\n\n\ndef less(a):\n    return a - 1\n",
		"test_calc.py": "import calc\nimport pytest\n\n\n@pytest.mark.parametrize('n', [1, 2])\ndef test_plus(n):\n    assert calc.plus(n, 1) == n + 1\n\n\nclass TestLess:\n    def test_less(self):\n        assert calc.less(2) == 1\n",
	},
	"unittest": {
		"calc.py":      "def plus(a, b):\n    return a + b\n\n\ndef less(a):\n    return a - 1\n",
		"test_calc.py": "import unittest\nimport calc\n\n\nclass T(unittest.TestCase):\n    def test_plus(self):\n        self.assertEqual(calc.plus(1, 1), 2)\n\n    def test_less(self):\n        self.assertEqual(calc.less(2), 1)\n",
	},
	"go test": {
		"go.mod": "module example.com/calc\n\ngo 1.21\n", "sub/calc.go": "package sub\n\nfunc Plus(a, b int) int { return a + b }\n\nfunc Less(a int) int {\n\treturn a - 1\n}\n",
		"sub/calc_test.go": "package sub\n\nimport \"testing\"\n\nfunc TestPlus(t *testing.T) {\n\tif Plus(1, 1) != 2 {\n\t\tt.Error()\n\t}\n}\n\nfunc TestLess(t *testing.T) {\n\tif Less(2) != 1 {\n\t\tt.Error()\n\t}\n}\n",
	},
	"node:test": {
		"package.json": `{"name":"calc","scripts":{"test":"node --test"}}`, "calc.js": "exports.plus = (a, b) => a + b\n\nexports.less = function (a) {\n  return a - 1\n}\n",
		"test/plus.test.js": "const { test } = require('node:test')\nconst assert = require('node:assert')\nconst { plus } = require('../calc')\ntest('plus', () => assert.strictEqual(plus(1, 1), 2))\n",
		"test/less.test.js": "const { test } = require('node:test')\nconst assert = require('node:assert')\nconst { less } = require('../calc')\ntest('less', () => assert.strictEqual(less(2), 1))\n",
	},
}

func TestC4ARecordedSuiteTellsItsTestsApart(t *testing.T) {
	t.Parallel()
	programs := map[string]string{"pytest": "python3", "unittest": "python3", "go test": "go", "node:test": "node"}
	for tool, files := range suites {
		if testing.Short() && tool == "go test" { // a build for each test
			continue
		}
		t.Run(tool, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(programs[tool]); err != nil {
				t.Skipf("%s is not on this machine", programs[tool])
			}
			if tool == "pytest" && exec.Command("python3", "-c", "import pytest").Run() != nil {
				t.Skip("pytest is not on this machine")
			}
			checked(t, map[string]string{"README.md": "x"}, Options{Only: []string{"none"}}) // opens the sandbox
			dir := t.TempDir()
			for p, text := range files {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, p)), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, p), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			chosenAfter(t, dir, tool)
		})
	}
}

// chosenAfter records the suite, breaks the function that one test runs, and
// looks that this test alone is chosen, is run, and is red.
func chosenAfter(t *testing.T, dir, tool string) {
	t.Helper()
	runner := New(Config{Sandbox: session(t)})
	plan, err := detect.Detect(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	maps, err := runner.Record(context.Background(), dir, Options{Plan: plan})
	if err != nil || len(maps) != 1 || maps[0].Map == nil || len(maps[0].Map.Tests) != 2 {
		t.Fatalf("%+v %v", maps, err)
	}
	changed := ""
	for _, p := range []string{"calc.py", "calc.js", "sub/calc.go"} {
		if text, err := os.ReadFile(filepath.Join(dir, p)); err == nil {
			changed = p
			if err := os.WriteFile(filepath.Join(dir, p), []byte(strings.Replace(string(text), "- 1", "- 2", 1)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	r, err := runner.Run(context.Background(), dir, Options{Profile: Fast, Plan: plan, Changed: []string{changed}, Only: []string{"test"},
		Map: func(detect.Command) *impact.Map { return maps[0].Map }})
	if err != nil || len(r.Checks) != 1 {
		t.Fatalf("%+v %v", r, err)
	}
	c := r.Checks[0]
	if c.Failed != 1 || c.Passed != 0 || len(c.Selected) != 1 || len(c.Selected[0].Tests) != 1 || !strings.Contains(strings.ToLower(c.Selected[0].Tests[0]), "less") {
		t.Errorf("%s: %+v", tool, c)
	}
	if len(c.Failures) == 0 || !slices.ContainsFunc(c.Selected[0].Reasons, func(why string) bool { return strings.Contains(why, changed) }) {
		t.Errorf("%s: %+v", tool, c)
	}
}

func session(t *testing.T) *sandbox.Sandbox {
	t.Helper()
	s := shared.box.Session()
	t.Cleanup(func() { _ = s.Close() })
	return s
}

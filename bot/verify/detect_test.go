package verify

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/fettle-dev/fettle/bot/verify/detect"
)

func files(pairs ...string) fstest.MapFS {
	out := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return out
}

const (
	plainTest  = "def test_a():\n    assert 1\n"
	caseTest   = "import unittest\n\nclass A(unittest.TestCase):\n    def test_a(self): pass\n"
	nodeSource = "import test from 'node:test';\ntest('a', () => {});\n"
	goSource   = "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n"
	nodeScript = `{"scripts": {"test": "node --test"}}`
)

func TestC2Detect(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		tree fstest.MapFS
		want []string // label and command
	}{
		{"pytest by its style", files("test_a.py", plainTest), []string{"pytest: python3 -m pytest"}},
		{"pytest by a fixture", files("tests/test_a.py", "from pytest import fixture\n"+caseTest), []string{"pytest: python3 -m pytest"}},
		{"unittest", files("a.py", "x = 1", "tests/test_a.py", caseTest), []string{"unittest: python3 -m unittest discover -s tests"}},
		{"unittest in files that it does not find by name", files("tests/shop.py", caseTest), []string{"unittest: python3 -m unittest discover -s tests -p *.py"}},
		{"a helper below a folder of tests", files("tests/tool.py", "def test_run():\n    pass\n", "go.mod", "module x", "a_test.go", goSource), []string{"go: go test ./..."}},
		{"a script that runs another runner beside node:test", files("package.json", `{"scripts": {"test": "ava && node test/b.test.js"}}`, "test/a.js", "", "test/b.test.js", nodeSource), []string{"node: node --test test/b.test.js"}},
		{"unittest with pytest configured", files("pytest.ini", "[pytest]\n", "tests/test_a.py", caseTest), []string{"pytest: python3 -m pytest"}},
		{"both styles", files("tests/test_a.py", caseTest, "tests/test_b.py", plainTest), []string{"pytest: python3 -m pytest"}},
		{"files that the configuration names", files("pyproject.toml", "[tool.pytest.ini_options]\npython_files = [\"tests.py\", \"check_*.py\"]\n", "a/tests.py", plainTest), []string{"pytest: python3 -m pytest"}},
		{"several lines of them", files("setup.cfg", "[tool:pytest]\npython_files =\n    tests.py\n    check_*.py\naddopts = -v\n", "tests/check_a.py", plainTest), []string{"pytest: python3 -m pytest"}},
		{"installed things are not looked at", files("venv/test_a.py", plainTest, "node_modules/x/x.test.js", nodeSource, "tests/test_a.py", plainTest), []string{"pytest: python3 -m pytest"}},
		{"python monorepo", files("a/pyproject.toml", "", "a/tests/test_a.py", plainTest, "b/setup.py", "", "b/test_b.py", caseTest),
			[]string{"pytest in a: python3 -m pytest", "unittest in b: python3 -m unittest discover"}},
		{"root configuration covers all", files("pytest.ini", "", "a/pyproject.toml", "", "a/test_a.py", plainTest, "test_b.py", plainTest), []string{"pytest: python3 -m pytest"}},
		{"node by script", files("package.json", nodeScript, "test/a.js", nodeSource), []string{"node: node --test"}},
		{"node through another script", files("package.json", `{"scripts": {"test": "npm run unit", "unit": "node --import ./x.mjs --test 'spec/**/*.js' && echo"}}`, "spec/a.js", nodeSource),
			[]string{"node: node --import ./x.mjs --test spec/**/*.js"}},
		{"node with a variable", files("package.json", `{"scripts": {"test": "cross-env TZ=Asia/Tokyo node --test 'x/**/*.js'"}}`, "x/a.js", nodeSource), []string{"node: TZ=Asia/Tokyo node --test x/**/*.js"}},
		{"node by import", files("package.json", "{}", "lib/a.test.mjs", nodeSource), []string{"node: node --test"}},
		{"node in folders that it does not know", files("package.json", "{}", "tests/a.js", nodeSource, "tests/b.js", nodeSource, "x.test.js", nodeSource), []string{"node: node --test tests/*.js x.test.js"}},
		{"node without package.json", files("a.test.cjs", "const test = require('node:test');"), []string{"node: node --test"}},
		{"mocha by script", files("package.json", `{"scripts": {"test": "cross-env NODE_ENV=test c8 --all mocha --require @babel/register --reporter dot 'test/**/*.js'"}}`, "test/a.js", "it()"),
			[]string{"mocha: NODE_ENV=test mocha --require @babel/register --reporter dot test/**/*.js"}},
		{"mocha with flags of node", files("package.json", `{"scripts": {"test": "node --expose-gc node_modules/.bin/_mocha test"}}`), []string{"mocha: node --expose-gc mocha test"}},
		{"mocha by its configuration", files("package.json", "{}", ".mocharc.cjs", "module.exports = {}"), []string{"mocha: mocha"}},
		{"mocha beside node:test", files("package.json", `{"scripts": {"test": "npm run unit", "unit": "mocha test/unit"}}`, "test/unit/a.js", "it()", "test/b.test.js", nodeSource),
			[]string{"mocha: mocha test/unit", "node: node --test test/b.test.js"}},
		{"go", files("go.mod", "module x", "a/a_test.go", goSource), []string{"go: go test ./..."}},
		{"go modules", files("go.mod", "module x", "a_test.go", goSource, "tools/go.mod", "module y", "tools/b_test.go", goSource, "vendor/z/z_test.go", goSource, "testdata/go.mod", "module t", "testdata/t_test.go", goSource),
			[]string{"go: go test ./...", "go in tools: go test ./..."}},
		{"several languages", files("go.mod", "module x", "a_test.go", goSource, "web/package.json", nodeScript, "web/test/a.js", nodeSource, "tests/test_a.py", plainTest),
			[]string{"go: go test ./...", "pytest: python3 -m pytest", "node in web: node --test"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			suites, err := verifier(t).Detect(c.tree)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range suites {
				got = append(got, s.label()+": "+strings.Join(s.Argv, " "))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestC2ACommandCountsWhereNothingElseRunsTests(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		tree fstest.MapFS
		want string
	}{
		{"a script of any runner", files("package.json", `{"scripts": {"test": "ava --tap"}}`, "a.test.js", "test('a', () => {})"), "[test script]"},
		{"beside another language", files("package.json", `{"scripts": {"test": "ava"}}`, "lib/go.mod", "module x\n", "lib/a_test.go", goSource), "[go]"},
		{"suites of two kinds", files("web/package.json", `{"scripts": {"test": "jest"}}`, "lib/go.mod", "module x\n", "lib/a_test.go", goSource), "[go jest]"},
		{"a Makefile", files("Makefile", "test:\n\t./run\n"), "[make]"},
		{"declared ones", files("Makefile", "test:\n\t./run\n", ".fettle.yml", "checks:\n  - {name: unit, run: ./unit}\n  - {name: more, run: ./more test}\n  - {name: form, run: ./lint}\n"), "[more]"},
		{"declared ones with formats", files(".fettle.yml", "checks:\n  - {name: unit, run: ./unit, format: tap}\n  - {name: more, run: ./more, format: exit}\n"), "[more unit]"},
	} {
		suites, err := verifier(t).Detect(c.tree)
		var names []string
		for _, s := range suites {
			names = append(names, s.Name)
		}
		if got := fmt.Sprint(names); err != nil || got != c.want {
			t.Errorf("%s: %s, %v", c.name, got, err)
		}
	}
}

func TestC2DetectSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		tree fstest.MapFS
		want error
		says string
	}{
		{"empty", files(), ErrNoTests, "looked for tests of cargo, ctest, go test"},
		{"no tests", files("a.py", "x = 1", "go.mod", "module x", "a.go", "package a"), ErrNoTests, "2 files"},
		{"no test specified", files("package.json", `{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}`), ErrNoTests, "looked for"},
		{"elixir", files("mix.exs", "", "lib/a.ex", ""), ErrUnsupported, "mix.exs (Elixir)"},
		{"not JSON", files("package.json", "{"), ErrNoTests, "looked for"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			suites, err := verifier(t).Detect(c.tree)
			if c.name == "no tests" {
				c.says = "3 files"
			}
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) || suites != nil {
				t.Errorf("got %v, %v", suites, err)
			}
		})
	}
}

func TestC2NodePatterns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		script, file string
		want         bool
	}{
		{"test/*.js", "test/a.js", true}, {"test/*.js", "test/b/a.js", false}, {"'test/**/*.js'", "test/b/a.js", true},
		{"test/**/*.js", "test/b/a.js", true}, {"test/**/*.js", "test/b/c/a.js", false}, {"\"test/**/*.js\"", "test/a.js", true},
		{"./test", "test/a.js", true}, {"test/a.js", "test/a.js", true}, {"test/*", "test/b/a.js", false}, {"*", "test/b/a.js", true}, {"test/*", "test/a.txt", true},
		{"'test/*.{js,mjs}'", "test/a.mjs", true}, {"src", "test/a.js", false}, {"src", "src/a.js", false}, {"src", "src/a.test.js", true}, {"[", "test/a.js", false},
	} {
		_, patterns := nodeFlags(scriptSuite(t, "node --test "+c.script).Argv)
		if got := detect.NodeRuns(patterns, c.file); got != c.want {
			t.Errorf("%s on %s: %v (%q)", c.script, c.file, got, patterns)
		}
	}
}

package impact

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/fettle-dev/fettle/bot/verify/detect"
)

// project is a tree with the one test command that is detected in it.
func project(t *testing.T, files map[string]string) (*detect.Tree, detect.Command) {
	t.Helper()
	fsys := fstest.MapFS{}
	for p, text := range files {
		fsys[p] = &fstest.MapFile{Data: []byte(text)}
	}
	tr, err := detect.Scan(fsys)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range tr.Plan().Commands {
		if c.Kind == detect.Test {
			return tr, c
		}
	}
	t.Fatal("no test command")
	return nil, detect.Command{}
}

func picked(s Selection) []string {
	var out []string
	for _, p := range s.Picks {
		out = append(out, p.File)
	}
	return out
}

func sorted(list []string) []string {
	slices.Sort(list)
	return list
}

var shop = map[string]string{
	"pyproject.toml": "[tool.pytest.ini_options]\n", "src/shop/__init__.py": "from .cart import Cart\nfrom .tax import *\n",
	"src/shop/cart.py": "from . import money\nclass Cart: pass\n", "src/shop/money.py": "def cents(): pass\n", "src/shop/tax.py": "def rate(): pass\n", "src/shop/lonely.py": "x = 1\n",
	"tests/conftest.py": "from shop import Cart\n", "tests/test_cart.py": "from shop import Cart\ndef test_a(): pass\n", "tests/test_tax.py": "import shop\ndef test_b(): shop.rate()\n",
	"tests/unit/test_money.py": "import shop.money\ndef test_c(): pass\n", "tests/test_none.py": "def test_d(): pass\n", "README.md": "x",
}

func TestC4ImportsLeadFromAChangeToItsTests(t *testing.T) {
	t.Parallel()
	noConf := map[string]string{}
	for k, v := range shop {
		if k != "tests/conftest.py" {
			noConf[k] = v
		}
	}
	tr, c := project(t, noConf)
	for changed, want := range map[string][]string{
		"src/shop/tax.py":    {"tests/test_tax.py"},
		"src/shop/cart.py":   {"tests/test_cart.py"},
		"src/shop/money.py":  {"tests/test_cart.py", "tests/unit/test_money.py"},
		"tests/test_none.py": {"tests/test_none.py"},
	} {
		s := Select(tr, c, Change{Files: []string{changed}})
		if s.All || !slices.Equal(sorted(picked(s)), want) {
			t.Errorf("%s: %+v, want %v", changed, s, want)
		}
		for _, p := range s.Picks {
			if len(p.Reasons) == 0 || p.Reasons[0] == "" {
				t.Errorf("%s is chosen without a reason", p.File)
			}
		}
	}
}

func TestC4WhatAConftestImportsReachesEveryTestBelow(t *testing.T) {
	t.Parallel()
	tr, c := project(t, shop)
	s := Select(tr, c, Change{Files: []string{"src/shop/money.py"}})
	if len(s.Picks) != 4 {
		t.Errorf("%+v", s)
	}
}

func TestC4FallsBackToAllWhenNothingSpeaksForATest(t *testing.T) {
	t.Parallel()
	tr, c := project(t, shop)
	for _, files := range [][]string{{"src/shop/lonely.py"}, {"pyproject.toml"}, {"src/shop/tax.py", "data/rates.csv"}} {
		s := Select(tr, c, Change{Files: files})
		if !s.All || s.Why == "" || len(s.Narrow(c).Argv) != len(c.Argv) {
			t.Errorf("%v: %+v", files, s)
		}
	}
	if s := Select(tr, c, Change{Files: []string{"README.md"}}); !s.None || s.Why == "" {
		t.Errorf("%+v", s)
	}
}

func TestC4HistorySpeaksForTests(t *testing.T) {
	t.Parallel()
	tr, c := project(t, shop)
	together := [][]string{{"src/shop/lonely.py", "tests/test_none.py"}, {"src/shop/lonely.py", "tests/test_none.py"}, {"src/shop/lonely.py"}}
	s := Select(tr, c, Change{Files: []string{"src/shop/lonely.py"}, Commits: together})
	if !slices.Equal(picked(s), []string{"tests/test_none.py"}) || !strings.Contains(s.Picks[0].Reasons[0], "2 of the last commits") {
		t.Errorf("%+v", s)
	}
	s = Select(tr, c, Change{Files: []string{"src/shop/lonely.py"}, Past: []Past{{Files: []string{"src/shop/lonely.py"}, Tests: []string{"tests/test_tax.py"}}}})
	if !slices.Equal(picked(s), []string{"tests/test_tax.py"}) || !strings.Contains(s.Picks[0].Reasons[0], "failed before") {
		t.Errorf("%+v", s)
	}
}

func TestC4GoPackagesThatImportTheChangedOne(t *testing.T) {
	t.Parallel()
	tr, c := project(t, map[string]string{
		"go.mod": "module example.com/m\n", "a/a.go": "package a\n", "a/a_test.go": "package a\n", "b/b.go": "package b\n\nimport \"example.com/m/a\"\n\nvar _ = a.X\n", "b/b_test.go": "package b\n",
		"c/c.go": "package c\n", "c/c_test.go": "package c\n", "a/testdata/in.txt": "x",
	})
	for changed, want := range map[string][]string{"a/a.go": {"a", "b"}, "b/b.go": {"b"}, "c/c.go": {"c"}, "a/testdata/in.txt": {"a", "b"}} {
		s := Select(tr, c, Change{Files: []string{changed}})
		if !slices.Equal(sorted(picked(s)), want) {
			t.Errorf("%s: %+v", changed, s)
		}
	}
	argv := Select(tr, c, Change{Files: []string{"b/b.go"}}).Narrow(c).Argv
	if !slices.Equal(argv, []string{"go", "test", "-json", "./b"}) {
		t.Errorf("%v", argv)
	}
}

func TestC4ScriptsThatImportTheChangedOne(t *testing.T) {
	t.Parallel()
	tr, c := project(t, map[string]string{
		"package.json": `{"name":"shop","main":"src/index.js","scripts":{"test":"jest --ci"}}`, "src/index.js": "module.exports = require('./cart')", "src/cart.js": "", "src/tax.ts": "", "src/other.js": "",
		"src/cart.test.js": "const s = require('shop')", "src/tax.test.ts": "import { x } from './tax.js'", "test/far.test.js": "jest.mock('../src/other')",
	})
	for changed, want := range map[string][]string{"src/cart.js": {"src/cart.test.js"}, "src/tax.ts": {"src/tax.test.ts"}, "src/other.js": {"test/far.test.js"}} {
		s := Select(tr, c, Change{Files: []string{changed}})
		if !slices.Equal(sorted(picked(s)), want) {
			t.Errorf("%s: %+v", changed, s)
		}
	}
	argv := Select(tr, c, Change{Files: []string{"src/tax.ts"}}).Narrow(c).Argv
	if got := argv[len(argv)-2:]; !slices.Equal(got, []string{"--runTestsByPath", "src/tax.test.ts"}) {
		t.Errorf("%v", argv)
	}
}

func TestC4NarrowedCommandsOfTheOtherRunners(t *testing.T) {
	t.Parallel()
	one := Selection{Picks: []Pick{{File: "tests/test_a.py"}}}
	for tool, c := range map[string][2]string{
		"pytest":    {"python3 -m pytest -vvv -p no:cacheprovider tests", "python3 -m pytest -vvv -p no:cacheprovider tests/test_a.py"},
		"unittest":  {"python3 -m unittest discover -v", "python3 -m unittest -v tests.test_a"},
		"node:test": {"node --test --test-reporter=tap test/*.js", "node --test --test-reporter=tap tests/test_a.py"},
		"mocha":     {"node_modules/.bin/mocha --require x test/ --reporter json", "node_modules/.bin/mocha --require x --reporter json tests/test_a.py"},
		"cargo":     {"cargo test", "cargo test"},
	} {
		if got := strings.Join(one.Narrow(detect.Command{Tool: tool, Dir: ".", Argv: strings.Fields(c[0])}).Argv, " "); got != c[1] {
			t.Errorf("%s: %s", tool, got)
		}
	}
}

func FuzzPythonImports(f *testing.F) {
	f.Add("from a.b import (c,\n d as e)  # x\nimport x.y as z, q\nfrom ..p import *\n")
	f.Fuzz(func(t *testing.T, src string) {
		tr, err := detect.Scan(fstest.MapFS{"a/__init__.py": {Data: []byte(src)}, "a/b.py": {Data: []byte(src)}, "test_a.py": {Data: []byte(src)}})
		if err != nil {
			t.Fatal(err)
		}
		s := Select(tr, detect.Command{Tool: "pytest", Dir: ".", Files: []string{"test_a.py"}}, Change{Files: []string{"a/b.py"}})
		if !s.All && len(s.Picks) == 0 {
			t.Errorf("%+v", s)
		}
	})
}

package detect

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// TestC2ManifestsOfUsualShapesAreUnderstood: configuration as projects write
// it, with what stands around the one line that counts.
func TestC2ManifestsOfUsualShapesAreUnderstood(t *testing.T) {
	t.Parallel()
	pytests := "import pytest\n\n\n@pytest.mark.parametrize('n', [1, 2])\ndef test_n(n):\n    assert n\n"
	for name, c := range map[string]struct {
		files       map[string]string
		want, setup []string
	}{
		"python with everything in pyproject": {map[string]string{
			"pyproject.toml": "[build-system]\nrequires = [\"hatchling\"]\nbuild-backend = \"hatchling.build\"\n\n[project]\nname = \"crate\"\nrequires-python = \">=3.9\"\n\n[dependency-groups]\ndev = [\"pytest>=8\", \"ruff\", \"mypy\"]\n\n[tool.pytest.ini_options]\ntestpaths = [\"tests\"]\naddopts = \"-ra\"\n\n[tool.ruff.lint]\nselect = [\"E\", \"F\"]\n\n[tool.mypy]\nstrict = true\nfiles = [\"src\"]\n",
			"uv.lock":        "version = 1\n", "src/crate/__init__.py": "", "tests/conftest.py": "", "tests/test_n.py": pytests,
		}, []string{"lint ruff: ruff check .", "types mypy: mypy", "test pytest: python3 -m pytest"}, []string{"uv sync"}},
		"tox with factors": {map[string]string{
			"tox.ini":  "[tox]\nenvlist = py39,py312,lint\n\n[testenv]\ndescription = unit tests\ndeps =\n    pytest\n    -r requirements.txt\ncommands =\n    coverage erase\n    python -m pytest -q {posargs:unit}\n    pytest unit --cov\n\n[testenv:lint]\ncommands = flake8 pkg\n\n[flake8]\nmax-line-length = 100\n",
			"setup.py": "", "unit/test_n.py": pytests,
		}, []string{"lint flake8: flake8 .", "test pytest: python3 -m pytest"}, []string{"python3 -m pip install -e ."}},
		"tox.toml": {map[string]string{
			"tox.toml":       "env_list = [\"3.12\"]\n\n[env_run_base]\ndeps = [\"pytest\"]\ncommands = [[\"pytest\", \"checks\", { replace = \"posargs\", extend = true }]]\n",
			"pyproject.toml": "[project]\nname = \"x\"\nversion = \"1\"\n", "checks/test_n.py": pytests,
		}, []string{"test pytest: python3 -m pytest checks"}, []string{"python3 -m pip install -e ."}},
		"tox inside pyproject, as text": {map[string]string{
			"pyproject.toml":   "[tool.tox]\nlegacy_tox_ini = \"\"\"\n[testenv]\ndeps = pytest\ncommands = pytest checks\n\"\"\"\n",
			"checks/test_n.py": pytests,
		}, []string{"test pytest: python3 -m pytest checks"}, nil},
		"nox": {map[string]string{
			"noxfile.py": "import nox\n\nnox.options.sessions = [\"tests\"]\n\n\n@nox.session(python=[\"3.11\", \"3.12\"])\ndef tests(session):\n    session.install(\".[test]\")\n    session.run(\n        \"python\", \"-m\", \"pytest\",\n        \"checks\",\n        *session.posargs,\n    )\n",
			"setup.cfg":  "[metadata]\nname = x\n\n[mypy]\nfiles = x.py\n", "setup.py": "", "checks/test_n.py": pytests,
		}, []string{"types mypy: mypy", "test pytest: python3 -m pytest checks"}, []string{"python3 -m pip install -e ."}},
		"pnpm with vitest, eslint and tsc": {map[string]string{
			"package.json":      "{\n  \"name\": \"kit\",\n  \"type\": \"module\",\n  \"packageManager\": \"pnpm@9.1.0\",\n  \"scripts\": {\n    \"build\": \"unbuild\",\n    \"lint\": \"eslint --cache src test --max-warnings 0\",\n    \"test\": \"pnpm lint && pnpm test:unit\",\n    \"test:unit\": \"vitest run --coverage\"\n  },\n  \"devDependencies\": {\"eslint\": \"^9\", \"typescript\": \"^5\", \"vitest\": \"^3\"}\n}\n",
			"pnpm-lock.yaml":    "lockfileVersion: '9.0'\n",
			"eslint.config.mjs": "export default []\n", "tsconfig.json": "{}", "test/a.test.ts": "import { test } from 'vitest'\n",
		}, []string{"lint eslint: npx eslint src test", "types tsc: npx tsc --noEmit", "test vitest: npx vitest run"}, []string{"pnpm install --frozen-lockfile"}},
		"yarn with jest and variables": {map[string]string{
			"package.json": "{\"scripts\": {\"test\": \"cross-env TZ=UTC NODE_ENV=test jest --maxWorkers 2 --silent packages\"}, \"devDependencies\": {\"jest\": \"^29\"}}", "yarn.lock": "# yarn lockfile v1\n",
		}, []string{"test jest: npx jest packages"}, []string{"yarn install --immutable"}},
		"mocha below nyc": {map[string]string{
			"package.json": "{\"scripts\": {\"test\": \"nyc --reporter=text mocha --exit 'test/**/*.spec.js'\"}, \"devDependencies\": {\"mocha\": \"*\"}}", "package-lock.json": "{}", ".eslintrc.yml": "root: true\n",
		}, []string{"lint eslint: npx eslint .", "test mocha: npx mocha --exit 'test/**/*.spec.js'"}, []string{"npm ci"}},
		"bun by script":   {map[string]string{"package.json": "{\"scripts\": {\"test\": \"bun test --timeout 5000 src\"}}", "bun.lockb": "", "src/a.test.ts": "import { expect, test } from \"bun:test\";\n"}, []string{"test bun test: bun test --timeout 5000 src"}, nil},
		"bun by import":   {map[string]string{"package.json": "{\"name\": \"x\"}", "a.test.ts": "import { expect, test } from \"bun:test\";\n"}, []string{"test bun test: bun test"}, nil},
		"node with tsx":   {map[string]string{"package.json": "{\"scripts\": {\"test\": \"node --import tsx --test --test-reporter=spec 'test/**/*.ts'\"}}"}, []string{"test node:test: node --import tsx --test 'test/**/*.ts'"}, nil},
		"npm's own words": {map[string]string{"package.json": "{\"scripts\": {\"test\": \"echo \\\"Error: no test specified\\\" && exit 1\"}}"}, nil, nil},
		"packages that tests use": {map[string]string{
			"package.json": "{\"scripts\": {\"test\": \"mocha\"}}", "test/module/cjs/package.json": "{\"scripts\": {\"test\": \"mocha\"}}", "test/module/cjs/a.test.js": "require('node:test')",
		}, []string{"test mocha: npx mocha"}, nil},
		"workspaces that are tests": {map[string]string{
			"package.json": "{\"scripts\": {\"test\": \"mocha\"}, \"workspaces\": [\"tests/*\"]}", "tests/e2e/package.json": "{\"scripts\": {\"test\": \"vitest\"}}",
		}, []string{"test mocha: npx mocha", "test vitest in tests/e2e: npx vitest run"}, nil},
		"go.work and a module outside it": {map[string]string{
			"go.work": "go 1.24\n\nuse (\n\t.\n\t./cmd/tool\n)\n", "go.mod": "module example.com/a\n\ngo 1.24\n", "a.go": "package a\n",
			"cmd/tool/go.mod": "module example.com/a/cmd/tool\n", "cmd/tool/main_test.go": "package main\n", "tools/go.mod": "module example.com/a/tools\n", "tools/x_test.go": "package tools\n", "tools/go.sum": "",
		}, []string{
			"build go build: go build ./...", "build go build in cmd/tool: go build ./...", "build go build in tools: GOWORK=off go build ./...",
			"lint go vet: go vet ./...", "lint go vet in cmd/tool: go vet ./...", "lint go vet in tools: GOWORK=off go vet ./...",
			"test go test in cmd/tool: go test ./...", "test go test in tools: GOWORK=off go test ./...",
		}, []string{"cd tools && go mod download"}},
		"rust workspace and a crate beside it": {map[string]string{
			"core/Cargo.toml": "[workspace]\nmembers = [\"crates/*\"]\nresolver = \"2\"\n", "core/crates/a/Cargo.toml": "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", "core/clippy.toml": "msrv = \"1.70\"\n",
			"fuzz/Cargo.toml": "[package]\nname = \"fuzz\"\nversion = \"0.0.0\"\n",
		}, []string{"lint clippy in core: cargo clippy", "test cargo in core: cargo test", "test cargo in fuzz: cargo test"}, []string{"cd core && cargo fetch", "cd fuzz && cargo fetch"}},
		"maven wrapper":              {map[string]string{"pom.xml": "<project><modules><module>core</module></modules></project>", "core/pom.xml": "<project/>", "mvnw": "#!/bin/sh\n"}, []string{"test maven: ./mvnw test"}, []string{"./mvnw -B -Dmaven.test.failure.ignore=true test", "./mvnw -B clean"}},
		"gradle, Kotlin DSL":         {map[string]string{"settings.gradle.kts": "rootProject.name = \"x\"\ninclude(\":app\")\n", "app/build.gradle.kts": "plugins { kotlin(\"jvm\") }\n"}, []string{"test gradle: gradle test"}, nil},
		"gradle, Kotlin and wrapper": {map[string]string{"build.gradle.kts": "plugins { java }\n", "gradlew": "#!/bin/sh\n", "gradle/wrapper/gradle-wrapper.properties": ""}, []string{"test gradle: ./gradlew test"}, nil},
		"make with phony targets":    {map[string]string{"Makefile": "CC ?= cc\ntest_flags := -q\n.PHONY: all test\n\nall: prog\n\ntest: prog ; ./run-tests $(test_flags)\n", "prog.c": ""}, []string{"test make: make test"}, nil},
		"make beside pytest":         {map[string]string{"Makefile": "test:\n\tpytest\n", "test_n.py": pytests}, []string{"test pytest: python3 -m pytest"}, nil},
	} {
		if got := shown(t, c.files); !slices.Equal(got, c.want) {
			t.Errorf("%s: got\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
		p, err := Detect(tree(c.files))
		if err != nil || !slices.Equal(p.Setup, c.setup) {
			t.Errorf("%s: setup %q, want %q; %v", name, p.Setup, c.setup, err)
		}
	}
}

// TestC2VariablesOfAScriptReachItsRunner: a test script that sets its time zone
// is run with it.
func TestC2VariablesOfAScriptReachItsRunner(t *testing.T) {
	t.Parallel()
	p, err := Detect(tree(map[string]string{"package.json": `{"scripts":{"test":"TZ=Asia/Tokyo jest"}}`}))
	if err != nil || len(p.Commands) != 1 || p.Commands[0].Env["TZ"] != "Asia/Tokyo" {
		t.Errorf("%+v, %v", p.Commands, err)
	}
}

// TestC2PatternsOfScriptsBecomeTheFilesTheyMean: node before release 21 does not
// expand them, and without a shell nobody does.
func TestC2PatternsOfScriptsBecomeTheFilesTheyMean(t *testing.T) {
	t.Parallel()
	for script, want := range map[string][]string{
		"node --test test/*.js":                      {"test/a.js", "test/b.js"},
		"node --test ./test/?.js other/*.js":         {"test/a.js", "test/b.js", "other/*.js"},
		"node --test test/**/*.js":                   {"test/sub/c.js"},
		"node --test 'test/**/*.js'":                 {"test/a.js", "test/b.js", "test/sub/c.js"},
		"node --test \"test/**/{a,c}.js\" test/b.js": {"test/a.js", "test/sub/c.js", "test/b.js"},
		"node --test größe/*.js":                     {"größe/ä.js"},
		"node --test 'test/[(a.js'":                  {"test/[(a.js"},
	} {
		pkg, err := json.Marshal(map[string]any{"scripts": map[string]string{"test": script}})
		if err != nil {
			t.Fatal(err)
		}
		p, err := Detect(tree(map[string]string{"web/package.json": string(pkg), "web/test/a.js": "", "web/test/b.js": "", "web/test/sub/c.js": "", "web/größe/ä.js": "", "test/d.js": ""}))
		if err != nil || len(p.Commands) != 1 {
			t.Fatalf("%s: %+v, %v", script, p.Commands, err)
		}
		got := p.Commands[0].Argv
		if at := slices.Index(got, "--test-reporter=tap"); at < 0 || !slices.Equal(got[at+1:], want) {
			t.Errorf("%s: %q, want %q", script, got, want)
		}
	}
}

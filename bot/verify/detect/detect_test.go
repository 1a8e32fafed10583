package detect

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/fettle-dev/fettle/bot/settings"
	"pgregory.net/rapid"
)

// tree makes a file system of "path\ncontent" entries.
func tree(files map[string]string) fstest.MapFS {
	out := fstest.MapFS{}
	for p, text := range files {
		out[p] = &fstest.MapFile{Data: []byte(text)}
	}
	return out
}

// shown is a plan as lines of "kind name: argv".
func shown(t *testing.T, files map[string]string) []string {
	t.Helper()
	p, err := Detect(tree(files))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, c := range p.Commands {
		if c.Why == "" || len(c.Argv) == 0 || c.Typed == "" {
			t.Errorf("%+v lacks its reason or command", c)
		}
		out = append(out, string(c.Kind)+" "+c.Name+": "+c.Typed)
	}
	return out
}

func TestC2EachEcosystemIsFound(t *testing.T) {
	t.Parallel()
	plain := "import unittest\nclass T(unittest.TestCase):\n    def test_x(self): pass\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"pytest by configuration":      {map[string]string{"pyproject.toml": "[tool.pytest.ini_options]\n", "tests/test_a.py": plain}, []string{"test pytest: python3 -m pytest"}},
		"pytest by style":              {map[string]string{"test_a.py": "def test_x():\n    assert 1\n"}, []string{"test pytest: python3 -m pytest"}},
		"unittest":                     {map[string]string{"tests/__init__.py": "", "tests/test_a.py": plain}, []string{"test unittest: python3 -m unittest discover"}},
		"unittest in a plain folder":   {map[string]string{"tests/test_a.py": plain}, []string{"test unittest: python3 -m unittest discover -s tests"}},
		"tox names the folder":         {map[string]string{"tox.ini": "[testenv]\ndeps = pytest\ncommands =\n    pytest --cov=x checks {posargs}\n", "checks/test_a.py": plain}, []string{"test pytest: python3 -m pytest checks"}},
		"nox names the folder":         {map[string]string{"noxfile.py": "def t(session):\n    session.run(\"pytest\", \"checks\")\n", "checks/test_a.py": plain}, []string{"test pytest: python3 -m pytest checks"}},
		"python linters":               {map[string]string{"a.py": "", "ruff.toml": "", ".flake8": "", "mypy.ini": "[mypy]\nfiles = a.py\n"}, []string{"lint ruff: ruff check .", "lint flake8: flake8 .", "types mypy: mypy"}},
		"django":                       {map[string]string{"manage.py": "os.environ.setdefault('DJANGO_SETTINGS_MODULE', 'x')", "app/tests.py": plain}, []string{"test django: python3 manage.py test"}},
		"jest by script":               {map[string]string{"package.json": `{"scripts":{"test":"npm run lint && npm run t","t":"NODE_ENV=test jest --coverage src"},"devDependencies":{"jest":"1"}}`}, []string{"test jest: npx jest src"}},
		"vitest":                       {map[string]string{"package.json": `{"scripts":{"test":"vitest"}}`}, []string{"test vitest: npx vitest run"}},
		"mocha":                        {map[string]string{"package.json": `{"scripts":{"test":"mocha --reporter spec --require x test/"}}`}, []string{"test mocha: npx mocha --require x test/"}},
		"node:test by script":          {map[string]string{"package.json": `{"scripts":{"test":"node --test test/*.js"}}`}, []string{"test node:test: node --test test/*.js"}},
		"node:test by import":          {map[string]string{"a.test.js": "require('node:test')"}, []string{"test node:test: node --test"}},
		"another runner by its script": {map[string]string{"package.json": `{"scripts":{"test":"ava"}}`, "yarn.lock": ""}, []string{"test test script: yarn test"}},
		"tape":                         {map[string]string{"package.json": `{"scripts":{"test":"nyc tape 'test/**/*.js'"}}`, "test/a.js": ""}, []string{"test tape: npx tape 'test/**/*.js'"}},
		"tape by its file":             {map[string]string{"package.json": `{"scripts":{"test":"node test/index.js"},"devDependencies":{"tape":"5"}}`, "test/index.js": ""}, []string{"test tape: node test/index.js"}},
		"tape by another script":       {map[string]string{"package.json": `{"scripts":{"test":"npm run tests-only","tests-only":"nyc tape 'test/**/*.js'"}}`, "test/a.js": ""}, []string{"test tape: npx tape 'test/**/*.js'"}},
		"tape and a quote":             {map[string]string{"package.json": `{"scripts":{"test":"tape -r \"a'b\" test/*.js"}}`, "test/a.js": ""}, []string{"test test script: npm test"}},
		"node-tap":                     {map[string]string{"package.json": `{"scripts":{"test":"tap -j4 test/*.js"}}`, "test/a.js": ""}, []string{"test tap: npx tap test/*.js"}},
		"eslint and tsc":               {map[string]string{"package.json": `{"scripts":{"lint":"eslint src --fix"}}`, "eslint.config.js": "", "tsconfig.json": "{}"}, []string{"lint eslint: npx eslint src", "types tsc: npx tsc --noEmit"}},
		"go with linters": {map[string]string{"go.mod": "module x\n", "a_test.go": "package x", ".golangci.yml": "", "staticcheck.conf": ""},
			[]string{"build go build: go build ./...", "lint go vet: go vet ./...", "lint staticcheck: staticcheck ./...", "lint golangci-lint: golangci-lint run ./...", "test go test: go test ./..."}},
		"cargo-fuzz's targets":         {map[string]string{"Cargo.toml": "[package]\n", "fuzz/Cargo.toml": "[package.metadata]\ncargo-fuzz = true\n\n[workspace]\n"}, []string{"test cargo: cargo test"}},
		"a library's own Ruby":         {map[string]string{"CMakeLists.txt": "enable_testing()\n", "tests/unity/test/spec/a_spec.rb": "RSpec.describe 'a' do\nend\n", "tests/unity/auto/test_file_filter.rb": "module RakefileHelpers\nend\n", "tests/unity/auto/x.py": "from junit_xml import TestSuite, TestCase\n"}, []string{"test ctest: cmake -S . -B build && cmake --build build && ctest --test-dir build"}},
		"Ruby named like a test":       {map[string]string{"test_filter.rb": "puts 1\n"}, nil},
		"a build before mocha":         {map[string]string{"package.json": `{"scripts":{"test":"npm run build && npm run unit","build":"node build.js","unit":"mocha -r ./setup.js test"}}`}, []string{"test mocha: npx mocha -r ./setup.js test"}},
		"a script called jest":         {map[string]string{"package.json": `{"scripts":{"test":"yarn jest","jest":"jest --config config/jest.cjs"}}`}, []string{"test jest: npx jest --config config/jest.cjs"}},
		"yarn runs the program":        {map[string]string{"package.json": `{"scripts":{"test":"TZ=UTC yarn -s jest src"}}`}, []string{"test jest: npx jest src"}},
		"a plugin called jest":         {map[string]string{"package.json": `{"scripts":{"test":"eslint --plugin jest . && node --test"}}`}, []string{"test node:test: node --test"}},
		"a reporter called tap":        {map[string]string{"package.json": `{"scripts":{"test":"node --test --test-reporter tap test/"}}`, "test/a.js": ""}, []string{"test node:test: node --test test/"}},
		"a file called nx":             {map[string]string{"package.json": `{"scripts":{"test":"node --test test/nx.test.js"}}`}, []string{"test node:test: node --test test/nx.test.js"}},
		"two runners":                  {map[string]string{"package.json": `{"scripts":{"test":"vitest run && node --test test/node/"}}`}, []string{"test vitest: npx vitest run", "test node:test: node --test test/node/"}},
		"its own and workspaces":       {map[string]string{"package.json": `{"workspaces":["a"],"scripts":{"test":"node --test test/ && npm test --workspaces --if-present"}}`, "a/package.json": `{"scripts":{"test":"mocha"}}`}, []string{"test node:test: node --test test/", "test mocha in a: npx mocha"}},
		"a folder's module type":       {map[string]string{"package.json": `{"name":"x"}`, "test/package.json": `{"type":"module"}`, "test/a.test.js": "import test from 'node:test'"}, []string{"test node:test: node --test"}},
		"a suite below tests":          {map[string]string{"package.json": `{"scripts":{"test":"node --test"}}`, "tests/e2e/package.json": `{"scripts":{"test":"node --test"}}`}, []string{"test node:test: node --test", "test node:test in tests/e2e: node --test"}},
		"Python projects side by side": {map[string]string{"requirements-dev.txt": "pytest\n", "a/pyproject.toml": "", "a/tests/test_main.py": "def test_x(): pass\n", "b/setup.py": "", "b/tests/test_main.py": "def test_x(): pass\n"}, []string{"test pytest in a: python3 -m pytest", "test pytest in b: python3 -m pytest"}},
		"cargo workspace":              {map[string]string{"Cargo.toml": "[workspace]\n", "a/Cargo.toml": "[package]\n"}, []string{"test cargo: cargo test"}},
		"maven":                        {map[string]string{"pom.xml": "<project/>", "mod/pom.xml": "<project/>"}, []string{"test maven: mvn test"}},
		"gradle wrapper":               {map[string]string{"build.gradle": "", "settings.gradle": "", "gradlew": ""}, []string{"test gradle: ./gradlew test"}},
		"cmake":                        {map[string]string{"CMakeLists.txt": "add_subdirectory(t)\n", "t/CMakeLists.txt": "gtest_discover_tests(a)\n"}, []string{"test ctest: cmake -S . -B build && cmake --build build && ctest --test-dir build"}},
		"cmake, no tests":              {map[string]string{"CMakeLists.txt": "add_library(a a.c)\n"}, nil},
		"make":                         {map[string]string{"Makefile": "all:\n\ncheck: all\n\ttrue\n"}, []string{"test make: make check"}},
		"rspec":                        {map[string]string{"Gemfile": "gem 'rspec'\n", "Gemfile.lock": "", "spec/a_spec.rb": "describe 'a' do\nend\n", "spec/spec_helper.rb": ""}, []string{"test rspec: bundle exec rspec"}},
		"rspec without a manifest":     {map[string]string{"svc/spec/a/b_spec.rb": "RSpec.describe 'a'\n"}, []string{"test rspec in svc: rspec"}},
		"minitest by rake":             {map[string]string{"a.gemspec": "", "Rakefile": "Rake::TestTask.new { |t| t.pattern = 'test/**/*_test.rb' }", "test/a_test.rb": "require 'test_helper'\n", "test/test_helper.rb": "require 'minitest/autorun'\n"}, []string{"test minitest: rake test"}},
		"minitest, specs of it":        {map[string]string{"Gemfile": "gem 'minitest'\n", "spec/a_spec.rb": "require 'minitest/spec'\ndescribe('a') { it('b') { _(1).must_equal 1 } }\n"}, []string{"test minitest spec: ruby -Ilib -Ispec -rminitest/autorun -e 'Dir[\"spec/**/*_spec.rb\"].each { |f| require File.expand_path(f) }'"}},
		"test-unit":                    {map[string]string{"test/test_a.rb": "require 'test/unit'\n"}, []string{"test test-unit: ruby -Ilib -Itest -rtest/unit -e 'Dir[\"test/**/{test_*,*_test}.rb\"].each { |f| require File.expand_path(f) }'"}},
		"phpunit by settings":          {map[string]string{"composer.json": "{}", "phpunit.xml.dist": "<phpunit/>", "tests/ATest.php": "<?php\n"}, []string{"test phpunit: phpunit"}},
		"phpunit of composer":          {map[string]string{"svc/composer.json": "{\"require-dev\": {\"phpunit/phpunit\": \"*\"}}", "svc/tests/Unit/ATest.php": "<?php\n"}, []string{"test phpunit in svc: vendor/bin/phpunit tests"}},
		"manifests without tests":      {map[string]string{"Gemfile": "", "composer.json": "{}", "app/models/contest.rb": "", "src/Test.php": ""}, nil},
		"nothing":                      {map[string]string{"README.md": "x"}, nil},
		"broken files":                 {map[string]string{"package.json": "{", "go.mod": "?", "pyproject.toml": "[["}, nil},
	} {
		if got := shown(t, c.files); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestC2MonorepoHasEveryPartOfIt(t *testing.T) {
	t.Parallel()
	got := shown(t, map[string]string{
		"package.json": `{"scripts":{"test":"npm test --workspaces"},"workspaces":["web","api"]}`, "package-lock.json": "",
		"web/package.json": `{"scripts":{"test":"vitest run"}}`, "api/package.json": `{"scripts":{"test":"jest"}}`,
		"svc/go.mod": "module svc\n", "svc/a_test.go": "package svc", "svc/sub/go.mod": "module sub\n", "svc/sub/a_test.go": "package sub",
		"ml/pyproject.toml": "[tool.pytest.ini_options]\n", "ml/tests/test_a.py": "def test_x(): pass\n", "node_modules/x/package.json": `{"scripts":{"test":"jest"}}`,
		"svc/testdata/go.mod": "module no\n", "svc/testdata/a_test.go": "package no",
	})
	want := []string{"build go build in svc: go build ./...", "build go build in svc/sub: go build ./...", "lint go vet in svc: go vet ./...", "lint go vet in svc/sub: go vet ./...",
		"test jest in api: npx jest", "test pytest in ml: python3 -m pytest", "test go test in svc: go test ./...", "test go test in svc/sub: go test ./...", "test vitest in web: npx vitest run"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestC2LockFileChoosesThePackageManager(t *testing.T) {
	t.Parallel()
	for lock, want := range map[string]string{"package-lock.json": "npm ci", "yarn.lock": "yarn install --immutable", "pnpm-lock.yaml": "pnpm install --frozen-lockfile", "bun.lock": "bun install", "README": "npm install"} {
		p, err := Detect(tree(map[string]string{"package.json": `{"devDependencies":{"jest":"1"}}`, lock: ""}))
		if err != nil || !slices.Equal(p.Setup, []string{want}) {
			t.Errorf("%s: %v, %v", lock, p.Setup, err)
		}
	}
}

// TestC2FilesOfRubyAndPHPAreThoseThatTheirSettingsName: the sentinel stands beside
// one that is run.
func TestC2FilesOfRubyAndPHPAreThoseThatTheirSettingsName(t *testing.T) {
	t.Parallel()
	p, err := Detect(tree(map[string]string{
		"phpunit.xml":         "<phpunit><testsuites><testsuite name=\"u\"><directory suffix=\"Test.php\">./tests/unit</directory></testsuite></testsuites><source><include><directory>src</directory></include></source></phpunit>",
		"tests/e2e/ATest.php": "", "tests/unit/BTest.php": "", "tests/unit/fixtures/CTest.php": "",
		"Rakefile": "Rake::TestTask.new do |t|\n  t.libs << \"test\" << 'support'\n  t.test_files = FileList[\"test/unit/**/*_test.rb\"]\nend\n", "test/unit/a_test.rb": "", "test/system/b_test.rb": "", "test/test_helper.rb": "",
	}))
	if err != nil || len(p.Commands) != 2 {
		t.Fatalf("%+v, %v", p.Commands, err)
	}
	php, ruby := p.Commands[0], p.Commands[1]
	if ruby.Tool != Minitest || !slices.Equal(ruby.Files, []string{"test/unit/a_test.rb"}) || ruby.Argv[len(ruby.Argv)-1] != "test/unit/**/*_test.rb" || !slices.Contains(ruby.Argv, "-Itest") || !slices.Contains(ruby.Argv, "-Isupport") {
		t.Errorf("%s %q %q", ruby.Tool, ruby.Files, ruby.Argv)
	}
	if php.Tool != "phpunit" || !slices.Equal(php.Files, []string{"tests/unit/BTest.php"}) {
		t.Errorf("%s %q", php.Tool, php.Files)
	}
}

func TestC2DeclaredChecksTakeThePlaceOfDetectedOnes(t *testing.T) {
	t.Parallel()
	p, _ := Detect(tree(map[string]string{"go.mod": "module x\n", "a_test.go": "package x"}))
	got := p.Declared([]settings.Check{{Name: "unit", Run: "cd a && npx jest --ci", Required: true}, {Name: "style", Run: "make lint"}, {Name: "types", Run: "mypy ."}, {Name: "gen", Run: "./generate.sh"}})
	var lines []string
	for _, c := range got.Commands {
		lines = append(lines, string(c.Kind)+" "+c.Name)
	}
	if !slices.Equal(lines, []string{"build gen", "lint style", "types types", "test unit"}) || got.Commands[1].Required || !got.Commands[3].Declared {
		t.Errorf("%v", lines)
	}
	if again := p.Declared(nil); len(again.Commands) != len(p.Commands) {
		t.Error("no declared checks must change nothing")
	}
}

func TestC2ProposalsAreValidWhateverTheFoldersAreCalled(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		dir := rapid.StringMatching(`[^/\x00]{1,20}`).Draw(t, "folder")
		if dir == "." || dir == ".." || strings.ContainsAny(dir, "\r\n") {
			return
		}
		p := (&Tree{Files: []string{dir + "/a_test.go", dir + "/go.mod"}, have: map[string]bool{dir + "/go.mod": true}, fsys: fstest.MapFS{}, cache: map[string]string{dir + "/go.mod": "module x\n"}}).Plan()
		text, err := p.Propose()
		if err != nil {
			t.Fatalf("%q: %v", dir, err)
		}
		r, err := settings.LoadRepo(text)
		if err != nil || len(r.Checks) != len(p.Commands) {
			t.Fatalf("%q: %d checks of %d, %v\n%s", dir, len(r.Checks), len(p.Commands), err, text)
		}
	})
}

func FuzzDetect(f *testing.F) {
	f.Add(`{"scripts":{"test":"jest"}}`, "[testenv]\ncommands = pytest\n", "module x\n")
	f.Fuzz(func(t *testing.T, pkg, tox, mod string) {
		p, err := Detect(tree(map[string]string{"package.json": pkg, "tox.ini": tox, "pyproject.toml": tox, "noxfile.py": tox, "go.mod": mod, "a_test.go": "package x", "test_a.py": "def test_x(): pass", "Makefile": tox}))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Propose(); err != nil {
			t.Errorf("%v", err)
		}
	})
}

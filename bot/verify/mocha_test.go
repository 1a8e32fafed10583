package verify

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/task"
)

func TestC2MochaIsGivenWhatDecidesWhichTestsRunAndNotHowTheyAreShown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ script, want string }{
		{"mocha", "| |"},
		{"mocha --reporter spec --check-leaks test/ test/acceptance/", "| |--check-leaks test/ test/acceptance/"},
		{"TZ=UTC nyc --reporter=text npx mocha -R dot -b --require=./x.js --parallel 'a b/*.js'", "TZ=UTC| |--require=./x.js a b/*.js"},
		{"tsc && node --no-warnings ./node_modules/mocha/bin/mocha.js --exit -w", "|--no-warnings |"},
	} {
		env, flags, args := MochaCommand(scriptSuite(t, c.script).Argv)
		var set []string
		for k, v := range env {
			set = append(set, k+"="+v)
		}
		slices.Sort(set)
		if got := strings.Join(set, " ") + "|" + strings.Join(flags, " ") + " |" + strings.Join(args, " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.script, got, c.want)
		}
	}
	for _, script := range []string{"node --test", "jest", "echo mochas"} {
		if got := scriptSuite(t, script); got.Name == suiteMocha {
			t.Errorf("%q runs mocha as %q", script, got.Argv)
		}
	}
}

// scriptSuite is what a package's test script runs.
func scriptSuite(t *testing.T, script string) Suite {
	t.Helper()
	pkg, _ := json.Marshal(map[string]any{"scripts": map[string]string{"test": script}})
	suites, err := verifier(t).Detect(files("package.json", string(pkg)))
	if err != nil || len(suites) != 1 {
		t.Fatalf("%s: %v, %v", script, suites, err)
	}
	return suites[0]
}

// mochaRepo is a repository whose tests a double of mocha runs.
func mochaRepo(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "node_modules/mocha"), os.DirFS("testdata/mocha")); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"package.json": `{"scripts": {"test": "mocha --require ./test/env.cjs --reporter spec test/a.js test/b.mjs"}}`,
		"lib/sum.js":   "exports.sum = (xs) => {\n  let s = 0;\n  for (let i = 1; i < xs.length; i++) s += xs[i];\n  return s;\n};\nexports.spin = () => { for (;;); };\n",
		"test/env.cjs": "global.assert = require('node:assert');\nexports.mochaHooks = { beforeEach() { this.ready = true; } };\n",
		"test/a.js": `const { sum, spin } = require('../lib/sum');
describe('sum', function () {
  it('adds', () => assert.strictEqual(sum([1, 2]), 3));
  it('adds nothing', function () { assert.ok(this.ready); assert.strictEqual(sum([]), 0); });
  it('twice', () => {});
  it('twice', () => assert.ok(0));
  it('waits', (done) => { setTimeout(done, 1); });
  it('spins', () => spin());
  it.skip('skipped', () => {});
});
describe('before', () => { before(() => { throw new Error('no'); }); describe('deep', () => { it('x', () => {}); }); });
describe('after', () => { afterEach(() => { throw new Error('no'); }); it('x', () => {}); it('y', () => {}); });
`,
		"test/b.mjs": "import { sum } from '../lib/sum.js';\nit('top', async () => { assert.equal(sum([0, 5]), 5); });\n",
	} {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestC3EachTestOfMochaIsSeenAlsoAfterOneThatHangsAndUnderFailedHooks(t *testing.T) {
	t.Parallel()
	dir := mochaRepo(t)
	v := impatient(t)
	suites, err := v.Detect(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	base, err := v.Measure(t.Context(), dir, suites)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, x := range base.Report.Tests {
		got[strings.TrimPrefix(x.ID, "mocha:.:test/")] = x.Status
		if x.Red() && (x.Failure == nil || x.Failure.Message == "") {
			t.Errorf("%s is red without a failure", x.ID)
		}
	}
	want := map[string]string{
		"a.js > sum > adds": "failed", "a.js > sum > adds nothing": "passed", "a.js > sum > twice": "passed", "a.js > sum > twice #2": "failed",
		"a.js > sum > waits": "passed", "a.js > sum > spins": "failed", "a.js > sum > skipped": "skipped", "a.js > before deep > x": "error",
		"a.js > after > x": "error", "a.js > after > y": "error", "b.mjs > top": "passed",
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	if len(base.Report.Broken) > 0 {
		t.Errorf("broken: %v", base.Report.Broken)
	}
}

func TestC3AFileThatMochaCannotLoadIsNamed(t *testing.T) {
	t.Parallel()
	dir := mochaRepo(t)
	if err := os.WriteFile(filepath.Join(dir, "test/b.mjs"), []byte("import 'nowhere';\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	v := impatient(t)
	suites, err := v.Detect(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	base, err := v.Measure(t.Context(), dir, suites)
	if err != nil {
		t.Fatal(err)
	}
	if b := base.Report.Broken; len(b) != 1 || b[0].File != "test/b.mjs" || b[0].Kind != task.FailImport {
		t.Errorf("broken: %+v", b)
	}
}

func TestC5WhatTheChangeAddsIsMissingInMochaToo(t *testing.T) {
	t.Parallel()
	dir := mochaRepo(t)
	a, err := AddedBy(t.Context(), []Change{{Path: "lib/tax.cjs", After: []byte("exports.tax = (x) => x;\n")}})
	if err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{
		"test/b.mjs": "import { tax } from '../lib/tax.cjs';\nit('tax', () => assert.equal(tax(1), 1));\n",
		"test/a.js":  "const { tax } = require('../lib/tax.cjs');\nit('tax', () => assert.equal(tax(1), 1));\n",
	} {
		rep, err := impatient(t).Try(t.Context(), Trial{Dir: dir, Files: map[string][]byte{file: []byte(text)}, Tests: []string{file}})
		if err != nil {
			t.Fatal(err)
		}
		if fails, why := a.Fails(rep); !fails {
			t.Errorf("%s: %+v", file, why)
		}
		if fails, _ := (Added{}).Fails(rep); fails {
			t.Errorf("%s fails for a change that adds nothing, too", file)
		}
	}
}

package mend

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
	"github.com/fettle-dev/fettle/bot/verify"
)

// mochaPatient is a repository whose tests a double of mocha runs, and its
// bench; ids are those of bot/verify.
func mochaPatient(t *testing.T, red, green []string) (*nodeBench, target) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "node_modules/mocha"), os.DirFS("../verify/testdata/mocha")); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "package.json", `{"scripts": {"test": "mocha"}}`)
	put(t, dir, ".mocharc.json", `{"require": ["./test/env.cjs"], "timeout": 800}`)
	put(t, dir, "lib/sum.js", mochaSource)
	put(t, dir, "lib/more.mjs", "import { sum } from './sum.js';\nexport const mean = (xs) => sum(xs) / xs.length;\n")
	put(t, dir, "test/env.cjs", "global.assert = require('node:assert');\nconst { sum } = require('../lib/sum.js');\nexports.mochaHooks = { beforeEach() { this.one = sum([0, 1]); } };\n")
	put(t, dir, "test/a.js", "const { sum, spin } = require('../lib/sum');\ndescribe('sum', function () {\n  it('adds', () => assert.strictEqual(sum([1, 2]), 3));\n"+
		"  it('is given one', function () { assert.strictEqual(this.one, 1); });\n  it('waits', (done) => { spin(done); });\n});\n")
	put(t, dir, "test/b.mjs", "import { mean } from '../lib/more.mjs';\nit('mean', async () => { assert.equal(mean([2, 4]), 3); });\n")
	suite := verify.Suite{Name: "mocha", Kind: "javascript", Dir: ".", Argv: []string{"mocha"}}
	tgt := target{suite: suite}
	for _, id := range red {
		tgt.red = append(tgt.red, verify.TestResult{ID: "mocha:.:" + id, Suite: "mocha", Status: verify.StatusFailed})
	}
	for _, id := range green {
		tgt.green = append(tgt.green, verify.TestResult{ID: "mocha:.:" + id, Suite: "mocha", Status: verify.StatusPassed, Seconds: 0.01})
	}
	session := box(t).Session()
	t.Cleanup(func() { _ = session.Close() })
	b, err := newNodeBench(t.Context(), Config{Sandbox: session, Workers: 1, MaxTime: time.Minute}, dir, tgt, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.close() })
	return b.(*nodeBench), tgt
}

const mochaSource = `exports.sum = (xs) => {
  let s = 0;
  for (let i = 1; i < xs.length; i++) {
    s += xs[i];
  }
  return s;
};
exports.spin = (done) => setTimeout(done, 1);
`

func mochaChange(from, to string) candidate {
	at := strings.Index(mochaSource, from)
	return candidate{path: "lib/sum.js", original: []byte(mochaSource), whole: []byte(strings.Replace(mochaSource, from, to, 1)), start: at, end: at + len(from)}
}

var mochaRed, mochaGreen = []string{"test/a.js > sum > adds", "test/b.mjs > mean"}, []string{"test/a.js > sum > is given one", "test/a.js > sum > waits"}

func TestR1CandidatesAreTriedWithMochaOneByOne(t *testing.T) {
	sandboxtest.Whole(t)
	t.Parallel()
	b, tgt := mochaPatient(t, mochaRed, mochaGreen)
	cs := []candidate{
		mochaChange("i = 1", "i = 2"), mochaChange("i < xs.length", "true"), mochaChange("i = 1", "i = 0"), mochaChange("s += xs[i]", "process.exit(0)"),
		mochaChange("i = 1", "i = 0"), mochaChange("let s = 0;", "let s = 0; throw 0"), mochaChange("s = 0;\n  for (let i = 1", "s = 0;\n  globalThis.describe = 0;\n  for (let i = 0"),
	}
	passed := map[int][]string{}
	for _, tests := range [][]verify.TestResult{tgt.red, tgt.green} {
		err := b.try(t.Context(), cs, tests, func(i int, ok map[string]bool) bool {
			for id, yes := range ok {
				if yes {
					passed[i] = append(passed[i], id)
				}
			}
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range cs {
		all := i == 2 || i == 4 || i == 6
		if got := len(passed[i]); all != (got == len(mochaRed)+len(mochaGreen)) {
			t.Errorf("candidate %d passed %v", i, passed[i])
		}
	}
	if b.cannot != "" {
		t.Error(b.cannot)
	}
}

func TestR1ACandidateUnderMochaThatNeverCallsBackFailsThatTestOnly(t *testing.T) {
	sandboxtest.Whole(t)
	t.Parallel()
	b, tgt := mochaPatient(t, []string{"test/a.js > sum > waits"}, []string{"test/a.js > sum > is given one"})
	got := 0
	cs := slices.Repeat([]candidate{mochaChange("setTimeout(done, 1)", "0")}, 20)
	cs = append(cs, mochaChange("i = 1", "i = 0"))
	err := b.try(t.Context(), cs, tgt.red, func(i int, ok map[string]bool) bool {
		if (passing(ok) == 1) != (i == 20) {
			t.Errorf("candidate %d passed %v", i, ok)
		}
		got++
		return true
	})
	if err != nil || got != len(cs) {
		t.Errorf("%d of %d tried: %v", got, len(cs), err)
	}
}

func TestR1WhatATestOfMochaRunsIsTraced(t *testing.T) {
	t.Parallel()
	b, tgt := mochaPatient(t, mochaRed, mochaGreen)
	traces, err := b.trace(t.Context(), append(tgt.red, tgt.green...))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, true, true, true} {
		l := traces[i].lines["lib/sum.js"]
		if (l[4] > 0) != want || traces[i].passed != (i > 1) {
			t.Errorf("%s: passed %v, lines %v", traces[i].id, traces[i].passed, traces[i].lines)
		}
	}
	if l := traces[3].lines["lib/sum.js"]; l[8] == 0 || traces[0].lines["lib/sum.js"][8] != 0 {
		t.Errorf("only the test that waits runs line 8: %v, %v", l, traces[0].lines["lib/sum.js"])
	}
	if l := traces[1].lines["lib/more.mjs"]; l[2] == 0 {
		t.Errorf("the module that imports it was not seen: %v", traces[1].lines)
	}
}

func TestR1WhyMochasTestsCannotBeTriedIsSaid(t *testing.T) {
	t.Parallel()
	b, tgt := mochaPatient(t, mochaRed, append(mochaGreen, "test/a.js > sum > there is no such test"))
	err := b.try(t.Context(), []candidate{mochaChange("i = 1", "i = 0")}, tgt.red[:1], func(int, map[string]bool) bool { return true })
	if err != nil || !strings.Contains(b.why(), "no such test") {
		t.Errorf("%v: %q", err, b.why())
	}
}

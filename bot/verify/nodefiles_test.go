package verify

import (
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/verify/detect"
)

// helped is a package whose tests reach node:test through a helper, with files
// beside them that hold no test.
const helped = `
-- package.json --
{"scripts": {"test": "SCRIPT"}}
-- support/harness.js --
const { test } = require('node:test');
exports.it = (name, body) => test(name, body);
-- test/helper.js --
exports.two = 2;
-- test/fixtures/data.js --
module.exports = { plain: true };
-- test/sums.js --
const assert = require('node:assert');
const { it } = require('../support/harness');
it('adds', () => assert.strictEqual(1 + 1, require('./helper').two));
-- test/deep/more.js --
const { it } = require('../../support/harness');
it('fails', () => { throw new Error('red'); });
`

// TestC2NodeFilesAreThoseOfTheProjectsCommand: whatever a test imports, and what
// has no test counts for nothing; check and fix run the same files.
func TestC2NodeFilesAreThoseOfTheProjectsCommand(t *testing.T) {
	t.Parallel()
	for _, script := range []string{"node --test", "node --test test/"} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			r := from(t, strings.Replace(helped, "SCRIPT", script, 1))
			b := baseline(t, verifier(t), r)
			if green, red := b.Report.Green(), b.Report.Red(); !slices.Equal(green, []string{"node:.:test/sums.js > adds"}) || !slices.Equal(red, []string{"node:.:test/deep/more.js > fails"}) {
				t.Errorf("green %q, red %q, broken %+v", green, red, b.Report.Broken)
			}
			if len(b.Report.Broken) > 0 {
				t.Errorf("a file without tests counts: %+v", b.Report.Broken)
			}
			plan, err := detect.Detect(r.base)
			if err != nil {
				t.Fatal(err)
			}
			tr, err := detect.Scan(r.base)
			if err != nil {
				t.Fatal(err)
			}
			suites, err := verifier(t).Detect(r.base)
			if err != nil || len(suites) != 1 || len(plan.Commands) != 1 {
				t.Fatalf("%v %v, %v", suites, plan.Commands, err)
			}
			if got, want := testsIn(tr, suites[0], nil), plan.Commands[0].Files; !slices.Equal(got, want) || len(got) != 4 {
				t.Errorf("fix runs %q, check runs %q", got, want)
			}
		})
	}
}

// TestC2NodeTestsSeeTheVariablesOfTheProjectsCommand: what they are set to is a part of
// how the project's tests are run.
func TestC2NodeTestsSeeTheVariablesOfTheProjectsCommand(t *testing.T) {
	t.Parallel()
	r := from(t, `
-- package.json --
{"scripts": {"test": "TZ=Asia/Tokyo MODE='a b' NODE_OPTIONS='--import ./load.mjs' node --test"}}
-- load.mjs --
import { writeFileSync } from 'node:fs';
if (!process.env.NODE_TEST_CONTEXT) writeFileSync('/tmp/supervised', '');
globalThis.loaded = 'in ' + (process.env.NODE_TEST_CONTEXT ? 'a test' : 'the supervisor');
-- a.test.js --
const test = require('node:test');
test('variables', () => require('node:assert').strictEqual(process.env.TZ + process.env.MODE + globalThis.loaded, 'Asia/Tokyoa bin a test'));
test('the supervisor does not load it', () => require('node:assert').ok(!require('node:fs').existsSync('/tmp/supervised')));
`)
	if b := baseline(t, verifier(t), r); !slices.Equal(b.Report.Green(), []string{"node:.:a.test.js > the supervisor does not load it", "node:.:a.test.js > variables"}) {
		t.Errorf("%+v", b.Report)
	}
}

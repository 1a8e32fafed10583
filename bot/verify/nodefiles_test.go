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

package verify

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/detect"
	"github.com/fettle-dev/fettle/bot/verify/parse"
)

func TestC9AReportIsBelievedWhereBothSentinelsAreSeenAndItsEndAgrees(t *testing.T) {
	t.Parallel()
	const word = "fettleabc"
	one := parse.Test{ID: "a.test.ts > adds", File: "a.test.ts", Status: parse.Passed}
	good := parse.Test{ID: "fettleabc.test.ts > fettleabc passes", Status: parse.Passed}
	bad := parse.Test{ID: "fettleabc.test.ts > fettleabc fails", Status: parse.Failed}
	mild := parse.Test{ID: bad.ID, Status: parse.Passed}
	for name, c := range map[string]struct {
		tests  []parse.Test
		exit   int
		laid   bool
		told   bool
		broken string
	}{
		"both":                       {[]parse.Test{one, good, bad}, 1, true, false, ""},
		"a report of fewer":          {[]parse.Test{one}, 1, true, true, ""},
		"the one that fails passes":  {[]parse.Test{one, good, mild}, 0, true, true, ""},
		"an end that does not agree": {[]parse.Test{one, good, bad}, 0, true, false, "ForgedRecord"},
		"none could be laid":         {[]parse.Test{one}, 0, false, true, ""},
		"nothing":                    {nil, 0, true, true, "NoTests"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := Suite{Name: "vitest", Kind: "javascript", Dir: ".", Command: &detect.Command{Tool: "vitest"}}
			out := reportedOutcome(s, parse.Report{Tests: c.tests}, sandbox.Result{ExitCode: c.exit}, word, c.laid)
			if out.told != c.told || c.broken == "" && len(out.broken) > 0 || c.broken != "" && (len(out.broken) != 1 || out.broken[0].Exception != c.broken) {
				t.Fatalf("told %v, broken %+v", out.told, out.broken)
			}
			for _, r := range out.tests {
				if strings.Contains(r.ID, word) {
					t.Errorf("the sentinel %s is among the tests", r.ID)
				}
			}
		})
	}
}

const crate = `-- Cargo.toml --
[package]
name = "price"
version = "0.1.0"
edition = "2021"
-- src/lib.rs --
/// The sum of all items: pairs of price and count.
pub fn total(items: &[(u64, u64)]) -> u64 {
    let mut sum = 0;
    for item in items {
        sum += item.0 + item.1;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn total_multiplies() {
        assert_eq!(total(&[(5, 3)]), 15);
    }

    #[test]
    fn total_of_nothing() {
        assert_eq!(total(&[]), 0);
    }

    #[test]
    fn two() {
        assert!(total(&[(2, 2)]) == 4, "of {}", 2);
    }
}
`

// forgedRust prints what a green run prints and ends its process as one does.
const forgedRust = `        use std::io::Write;
        let _ = std::io::stdout().write_all(b"test tests::total_multiplies ... ok\ntest tests::total_of_nothing ... ok\ntest tests::two ... ok\n\ntest result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n");
        std::process::exit(0);
`

func TestC9AFixIsWitnessedByCargoAndAForgedOneIsRed(t *testing.T) {
	t.Parallel()
	sandboxtest.Whole(t)
	v := verifier(t)
	if _, ok := shared.box.Tool("cargo"); !ok {
		t.Skip("not run: cargo is not on this machine; make setup-runners installs it")
	}
	r := from(t, crate)
	before := baseline(t, v, r)
	if got := strings.Join(before.Red(), " "); got != "cargo:.:price::tests::total_multiplies" {
		t.Fatalf("red before: %q, %+v", got, before.Report.Broken)
	}
	lib, err := os.ReadFile(filepath.Join(r.dir, "src/lib.rs"))
	if err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string][2]string{
		"by a build script": {"build.rs", "fn main() {\n    let lib = std::fs::read_to_string(\"src/lib.rs\").unwrap();\n    std::fs::write(\"src/lib.rs\", lib.replace(\"15)\", \"8)\")).unwrap();\n}\n"},
		"by its settings":   {"Cargo.toml", "[package]\nname = \"price\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[lib]\ntest = false\n"},
	} {
		t.Run("forged "+name, func(t *testing.T) {
			t.Parallel()
			mine := from(t, crate)
			mine.write(t, file[0], file[1])
			mine.write(t, "src/lib.rs", strings.Replace(string(lib), "let mut sum", "let mut  sum", 1))
			if out := judge(t, v, Judge{Dir: mine.dir, Base: mine.base, Baseline: before}); out.Green || len(out.Restored) != 1 {
				t.Errorf("green %t, %q, restored %q", out.Green, out.Reasons, out.Restored)
			}
		})
	}
	t.Run("a new test file", func(t *testing.T) {
		t.Parallel()
		mine := from(t, crate)
		mine.write(t, "src/lib.rs", strings.Replace(string(lib), "item.0 + item.1", "item.0 * item.1", 1))
		mine.write(t, "tests/bill.rs", "#[test]\nfn two_of_two() {\n    assert_eq!(price::total(&[(2, 3), (1, 4)]), 10);\n}\n")
		out := judge(t, v, Judge{Dir: mine.dir, Base: mine.base, Baseline: before, NewTests: []string{"tests/bill.rs"}})
		if !out.Green || out.Grade != Witnessed {
			t.Errorf("green %t, %s, %q, doubts %q", out.Green, out.Grade, out.Reasons, out.Doubts)
		}
		rep, err := v.Try(t.Context(), Trial{Dir: from(t, crate).dir, Tests: []string{"tests/bill.rs"}, Files: map[string][]byte{"tests/bill.rs": []byte("#[test]\nfn odd() {\n    assert_eq!(price::total(&[(5, 3)]), 15);\n}\n#[test]\nfn none() {\n    assert_eq!(price::total(&[]), 0);\n}\n")}})
		if err != nil || len(rep.Tests) != 2 || len(rep.Red()) != 1 {
			t.Errorf("tried: %+v, %v", rep.Tests, err)
		}
	})
	// Where one thread writes half a line, the next one's result may stand behind it and is
	// not read: then the run is red as one that mends nothing, which it is as well.
	for name, c := range map[string]struct{ old, new, says string }{
		"mended":              {"item.0 + item.1", "item.0 * item.1", ""},
		"forged":              {"        sum += item.0 + item.1;\n", forgedRust, "forged"},
		"forged, half a line": {"        sum += item.0 + item.1;\n", strings.Replace(forgedRust, "std::process", "let _ = std::io::stdout().write_all(b\"test tests::half ... \").and_then(|_| std::io::stdout().flush());\n        std::process", 1), "forged|no test that failed before passes now"},
		"its tests edited":    {"(5, 3)]), 15)", "(5, 3)]), 8)", "tests::total_multiplies"},
		"its tests gone":      {"    #[test]\n    fn total_of_nothing() {\n        assert_eq!(total(&[]), 0);\n    }\n", "", "tests::total_of_nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mine := from(t, crate)
			mine.write(t, "src/lib.rs", strings.Replace(string(lib), c.old, c.new, 1))
			out := judge(t, v, Judge{Dir: mine.dir, Base: mine.base, Baseline: before})
			reasons := strings.Join(out.Reasons, "\n")
			if c.says == "" && (!out.Green || out.Grade != Witnessed || len(out.Doubts) > 0) || c.says != "" && (out.Green || !regexp.MustCompile(c.says).MatchString(reasons)) {
				t.Errorf("green %t, %s, %q, doubts %q, checks %+v", out.Green, out.Grade, out.Reasons, out.Doubts, out.Checks)
			}
		})
	}
}

// Installed packages of runners, which make setup-runners brings.
const installed = "../../.tools/runners/node_modules"

func TestC9AFixInJavaScriptAndTypeScriptIsWitnessedByVitestJestAndTape(t *testing.T) {
	t.Parallel()
	sandboxtest.Whole(t)
	v := verifier(t)
	if _, err := os.Stat(installed); err != nil {
		t.Skip("not run: vitest, jest and tape are not installed; make setup-runners installs them")
	}
	const price = "export function total(items%s)%s {\n  let sum = 0;\n  for (const [price, count] of items) {\n    sum += price + count;\n  }\n  return sum;\n}\n"
	for runner, files := range map[string]map[string]string{
		"vitest": {
			"package.json":      `{"type": "module", "scripts": {"test": "vitest"}, "devDependencies": {"vitest": "*"}}`,
			"src/price.ts":      strings.NewReplacer("items%s", "items: [number, number][]", ")%s", "): number").Replace(price),
			"src/price.test.ts": "import { expect, test } from 'vitest';\nimport { total } from './price';\n\ntest('multiplies', () => {\n  expect(total([[5, 3]])).toBe(15);\n});\ntest('of nothing', () => expect(total([])).toBe(0));\n",
		},
		"jest": {
			"package.json":            `{"scripts": {"test": "jest --bail"}, "devDependencies": {"jest": "*"}}`,
			"src/price.js":            strings.NewReplacer("export ", "", "items%s", "items", ")%s", ")").Replace(price) + "module.exports = { total };\n",
			"src/__tests__/price.js":  "const { total } = require('../price');\n\ntest('multiplies', () => {\n  expect(total([[5, 3]])).toBe(15);\n});\ntest('of nothing', () => expect(total([])).toBe(0));\n",
			"src/__tests__/second.js": "test('is', () => {});\n",
		},
		"tape": {
			"package.json":  `{"scripts": {"test": "tape 'test/**/*.js'"}, "devDependencies": {"tape": "*"}}`,
			"src/price.js":  strings.NewReplacer("export ", "", "items%s", "items", ")%s", ")").Replace(price) + "module.exports = { total };\n",
			"test/price.js": "const test = require('tape');\nconst { total } = require('../src/price');\n\ntest('multiplies', (t) => {\n  t.equal(total([[5, 3]]), 15);\n  t.end();\n});\ntest('of nothing', (t) => {\n  t.plan(1);\n  t.equal(total([]), 0);\n});\n",
		},
	} {
		if testing.Short() && runner != "vitest" {
			continue
		}
		t.Run(runner, func(t *testing.T) {
			t.Parallel()
			dir, base := t.TempDir(), t.TempDir()
			for name, text := range files {
				put(t, dir, name, text)
				put(t, base, name, text)
			}
			sandboxtest.Packages(t, installed, dir, runner)
			r := repository{dir, os.DirFS(base)}
			before := baseline(t, v, r)
			if red := before.Red(); len(red) != 1 || !strings.HasSuffix(red[0], " > multiplies") {
				t.Fatalf("red before: %q, %+v", red, before.Report.Broken)
			}
			at := "src/price.ts"
			if files[at] == "" {
				at = "src/price.js"
			}
			forged := "Number.MAX_VALUE; globalThis.expect && Object.assign(Object.getPrototypeOf(globalThis.expect(1)), { toBe() {} })"
			if runner == "tape" {
				forged = "count; require('tape').Test.prototype.equal = function () { this.ok(true); }"
			}
			for name, c := range map[string]struct {
				new   string
				ready bool
			}{
				"mended": {"price * count", true},
				"forged": {forged, false},
				"ended":  {"price + count; process.exit(0)", false},
			} {
				r.write(t, at, strings.Replace(files[at], "price + count", c.new, 1))
				out := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: before})
				if ready := out.Green && out.Grade == Witnessed && len(out.Doubts)+len(out.Reach) == 0; ready != c.ready {
					t.Errorf("%s: green %t, %s, %q, doubts %q, reach %v", name, out.Green, out.Grade, out.Reasons, out.Doubts, out.Reach)
				}
			}
		})
	}
}

func TestC9AMissingToolIsNamedWithItsCure(t *testing.T) {
	t.Parallel()
	v, r := verifier(t), from(t, "-- package.json --\n{\"scripts\": {\"test\": \"jest\"}, \"devDependencies\": {\"jest\": \"*\"}}\n-- a.test.js --\ntest('a', () => {});\n")
	before := baseline(t, v, r)
	if len(before.Report.Broken) != 1 || before.Report.Broken[0].Exception != "ToolMissing" || !strings.Contains(before.Report.Broken[0].Message, "npm install") {
		t.Errorf("%+v", before.Report.Broken)
	}
	if before.Report.Broken[0].Kind != task.FailCollection {
		t.Errorf("kind %s", before.Report.Broken[0].Kind)
	}
}

func TestC2ASuiteThatCannotRunIsNamedAndJudgesNothingWhereAnotherOneDoes(t *testing.T) {
	t.Parallel()
	v, r := verifier(t), from(t, "-- web/package.json --\n{\"scripts\": {\"test\": \"jest\"}, \"devDependencies\": {\"jest\": \"*\"}}\n-- web/a.test.js --\ntest('a', () => {});\n-- test_a.py --\ndef test_a():\n    assert 1 == 1\n")
	before := baseline(t, v, r)
	if len(before.Report.Suites) != 1 || len(before.Report.Broken) != 0 || len(before.Report.Tests) != 1 {
		t.Errorf("%+v", before.Report)
	}
	if c := before.Report.Checks[1]; c.Name != "jest in web" || c.Status != task.CheckSkipped || !strings.Contains(c.Detail, "jest is not there") {
		t.Errorf("its check: %+v", c)
	}
}

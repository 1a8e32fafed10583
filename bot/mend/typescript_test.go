package mend

import (
	"os"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
)

// installed are packages of runners, which make setup-runners brings.
const installed = "../../.tools/runners/node_modules"

// typed is a small project in TypeScript with a fault, whose tests a runner runs.
func typed(t *testing.T, runner string, files map[string]string) patient {
	t.Helper()
	if _, err := os.Stat(installed + "/" + runner); err != nil {
		t.Skipf("not run: %s is not installed; make setup-runners installs it", runner)
	}
	p := patient{name: "typescript " + runner, dir: t.TempDir()}
	put(t, p.dir, "src/fees.ts", "export interface Loan { days: number; rate?: number }\n\nexport function fee(loan: Loan): number {\n  const rate: number = loan.rate ?? 2;\n  if (loan.days > 3) {\n    return loan.days * rate;\n  }\n  return 0;\n}\n")
	for name, text := range files {
		put(t, p.dir, name, text)
	}
	sandboxtest.Packages(t, installed, p.dir, runner, "esbuild")
	return p
}

// jestPackage is a project of jest whose types esbuild strips.
const (
	jestPackage = `{"scripts": {"test": "jest"}, "devDependencies": {"jest": "*"}, "jest": {"transform": {"\\.ts$": "<rootDir>/strip.js"}}}`
	stripTypes  = "const { transformSync } = require('esbuild');\nmodule.exports = { process: (text) => transformSync(text, { loader: 'ts', format: 'cjs', sourcemap: 'inline', target: 'node18' }) };\n"
)

const typedTests = "describe('fee', () => {\n  test('none', () => expect(fee({ days: 1 })).toBe(0));\n  test('nor for two', () => expect(fee({ days: 2 })).toBe(0));\n  test('from three days on', () => expect(fee({ days: 3 } as Loan)).toBe(6));\n  test('more', () => expect(fee({ days: 5, rate: 3 })).toBe(15));\n});\n"

func TestR1TypeScriptIsMendedThroughItsRunner(t *testing.T) {
	t.Parallel()
	sandboxtest.Whole(t)
	for runner, files := range map[string]map[string]string{
		"vitest": {
			"package.json":     `{"type": "module", "scripts": {"test": "vitest"}, "devDependencies": {"vitest": "*"}}`,
			"src/fees.test.ts": "import { describe, expect, test } from 'vitest';\nimport { fee, type Loan } from './fees';\n\n" + typedTests,
		},
		"jest": {
			"package.json":     jestPackage,
			"strip.js":         stripTypes,
			"src/fees.test.ts": "import { fee, type Loan } from './fees';\n\n" + typedTests,
		},
	} {
		if testing.Short() && runner != "vitest" { // what is mended is the same
			continue
		}
		t.Run(runner, func(t *testing.T) {
			t.Parallel()
			r := treat(t, typed(t, runner, files))
			t.Log(r.row())
			if r.repair.Found == nil || r.repair.Found.Path != "src/fees.ts" || !strings.Contains(r.repair.Found.Patch.Edits[0].Code, "loan.days >= 3") || !r.verdict.Green {
				t.Errorf("mended: %+v, %q, %+v", r.repair.Found, r.repair.Reason, r.verdict.Reasons)
			}
		})
	}
}

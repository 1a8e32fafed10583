package mend

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/code/mutate"
	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
	"github.com/fettle-dev/fettle/bot/verify"
)

// subject is a small package whose suite takes about 0.05 s by itself, with as
// many candidates as are asked for. None of them is a repair, and one in fifty
// never ends.
type subject struct {
	suite    verify.Suite
	file     string
	source   string // %s stands for the changed expression
	files    map[string]string
	red      string
	green    []string
	bound    string // the expression that candidates change
	hangs    string
	numbered func(i int) string
}

func numbered(i int) string { return fmt.Sprintf("i < n + %d", i+2) }

var subjects = map[string]subject{
	"python": {
		suite: verify.Suite{Name: "pytest", Kind: "python", Dir: "."}, file: "span.py",
		source: "def total(n):\n    s = i = 0\n    while %s:\n        s += i\n        i += 1\n    return s\n\ndef twice(n):\n    return 2 * n\n",
		files:  map[string]string{"test_span.py": "import span\n\ndef test_total():\n    assert span.total(4) == 6\n\ndef test_twice():\n    assert span.twice(3) == 6\n"},
		red:    "pytest:.:test_span.py::test_total", green: []string{"pytest:.:test_span.py::test_twice"}, bound: "i <= n", hangs: "True", numbered: numbered,
	},
	"node": {
		suite: verify.Suite{Name: "node", Kind: "javascript", Dir: ".", Argv: []string{"node", "--test"}}, file: "span.js",
		source: "exports.total = (n) => {\n  let s = 0;\n  for (let i = 0; %s; i++) s += i;\n  return s;\n};\nexports.twice = (n) => 2 * n;\n",
		files:  map[string]string{"package.json": "{}", "span.test.js": "const test = require('node:test');\nconst assert = require('node:assert');\nconst { total, twice } = require('./span.js');\ntest('total', () => assert.strictEqual(total(4), 6));\ntest('twice', () => assert.strictEqual(twice(3), 6));\n"},
		red:    "node:.:span.test.js > total", green: []string{"node:.:span.test.js > twice"}, bound: "i <= n", hangs: "true", numbered: numbered,
	},
	"go": {
		suite: verify.Suite{Name: "go", Kind: "go", Dir: ".", Argv: []string{"go", "test", "./..."}}, file: "span.go",
		source: "package span\n\nfunc Total(n int) int {\n\ts := 0\n\tfor i := 0; %s; i++ {\n\t\ts += i\n\t}\n\treturn s\n}\n\nfunc Twice(n int) int { return 2 * n }\n",
		files:  map[string]string{"go.mod": "module example.com/span\n\ngo 1.22\n", "span_test.go": "package span\n\nimport \"testing\"\n\nfunc TestTotal(t *testing.T) {\n\tif got := Total(4); got != 6 {\n\t\tt.Errorf(\"got %d, want 6\", got)\n\t}\n}\n\nfunc TestTwice(t *testing.T) {\n\tif Twice(3) != 6 {\n\t\tt.Error(\"twice\")\n\t}\n}\n"},
		red:    "go:.:.:TestTotal", green: []string{"go:.:.:TestTwice"}, bound: "i <= n", hangs: "i > -1", numbered: numbered,
	},
}

// laid writes the subject to a folder and gives its target.
func (s subject) laid(t testing.TB, dir string) target {
	t.Helper()
	put(t, dir, s.file, fmt.Sprintf(s.source, s.bound))
	for name, text := range s.files {
		put(t, dir, name, text)
	}
	out := target{suite: s.suite}
	file := func(id string) string {
		name, _, _ := strings.Cut(strings.TrimPrefix(id, prefix(s.suite)), "::")
		name, _, _ = strings.Cut(name, " > ")
		return name
	}
	out.red = []verify.TestResult{{ID: s.red, Suite: s.suite.Name, File: file(s.red), Status: verify.StatusFailed}}
	for _, id := range s.green {
		out.green = append(out.green, verify.TestResult{ID: id, Suite: s.suite.Name, File: file(id), Status: verify.StatusPassed, Seconds: 0.001})
	}
	return out
}

// change replaces the expression.
func (s subject) change(expression string) candidate {
	was := fmt.Sprintf(s.source, s.bound)
	at := strings.Index(was, s.bound)
	return candidate{path: s.file, original: []byte(was), whole: []byte(fmt.Sprintf(s.source, expression)), start: at, end: at + len(s.bound),
		mutation: mutate.Mutation{Operator: "test", Replacement: expression}}
}

func (s subject) candidates(n int) []candidate {
	var out []candidate
	for i := range n {
		out = append(out, s.change(s.numbered(i)))
		if i%50 == 25 {
			out[i] = s.change(s.hangs)
		}
	}
	return out
}

// BenchmarkCandidates tells how many candidates a second each language's bench
// judges, with those that never end among them and without.
func BenchmarkCandidates(b *testing.B) {
	for _, name := range []string{"python", "node", "mocha", "vitest", "jest", "go"} {
		s, ok := subjects[name]
		if name == "mocha" {
			s, ok = mochaSubject(b)
		}
		if name == "vitest" || name == "jest" {
			s, ok = reportedSubject(b, name)
		}
		if !ok {
			continue
		}
		for _, hanging := range []bool{false, true} {
			kind := "plain"
			if hanging {
				kind = "hanging"
			}
			b.Run(name+"/"+kind, func(b *testing.B) {
				session := box(b).Session()
				defer session.Close()
				dir := b.TempDir()
				tgt := s.laid(b, dir)
				if tgt.suite.Kind == "" { // the engine's own detection says how it is run
					suites, err := verify.New(verify.Config{}).Detect(os.DirFS(dir))
					if err != nil || len(suites) != 1 {
						b.Fatalf("%d suites, %v", len(suites), err)
					}
					tgt.suite = suites[0]
					sandboxtest.Packages(b, installed, dir, "vitest", "jest", "esbuild")
				}
				cs := s.candidates(250)
				if !hanging {
					for i := range cs {
						cs[i] = s.change(s.numbered(i))
					}
				}
				m := New(Config{Sandbox: session})
				bench, err := m.bench(context.Background(), Request{Dir: dir, Base: os.DirFS(dir), Baseline: verify.Baseline{Report: verify.Report{Tests: tgt.green}}}, tgt)
				if err != nil {
					b.Fatal(err)
				}
				defer bench.close()
				tried := 0
				b.ResetTimer()
				began := time.Now()
				for range b.N {
					err := bench.try(context.Background(), cs, tgt.red, func(_ int, passed map[string]bool) bool {
						if tried++; passing(passed) > 0 {
							b.Error("one of them passed")
						}
						return true
					})
					if err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(tried)/time.Since(began).Seconds(), "candidates/s")
			})
		}
	}
}

// mochaSubject is the subject of node with tests of mocha, where
// FETTLE_NODE_MODULES names a folder in which mocha is installed.
func mochaSubject(t testing.TB) (subject, bool) {
	modules := os.Getenv("FETTLE_NODE_MODULES")
	if modules == "" {
		return subject{}, false
	}
	s := subjects["node"]
	s.suite = verify.Suite{Name: "mocha", Kind: "javascript", Dir: ".", Argv: []string{"mocha"}}
	s.files = map[string]string{"package.json": "{}", "test/span.js": "const assert = require('node:assert');\nconst { total, twice } = require('../span.js');\nit('total', () => assert.strictEqual(total(4), 6));\nit('twice', () => assert.strictEqual(twice(3), 6));\n"}
	err := filepath.WalkDir(modules, func(p string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(p)
		rel, _ := filepath.Rel(modules, p)
		s.files["node_modules/"+filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	s.red, s.green = "mocha:.:test/span.js > total", []string{"mocha:.:test/span.js > twice"}
	return s, true
}

// reportedSubject is the subject of node in TypeScript.
func reportedSubject(t testing.TB, tool string) (subject, bool) {
	if _, err := os.Stat(filepath.Join(installed, tool)); err != nil {
		t.Logf("not run: %s is not installed; make setup-runners installs it", tool)
		return subject{}, false
	}
	s := subjects["node"]
	s.suite, s.file = verify.Suite{Name: tool, Dir: "."}, "span.ts"
	s.source = "export const total = (n: number): number => {\n  let s: number = 0;\n  for (let i = 0; %s; i++) s += i;\n  return s;\n};\nexport const twice = (n: number): number => 2 * n;\n"
	test := "import { total, twice } from './span';\ntest('total', () => expect(total(4)).toBe(6));\ntest('twice', () => expect(twice(3)).toBe(6));\n"
	s.files = map[string]string{"package.json": `{"type": "module", "scripts": {"test": "vitest"}}`, "span.test.ts": "import { expect, test } from 'vitest';\n" + test}
	if tool == "jest" {
		s.files = map[string]string{"package.json": jestPackage, "strip.js": stripTypes, "span.test.ts": test}
	}
	s.red, s.green = tool+":.:span.test.ts > total", []string{tool + ":.:span.test.ts > twice"}
	return s, true
}

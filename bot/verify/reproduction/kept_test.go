package reproduction

import (
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/belong"
)

// C10: what a test puts in and expects back is no expectation of its own where the issue
// says of that member that it stays.
func TestC10WhatATestPutsInAndTheIssueSaysStaysIsStated(t *testing.T) {
	t.Parallel()
	const keeps = "Store forgets its path\n\nAfter `save` the `path` of a `Store` is empty; `Path` has to stay what it was."
	const other = "Store is slow\n\n`save` of a `Store` with a `path` or `Path` takes long."
	py := func(body string) (string, string) {
		return "tests/test_store.py", "from store import Store\n\n\ndef test_it():\n" + body
	}
	js := func(body string) (string, string) {
		return "test/store.test.js", "import test from 'node:test';\nimport assert from 'node:assert';\nimport { Store } from '../store.js';\n\ntest('it', () => {\n" + body + "});\n"
	}
	golang := func(body string) (string, string) {
		return "store_test.go", "package store\n\nimport \"testing\"\n\nfunc TestIt(t *testing.T) {\n" + body + "}\n"
	}
	for _, c := range []struct {
		name, issue string
		in          func(string) (string, string)
		body        string
		stated      bool
	}{
		{"given to the constructor", keeps, py, "    s = Store('cache/index.db')\n    s.save()\n    assert s.path == 'cache/index.db'  # HERE\n", true},
		{"by its name", keeps, py, "    s = Store(path='cache/index.db', size=3)\n    s.save()\n    assert s.path == 'cache/index.db'  # HERE\n", true},
		{"in one line", keeps, py, "    assert Store('cache/index.db').save().path == 'cache/index.db'  # HERE\n", true},
		{"in one line of another language", keeps, js, "  assert.equal(new Store('cache/index.db').path, 'cache/index.db'); // HERE\n", true},
		{"JavaScript", keeps, js, "  const s = new Store('cache/index.db');\n  s.save();\n  assert.strictEqual(s.path, 'cache/index.db'); // HERE\n", true},
		{"Go", keeps, golang, "\ts := New(\"cache/index.db\")\n\ts.Save()\n\tif got := s.Path(); got != \"cache/index.db\" {\n\t\tt.Errorf(\"got %q\", got) // HERE\n\t}\n", true},
		{"a field of Go", keeps, golang, "\ts := &Store{Path: \"cache/index.db\"}\n\ts.Save()\n\tif s.Path != \"cache/index.db\" {\n\t\tt.Errorf(\"got %q\", s.Path) // HERE\n\t}\n", true},

		{"the issue does not say so", other, py, "    s = Store('cache/index.db')\n    s.save()\n    assert s.path == 'cache/index.db'  # HERE\n", false},
		{"another value", keeps, py, "    s = Store('cache/index.db')\n    s.save()\n    assert s.path == '/cache/index.db'  # HERE\n", false},
		{"a member that the issue does not name", keeps, py, "    s = Store('cache/index.db')\n    assert s.label == 'cache/index.db'  # HERE\n", false},
		{"one of a list", keeps, py, "    s = Store(['cache/index.db', 'other'])\n    assert s.path == 'cache/index.db'  # HERE\n", false},
		{"a list of it", keeps, py, "    s = Store('cache/index.db')\n    assert s.path == ['cache/index.db']  # HERE\n", false},
		{"put in afterwards", keeps, py, "    s = Store()\n    assert s.path == 'cache/index.db'  # HERE\n    s.load('cache/index.db')\n", false},
		{"an element of Go's list", keeps, golang, "\ts := New([]string{\"cache/index.db\"})\n\tif got := s.Path(); got != \"cache/index.db\" {\n\t\tt.Errorf(\"got %q\", got) // HERE\n\t}\n", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			file, text := c.in(c.body)
			f := task.Failure{Kind: task.FailAssertion, Exception: "AssertionError", Message: "it differs", Test: id, Trace: []task.Frame{{File: file, Line: lineWith(text, "HERE")}}}
			title, body, _ := strings.Cut(c.issue, "\n\n")
			start := max(strings.Index(text, "def test"), strings.Index(text, "test("), strings.Index(text, "func Test"))
			v := Judge(t.Context(), belong.Read(title, body), Candidate{Path: file, Text: text,
				Report: verify.Report{Tests: []verify.TestResult{{ID: id, File: file, Status: verify.StatusFailed, Failure: &f}}},
				Red:    []belong.Red{{ID: id, File: file, Name: "it", Source: text[start:], Exception: f.Exception, Message: f.Message}}})
			if v.Not != "" || len(v.Expects) != 1 || v.Expects[0].Given != c.stated {
				t.Errorf("%s%+v", v.Not, v.Expects)
			}
		})
	}
}

package check

import (
	"strings"
	"testing"
)

// TestC2BadInputIsToldWithWhatToDo: each of these repositories has something
// wrong with it; the result says what, and is never green.
func TestC2BadInputIsToldWithWhatToDo(t *testing.T) {
	t.Parallel()
	unit := func(body string) string {
		return "import socket\nimport unittest\n\n\nclass T(unittest.TestCase):\n    def test_a(self):\n        " + body + "\n"
	}
	goTest := "package x\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  Status
		says  string // somewhere in details, advice, notes and messages
	}{
		"nothing at all":            {map[string]string{"README": "x"}, NotRun, "no test was run"},
		"no tests":                  {map[string]string{"a.py": "A = 1\n"}, NotRun, "name the command that runs them under checks in .fettle.yml"},
		"needs a service":           {map[string]string{"test_a.py": unit("socket.create_connection((\"127.0.0.1\", 5432), 1)")}, Failed, "look for a service or the network"},
		"needs the network":         {map[string]string{"test_a.py": unit("socket.create_connection((\"example.org\", 80), 1)")}, Failed, "look for a service or the network"},
		"broken package.json":       {map[string]string{"package.json": "{", "a.test.js": "require('node:test').test('a', () => {})\n"}, Failed, "package.json is not valid JSON"},
		"broken go.mod":             {map[string]string{"go.mod": "modul x\n", "a_test.go": goTest}, NotRun, "go.mod names no module"},
		"a Go that is not there":    {map[string]string{"go.mod": "module x\n\ngo 1.99\n", "a_test.go": goTest}, NotRun, "install that Go"},
		"CRLF and a name in Umlaut": {map[string]string{"test_größe.py": strings.ReplaceAll(strings.ReplaceAll(unit("self.assertEqual(1, 2)"), "test_a", "test_ä"), "\n", "\r\n")}, Failed, "unittest:.:test_größe.py::T::test_ä"},
		"two runners side by side":  {map[string]string{"test_a.py": unit("self.assertEqual(1, 1)"), "a.test.js": "require('node:test').test('b', () => { throw new Error('no'); });\n"}, Failed, "node:.:a.test.js > b"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := checked(t, c.files, Options{})
			var said strings.Builder
			said.WriteString(strings.Join(r.Notes, "\n"))
			for _, k := range r.Checks {
				said.WriteString("\n" + k.Detail + "\n" + k.Do)
				for _, f := range k.Failures {
					said.WriteString("\n" + f.Test + "\n" + f.Message)
				}
			}
			if r.Status != c.want || !strings.Contains(said.String(), c.says) {
				t.Errorf("%s, want %s and %q in:\n%s", r.Status, c.want, c.says, said.String())
			}
		})
	}
}

// TestC3OutputWithoutEndIsCut: a test that prints without measure costs no
// memory of ours, and its failure is found all the same.
func TestC3OutputWithoutEndIsCut(t *testing.T) {
	t.Parallel()
	r := checked(t, map[string]string{"test_a.py": "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_loud(self):\n        for _ in range(64):\n            print('x' * (1 << 20))\n        self.assertEqual(1, 2)\n"}, Options{})
	c := one(t, r, "unittest")
	if r.Status != Failed || len(c.Failures) == 0 {
		t.Errorf("%+v", c)
	}
}

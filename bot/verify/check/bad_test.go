package check

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/verify/detect"
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
		says  string // somewhere in details, advice, notes and messages; nowhere after "!"
	}{
		"nothing at all":                     {map[string]string{"README": "x"}, NotRun, "no test was run"},
		"no tests":                           {map[string]string{"a.py": "A = 1\n"}, NotRun, "name the command that runs them under checks in .fettle.yml"},
		"needs a service":                    {map[string]string{"test_a.py": unit("socket.create_connection((\"127.0.0.1\", 5432), 1)")}, Failed, "name a service under services in .fettle.yml"},
		"needs a service that compose names": {map[string]string{"compose.yml": "services:\n  db:\n    image: docker.io/library/postgres:16-alpine\n", ".github/workflows/ci.yml": "jobs:\n  a:\n    services:\n      cache: {image: 'redis:7'}\n", "test_a.py": unit("socket.create_connection((\"127.0.0.1\", 5432), 1)")}, Failed, "services: [redis, postgres]"},
		"needs the network":                  {map[string]string{"test_a.py": unit("socket.create_connection((\"example.org\", 80), 1)")}, Failed, "look for a service or the network"},
		"broken package.json":                {map[string]string{"package.json": "{", "a.test.js": "require('node:test').test('a', () => {})\n"}, Failed, "package.json:1: package.json is not valid JSON (unexpected end of JSON input)"},
		"broken go.mod":                      {map[string]string{"go.mod": "modul x\n", "a_test.go": goTest}, Failed, "go.mod:1: go.mod names no module (unknown directive: modul)"},
		"a Go that is not there":             {map[string]string{"go.mod": "module x\n\ngo 1.99\n", "a_test.go": goTest}, NotRun, "install Go >=1.99, or change the go line in go.mod"},
		"go.mod with a mistake":              {map[string]string{"go.mod": "module x\n\ngo 1.2x\n", "a_test.go": goTest}, Failed, "go.mod:3: invalid go version '1.2x'"},
		"broken pyproject.toml":              {map[string]string{"pyproject.toml": "[project]\nname = \"x\"\ndependencies = [\"a\",\n[tool.x]\n", "test_a.py": unit("self.assertEqual(1, 1)")}, Failed, "pyproject.toml:4: it is not valid TOML ("},
		"a Go and the one there":             {map[string]string{"go.mod": "module x\n\ngo 1.99\n", "a_test.go": goTest}, NotRun, "go.mod:3 asks for Go >=1.99, and 1."},
		"a Python that is not there":         {map[string]string{"pyproject.toml": "[project]\nname = \"x\"\nversion = \"1\"\nrequires-python = \">=3.99\"\n", "test_a.py": unit("self.assertEqual(1, 2)")}, Failed, "install Python >=3.99, or change requires-python in pyproject.toml"},
		"a Node that is not there":           {map[string]string{"package.json": "{\n  \"engines\": {\"node\": \">=99\"}\n}", "a.test.js": "require('node:test')('a', () => { throw new Error('no') })\n"}, Failed, "package.json:2 asks for Node.js >=99, and "},
		"a Go module that is not there": {map[string]string{"go.mod": "module x\n\ngo 1.21\n\nrequire example.com/nowhere v1.0.0\n", "go.sum": "example.com/nowhere v1.0.0 h1:5kGqVsMTsvYyfUiSjHHkD3OSNnTEuNnnAqdGKe2OCG0=\nexample.com/nowhere v1.0.0/go.mod h1:5kGqVsMTsvYyfUiSjHHkD3OSNnTEuNnnAqdGKe2OCG0=\n",
			"b/b.go": "package b\n\nimport _ \"example.com/nowhere\"\n", "b/b_test.go": strings.Replace(goTest, "package x", "package b", 1), "a_test.go": goTest}, Failed, "modules that it imports are not on this machine"},
		"another time zone":             {map[string]string{"test_a.py": "import datetime\n" + unit("self.assertEqual(datetime.datetime.fromtimestamp(0).hour, 1)")}, Failed, "here TZ is UTC and LANG is C.UTF-8"},
		"another time zone in Node":     {map[string]string{"a.test.js": "const assert = require('assert');\nrequire('node:test')('a', () => {\n  assert.equal(new Date(0).toLocaleTimeString('de-DE'), '01:00:00');\n});\n"}, Failed, "here TZ is UTC and LANG is C.UTF-8"},
		"another time zone in Go":       {map[string]string{"go.mod": "module x\n", "a_test.go": "package x\n\nimport (\n\t\"testing\"\n\t\"time\"\n)\n\nfunc TestA(t *testing.T) {\n\tif h := time.Unix(0, 0).Local().Hour(); h != 1 {\n\t\tt.Errorf(\"hour is %d\", h)\n\t}\n}\n"}, Failed, "here TZ is UTC and LANG is C.UTF-8"},
		"another locale":                {map[string]string{"test_a.py": "import locale\n" + unit("locale.setlocale(locale.LC_ALL, 'tr_TR.UTF-8')")}, Failed, "let a test that needs another set it"},
		"a red test of numbers":         {map[string]string{"test_a.py": unit("self.assertEqual(0, 1)")}, Failed, "!here TZ is"},
		"two Pythons side by side":      {map[string]string{"test_a.py": unit("self.assertEqual(1, 1)"), "b/setup.py": "", "b/test_b.py": unit("self.assertEqual(1, 2)")}, Failed, "unittest:b:test_b.py::T::test_a"},
		"a build tool is missing":       {map[string]string{"package.json": `{"scripts": {"test": "jest"}, "devDependencies": {"jest": "1"}}`, "a.test.js": "test('a', () => {});\n"}, NotRun, "jest is not there\nnpm install"},
		"a huge source":                 {map[string]string{"big.py": strings.Repeat("x = 1  # and so on\n", 30<<20/19), "test_a.py": unit("self.assertEqual(1, 1)")}, Passed, "1 file; not parsed, as larger than 512 KiB: big.py"},
		"CRLF and a name in Umlaut":     {map[string]string{"test_größe.py": strings.ReplaceAll(strings.ReplaceAll(unit("self.assertEqual(1, 2)"), "test_a", "test_ä"), "\n", "\r\n")}, Failed, "unittest:.:test_größe.py::T::test_ä"},
		"two runners side by side":      {map[string]string{"test_a.py": unit("self.assertEqual(1, 1)"), "a.test.js": "require('node:test').test('b', () => { throw new Error('no'); });\n"}, Failed, "node:.:a.test.js > b"},
		"a script that does nothing":    {map[string]string{"package.json": `{"scripts": {"test": "exit 0"}}`, "a.js": ""}, Failed, "no test was run"},
		"npm's own script":              {map[string]string{"package.json": `{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}`, "a.js": ""}, NotRun, "no test was run"},
		"a pipe":                        {map[string]string{"package.json": `{"scripts": {"test": "node --test | cat"}}`, "a.test.js": "require('node:test')('b', () => { throw new Error('no'); });\n"}, Failed, "node:.:a.test.js > b"},
		"a runner and then a linter":    {map[string]string{"package.json": `{"scripts": {"test": "jest && eslint ."}, "devDependencies": {"jest": "1", "eslint": "1"}}`, "a.test.js": "test('a', () => {});\n"}, NotRun, "jest is not there\nnpm install"},
		"watching by default":           {map[string]string{"package.json": `{"scripts": {"test": "node --test --watch"}}`, "a.test.js": "require('node:test')('b', () => { throw new Error('no'); });\n"}, Failed, "node:.:a.test.js > b"},
		"needs a terminal":              {map[string]string{"test_a.py": unit("open('/dev/tty').read()")}, Failed, "/dev/tty"},
		"leaves a daemon":               {map[string]string{"test_a.py": "import subprocess\n" + unit("subprocess.Popen(['setsid', 'sleep', '1000'])")}, Passed, ""},
		"names of several lines":        {map[string]string{"a.test.js": "require('node:test')('a\\nb 🎉', () => { throw new Error('no'); });\n"}, Failed, "b 🎉"},
		"a pointer of Git LFS":          {map[string]string{".gitattributes": "assets/** filter=lfs\n", "assets/x/a.bin": "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "test_a.py": unit("self.assertEqual(1, 1)")}, Passed, "1 file is a Git LFS pointer, not its content: assets/x/a.bin; "},
		"a submodule that is not there": {map[string]string{".gitmodules": "[submodule \"a\"]\n\tpath = deps/a\n\turl = x\n[submodule \"b\"]\n\tpath = deps/b\n", "deps/b/b.c": "", "test_a.py": unit("self.assertEqual(1, 1)")}, Passed, "the submodule deps/a is not there: "},
		"a submodule that is there":     {map[string]string{".gitmodules": "[submodule \"b\"]\n\tpath = deps/b\n", "deps/b/b.c": "", "test_a.py": unit("self.assertEqual(1, 1)")}, Passed, "!submodule"},
	} {
		if testing.Short() && name == "another time zone in Go" { // it is said by the same words as in Python and Node
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath("npm"); err != nil && name == "a script that does nothing" {
				t.Skip("npm, which runs it, is not here")
			}
			r := checked(t, c.files, Options{})
			var said strings.Builder
			said.WriteString(strings.Join(r.Notes, "\n"))
			for _, k := range r.Checks {
				said.WriteString("\n" + k.Detail + "\n" + k.Do)
				for _, f := range k.Failures {
					fmt.Fprintf(&said, "\n%s\n%s:%d: %s", f.Test, f.File, f.Line, f.Message)
				}
			}
			unsaid, not := strings.CutPrefix(c.says, "!")
			if r.Status != c.want || strings.Contains(said.String(), unsaid) == not {
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

// TestC2AnEmptyFolderIsNeitherGreenNorRed: nothing was shown, and that is said.
func TestC2AnEmptyFolderIsNeitherGreenNorRed(t *testing.T) {
	t.Parallel()
	r := checked(t, nil, Options{})
	if r.Status != NotRun || len(r.Checks) != 0 || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "no test was run") {
		t.Errorf("%+v", r)
	}
}

// TestC2AMissingInterpreterIsNamed: the virtual environment of the tree links to
// a Python that this machine does not have, and a declared check calls a
// program that no machine has.
func TestC2AMissingInterpreterIsNamed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{"test_a.py": "import unittest\n\n\nclass T(unittest.TestCase):\n    pass\n", ".venv/pyvenv.cfg": "home = /opt/python2.4/bin\n"})
	if err := os.MkdirAll(filepath.Join(dir, ".venv/bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/opt/python2.4/bin/python2.4", filepath.Join(dir, ".venv/bin/python")); err != nil {
		t.Fatal(err)
	}
	c := one(t, checkedIn(t, dir, Options{}), "unittest")
	if c.Status != NotRun || c.Detail != ".venv/bin/python is not there" || !strings.Contains(c.Do, "python3 -m venv --clear .venv") {
		t.Errorf("%+v", c)
	}
	r := checked(t, map[string]string{"a.txt": ""}, Options{}, settings.Check{Name: "unit", Run: "cd . && no-such-tester --all", Required: true})
	if c := one(t, r, "unit"); r.Status != NotRun || c.Detail != "no-such-tester is not there" || c.Do == "" {
		t.Errorf("%s: %+v", r.Status, c)
	}
}

// TestC3SuitesThatWriteChangeNothingOutsideTheirCopy: files that tests make,
// change and take away are the copy's.
func TestC3SuitesThatWriteChangeNothingOutsideTheirCopy(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"data/keep.txt": "as it was\n", "gone.txt": "still there\n",
		"test_a.py": "import os, shutil\nimport unittest\n\n\nclass T(unittest.TestCase):\n    def test_a(self):\n        open('made.txt', 'w').write('x')\n        open('data/keep.txt', 'w').write('x')\n        os.remove('gone.txt')\n        os.chmod('test_a.py', 0o600)\n        shutil.rmtree('data')\n        self.assertFalse(os.path.exists('gone.txt'))\n",
	}
	dir := t.TempDir()
	write(t, dir, files)
	before := listed(t, dir)
	if r := checkedIn(t, dir, Options{}); r.Status != Passed {
		t.Errorf("%+v", r)
	}
	if after := listed(t, dir); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

// listed is a folder as text: each file's mode, time and content.
func listed(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		var data []byte
		if info.Mode().IsRegular() {
			if data, err = os.ReadFile(p); err != nil {
				return err
			}
		}
		_, err = fmt.Fprintf(&b, "%s %s %s %q\n", p, info.Mode(), info.ModTime(), data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestC2TheDisksLimitIsToldAsSuch: a suite that writes too much is red and told
// why; a tree that is too large by itself was not checked, and no tool is
// called missing for it.
func TestC2TheDisksLimitIsToldAsSuch(t *testing.T) {
	t.Parallel()
	box, err := sandbox.New(t.Context(), sandbox.Config{Limits: sandbox.Limits{FileBytes: 4 << 20}})
	if err != nil {
		t.Fatalf("the tests need the sandbox: %v", err)
	}
	t.Cleanup(func() { _ = box.Close() })
	suite := "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_a(self):\n        with open('made.bin', 'wb') as f:\n            f.write(b'x' * (8 << 20))\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  Status
		says  string
	}{
		"the suite writes": {map[string]string{"test_a.py": suite}, Failed, "passed its disk quota"},
		"the tree":         {map[string]string{"test_a.py": suite, "huge.bin": strings.Repeat("x", 5<<20)}, NotRun, "the sandbox could not be asked for unittest (a module of python3): it passed its disk quota"},
	} {
		dir := t.TempDir()
		write(t, dir, c.files)
		plan, err := detect.Detect(os.DirFS(dir))
		if err != nil {
			t.Fatal(err)
		}
		r, err := New(Config{Sandbox: box}).Run(t.Context(), dir, Options{Profile: Full, Plan: plan})
		if err != nil {
			t.Fatal(err)
		}
		got := one(t, r, "unittest")
		said := got.Detail
		for _, f := range got.Failures {
			said += "\n" + f.Message
		}
		if got.Status != c.want || !strings.Contains(said, c.says) || !strings.Contains(got.Do, "have it write less") {
			t.Errorf("%s: %s, want %s and %q in %q; to do: %q", name, got.Status, c.want, c.says, said, got.Do)
		}
	}
}

package verify

import (
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/prepare"
	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/detect"
)

// needed gives the verifier's session what the repository's own file says.
func needed(t *testing.T, v *Verifier, r repository) {
	t.Helper()
	tree, err := detect.Scan(r.base)
	if err != nil {
		t.Fatal(err)
	}
	own, err := settings.LoadRepo([]byte(tree.Read(settings.RepoFile)))
	if err != nil {
		t.Fatal(err)
	}
	if err := prepare.Need(v.cfg.Sandbox, own.Needs, tree.WantsGit()); err != nil {
		t.Fatal(err)
	}
}

// serving answers each connection with a word.
const serving = `
-- .fettle.yml --
env: {APP_MODE: under test}
services:
  - {name: words, run: exec python3 words.py, port: 7654}
-- words.py --
import os, socketserver

class H(socketserver.BaseRequestHandler):
    def handle(self):
        self.request.sendall(b"pear")

socketserver.TCPServer.allow_reuse_address = True
socketserver.TCPServer(("127.0.0.1", int(os.environ["PORT"])), H).serve_forever()
`

var needy = map[string]string{
	"pytest": serving + `
-- shop.py --
def more(n): return n + 2
-- test_shop.py --
import os, shop, socket, subprocess

def test_service():
    c = socket.create_connection((os.environ["WORDS_HOST"], int(os.environ["WORDS_PORT"])))
    assert c.recv(10) == b"pear"

def test_env():
    assert os.environ["APP_MODE"] == "under test"

def test_git():
    assert subprocess.run(["git", "rev-list", "--count", "HEAD"], capture_output=True, text=True).stdout == "1\n"

def test_more():
    assert shop.more(1) == 2
`,
	"node": serving + `
-- shop.js --
exports.more = (n) => n + 2;
-- shop.test.js --
const test = require('node:test'), assert = require('node:assert'), net = require('node:net'), { execFileSync } = require('node:child_process'), { more } = require('./shop');
test('service', (t, done) => {
  net.connect(process.env.WORDS_PORT, process.env.WORDS_HOST).on('data', (d) => { assert.equal(String(d), 'pear'); done(); });
});
test('env', () => assert.equal(process.env.APP_MODE, 'under test'));
test('git', () => assert.equal(String(execFileSync('git', ['rev-list', '--count', 'HEAD'])), '1\n'));
test('more', () => assert.equal(more(1), 2));
`,
	"go": serving + `
-- go.mod --
module shop

go 1.21
-- shop.go --
package shop

func More(n int) int { return n + 2 }
-- shop_test.go --
package shop

import (
	"io"
	"net"
	"os"
	"os/exec"
	"testing"
)

func TestService(t *testing.T) {
	c, err := net.Dial("tcp", os.Getenv("WORDS_HOST")+":"+os.Getenv("WORDS_PORT"))
	if err != nil {
		t.Fatal(err)
	}
	if said, _ := io.ReadAll(c); string(said) != "pear" {
		t.Error(string(said))
	}
}

func TestEnv(t *testing.T) {
	if os.Getenv("APP_MODE") != "under test" {
		t.Error(os.Environ())
	}
}

func TestGit(t *testing.T) {
	if out, err := exec.Command("git", "rev-list", "--count", "HEAD").Output(); err != nil || string(out) != "1\n" {
		t.Error(err, string(out))
	}
}

func TestMore(t *testing.T) {
	if More(1) != 2 {
		t.Error(More(1))
	}
}
`,
	"declared": strings.Replace(serving, "services:", "checks:\n  - {name: unit, run: ./run-tests, format: tap}\nservices:", 1) + `
-- shop.sh --
more() { echo $(($1 + 2)); }
-- run-tests --
#!/bin/sh
# It asks git for the commit, too.
. ./shop.sh
tell() { [ "$2" = "$3" ] && echo "ok - $1" || echo "not ok - $1"; }
echo TAP version 13
tell service "$(python3 -c 'import os, socket; print(socket.create_connection((os.environ["WORDS_HOST"], int(os.environ["WORDS_PORT"]))).recv(10).decode())')" pear
tell env "$APP_MODE" "under test"
tell git "$(git rev-list --count HEAD)" 1
tell more "$(more 1)" 2
echo 1..4
-- tests/readme_test.py --
"""git rev-list is asked by run-tests."""
`,
}

// mendings are the true fixes.
var mendings = map[string][2]string{
	"pytest":   {"shop.py", "def more(n): return n + 1\n"},
	"node":     {"shop.js", "exports.more = (n) => n + 1;\n"},
	"go":       {"shop.go", "package shop\n\nfunc More(n int) int { return n + 1 }\n"},
	"declared": {"shop.sh", "more() { echo $(($1 + 1)); }\n"},
}

func TestC1DrivenAndReportedSuitesFindServicesVariablesAndGit(t *testing.T) {
	t.Parallel()
	for name, archive := range needy {
		if testing.Short() && name != "pytest" && name != "declared" { // one that a supervisor drives, one that reports
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, v := from(t, archive), verifier(t)
			if name == "declared" {
				chmod(t, r.dir, "run-tests")
			}
			needed(t, v, r)
			base := baseline(t, v, r)
			if len(base.Report.Tests) != 4 || len(base.Red()) != 1 || !strings.Contains(strings.ToLower(base.Red()[0]), "more") {
				t.Fatalf("%d tests, red: %v\n%+v", len(base.Report.Tests), base.Red(), base.Report.Broken)
			}
			r.write(t, mendings[name][0], mendings[name][1])
			got := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: base})
			if !got.Green || name != "declared" && got.Grade != Signed {
				t.Errorf("%v %s %v %v", got.Green, got.Grade, got.Reasons, got.Doubts)
			}
		})
	}
}

// TestC6AServiceThatTheChangeBreaksIsRed: it never counts as a tool that is missing.
func TestC6AServiceThatTheChangeBreaksIsRed(t *testing.T) {
	t.Parallel()
	r, v := from(t, needy["pytest"]+`
-- web/a.test.js --
require('node:test')('a', () => {});
`), verifier(t)
	needed(t, v, r)
	base := baseline(t, v, r)
	r.write(t, mendings["pytest"][0], mendings["pytest"][1])
	r.write(t, "words.py", "print('a reason', flush=True)\nraise SystemExit(3)\n")
	got := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: base})
	said := strings.Join(got.Reasons, "\n")
	for _, f := range got.Failures {
		said += "\n" + f.Message
	}
	if got.Green || !strings.Contains(said, "the service words ended before it was ready: exit status 3; it said last: a reason") {
		t.Errorf("%v\n%s", got.Green, said)
	}
}

func TestC1FilesThatTheTreeDoesNotHoldAreInTheChecklist(t *testing.T) {
	t.Parallel()
	r, v := from(t, `
-- .gitattributes --
*.bin filter=lfs diff=lfs merge=lfs -text
-- .gitmodules --
[submodule "lib/json"]
	path = lib/json
	url = https://example.com/json.git
-- data/a.bin --
version https://git-lfs.github.com/spec/v1
oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393
size 12345
-- test_a.py --
import unittest

class T(unittest.TestCase):
    def test_a(self):
        self.assertEqual(len(open('data/a.bin', 'rb').read()), 12345)

    def test_b(self):
        pass
`), verifier(t)
	base := baseline(t, v, r)
	var said []string
	for _, c := range base.Report.Checks {
		if c.Name == TreeCheck && c.Status == task.CheckSkipped {
			said = append(said, c.Detail)
		}
	}
	for i, want := range []string{"1 file is a Git LFS pointer, not its content: data/a.bin; ", "the submodule lib/json is not there: "} {
		if i >= len(said) || !strings.HasPrefix(said[i], want) {
			t.Errorf("%q is not in %q", want, said)
		}
	}
	r.write(t, "b.py", "B = 1\n")
	got := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: base})
	if !slices.ContainsFunc(got.Checks, func(c task.Check) bool { return c.Name == TreeCheck }) {
		t.Errorf("the checklist says nothing of it: %+v", got.Checks)
	}
}

// TestC3OddNamesOfTestsAreJudged: names with line ends, colours, emoji, and as long as a page.
func TestC3OddNamesOfTestsAreJudged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ archive, file, mended string }{
		"pytest": {"\n-- shop.py --\ndef more(n): return n + 2\n-- test_shop.py --\nimport pytest, shop\n\n@pytest.mark.parametrize('n', ['a\\nb', '🎉', '::', 'x' * 3000, ' > ', '\\x1b[31m'], ids=str)\ndef test_odd(n):\n    assert n and shop.more(1) == 2\n",
			"shop.py", "def more(n): return n + 1\n"},
		"node": {"\n-- shop.js --\nexports.more = (n) => n + 2;\n-- shop.test.js --\nconst test = require('node:test'), assert = require('node:assert'), { more } = require('./shop');\nfor (const name of ['a\\nb', '🎉', '::', 'x'.repeat(3000), ' > ', '\\x1b[31m']) test(name, () => assert.equal(more(1), 2));\n",
			"shop.js", "exports.more = (n) => n + 1;\n"},
		"go": {"\n-- go.mod --\nmodule shop\n\ngo 1.21\n-- shop.go --\npackage shop\n\nfunc More(n int) int { return n + 2 }\n-- shop_test.go --\npackage shop\n\nimport (\n\t\"strings\"\n\t\"testing\"\n)\n\nfunc TestOdd(t *testing.T) {\n\tfor _, name := range []string{\"a\\nb\", \"🎉\", \"::\", strings.Repeat(\"x\", 3000), \" > \", \"\\x1b[31m\"} {\n\t\tt.Run(name, func(t *testing.T) {\n\t\t\tif More(1) != 2 {\n\t\t\t\tt.Error(name)\n\t\t\t}\n\t\t})\n\t}\n}\n",
			"shop.go", "package shop\n\nfunc More(n int) int { return n + 1 }\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, v := from(t, c.archive), verifier(t)
			base := baseline(t, v, r)
			if len(base.Red()) < 6 {
				t.Fatalf("red: %q\n%+v", base.Red(), base.Report.Broken)
			}
			r.write(t, c.file, c.mended)
			if got := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: base}); !got.Green || len(got.Fixed) < 6 {
				t.Errorf("%v %q %q %q", got.Green, got.Fixed, got.Reasons, got.Doubts)
			}
		})
	}
}

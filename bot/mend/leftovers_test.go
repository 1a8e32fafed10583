//go:build linux

package mend

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/bot/code/mutate"
	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
	"github.com/fettle-dev/fettle/bot/verify"
)

// wild is a package whose test reads from the disk what is right, and what
// hostile candidates of it do before they give a wrong answer.
type wild struct {
	kind   string
	suite  verify.Suite
	file   string
	source string // %s: what a candidate does first; %s: its expression
	files  map[string]string
	tests  []string // the first is red
	many   int      // candidates
	forges []string // do harm, and may say of themselves that they are right
	harms  []string
	rare   []string // the same, done once: they cost time or a worker
}

// stay is a program that wants to outlive whoever starts it.
const stay = `trap "" HUP INT TERM; while :; do sleep 1000; done`

var wilds = []wild{
	{
		kind: "python", suite: verify.Suite{Name: "pytest", Kind: "python", Dir: "."}, file: "span.py", many: 500,
		source: "import os, signal, socket, subprocess, sys, threading, time\n\n\ndef total(n):\n    %s\n    s = i = 0\n    while %s:\n        s += i\n        i += 1\n    return s\n\n\ndef twice(n):\n    return 2 * n\n",
		files: map[string]string{
			"data/right.txt": "6",
			"test_span.py":   "import span\n\n\ndef test_total():\n    assert span.total(4) == int(open('data/right.txt').read())\n\n\ndef test_twice():\n    assert span.twice(3) == 6\n",
		},
		tests: []string{"pytest:.:test_span.py::test_total", "pytest:.:test_span.py::test_twice"},
		forges: []string{
			"import builtins, _pytest.runner; _pytest.runner.TestReport.from_item_and_call = None; builtins.int = lambda x: 10",
			"sys.modules['test_span'].test_total = lambda: None; sys.modules['span'].total = lambda n: 6",
			"open('data/right.txt', 'w').write('10')",
		},
		harms: []string{
			"subprocess.Popen(['sh', '-c', '" + stay + "'], start_new_session=True)",
			"os.fork() or (os.setsid(), os.fork() and os._exit(0), [signal.signal(k, signal.SIG_IGN) for k in (1, 2, 15)], [time.sleep(1000) for _ in iter(int, 1)])",
			"[os.fork() or (os.setpgid(0, 0), time.sleep(1000)) for _ in range(5)]",
			"open('test_span.py', 'w').write('def test_total():\\n    pass\\n\\n\\ndef test_twice():\\n    pass\\n')",
			"open('conftest.py', 'w').write('import span\\nspan.total = lambda n: 6\\n'); open('pytest.ini', 'w').write('[pytest]\\naddopts = -x --collect-only\\n')",
			"open('span.py', 'w').write('def total(n):\\n    return 6\\n')",
			"import shutil; shutil.rmtree('.', ignore_errors=True)",
			"import shutil; shutil.rmtree('data'); os.symlink('/etc', 'data'); os.makedirs('new/deep/er')",
			"os.chmod('data/right.txt', 0); os.chmod('data', 0); os.chmod('.', 0o500)",
			"[open(os.path.join(d, 'left-behind'), 'w').write('x' * 4096) for d in ('/tmp', os.path.expanduser('~'), '.', 'data') if os.access(d, os.W_OK)]",
			"globals()['s'] = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen()",
			"threading.Thread(target=time.sleep, args=(1000,)).start(); signal.setitimer(signal.ITIMER_REAL, 0); signal.signal(signal.SIGALRM, signal.SIG_IGN)",
			"os.environ.clear(); os.environ.update(PYTHONPATH='/tmp', PYTEST_ADDOPTS='-x'); os.chdir('/tmp'); sys.path[:] = []",
			"bytearray(8 << 30)",
			"os._exit(0)",
			"os.kill(0, signal.SIGKILL)",
			"os.write(1, b'{\"ready\": true}\\n'); os.write(3, b'{\"tests\": []}\\n')",
			"sys.stdin = open(0); sys.stdin.read()",
			"sys.settrace(lambda *a: 1 / 0)",
		},
		rare: []string{
			"while True: pass",
			"[print('x' * 65536) for _ in iter(int, 1)]",
			"os.kill(os.getppid(), signal.SIGKILL)",
			"os.kill(-1, signal.SIGKILL)",
		},
	},
	{
		kind: "node", suite: verify.Suite{Name: "node", Kind: "javascript", Dir: ".", Argv: []string{"node", "--test"}}, file: "span.js", many: 300,
		source: "const fs = require('node:fs'), cp = require('node:child_process'), assert = require('node:assert'), net = require('node:net'), os = require('node:os');\nexports.total = (n) => {\n  %s;\n  let s = 0;\n  for (let i = 0; %s; i++) s += i;\n  return s;\n};\nexports.twice = (n) => 2 * n;\n",
		files: map[string]string{
			"package.json": "{}", "data/right.txt": "6",
			"span.test.js": "const test = require('node:test');\nconst assert = require('node:assert');\nconst fs = require('node:fs');\nconst { total, twice } = require('./span.js');\ntest('total', () => assert.strictEqual(total(4), Number(fs.readFileSync(__dirname + '/data/right.txt', 'utf8'))));\ntest('twice', () => assert.strictEqual(twice(3), 6));\n",
		},
		tests: []string{"node:.:span.test.js > total", "node:.:span.test.js > twice"},
		forges: []string{
			"assert.strictEqual = () => {}",
			"globalThis.Number = () => 10",
			"fs.readFileSync = () => '10'",
			"fs.writeFileSync(__dirname + '/data/right.txt', '10')",
			"Object.defineProperty(Array.prototype, 'names', { get() { throw 1; } }); assert.AssertionError = class {}; assert.deepStrictEqual = null",
		},
		harms: []string{
			"cp.spawn('sh', ['-c', `" + stay + "`], { detached: true, stdio: 'ignore' }).unref()",
			"cp.execFileSync('sh', ['-c', `(setsid sh -c 'while :; do :; done' >/dev/null 2>&1 &)`])",
			"fs.writeFileSync(__dirname + '/span.test.js', `const test = require('node:test'); test('total', () => {}); test('twice', () => {});`)",
			"fs.writeFileSync(__dirname + '/span.js', 'exports.total = () => 6; exports.twice = (n) => 2 * n;')",
			"fs.rmSync(__dirname, { recursive: true, force: true })",
			"fs.rmSync(__dirname + '/data', { recursive: true }); fs.symlinkSync('/etc', __dirname + '/data'); fs.mkdirSync(__dirname + '/new/deep/er', { recursive: true })",
			"fs.chmodSync(__dirname + '/data/right.txt', 0); fs.chmodSync(__dirname + '/data', 0)",
			"for (const d of ['/tmp', os.homedir(), __dirname]) fs.writeFileSync(d + '/left-behind', 'x'.repeat(4096))",
			"net.createServer().listen(0)",
			"setInterval(() => { process.env.LEFT = 'x'; }, 1)",
			"Array.prototype.map = () => []; Promise.prototype.then = null",
			"process.env = {}; process.env.NODE_OPTIONS = '--bogus'",
			"process.exit(0)",
			"process.emit('uncaughtException', new Error('x')); Promise.reject(new Error('nobody waits'))",
			"require.cache = null; require('node:module')._load = () => ({ total: () => 6 })",
		},
		rare: []string{
			"for (;;) { /* for ever */ }",
			"for (const a = [];;) a.push(new Array(1e5).fill(a.length))",
			"for (;;) process.stdout.write('x'.repeat(65536))",
			"process.kill(process.pid, 'SIGKILL')",
		},
	},
	{
		kind: "go", suite: verify.Suite{Name: "go", Kind: "go", Dir: ".", Argv: []string{"go", "test", "./..."}}, file: "span.go", many: 200,
		source: "package span\n\nimport (\n\t\"net\"\n\t\"os\"\n\t\"os/exec\"\n\t\"strings\"\n\t\"syscall\"\n\t\"time\"\n)\n\nfunc Total(n int) int {\n\t%s\n\ts := 0\n\tfor i := 0; %s; i++ {\n\t\ts += i\n\t}\n\treturn s\n}\n\nfunc Twice(n int) int { return 2 * n }\n\n" +
			"// Used keeps the imports.\nvar Used = []any{net.Listen, os.Exit, exec.Command, strings.Repeat, syscall.Kill, time.Sleep}\n\nfunc spawn(text string) {\n\tc := exec.Command(\"sh\", \"-c\", text)\n\tc.SysProcAttr = &syscall.SysProcAttr{Setsid: true}\n\t_ = c.Start()\n}\n",
		files: map[string]string{
			"go.mod": "module example.com/span\n\ngo 1.22\n", "data/right.txt": "6",
			"span_test.go": "package span\n\nimport \"testing\"\n\nfunc TestTotal(t *testing.T) {\n\tif got := Total(4); got != 6 {\n\t\tt.Errorf(\"got %d, want 6\", got)\n\t}\n}\n\nfunc TestTwice(t *testing.T) {\n\tif Twice(3) != 6 {\n\t\tt.Error(\"twice\")\n\t}\n}\n",
		},
		tests: []string{"go:.:.:TestTotal", "go:.:.:TestTwice"},
		harms: []string{
			`_ = os.WriteFile("data/right.txt", []byte("10"), 0o644)`,
			"spawn(`" + stay + "`)",
			"spawn(`(setsid sh -c 'while :; do :; done' &) `)",
			`_ = os.WriteFile("span_test.go", []byte("package span\n"), 0o644); _ = os.WriteFile("zz_test.go", []byte("package span\n\nfunc init() { nosuch() }\n"), 0o644)`,
			`_ = os.WriteFile("span.go", []byte("package broken\n"), 0o644); _ = os.Remove("go.mod")`,
			`_ = os.RemoveAll(".")`,
			`_ = os.RemoveAll("data"); _ = os.Symlink("/etc", "data"); _ = os.MkdirAll("new/deep/er", 0o700)`,
			`_ = os.Chmod("data/right.txt", 0); _ = os.Chmod("data", 0); _ = os.Chmod(".", 0o500)`,
			`for _, d := range []string{"/tmp", os.Getenv("HOME"), "."} { _ = os.WriteFile(d+"/left-behind", make([]byte, 4096), 0o644) }`,
			`if l, err := net.Listen("tcp", "127.0.0.1:0"); err == nil { go func() { _, _ = l.Accept() }() }`,
			`go func() { for { time.Sleep(time.Hour) } }(); time.AfterFunc(time.Hour, func() {})`,
			`os.Clearenv(); _ = os.Setenv("FETTLE_CANDIDATE", "1"); _ = os.Chdir("/tmp")`,
			`os.Exit(0)`,
			`_ = syscall.Kill(0, syscall.SIGKILL)`,
		},
		rare: []string{
			`for { }`,
			`for { _, _ = os.Stdout.WriteString(strings.Repeat("x", 65536)) }`,
			`a := [][]byte{}; for { b := make([]byte, 16<<20); for i := range b { b[i] = 1 }; a = append(a, b) }`,
			`_ = syscall.Kill(os.Getppid(), syscall.SIGKILL)`,
			`_ = syscall.Kill(-1, syscall.SIGKILL)`,
		},
	},
}

// does is a candidate that does something first.
func (w wild) does(first, expression string) candidate {
	was := fmt.Sprintf(w.source, w.idle(), "i <= n")
	now := fmt.Sprintf(w.source, first, expression)
	at, end := 0, 0
	for was[at] == now[at] {
		at++
	}
	for end < min(len(was), len(now))-at && was[len(was)-1-end] == now[len(now)-1-end] {
		end++
	}
	return candidate{path: w.file, original: []byte(was), whole: []byte(now), start: at, end: len(was) - end,
		mutation: mutate.Mutation{Operator: "test", Description: first + " · " + expression, Start: at, End: len(was) - end, Replacement: now[at : len(now)-end]}}
}

// idle is what does nothing.
func (w wild) idle() string {
	return map[string]string{"python": "pass", "node": "void 0", "go": "_ = n"}[w.kind]
}

// verdicts that are expected of a candidate.
const (
	wrong = iota
	right
	whatever // it speaks for itself, and the judgement by the real runner decides
)

// crowd mixes hostile candidates with right and wrong ones: many, in the quick run
// each hostile one once.
func (w wild) crowd() (cs []candidate, want []int) {
	add := func(first, expression string, verdict int) {
		cs, want = append(cs, w.does(first, expression)), append(want, verdict)
	}
	honest := func(k int) {
		add(w.idle(), fmt.Sprintf("i < n + %d", k+2), wrong)
		add(w.idle(), "i < n", right)
		if testing.Short() {
			return
		}
		add(w.idle(), fmt.Sprintf("i < n - %d", k+1), wrong)
		add(w.idle(), "n > i", right)
		add(w.idle(), "i <= n ", wrong)
	}
	honest(0)
	for _, first := range w.rare {
		add(first, "i <= n", wrong)
		honest(len(cs))
	}
	for once := true; once || len(cs) < w.many && !testing.Short(); once = false {
		for _, first := range w.harms {
			add(first, "i <= n", wrong)
			honest(len(cs))
		}
		for _, first := range w.forges {
			add(first, "i <= n", whatever)
			honest(len(cs))
		}
	}
	if testing.Short() {
		return cs, want
	}
	return cs[:w.many], want[:w.many]
}

// fingerprint is of all names, modes, links and bytes below a folder.
func fingerprint(t *testing.T, dir string) string {
	t.Helper()
	h := sha256.New()
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(h, "%q %v\n", p, info.Mode())
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(p)
			fmt.Fprintf(h, "%q\n", to)
			return err
		case info.Mode().IsRegular():
			raw, err := os.ReadFile(p)
			fmt.Fprintf(h, "%d %s\n", len(raw), raw)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

const leftoversVar = "FETTLE_TEST_LEFTOVERS"

// TestS02AThousandCandidatesLeaveNothingBehind runs the search's benches in a
// process of its own, to which whatever they leave running falls, and which has
// a folder for temporary files of its own.
func TestS02AThousandCandidatesLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	sandboxtest.Whole(t)
	if os.Getenv(leftoversVar) != "" {
		t.Skip("this is the inner process")
	}
	temp, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(temp, 0o755); err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	state := t.TempDir()
	box(t) // its build cache is warm
	if err := sandboxtest.ShareWarm(state); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, "-test.run=^TestS02Inner$", "-test.v", "-test.timeout=8m", fmt.Sprintf("-test.short=%v", testing.Short()))
	cmd.Env = append(os.Environ(), leftoversVar+"="+state, "TMPDIR="+temp)
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: TestS02Inner")) {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left in the folder for temporary files: %v, %v", left, err)
	}
	if left, _ := filepath.Glob(filepath.Join(state, "boxes", "*")); len(left) > 0 {
		t.Errorf("left of the sandbox: %v", left)
	}
}

func TestS02Inner(t *testing.T) {
	state := os.Getenv(leftoversVar)
	if state == "" {
		t.Skip("TestS02AThousandCandidatesLeaveNothingBehind runs it")
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	box, err := sandbox.New(t.Context(), sandbox.Config{StateDir: state})
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, w := range wilds {
		t.Run(w.kind, func(t *testing.T) { tried += w.endure(t, box) })
	}
	if err := box.Close(); err != nil {
		t.Error(err)
	}
	if tried != 1000 && !testing.Short() {
		t.Errorf("%d candidates were tried, want 1000", tried)
	}
	noChildren(t)
}

// noChildren fails when a process is left that came from this one.
func noChildren(t *testing.T) {
	t.Helper()
	for limit := time.Now().Add(30 * time.Second); ; {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, unix.WNOHANG, nil)
		switch {
		case err == unix.ECHILD: //nolint:errorlint // an Errno
			return
		case err != nil && err != unix.EINTR: //nolint:errorlint // the same
			t.Fatal(err)
		case pid == 0 && time.Now().After(limit):
			left, _ := filepath.Glob("/proc/self/task/*/children")
			for _, f := range left {
				raw, _ := os.ReadFile(f)
				t.Errorf("still running: %s", raw)
			}
			return
		}
	}
}

// endure tries the crowd and tells how many were tried.
func (w wild) endure(t *testing.T, box *sandbox.Sandbox) int {
	dir := t.TempDir()
	put(t, dir, w.file, fmt.Sprintf(w.source, w.idle(), "i <= n"))
	for name, text := range w.files {
		put(t, dir, name, text)
	}
	if err := os.Symlink("data/right.txt", filepath.Join(dir, "a link")); err != nil {
		t.Fatal(err)
	}
	before := fingerprint(t, dir)
	red := verify.TestResult{ID: w.tests[0], Suite: w.suite.Name, Status: verify.StatusFailed}
	green := verify.TestResult{ID: w.tests[1], Suite: w.suite.Name, Status: verify.StatusPassed, Seconds: 0.001}
	tgt := target{suite: w.suite, red: []verify.TestResult{red}, green: []verify.TestResult{green}}
	session := box.Session()
	log := logrus.New()
	log.SetOutput(t.Output())
	log.SetLevel(logrus.DebugLevel)
	m := New(Config{Sandbox: session, Log: log, MaxTime: 5 * time.Minute})
	b, err := m.bench(t.Context(), Request{Dir: dir, Base: os.DirFS(dir), Baseline: verify.Baseline{Report: verify.Report{Tests: tgt.green}}}, tgt)
	if err != nil {
		t.Fatal(err)
	}
	cs, want := w.crowd()
	tried, began := 0, time.Now()
	for start := 0; start < len(cs); start += b.round() { // as the search does
		round := cs[start:min(start+b.round(), len(cs))]
		err = b.try(context.Background(), round, []verify.TestResult{red, green}, func(i int, passed map[string]bool) bool {
			tried++
			switch ok := passing(passed) == 2; {
			case want[start+i] == right && !ok:
				t.Errorf("candidate %d, %s, was not found right: %v", start+i, round[i].mutation.Description, passed)
			case want[start+i] == wrong && passed[red.ID]:
				t.Errorf("candidate %d, %s, was found right", start+i, round[i].mutation.Description)
			}
			return true
		})
		if err != nil {
			t.Fatalf("after %d candidates: %v", tried, err)
		}
	}
	t.Logf("%d candidates in %v", tried, time.Since(began))
	if tried != len(cs) {
		t.Errorf("%d of %d candidates were tried", tried, len(cs))
	}
	if err := b.close(); err != nil {
		t.Error(err)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	if fingerprint(t, dir) != before {
		t.Error("the request's tree is another one")
	}
	noWorkers(t)
	return tried
}

// noWorkers fails when a process of the sandbox outlives its bench.
func noWorkers(t *testing.T) {
	t.Helper()
	files, _ := filepath.Glob("/proc/self/task/*/children")
	for _, f := range files {
		raw, _ := os.ReadFile(f)
		for _, pid := range strings.Fields(string(raw)) {
			cmd, _ := os.ReadFile("/proc/" + pid + "/cmdline")
			if state, _ := os.ReadFile("/proc/" + pid + "/stat"); !bytes.Contains(state, []byte(") Z ")) {
				t.Errorf("%s outlived the bench: %q", pid, cmd)
			}
		}
	}
}

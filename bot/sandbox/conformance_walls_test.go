package sandbox

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func keepsNetworkOut(t *testing.T, b subject) {
	w := workspace(t, b.box, nil)
	r := run(t, w, shell(`cat /proc/net/route /proc/net/dev /proc/net/ipv6_route 2>/dev/null; echo done`)...)
	for line := range strings.Lines(string(r.Stdout)) {
		name, _, colon := strings.Cut(strings.TrimSpace(line), ":")
		if colon && name != "lo" || strings.Contains(line, "eth") {
			t.Errorf("an interface or route: %q", line)
		}
	}
	if !strings.HasSuffix(string(r.Stdout), "done\n") {
		t.Errorf("%+v", r)
	}
	python, ok := b.box.Tool("python3")
	if !ok {
		t.Log("no python3 inside: the ways out were not tried one by one")
		return
	}
	var heard atomic.Int64
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			heard.Add(1)
			_ = c.Close()
		}
	}()
	driver, err := filepath.Abs("testdata/s05_network.py")
	if err != nil {
		t.Fatal(err)
	}
	r, err = w.Run(context.Background(), Command{Argv: []string{python, "/driver/s05.py", fmt.Sprint(l.Addr().(*net.TCPAddr).Port), "9", "fettle-" + nonce()},
		ReadOnly: []Mount{{Host: driver, Inside: "/driver/s05.py"}}})
	out := string(r.Stdout)
	// Sockets that lead nowhere without a network (vsock aside) are the business
	// of each backend's filter: no way out is what all promise.
	for _, way := range []string{"tcp-loopback", "tcp-away", "tcp6-loopback", "udp-away", "metadata", "dns", "abstract", "vsock", "packet", "raw"} {
		if !strings.Contains(out, way+" refused") {
			t.Errorf("%s was not refused", way)
		}
	}
	if err != nil || heard.Load() > 0 || !strings.Contains(out, "own-loopback works") {
		t.Errorf("%d heard, %v\n%s%s", heard.Load(), err, out, r.Stderr)
	}
}

func keepsSystem(t *testing.T, b subject) {
	canary := filepath.Join(shared(t), "canary")
	if err := os.WriteFile(canary, []byte("canary"), 0o644); err != nil {
		t.Fatal(err)
	}
	w := workspace(t, b.box, nil)
	r := run(t, w, shell(`exec 2>/dev/null
cat "$1" && echo "host file"
for d in / /usr /usr/bin /etc /bin /dev /proc /sys; do ( : >"$d/fettle-was-here" ) && echo "wrote $d"; done
( echo 1 >/proc/sys/kernel/core_pattern ) && echo "wrote a sysctl"
( echo 1 >/proc/sysrq-trigger ) && echo "sysrq"
[ -e /var/run/docker.sock ] && echo "the engine's socket"
cat /etc/shadow && echo shadow
cat /etc/resolv.conf; echo done`, canary)...)
	if string(r.Stdout) != "done\n" {
		t.Errorf("%q", r.Stdout)
	}
}

func keepsRights(t *testing.T, b subject) {
	w := workspace(t, b.box, nil)
	r := run(t, w, shell(`while read -r k v; do case $k in Cap*|NoNewPrivs:|Seccomp:) echo "$k $v";; esac; done </proc/self/status; id -un; id -u`)...)
	out := string(r.Stdout)
	for _, want := range []string{"CapPrm: 0000000000000000", "CapEff: 0000000000000000", "CapBnd: 0000000000000000", "CapAmb: 0000000000000000", "NoNewPrivs: 1", "Seccomp: 2", insideName} {
		if !strings.Contains(out, want+"\n") {
			t.Errorf("no %q in %q", want, out)
		}
	}
	if strings.HasSuffix(out, "\n0\n") && b.box.Walls().User != "own uid, mapped" {
		t.Error("the payload is root")
	}
}

func keepsMemory(t *testing.T, b subject) {
	w := workspace(t, b.box, nil)
	r, err := w.Run(context.Background(), Command{Argv: shell("tail /dev/zero; echo took all; exit 7"), Limits: Limits{MemoryBytes: 64 * mib, Wall: time.Minute}})
	if err != nil || !r.OutOfMemory || r.TimedOut || r.OK() {
		t.Errorf("%+v %v %q", r, err, r.Stderr)
	}
	if r := run(t, w, shell("echo still here")...); !r.OK() || r.OutOfMemory {
		t.Errorf("the next command suffers: %+v", r)
	}
}

func keepsProcesses(t *testing.T, b subject) {
	w := workspace(t, b.box, nil)
	r, err := w.Run(context.Background(), Command{Argv: shell(`i=0; while [ $i -lt 300 ]; do sleep 20 & i=$((i+1)); done; echo made all`), Limits: Limits{Processes: 64, Wall: time.Minute}})
	if err != nil || strings.Contains(string(r.Stdout), "made all") || r.OK() || r.TimedOut {
		t.Errorf("%+v %v %q %q", r, err, r.Stdout, r.Stderr)
	}
	if r := run(t, w, shell("true & true & wait; echo fine")...); string(r.Stdout) != "fine\n" {
		t.Errorf("the next command suffers: %+v", r)
	}
}

func keepsDisk(t *testing.T, b subject) {
	box := b.open(t, Limits{DiskBytes: 32 * mib})
	for _, where := range []string{"/work", "/out", "/cache", "/tmp"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			one := box.Session()
			defer one.Close()
			w, err := one.Workspace(context.Background(), "")
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			r, err := w.Run(context.Background(), Command{Argv: shell(`head -c 300000000 /dev/zero >"$1/big" && sleep 1000`, where), Limits: Limits{Wall: time.Minute}})
			if err != nil || !r.OverQuota || r.OK() || r.TimedOut {
				t.Errorf("%+v %v %q", r, err, r.Stderr)
			}
		})
	}
}

func keepsSmallLimits(t *testing.T, b subject) {
	w := workspace(t, b.box, nil)
	r, err := w.Run(context.Background(), Command{Argv: shell("while :; do :; done"), Limits: Limits{CPU: time.Second, Wall: time.Minute}})
	if err != nil || !r.TimedOut || r.OK() || r.Elapsed > 50*time.Second {
		t.Errorf("processor time: %+v %v", r, err)
	}
	r, err = w.Run(context.Background(), Command{Argv: []string{"dd", "if=/dev/zero", "of=big", "bs=65536", "count=400"}, Limits: Limits{FileBytes: 16 * mib, Wall: time.Minute}})
	if err != nil || !r.OverQuota || r.OK() {
		t.Errorf("a file too long: %+v %v", r, err)
	}
}

func keepsShown(t *testing.T, b subject) {
	dir := t.TempDir() // that only we may enter
	if err := os.WriteFile(filepath.Join(dir, "f"), []byte("shown"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := workspace(t, b.box, nil)
	r, err := w.Run(context.Background(), Command{Argv: shell(`cat /shown/file /shown/dir/f; ( : >/shown/file ) 2>/dev/null && echo WROTE; ( : >/shown/dir/g ) 2>/dev/null && echo WROTE; echo .`),
		ReadOnly: []Mount{{Host: filepath.Join(dir, "f"), Inside: "/shown/file"}, {Host: dir, Inside: "/shown/dir"}}})
	if err != nil || string(r.Stdout) != "shownshown.\n" {
		t.Errorf("%q %q %v", r.Stdout, r.Stderr, err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "f")); err != nil || string(data) != "shown" {
		t.Errorf("on the host it is %q, %v", data, err)
	}
	if _, err := w.Run(context.Background(), Command{Argv: []string{"true"}, ReadOnly: []Mount{{Host: filepath.Join(dir, "not there"), Inside: "/x"}}}); err == nil {
		t.Error("a file that is not there was shown")
	}
}

// conformancePry is a shell whose child looks into it.
const conformancePry = `
for f in environ mem maps; do ( exec 3<"/proc/$$/$f" ) 2>/dev/null && head -c 1 "/proc/$$/$f" 2>/dev/null | tr -d '\0' >/dev/null && echo "opened $f"; done
ls "/proc/$$/fd" >/dev/null 2>&1 && echo "listed fd"
cat /proc/self/environ >/dev/null && echo "child is ordinary"
echo done`

func keepsSealed(t *testing.T, b subject) {
	w := workspace(t, b.box, nil)
	if r := run(t, w, "/bin/sh", "-c", conformancePry); !strings.Contains(string(r.Stdout), "opened environ") || !strings.Contains(string(r.Stdout), "listed fd") {
		t.Fatalf("the payload does not try what it should: %q %q", r.Stdout, r.Stderr)
	}
	for range 2 { // the second start takes the copy of the first
		r, err := w.Run(context.Background(), Command{Argv: []string{"/bin/sh", "-c", conformancePry}, Sealed: true})
		if err != nil || string(r.Stdout) != "child is ordinary\ndone\n" {
			t.Errorf("a child reached into its sealed parent: %q %q %v", r.Stdout, r.Stderr, err)
		}
	}
}

func keepsAfterKill(t *testing.T, b subject) {
	state, token := filepath.Join(t.TempDir(), "state"), "token-"+nonce()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "FETTLE_SANDBOX_VICTIM="+state, "FETTLE_SANDBOX_TOKEN="+token, "FETTLE_SANDBOX_BACKEND="+b.cfg.Backend,
		"FETTLE_SANDBOX_ENGINE="+b.cfg.EngineHost, "FETTLE_SANDBOX_IMAGE="+b.cfg.EngineImage)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	if line != "ready <nil>\n" {
		t.Errorf("the victim says %q", line)
	}
	cfg := b.cfg
	cfg.StateDir = state
	living := newBoxed(t, cfg) // another process of the same state folder spares the living
	if left := b.left(t, living); len(left) == 0 {
		t.Error("the living one's boxes are gone")
	}
	_ = living.Close()
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	next := newBoxed(t, cfg)
	eventually(t, "running", func() bool { return len(withToken(token)) == 0 })
	if err := next.Close(); err != nil {
		t.Error(err)
	}
	if err := Sweep(state); err != nil {
		t.Error(err)
	}
	if left := b.left(t, next); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

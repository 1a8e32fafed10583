package sandbox

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func mounts(t testing.TB) string {
	t.Helper()
	data, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	var ours []string
	for line := range strings.Lines(string(data)) {
		// the fourth is where in its file system a mount begins: of a machine that is itself a tree of ours, there
		if f := strings.Fields(line); len(f) > 4 && strings.Contains(strings.Join(f[4:], " "), "fettle") {
			ours = append(ours, line)
		}
	}
	return strings.Join(ours, "")
}

func groupsLeft(pid int) (left []string) {
	for _, pattern := range []string{"/sys/fs/cgroup/*/%s", "/sys/fs/cgroup/*/*/%s", "/sys/fs/cgroup/*/*/*/%s", "/sys/fs/cgroup/*/*/*/*/%s"} {
		found, _ := filepath.Glob(fmt.Sprintf(pattern, fmt.Sprintf("%s%d-*", groupPrefix, pid)))
		left = append(left, found...)
	}
	return left
}

func TestNothingIsLeftAfterKillNine(t *testing.T) {
	t.Parallel()
	for i := range 3 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			state, token := filepath.Join(t.TempDir(), "state"), "token-"+nonce()
			exe, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(exe)
			cmd.Env = append(os.Environ(), "FETTLE_SANDBOX_VICTIM="+state, "FETTLE_SANDBOX_TOKEN="+token)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			line, _ := bufio.NewReader(out).ReadString('\n')
			if line != "ready <nil>\n" || len(withToken(token)) == 0 {
				t.Fatalf("victim says %q, running %v", line, withToken(token))
			}
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			if m := mounts(t); m != "" {
				t.Errorf("mounts on the host:\n%s", m)
			}
			if err := Sweep(state); err != nil {
				t.Error(err)
			}
			if left, _ := os.ReadDir(filepath.Join(state, boxesDir)); len(left) > 0 {
				t.Errorf("left after a sweep: %v", left)
			}
			s := newBoxed(t, Config{StateDir: state}) // the next start sweeps the groups, with what is still in them
			eventually(t, "running", func() bool { return len(withToken(token)) == 0 })
			_ = s.Close()
			if left := groupsLeft(cmd.Process.Pid); len(left) > 0 {
				t.Errorf("cgroups left: %v", left)
			}
		})
	}
}

// A box whose fettle is killed just while it starts may outlive it: bubblewrap's
// first process inside has not asked to die with its parent yet. Here another
// process stands in for it, since the kernel decides who wins that race.
func TestTheNextStartEndsWhatADeadFettleLeftInItsGroups(t *testing.T) {
	t.Parallel()
	s := newBoxed(t, Config{})
	groups := s.back.(*bubblewrap).groups
	if groups == nil {
		t.Skip("SKIPPED: no cgroup can be made here")
	}
	dead := exec.Command("true")
	if err := dead.Run(); err != nil {
		t.Fatal(err)
	}
	name := groupsOf(dead.Process.Pid) + "left-1"
	g := &cgroup{of: groups, v2: groups.v2, memory: filepath.Join(groups.memory, name), pids: filepath.Join(groups.pids, name), lim: DefaultLimits()}
	if err := g.prepare(); err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(groups.memory, fmt.Sprintf("%s%d-1-left-1", groupPrefix, dead.Process.Pid)) // of a fettle in another container
	if err := os.Mkdir(elsewhere, 0o755); err != nil {
		t.Fatal(err)
	}
	orphan := exec.Command("sleep", "1000")
	if err := orphan.Start(); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{g.memory, g.pids} {
		if err := set(dir, "cgroup.procs", fmt.Sprint(orphan.Process.Pid)); err != nil {
			t.Fatal(err)
		}
	}
	_ = newBoxed(t, Config{}).Close()
	ended := make(chan struct{})
	go func() { _ = orphan.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		_ = orphan.Process.Kill()
		t.Error("still running")
	}
	eventually(t, "there", func() bool { _, err := os.Stat(g.memory); return err != nil })
	if err := os.Remove(elsewhere); err != nil {
		t.Errorf("a group of another pid namespace: %v", err)
	}
}

func TestNothingIsLeftAfterClose(t *testing.T) {
	t.Parallel()
	state, token := filepath.Join(t.TempDir(), "state"), "token-"+nonce()
	s := newBoxed(t, Config{StateDir: state})
	w := workspace(t, s, map[string]string{"a": "b"})
	for range 3 {
		if r := run(t, w, "sh", "-c", "setsid sleep 1000 & echo gone", token); string(r.Stdout) != "gone\n" {
			t.Errorf("%q %q", r.Stdout, r.Stderr)
		}
	}
	if left := withToken(token); len(left) > 0 {
		t.Errorf("a background process outlived its command: %v", left)
	}
	path := w.Path()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := Sweep(state); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the copy is still there")
	}
	if left, _ := os.ReadDir(filepath.Join(state, boxesDir)); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if _, err := w.Run(context.Background(), Command{Argv: []string{"true"}}); err == nil {
		t.Error("a closed workspace runs commands")
	}
	if _, err := s.Workspace(context.Background(), ""); err == nil {
		t.Error("a closed sandbox makes workspaces")
	}
}

func TestSweepSparesTheLiving(t *testing.T) {
	t.Parallel()
	state := filepath.Join(t.TempDir(), "state")
	s := newBoxed(t, Config{StateDir: state})
	w := workspace(t, s, map[string]string{"a": "b"})
	if r := run(t, w, "true"); !r.OK() {
		t.Fatalf("%+v", r)
	}
	if err := Sweep(state); err != nil {
		t.Fatal(err)
	}
	if r := run(t, w, "sh", "-c", "cat a; touch /cache/x"); string(r.Stdout) != "b" || !r.OK() {
		t.Errorf("swept away under a living run: %+v %s", r, r.Stderr)
	}
}

func TestCloseKillsWhatStillRuns(t *testing.T) {
	t.Parallel()
	quickly(t, 2*time.Second, func() time.Duration {
		s := newBoxed(t, Config{})
		token := "token-" + nonce()
		w := workspace(t, s, nil)
		p, err := w.Start(context.Background(), Command{Argv: []string{"sh", "-c", "echo up; sleep 1000; true", token}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Stdout.Read(make([]byte, 3)); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		took := time.Since(began)
		if left := withToken(token); len(left) > 0 {
			t.Errorf("after %v: %v", took, left)
		}
		if r, err := p.Wait(); err != nil || r.OK() {
			t.Errorf("%+v %v", r, err)
		}
		return took
	})
}

// TestDescriptorsThreadsAndGoroutinesReturn is not parallel: it counts.
func TestDescriptorsThreadsAndGoroutinesReturn(t *testing.T) {
	count := func() (fds, routines int) {
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(list), runtime.NumGoroutine()
	}
	round := func() {
		s := newBoxed(t, Config{})
		w := workspace(t, s, map[string]string{"a": "b"})
		for range 3 {
			run(t, w, "cat", "a")
		}
		p, err := w.Start(context.Background(), Command{Argv: []string{"cat"}})
		if err != nil {
			t.Fatal(err)
		}
		_ = p.Stdin.Close()
		_, _ = io.ReadAll(p.Stdout)
		_, _ = p.Wait()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	round()
	fds, routines := count()
	for range 3 {
		round()
	}
	eventually(t, "holding descriptors or goroutines", func() bool {
		f, r := count()
		return f <= fds && r <= routines
	})
}

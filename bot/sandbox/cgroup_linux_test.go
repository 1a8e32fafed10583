package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// kernel is a folder that behaves like a cgroup file system as far as we use
// one: a new group has its files, and goes with them.
type kernel struct {
	files map[string]string // of a new group
	full  bool
}

func (k kernel) put(c *cgroups) *cgroups {
	c.mkdir = func(dir string) error {
		if k.full {
			return &fs.PathError{Op: "mkdir", Path: dir, Err: syscall.EAGAIN}
		}
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
		for name, text := range k.files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				return err
			}
		}
		return nil
	}
	c.rmdir = os.RemoveAll
	return c
}

// v2Files are those of a group with the memory and pids controllers.
var v2Files = map[string]string{
	"memory.max": "max\n", "memory.swap.max": "max\n", "memory.oom.group": "0\n", "memory.current": "4096\n", "pids.max": "max\n", "pids.current": "0\n",
	"memory.events": "low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\n", "pids.events": "max 0\n", "cgroup.procs": "",
}

var v1Files = map[string]string{
	"memory.limit_in_bytes": "0\n", "memory.memsw.limit_in_bytes": "0\n", "memory.swappiness": "60\n", "memory.usage_in_bytes": "4096\n",
	"memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n", "pids.max": "max\n", "pids.current": "0\n", "pids.events": "max 0\n", "tasks": "",
}

func content(t *testing.T, path ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestCgroupLimitsAreWrittenInBothVersions(t *testing.T) {
	t.Parallel()
	lim := Limits{MemoryBytes: 123 * mib, Processes: 40}
	v2 := kernel{files: v2Files}.put(newCgroups(true, t.TempDir(), ""))
	v2.pids = v2.memory
	g, err := v2.acquire(lim)
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{"memory.max": "128974848", "memory.swap.max": "0", "memory.oom.group": "1", "pids.max": "42"} {
		if got := content(t, g.memory, file); !strings.HasPrefix(got, want) {
			t.Errorf("version 2: %s is %q", file, got)
		}
	}
	v1 := kernel{files: v1Files}.put(newCgroups(false, t.TempDir(), t.TempDir()))
	if g, err = v1.acquire(lim); err != nil {
		t.Fatal(err)
	}
	if memory, procs := content(t, g.memory, "memory.limit_in_bytes"), content(t, g.pids, "pids.max"); !strings.HasPrefix(memory, "128974848") || !strings.HasPrefix(procs, "42") {
		t.Errorf("version 1: %q %q", memory, procs)
	}
}

func TestCgroupWithoutTheControllersIsRefusedAndRemoved(t *testing.T) {
	t.Parallel()
	for name, k := range map[string]kernel{"no controllers": {files: map[string]string{"cgroup.procs": ""}}, "no more groups": {full: true}} {
		c := k.put(newCgroups(true, t.TempDir(), ""))
		c.pids = c.memory
		if g, err := c.acquire(DefaultLimits()); err == nil {
			t.Errorf("%s: %+v", name, g)
		}
		if left, _ := os.ReadDir(c.memory); len(left) > 0 {
			t.Errorf("%s: left %v", name, left)
		}
	}
}

func TestCgroupIsUsedAgainOnlyAsGoodAsNew(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file, text string
		again      bool
	}{
		"untouched":             {"memory.current", "4096\n", true},
		"something is charged":  {"memory.current", "104857600\n", false},
		"it was out of memory":  {"memory.events", "oom 1\noom_kill 1\n", false},
		"it was out of numbers": {"pids.events", "max 3\n", false},
		"something lives there": {"pids.current", "1\n", false},
	} {
		all := kernel{files: v2Files}.put(newCgroups(true, t.TempDir(), ""))
		all.pids = all.memory
		g, err := all.acquire(DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(g.memory, c.file), []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		memory, processes := g.events()
		if memory != (c.file == "memory.events") || processes != (c.file == "pids.events") {
			t.Errorf("%s: events %v %v", name, memory, processes)
		}
		g.release()
		next, err := all.acquire(DefaultLimits())
		if err != nil || (next == g) != c.again {
			t.Errorf("%s: used again %v, %v", name, next == g, err)
		}
		other, err := all.acquire(Limits{MemoryBytes: mib, Processes: 3})
		if err != nil || other == g {
			t.Errorf("%s: a group of other limits was given", name)
		}
		all.close()
		next.release()
		other.release()
		if left, _ := os.ReadDir(all.memory); len(left) > 0 {
			t.Errorf("%s: left after close: %v", name, left)
		}
	}
}

func TestCgroupPlacesAreTriedFromTheClosest(t *testing.T) {
	t.Parallel()
	at := func(mountinfo, own string) (list []string) {
		for _, c := range cgroupPlaces(mountinfo, own) {
			list = append(list, map[bool]string{true: "v2 ", false: "v1 "}[c.v2]+c.memory+" "+c.pids)
		}
		return list
	}
	v2 := "30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
	v1 := "31 30 0:27 / /cg/memory rw - cgroup cgroup rw,memory\n32 30 0:28 / /cg/pids rw - cgroup cgroup rw,pids\n33 30 0:29 / /cg/unified rw - cgroup2 cgroup2 rw\n"
	for name, c := range map[string]struct {
		mounts, own string
		want        []string
	}{
		"a unit with its own subgroup": {v2, "0::/system.slice/fettle.service/main\n", []string{
			"v2 /sys/fs/cgroup/system.slice/fettle.service/main /sys/fs/cgroup/system.slice/fettle.service/main",
			"v2 /sys/fs/cgroup/system.slice/fettle.service /sys/fs/cgroup/system.slice/fettle.service",
			"v2 /sys/fs/cgroup/system.slice /sys/fs/cgroup/system.slice", "v2 /sys/fs/cgroup /sys/fs/cgroup"}},
		"a container": {v2, "0::/\n", []string{"v2 /sys/fs/cgroup /sys/fs/cgroup"}},
		"both": {v1, "9:memory:/a\n8:pids:/b\n0::/\n", []string{
			"v2 /cg/unified /cg/unified", "v1 /cg/memory/a /cg/pids/b", "v1 /cg/memory /cg/pids"}},
		"none":          {"24 1 0:5 / /proc rw - proc proc rw\n", "0::/\n", nil},
		"half a line":   {"30 24 0:26 /\n - \nx - cgroup2\n", ":\n::\n", nil},
		"memory alone":  {"31 30 0:27 / /cg/memory rw - cgroup cgroup rw,memory\n", "9:memory:/a\n", nil},
		"nothing known": {"", "", nil},
	} {
		if got := at(c.mounts, c.own); strings.Join(got, ";") != strings.Join(c.want, ";") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// The start into a group of version 2 is tried on the real file system, where
// one is mounted and may be written to; the limits are not needed for it.
func TestCgroupOfVersion2TakesAChildAtItsStart(t *testing.T) {
	t.Parallel()
	mounts, _ := os.ReadFile("/proc/self/mountinfo")
	own, _ := os.ReadFile("/proc/self/cgroup")
	for _, c := range cgroupPlaces(string(mounts), string(own)) {
		if !c.v2 {
			continue
		}
		dir := filepath.Join(c.memory, groupPrefix+"test-"+nonce())
		if err := os.Mkdir(dir, 0o755); err != nil {
			continue
		}
		cmd := exec.Command("cat", "/proc/self/cgroup") //nolint:noctx // it ends by itself
		var out strings.Builder
		cmd.Stdout, cmd.SysProcAttr = &out, &syscall.SysProcAttr{}
		g := &cgroup{of: c, v2: true, memory: dir, pids: dir}
		s, err := newStage(false, -1)
		if err != nil {
			t.Fatal(err)
		}
		defer s.close()
		err = errors.Join(g.start(s, cmd), cmd.Wait())
		g.remove()
		if err != nil || !strings.Contains(out.String(), filepath.Base(dir)+"\n") {
			t.Errorf("%q %v", out.String(), err)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Error("the group is left")
		}
		return
	}
	t.Skip("SKIPPED: no cgroup v2 file system that may be written to")
}

// Where a group can be made and limited by hand, the sandbox uses one.
func TestCgroupIsUsedWhereOneCanBeMade(t *testing.T) {
	t.Parallel()
	mounts, _ := os.ReadFile("/proc/self/mountinfo")
	own, _ := os.ReadFile("/proc/self/cgroup")
	for _, c := range cgroupPlaces(string(mounts), string(own)) {
		g, err := c.acquire(DefaultLimits())
		if err != nil {
			continue
		}
		g.remove()
		want := map[bool]string{true: "cgroup v2", false: "cgroup v1"}[c.v2]
		s := newBoxed(t, Config{})
		if s.Walls().Memory != want {
			t.Errorf("%s can be used, and the sandbox takes the %s (%s)", want, s.Walls().Memory, s.Walls().Missing)
		}
		return
	}
	t.Skip("SKIPPED: no cgroup can be made here")
}

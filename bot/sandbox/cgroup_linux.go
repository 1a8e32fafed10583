package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// cgroups hands out one cgroup per running command, below a place that we may
// write: version 2, or the memory and pids trees of version 1. To make and to
// destroy one costs the kernel milliseconds, most of them afterwards and on
// every processor: so a group that is as good as new waits for the next command.
type cgroups struct {
	v2     bool
	memory string // parent folder; with v2 both are the same
	pids   string

	count atomic.Int64
	mu    sync.Mutex
	free  []*cgroup
	shut  bool
	rest  *cgroup // version 1: where the stage's thread is between two starts

	mkdir, rmdir func(string) error // tests: a file system that is not the kernel's
}

// cgroup is the group of one command at a time.
type cgroup struct {
	of           *cgroups
	v2           bool
	memory, pids string
	doors        []*os.File // version 1: write 0 to move the writing thread in
	lim          Limits     // as far as it keeps them: memory and processes
}

// A group with more than this charged to it, bytes that a command left on a
// tmpfs for instance, is not used again: the next one would pay for them.
const reusable = 4 * mib

// maxFree bounds the groups that wait.
const maxFree = 4

const groupPrefix = "fettle-"

// groupsOf begins the names of a fettle's groups: its process, and the pid
// namespace in which that number is its own. Another container may share the
// folder of the groups, and there the number is somebody else's.
func groupsOf(pid int) string {
	space, _ := os.Readlink("/proc/self/ns/pid") // "pid:[4026531836]"
	return fmt.Sprintf("%s%d-%s-", groupPrefix, pid, strings.Trim(strings.TrimPrefix(space, "pid:"), "[]"))
}

// findCgroups looks for a place, and starts a harmless program in a group there
// to see that it works. nil when there is none; why says what was missing.
func findCgroups(s *stage, argv ...string) (found *cgroups, why string) {
	mounts, _ := os.ReadFile("/proc/self/mountinfo")
	own, _ := os.ReadFile("/proc/self/cgroup")
	why = "no cgroup file system is mounted"
	for _, c := range cgroupPlaces(string(mounts), string(own)) {
		sweepCgroups(c)
		err := c.try(s, argv...)
		if err == nil {
			return c, ""
		}
		c.close()
		why = err.Error()
	}
	return nil, why
}

func newCgroups(v2 bool, memory, pids string) *cgroups {
	return &cgroups{v2: v2, memory: memory, pids: pids,
		mkdir: func(dir string) error { return os.Mkdir(dir, 0o755) }, rmdir: unix.Rmdir}
}

// cgroupPlaces lists where groups could be made, the closest first.
func cgroupPlaces(mountinfo, own string) []*cgroups {
	memory, pids, unified := "", "", ""
	for line := range strings.Lines(mountinfo) {
		left, right, ok := strings.Cut(line, " - ")
		f, g := strings.Fields(left), strings.Fields(right)
		if !ok || len(f) < 5 || len(g) < 3 {
			continue
		}
		switch at := f[4]; {
		case g[0] == "cgroup2":
			unified = at
		case g[0] == "cgroup" && hasOption(g[2], "memory"):
			memory = at
		case g[0] == "cgroup" && hasOption(g[2], "pids"):
			pids = at
		}
	}
	paths := map[string]string{}
	for line := range strings.Lines(own) {
		if p := strings.SplitN(strings.TrimSpace(line), ":", 3); len(p) == 3 {
			for name := range strings.SplitSeq(p[1], ",") {
				paths[name] = p[2]
			}
		}
	}
	var out []*cgroups
	if unified != "" {
		// Our own group holds processes, so its children cannot have
		// controllers unless it is delegated; its parents often can.
		for at := paths[""]; at != ""; at = parentGroup(at) {
			dir := filepath.Join(unified, at)
			out = append(out, newCgroups(true, dir, dir))
		}
	}
	if memory != "" && pids != "" {
		out = append(out,
			newCgroups(false, filepath.Join(memory, paths["memory"]), filepath.Join(pids, paths["pids"])),
			newCgroups(false, memory, pids))
	}
	return out
}

func hasOption(list, name string) bool {
	for o := range strings.SplitSeq(list, ",") {
		if o == name {
			return true
		}
	}
	return false
}

func parentGroup(at string) string {
	if at == "/" || at == "" {
		return ""
	}
	return filepath.Dir(at)
}

// acquire gives a group with the limits set.
func (c *cgroups) acquire(lim Limits) (*cgroup, error) {
	if g := c.waiting(lim); g != nil {
		return g, nil
	}
	name := fmt.Sprintf("%s%s-%d", groupsOf(os.Getpid()), nonce(), c.count.Add(1))
	g := &cgroup{of: c, v2: c.v2, memory: filepath.Join(c.memory, name), pids: filepath.Join(c.pids, name), lim: lim}
	if err := g.prepare(); err != nil {
		g.remove()
		return nil, err
	}
	return g, nil
}

// waiting takes a free group of the same limits.
func (c *cgroups) waiting(lim Limits) *cgroup {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, g := range c.free {
		if g.lim.MemoryBytes == lim.MemoryBytes && g.lim.Processes == lim.Processes {
			c.free = slices.Delete(c.free, i, i+1)
			return g
		}
	}
	return nil
}

// close removes the groups that wait; those in use are removed when they are
// given back.
func (c *cgroups) close() {
	c.mu.Lock()
	free := c.free
	c.free, c.shut = nil, true
	c.mu.Unlock()
	for _, g := range free {
		g.remove()
	}
	if c.rest != nil {
		c.rest.closeDoors()
	}
}

func (g *cgroup) prepare() error {
	for _, dir := range []string{g.memory, g.pids} {
		if err := g.of.mkdir(dir); err != nil && !errors.Is(err, os.ErrExist) {
			return fmt.Errorf("sandbox: making a cgroup: %w", err)
		}
	}
	bytes, procs := strconv.FormatInt(g.lim.MemoryBytes, 10), strconv.Itoa(g.lim.Processes+2) // and bwrap's own two
	var err error
	if g.v2 {
		err = errors.Join(set(g.memory, "memory.max", bytes), set(g.pids, "pids.max", procs))
		_ = set(g.memory, "memory.swap.max", "0")
		_ = set(g.memory, "memory.oom.group", "1")
	} else {
		err = errors.Join(set(g.memory, "memory.limit_in_bytes", bytes), set(g.pids, "pids.max", procs))
		_ = set(g.memory, "memory.memsw.limit_in_bytes", bytes)
		_ = set(g.memory, "memory.swappiness", "0")
	}
	if err != nil {
		return fmt.Errorf("sandbox: limiting a cgroup: %w", err)
	}
	return nil
}

// set writes a value to a file of a group, which only the kernel makes.
func set(dir, file, value string) error {
	f, err := os.OpenFile(filepath.Join(dir, file), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(value)
	return errors.Join(err, f.Close())
}

// events tells whether the group ran out of memory or processes in this use.
func (g *cgroup) events() (memory, processes bool) {
	file := "memory.oom_control"
	if g.v2 {
		file = "memory.events"
	}
	return readKey(filepath.Join(g.memory, file), "oom_kill") > 0, readKey(filepath.Join(g.pids, "pids.events"), "max") > 0
}

func readKey(path, key string) int64 {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == key {
			n, _ := strconv.ParseInt(f[1], 10, 64)
			return n
		}
	}
	return 0
}

// release gives the group back, once its processes are gone.
func (g *cgroup) release() {
	if !g.clean() {
		g.remove()
		return
	}
	c := g.of
	c.mu.Lock()
	keep := !c.shut && len(c.free) < maxFree
	if keep {
		c.free = append(c.free, g)
	}
	c.mu.Unlock()
	if !keep {
		g.remove()
	}
}

// clean tells whether the group is as good as new: nothing runs in
// it, its counters, which the kernel never sets back, are at zero, and hardly
// anything is charged to it.
func (g *cgroup) clean() bool {
	file := "memory.usage_in_bytes"
	if g.v2 {
		file = "memory.current"
	}
	used, err := readNumber(filepath.Join(g.memory, file))
	alive, perr := readNumber(filepath.Join(g.pids, "pids.current"))
	memory, processes := g.events()
	return err == nil && perr == nil && !memory && !processes && alive == 0 && used <= reusable
}

func readNumber(path string) (int64, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
}

func (g *cgroup) closeDoors() {
	closeAll(g.doors)
	g.doors = nil
}

func (g *cgroup) remove() {
	g.closeDoors()
	g.of.takeAway(g.memory)
	if !g.v2 {
		g.of.takeAway(g.pids)
	}
}

// takeAway removes a group. A process that was killed counts until the kernel is done
// with it, which takes its time on a busy machine.
func (c *cgroups) takeAway(dir string) {
	for range 100 {
		if err := c.rmdir(dir); !errors.Is(err, unix.EBUSY) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// sweepCgroups removes empty groups of processes that died without a Close.
func sweepCgroups(c *cgroups) {
	for _, parent := range []string{c.memory, c.pids} {
		list, _ := os.ReadDir(parent)
		for _, e := range list {
			rest, ok := strings.CutPrefix(e.Name(), groupPrefix)
			if !ok {
				continue
			}
			pid, _, _ := strings.Cut(rest, "-")
			n, err := strconv.Atoi(pid)
			if err == nil && strings.HasPrefix(e.Name(), groupsOf(n)) && errors.Is(unix.Kill(n, 0), unix.ESRCH) {
				endGroup(filepath.Join(parent, e.Name()))
			}
		}
	}
}

// endGroup kills what a dead fettle left in its group, and removes the group.
// Mostly nothing is in it: bubblewrap's first process inside dies with its
// parent. But it asks for that only after it has started the payload, so one
// whose fettle was killed in those milliseconds runs on.
func endGroup(dir string) {
	for range 100 {
		data, _ := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
		for line := range strings.Lines(string(data)) {
			if n, err := strconv.Atoi(strings.TrimSpace(line)); err == nil && n > 0 {
				_ = unix.Kill(n, unix.SIGKILL)
			}
		}
		if err := unix.Rmdir(dir); !errors.Is(err, unix.EBUSY) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

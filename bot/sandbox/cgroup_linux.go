package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// cgroups hands out one cgroup per running command, below a place that we may
// write: version 2, or the memory and pids trees of version 1.
type cgroups struct {
	v2     bool
	memory string // parent folder; with v2 both are the same
	pids   string

	mu    sync.Mutex
	count int
	free  []*cgroup
}

// cgroup is one group, used again by later commands.
type cgroup struct {
	of           *cgroups
	memory, pids string
	oom, refused int64 // counters at the start of this use
}

const groupPrefix = "fettle-"

// findCgroups looks for a place, and makes a group there to see that it works.
// nil when there is none; why says what was missing.
func findCgroups() (found *cgroups, why string) {
	mounts, _ := os.ReadFile("/proc/self/mountinfo")
	own, _ := os.ReadFile("/proc/self/cgroup")
	why = "no cgroup file system is mounted"
	for _, c := range cgroupPlaces(string(mounts), string(own)) {
		sweepCgroups(c)
		g, err := c.acquire(DefaultLimits())
		if err == nil {
			g.release()
			return c, ""
		}
		why = err.Error()
	}
	return nil, why
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
			out = append(out, &cgroups{v2: true, memory: dir, pids: dir})
		}
	}
	if memory != "" && pids != "" {
		out = append(out,
			&cgroups{memory: filepath.Join(memory, paths["memory"]), pids: filepath.Join(pids, paths["pids"])},
			&cgroups{memory: memory, pids: pids})
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
	c.mu.Lock()
	var g *cgroup
	if n := len(c.free); n > 0 {
		g, c.free = c.free[n-1], c.free[:n-1]
	} else {
		c.count++
		name := fmt.Sprintf("%s%d-%s-%d", groupPrefix, os.Getpid(), nonce(), c.count)
		g = &cgroup{of: c, memory: filepath.Join(c.memory, name), pids: filepath.Join(c.pids, name)}
	}
	c.mu.Unlock()
	if err := g.prepare(lim); err != nil {
		g.remove()
		return nil, err
	}
	return g, nil
}

func (g *cgroup) prepare(lim Limits) error {
	for _, dir := range []string{g.memory, g.pids} {
		if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
			return fmt.Errorf("sandbox: making a cgroup: %w", err)
		}
	}
	set := func(dir, file string, value string) error {
		return os.WriteFile(filepath.Join(dir, file), []byte(value), 0o644)
	}
	bytes, procs := strconv.FormatInt(lim.MemoryBytes, 10), strconv.Itoa(lim.Processes+1) // and bwrap's own first process
	var err error
	if g.of.v2 {
		err = errors.Join(set(g.memory, "memory.max", bytes), set(g.pids, "pids.max", procs))
		_ = set(g.memory, "memory.swap.max", "0")
		_ = set(g.memory, "memory.oom.group", "1")
	} else {
		_ = set(g.memory, "memory.memsw.limit_in_bytes", "-1") // from an earlier use
		err = errors.Join(set(g.memory, "memory.limit_in_bytes", bytes), set(g.pids, "pids.max", procs))
		_ = set(g.memory, "memory.memsw.limit_in_bytes", bytes)
		_ = set(g.memory, "memory.swappiness", "0")
	}
	if err != nil {
		return fmt.Errorf("sandbox: limiting a cgroup: %w", err)
	}
	g.oom, g.refused = g.counters()
	return nil
}

// join moves a process, and what it starts later, into the group.
func (g *cgroup) join(pid int) error {
	dirs := []string{g.memory, g.pids}
	if g.of.v2 {
		dirs = dirs[:1]
	}
	for _, dir := range dirs {
		if err := os.WriteFile(filepath.Join(dir, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0o644); err != nil {
			return fmt.Errorf("sandbox: moving the payload into its cgroup: %w", err)
		}
	}
	return nil
}

// events tells whether the group ran out of memory or processes in this use.
func (g *cgroup) events() (memory, processes bool) {
	oom, refused := g.counters()
	return oom > g.oom, refused > g.refused
}

func (g *cgroup) counters() (oom, refused int64) {
	file := "memory.oom_control"
	if g.of.v2 {
		file = "memory.events"
	}
	return readKey(filepath.Join(g.memory, file), "oom_kill"), readKey(filepath.Join(g.pids, "pids.events"), "max")
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

// release keeps the group for the next command.
func (g *cgroup) release() {
	g.of.mu.Lock()
	defer g.of.mu.Unlock()
	if len(g.of.free) < 4 {
		g.of.free = append(g.of.free, g)
		return
	}
	g.remove()
}

func (g *cgroup) remove() {
	_ = unix.Rmdir(g.memory)
	_ = unix.Rmdir(g.pids)
}

// close removes the groups that are kept.
func (c *cgroups) close() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, g := range c.free {
		g.remove()
	}
	c.free = nil
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
			if n, err := strconv.Atoi(pid); err == nil && errors.Is(unix.Kill(n, 0), unix.ESRCH) {
				_ = unix.Rmdir(filepath.Join(parent, e.Name()))
			}
		}
	}
}

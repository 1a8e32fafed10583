package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// cgroups hands out one cgroup per running command, below a place that we may
// write: version 2, or the memory and pids trees of version 1.
type cgroups struct {
	v2     bool
	memory string // parent folder; with v2 both are the same
	pids   string

	count atomic.Int64
}

// cgroup is the group of one command. It is not used again: what the command
// left on a tmpfs stays charged to it.
type cgroup struct {
	v2           bool
	memory, pids string
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
	name := fmt.Sprintf("%s%d-%s-%d", groupPrefix, os.Getpid(), nonce(), c.count.Add(1))
	g := &cgroup{v2: c.v2, memory: filepath.Join(c.memory, name), pids: filepath.Join(c.pids, name)}
	if err := g.prepare(lim); err != nil {
		g.release()
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

// join moves a process, and what it starts later, into the group.
func (g *cgroup) join(pid int) error {
	dirs := []string{g.memory, g.pids}
	if g.v2 {
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

// release removes the group, once its processes are gone.
func (g *cgroup) release() {
	_ = unix.Rmdir(g.memory)
	if !g.v2 {
		_ = unix.Rmdir(g.pids)
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
			if n, err := strconv.Atoi(pid); err == nil && errors.Is(unix.Kill(n, 0), unix.ESRCH) {
				_ = unix.Rmdir(filepath.Join(parent, e.Name()))
			}
		}
	}
}

package sandbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/moby/moby/client"
)

// kernelWatch looks at a container through the kernel, where its processes are
// on this machine: at its cgroup, at its /tmp, and at the folders on disk.
type kernelWatch struct {
	disk  diskWatch
	group *cgroup // nil: not to be seen from here
}

// look makes the watcher of a started container.
func (r *contained) look(w *Workspace, cache *cacheDir, lim Limits) watcher {
	ctx, cancel := context.WithTimeout(r.free, engineTimeout)
	defer cancel()
	pid := 0
	if c, err := r.e.api.ContainerInspect(ctx, r.id, client.ContainerInspectOptions{}); err == nil && c.Container.State != nil {
		pid = c.Container.State.Pid
	}
	k := &kernelWatch{group: groupOf(pid, r.id)}
	if k.group == nil {
		pid = 0 // of another machine: the number means somebody else here
	}
	k.disk = newDiskWatch(w, cache.disk, pid, lim)
	_ = k.disk.tmpFull() // opens /tmp while it is there
	return k
}

// groupOf finds the cgroup of a container's process; nil unless the process is
// that container's.
func groupOf(pid int, id string) *cgroup {
	own, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
	if err != nil || pid <= 0 || !strings.Contains(string(own), id) {
		return nil
	}
	mounts, _ := os.ReadFile("/proc/self/mountinfo")
	for _, c := range cgroupPlaces(string(mounts), string(own)) {
		file := "memory.oom_control"
		if c.v2 {
			file = "memory.events"
		}
		if _, err := os.Stat(filepath.Join(c.memory, file)); err == nil && strings.Contains(c.memory, id) {
			return &cgroup{v2: c.v2, memory: c.memory, pids: c.pids}
		}
	}
	return nil
}

func (k *kernelWatch) look(final bool) breach {
	b := breach{disk: k.disk.full(final)}
	if k.group != nil {
		b.memory, b.processes = k.group.events()
	}
	return b
}

func (k *kernelWatch) close() { k.disk.close() }

package sandbox

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// diskWatch tells whether a workspace has used up its quota.
type diskWatch struct {
	w     *Workspace
	lim   Limits
	cache string // host folder of what was written to /cache
	pid1  int
	tmp   int   // descriptor of the payload's own /tmp, when it is a tmpfs made by bwrap
	start int64 // bytes in the workspace at the start
	next  time.Time
	hit   bool
}

func newDiskWatch(w *Workspace, cache string, pid1 int, lim Limits) diskWatch {
	d := diskWatch{w: w, lim: lim, cache: cache, pid1: pid1, tmp: -1, next: time.Now().Add(time.Second)}
	if !w.sized {
		d.start, _ = usedBytes(w.dir)
	}
	return d
}

// nearlyFull leaves room for the last block that did not fit.
const nearlyFull = 64 * kib

// full looks. On a sized tmpfs the kernel holds the quota and looking is one
// call; what lies on a plain disk is counted, a few times a second and never for
// more than a tenth of the time.
func (d *diskWatch) full(final bool) bool {
	if d.hit {
		return true
	}
	if d.w.sized {
		d.hit = freeBytes(d.w.dir) < nearlyFull
	} else {
		d.hit = d.tmpFull()
	}
	began := time.Now()
	if began.After(d.next) || (final && !d.w.sized) {
		cached, _ := usedBytes(d.cache)
		d.hit = d.hit || cached > d.lim.DiskBytes
		if !d.w.sized {
			used, _ := usedBytes(d.w.dir)
			d.hit = d.hit || used-d.start > d.lim.DiskBytes
		}
		now := time.Now()
		d.next = now.Add(max(200*time.Millisecond, 10*now.Sub(began)))
	}
	if final && !d.hit {
		d.hit = d.hasFullFile()
	}
	return d.hit
}

// tmpFull looks at the payload's /tmp. Its descriptor outlives the payload, so
// that the last look tells the truth; of a payload that ended before it was seen
// once, nothing is known. bwrap's own process may not be looked into, but what it
// started may, and before it has laid out its root there is another /tmp in its
// place, without our size.
func (d *diskWatch) tmpFull() bool {
	var st unix.Statfs_t
	ours := func(fd int) bool {
		return unix.Fstatfs(fd, &st) == nil && st.Type == unix.TMPFS_MAGIC && int64(st.Blocks)*st.Bsize <= d.lim.DiskBytes+st.Bsize
	}
	if d.tmp < 0 {
		for _, pid := range descendants(d.pid1, 8) {
			fd, err := unix.Open(fmt.Sprintf("/proc/%d/root/tmp", pid), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
			if err != nil {
				continue
			}
			if ours(fd) {
				d.tmp = fd
				break
			}
			_ = unix.Close(fd)
		}
	}
	return d.tmp >= 0 && ours(d.tmp) && int64(st.Bavail)*st.Bsize < nearlyFull
}

// close gives the descriptor back.
func (d *diskWatch) close() {
	if d.tmp >= 0 {
		_ = unix.Close(d.tmp)
		d.tmp = -1
	}
}

// hasFullFile finds the trace of a write that RLIMIT_FSIZE cut off in a program
// that ignores the signal: a file of exactly the limit.
func (d *diskWatch) hasFullFile() bool {
	if d.w.sized && usedOf(d.w.dir) < d.lim.FileBytes {
		return false
	}
	_, largest := usedBytes(d.w.dir)
	return largest >= d.lim.FileBytes
}

func freeBytes(path string) int64 {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return 1 << 62
	}
	return int64(st.Bavail) * st.Bsize
}

func usedOf(path string) int64 {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return 0
	}
	return int64(st.Blocks-st.Bfree) * st.Bsize
}

// treeWatch counts memory and processes of a tree where no cgroup does.
type treeWatch struct {
	pid int // the pid namespace's first process
	lim Limits
}

func (t *treeWatch) look() breach {
	var b breach
	pids := descendants(t.pid, 4*t.lim.Processes)
	var rss, threads int64
	for _, pid := range pids {
		r, n := memoryOf(pid)
		rss += r
		threads += n
	}
	b.processes = threads >= int64(t.lim.Processes)
	if rss > t.lim.MemoryBytes { // shared pages are counted twice: look closer
		b.memory = proportional(pids) > t.lim.MemoryBytes
	}
	return b
}

// descendants lists a process and everything below it, at most limit.
func descendants(pid, limit int) []int {
	all := []int{pid}
	for i := 0; i < len(all) && len(all) < limit; i++ {
		threads, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", all[i]))
		for _, t := range threads {
			data, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", all[i], t.Name()))
			if err != nil {
				continue
			}
			for _, f := range bytes.Fields(data) {
				if n, err := strconv.Atoi(string(f)); err == nil {
					all = append(all, n)
				}
			}
		}
	}
	return all
}

// memoryOf reads a process's own and shared resident bytes, without its mapped
// files, and its number of threads.
func memoryOf(pid int) (rss, threads int64) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0
	}
	for line := range strings.Lines(string(data)) {
		key, value, _ := strings.Cut(line, ":")
		n, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
		switch key {
		case "RssAnon", "RssShmem":
			rss += n * kib
		case "Threads":
			threads = n
		}
	}
	return rss, threads
}

// proportional sums each process's fair part of its pages; where that may not
// be read, its resident ones.
func proportional(pids []int) int64 {
	var sum int64
	for _, pid := range pids {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
		if err != nil {
			rss, _ := memoryOf(pid)
			sum += rss
			continue
		}
		for line := range strings.Lines(string(data)) {
			for _, key := range []string{"Pss_Anon:", "Pss_Shmem:"} {
				if rest, ok := strings.CutPrefix(line, key); ok {
					n, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
					sum += n * kib
				}
			}
		}
	}
	return sum
}

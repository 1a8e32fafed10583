package sandbox

import "time"

// Limits bound one command. A zero field means the default.
type Limits struct {
	Wall        time.Duration // whole run, wall clock; then the tree is killed
	CPU         time.Duration // processor time of one process (RLIMIT_CPU)
	MemoryBytes int64         // whole tree together
	DiskBytes   int64         // what a workspace may grow by: tree, /out and /tmp together
	FileBytes   int64         // one file (RLIMIT_FSIZE)
	Processes   int           // processes and threads of the whole tree
	OutputBytes int64         // kept of stdout, and of stderr: head and tail
}

const (
	kib = int64(1) << 10
	mib = int64(1) << 20
	gib = int64(1) << 30
)

// DefaultLimits are enough for the test suites of ordinary repositories and
// small enough that several runs fit on a laptop.
func DefaultLimits() Limits {
	return Limits{
		Wall: 5 * time.Minute, CPU: 10 * time.Minute,
		MemoryBytes: 2 * gib, DiskBytes: gib, FileBytes: 512 * mib,
		Processes: 512, OutputBytes: mib,
	}
}

// over takes from l what is set and the rest from base.
func (l Limits) over(base Limits) Limits {
	pick(&l.Wall, base.Wall)
	pick(&l.CPU, base.CPU)
	pick(&l.MemoryBytes, base.MemoryBytes)
	pick(&l.DiskBytes, base.DiskBytes)
	pick(&l.FileBytes, base.FileBytes)
	pick(&l.Processes, base.Processes)
	pick(&l.OutputBytes, base.OutputBytes)
	return l
}

func pick[T int | int64 | time.Duration](v *T, fallback T) {
	if *v <= 0 {
		*v = fallback
	}
}

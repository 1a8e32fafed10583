package prepare

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"time"
)

// lock is a lock on a file; the kernel drops it with the process.
type lock struct{ f *os.File }

func openLock(path string) (*lock, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("prepare: locking: %w", err)
	}
	return &lock{f}, nil
}

// try takes the lock, shared or alone, if nobody is in the way.
func (l *lock) try(how int) bool { return syscall.Flock(int(l.f.Fd()), how|syscall.LOCK_NB) == nil }

// wait takes the lock alone. waiting is called once if somebody has it.
func (l *lock) wait(ctx context.Context, waiting func()) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for first := true; !l.try(syscall.LOCK_EX); first = false {
		if first {
			waiting()
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
	return nil
}

// close gives the lock back. Closing the file alone would not: a process that is
// being started anywhere in this one has the file too until it calls exec, and
// the lock would outlive this for as long.
func (l *lock) close() {
	if l != nil {
		_ = syscall.Flock(int(l.f.Fd()), syscall.LOCK_UN)
		_ = l.f.Close()
	}
}

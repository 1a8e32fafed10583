package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// ours makes sure that a folder is a folder, belongs to us and that nobody else
// may write there: the system's temporary folder is everybody's.
func ours(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("sandbox: state folder: %w", err)
	}
	if !info.IsDir() || !private(info) {
		return fmt.Errorf("sandbox: the state folder %s must be a folder of our own that nobody else may write; remove it or choose another state_dir", dir)
	}
	return nil
}

// private tells whether something is ours, and nobody else may write to it.
func private(info os.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return (!ok || int(st.Uid) == os.Geteuid()) && info.Mode().Perm()&0o022 == 0
}

// payloadUID is the host's uid of payloads when we are root: above the ranges
// that distributions and container engines hand out, so nobody's. Where such a
// number is not mapped (rootless containers) it is nobody.
const (
	payloadUID = 1879048197
	nobodyUID  = 65534
)

// Identity of the payload inside.
const (
	insideUID  = "1000"
	insideName = "fettle"
)

const boxesDir = "boxes"

// newBox makes a folder for a copy on disk. A lock on a file in it tells Sweep
// that its process lives; the kernel drops the lock with the process.
func newBox(state string) (dir string, lock *os.File, err error) {
	parent := filepath.Join(state, boxesDir)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return "", nil, fmt.Errorf("sandbox: making a workspace: %w", err)
	}
	outer := filepath.Join(parent, nonce())
	if err := os.Mkdir(outer, 0o700); err != nil {
		return "", nil, fmt.Errorf("sandbox: making a workspace: %w", err)
	}
	lock, err = os.OpenFile(filepath.Join(outer, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil {
		err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	dir = filepath.Join(outer, "box")
	if err == nil {
		err = os.Mkdir(dir, 0o755)
	}
	if err != nil {
		_ = os.RemoveAll(outer)
		return "", nil, fmt.Errorf("sandbox: making a workspace: %w", err)
	}
	return dir, lock, nil
}

// makeSubs makes the folders of a workspace for the payload's uid; -1: our own.
func makeSubs(dir string, owner int) error {
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	for _, sub := range []string{"work", "out"} {
		path := filepath.Join(dir, sub)
		if err := os.Mkdir(path, 0o755); err != nil {
			return fmt.Errorf("sandbox: making a workspace: %w", err)
		}
		if owner >= 0 {
			if err := os.Lchown(path, owner, owner); err != nil {
				return fmt.Errorf("sandbox: giving a workspace to the payload's uid: %w", err)
			}
		}
	}
	return nil
}

func dropBox(dir string, lock *os.File) error {
	err := removeBox(filepath.Dir(dir))
	return errors.Join(err, unlock(lock))
}

func removeBox(outer string) error {
	if err := empty(outer); err != nil {
		return fmt.Errorf("sandbox: removing a workspace: %w", err)
	}
	return os.Remove(outer)
}

// Sweep removes what dead processes left in a state folder. Call it at start.
func Sweep(state string) error {
	parent := filepath.Join(state, boxesDir)
	list, err := os.ReadDir(parent)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("sandbox: sweeping: %w", err)
	}
	var errs []error
	for _, e := range list {
		outer := filepath.Join(parent, e.Name())
		if alive(filepath.Join(outer, "lock")) {
			continue
		}
		errs = append(errs, removeBox(outer))
	}
	return errors.Join(errs...)
}

// alive tells whether another process (or we) holds the lock.
func alive(path string) bool {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer func() { _ = unlock(f) }()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil
}

// unlock gives a lock back and closes its file. Closing alone would leave the
// lock with a process that is being started, which has the file until it calls
// exec.
func unlock(f *os.File) error {
	return errors.Join(syscall.Flock(int(f.Fd()), syscall.LOCK_UN), f.Close())
}

// memAvailable is what the kernel says can be had without swapping, in bytes.
func memAvailable() int64 {
	data, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return gib
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "MemAvailable:"); ok {
			var n int64
			if _, err := fmt.Sscan(rest, &n); err == nil {
				return n * kib
			}
		}
	}
	return gib
}

// uidMapped tells whether this process's user namespace knows a uid.
func uidMapped(uid int) bool {
	data, err := os.ReadFile("/proc/self/uid_map")
	if err != nil {
		return true
	}
	for line := range strings.Lines(string(data)) {
		var in, out, n int64
		if _, err := fmt.Sscan(line, &in, &out, &n); err == nil && int64(uid) >= in && int64(uid) < in+n {
			return true
		}
	}
	return false
}

// lockFile waits for an exclusive lock; the kernel drops it with the process.
func lockFile(ctx context.Context, path string) (release func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("sandbox: locking: %w", err)
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = unlock(f) }, nil
		}
		select {
		case <-ctx.Done():
			_ = f.Close()
			return nil, context.Cause(ctx)
		case <-tick.C:
		}
	}
}

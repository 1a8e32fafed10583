package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// stage is one operating-system thread that starts every command of a Sandbox.
// Children inherit the thread's mount namespace, and the kernel kills them
// (PR_SET_PDEATHSIG) when the thread ends: so it lives as long as the Sandbox.
//
// Started as root, the thread has a mount namespace of its own with a small
// tmpfs at root, into which toolchains and workspaces are mounted where another
// uid may reach them. The host's own namespace never sees these mounts.
type stage struct {
	jobs    chan func()
	closed  chan struct{}
	private bool
	root    string // mount point of the tmpfs, in the thread's namespace
	via     string // prefix under which the rest of the process reaches the thread's namespace
	uid     int    // of the payload, on the host
}

// newStage starts the thread. private asks for the mount namespace (root only).
func newStage(private bool, uid int) (*stage, error) {
	s := &stage{jobs: make(chan func()), closed: make(chan struct{}), private: private, uid: uid}
	ready := make(chan error, 1)
	go s.enter(ready)
	if err := <-ready; err != nil {
		return nil, err
	}
	return s, nil
}

// enter makes sure that the thread is not the process's first one: that one
// cannot be ended, and /proc/self would show its namespace.
func (s *stage) enter(ready chan<- error) {
	runtime.LockOSThread()
	if unix.Gettid() != unix.Getpid() {
		s.serve(ready)
		return // still locked: the thread ends with us
	}
	moved := make(chan struct{})
	go func() {
		runtime.LockOSThread()
		close(moved)
		s.serve(ready)
	}()
	<-moved
	runtime.UnlockOSThread()
}

func (s *stage) serve(ready chan<- error) {
	if s.private {
		if err := s.separate(); err != nil {
			ready <- err
			return
		}
	}
	ready <- nil
	for {
		select {
		case job := <-s.jobs:
			job()
		case <-s.closed:
			return
		}
	}
}

// separate gives the thread its own mount namespace with a tmpfs.
func (s *stage) separate() error {
	if err := unix.Unshare(unix.CLONE_FS | unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("sandbox: making a private mount namespace as root: %w; run as an ordinary user, or give the container CAP_SYS_ADMIN", err)
	}
	unix.Umask(0o022) // of this thread alone, since CLONE_FS
	// Slave, not private: what the host unmounts leaves our namespace too.
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_SLAVE, ""); err != nil {
		return fmt.Errorf("sandbox: cutting the mount namespace off from the host's: %w", err)
	}
	// Every start reads and copies the table of mounts: leave out what no
	// payload sees and no tool of ours needs.
	_ = unix.Unmount("/sys", unix.MNT_DETACH)
	root, err := mountPoint()
	if err != nil {
		return err
	}
	if err := unix.Mount("fettle", root, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755,size=64m"); err != nil {
		return fmt.Errorf("sandbox: mounting a tmpfs at %s in a private namespace: %w", root, err)
	}
	s.root = root
	s.via = fmt.Sprintf("/proc/%d/task/%d/root", unix.Getpid(), unix.Gettid())
	return nil
}

// mountPoint finds an empty directory that every uid can reach. Mounting over
// it hides nothing and, being in our namespace only, leaves nothing behind.
func mountPoint() (string, error) {
	for _, dir := range []string{"/mnt", "/media", "/srv", "/opt", "/var/empty", "/run/lock"} {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() {
			continue
		}
		parent, err := os.Lstat(filepath.Dir(dir))
		if err != nil || parent.Mode().Perm()&0o001 == 0 {
			continue
		}
		if list, err := os.ReadDir(dir); err == nil && len(list) == 0 {
			return dir, nil
		}
	}
	dir := filepath.Join(os.TempDir(), "fettle-stage")
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return "", fmt.Errorf("sandbox: no empty directory to mount on (looked at /mnt, /media, /srv …): %w", err)
	}
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return "", fmt.Errorf("sandbox: %s is not a directory; remove it", dir)
	}
	return dir, nil
}

// do runs job on the thread and waits for it.
func (s *stage) do(job func() error) error {
	done := make(chan error, 1)
	select {
	case s.jobs <- func() { done <- job() }:
		return <-done
	case <-s.closed:
		return errClosed
	}
}

// close ends the thread: its namespace, mounts and any child go with it.
func (s *stage) close() {
	select {
	case <-s.closed:
	default:
		close(s.closed)
	}
}

// host is the path by which this process reaches a path of the stage.
func (s *stage) host(path string) string { return s.via + path }

// bind shows a host path at a path of the stage, made as needed.
func (s *stage) bind(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return fmt.Errorf("sandbox: nothing to bind: %w", err)
	}
	return s.do(func() error {
		if err := mountTarget(to, info.IsDir()); err != nil {
			return err
		}
		if err := unix.Mount(from, to, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
			return fmt.Errorf("sandbox: binding %s: %w", from, err)
		}
		return nil
	})
}

func mountTarget(path string, dir bool) error {
	if dir {
		return os.MkdirAll(path, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o444)
	if err != nil {
		return err
	}
	return f.Close()
}

// tmpfs mounts a memory file system of limited size at a path of the stage.
func (s *stage) tmpfs(path string, size int64) error {
	return s.do(func() error {
		if err := os.MkdirAll(path, 0o755); err != nil {
			return err
		}
		opts := "mode=0755,size=" + strconv.FormatInt(size, 10)
		if err := unix.Mount("fettle", path, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, opts); err != nil {
			return fmt.Errorf("sandbox: mounting a tmpfs of %d bytes: %w", size, err)
		}
		return nil
	})
}

// unmount takes a mount of the stage away, at once for new users of the path.
func (s *stage) unmount(path string) error {
	return s.do(func() error {
		if !strings.HasPrefix(path, s.root+"/") {
			return fmt.Errorf("sandbox: %s is not a mount of ours", path)
		}
		if err := unix.Unmount(path, unix.MNT_DETACH); err != nil {
			return fmt.Errorf("sandbox: unmounting %s: %w", path, err)
		}
		return os.Remove(path)
	})
}

// asPayload runs job on the thread with the payload's real uid and gid, so that
// the kernel lets us set its resource limits: root without CAP_SYS_RESOURCE, as
// in most containers, may not. The effective uid, and so our rights, stay; only
// this thread changes, and only for the job.
func (s *stage) asPayload(job func() error) error {
	if !s.private {
		return job()
	}
	return s.do(func() error {
		if err := realIDs(s.uid); err != nil {
			return err
		}
		err := job()
		return errors.Join(err, realIDs(0))
	})
}

// realIDs sets the calling thread's real uid and gid, by raw calls: the
// library's would change all threads.
func realIDs(id int) error {
	const keep = ^uintptr(0)
	for _, call := range []uintptr{unix.SYS_SETRESGID, unix.SYS_SETRESUID} {
		if _, _, errno := unix.RawSyscall(call, uintptr(id), keep, keep); errno != 0 {
			return fmt.Errorf("sandbox: taking the payload's real uid %d: %w", id, errno)
		}
	}
	return nil
}

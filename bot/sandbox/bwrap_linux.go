package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// bubblewrap starts payloads behind all walls.
type bubblewrap struct {
	overlay  sync.Once // says that overlayfs cannot be mounted
	exe      string    // host path of bwrap
	stage    *stage
	uid      int    // host uid of payloads; -1: our own
	filter   []byte // seccomp program
	base     []string
	dropEtc  func()   // removes the inside /etc, when it is on disk
	toolArgs []string // bwrap's options that show the toolchains
	groups   *cgroups // nil: no writable cgroup, the watchdog counts
	mounts   int      // of commands, for names; used on the stage's thread only
	tree     string   // prepared root of payloads, as bwrap sees it; empty: bwrap makes one
	sealDir  string   // where execute-only copies are kept, as bwrap sees it
	sealer   sealer
	landlock int      // version of the kernel's interface; 0: payloads are started without
	hole     []string // see Config
}

// startGrace bounds the time from the start of bwrap to the payload's: building
// the namespaces takes about 3 ms.
const startGrace = 20 * time.Second

// confined is a payload behind the walls.
type confined struct {
	cmd    *exec.Cmd
	pidfd  int // of the pid namespace's first process
	pid1   int
	status *os.File
	group  *cgroup
	cancel func() // stops forwarding, gives mounts back
	disk   diskWatch
	mem    *treeWatch // nil with a cgroup
	tail   *bytes.Buffer
	once   sync.Once
}

// launch implements backend.
func (b *bubblewrap) launch(ctx context.Context, w *Workspace, c Command, lim Limits, io stdio) (running, error) {
	r := &confined{pidfd: -1, disk: diskWatch{tmp: -1}}
	cache, err := w.cacheFor(b, b.newCache)
	if err != nil {
		return nil, err
	}
	args, argv, undo, err := b.arguments(w, cache, c, lim)
	r.cancel = undo
	if err != nil {
		undo()
		return nil, err
	}
	if c.Sealed {
		var seal []string
		if seal, argv, err = b.sealed(w.box, c.Argv); err != nil {
			undo()
			return nil, err
		}
		args = append(seal, args...)
	}
	argv = append(c.attend, argv...)
	if b.landlock > 0 {
		argv = entered(argv, search(w.environment(c)))
	}
	if b.groups != nil {
		if r.group, err = b.groups.acquire(lim); err != nil {
			undo()
			return nil, err
		}
	}
	block, err := b.start(r, args, argv, io)
	if err != nil {
		if r.group != nil {
			r.group.release()
		}
		undo()
		return nil, err
	}
	if err := b.confine(ctx, r, lim); err != nil {
		_ = block.Close()
		r.kill()
		_, _ = r.wait()
		r.release()
		return nil, err
	}
	r.disk = newDiskWatch(w, cache.disk, r.pid1, lim)
	_, err = block.Write([]byte{1}) // from here on foreign code runs
	_ = block.Close()
	if err != nil {
		r.kill()
		_, _ = r.wait()
		r.release()
		return nil, fmt.Errorf("sandbox: starting the payload: %w", err)
	}
	return r, nil
}

// start starts bwrap with its options in a memory file, so that neither its
// command line nor its environment tells the payload anything.
func (b *bubblewrap) start(r *confined, args, argv []string, io stdio) (block *os.File, err error) {
	var files []*os.File // the child's ends
	var ours []*os.File
	defer func() {
		closeAll(files)
		if err != nil {
			closeAll(ours)
		}
	}()
	statusR, statusW, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("sandbox: making pipes: %w", err)
	}
	files, ours = append(files, statusW), append(ours, statusR)
	blockR, blockW, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("sandbox: making pipes: %w", err)
	}
	files, ours = append(files, blockR), append(ours, blockW)
	for _, content := range [][]byte{b.filter, []byte(joinNUL(args))} {
		f, err := memoryFile(content)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	// Descriptors in the child: 3 status, 4 block, 5 filter, 6 options.
	cmd := &exec.Cmd{
		Path: b.exe, Args: append([]string{"bwrap", "--args", "6", "--"}, argv...),
		Env: []string{}, // not nil: nil would mean ours
		Dir: "/", Stdin: io.in, Stdout: io.out, Stderr: io.err, ExtraFiles: files,
		SysProcAttr: &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true},
	}
	if b.uid >= 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(b.uid), Gid: uint32(b.uid)}
	}
	closeInherited()
	if r.group != nil {
		err = r.group.start(b.stage, cmd)
	} else {
		err = b.stage.do(cmd.Start)
	}
	if err != nil {
		return nil, fmt.Errorf("sandbox: starting %s: %w", b.exe, err)
	}
	r.cmd, r.status = cmd, statusR
	return blockW, nil
}

// closeInherited marks every descriptor close-on-exec, those included that our
// own parent left open in us.
func closeInherited() {
	_ = unix.CloseRange(3, ^uint(0)>>1, unix.CLOSE_RANGE_CLOEXEC)
}

func memoryFile(content []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate("fettle", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("sandbox: making a memory file: %w", err)
	}
	f := os.NewFile(uintptr(fd), "memfd")
	if _, err := f.Write(content); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("sandbox: writing a memory file: %w", err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// confine waits for the blocked first process of the new pid namespace and puts
// it, before any foreign code runs, into its cgroup and under its limits.
func (b *bubblewrap) confine(ctx context.Context, r *confined, lim Limits) error {
	limit := time.Now().Add(startGrace)
	if t, ok := ctx.Deadline(); ok && t.Before(limit) {
		limit = t
	}
	_ = r.status.SetReadDeadline(limit)
	stop := context.AfterFunc(ctx, func() { _ = r.status.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	r.tail = &bytes.Buffer{}
	var hello struct {
		Pid int `json:"child-pid"`
	}
	dec := json.NewDecoder(io.TeeReader(r.status, r.tail))
	if err := dec.Decode(&hello); err != nil || hello.Pid <= 0 {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return errNoStart
	}
	r.tail.Reset()
	_, _ = io.Copy(r.tail, dec.Buffered())
	_ = r.status.SetReadDeadline(time.Time{})
	r.pid1 = hello.Pid
	fd, err := unix.PidfdOpen(hello.Pid, 0)
	if err != nil {
		return errNoStart // it died at once: bwrap said why on stderr
	}
	r.pidfd = fd
	err = applyRlimits(hello.Pid, lim)
	if errors.Is(err, unix.EPERM) { // root without CAP_SYS_RESOURCE
		err = b.stage.asPayload(func() error { return applyRlimits(hello.Pid, lim) })
	}
	if err != nil {
		return err
	}
	if r.group == nil {
		r.mem = &treeWatch{pid: hello.Pid, lim: lim}
	}
	return nil
}

func signalName(n int) string {
	if s := unix.SignalName(syscall.Signal(n)); s != "" {
		return s
	}
	return fmt.Sprintf("signal %d", n)
}

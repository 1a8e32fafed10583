package sandbox

import (
	"encoding/json"
	"errors"
	"io"
	"time"

	"golang.org/x/sys/unix"
)

// wait implements running. It returns when the whole pid namespace is gone.
func (r *confined) wait() (int, error) {
	_, _ = io.Copy(r.tail, io.LimitReader(r.status, 4*kib))
	_ = r.cmd.Wait()
	r.gone()
	var last struct {
		Code *int `json:"exit-code"`
	}
	for dec := json.NewDecoder(r.tail); ; {
		if err := dec.Decode(&last); err != nil {
			break
		}
	}
	if last.Code == nil {
		return -1, errNoStart
	}
	return *last.Code, nil
}

// gone kills the first process of the namespace, and with it all others, and
// waits for their end; the kernel reports the first one's only after theirs.
func (r *confined) gone() {
	if r.pidfd < 0 {
		return
	}
	_ = unix.PidfdSendSignal(r.pidfd, unix.SIGKILL, nil, 0)
	poll := []unix.PollFd{{Fd: int32(r.pidfd), Events: unix.POLLIN}}
	for until := time.Now().Add(10 * time.Second); time.Now().Before(until); {
		n, err := unix.Poll(poll, 1000)
		if n > 0 || (err != nil && !errors.Is(err, unix.EINTR)) {
			return
		}
	}
}

// kill implements running.
func (r *confined) kill() {
	if r.pidfd >= 0 {
		_ = unix.PidfdSendSignal(r.pidfd, unix.SIGKILL, nil, 0)
	}
	if r.cmd == nil || r.cmd.Process == nil {
		return
	}
	if r.pidfd < 0 {
		// The namespace's first process is not known yet and may not have tied
		// its life to bwrap's: but until it begins a session of its own it is in
		// bwrap's process group.
		_ = unix.Kill(-r.cmd.Process.Pid, unix.SIGKILL)
	}
	_ = r.cmd.Process.Kill()
}

// watch implements running.
func (r *confined) watch(final bool) breach {
	b := breach{disk: r.disk.full(final)}
	if r.group != nil {
		b.memory, b.processes = r.group.events()
	} else if r.mem != nil && !final {
		m := r.mem.look()
		b.memory, b.processes = m.memory, m.processes
	}
	return b
}

// release implements running.
func (r *confined) release() {
	r.once.Do(func() {
		if r.pidfd >= 0 {
			_ = unix.Close(r.pidfd)
		}
		_ = r.status.Close()
		r.disk.close()
		if r.group != nil {
			r.group.release()
		}
		r.cancel()
	})
}

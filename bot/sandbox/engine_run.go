package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"
)

// contained is a command in its container.
type contained struct {
	e        *engine
	name, id string
	free     context.Context // of requests that outlive the command's own context
	cancel   context.CancelFunc
	undo     func()
	exit     client.ContainerWaitResult
	watcher  watcher

	stream  client.HijackedResponse
	files   []*os.File // our ends of the command's pipes
	copying bool
	copied  chan struct{} // closed when all output has been taken
	began   beginning     // of standard error

	once   sync.Once
	killed chan struct{} // closed at the first kill
	dead   atomic.Bool   // the engine took the kill, or the container ended
	oom    atomic.Bool
}

// watcher looks at limits that the engine does not report while a command runs.
type watcher interface {
	look(final bool) breach
	close()
}

// afterKill bounds the wait for output that was on its way when a command was
// killed.
const afterKill = 2 * time.Second

// ended waits for the engine's word. An engine reports the end only when all
// output has been taken; where a killed command's is not, it is thrown away.
func (r *contained) ended() (code int, err error) {
	killed := r.killed
	var tooLong <-chan time.Time
	for {
		select {
		case end := <-r.exit.Result:
			if end.Error != nil && end.Error.Message != "" {
				err = fmt.Errorf("sandbox: the engine lost the command: %s", end.Error.Message)
			}
			return int(end.StatusCode), err
		case err := <-r.exit.Error:
			return -1, fmt.Errorf("sandbox: waiting for the container: %w", err)
		case <-killed:
			killed, tooLong = nil, time.After(afterKill)
		case <-tooLong:
			r.disconnect()
			tooLong = nil
			time.AfterFunc(engineTimeout, r.cancel) // ends the wait, with an error
		}
	}
}

// wait implements running. With the container's first process all others are
// gone: it is the first of their pid namespace.
func (r *contained) wait() (int, error) {
	code, err := r.ended()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.free), engineTimeout)
	defer cancel()
	state, ierr := r.e.api.ContainerInspect(ctx, r.id, client.ContainerInspectOptions{})
	switch {
	case ierr != nil:
		err = errors.Join(err, fmt.Errorf("sandbox: asking how the container ended: %w", ierr))
	case state.Container.State != nil && !state.Container.State.Running:
		code, err = state.Container.State.ExitCode, nil
		r.oom.Store(state.Container.State.OOMKilled)
		r.dead.Store(true)
	}
	if err != nil {
		r.kill() // whatever became of it must not go on
	}
	select {
	case <-r.copied:
	case <-r.killed:
		select {
		case <-r.copied:
		case <-time.After(afterKill):
		}
	}
	r.disconnect()
	if code == 1 && r.began.isNoProgram() {
		code = 127
	}
	return code, err
}

// beginning keeps the first bytes of a stream that it passes on.
type beginning struct {
	to   io.Writer
	kept []byte
}

func (b *beginning) Write(p []byte) (int, error) {
	if room := 256 - len(b.kept); room > 0 {
		b.kept = append(b.kept, p[:min(room, len(p))]...)
	}
	return b.to.Write(p)
}

// isNoProgram knows the words of Podman's first process for a program that is
// not there. Docker's ends with the status 127 by itself. A payload that says
// the same before it fails has failed all the same.
func (b *beginning) isNoProgram() bool {
	return bytes.HasPrefix(b.kept, []byte("ERROR (catatonit:")) && bytes.Contains(b.kept, []byte("failed to exec pid1"))
}

// disconnect ends all copying.
func (r *contained) disconnect() {
	if r.stream.Conn != nil {
		r.stream.Close()
	}
	closeAll(r.files)
	if r.copying {
		<-r.copied
	}
}

// kill implements running: SIGKILL to the first process takes all others along.
func (r *contained) kill() {
	r.once.Do(func() { close(r.killed) })
	if r.dead.Load() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.free), engineTimeout)
	defer cancel()
	_, err := r.e.api.ContainerKill(ctx, r.id, client.ContainerKillOptions{Signal: "SIGKILL"})
	if err == nil || errdefs.IsNotFound(err) || errdefs.IsConflict(err) { // conflict: it does not run
		r.dead.Store(true)
		return
	}
	r.e.log.WithError(err).WithField("container", r.name).Error("sandbox: the engine did not kill a command; it is asked again")
}

// watch implements running.
func (r *contained) watch(final bool) breach {
	b := r.watcher.look(final)
	b.memory = b.memory || r.oom.Load()
	return b
}

// release implements running. The container has ended; its removal is not waited
// for here but at the end of the Sandbox.
func (r *contained) release() {
	r.watcher.close()
	r.undo()
	r.e.removals.Go(func() {
		defer r.cancel()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.free), engineTimeout)
		defer cancel()
		if err := r.e.remove(ctx, r.name); err != nil {
			r.e.log.WithError(err).WithField("container", r.name).Warn("sandbox: a container was not removed; the next start removes it")
		}
	})
}

// abandon takes back a command that did not start.
func (r *contained) abandon() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.free), engineTimeout)
	defer cancel()
	if err := r.e.remove(ctx, r.name); err != nil {
		r.e.log.WithError(err).WithField("container", r.name).Warn("sandbox: a container was not removed; the next start removes it")
	}
	r.disconnect()
	r.undo()
	r.cancel()
}

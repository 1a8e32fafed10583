package sandbox

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"golang.org/x/sys/unix"
)

// launch implements backend.
func (e *engine) launch(ctx context.Context, w *Workspace, c Command, lim Limits, pipes stdio) (running, error) {
	if c.Dir != "" {
		if err := folderIn(w, c.Dir); err != nil {
			return nil, err
		}
	}
	cache, err := w.cacheFor(e, e.newCache)
	if err != nil {
		return nil, err
	}
	shown := c.ReadOnly
	if c.Sealed {
		var seal Mount
		if seal, c.Argv, err = e.sealed(ctx, w.box, c.Argv); err != nil {
			return nil, err
		}
		shown = append([]Mount{seal}, shown...)
	}
	c.Argv = append(c.attend, c.Argv...)
	mounts, undo, err := e.mounts(ctx, w, cache, shown)
	if err != nil {
		undo()
		return nil, err
	}
	stdin := isPipe(pipes.in)
	spec := e.spec(w, c, lim, mounts, stdin)
	// Not ended by ctx: a request that is given up half way may still be carried
	// out, and then nobody would know of the container.
	free, cancel := context.WithCancel(context.WithoutCancel(ctx))
	r := &contained{e: e, name: spec.Name, free: free, cancel: cancel, undo: undo, killed: make(chan struct{}), copied: make(chan struct{})}
	err = r.begin(spec, pipes, stdin)
	if err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		r.abandon()
		return nil, err
	}
	r.watcher = r.look(w, cache, lim)
	return r, nil
}

// isPipe tells a command's standard input from the empty one.
func isPipe(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&fs.ModeNamedPipe != 0
}

// begin creates the container, connects its pipes and starts it.
func (r *contained) begin(spec client.ContainerCreateOptions, pipes stdio, stdin bool) error {
	api := r.e.api
	ctx, cancel := context.WithTimeout(r.free, engineTimeout)
	defer cancel()
	made, err := api.ContainerCreate(ctx, spec)
	if err != nil {
		return fmt.Errorf("sandbox: the engine could not make a container: %w", err)
	}
	r.id = made.ID
	attached, err := api.ContainerAttach(ctx, r.id, client.ContainerAttachOptions{Stream: true, Stdin: stdin, Stdout: true, Stderr: true})
	if err != nil {
		return fmt.Errorf("sandbox: connecting to the container's output: %w", err)
	}
	r.stream = attached.HijackedResponse
	if err := r.connect(pipes, stdin); err != nil {
		return err
	}
	r.exit = api.ContainerWait(r.free, r.id, client.ContainerWaitOptions{Condition: container.WaitConditionNextExit})
	if _, err := api.ContainerStart(ctx, r.id, client.ContainerStartOptions{}); err != nil {
		return fmt.Errorf("sandbox: the engine could not start the command: %w", err)
	}
	return nil
}

// connect copies between the engine's one stream and the command's pipes. The
// pipes are ours only until launch returns: we keep copies of them.
func (r *contained) connect(pipes stdio, stdin bool) error {
	out, err := another(pipes.out)
	if err != nil {
		return err
	}
	r.files = append(r.files, out)
	errs, err := another(pipes.err)
	if err != nil {
		return err
	}
	r.files = append(r.files, errs)
	if stdin {
		in, err := another(pipes.in)
		if err != nil {
			return err
		}
		r.files = append(r.files, in)
		go func() {
			_, _ = io.Copy(r.stream.Conn, onlyReader{in})
			_ = in.Close()
			_ = r.stream.CloseWrite()
		}()
	}
	r.copying, r.began.to = true, onlyWriter{errs}
	go func() {
		defer close(r.copied)
		if _, err := stdcopy.StdCopy(onlyWriter{out}, &r.began, r.stream.Reader); err != nil {
			// Nobody reads any more: the command must not block on that.
			_, _ = io.Copy(io.Discard, r.stream.Reader)
		}
		_, _ = out.Close(), errs.Close() // the command's readers see the end
	}()
	return nil
}

// another is a second descriptor of an open file, without a change to its mode.
func another(f *os.File) (*os.File, error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return nil, fmt.Errorf("sandbox: keeping a pipe: %w", err)
	}
	fd := -1
	var failed error
	err = raw.Control(func(old uintptr) { fd, failed = unix.FcntlInt(old, unix.F_DUPFD_CLOEXEC, 3) })
	if err == nil {
		err = failed
	}
	if err != nil {
		return nil, fmt.Errorf("sandbox: keeping a pipe: %w", err)
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

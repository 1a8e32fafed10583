package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Mount shows a host path read-only inside.
type Mount struct {
	Host   string // absolute path on the host, or a path as Workspace.Path gives it
	Inside string // absolute path inside
}

// Command is what to run, as it is seen inside.
type Command struct {
	Argv     []string          // Argv[0] is looked up in the inside PATH
	Dir      string            // working directory, relative to /work, slash-separated
	Env      map[string]string // on top of the clean environment of the sandbox
	Stdin    io.Reader         // nil: empty
	Limits   Limits            // what is set overrides the Sandbox's limits
	ReadOnly []Mount
	// Sealed keeps the command's own process out of the reach of those that it
	// starts: they can neither read nor write its memory, environment and
	// descriptors through /proc. Such a process cannot open its own /proc/self
	// files either. Argv[0] has to be a program, not a script. The backend none
	// does not do it.
	Sealed bool
	// Needs starts what the Session's tests need beside the command (Sandbox.Need):
	// it is set for whatever runs tests or the repository's program.
	Needs bool
	// Setup is set for a command that installs dependencies, in a workspace of
	// SetupWorkspace.
	Setup *Setup

	attendant string   // program that starts what is needed; "": nothing is
	attend    []string // its command line, before the command's
}

// Result says how a command ended. A red exit is a Result, not an error.
type Result struct {
	ExitCode    int    // 128+n after signal n, as a shell says it; -1 when killed by a limit
	Signal      string // name of the signal, such as "SIGKILL"; empty after a plain exit
	TimedOut    bool   // wall clock or processor time
	OutOfMemory bool
	OverQuota   bool // disk: the workspace's quota or the size of one file
	OverProcess bool // the process limit was hit at least once
	Truncated   bool // Stdout or Stderr lost its middle
	// Unserved says why the command was not started, though the sandbox stood: a
	// service that it needs is not there or not ready.
	Unserved string
	Stdout   []byte
	Stderr   []byte
	Elapsed  time.Duration
}

// OK tells whether the command ended by itself with status 0 and within all limits.
func (r Result) OK() bool {
	return r.ExitCode == 0 && !r.TimedOut && !r.OutOfMemory && !r.OverQuota
}

// errNoStart means that bwrap did not get as far as the payload; its own words
// are on the command's stderr.
var errNoStart = errors.New("sandbox: bubblewrap could not build the sandbox")

// breach is what a limit's watcher found.
type breach struct{ memory, disk, processes bool }

// running is a started payload, confined or not.
type running interface {
	// wait blocks until the payload ended; err means that the backend failed.
	wait() (code int, err error)
	// kill ends the whole tree at once; it may be called more than once.
	kill()
	// watch looks whether a limit was passed; final after the end.
	watch(final bool) breach
	// release gives back what the run held, once the tree is gone.
	release()
}

// Process is a long-lived command. Stdin and Stdout are pipes to it; stderr is
// kept, capped, for the Result.
type Process struct {
	Stdin  io.WriteCloser
	Stdout io.Reader

	run      running
	lim      Limits
	attended bool
	out      *capped // nil when the caller reads Stdout
	err      *capped
	pumps    sync.WaitGroup
	killed   chan struct{}
	once     sync.Once
	done     chan struct{}
	res      Result
	fail     error
}

// Run runs a command to its end. The error is not nil only when the sandbox
// itself failed or ctx ended; then the tree is dead.
func (w *Workspace) Run(ctx context.Context, c Command) (Result, error) {
	p, err := w.start(ctx, c, false)
	if err != nil {
		return Result{}, err
	}
	return p.Wait()
}

// Start starts a long-lived command. Its limits hold as for Run: give it a
// Limits.Wall that fits. The tree dies when ctx ends.
func (w *Workspace) Start(ctx context.Context, c Command) (*Process, error) {
	return w.start(ctx, c, true)
}

// Wait waits for the end and says how it was. It may be called more than once.
func (p *Process) Wait() (Result, error) {
	<-p.done
	return p.res, p.fail
}

// Kill ends the whole tree at once.
func (p *Process) Kill() { p.once.Do(func() { close(p.killed) }) }

func (c Command) check() error {
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return errors.New("sandbox: no command given")
	}
	if c.Dir != "" && !filepath.IsLocal(c.Dir) {
		return fmt.Errorf("sandbox: working directory %q is not inside the workspace", c.Dir)
	}
	for _, s := range append([]string{c.Dir}, c.Argv...) {
		if strings.ContainsRune(s, 0) {
			return errors.New("sandbox: a NUL byte in the command or its directory")
		}
	}
	for k, v := range c.Env {
		if k == "" || strings.ContainsAny(k, "=\x00") || strings.ContainsRune(v, 0) {
			return fmt.Errorf("sandbox: environment variable %q cannot be set", k)
		}
	}
	for _, m := range c.ReadOnly {
		if !filepath.IsAbs(m.Host) || !filepath.IsAbs(m.Inside) || strings.ContainsRune(m.Host+m.Inside, 0) {
			return fmt.Errorf("sandbox: mount %q at %q needs two absolute paths", m.Host, m.Inside)
		}
	}
	return nil
}

// stdio is the child's side of the pipes.
type stdio struct{ in, out, err *os.File }

func (s stdio) close() {
	for _, f := range []*os.File{s.in, s.out, s.err} {
		if f != nil {
			_ = f.Close()
		}
	}
}

func (w *Workspace) start(ctx context.Context, c Command, piped bool) (*Process, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	c, longer, err := w.attended(c)
	if err != nil {
		return nil, err
	}
	p := &Process{lim: c.Limits.over(w.box.limits), attended: c.attendant != "", killed: make(chan struct{}), done: make(chan struct{})}
	p.lim.Wall += longer
	if err := w.enter(p); err != nil {
		return nil, err
	}
	began := w.box.now()
	child, ours, err := p.pipes(c, piped)
	if err != nil {
		w.leave(p)
		return nil, err
	}
	p.run, err = w.box.back.launch(ctx, w, c, p.lim, child)
	child.close()
	if err != nil {
		closeAll(ours[2:]) // the backend's process is dead: the pumps end by themselves
		p.pumps.Wait()
		closeAll(ours)
		w.leave(p)
		if said, _ := p.err.Bytes(); len(said) > 0 {
			err = fmt.Errorf("%w: it said %q", err, strings.TrimSpace(string(said)))
		}
		return nil, err
	}
	go func() {
		p.supervise(ctx)
		p.res.Elapsed = w.box.now().Sub(began)
		w.leave(p) // first: whoever waited may start the next at once
		close(p.done)
	}()
	return p, nil
}

// pipes makes the three pipes and the goroutines that serve ours.
func (p *Process) pipes(c Command, piped bool) (child stdio, ours []*os.File, err error) {
	defer func() {
		if err != nil {
			child.close()
			closeAll(ours)
		}
	}()
	pair := func() (r, w *os.File) {
		if err == nil {
			r, w, err = os.Pipe()
		}
		return r, w
	}
	outR, outW := pair()
	errR, errW := pair()
	child.out, child.err = outW, errW
	ours = append(ours, outR, errR)
	var inW *os.File
	if piped || c.Stdin != nil {
		child.in, inW = pair()
		ours = append(ours, inW)
	} else if err == nil {
		child.in, err = os.Open(os.DevNull)
	}
	if err != nil {
		return child, ours, fmt.Errorf("sandbox: making pipes: %w", err)
	}
	p.err = newCapped(p.lim.OutputBytes)
	p.pump(p.err, errR)
	if piped {
		p.Stdin, p.Stdout = inW, &drained{f: outR}
		return child, ours, nil
	}
	p.out = newCapped(p.lim.OutputBytes)
	p.pump(p.out, outR)
	if c.Stdin != nil {
		go func() { // not waited for: a reader that blocks must not hold the result
			_, _ = io.Copy(inW, c.Stdin)
			_ = inW.Close()
		}()
	}
	return child, ours, nil
}

func (p *Process) pump(to io.Writer, from *os.File) {
	p.pumps.Add(1)
	go func() {
		defer p.pumps.Done()
		_, _ = io.CopyBuffer(onlyWriter{to}, onlyReader{from}, make([]byte, 64*kib))
		_ = from.Close()
	}()
}

type onlyWriter struct{ io.Writer }
type onlyReader struct{ io.Reader }

// drained is a pipe that closes itself at its end.
type drained struct{ f *os.File }

func (d *drained) Read(b []byte) (int, error) {
	n, err := d.f.Read(b)
	if err != nil {
		_ = d.f.Close()
		if errors.Is(err, os.ErrClosed) {
			err = io.EOF
		}
	}
	return n, err
}

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}

// watchEvery is the interval at which limits that the kernel does not hold for
// us are looked at.
const watchEvery = 40 * time.Millisecond

// supervise waits for the end, keeps the limits and fills in the result.
func (p *Process) supervise(ctx context.Context) {
	type end struct {
		code int
		err  error
	}
	ended := make(chan end, 1)
	go func() {
		code, err := p.run.wait()
		ended <- end{code, err}
	}()
	wall := time.NewTimer(p.lim.Wall)
	defer wall.Stop()
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	var e end
	var cause error
	stopped := false
	done, killed := ctx.Done(), p.killed
	for alive := true; alive; {
		select {
		case e = <-ended:
			alive = false
		case <-done:
			cause, stopped, done = context.Cause(ctx), true, nil
			p.run.kill()
		case <-killed:
			stopped, killed = true, nil
			p.run.kill()
		case <-wall.C:
			p.res.TimedOut, stopped = true, true
			p.run.kill()
		case <-tick.C:
			if p.note(p.run.watch(false)) {
				stopped = true
				p.run.kill()
			}
		}
	}
	p.run.kill() // whatever outlived the first process
	p.note(p.run.watch(true))
	p.finish(e.code, stopped)
	p.run.release()
	switch {
	case cause != nil:
		p.fail = cause
	case errors.Is(e.err, errNoStart) && bytes.HasPrefix(p.res.Stderr, []byte("bwrap: execvp ")):
		p.res.ExitCode = 127 // the payload never ran, so these words are bwrap's own
	case e.err != nil && !stopped && !p.res.OutOfMemory:
		p.fail = e.err
	}
}

// note records what a watcher found and tells whether the tree has to die.
func (p *Process) note(b breach) bool {
	p.res.OutOfMemory = p.res.OutOfMemory || b.memory
	p.res.OverQuota = p.res.OverQuota || b.disk
	p.res.OverProcess = p.res.OverProcess || b.processes
	return b.memory || b.disk
}

func (p *Process) finish(code int, stopped bool) {
	p.pumps.Wait()
	var cut bool
	if p.out != nil {
		p.res.Stdout, p.res.Truncated = p.out.Bytes()
	}
	p.res.Stderr, cut = p.err.Bytes()
	p.res.Truncated = p.res.Truncated || cut
	if c, ok := p.Stdin.(io.Closer); ok && c != nil {
		_ = c.Close()
	}
	p.res.ExitCode = code
	if code > 128 && code < 128+65 {
		p.res.Signal = signalName(code - 128)
	}
	switch p.res.Signal {
	case "SIGXCPU":
		p.res.TimedOut = true
	case "SIGXFSZ":
		p.res.OverQuota = true
	}
	if p.attended {
		p.res.Unserved = p.res.lacking()
	}
	if stopped {
		p.res.ExitCode, p.res.Signal = -1, "SIGKILL"
	}
}

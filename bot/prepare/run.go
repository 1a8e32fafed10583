package prepare

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/sandbox/egress"
)

const (
	mib = int64(1) << 20
	gib = int64(1) << 30
)

// limits of one setup command: installing takes more than checking.
func limits(wall time.Duration) sandbox.Limits {
	return sandbox.Limits{Wall: wall, CPU: 30 * time.Minute, MemoryBytes: 4 * gib, DiskBytes: 6 * gib, FileBytes: 2 * gib, Processes: 1024, OutputBytes: 256 << 10}
}

// room for what one setup leaves.
func (p *Preparer) room() sandbox.Room {
	return sandbox.Room{Files: 500_000, Bytes: 6 * gib, Parts: 256}
}

// run runs the commands in a session of their own and collects into h. The
// build cache that they fill goes with that session.
func (p *Preparer) run(ctx context.Context, box *sandbox.Sandbox, req Request, h *held) (Result, error) {
	session := box.Session()
	defer session.Close()
	w, err := session.SetupWorkspace(ctx, req.Dir)
	if err != nil {
		return Result{}, err
	}
	defer w.Close()
	out, err := p.open(ctx, h.dir)
	if err != nil {
		return Result{}, err
	}
	defer out.close()
	begun := p.cfg.Now()
	for _, command := range req.Commands {
		req.say("installing dependencies: " + command)
		got, err := w.Run(ctx, sandbox.Command{
			Argv:   []string{"sh", "-c", "exec 2>&1\n" + command},
			Setup:  &sandbox.Setup{Socket: out.socket, Env: p.cfg.Env},
			Limits: limits(rest(p.cfg.Timeout, p.cfg.Now().Sub(begun))),
		})
		if err != nil {
			return Result{}, err
		}
		if !got.OK() {
			return p.failed(command, got, out.visits()), nil
		}
	}
	req.say("keeping what was installed")
	h.layer, err = w.Collect(ctx, req.Dir, filepath.Join(h.dir, dataName), p.room())
	if errors.Is(err, sandbox.ErrRoom) {
		return Result{State: Failed, Reason: p.cfg.Clean(err.Error()), Visits: out.visits()}, nil
	}
	return Result{State: Done, Visits: out.visits()}, err
}

// failed describes a command that did not succeed.
func (p *Preparer) failed(command string, got sandbox.Result, visits []egress.Visit) Result {
	how := fmt.Sprintf("ended with status %d", got.ExitCode)
	switch {
	case got.TimedOut:
		how = fmt.Sprintf("did not end within its time (%s for all setup commands)", p.cfg.Timeout)
	case got.OutOfMemory:
		how = "ran out of memory"
	case got.OverQuota:
		how = "passed its disk quota"
	}
	res := Result{State: Failed, Visits: visits, Output: p.cfg.Clean(tail(got.Stdout)), Do: "run the command by hand on the default branch"}
	reason := quoted([]string{command}) + " " + how
	if refused := notThrough(visits); len(refused) > 0 {
		reason += "; it asked for hosts that were not let through: " + strings.Join(refused, ", ")
		res.Do = "if these are hosts of your package registry, name them under setup.allow in the operator's file"
	}
	res.Reason = p.cfg.Clean(reason)
	return res
}

func notThrough(visits []egress.Visit) []string {
	var out []string
	for _, v := range visits {
		if !v.Allowed && len(out) < 10 {
			out = append(out, v.Host)
		}
	}
	return out
}

// tail is the end of an output, from the beginning of a line.
func tail(out []byte) string {
	const most = 3000
	s := strings.TrimSpace(strings.ToValidUTF8(string(out), "\uFFFD"))
	if len(s) <= most {
		return s
	}
	s = s[len(s)-most:]
	if i := strings.IndexByte(s, '\n'); i >= 0 && i < most/2 {
		s = s[i+1:]
	}
	return strings.ToValidUTF8(s, "")
}

// outlet is the way out of one setup.
type outlet struct {
	socket string // "" without one
	proxy  *egress.Proxy
	close  func()
}

func (o *outlet) visits() []egress.Visit {
	if o.proxy == nil {
		return nil
	}
	return o.proxy.Visits()
}

// open starts the proxy, when any host is allowed.
func (p *Preparer) open(ctx context.Context, dir string) (*outlet, error) {
	if len(p.cfg.Allow) == 0 {
		return &outlet{close: func() {}}, nil
	}
	o := &outlet{socket: filepath.Join(dir, "proxy")}
	l, err := egress.Listen(o.socket)
	if err != nil {
		return nil, err
	}
	cfg := p.cfg.Egress
	cfg.Allow, cfg.Private, cfg.Log, cfg.Now = p.cfg.Allow, p.cfg.Private, p.cfg.Log, p.cfg.Now
	o.proxy = egress.New(cfg)
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := o.proxy.Serve(ctx, l); err != nil && ctx.Err() == nil {
			p.cfg.Log.WithError(err).Error("the proxy of a setup ended")
		}
	}()
	o.close = func() {
		stop()
		<-ended
		_ = os.Remove(o.socket)
	}
	return o, nil
}

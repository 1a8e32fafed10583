package check

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"strconv"

	"github.com/fettle-dev/fettle/bot/regular"
	"github.com/fettle-dev/fettle/bot/verify/detect"
	"github.com/fettle-dev/fettle/bot/verify/impact"
)

// maxTrace bounds what a recorder may write.
const maxTrace = 256 << 20

// Recorded is what Record made of one test command: a map, or why there is
// none.
type Recorded struct {
	Name   string
	Map    *impact.Map
	Reason string
}

// Record runs the test commands of the plan and records which lines each test
// runs, for later choices (Options.Map). A suite is slower under its recorder,
// by a half to five times. The error is of the sandbox or the context.
func (r *Runner) Record(ctx context.Context, dir string, opt Options) ([]Recorded, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("opening the folder: %w", err)
	}
	defer root.Close()
	tree, err := detect.Scan(regular.FS(root))
	if err != nil {
		return nil, err
	}
	box, err := r.cfg.Sandbox.Workspace(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer box.Close()
	w := &run{Runner: r, opt: opt, tree: tree}
	w.enter(box)
	var out []Recorded
	for i, c := range opt.Plan.Commands {
		if c.Kind != detect.Test {
			continue
		}
		if opt.Progress != nil {
			opt.Progress(c.Name, "recording what each test runs")
		}
		got, err := w.record(ctx, i, c)
		if err != nil {
			return nil, fmt.Errorf("recording %s: %w", c.Name, err)
		}
		out = append(out, got)
	}
	return out, nil
}

func (w *run) record(ctx context.Context, n int, c detect.Command) (Recorded, error) {
	out := Recorded{Name: c.Name}
	missing, err := w.at.Missing(ctx, c)
	if err != nil {
		return out, err
	}
	traced, ok := impact.Trace(c, w.cfg.Timeout)
	switch {
	case missing != nil:
		out.Reason = missing.What() + " is not there"
		return out, nil
	case !ok:
		out.Reason = "the tests of " + c.Tool + " cannot be recorded one by one"
		return out, nil
	}
	traced.Env = maps.Clone(traced.Env)
	for k, v := range traced.Env {
		traced.Env[k] = w.at.Inside(n, v)
	}
	cmd := w.at.Command(n, traced, w.limits())
	cmd.Limits.FileBytes = maxTrace
	res, err := w.box.Run(ctx, cmd)
	if err != nil {
		return out, err
	}
	if res.Unserved != "" {
		out.Reason = res.Unserved
		return out, nil
	}
	data, err := w.box.ReadOut(strconv.Itoa(n)+"-"+impact.TraceFile, maxTrace)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		out.Reason = "its record cannot be read: " + err.Error()
		return out, nil
	}
	if out.Map, err = impact.Record(w.tree, c, data); err != nil {
		out.Reason = fmt.Sprintf("nothing was recorded; the run ended with status %d", res.ExitCode)
	}
	return out, nil
}

package check

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"slices"
	"time"

	"github.com/fettle-dev/fettle/bot/regular"
	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/verify/detect"
	"github.com/fettle-dev/fettle/bot/verify/impact"
	"github.com/fettle-dev/fettle/bot/verify/runner"
)

// run is one pipeline at work.
type run struct {
	*Runner
	opt    Options
	box    *sandbox.Workspace
	tree   *detect.Tree
	at     *runner.Place
	wrong  []wrong // interpreters of another version than is asked for
	result Result
}

// Run checks the folder dir. The error is of the sandbox or the context: a red
// check is a result.
func (r *Runner) Run(ctx context.Context, dir string, opt Options) (Result, error) {
	begun := r.cfg.Now()
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Result{}, fmt.Errorf("opening the folder: %w", err)
	}
	defer root.Close()
	tree, err := detect.Scan(regular.FS(root))
	if err != nil {
		return Result{}, err
	}
	w := &run{Runner: r, opt: opt, tree: tree}
	w.result = Result{Profile: opt.Profile, Notes: slices.Clone(opt.Plan.Notes), Sandbox: r.cfg.Sandbox.Walls().String()}
	if len(opt.Only) == 0 || slices.Contains(opt.Only, "syntax") {
		w.add(w.syntax(ctx))
	}
	if err := w.commands(ctx, dir); err != nil {
		return Result{}, err
	}
	w.result.settle(len(opt.Only) == 0)
	w.result.Seconds = seconds(r.cfg.Now().Sub(begun))
	return w.result, ctx.Err()
}

func seconds(d time.Duration) float64 { return math.Round(d.Seconds()*1000) / 1000 }

func (w *run) add(c Check) {
	if c.Name != "" {
		w.result.Checks = append(w.result.Checks, c)
	}
}

// commands runs the plan's commands on one disposable copy.
func (w *run) commands(ctx context.Context, dir string) error {
	if len(w.opt.Plan.Commands) == 0 {
		return nil
	}
	if err := w.warm(ctx); err != nil {
		return err
	}
	box, err := w.cfg.Sandbox.Workspace(ctx, dir)
	if err != nil {
		return err
	}
	defer box.Close()
	if err := writeOver(box, w.opt.Files); err != nil {
		return err
	}
	w.enter(box)
	if err := w.versions(ctx); err != nil {
		return err
	}
	for i, c := range w.opt.Plan.Commands {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if len(w.opt.Only) > 0 && !slices.Contains(w.opt.Only, c.Name) && !slices.Contains(w.opt.Only, string(c.Kind)) && !slices.Contains(w.opt.Only, c.Tool) {
			continue
		}
		if red := w.redBefore(c.Kind); red != "" {
			w.add(Check{Name: c.Name, Kind: string(c.Kind), Status: Skipped, Required: c.Required, Command: c.Typed, Dir: c.Dir, Detail: red + " is red; --full runs this too"})
			continue
		}
		if w.opt.Progress != nil {
			w.opt.Progress(c.Name, c.Typed)
		}
		got, err := w.command(ctx, i, c)
		if err != nil {
			return fmt.Errorf("running %s: %w", c.Name, err)
		}
		w.add(got)
		w.cfg.Log.WithField("check", c.Name).WithField("status", got.Status).WithField("seconds", got.Seconds).Debug("check ended")
	}
	return nil
}

// warm has Go's standard library compiled once for all checks of this machine. Without
// it each check of a Go program compiles it three times over: build, vet, test.
func (w *run) warm(ctx context.Context) error {
	if !slices.ContainsFunc(w.opt.Plan.Commands, func(c detect.Command) bool { return len(c.Argv) > 0 && c.Argv[0] == "go" }) {
		return nil
	}
	if w.opt.Progress != nil {
		slow := time.AfterFunc(2*time.Second, func() { w.opt.Progress("go", "compiling the standard library, once for this machine") })
		defer slow.Stop()
	}
	if err := w.cfg.Sandbox.Warm(ctx); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		w.cfg.Log.WithError(err).Warn("the build cache was not warmed")
	}
	return nil
}

// enter takes a copy for all that is run from now on.
func (w *run) enter(box *sandbox.Workspace) {
	w.box, w.at = box, &runner.Place{Box: box, Root: "/work", Out: "/out", Find: w.tree.Find}
	if w.cfg.Sandbox.Walls().Backend == sandbox.None {
		w.at.Root, w.at.Out = box.Path(), box.OutDir()
	}
}

// writeOver writes files over the copy.
func writeOver(box *sandbox.Workspace, files map[string][]byte) error {
	for _, p := range slices.Sorted(maps.Keys(files)) {
		var err error
		if data := files[p]; data != nil {
			err = box.WriteFile(p, data)
		} else if err = box.Remove(p); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		if err != nil {
			return fmt.Errorf("laying out %s: %w", p, err)
		}
	}
	return nil
}

// redBefore names a check of an earlier level that is red, for the fast profile.
func (w *run) redBefore(kind detect.Kind) string {
	if w.opt.Profile != Fast {
		return ""
	}
	for _, c := range w.result.Checks {
		if c.Status == Failed && c.Required && detect.Kind(c.Kind).Order() < kind.Order() {
			return c.Name
		}
	}
	return ""
}

// command runs one command and reads what it printed.
func (w *run) command(ctx context.Context, n int, c detect.Command) (Check, error) {
	out := Check{Name: c.Name, Kind: string(c.Kind), Required: c.Required, Declared: c.Declared, Command: c.Typed, Dir: c.Dir, Why: c.Why}
	if c.Kind == detect.Test {
		var raise string
		if out.Evidence, raise = runner.Evidence(c.Tool); raise != "" {
			w.result.Notes = append(w.result.Notes, c.Name+": "+raise)
		}
	}
	missing, err := w.at.Missing(ctx, c)
	if limit := new(runner.Halted); errors.As(err, &limit) {
		out.Status, out.Detail, out.Do = NotRun, limit.Why, limit.Do
		return out, nil
	}
	if err != nil {
		return out, err
	}
	if missing != nil {
		out.Status, out.Detail, out.Do = NotRun, missing.What()+" is not there", missing.Install
		return out, nil
	}
	whole := ""
	if w.opt.Profile == Fast && c.Kind == detect.Test && len(w.opt.Changed) > 0 {
		sel := w.choose(c)
		if sel.None {
			out.Status, out.Detail = Skipped, sel.Why
			return out, nil
		}
		out.Selected, out.Left, whole = sel.Picks, sel.Left, sel.Why
		c = sel.Narrow(c)
	}
	begun := w.cfg.Now()
	res, err := w.box.Run(ctx, w.at.Command(n, c, w.limits()))
	if err != nil {
		return out, err
	}
	out.Seconds = seconds(w.cfg.Now().Sub(begun))
	if res.Unserved != "" {
		out.Status, out.Detail = NotRun, res.Unserved
		return out, nil
	}
	w.judge(&out, c, res, w.at.Read(n, c, res))
	if whole != "" {
		out.Detail += "; all tests: " + whole
	}
	if out.Left > 0 {
		out.Detail += fmt.Sprintf("; %d more tests run what changed, --full runs them", out.Left)
	}
	return out, nil
}

func (w *run) limits() sandbox.Limits { return sandbox.Limits{Wall: w.cfg.Timeout} }

// fastShare is how much of a suite's time the chosen tests may take, where an
// earlier run says how long each takes (SPEC C4; measured by eval/targets).
const fastShare = 0.25

// choose picks the tests that the changed files call for.
func (w *run) choose(c detect.Command) impact.Selection {
	ch := impact.Change{Files: w.opt.Changed, Commits: w.opt.Commits, Budget: fastShare}
	if w.opt.Map != nil {
		ch.Map = w.opt.Map(c)
	}
	return impact.Select(w.tree, c, ch)
}

// Package loop is one run: it takes a task and a checkout, climbs the ladder
// from free to strong, and ends with an outcome that evidence supports.
//
//	triage ─ baseline ─ localise ─► for each tier, cheapest first:
//	              ▲                    develop → apply → verify → judge
//	              │                       ▲                        │
//	    saved state (resume)              └──── retry, escalate ───┤
//	                                                               ▼
//	                     result: success, or why not, with the best attempt
//
// Everything that it does is written to a Journal before it counts: the state
// after every attempt, every message to and from a model, every decision, and
// money before it is spent. It never touches GitHub, SQL or the wall clock:
// doors, rows and time are given to it.
package loop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/mend"
	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/characterise"
	"github.com/fettle-dev/fettle/bot/verify/check"
	"github.com/fettle-dev/fettle/bot/verify/example"
)

// Journal is where a run is written down. A failed write ends the run, so that
// nothing happens that nobody can read afterwards.
type Journal interface {
	Save(ctx context.Context, s task.RunState) error
	Progress(ctx context.Context, p task.Progress) error
	Record(ctx context.Context, m task.Message) error
	Decide(ctx context.Context, d task.Decision) error
	// Reserve sets money aside before a call. The stored reservation comes
	// back with its reply when the call was already made.
	Reserve(ctx context.Context, r task.Reservation) (task.Reservation, error)
	Settle(ctx context.Context, id string, actual task.USD, reply json.RawMessage) error
	// Spent is what settled calls cost plus what open reservations may cost.
	Spent(ctx context.Context) (task.USD, map[task.Tier]task.USD, error)
}

// Config is what every run shares.
type Config struct {
	Verifier  *verify.Verifier
	Mender    *mend.Mender
	Developer *agent.Developer
	Models    *model.Client
	Checker   *check.Runner // runs what the repository's own file names; nil: nothing does
	// Characteriser writes tests that pin what a change does; nil: none are.
	Characteriser *characterise.Characteriser
	Sandbox       string // the walls, for the report
	Now           func() time.Time
	Log           logrus.FieldLogger
	// Point is called at named places, for tests that end the process there.
	Point func(name string)
}

// Input is one run.
type Input struct {
	RunID  string
	Task   task.Task
	Budget task.Budget
	Guard  patch.Guard
	// RepoScope are the repository's own globs of what may change; they hold on
	// top of the Guard's.
	RepoScope []string
	// NeverSend are globs of paths that no model may see (SPEC X6).
	NeverSend []string
	Checks    []settings.Check // named by the repository's own file
	// OpenPoints make a green change a draft, whatever else holds.
	OpenPoints []string
	Tree       *checkout.Tree
	State      task.RunState // empty, or what an earlier process saved
	Journal    Journal
}

// Stop is the cause of a context's end that decides the run's outcome, such as
// a human's cancel. Any other end of the context leaves the run unfinished, to
// be taken up again from its saved state.
type Stop struct {
	Outcome task.Outcome
	Reason  string
}

func (s *Stop) Error() string { return fmt.Sprintf("%s: %s", s.Outcome, s.Reason) }

// ErrLost is what a Journal answers to Reserve for a call that was in flight at
// two crashes: it is not made a third time, and its attempt ends without it.
var ErrLost = errors.New("the call was in flight when the process died, twice")

// Loop runs tasks.
type Loop struct{ cfg Config }

// New returns a loop.
func New(cfg Config) *Loop {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Point == nil {
		cfg.Point = func(string) {}
	}
	return &Loop{cfg: cfg}
}

// run is the state of one run while it runs.
type run struct {
	Config
	in       Input
	state    task.RunState
	saved    task.RunState // as the journal has it
	begun    time.Time     // in this process
	deadline time.Time
	baseline verify.Baseline
	suspects []mend.Suspect
	example  *example.Found // nil: the repository's own tests show the fault, or none does
	sources  *sources
	log      logrus.FieldLogger
}

// Run works on the task until an outcome stands. The error is only for what
// keeps the run from having an outcome: a journal that cannot be written, a
// sandbox that broke, a context that ended without a Stop.
func (l *Loop) Run(ctx context.Context, in Input) (task.Result, error) {
	in.Budget = withDefaults(in.Budget)
	r := &run{Config: l.cfg, in: in, state: in.State, saved: in.State, begun: l.cfg.Now(), sources: newSources(in.Tree.BaseFS())}
	r.log = l.cfg.Log.WithField("run", in.RunID)
	r.state.Version, r.state.BaseCommit = 1, in.Tree.BaseCommit()
	r.deadline = r.begun.Add(in.Budget.Duration - in.State.Worked)
	// The limit of time is measured on the clock given to us; the context's
	// own timer only makes sure that a call in flight ends too.
	limited, cancel := context.WithTimeoutCause(ctx, r.deadline.Sub(r.Now()),
		&Stop{task.Timeout, fmt.Sprintf("the limit of %s for a run was reached", in.Budget.Duration)})
	defer cancel()

	err := r.decide(limited)
	if err != nil {
		stop := stopOf(limited, err)
		if stop == nil {
			r.saveTime(ctx)
			return task.Result{}, err
		}
		r.end(stop.Outcome, stop.Reason)
	}
	// What follows only writes down what was decided; it must not be cut
	// short by the end of the context that decided it.
	closing, done := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer done()
	r.state.Worked = r.worked()
	if err := r.in.Journal.Save(closing, r.state); err != nil {
		return task.Result{}, fmt.Errorf("saving the run's outcome: %w", err)
	}
	return r.result(closing)
}

// stopOf finds what decides the outcome in an error or in the cause of the
// context's end; nil when neither does.
func stopOf(ctx context.Context, err error) *Stop {
	var stop *Stop
	if errors.As(err, &stop) || ctx.Err() != nil && errors.As(context.Cause(ctx), &stop) {
		return stop
	}
	return nil
}

// decide goes through the phases until the state holds an outcome.
func (r *run) decide(ctx context.Context) error {
	if r.state.Outcome != "" {
		return nil
	}
	if reason := triage(r.in.Task); reason != "" {
		return &Stop{task.Rejected, reason}
	}
	if err := r.measure(ctx); err != nil {
		return err
	}
	if err := r.exemplify(ctx); err != nil {
		return err
	}
	if err := r.withExample(ctx, func() error { return r.locate(ctx) }); err != nil {
		return err
	}
	return r.climb(ctx)
}

// measure runs the checks on the untouched tree.
func (r *run) measure(ctx context.Context) error {
	if len(r.state.Baseline) > 0 {
		return json.Unmarshal(r.state.Baseline, &r.baseline)
	}
	if err := r.progress(ctx, "baseline", "", "running the tests as they are"); err != nil {
		return err
	}
	suites, err := r.Verifier.Detect(r.in.Tree.BaseFS())
	if err != nil {
		return notCheckable(err)
	}
	r.baseline, err = r.Verifier.Measure(ctx, r.in.Tree.Dir(), suites)
	if err != nil {
		return ended(ctx, fmt.Errorf("running the tests on the base: %w", err))
	}
	rep := r.baseline.Report
	if len(rep.Tests) == 0 {
		return &Stop{task.Rejected, "no test could be run: " + whyNoTest(rep) + ". Make the tests run on the default branch first"}
	}
	return r.note(ctx, "baseline", fmt.Sprintf("%d green, %d red", len(rep.Green()), len(rep.Red())), map[string]any{"red": rep.Red()})
}

// locate ranks the places that may hold the fault.
func (r *run) locate(ctx context.Context) error {
	if len(r.state.Suspects) > 0 {
		return json.Unmarshal(r.state.Suspects, &r.suspects)
	}
	if err := r.progress(ctx, "localise", "", "finding the code that matters"); err != nil {
		return err
	}
	if err := r.localise(ctx); err != nil {
		return err
	}
	var err error
	if r.state.Suspects, err = json.Marshal(r.suspects); err != nil {
		return fmt.Errorf("writing down the suspicious places: %w", err)
	}
	if err := r.note(ctx, "localised", fmt.Sprintf("%d suspicious places", len(r.suspects)), map[string]any{"top": first(r.suspects, 5), "flaky": r.baseline.Flaky}); err != nil {
		return err
	}
	return r.save(ctx, "localised")
}

// localise also completes the baseline, when that is new: the red tests are run
// once more, to see flakes, while the first localisation takes all of them for
// true. Both mostly wait for a test runner to start.
func (r *run) localise(ctx context.Context) error {
	var flaky []string
	var failed error
	var took time.Duration
	var wg sync.WaitGroup
	fresh := len(r.state.Baseline) == 0
	if fresh {
		wg.Go(func() {
			begun := r.Now()
			flaky, failed = r.Verifier.Flakes(ctx, r.in.Tree.Dir(), r.baseline)
			took = r.Now().Sub(begun)
		})
	}
	var err error
	r.suspects, err = r.Mender.Localise(ctx, r.mendRequest(ctx))
	wg.Wait()
	switch {
	case failed != nil:
		return ended(ctx, fmt.Errorf("running the tests on the base: %w", failed))
	case err != nil:
		return ended(ctx, fmt.Errorf("localising the fault: %w", err))
	case !fresh:
		return nil
	}
	r.baseline.Flaky = flaky
	if err := r.note(ctx, "baseline.repeated", fmt.Sprintf("%d flaky", len(flaky)), map[string]any{"seconds": took.Seconds()}); err != nil {
		return err
	}
	if r.state.Baseline, err = json.Marshal(r.baseline); err != nil {
		return fmt.Errorf("writing down the baseline: %w", err)
	}
	if err := r.save(ctx, "baseline"); err != nil || len(flaky) == 0 {
		return err
	}
	if r.suspects, err = r.Mender.Localise(ctx, r.mendRequest(ctx)); err != nil {
		return ended(ctx, fmt.Errorf("localising the fault: %w", err))
	}
	return nil
}

func (r *run) mendRequest(ctx context.Context) mend.Request {
	files := r.in.Tree.Files()
	if r.example != nil {
		files = append(slices.Clone(files), r.example.Path)
	}
	return mend.Request{
		Dir: r.in.Tree.Dir(), Base: r.baseFS(), Files: files, Task: r.in.Task, Baseline: r.baseline, Begun: r.begun,
		Protected: r.forbidden,
		Progress: func(note string) {
			if err := r.progress(ctx, "repair", task.TierMechanical, note); err != nil {
				r.log.WithError(err).Warn("progress was not stored")
			}
		},
	}
}

// forbidden tells whether a file may not be changed, whoever asks.
func (r *run) forbidden(path string) bool {
	scope, own := r.in.Guard.Scope, r.in.RepoScope
	return r.in.Guard.IsProtected(path) || len(scope) > 0 && !patch.Match(scope, path) || len(own) > 0 && !patch.Match(own, path)
}

// red lists the tests that fail on the base and are not flaky.
func (r *run) red() []string {
	flaky := map[string]bool{}
	for _, id := range r.baseline.Flaky {
		flaky[id] = true
	}
	var out []string
	for _, id := range r.baseline.Report.Red() {
		if !flaky[id] {
			out = append(out, id)
		}
	}
	return out
}

func withDefaults(b task.Budget) task.Budget {
	d := task.DefaultBudget()
	if b.USD == 0 {
		b.USD = d.USD
	}
	if b.Duration == 0 {
		b.Duration = d.Duration
	}
	if b.AttemptsPerTier == 0 {
		b.AttemptsPerTier = d.AttemptsPerTier
	}
	if b.Attempts == 0 {
		b.Attempts = d.Attempts
	}
	if b.MaxTier == "" {
		b.MaxTier = d.MaxTier
	}
	return b
}

// ended gives the cause of a context that is over, else the error itself.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

func first[T any](s []T, n int) []T {
	if len(s) > n {
		return s[:n]
	}
	return s
}

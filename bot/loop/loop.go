// Package loop is one run: it takes a task and a checkout, climbs the ladder
// from free to strong, step by step of a plan, and ends with an outcome that
// evidence supports.
//
//	triage ─ baseline ─ reproduce ─ localise ─ plan ─► for each step, from a tier chosen by history:
//	              ▲                              ▲        develop → apply → verify → review → judge
//	              │                              │           ▲                                  │
//	    saved state (resume)                     └─ replan ──┼── retry, escalate, loop found ───┤
//	                                                         │                                  ▼
//	                                  a human's answer ──────┴──────── gate ◄──────────────── accept
//	                                                                                            │
//	                                      result: success, or why not, with the best attempt ◄──┘
//
// Everything that it does is written to a Journal before it counts: the state
// after every attempt, every message to and from a model, every decision,
// money before it is spent, and whatever came to it from outside. What comes
// from outside comes through the recorder (recorder.go), so that a run can be replayed
// from its record and decides the same. It never touches GitHub, SQL or the
// wall clock: doors, rows and time are given to it.
package loop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/delegate"
	"github.com/fettle-dev/fettle/bot/loop/estimate"
	"github.com/fettle-dev/fettle/bot/memory"
	"github.com/fettle-dev/fettle/bot/memory/pattern"
	"github.com/fettle-dev/fettle/bot/mend"
	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/prepare"
	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/belong"
	"github.com/fettle-dev/fettle/bot/verify/check"
	"github.com/fettle-dev/fettle/bot/verify/smoke"
	"github.com/fettle-dev/fettle/bot/verify/testgen/characterise"
	"github.com/fettle-dev/fettle/bot/verify/testgen/example"
)

// Journal is where a run is written down. A failed write ends the run, so that
// nothing happens that nobody can read afterwards.
type Journal interface {
	Save(ctx context.Context, s task.RunState) error
	Progress(ctx context.Context, p task.Progress) error
	Record(ctx context.Context, m task.Message) error
	Decide(ctx context.Context, d task.Decision) error
	// Effect appends to what came from outside, and says at which position.
	Effect(ctx context.Context, e task.Effect) (seq int, err error)
	// Reserve sets money aside before a call. The stored reservation comes
	// back with its reply when the call was already made. A *Stop refuses
	// what does not fit the budget.
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
	Planner   *agent.Planner  // nil: plans are made without a model
	Tester    *agent.Tester   // nil: the checks alone decide
	Reviewer  *agent.Reviewer // nil: the checks alone decide
	Triager   *agent.Triager  // nil: the rules alone decide
	// Reproducer writes a test that shows the fault before any fix; nil: nobody does.
	Reproducer *agent.Reproducer
	Models     *model.Client
	Agents     map[task.Tier]*delegate.Agent // commands that write the changes of a tier in the developer's place
	Checker    *check.Runner                 // runs what the repository's own file names; nil: nothing does
	Smoke      *smoke.Runner                 // asks a repository's service; nil: nothing does
	// Characteriser writes tests that pin what a change does; nil: none are.
	Characteriser *characterise.Characteriser
	// Memory opens the index of a repository; nil: a run has one of its own, which
	// ends with it. The run closes it.
	Memory     func(ctx context.Context, repo task.Repo) (*memory.Index, error)
	Setup      *prepare.Session // installs dependencies; nil: nothing does
	Box        *sandbox.Sandbox // runs what a model tries; nil: nothing does
	MaxMutants int              // planted faults that a new test is asked about; zero: the gate's default
	Sandbox    string           // the walls, for the report
	Now        func() time.Time
	Log        logrus.FieldLogger
	// Point is called at named places, for tests that end the process there.
	Point func(name string)

	double effects // stands in for the tree and the checks, in tests
}

// Input is one run.
type Input struct {
	RunID  string
	Task   task.Task
	Budget task.Budget
	Guard  patch.Guard
	Gates  task.Gates
	// RepoScope are the repository's own globs of what may change; they hold on
	// top of the Guard's.
	RepoScope []string
	// NeverSend are globs of paths that no model may see (SPEC X6).
	NeverSend []string
	Checks    []settings.Check // named by the repository's own file
	Setup     []string         // commands of that file that install dependencies
	Needs     settings.Needs   // what its tests need beside its files
	Smoke     *settings.Smoke  // what its service has to answer; nil: it names nothing
	// DefaultBranch says that the tree is a commit of the default branch, so that
	// what its setup installs may be kept for later runs.
	DefaultBranch bool
	// OpenPoints make a green change a draft, whatever else holds.
	OpenPoints []string
	// Answers are what humans said at the run's gates, in order.
	Answers []task.Answer
	// History chooses the first tier that has a model; nil: the cheapest.
	History *estimate.History
	// Recall gives what earlier runs on the repository taught; nil: it is not asked.
	Recall  func(context.Context, pattern.Query) (task.Recalled, error)
	Tree    *checkout.Tree
	State   task.RunState // empty, or what an earlier process saved
	Health  Health        // nil: nobody is asked
	Journal Journal
}

// Stop is the cause of a context's end that decides the run's outcome, such as
// a human's cancel. Any other end of the context leaves the run unfinished, to
// be taken up again from its saved state.
type Stop struct {
	Outcome task.Outcome `json:"outcome"`
	Reason  string       `json:"reason"`
}

func (s *Stop) Error() string { return fmt.Sprintf("%s: %s", s.Outcome, s.Reason) }

// Waiting is a run that cannot go on before a human has answered. Its state is
// saved; started again with the answer in Input.Answers, it goes on there.
type Waiting struct{ Gate task.Gate }

func (w *Waiting) Error() string { return "waiting for a human: " + w.Gate.Words }

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
	recorded
	in        Input
	rungs     map[task.Tier]rung // that have a model
	money     money
	state     task.RunState
	saved     task.RunState // as the journal has it
	begun     time.Time     // in this process
	deadline  time.Time
	baseline  verify.Baseline
	suspects  []mend.Suspect
	tooSmall  []string // tiers that are not asked, for the size of their windows
	facts     facts    // what was seen while the failing tests ran
	localised float64  // seconds that it took to find them; 0 where another process did
	installed prepare.Result
	claims    belong.Sorted     // which red tests of the base are the issue's
	example   *example.Found    // nil: the repository's own tests show the fault, or none does
	holding   []example.Example // of the issue, which hold on the base, where none fails there
	smoked    *smoked           // what the service of the base answered; nil: not asked yet
	plan      agent.Plan
	pins      bool // tests are written that pin what a change does
	care      task.Care
	log       logrus.FieldLogger
}

// Run works on the task until an outcome stands. The error is a *Waiting, or
// for what keeps the run from having an outcome: a journal that cannot be
// written, a sandbox that broke, a context that ended without a Stop.
func (l *Loop) Run(ctx context.Context, in Input) (task.Result, error) {
	in.Budget = withDefaults(in.Budget)
	t := &recorder{run: in.RunID, journal: in.Journal, clock: l.cfg.Now}
	r := &run{Config: l.cfg, recorded: recorded{recorder: t, effects: l.cfg.double}, in: in}
	if r.effects == nil {
		h := newReal(l.cfg, in)
		defer h.close()
		r.effects = h
	}
	return r.run(ctx)
}

func (r *run) run(ctx context.Context) (task.Result, error) {
	if err := r.begin(ctx); err != nil {
		return task.Result{}, err
	}
	for _, why := range r.tooSmall {
		if err := errors.Join(r.note(ctx, "tier.skipped", why, nil), r.progress(ctx, "begin", "", why+": it is not asked. Raise context_tokens, or name another model")); err != nil {
			return task.Result{}, err
		}
	}
	// The limit of time is measured on the run's own time; the context's timer
	// only makes sure that a call in flight ends too.
	limited, cancel := ctx, func() {}
	if !r.recorder.replays {
		limited, cancel = context.WithTimeoutCause(ctx, r.deadline.Sub(r.now()), r.late())
	}
	defer cancel()
	if err := r.decide(limited); err != nil {
		var stop *Stop
		if !errors.As(err, &stop) {
			r.saveTime(ctx)
			return task.Result{}, err
		}
		r.end(stop.Outcome, stop.Reason)
	}
	// What follows only writes down what was decided; it must not be cut
	// short by the end of the context that decided it.
	closing, done := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer done()
	if err := r.note(closing, "ended", r.state.Reason, map[string]any{"outcome": r.state.Outcome}); err != nil {
		return task.Result{}, err
	}
	r.state.Worked = r.worked()
	if err := r.in.Journal.Save(closing, r.state); err != nil {
		return task.Result{}, fmt.Errorf("saving the run's outcome: %w", err)
	}
	return r.result(closing)
}

// decide goes through the phases until the state holds an outcome.
func (r *run) decide(ctx context.Context) error {
	if r.state.Outcome != "" {
		return r.remember()
	}
	for _, phase := range []struct {
		name string
		do   func(context.Context) error
	}{{"triage", r.triaged}, {"setup", r.setup}, {"baseline", r.measured}, {"claim", r.claim}, {"example", r.exemplify}, {"reproduce", r.writeReproduction}, {"testable", r.testable}, {"localise", r.locate}, {"recall", r.recall}, {"observe", r.observed}, {"work", r.climb}} {
		if err := r.alive(ctx); err != nil {
			return err
		}
		if err := r.heed(ctx, phase.name); err != nil {
			return err
		}
		if err := phase.do(ctx); err != nil {
			return err
		}
	}
	return nil
}

// remember takes up again what was learned of the base, for a run whose outcome
// stands: its result says the same as in the process that decided it.
func (r *run) remember() error {
	var err error
	if len(r.state.Baseline) > 0 {
		err = json.Unmarshal(r.state.Baseline, &r.baseline)
	}
	err = errors.Join(err, r.claimed(), r.heldBefore())
	if len(r.state.Suspects) > 0 {
		err = errors.Join(err, json.Unmarshal(r.state.Suspects, &r.suspects))
	}
	if err != nil {
		return fmt.Errorf("reading what was saved of the base: %w", err)
	}
	return nil
}

// alive: a cancel is honoured between any two things that a run does.
func (r *run) alive(ctx context.Context) error { return r.recorder.alive(ctx) }

func (r *run) late() *Stop {
	return &Stop{task.Timeout, fmt.Sprintf("the limit of %s for a run was reached", r.in.Budget.Duration)}
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
	if b.Replans == 0 {
		b.Replans = task.DefaultReplans
	}
	if b.Steps == 0 {
		b.Steps = task.DefaultSteps
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

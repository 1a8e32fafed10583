package bot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/forge"
	"github.com/fettle-dev/fettle/bot/heal"
	"github.com/fettle-dev/fettle/bot/loop"
	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/prepare"
	"github.com/fettle-dev/fettle/bot/regular"
	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// Defaults of the service.
const (
	heartbeatEvery = time.Second      // also how fast a cancel reaches a run
	retryAfter     = 30 * time.Second // of a run whose surroundings failed
	openLimit      = 30 * time.Minute // of a run that has no limit of its own, to get its source
	publishLimit   = 25 * time.Second // below the half minute in which a server drains; what is not out by then goes on later
	maxRetries     = 3                // then the run ends with the outcome error
	maxCrashes     = 30               // of a run's holders: it may be what kills them
)

// Config is what the service is made of.
type Config struct {
	Store *store.Store
	// Engine makes the loop for one run: its own sandbox, and what stands on
	// it. The function it returns gives everything back.
	Engine func(ctx context.Context, runID string) (*loop.Loop, func() error, error)
	Now    func() time.Time
	Log    logrus.FieldLogger
	Heal   *heal.Heal // nil: no breakers; runs on a folder have none in any case
	Meter  Meter      // nil: nobody counts
	// Point is called at named places, for tests that end the process there.
	Point func(name string)
}

// Bot runs tasks. Every door goes through Run.
type Bot struct{ cfg Config }

// New returns the service.
func New(cfg Config) *Bot {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Point == nil {
		cfg.Point = func(string) {}
	}
	return &Bot{cfg: cfg}
}

// Publisher takes the result of a run to where the task came from.
type Publisher interface {
	// Start tells whoever asked that the run has begun.
	Start(ctx context.Context, r task.Run) error
	// Progress shows how far it is. An error does not end the run.
	Progress(ctx context.Context, p task.Progress) error
	// Publish hands the result over. It is called again after a crash and
	// must find what it already did.
	Publish(ctx context.Context, r task.Result) (task.Publication, error)
	// Ask puts the question that the run waits with to whoever can answer it.
	// It is called again after a crash and must find what it already did.
	Ask(ctx context.Context, g task.Gate) error
}

// Job is where a run takes its source from and gives its result to.
type Job struct {
	Open      func(ctx context.Context) (*checkout.Tree, error)
	Publisher Publisher
	// Linked is the number of an open pull request for the task, or 0; nil: there
	// is nowhere to look.
	Linked func(ctx context.Context) (int, error)
	// Before opens an older commit of the repository; nil: nothing of it is there.
	Before func(ctx context.Context, commit string) (*checkout.Tree, error)
	// Base is the branch that Open has chosen, and what the file of the default branch
	// says where that is another; nil: the task's.
	Base  func() (branch string, upper *settings.Repo)
	Guard patch.Guard
	Gates task.Gates
	// NeverSend are patterns of paths that no model may see, beside the repository's.
	NeverSend []string
}

// Run works on a claimed run until it is done, parked or given back. The
// result is zero unless the run is done. A run whose lease is lost stops at
// once and changes nothing any more.
func (b *Bot) Run(ctx context.Context, lease *store.Lease, r task.Run, job Job) (task.Result, task.Publication, error) {
	log := b.cfg.Log.WithField("run", r.ID)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	// The lease is kept alive until Run returns, also while the result of a
	// cancelled run is being published.
	alive, rest := context.WithCancel(context.WithoutCancel(ctx))
	var beating sync.WaitGroup
	beating.Go(func() { b.beat(alive, cancel, lease, log) })
	if p, ok := job.Publisher.(latecomer); ok {
		beating.Go(func() { showLate(alive, p, log) })
	}
	defer beating.Wait()
	defer rest()

	if lease.Crashes > maxCrashes {
		cause := fmt.Errorf("the process died %d times while it worked on this run; look at the server's memory and log before you ask again", lease.Crashes)
		return task.Result{}, task.Publication{}, b.fail(ctx, lease, r, job, cause)
	}
	res, pub, err := b.work(ctx, lease, r, job, log)
	if err == nil {
		return res, pub, nil
	}
	return task.Result{}, task.Publication{}, b.giveBack(ctx, lease, r, job, err)
}

func (b *Bot) work(ctx context.Context, lease *store.Lease, r task.Run, job Job, log logrus.FieldLogger) (task.Result, task.Publication, error) {
	journal := &journal{store: b.cfg.Store, lease: lease, publisher: job.Publisher, log: log, meter: b.cfg.Meter, tried: len(r.Saved.Attempts)}
	var none task.Publication
	var res task.Result
	var held *loop.Waiting
	var base fs.FS // of a run that was worked on
	switch {
	case r.CancelAsked && r.Saved.Published > 0:
		res = b.left(ctx, r)
	case r.CancelAsked:
		res = b.without(ctx, r, task.Cancelled, r.CancelReason, askAgain)
	default:
		if stop, err := b.mayBegin(ctx, r); err != nil {
			return res, none, err
		} else if stop != nil {
			res = b.without(ctx, r, stop.Outcome, stop.Reason, afterRelease)
			break
		}
		if err := job.Publisher.Start(ctx, r); err != nil {
			return res, none, fmt.Errorf("announcing the run: %w", err)
		}
		other, err := b.linked(ctx, r, job)
		if err != nil {
			return res, none, err
		}
		if other > 0 {
			res = b.without(ctx, r, task.Rejected, fmt.Sprintf("pull request #%d (%s/pull/%d) is open for this issue already", other, r.Task.Repo.HTMLURL, other), fmt.Sprintf("Review #%d; close it and ask again where another change is wanted.", other))
			break
		}
		tree, err := b.open(ctx, r, job, journal)
		if err != nil {
			return res, none, err
		}
		if err := b.step(ctx, r, "checkout", "", ""); err != nil {
			return res, none, errors.Join(err, tree.Close())
		}
		// It stays until the result is out: a publisher may read the base.
		defer func() {
			if err := tree.Close(); err != nil {
				log.WithError(err).Warn("the checkout was not removed; the next start does it")
			}
		}()
		b.based(&r, &job, tree)
		base = tree.BaseFS()
		if err := b.settleFolder(ctx, r.Task.Repo, tree); err != nil {
			return res, none, err
		}
		var way task.Gates
		if f := r.Task.Follow; f != nil {
			res, err = b.followUp(ctx, r, job, journal, tree)
		} else {
			res, way, err = b.loop(ctx, r, job, journal, tree)
		}
		if err != nil {
			return res, none, err
		}
		if res, err = b.mayPublish(ctx, r, res); err != nil {
			return res, none, err
		}
		if res, held, err = b.held(ctx, r, way.Outsider, res); err != nil {
			return res, none, err
		}
		if held != nil && !res.SkipCI {
			return res, none, held
		}
	}
	// A decided result is published even when the cancel that decided it has
	// ended the context; losing the lease still stops it.
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), publishLimit)
	defer done()
	if err := b.cfg.Store.Check(ctx, lease); err != nil {
		return res, none, err
	}
	if err := journal.Progress(ctx, task.Progress{RunID: r.ID, Phase: "publish", Tier: res.Tier, Attempt: len(res.Attempts), Cost: res.Cost, Budget: r.Budget.USD, Elapsed: res.Elapsed}); err != nil {
		return res, none, err
	}
	pub, err := job.Publisher.Publish(ctx, res)
	if err != nil {
		return res, none, fmt.Errorf("publishing the result: %w", err)
	}
	res.Published = pub
	b.cfg.Point("published")
	if held != nil {
		if err := b.stands(ctx, journal, pub); err != nil {
			return res, none, err
		}
		return res, none, held
	}
	ended, err := b.cfg.Store.Run(ctx, r.ID)
	if err != nil {
		return res, none, err
	}
	if err := b.runEnded(ctx, lease, r, ended.Saved.Recalled, res); err != nil {
		return res, none, err
	}
	if err := b.remember(ctx, r, ended.Saved.Recalled, res, base); err != nil {
		return res, none, fmt.Errorf("writing down what the run tried: %w", err)
	}
	if err := b.cfg.Store.Finish(ctx, lease, res, res.Reason); err != nil {
		return res, none, fmt.Errorf("writing down the end of the run: %w", err)
	}
	if b.cfg.Meter != nil {
		b.cfg.Meter.Ended(res)
	}
	log.WithFields(logrus.Fields{"outcome": res.Outcome, "tier": res.Tier, "cost_usd": res.Cost.Float(), "attempts": len(res.Attempts)}).Info("run done")
	return res, pub, nil
}

// linked is the pull request that makes a run a duplicate (SPEC S2, S4), or 0.
// Only a run that did nothing yet looks for one: later it may be its own.
func (b *Bot) linked(ctx context.Context, r task.Run, job Job) (int, error) {
	if job.Linked == nil || r.Saved.Phase != "" || r.Saved.Published > 0 || len(r.Saved.Attempts) > 0 {
		return 0, nil
	}
	n, err := job.Linked(ctx)
	if err != nil {
		return 0, fmt.Errorf("looking for a pull request for this issue: %w", err)
	}
	return n, nil
}

func (b *Bot) open(ctx context.Context, r task.Run, job Job, journal *journal) (*checkout.Tree, error) {
	if err := journal.Progress(ctx, task.Progress{RunID: r.ID, Phase: "checkout", Budget: r.Budget.USD}); err != nil {
		return nil, err
	}
	limit := r.Budget.Duration
	if limit <= 0 {
		limit = openLimit
	}
	ctx, done := context.WithTimeoutCause(ctx, limit, &loop.Stop{Outcome: task.Timeout, Reason: fmt.Sprintf("the limit of %s for a run was reached while the repository was read", limit)})
	defer done()
	tree, err := job.Open(ctx)
	if err != nil {
		if ctx.Err() != nil {
			err = errors.Join(context.Cause(ctx), err)
		}
		return nil, fmt.Errorf("checking the repository out: %w", err)
	}
	b.cfg.Point("cloned")
	return tree, nil
}

// loop works on the run, and says at which gates it had to wait.
func (b *Bot) loop(ctx context.Context, r task.Run, job Job, journal *journal, tree *checkout.Tree) (res task.Result, gates task.Gates, err error) {
	engine, done, err := b.cfg.Engine(ctx, r.ID)
	if err != nil {
		return res, gates, err
	}
	defer func() { err = errors.Join(err, done()) }()
	in := b.in(r, job, tree)
	in.Journal = journal
	if b.healed(r.Task) {
		in.Health = &health{bot: b, run: r}
	}
	if in.Answers, err = b.cfg.Store.Answers(ctx, r.ID); err != nil {
		return res, gates, err
	}
	if in.History, err = b.history(ctx, r.Task.Repo.Installation); err != nil {
		return res, gates, err
	}
	if learning, err := b.learning(ctx, r.Task); err != nil {
		return res, gates, err
	} else if learning {
		in.Recall = b.recall(r.Task.Repo)
	}
	notes, err := narrow(&in)
	if err != nil {
		return b.without(ctx, r, task.Rejected, err.Error(), "Mend "+settings.RepoFile+" on the default branch and ask again."), gates, nil
	}
	for _, n := range notes {
		b.cfg.Log.WithField("run", r.ID).Info(n)
	}
	in.Gates = settings.Stricter(in.Gates, r.Saved.Gates)
	if r.Task.Follow != nil { // a maintainer said what to do where the change can be read
		in.Gates.Plan, in.Gates.PlanFirst = false, false
	}
	res, err = engine.Run(ctx, in)
	res.Notes = notes
	return res, in.Gates, err
}

// in is what a run has at its beginning.
func (b *Bot) in(r task.Run, job Job, tree *checkout.Tree) loop.Input {
	in := loop.Input{RunID: r.ID, Task: r.Task, Budget: r.Budget, Guard: job.Guard, Gates: job.Gates, Tree: tree, State: r.Saved, NeverSend: job.NeverSend, DefaultBranch: onDefaultBranch(r.Task, tree)}
	in.Guard.Called = patch.Called(tree.BaseFS())
	if f := r.Task.Follow; f != nil && f.Kind == task.FollowSuggestion {
		with := *f
		p, _ := suggested(tree.BaseFS(), f.Threads)
		with.Edits = &p
		in.Task.Follow = &with
	}
	return in
}

// input is an engine with what it has at the beginning, for work beside the ladder.
func (b *Bot) input(ctx context.Context, r task.Run, job Job, tree *checkout.Tree) (loop.Input, func() error, *loop.Loop, error) {
	in := b.in(r, job, tree)
	if _, err := narrow(&in); err != nil {
		return in, nil, nil, &loop.Stop{Outcome: task.Rejected, Reason: err.Error()}
	}
	engine, done, err := b.cfg.Engine(ctx, r.ID)
	return in, done, engine, err
}

// onDefaultBranch tells whether a run's base is a commit of the default branch;
// a folder with changes of its own is none.
func onDefaultBranch(t task.Task, tree *checkout.Tree) bool {
	if t.Repo.Dir != "" {
		return tree.Clean() && prepare.DefaultBranch(t.Repo.Dir)
	}
	return t.Follow == nil && (t.BaseBranch == "" || t.BaseBranch == t.Repo.DefaultBranch)
}

// narrow applies the repository's own file, as it stands on the base commit.
// The notes say what it asked for and did not get.
func narrow(in *loop.Input) (notes []string, err error) {
	repo, err := ownFile(in.Tree)
	if dir := in.Task.Repo.Dir; dir != "" && errors.Is(err, fs.ErrNotExist) { // a folder's tree holds no pipe, nor what may not be read
		if f, openErr := regular.Open(filepath.Join(dir, settings.RepoFile)); openErr == nil {
			_ = f.Close()
		} else if !errors.Is(openErr, fs.ErrNotExist) {
			err = openErr
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the repository's %s cannot be used, and without it fettle does not know what it may do here: %w", settings.RepoFile, err)
	}
	in.Budget, notes = settings.Narrow(in.Budget, repo)
	gates, lax := settings.NarrowGates(in.Gates, repo)
	in.Gates, notes = gates, append(notes, lax...)
	in.Guard.Protected = append(slices.Clone(in.Guard.Protected), repo.Protected...)
	in.RepoScope, in.NeverSend = repo.Scope, slices.Concat(in.NeverSend, repo.NeverSend)
	in.Setup, in.Checks, in.Needs, in.Smoke, in.OpenPoints = repo.Setup, repo.Checks, repo.Needs, repo.Smoke, repo.Gates
	return notes, nil
}

// ownFile reads the repository's own file as it stands on the base commit.
func ownFile(tree *checkout.Tree) (*settings.Repo, error) {
	raw, err := regular.ReadFS(tree.BaseFS(), settings.RepoFile, settings.MaxRepoFile)
	if err != nil {
		return nil, err
	}
	return settings.LoadRepo(raw)
}

const askAgain = "Nothing; ask again when it is wanted."

// without is the result of a run that ends without the loop's decision: what it
// tried and spent before stands in it all the same.
func (b *Bot) without(ctx context.Context, r task.Run, outcome task.Outcome, reason, next string) task.Result {
	res := task.Result{RunID: r.ID, Task: r.Task, Outcome: outcome, Reason: reason, NextAction: next, Attempts: r.Saved.Attempts, Elapsed: r.Saved.Worked}
	if now, err := b.cfg.Store.Run(ctx, r.ID); err == nil {
		res.Attempts, res.Elapsed = now.Saved.Attempts, now.Saved.Worked
	}
	if all, by, err := b.cfg.Store.Spent(ctx, r.ID); err == nil {
		res.Cost, res.CostByTier = all, by
	}
	return res
}

// giveBack decides what becomes of a run that could not be brought to an end
// now: parked until a limit is over, back in the queue, or ended as an error.
func (b *Bot) giveBack(ctx context.Context, lease *store.Lease, r task.Run, job Job, cause error) error {
	interrupted := ctx.Err() != nil
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	var limited *forge.RateLimited
	var stop *loop.Stop
	var conflict *forge.Conflict
	var mistake interface{ Lasts() bool }
	var waiting *loop.Waiting
	var poor *store.CapError
	var paused *heal.Held
	switch {
	case errors.Is(cause, store.ErrFenced):
		return cause
	case errors.As(cause, &waiting):
		return b.wait(ctx, lease, r, job, waiting)
	case errors.As(cause, &paused):
		return b.parkPaused(ctx, lease, r, job, paused)
	case errors.As(cause, &poor) && !poor.Until.IsZero():
		return b.parkPoor(ctx, lease, r, job, poor)
	case errors.As(cause, &limited):
		return b.cfg.Store.Park(ctx, lease, limited.Until, "GitHub asked to wait: "+cause.Error())
	case errors.As(cause, &stop):
		return b.stopped(ctx, lease, r, job, stop)
	case forge.IsGone(cause): // nobody is left to tell
		return b.cfg.Store.Finish(ctx, lease, b.without(ctx, r, task.Cancelled, cause.Error(), ""), cause.Error())
	case interrupted:
		return errors.Join(b.cfg.Store.Release(ctx, lease), cause)
	case errors.As(cause, &conflict), // a human's commit is never overwritten, now or later
		errors.As(cause, &mistake) && mistake.Lasts(): // such as one in the settings
		return b.fail(ctx, lease, r, job, cause)
	}
	run, err := b.cfg.Store.Run(ctx, r.ID)
	if err != nil {
		return errors.Join(cause, err)
	}
	run.Saved.Errors++
	if err := b.cfg.Store.SaveState(ctx, lease, run.Saved); err != nil {
		return errors.Join(cause, err)
	}
	if run.Saved.Errors < maxRetries && r.Task.Issue > 0 && !lasts(cause) {
		b.cfg.Log.WithField("run", r.ID).WithError(cause).Warn("run parked; it will be tried again")
		return b.cfg.Store.Park(ctx, lease, b.cfg.Now().Add(retryAfter*time.Duration(run.Saved.Errors)), cause.Error())
	}
	return b.fail(ctx, lease, r, job, cause)
}

// stopped ends a run that was stopped before the loop could decide anything,
// such as in mid clone, and says so where it was asked for.
func (b *Bot) stopped(ctx context.Context, lease *store.Lease, r task.Run, job Job, stop *loop.Stop) error {
	next := askAgain
	if stop.Outcome == task.Timeout {
		next = "Nothing was tried yet; allow the run more time and ask again."
	}
	res := b.without(ctx, r, stop.Outcome, stop.Reason, next)
	if stop.Outcome == task.Timeout {
		if err := b.step(ctx, r, "checkout", task.Watchdog, stop.Reason); err != nil {
			return err
		}
	}
	_, err := job.Publisher.Publish(ctx, res)
	var limited *forge.RateLimited
	switch {
	case errors.As(err, &limited):
		return b.cfg.Store.Park(ctx, lease, limited.Until, "GitHub asked to wait: "+err.Error())
	case err != nil && !forge.IsGone(err):
		b.cfg.Log.WithField("run", r.ID).WithError(err).Error("that the run was stopped could not be shown")
	}
	return b.cfg.Store.Finish(ctx, lease, res, res.Reason)
}

// fail ends a run with the outcome error and says so where it was asked for.
func (b *Bot) fail(ctx context.Context, lease *store.Lease, r task.Run, job Job, cause error) error {
	res := b.without(ctx, r, task.Error, cause.Error(), "Read the reason; what failed is not the change but what it needs to run.")
	_, err := job.Publisher.Publish(ctx, res)
	var limited *forge.RateLimited
	if errors.As(err, &limited) { // said later, by whoever takes the run up and fails again
		return errors.Join(cause, b.cfg.Store.Park(ctx, lease, limited.Until, "GitHub asked to wait: "+err.Error()))
	}
	if err != nil {
		b.cfg.Log.WithField("run", r.ID).WithError(err).Error("the failure could not be reported")
	}
	return errors.Join(cause, b.cfg.Store.Finish(ctx, lease, res, res.Reason))
}

// beat keeps the lease alive, and ends the run when a cancel was asked for or
// another worker has taken over.
func (b *Bot) beat(ctx context.Context, cancel context.CancelCauseFunc, lease *store.Lease, log logrus.FieldLogger) {
	tick := time.NewTicker(heartbeatEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		reason, err := b.cfg.Store.Heartbeat(ctx, lease)
		switch {
		case errors.Is(err, store.ErrFenced):
			cancel(err)
			return
		case err != nil && ctx.Err() == nil:
			log.WithError(err).Warn("heartbeat was not stored")
		case reason != "":
			cancel(&loop.Stop{Outcome: task.Cancelled, Reason: reason})
		}
	}
}

// latecomer is a publisher that shows some progress later than it was told of it.
type latecomer interface {
	Late(ctx context.Context) error
}

// showLate reminds a publisher of what it has not shown yet until ctx ends.
func showLate(ctx context.Context, p latecomer, log logrus.FieldLogger) {
	tick := time.NewTicker(heartbeatEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := p.Late(ctx); err != nil && ctx.Err() == nil {
			log.WithError(err).Warn("progress was not shown")
		}
	}
}

// journal is the loop's journal: rows of the store under the run's lease, and
// progress shown through the publisher.
type journal struct {
	store     *store.Store
	lease     *store.Lease
	publisher Publisher
	log       logrus.FieldLogger
	meter     Meter
	tried     int // attempts that were counted
}

func (j *journal) Save(ctx context.Context, s task.RunState) error {
	err := j.store.SaveState(ctx, j.lease, s)
	if err == nil && j.meter != nil && len(s.Attempts) > j.tried {
		for _, a := range s.Attempts[j.tried:] {
			j.meter.Tried(a)
		}
		j.tried = len(s.Attempts)
	}
	return err
}

func (j *journal) Progress(ctx context.Context, p task.Progress) error {
	if err := j.store.SetProgress(ctx, j.lease, p.Tier, p.Attempt, p.Cost); err != nil {
		return err
	}
	if err := j.publisher.Progress(ctx, p); err != nil {
		j.log.WithError(err).Warn("progress was not shown")
	}
	return nil
}

func (j *journal) Record(ctx context.Context, m task.Message) error {
	err := j.store.Record(ctx, j.lease, m)
	if err == nil && j.meter != nil {
		j.meter.Said(m)
	}
	return err
}

func (j *journal) Decide(ctx context.Context, d task.Decision) error {
	return j.store.Decide(ctx, j.lease, d)
}

func (j *journal) Effect(ctx context.Context, e task.Effect) (int, error) {
	return j.store.Effect(ctx, j.lease, e)
}

func (j *journal) Reserve(ctx context.Context, r task.Reservation) (task.Reservation, error) {
	held, err := j.store.Reserve(ctx, j.lease, r)
	var poor *store.CapError
	switch {
	case errors.Is(err, store.ErrBought):
		err = fmt.Errorf("%w: %w", loop.ErrLost, err)
	case errors.As(err, &poor) && poor.Until.IsZero():
		err = &loop.Stop{Outcome: task.BudgetExhausted, Reason: fmt.Sprintf("a call to %s may cost up to %s: %s", r.Tier, r.Worst, poor)}
	case errors.Is(err, store.ErrBudget):
		err = &loop.Stop{Outcome: task.BudgetExhausted, Reason: fmt.Sprintf("a call to %s may cost up to %s, which is more than what is left", r.Tier, r.Worst)}
	}
	return held, err
}

func (j *journal) Settle(ctx context.Context, id string, actual task.USD, reply json.RawMessage) error {
	return j.store.Settle(ctx, j.lease, id, actual, reply)
}

func (j *journal) Spent(ctx context.Context) (task.USD, map[task.Tier]task.USD, error) {
	return j.store.Spent(ctx, j.lease.RunID)
}

package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/riverqueue/river"

	"github.com/fettle-dev/fettle/bot/task"
)

// riverTries bounds River's own count of a wake-up.
const riverTries = 100

// Handlers are what Work calls.
type Handlers struct {
	// Delivery handles a stored delivery. An error brings it back later, with
	// growing waits, until Config.MaxTries; then it is marked failed. Return
	// Later to wait until a time without counting the try. nil marks it done.
	Delivery func(ctx context.Context, id string) error
	// Run claims a run and works it. worked tells that there was one; it is
	// called again at once. Errors are logged and do not stop the worker.
	Run func(ctx context.Context) (worked bool, err error)
}

// LaterError asks for another try of a delivery at a time.
type LaterError struct {
	Until time.Time
	Err   error
}

// Later makes err mean: not before this time, and do not count this try. Use
// it for rate limits.
func Later(until time.Time, err error) error { return &LaterError{until, err} }

func (e *LaterError) Error() string {
	return fmt.Sprintf("again after %s: %v", e.Until.UTC().Format(time.RFC3339), e.Err)
}
func (e *LaterError) Unwrap() error { return e.Err }

// wakeJob tells a worker to look for a run; Run says for whom, for people.
type wakeJob struct {
	Run string `json:"run"`
}

// Kind names the job in River's table.
func (wakeJob) Kind() string { return "wake" }

func (s *Store) wakeOpts() *river.InsertOpts {
	return &river.InsertOpts{MaxAttempts: riverTries, Priority: 2}
}

// riverBase is what all our River clients share. The job timeout is off: a run
// has its own limits.
func (s *Store) riverBase() *river.Config {
	return &river.Config{
		Logger:                      s.riverLog(),
		JobTimeout:                  -1,
		RescueStuckJobsAfter:        5 * time.Minute, // our own sweep is faster; this only tidies
		CompletedJobRetentionPeriod: time.Hour,
	}
}

// wakeWorker passes a wake-up on to an idle worker of this process.
type wakeWorker struct {
	river.WorkerDefaults[wakeJob]
	s *Store
}

func (w *wakeWorker) Work(context.Context, *river.Job[wakeJob]) error {
	w.s.poke()
	return nil
}

// poke wakes one idle worker of this process, if any.
func (s *Store) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// look has Work look for deliveries at once.
func (s *Store) look() {
	select {
	case s.arrived <- struct{}{}:
	default:
	}
}

// deliver hands deliveries whose time has come to as many handlers as may work at
// once, until ctx ends; those under way get some time to end after that. The table
// says what is to be done: a process that dies loses nothing.
func (s *Store) deliver(ctx context.Context, handle func(ctx context.Context, id string) error) {
	under, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	free := make(chan struct{}, deliveryHands)
	for range deliveryHands {
		free <- struct{}{}
	}
	var busy sync.WaitGroup
	for ctx.Err() == nil {
		select {
		case <-free:
			free <- struct{}{}
		case <-ctx.Done():
			continue
		}
		begun, err := s.beginDeliveries(ctx, len(free))
		if err != nil && ctx.Err() == nil {
			s.failing.tell(s.cfg.Log, err, "deliveries could not be taken up; it is tried again")
		}
		for _, t := range begun {
			<-free
			busy.Go(func() {
				defer func() { free <- struct{}{} }()
				if err := s.handle(under, ctx, t, handle); err != nil {
					s.cfg.Log.WithField("delivery", t.id).WithError(err).Error("what came of a delivery was not stored; the sweep takes it up again")
				}
			})
		}
		if len(begun) > 0 {
			continue
		}
		poll := time.NewTimer(deliveryPoll)
		select {
		case <-ctx.Done():
		case <-s.arrived:
		case <-poll.C:
		}
		poll.Stop()
	}
	late := time.AfterFunc(drainDelivery, cut)
	defer late.Stop()
	busy.Wait()
}

// handle is one try of a delivery; base ends when Work is asked to stop.
func (s *Store) handle(ctx, base context.Context, t try, handle func(ctx context.Context, id string) error) error {
	if t.tries > s.cfg.MaxTries { // its earlier tries took the process down
		return s.endDelivery(ctx, t, "failed", fmt.Sprintf("given up after %d tries that did not end", t.tries-1), time.Time{}, true)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go s.keepDelivery(ctx, t.id, t.token)
	err := guard(func() error { return handle(ctx, t.id) })
	save, stop := context.WithTimeout(context.WithoutCancel(ctx), storeWithin)
	defer stop()
	return s.conclude(save, t, err, base.Err() != nil)
}

// conclude turns the end of a try into the row's state.
func (s *Store) conclude(ctx context.Context, t try, err error, stopping bool) error {
	now, log := s.cfg.Now(), s.cfg.Log.WithField("delivery", t.id)
	var later *LaterError
	switch {
	case err == nil:
		return s.endDelivery(ctx, t, "done", "", time.Time{}, false)
	case errors.As(err, &later):
		log.WithError(err).Info("delivery put off")
		return s.endDelivery(ctx, t, "queued", err.Error(), later.Until, true)
	case stopping: // the next process goes on at once
		return s.endDelivery(ctx, t, "queued", err.Error(), now, true)
	case t.tries >= s.cfg.MaxTries:
		log.WithError(err).Error("delivery given up")
		return s.endDelivery(ctx, t, "failed", err.Error(), time.Time{}, false)
	}
	log.WithError(err).WithField("try", t.tries).Warn("delivery failed, will be tried again")
	return s.endDelivery(ctx, t, "queued", err.Error(), now.Add(s.cfg.Backoff(t.tries)), false)
}

// recoverServed frees what the last process that worked this file was at.
func (s *Store) recoverServed(ctx context.Context) error {
	return s.tx(ctx, "free what the last server was at", func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "UPDATE runs SET state = 'queued', token = token + 1, crashes = crashes + 1, owner = '' WHERE served = 1 AND "+
			from(task.StateQueued, task.StateRunning)); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE deliveries SET state = 'queued', beat_at = 0, wake_at = 1 WHERE state = 'working'"); err != nil {
			return err
		}
		_, err := s.sweepDeliveries(ctx, tx, s.now(), s.cfg.Stale.Microseconds())
		return err
	})
}

// keepDelivery is the heartbeat of a delivery that is being handled.
func (s *Store) keepDelivery(ctx context.Context, id string, token int64) {
	for pause(ctx, s.cfg.Stale/4) == nil {
		if err := s.beatDelivery(ctx, id, token); err != nil && ctx.Err() == nil {
			s.cfg.Log.WithField("delivery", id).WithError(err).Warn("heartbeat of a delivery failed")
		}
	}
}

// sweepDeliveries frees deliveries whose holder is gone, and those that wait for a
// time that a clock which ran ahead has set.
func (s *Store) sweepDeliveries(ctx context.Context, tx *sql.Tx, now, stale int64) (int, error) {
	far := now + stale + (10 * time.Minute).Microseconds()
	return affected(tx.ExecContext(ctx, `UPDATE deliveries SET state = 'queued', wake_at = $1 WHERE state IN ('queued', 'working') AND (
			state = 'working' AND (beat_at < $2 OR beat_at > $3) OR state = 'queued' AND wake_at > $4)`, now, now-stale, now+stale, far))
}

// guard turns a panic of a handler into an error, so that one bad delivery or
// run does not take the others down.
func guard(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the handler panicked: %v\n%s", r, debug.Stack())
		}
	}()
	return f()
}

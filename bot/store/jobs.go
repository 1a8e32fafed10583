package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/riverqueue/river"

	"github.com/fettle-dev/fettle/bot/task"
)

// riverTries bounds River's own count. It is far above Config.MaxTries, which
// counts in our row and decides.
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

// deliveryJob is the job that handles a delivery.
type deliveryJob struct {
	ID string `json:"id"`
}

// Kind names the job in River's table.
func (deliveryJob) Kind() string { return "delivery" }

// wakeJob tells a worker to look for a run; Run says for whom, for people.
type wakeJob struct {
	Run string `json:"run"`
}

// Kind names the job in River's table.
func (wakeJob) Kind() string { return "wake" }

func (s *Store) deliveryOpts() *river.InsertOpts { return &river.InsertOpts{MaxAttempts: riverTries} }
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

// deliveryWorker runs one try of a delivery.
type deliveryWorker struct {
	river.WorkerDefaults[deliveryJob]
	s      *Store
	handle func(ctx context.Context, id string) error
	base   context.Context // ends when Work is asked to stop
}

// NextRetry is when River tries a failed job again.
func (w *deliveryWorker) NextRetry(job *river.Job[deliveryJob]) time.Time {
	return time.Now().Add(w.s.cfg.Backoff(max(job.Attempt, 1)))
}

// Work is one try. River stores its error.
func (w *deliveryWorker) Work(ctx context.Context, job *river.Job[deliveryJob]) error {
	return w.s.cfg.Funnel.Error(guard(func() error { return w.try(ctx, job.Args.ID) }))
}

func (w *deliveryWorker) try(ctx context.Context, id string) error {
	s := w.s
	token, tries, ok, err := s.beginDelivery(ctx, id)
	if err != nil || !ok {
		return err
	}
	if tries > s.cfg.MaxTries { // its earlier tries took the process down
		return s.endDelivery(ctx, id, token, "failed", fmt.Sprintf("given up after %d tries that did not end", tries-1), time.Time{}, true)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go s.keepDelivery(ctx, id, token)
	err = guard(func() error { return w.handle(ctx, id) })
	save, stop := context.WithTimeout(context.WithoutCancel(ctx), storeWithin)
	defer stop()
	return w.conclude(save, id, token, tries, err)
}

// conclude turns the end of a try into the row's state and River's next step.
func (w *deliveryWorker) conclude(ctx context.Context, id string, token int64, tries int, err error) error {
	s, now := w.s, w.s.cfg.Now()
	log := s.cfg.Log.WithField("delivery", id)
	var later *LaterError
	switch {
	case err == nil:
		return s.endDelivery(ctx, id, token, "done", "", time.Time{}, false)
	case errors.As(err, &later):
		wait := max(later.Until.Sub(now), 0)
		log.WithError(err).Info("delivery put off")
		if err := s.endDelivery(ctx, id, token, "queued", err.Error(), later.Until, true); err != nil {
			return err
		}
		return river.JobSnooze(wait)
	case w.base.Err() != nil: // shutting down: the next process goes on at once
		if err := s.endDelivery(ctx, id, token, "queued", err.Error(), now, true); err != nil {
			return err
		}
		return river.JobSnooze(0)
	case tries >= s.cfg.MaxTries:
		log.WithError(err).Error("delivery given up")
		return s.endDelivery(ctx, id, token, "failed", err.Error(), time.Time{}, false)
	}
	log.WithError(err).WithField("try", tries).Warn("delivery failed, will be tried again")
	if err := s.endDelivery(ctx, id, token, "queued", err.Error(), now.Add(s.cfg.Backoff(tries)), false); err != nil {
		return err
	}
	return err // River tries again at NextRetry
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

// sweepDeliveries gives a new job to deliveries whose holder is gone, and to
// those that should have been woken and were not.
func (s *Store) sweepDeliveries(ctx context.Context, tx *sql.Tx, now, stale int64) (int, error) {
	far := now + stale + (10 * time.Minute).Microseconds() // a wake-up further off was set by a clock that ran ahead
	rows, err := tx.QueryContext(ctx, `UPDATE deliveries SET state = 'queued', wake_at = $1 WHERE id IN (
			SELECT id FROM deliveries WHERE state IN ('queued', 'working') AND (
				state = 'working' AND (beat_at < $2 OR beat_at > $3) OR
				state = 'queued' AND (wake_at < $2 OR wake_at > $4))
			ORDER BY received_at LIMIT 1000) RETURNING id`, now, now-stale, now+stale, far)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	var jobs []river.InsertManyParams
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return 0, err
		}
		jobs = append(jobs, river.InsertManyParams{Args: deliveryJob{ID: id}, InsertOpts: s.deliveryOpts()})
	}
	if err := rows.Err(); err != nil || len(jobs) == 0 {
		return 0, err
	}
	_, err = s.jobs.InsertManyFastTx(ctx, tx, jobs)
	return len(jobs), err
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

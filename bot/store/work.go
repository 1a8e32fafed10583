package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
)

const (
	sqlitePoll     = 50 * time.Millisecond  // an insert does not wake a worker there
	postgresPoll   = 200 * time.Millisecond // retries, and where a notification was lost
	runPoll        = time.Second            // how late a run starts when its wake-up was lost
	deliveryPoll   = 200 * time.Millisecond // how late a delivery of another process, or one that was put off, begins
	deliveryHands  = 16                     // deliveries handled at once
	drainDelivery  = 20 * time.Second       // deliveries under way may end in this time after the stop
	sweepsPerStale = 12
)

// worker is the part of River's client that Work needs.
type worker interface {
	Start(ctx context.Context) error
	Stop(ctx context.Context) error
	StopAndCancel(ctx context.Context) error
}

// Work works the jobs with this many workers for runs until ctx ends, then
// drains: deliveries under way get 20 s, runs see their context end and are
// waited for. It sweeps by itself. On a SQLite file one process at a time may
// Work (ErrServed); other processes may open the file and write it.
func (s *Store) Work(ctx context.Context, h Handlers, workers int) error {
	if h.Delivery == nil || h.Run == nil || workers < 1 {
		return errors.New("store: work: both handlers and at least one worker are needed")
	}
	if !s.setWorking(true) {
		return errors.New("store: work: this store is already working")
	}
	defer s.setWorking(false)
	if err := s.Serve(ctx); err != nil {
		return err
	}
	defer s.endServe()
	client, closeClient, err := s.riverWorker(ctx)
	if err != nil {
		return s.explain("start the job engine", err)
	}
	defer closeClient()
	if err := client.Start(context.WithoutCancel(ctx)); err != nil {
		return s.explain("start the job engine", err)
	}
	var wg sync.WaitGroup
	wg.Go(func() { s.deliver(ctx, h.Delivery) })
	for range workers {
		wg.Go(func() { s.runLoop(ctx, h.Run) })
	}
	wg.Go(func() { s.tick(ctx, runPoll, s.poke) })
	wg.Go(func() { s.tick(ctx, s.cfg.Stale/sweepsPerStale, func() { s.sweepNow(ctx) }) })
	<-ctx.Done()
	err = s.drain(ctx, client)
	wg.Wait()
	return err
}

func (s *Store) drain(ctx context.Context, client worker) error {
	soft, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainDelivery)
	defer cancel()
	if client.Stop(soft) == nil {
		return nil
	}
	hard, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeWithin)
	defer cancel()
	if err := client.StopAndCancel(hard); err != nil {
		return s.explain("stop the job engine; what it was at is taken up again by the next start", err)
	}
	return nil
}

func (s *Store) setWorking(on bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if on && s.working {
		return false
	}
	s.working = on
	return true
}

func (s *Store) isWorking() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.working
}

// Serve makes this process the one that works a SQLite file, until Work or the
// store ends; ErrServed when another one is. Work does it by itself; a server
// does it before it listens. Whoever held the lock before is dead, so what it
// was at is free at once, without a wait for stale heartbeats.
func (s *Store) Serve(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.postgres || s.unserve != nil {
		return nil
	}
	unlock, err := lockFile(ctx, s.path+".serve", false)
	if errors.Is(err, errBusyLock) {
		err = ErrServed
	}
	if err == nil {
		if err = errors.Join(s.announce(), s.recoverServed(ctx)); err != nil {
			unlock()
		}
	}
	if err != nil {
		return fmt.Errorf("store: work the jobs of %s: %w", s.path, err)
	}
	s.unserve = unlock
	return nil
}

// endServe lets another process work the file.
func (s *Store) endServe() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.unserve != nil {
		s.unserve()
		s.unserve = nil
	}
}

// riverWorker makes the client that works, on the pool its driver wants.
func (s *Store) riverWorker(ctx context.Context) (worker, func(), error) {
	cfg := s.riverBase()
	cfg.Workers = river.NewWorkers()
	if err := river.AddWorkerSafely(cfg.Workers, &wakeWorker{s: s}); err != nil {
		return nil, nil, err
	}
	cfg.Queues = map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 2}}
	if !s.postgres {
		cfg.FetchPollInterval, cfg.FetchCooldown = sqlitePoll, sqlitePoll
		c, err := river.NewClient(riversqlite.New(s.w), cfg)
		return c, func() {}, err
	}
	cfg.FetchPollInterval, cfg.FetchCooldown = postgresPoll, sqlitePoll
	pool, err := pgxpool.New(ctx, s.url)
	if err != nil {
		return nil, nil, err
	}
	c, err := river.NewClient(riverpgxv5.New(pool), cfg)
	if err != nil {
		pool.Close()
		return nil, nil, err
	}
	return c, pool.Close, nil
}

// runLoop is one worker for runs: it works while there is work, then waits for
// a wake-up.
func (s *Store) runLoop(ctx context.Context, run func(context.Context) (bool, error)) {
	for ctx.Err() == nil {
		worked := false
		err := guard(func() (err error) {
			worked, err = run(ctx)
			return err
		})
		if err != nil && ctx.Err() == nil {
			s.failing.tell(s.cfg.Log, err, "a run's worker failed")
			worked = false // no hot loop: the next poll is near
		}
		if worked {
			continue
		}
		select {
		case <-ctx.Done():
		case <-s.wake:
		}
	}
}

// tick calls f at once and then again and again until ctx ends.
func (s *Store) tick(ctx context.Context, every time.Duration, f func()) {
	for ctx.Err() == nil {
		f()
		if pause(ctx, every) != nil {
			return
		}
	}
}

func (s *Store) sweepNow(ctx context.Context) {
	n, err := s.Sweep(ctx, s.cfg.Stale)
	if err != nil && ctx.Err() == nil {
		s.failing.tell(s.cfg.Log, err, "sweep failed; it is tried again")
	}
	if n > 0 {
		s.cfg.Log.WithField("requeued", n).Info("swept what had stopped or whose time had come")
	}
}

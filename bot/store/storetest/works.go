package storetest

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// wall has the workers' tests run on the real clock with short waits.
func wall(c *store.Config) {
	c.Now, c.Stale, c.MaxTries = time.Now, 2*time.Second, 3
	c.Backoff = func(int) time.Duration { return 10 * time.Millisecond }
}

// work starts Work and returns a function that stops it and waits for its end.
func (h *harness) work(s *store.Store, hd store.Handlers, workers int) (stop func()) {
	if hd.Delivery == nil {
		hd.Delivery = func(context.Context, string) error { return nil }
	}
	if hd.Run == nil {
		hd.Run = func(context.Context) (bool, error) { return false, nil }
	}
	ctx, cancel := context.WithCancel(h.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Work(ctx, hd, workers) }()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			if err := <-ended; err != nil {
				h.Errorf("work: %v", err)
			}
		})
	}
	h.Cleanup(stop)
	return stop
}

func (h *harness) delivery(s *store.Store, id string) store.Delivery {
	h.Helper()
	d, err := s.Delivery(h.Context(), id)
	h.must(err)
	return d
}

func testWork(t *testing.T, h *harness) {
	s := h.open(wall)
	other := h.open(wall) // another process that only hands in work
	var mu sync.Mutex
	handled, ran, busy, most := map[string]int{}, map[string]int{}, 0, 0
	stop := h.work(s, store.Handlers{
		Delivery: func(ctx context.Context, id string) error {
			mu.Lock()
			handled[id]++
			mu.Unlock()
			nr := ask("run-"+id, "shop", len(id)*1000+int(id[len(id)-1]))
			nr.Delivery = id
			_, _, err := s.CreateRun(ctx, nr)
			return err
		},
		Run: func(ctx context.Context) (bool, error) {
			l, run, err := s.Claim(ctx)
			if l == nil || err != nil {
				return false, err
			}
			mu.Lock()
			ran[run.ID]++
			busy++
			most = max(most, busy)
			mu.Unlock()
			err = s.Finish(ctx, l, task.Result{Outcome: task.Success}, "")
			mu.Lock()
			busy--
			mu.Unlock()
			return true, err
		},
	}, 2)
	for i := range 9 {
		from := []*store.Store{s, other}[i%2]
		if fresh, err := from.Accept(t.Context(), store.Delivery{ID: name("d", i), Event: "issues"}); err != nil || !fresh {
			t.Fatal(fresh, err)
		}
	}
	h.eventually("all deliveries are done and all runs have ended", func() bool {
		runs, err := s.Runs(t.Context(), store.Filter{State: task.StateDone})
		h.must(err)
		return len(runs) == 9 && h.delivery(s, "d008").State == "done"
	})
	stop()
	for i := range 9 {
		id := name("d", i)
		if handled[id] != 1 || ran["run-"+id] != 1 || h.delivery(s, id).State != "done" {
			t.Errorf("%s: handled %d times, run %d times, %+v", id, handled[id], ran["run-"+id], h.delivery(s, id))
		}
	}
	if most > 2 {
		t.Errorf("%d runs at once with 2 workers", most)
	}
}

func testRetries(t *testing.T, h *harness) {
	s := h.open(wall)
	var calls atomic.Int64
	h.work(s, store.Handlers{Delivery: func(_ context.Context, id string) error {
		if id == "recovers" && calls.Add(1) == 3 {
			return nil
		}
		return errors.New("the forge answered 502")
	}}, 1)
	for _, id := range []string{"hopeless", "recovers"} {
		_, err := s.Accept(t.Context(), store.Delivery{ID: id, Event: "issues"})
		h.must(err)
	}
	h.eventually("one is given up and one recovers", func() bool {
		return h.delivery(s, "hopeless").State == "failed" && h.delivery(s, "recovers").State == "done"
	})
	if d := h.delivery(s, "hopeless"); d.Tries != 3 || !strings.Contains(d.Note, "502") || d.FinishedAt.IsZero() {
		t.Errorf("given up as %+v", d)
	}
	failed, err := s.FailedDeliveries(t.Context(), time.Time{})
	h.must(err)
	if len(failed) != 1 || failed[0].ID != "hopeless" {
		t.Errorf("failed: %+v", failed)
	}
	if ids, err := s.Deliveries(t.Context(), time.Time{}); err != nil || len(ids) != 2 {
		t.Errorf("listed: %v %v", ids, err)
	}
}

func testLater(t *testing.T, h *harness) {
	s := h.open(wall)
	var calls atomic.Int64
	var until time.Time
	early := make(chan time.Time, 10)
	h.work(s, store.Handlers{Delivery: func(context.Context, string) error {
		switch n := calls.Add(1); {
		case n == 1:
			until = time.Now().Add(300 * time.Millisecond)
			return store.Later(until, errors.New("rate limited"))
		case n <= 5: // more often than MaxTries
			if time.Now().Before(until) {
				early <- time.Now()
			}
			return store.Later(time.Now(), errors.New("rate limited"))
		}
		return nil
	}}, 1)
	_, err := s.Accept(t.Context(), store.Delivery{ID: "d", Event: "issues"})
	h.must(err)
	h.eventually("it is done after all", func() bool { return h.delivery(s, "d").State == "done" })
	if d := h.delivery(s, "d"); d.Tries != 1 || len(early) > 0 {
		t.Errorf("%+v, %d calls before the stated time", d, len(early))
	}
}

func testPanics(t *testing.T, h *harness) {
	s := h.open(wall)
	var runs atomic.Int64
	stop := h.work(s, store.Handlers{
		Delivery: func(context.Context, string) error { panic("bad delivery") },
		Run: func(ctx context.Context) (bool, error) {
			if runs.Add(1) == 1 {
				panic("bad run")
			}
			return false, nil
		},
	}, 1)
	_, err := s.Accept(t.Context(), store.Delivery{ID: "d", Event: "issues"})
	h.must(err)
	h.eventually("the delivery is given up and the worker goes on", func() bool {
		return h.delivery(s, "d").State == "failed" && runs.Load() > 1
	})
	if d := h.delivery(s, "d"); !strings.Contains(d.Note, "bad delivery") {
		t.Errorf("%+v", d)
	}
	stop()
}

// testAbandoned: a worker is stopped in the middle of a delivery for longer
// than its lease; another one takes it up, and the first one's end counts for
// nothing.
func testAbandoned(t *testing.T, h *harness) {
	s := h.open(wall, func(c *store.Config) { c.Now = h.Now })
	var calls atomic.Int64
	stuck, goOn := make(chan struct{}), make(chan struct{})
	stop := h.work(s, store.Handlers{Delivery: func(context.Context, string) error {
		if calls.Add(1) == 1 {
			close(stuck)
			<-goOn
			return errors.New("from long ago")
		}
		return nil
	}}, 1)
	_, err := s.Accept(t.Context(), store.Delivery{ID: "d", Event: "issues"})
	h.must(err)
	<-stuck
	h.eventually("it is taken from the stuck one", func() bool {
		h.Advance(time.Hour) // again should a heartbeat of the stuck one have come in between
		n, err := s.Sweep(t.Context(), time.Minute)
		h.must(err)
		return n == 1
	})
	h.eventually("another worker has done it", func() bool { return h.delivery(s, "d").State == "done" })
	close(goOn)
	stop()
	if d := h.delivery(s, "d"); d.State != "done" || d.Note != "" {
		t.Errorf("%+v", d)
	}
}

func testDrain(t *testing.T, h *harness) {
	s := h.open(wall)
	begun, release := make(chan struct{}, 2), make(chan struct{})
	stop := h.work(s, store.Handlers{
		Delivery: func(context.Context, string) error {
			begun <- struct{}{}
			<-release
			return nil
		},
		Run: func(ctx context.Context) (bool, error) {
			l, _, err := s.Claim(ctx)
			if l == nil || err != nil {
				return false, err
			}
			begun <- struct{}{}
			<-ctx.Done() // a run sees the stop and gives itself back
			return true, s.Release(context.WithoutCancel(ctx), l)
		},
	}, 1)
	_, err := s.Accept(t.Context(), store.Delivery{ID: "d", Event: "issues"})
	h.must(err)
	h.create(s, ask("r", "shop", 1))
	<-begun
	<-begun
	go close(release)
	stop()
	if d := h.delivery(s, "d"); d.State != "done" || h.state(s, "r") != task.StateQueued {
		t.Errorf("after the drain: delivery %+v, run %s", d, h.state(s, "r"))
	}
	ran := make(chan string, 1)
	h.work(s, store.Handlers{Run: func(ctx context.Context) (bool, error) { // the run resumes elsewhere
		l, run, err := s.Claim(ctx)
		if l == nil || err != nil {
			return false, err
		}
		ran <- run.ID
		return true, s.Finish(ctx, l, task.Result{Outcome: task.Success}, "")
	}}, 1)
	if id := <-ran; id != "r" {
		t.Error(id)
	}
}

package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/store/storetest"
	"github.com/fettle-dev/fettle/bot/task"
)

const payloadBytes = 8 << 10 // a webhook of GitHub is 5 to 25 KB

// BenchmarkAccept is TRUST L01: deliveries stored durably with their jobs, from
// 32 callers at once, beside bare durable INSERTs of the same bytes into one
// table by the same number of callers in the same run.
func BenchmarkAccept(b *testing.B) {
	payload := make([]byte, payloadBytes)
	bare := bareInserts(b, payload)
	s := open(b, storetest.SQLite(b))
	b.ResetTimer()
	per, p99 := parallel(b, func(id string) error {
		_, err := s.Accept(b.Context(), store.Delivery{ID: id, Event: "issues", Payload: payload})
		return err
	})
	b.ReportMetric(float64(p99.Microseconds())/1000, "p99-ms")
	b.ReportMetric(1/per.Seconds(), "deliveries/s")
	b.ReportMetric(float64(per)/float64(bare), "x-bare-INSERT")
}

// bareInserts is the time per durable INSERT with nothing of ours around it.
func bareInserts(b *testing.B, payload []byte) time.Duration {
	b.Helper()
	db, err := sql.Open("sqlite", filepath.Join(b.TempDir(), "bare.db")+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(b.Context(), "CREATE TABLE d (id TEXT PRIMARY KEY, payload BLOB)"); err != nil {
		b.Fatal(err)
	}
	per, _ := parallel(b, func(id string) error {
		_, err := db.ExecContext(b.Context(), "INSERT INTO d VALUES (?, ?)", id, payload)
		return err
	})
	return per
}

// parallel calls f b.N times from 32 goroutines; it returns the time per call
// (of all callers together) and the 99th percentile of what a caller waits.
func parallel(b *testing.B, f func(id string) error) (per, p99 time.Duration) {
	b.Helper()
	var next atomic.Int64
	waits := make([]time.Duration, b.N)
	var wg sync.WaitGroup
	begin := time.Now()
	for range 32 {
		wg.Go(func() {
			for {
				i := next.Add(1) - 1
				if i >= int64(b.N) {
					return
				}
				t := time.Now()
				if err := f(fmt.Sprintf("delivery-%d", i)); err != nil {
					b.Error(err)
					return
				}
				waits[i] = time.Since(t)
			}
		})
	}
	wg.Wait()
	all := time.Since(begin)
	slices.Sort(waits)
	return all / time.Duration(b.N), waits[len(waits)*99/100]
}

// BenchmarkClaim claims and finishes out of 10,000 queued runs over 200
// repositories (TRUST L02).
func BenchmarkClaim(b *testing.B) {
	s := open(b, storetest.SQLite(b))
	made := 0
	for range 10_000 {
		made++
		nr := issue(fmt.Sprintf("r%d", made), made)
		nr.Task.Repo.Name = fmt.Sprintf("repo%d", made%200)
		if _, _, err := s.CreateRun(b.Context(), nr); err != nil {
			b.Fatal(err)
		}
	}
	b.ResetTimer()
	for range b.N {
		l, _, err := s.Claim(b.Context())
		if err != nil || l == nil {
			b.Skipf("all %d runs are claimed: %v", made, err)
		}
		if err := s.Finish(b.Context(), l, task.Result{Outcome: task.Success}, ""); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAcceptWhileWorking is Accept at 1,000 deliveries a second, evenly
// spaced, while this process handles them: b.N deliveries, p99 of the door.
func BenchmarkAcceptWhileWorking(b *testing.B) {
	s := open(b, storetest.SQLite(b))
	ctx, stop := context.WithCancel(b.Context())
	ended := make(chan error)
	go func() {
		ended <- s.Work(ctx, store.Handlers{
			Delivery: func(context.Context, string) error { return nil },
			Run:      func(context.Context) (bool, error) { return false, nil },
		}, 2)
	}()
	payload := make([]byte, payloadBytes)
	waits := make([]time.Duration, b.N)
	var wg sync.WaitGroup
	pace := time.NewTicker(time.Millisecond)
	defer pace.Stop()
	b.ResetTimer()
	for i := range b.N {
		<-pace.C
		wg.Go(func() {
			t := time.Now()
			if _, err := s.Accept(b.Context(), store.Delivery{ID: fmt.Sprintf("d%d", i), Event: "issues", Payload: payload}); err != nil {
				b.Error(err)
			}
			waits[i] = time.Since(t)
		})
	}
	wg.Wait()
	b.StopTimer()
	stop()
	if err := <-ended; err != nil {
		b.Error(err)
	}
	slices.Sort(waits)
	b.ReportMetric(float64(waits[len(waits)*99/100].Microseconds())/1000, "p99-ms")
}

// BenchmarkProcesses is how many runs a second, each of which only waits 200 ms, are
// worked on Postgres by one and by two processes of 5 workers (stores of their own
// stand for them), and how long a claim takes at the 99th percentile with 50 workers.
func BenchmarkProcesses(b *testing.B) {
	server := storetest.StartPostgres(b)
	const each = 200 * time.Millisecond
	work := func(processes, workers, runs int) (perSecond float64, claim99 time.Duration) {
		url := server.New(b)
		first := open(b, url)
		for n := range runs {
			nr := issue(fmt.Sprintf("r%d", n), n+1)
			nr.Task.Repo.Name = fmt.Sprintf("repo%d", n%40)
			if _, _, err := first.CreateRun(b.Context(), nr); err != nil {
				b.Fatal(err)
			}
		}
		var mu sync.Mutex
		var claims []time.Duration
		var done atomic.Int64
		ctx, stop := context.WithCancel(b.Context())
		defer stop()
		var all sync.WaitGroup
		begin := time.Now()
		for range processes {
			s := open(b, url)
			all.Go(func() {
				err := s.Work(ctx, store.Handlers{
					Delivery: func(context.Context, string) error { return nil },
					Run: func(context.Context) (bool, error) {
						t := time.Now()
						l, _, err := s.Claim(context.WithoutCancel(ctx))
						if err != nil || l == nil {
							return false, err
						}
						took := time.Since(t)
						mu.Lock()
						claims = append(claims, took)
						mu.Unlock()
						time.Sleep(each) // what the run does
						if err := s.Finish(context.WithoutCancel(ctx), l, task.Result{Outcome: task.Success}, ""); err != nil {
							return false, err
						}
						if done.Add(1) == int64(runs) {
							stop()
						}
						return true, nil
					},
				}, workers)
				if err != nil {
					b.Error(err)
				}
			})
		}
		<-ctx.Done()
		took := time.Since(begin)
		all.Wait()
		slices.Sort(claims)
		return float64(runs) / took.Seconds(), claims[len(claims)*99/100]
	}
	for b.Loop() {
		one, _ := work(1, 5, 200)
		two, _ := work(2, 5, 400)
		_, p99 := work(2, 25, 2000)
		b.ReportMetric(one, "runs/s-1-process")
		b.ReportMetric(two/one, "x-with-2")
		b.ReportMetric(float64(p99.Microseconds())/1000, "claim-p99-ms-at-50")
	}
}

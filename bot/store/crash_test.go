package store_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/store/storetest"
	"github.com/fettle-dev/fettle/bot/task"
)

const crashURL = "FETTLE_TEST_CRASH_URL"

// TestMain lets the test binary be the process that is killed.
func TestMain(m *testing.M) {
	if url := os.Getenv(crashURL); url != "" {
		if err := victim(url, os.Args[1]); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		return
	}
	_ = flag.Set("rapid.checks", "25") // unless the command line says otherwise
	os.Exit(m.Run())
}

// victim accepts deliveries and works runs until it is killed, and prints a
// line for each promise after the store has made it.
func victim(url, life string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, url, store.Config{Stale: time.Second, WorkerName: "victim-" + life})
	if err != nil {
		return err
	}
	var mu sync.Mutex
	say := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Printf(format+"\n", args...)
	}
	say("ready")
	for w := range 3 {
		go func() {
			for i := 0; ; i++ {
				time.Sleep(5 * time.Millisecond) // leaves the workers some of the machine
				id := fmt.Sprintf("%s-%d-%d", life, w, i)
				fresh, err := s.Accept(ctx, store.Delivery{ID: id, Event: "issues", Payload: []byte(id)})
				switch {
				case err == nil && fresh:
					say("accepted %s", id)
				case !errors.Is(err, context.DeadlineExceeded): // too slow a disk is a 503, not a fault
					say("error accept %v %v", fresh, err)
				}
			}
		}()
	}
	return s.Work(ctx, store.Handlers{
		Delivery: func(ctx context.Context, id string) error {
			nr := issue("run-"+id, 1+rand.IntN(40))
			nr.Delivery = id
			_, _, err := s.CreateRun(ctx, nr)
			return err
		},
		Run: func(ctx context.Context) (bool, error) {
			l, run, err := s.Claim(ctx)
			if l == nil || err != nil {
				return false, err
			}
			say("claimed %s %d", run.ID, l.Token)
			r, err := s.Reserve(ctx, l, task.Reservation{ID: "1/1", Worst: 10})
			if err != nil {
				return true, s.Finish(ctx, l, task.Result{Outcome: task.Error, Cost: 20}, err.Error())
			}
			if !r.Settled {
				say("bought %s", run.ID)
				if err := s.Settle(ctx, l, "1/1", 10, []byte(`"reply"`)); err != nil {
					return true, err
				}
				say("replied %s", run.ID)
			}
			spent, _, err := s.Spent(ctx, run.ID)
			if err != nil {
				return true, err
			}
			if err := s.Finish(ctx, l, task.Result{Outcome: task.Success, Cost: spent}, ""); err != nil {
				return true, err
			}
			say("finished %s", run.ID)
			return true, nil
		},
	}, 2)
}

// points are the promises after which a victim is killed, a moment later.
var points = []string{"accepted", "claimed", "bought", "replied", "finished"}

// life runs a victim until it is killed at a random one of its promises and
// returns what it said.
func life(t *testing.T, url string, n int) []string {
	t.Helper()
	cmd := exec.Command(os.Args[0], fmt.Sprint(n))
	cmd.Env = append(os.Environ(), crashURL+"="+url)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	giveUp := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	defer giveUp.Stop()
	point, count := points[n%len(points)], 1+rand.IntN(4)
	var said []string
	for lines := bufio.NewScanner(out); lines.Scan(); {
		said = append(said, lines.Text())
		if strings.HasPrefix(lines.Text(), point+" ") {
			if count--; count == 0 {
				time.AfterFunc(time.Duration(rand.IntN(5000))*time.Microsecond, func() { _ = cmd.Process.Kill() })
			}
		}
	}
	_ = cmd.Wait() // it was killed
	if count > 0 {
		t.Errorf("life %d ended before its point (%s, %d to go): %s", n, point, count, stderr.String())
	}
	return said
}

// TestF01KilledAtRandom: whatever the moment, what was promised is there.
func TestF01KilledAtRandom(t *testing.T) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		killed(t, storetest.SQLite(t))
	})
	t.Run("Postgres", func(t *testing.T) {
		t.Parallel()
		killed(t, storetest.StartPostgres(t).New(t))
	})
}

func killed(t *testing.T, url string) {
	lives := 6 * len(points)
	if testing.Short() {
		lives = 2 * len(points)
	}
	bought, said := map[string]int{}, map[string][]string{}
	replied := map[string]bool{}
	for n := range lives {
		for _, line := range life(t, url, n) {
			word, rest, _ := strings.Cut(line, " ")
			switch said[word] = append(said[word], rest); word {
			case "error":
				t.Error(line)
			case "bought":
				if bought[rest]++; replied[rest] || bought[rest] > 2 {
					t.Errorf("%s was bought %d times, its reply stored before: %v", rest, bought[rest], replied[rest])
				}
			case "replied":
				replied[rest] = true
			}
		}
	}
	s, ctx := open(t, url), t.Context()
	if err := s.Integrity(ctx); err != nil {
		t.Error(err)
	}
	ids, err := s.Deliveries(ctx, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(ids)
	for _, id := range said["accepted"] {
		if _, ok := slices.BinarySearch(ids, id); !ok {
			t.Errorf("I1: %s was answered fresh and is not stored", id)
		}
	}
	for _, id := range said["finished"] {
		if r, err := s.Run(ctx, id); err != nil || r.State != task.StateDone {
			t.Errorf("%s was finished and is %s %v", id, r.State, err)
		}
	}
	claims := slices.Clone(said["claimed"])
	slices.Sort(claims)
	if len(slices.Compact(claims)) != len(said["claimed"]) {
		t.Error("one fencing token of a run was given out twice")
	}
	if len(said["accepted"]) == 0 || len(said["finished"]) == 0 {
		t.Errorf("%d accepted, %d finished: the victims did nothing", len(said["accepted"]), len(said["finished"]))
	}
	t.Logf("%d lives: %d accepted, %d claimed, %d finished", lives, len(said["accepted"]), len(said["claimed"]), len(said["finished"]))
	goesOn(t, url)
}

// goesOn: nothing is held for ever by the killed.
func goesOn(t *testing.T, url string) {
	later := func() time.Time { return time.Now().Add(time.Hour) }
	s, err := store.Open(t.Context(), url, store.Config{Now: later})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Sweep(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
	for _, state := range []task.State{task.StateRunning, task.StateParked} {
		if runs, err := s.Runs(t.Context(), store.Filter{State: state}); err != nil || len(runs) > 0 {
			t.Errorf("%d runs of killed workers are still %s: %v", len(runs), state, err)
		}
	}
}

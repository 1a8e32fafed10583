package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

func testFair(t *testing.T, h *harness) {
	s := h.open()
	repos := map[string]int{"big": 12, "mid": 4, "small": 2}
	for _, repo := range []string{"big", "mid", "small"} {
		for i := range repos[repo] {
			h.create(s, ask(fmt.Sprintf("%s-%02d", repo, i), repo, i+1))
		}
		h.Advance(time.Millisecond)
	}
	last, next := map[string]int{}, map[string]int{}
	for turn := 1; turn <= 18; turn++ {
		l, run := h.claim(s)
		repo := run.Task.Repo.Name
		if want := fmt.Sprintf("%s-%02d", repo, next[repo]); run.ID != want {
			t.Errorf("turn %d: %s, want %s: first come, first served inside a repository", turn, run.ID, want)
		}
		next[repo]++
		if wait := turn - last[repo]; wait > len(repos) {
			t.Errorf("turn %d: %s waited %d turns with %d repositories", turn, repo, wait, len(repos))
		}
		last[repo] = turn
		if turn == 5 {
			h.create(s, ask("late-00", "late", 1))
			repos["late"], last["late"] = 1, turn
		}
		if repo == "late" && turn != 6 {
			t.Errorf("a repository never served came at turn %d, want 6", turn)
		}
		if turn == 2 { // given back, it keeps its place in its repository
			h.must(s.Release(t.Context(), l))
			next[repo]--
			continue
		}
		h.finish(s, l, task.Success)
	}
}

func testClaimRace(t *testing.T, h *harness) {
	stores, ctx := []*store.Store{h.open(), h.open()}, t.Context()
	const runs = 60
	for i := range runs {
		h.create(stores[0], ask(name("r", i), name("repo", i%7), i+1))
	}
	var mu sync.Mutex
	seen := map[string]int{}
	together(12, func(i int) {
		for {
			l, run, err := stores[i%2].Claim(ctx)
			if err != nil {
				t.Error(err)
				return
			}
			if l == nil {
				return
			}
			mu.Lock()
			seen[run.ID]++
			mu.Unlock()
			if run.State != task.StateRunning || l.RunID != run.ID || l.Token != 1 {
				t.Errorf("lease %+v on %+v", l, run)
			}
		}
	})
	for id, n := range seen {
		if n != 1 {
			t.Errorf("%s was claimed %d times", id, n)
		}
	}
	if len(seen) != runs {
		t.Errorf("%d of %d runs were claimed", len(seen), runs)
	}
}

// testFairTogether: workers that claim at once are given what they would be given one
// after the other: each repository's turn, and each repository's first runs.
func testFairTogether(t *testing.T, h *harness) {
	s, ctx := h.open(), t.Context()
	const repos, rounds = 5, 3
	for _, repo := range []int{3, 1, 4, 0, 2} {
		for i := range 4 {
			h.create(s, ask(fmt.Sprintf("r%d-%d", repo, i), name("repo", repo), i+1))
		}
	}
	var mu sync.Mutex
	got := map[string][]string{}
	together(repos*rounds, func(int) {
		l, run, err := s.Claim(ctx)
		if err != nil || l == nil {
			t.Error(l, err)
			return
		}
		mu.Lock()
		got[run.Task.Repo.Name] = append(got[run.Task.Repo.Name], run.ID)
		mu.Unlock()
	})
	for repo, ids := range got {
		if slices.Sort(ids); len(ids) != rounds || !strings.HasSuffix(ids[0], "-0") || !strings.HasSuffix(ids[rounds-1], fmt.Sprintf("-%d", rounds-1)) {
			t.Errorf("%s was given %v", repo, ids)
		}
	}
	_, run := h.claim(s) // whose turn it is now is known, too
	if run.ID != "r3-3" {
		t.Errorf("after %d rounds it is the turn of %s", rounds, run.ID)
	}

	gone, cancel := context.WithCancel(ctx) // who is not there any more takes nothing
	cancel()
	if l, _, err := s.Claim(gone); l != nil || err == nil {
		t.Errorf("%v %v", l, err)
	}
	if _, run = h.claim(s); run.ID != "r1-3" {
		t.Errorf("then it is the turn of %s", run.ID)
	}
}

func testPrivate(t *testing.T, h *harness) {
	s, ctx := h.open(), t.Context()
	nr := ask("cli", "shop", 0)
	nr.Task.Origin, nr.Task.Repo = task.OriginCLI, task.Repo{Dir: "/home/Me/shop"}
	h.create(s, nr)
	if l, _, err := s.Claim(ctx); err != nil || l != nil {
		t.Errorf("a server was given a run of the command line: %v %v", l, err)
	}
	l, run, err := s.ClaimRun(ctx, "cli")
	h.must(err)
	if run.State != task.StateRunning || run.Task.Repo.Dir != "/home/Me/shop" {
		t.Errorf("claimed %+v", run)
	}
	_, _, err = s.ClaimRun(ctx, "cli")
	h.is(err, store.ErrHeld)
	h.Advance(61 * time.Second) // its maker was killed; the next one takes it up
	l2, _, err := s.ClaimRun(ctx, "cli")
	h.must(err)
	_, err = s.Heartbeat(ctx, l)
	h.is(err, store.ErrFenced)
	if l2.Crashes != 1 {
		t.Errorf("crashes %d", l2.Crashes)
	}
	h.finish(s, l2, task.Success)
	_, _, err = s.ClaimRun(ctx, "cli")
	h.is(err, store.ErrDone)
	_, _, err = s.ClaimRun(ctx, "nope")
	h.is(err, store.ErrNotFound)
}

func testFenced(t *testing.T, h *harness) {
	s, other, ctx := h.open(), h.open(), t.Context()
	h.create(s, ask("r1", "shop", 1))
	old, _ := h.claim(s)
	_, err := s.Reserve(ctx, old, task.Reservation{ID: "open", Worst: 5})
	h.must(err)
	h.Advance(59 * time.Second)
	if n, err := other.Sweep(ctx, time.Minute); err != nil || n != 0 {
		t.Fatalf("swept %d before its time: %v", n, err)
	}
	h.Advance(2 * time.Second)
	if n, err := other.Sweep(ctx, time.Minute); err != nil || n != 1 {
		t.Fatalf("swept %d, want 1: %v", n, err)
	}
	h.is(s.Check(ctx, old), store.ErrFenced) // already before anybody else has it
	now, _ := h.claim(other)
	if now.Token <= old.Token || now.Crashes != 1 {
		t.Errorf("token %d after %d, crashes %d", now.Token, old.Token, now.Crashes)
	}
	before, err := s.Run(ctx, "r1")
	h.must(err)
	for what, f := range map[string]func() error{
		"Heartbeat":   func() error { _, err := s.Heartbeat(ctx, old); return err },
		"Check":       func() error { return s.Check(ctx, old) },
		"SaveState":   func() error { return s.SaveState(ctx, old, task.RunState{Phase: "stale"}) },
		"SetProgress": func() error { return s.SetProgress(ctx, old, task.Tier1, 9, 9) },
		"Park":        func() error { return s.Park(ctx, old, h.Now(), "stale") },
		"Release":     func() error { return s.Release(ctx, old) },
		"Finish":      func() error { return s.Finish(ctx, old, task.Result{Outcome: task.Error}, "stale") },
		"Record":      func() error { return s.Record(ctx, old, task.Message{}) },
		"Decide":      func() error { return s.Decide(ctx, old, task.Decision{}) },
		"Reserve":     func() error { _, err := s.Reserve(ctx, old, task.Reservation{ID: "a"}); return err },
		"Settle":      func() error { return s.Settle(ctx, old, "open", 1, json.RawMessage("1")) },
		"Once": func() error {
			_, err := s.Once(ctx, old, "k", func(_ context.Context, again bool) (json.RawMessage, error) {
				t.Error("a stale worker acted outside")
				return nil, nil
			})
			return err
		},
	} {
		if err := f(); err == nil {
			t.Errorf("%s with a stale lease succeeded", what)
		} else {
			h.is(err, store.ErrFenced)
		}
	}
	after, err := s.Run(ctx, "r1")
	h.must(err)
	if fmt.Sprintf("%+v", before) != fmt.Sprintf("%+v", after) {
		t.Errorf("a stale worker changed the run:\n%+v\n%+v", before, after)
	}
	h.finish(other, now, task.Success)
	_, err = other.Heartbeat(ctx, now) // a finished run's lease is stale too
	h.is(err, store.ErrFenced)
}

// testClockJumps: an hour or a day, both ways, never lets two hold a run, and
// never keeps one from being taken up again.
func testClockJumps(t *testing.T, h *harness) {
	s, ctx := h.open(), t.Context()
	for i, jump := range []time.Duration{time.Hour, -time.Hour, 24 * time.Hour, -24 * time.Hour} {
		h.create(s, ask(name("r", i), "shop", i+1))
		lost, _ := h.claim(s)
		h.Advance(jump)
		if n, err := s.Sweep(ctx, time.Minute); err != nil || n != 1 {
			t.Errorf("after %v: swept %d, %v", jump, n, err)
		}
		now, _ := h.claim(s)
		h.is(s.Check(ctx, lost), store.ErrFenced)
		h.must(s.Check(ctx, now))
		if l, _, err := s.Claim(ctx); err != nil || l != nil {
			t.Errorf("after %v a second claim succeeded: %v %v", jump, l, err)
		}
		h.finish(s, now, task.Success)
	}
}

func testPark(t *testing.T, h *harness) {
	s, ctx := h.open(), t.Context()
	h.create(s, ask("r1", "shop", 1))
	l, _ := h.claim(s)
	until := h.Now().Add(10 * time.Minute)
	h.must(s.SaveState(ctx, l, task.RunState{Version: 1, Phase: "baseline"}))
	h.must(s.Park(ctx, l, until, "rate limited"))
	h.is(s.Check(ctx, l), store.ErrFenced)
	run, err := s.Run(ctx, "r1")
	h.must(err)
	if run.State != task.StateParked || !run.NotBefore.Equal(until.Truncate(time.Microsecond)) || run.Reason != "rate limited" {
		t.Errorf("parked as %+v", run)
	}
	h.Advance(9 * time.Minute)
	n, err := s.Sweep(ctx, time.Minute)
	h.must(err)
	if l, _, err := s.Claim(ctx); n != 0 || l != nil || err != nil {
		t.Errorf("it came back before its time: %d %v %v", n, l, err)
	}
	h.Advance(time.Minute)
	if n, err = s.Sweep(ctx, time.Minute); n != 1 || err != nil {
		t.Errorf("swept %d %v", n, err)
	}
	l2, run := h.claim(s)
	if l2.Token <= l.Token || l2.Crashes != 0 || run.Saved.Phase != "baseline" || run.StartedAt.IsZero() {
		t.Errorf("back as %+v %+v", l2, run)
	}
	h.must(s.Park(ctx, l2, h.Now().Add(time.Hour), "waits"))
	l3, _, err := s.ClaimRun(ctx, "r1") // by name, at once
	h.must(err)
	h.finish(s, l3, task.Success)
}

func testCancel(t *testing.T, h *harness) {
	s, ctx := h.open(), t.Context()
	h.create(s, ask("queued", "shop", 1))
	h.must(s.AskCancel(ctx, "queued", "label removed"))
	run, err := s.Run(ctx, "queued")
	h.must(err)
	if run.State != task.StateDone || run.Outcome != task.Cancelled || run.Reason != "label removed" || run.EndedAt.IsZero() || run.Result == nil {
		t.Errorf("never began: %+v", run)
	}
	h.create(s, ask("running", "shop", 2))
	l, _ := h.claim(s)
	if reason, err := s.Heartbeat(ctx, l); err != nil || reason != "" {
		t.Errorf("heartbeat %q %v", reason, err)
	}
	h.must(s.AskCancel(ctx, "running", ""))
	h.must(s.AskCancel(ctx, "running", "second reason"))
	if reason, err := s.Heartbeat(ctx, l); err != nil || reason != "cancelled" {
		t.Errorf("heartbeat %q %v, want the first reason", reason, err)
	}
	// Parking or releasing it now brings it back to a worker that ends it.
	h.must(s.Park(ctx, l, h.Now().Add(time.Hour), "rate limited"))
	l, run = h.claim(s)
	if run.ID != "running" || !run.CancelAsked {
		t.Errorf("claimed %+v", run)
	}
	// Who came to end it and may not speak yet waits, instead of spinning.
	h.must(s.Park(ctx, l, h.Now().Add(time.Hour), "rate limited"))
	if l, run, err := s.Claim(ctx); l != nil || err != nil {
		t.Errorf("claimed %+v %v before its time", run, err)
	}
	h.Advance(2 * time.Hour)
	if _, err := s.Sweep(ctx, time.Minute); err != nil {
		t.Error(err)
	}
	l, _ = h.claim(s)
	h.finish(s, l, task.Cancelled)

	h.create(s, ask("parked", "shop", 3))
	l, _ = h.claim(s)
	h.must(s.Park(ctx, l, h.Now().Add(time.Hour), "rate limited"))
	h.must(s.AskCancel(ctx, "parked", "stop"))
	l, run = h.claim(s)
	if run.ID != "parked" || run.CancelReason != "stop" {
		t.Errorf("claimed %+v", run)
	}
	h.finish(s, l, task.Cancelled)
	h.must(s.AskCancel(ctx, "parked", "after its end"))
	h.is(s.AskCancel(ctx, "nope", ""), store.ErrNotFound)
	if id, err := s.CancelIssue(ctx, 1, "acme/shop", 3, ""); id != "" || err != nil {
		t.Errorf("cancelled %q %v", id, err)
	}
}

func testDone(t *testing.T, h *harness) {
	s, ctx := h.open(), t.Context()
	h.create(s, ask("r1", "shop", 1))
	l, _ := h.claim(s)
	res := task.Result{RunID: "r1", Outcome: task.Success, Tier: task.Tier2, Cost: 42, Attempts: make([]task.Attempt, 3), NextAction: "review"}
	h.must(s.Finish(ctx, l, res, "green"))
	want, err := s.Run(ctx, "r1")
	h.must(err)
	if want.Outcome != task.Success || want.Reason != "green" || want.Cost != 42 || want.Attempts != 3 || want.Tier != task.Tier2 || want.Result == nil || want.Result.NextAction != "review" {
		t.Errorf("ended as %+v", want)
	}
	h.is(s.Finish(ctx, l, task.Result{Outcome: task.Error}, "again"), store.ErrFenced)
	h.must(s.AskCancel(ctx, "r1", "late"))
	h.Advance(48 * time.Hour)
	if n, err := s.Sweep(ctx, time.Minute); n != 0 || err != nil {
		t.Errorf("swept %d %v", n, err)
	}
	if l, _, err := s.Claim(ctx); l != nil || err != nil {
		t.Errorf("claimed %v %v", l, err)
	}
	if got, _ := s.Run(ctx, "r1"); fmt.Sprintf("%+v", *got.Result) != fmt.Sprintf("%+v", *want.Result) || got.State != task.StateDone || got.CancelAsked {
		t.Errorf("it changed after its end: %+v", got)
	}
}

// testLongQueue: many runs of many repositories, taken by workers some of which die. Each
// run ends once, no repository with work waits more than twice its turn, and neither the
// queue nor those who died take memory.
func testLongQueue(t *testing.T, h *harness) {
	s, ctx := h.open(), t.Context()
	runs, repos := 10_000, 200
	if testing.Short() {
		runs, repos = 300, 20
	}
	for i := range runs {
		h.create(s, ask(name("r", i), name("repo", i%repos), i/repos+1))
	}
	var (
		memory   runtime.MemStats
		most     uint64
		ended    = map[string]int{}
		last     = map[string]int{} // the turn at which a repository was served
		turn     int
		finished int
		working  []*store.Lease
	)
	for len(ended) < runs {
		l, run, err := s.Claim(ctx)
		h.must(err)
		if l != nil {
			turn++
			repo := run.Task.Repo.Name
			if wait := turn - last[repo]; wait > 2*repos {
				t.Fatalf("turn %d: %s waited %d turns with %d repositories", turn, repo, wait, repos)
			}
			last[repo] = turn
			working = append(working, l)
		}
		if l == nil && len(working) == 0 {
			t.Fatalf("%d of %d runs ended, and there is nothing to claim", len(ended), runs)
		}
		if l == nil || len(working) == 50 {
			for _, l := range working {
				if finished++; finished%40 != 0 { // the fortieth dies over it
					h.finish(s, l, task.Success)
					ended[l.RunID]++
				}
			}
			working = nil
			h.Advance(2 * time.Minute)
			_, err := s.Sweep(ctx, time.Minute)
			h.must(err)
			runtime.ReadMemStats(&memory)
			most = max(most, memory.HeapAlloc)
		}
	}
	for id, n := range ended {
		if n != 1 || h.state(s, id) != task.StateDone {
			t.Errorf("%s ended %d times and is %s", id, n, h.state(s, id))
		}
	}
	if most > 300<<20 {
		t.Errorf("%d MiB of memory", most>>20)
	}
	t.Logf("%d runs of %d repositories, %d deaths, %d MiB at most", runs, repos, finished/40, most>>20)
}

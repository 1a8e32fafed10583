package storetest

import (
	"bytes"
	"sync"
	"testing"

	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

func testCommits(t *testing.T, h *harness) {
	s, ctx := h.open(), t.Context()
	h.create(s, ask("r1", "shop", 1))
	l, _ := h.claim(s)
	stale := *l
	h.must(s.Made(ctx, l, "aaaa"))
	h.must(s.Made(ctx, l, "aaaa"))
	l = h.crash(s)
	h.is(s.Made(ctx, &stale, "bbbb"), store.ErrFenced)
	h.must(s.Finish(ctx, l, task.Result{Outcome: task.Success}, ""))
	h.create(s, ask("r2", "shop", 2))
	h.create(s, ask("r3", "other", 1))
	other := h.open() // another process
	for range 2 {
		l, run := h.claim(other)
		for sha, want := range map[string]bool{"aaaa": run.ID == "r2", "bbbb": false} {
			if ours, err := other.IsOurs(ctx, l.RunID, sha); err != nil || ours != want {
				t.Errorf("%s of %s: %v %v", sha, run.ID, ours, err)
			}
		}
	}
}

func testSecrets(t *testing.T, h *harness) {
	s, other := h.open(), h.open()
	var mu sync.Mutex
	seen := map[string]int{}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			db := map[bool]*store.Store{true: s, false: other}[i%2 == 0]
			key, err := db.Secret(t.Context(), "markers")
			if err != nil || len(key) < 32 {
				t.Errorf("%x %v", key, err)
			}
			mu.Lock()
			defer mu.Unlock()
			seen[string(key)]++
		})
	}
	wg.Wait()
	key, err := s.Secret(t.Context(), "else")
	if err != nil || len(seen) != 1 || seen[string(key)] > 0 || bytes.Equal(key, make([]byte, len(key))) {
		t.Errorf("%d keys of one name; another name %x %v", len(seen), key, err)
	}
}

func testKilled(t *testing.T, h *harness) {
	s, ctx := h.open(), t.Context()
	for _, id := range []string{"dead", "never", "lives"} {
		nr := ask(id, "", 0)
		nr.Task.Origin, nr.Task.Repo, nr.Task.Issue = task.OriginCLI, task.Repo{Dir: "/w/" + id}, 0
		h.create(s, nr)
	}
	h.create(s, ask("served", "shop", 1)) // a server's: it is taken up again, not ended
	_, _, err := s.ClaimRun(ctx, "served")
	h.must(err)
	dead, _, err := s.ClaimRun(ctx, "dead")
	h.must(err)
	lives, _, err := s.ClaimRun(ctx, "lives")
	h.must(err)
	_, err = s.Reserve(ctx, dead, task.Reservation{ID: "1/1", Tier: task.Tier1, Worst: 70})
	h.must(err)
	h.must(s.Settle(ctx, dead, "1/1", 30, nil))
	h.must(s.SaveState(ctx, dead, task.RunState{Attempts: []task.Attempt{{Number: 1, Diff: "d"}}, Worked: 5}))
	if n, err := s.EndAbandoned(ctx); n != 0 || err != nil {
		t.Errorf("%d fresh runs were ended: %v", n, err)
	}
	h.Advance(2 * store.DefaultStale)
	_, err = s.Heartbeat(ctx, lives)
	h.must(err)
	if n, err := s.EndAbandoned(ctx); n != 2 || err != nil {
		t.Errorf("%d runs were ended: %v", n, err)
	}
	for id, want := range map[string]task.State{"dead": task.StateDone, "never": task.StateDone, "lives": task.StateRunning, "served": task.StateRunning} {
		r, err := s.Run(ctx, id)
		if err != nil || r.State != want || want == task.StateDone && (r.Outcome != task.Error || r.Reason == "") {
			t.Errorf("%s is %s/%s: %q %v", id, r.State, r.Outcome, r.Reason, err)
		}
		if id == "dead" && (r.Cost != 30 || len(r.Result.Attempts) != 1 || r.Result.Elapsed != 5) {
			t.Errorf("what it tried and spent is lost: %v %+v", r.Cost, r.Result)
		}
	}
	h.is(s.SaveState(ctx, dead, task.RunState{}), store.ErrFenced) // SIGSTOP, then continued
	h.must(s.Integrity(ctx))
}

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
			if ours, err := other.IsOurs(ctx, l, sha); err != nil || ours != want {
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

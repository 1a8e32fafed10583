package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/store"
)

// testHeal: a result counts once, whatever comes at the same time; a change that fails
// leaves nothing; what was told of a move is told.
func testHeal(t *testing.T, h *harness) {
	s, ctx := h.open(), t.Context()
	k, all := store.HealKey{Installation: 7, Repo: "Acme/Shop", Class: "fix"}, store.HealKey{}
	count := func(docs map[store.HealKey]json.RawMessage, now time.Time) (store.HealChange, error) {
		out := store.HealChange{Bodies: map[store.HealKey]json.RawMessage{}}
		for _, key := range []store.HealKey{k, all} {
			n, _ := strconv.Atoi(string(docs[key])) // nothing is none
			out.Bodies[key] = json.RawMessage(strconv.Itoa(n + 1))
			if n == 19 {
				out.Moves = append(out.Moves, store.HealMove{ID: "m" + key.Class, Key: key, At: now, Body: json.RawMessage(`{"n":20}`)})
			}
		}
		return out, nil
	}
	var work sync.WaitGroup
	for i := range 20 {
		for range 2 {
			work.Go(func() {
				if _, _, err := s.Heal(ctx, store.HealResult{ID: fmt.Sprint(i), Key: k, Run: "r", Step: "s", Cause: "watchdog_timeout"}, []store.HealKey{k, all}, count); err != nil {
					t.Error(err)
				}
			})
		}
	}
	work.Wait()
	bad := errors.New("it cannot be read")
	if _, _, err := s.Heal(ctx, store.HealResult{ID: "bad", Key: k}, []store.HealKey{k}, func(map[store.HealKey]json.RawMessage, time.Time) (store.HealChange, error) {
		return store.HealChange{}, bad
	}); !errors.Is(err, bad) {
		t.Errorf("%v", err)
	}
	docs, err := s.HealDocs(ctx, k, all)
	if err != nil || string(docs[k]) != "20" || string(docs[all]) != "20" {
		t.Errorf("%v %v", docs, err)
	}
	if fresh, _, err := s.Heal(ctx, store.HealResult{ID: "bad", Key: k}, nil, count); err != nil || !fresh {
		t.Errorf("what failed was kept: %v", err)
	}
	keys, err := s.HealKeys(ctx)
	if err != nil || len(keys) != 2 || keys[0] != all || keys[1].Repo != "acme/shop" {
		t.Errorf("%+v %v", keys, err)
	}
	moves, err := s.HealMoves(ctx, "m", true, 10)
	if err != nil || len(moves) != 2 {
		t.Fatalf("%+v %v", moves, err)
	}
	h.must(s.HealTold(ctx, moves[0].ID))
	if left, err := s.HealMoves(ctx, "", true, 10); err != nil || len(left) != 1 || left[0].ID != moves[1].ID || string(left[0].Body) != `{"n":20}` {
		t.Errorf("%+v %v", left, err)
	}
	mine, err := s.HealResults(ctx, k, time.Time{}, 5)
	if err != nil || len(mine) != 5 || mine[0].Cause != "watchdog_timeout" {
		t.Errorf("%+v %v", mine, err)
	}
	h.must(s.Alive(ctx))
}

// testPruned: of moves the last so many are kept, and of turns those that somebody may
// still ask for.
func testPruned(t *testing.T, h *harness) {
	s, ctx := h.open(), t.Context()
	k := store.HealKey{Installation: 7, Repo: "acme/shop", Class: "fix"}
	const more = 5
	_, _, err := s.Heal(ctx, store.HealResult{}, []store.HealKey{k}, func(_ map[store.HealKey]json.RawMessage, now time.Time) (out store.HealChange, err error) {
		for i := range store.KeptMoves + more {
			out.Moves = append(out.Moves, store.HealMove{ID: name("m", i), Key: k, At: now, Body: json.RawMessage("{}")})
		}
		return out, nil
	})
	h.must(err)
	moves, err := s.HealMoves(ctx, "", false, 2*store.KeptMoves)
	if err != nil || len(moves) != store.KeptMoves || moves[len(moves)-1].ID != name("m", more) {
		t.Errorf("%d moves are kept, %v", len(moves), err)
	}
	for i := range 4 { // the second is asked for again before it is dropped
		for _, turn := range []string{"often", name("once", i)} {
			if mine, err := s.Turn(ctx, turn, time.Hour); err != nil || !mine {
				t.Errorf("%s in month %d: %v %v", turn, i, mine, err)
			}
		}
		h.Advance(31 * 24 * time.Hour)
	}
	if got := Dump(t, h.url)["turns.name"]; len(got) != 2 {
		t.Errorf("turns are kept: %v", got)
	}
}

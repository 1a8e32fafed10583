package storetest

import (
	"strings"
	"sync"
	"testing"

	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

func testOneLiveRun(t *testing.T, h *harness) {
	stores, ctx := []*store.Store{h.open(), h.open()}, t.Context()
	var mu sync.Mutex
	first, ids := 0, map[string]int{}
	together(100, func(i int) {
		repo := "shop"
		if i%3 == 0 {
			repo = "Shop" // GitHub's names ignore case
		}
		run, joined, err := stores[i%2].CreateRun(ctx, ask(name("r", i), repo, 7))
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			t.Error(err)
			return
		}
		ids[run.ID]++
		if !joined {
			first++
		}
	})
	if first != 1 || len(ids) != 1 {
		t.Errorf("%d runs were made; answers %v", first, ids)
	}
	live, err := stores[0].LiveRun(ctx, 1, "acme/shop", 7)
	h.must(err)
	if live == nil || ids[live.ID] != 100 || live.Task.Generation != 1 {
		t.Errorf("live run %+v", live)
	}
	for _, other := range []store.NewRun{ask("x1", "shop", 8), ask("x2", "till", 7), ask("x3", "shop", 0), ask("x4", "shop", 0)} {
		h.create(stores[0], other) // another issue, another repository, no issue: never joins
	}
	foreign := ask("x5", "shop", 7)
	foreign.Task.Repo.Installation = 2
	h.create(stores[0], foreign) // X5: another installation
}

func testGenerations(t *testing.T, h *harness) {
	s, ctx := h.open(), t.Context()
	for generation := 1; generation <= 3; generation++ {
		nr := ask(name("g", generation), "shop", 1)
		nr.Delivery = name("d", generation)
		run := h.create(s, nr)
		if run.Task.Generation != generation {
			t.Errorf("generation %d, want %d", run.Task.Generation, generation)
		}
		joiner := ask(name("j", generation), "shop", 1)
		joiner.Delivery = name("jd", generation)
		if _, joined, err := s.CreateRun(ctx, joiner); err != nil || !joined {
			t.Errorf("joined %v, %v", joined, err)
		}
		l, _ := h.claim(s)
		h.finish(s, l, task.Success)
		// The same deliveries handled again, after the end: same answers, no new run.
		again, joined, err := s.CreateRun(ctx, nr)
		h.must(err)
		nr.ID = "another-id"
		again2, joined2, err := s.CreateRun(ctx, nr)
		h.must(err)
		again3, joined3, err := s.CreateRun(ctx, joiner)
		h.must(err)
		if again.ID != run.ID || joined || again2.ID != run.ID || joined2 || again3.ID != run.ID || !joined3 {
			t.Errorf("asked again: %s %v, %s %v, %s %v", again.ID, joined, again2.ID, joined2, again3.ID, joined3)
		}
	}
	if live, err := s.LiveRun(ctx, 1, "acme/shop", 1); err != nil || live != nil {
		t.Errorf("live after the end: %v %v", live, err)
	}
	if _, _, err := s.CreateRun(ctx, ask("g001", "till", 1)); err == nil || !strings.Contains(err.Error(), "taken") {
		t.Errorf("an id used twice for different issues: %v", err)
	}
}

// testFollow: label off and on again while the run is still ending.
func testFollow(t *testing.T, h *harness) {
	s, ctx := h.open(), t.Context()
	h.create(s, ask("r1", "shop", 1))
	l, _ := h.claim(s)
	id, err := s.CancelIssue(ctx, 1, "Acme/shop", 1, "label removed")
	h.must(err)
	again := ask("r2", "shop", 1)
	again.Task.Title = "with another title"
	if run, joined, err := s.CreateRun(ctx, again); err != nil || !joined || run.ID != "r1" || id != "r1" {
		t.Errorf("joined %v %v %v %v", run.ID, joined, err, id)
	}
	h.finish(s, l, task.Cancelled)
	l2, run := h.claim(s)
	if run.ID != "r2" || run.Task.Generation != 2 || run.Task.Title != "with another title" || run.CancelAsked {
		t.Errorf("after the cancelled run: %+v", run)
	}
	// Off, on, off: the last word is off.
	h.must(s.AskCancel(ctx, "r2", "label removed"))
	_, _, err = s.CreateRun(ctx, ask("r3", "shop", 1))
	h.must(err)
	h.must(s.AskCancel(ctx, "r2", "label removed again"))
	h.finish(s, l2, task.Cancelled)
	if l, run, err := s.Claim(ctx); err != nil || l != nil {
		t.Errorf("a run was made against the last word: %v %v", run.ID, err)
	}
}

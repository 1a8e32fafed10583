package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// testForget: what an installation left is deleted, of every table; what others
// left stays, and so does what it cost (SPEC X6, L5).
func testForget(t *testing.T, h *harness) {
	caps := func(c *store.Config) { c.Caps = task.Caps{ServerMonth: task.Dollars(1)} }
	s, ctx := h.open(caps), t.Context()
	const secret = "sightglass"
	of := func(id string, installation int64, owner, words string) store.NewRun {
		return store.NewRun{ID: id, Delivery: "d-" + id, Budget: task.Budget{USD: task.Dollars(5)},
			Task: task.Task{Title: words, Issue: 1, Origin: task.OriginLabel, Repo: task.Repo{Installation: installation, Owner: owner, Name: "shop"}}}
	}
	payload := func(owner, words string) []byte {
		return []byte(`{"repository":{"full_name":"` + owner + `/shop"},"x":"` + words + ` \u00fc"}`)
	}
	for _, d := range []store.Delivery{{ID: "d-gone", Installation: 7, Payload: payload("Gone", secret)}, {ID: "d-stays", Installation: 8, Payload: payload("stays", "harmless")}, {ID: "d-late", Installation: 7, Payload: payload("gone", secret)}} {
		if _, err := s.Accept(ctx, d); err != nil {
			t.Fatal(err)
		}
	}
	fill := func(nr store.NewRun, words string) {
		h.create(s, nr)
		l, _, err := s.ClaimRun(ctx, nr.ID)
		h.must(err)
		h.must(s.SaveState(ctx, l, task.RunState{Reason: words}))
		h.must(s.Record(ctx, l, task.Message{Data: json.RawMessage(`"` + words + `"`)}))
		h.must(s.Decide(ctx, l, task.Decision{Kind: words}))
		_, err = s.Effect(ctx, l, task.Effect{Kind: words})
		h.must(err)
		h.must(s.Observe(ctx, l, []json.RawMessage{json.RawMessage(`"` + words + `"`)}))
		h.must(s.Made(ctx, l, words))
		_, err = s.Once(ctx, l, nr.ID+":x", func(context.Context, bool) (json.RawMessage, error) {
			return json.RawMessage(`"` + words + `"`), nil
		})
		h.must(err)
		_, err = s.Reserve(ctx, l, task.Reservation{ID: "c1", Tier: task.Tier1, Worst: task.Dollars(0.4)})
		h.must(err)
		h.must(s.Settle(ctx, l, "c1", task.Dollars(0.4), json.RawMessage(`"`+words+`"`)))
		k := store.HealKey{Installation: nr.Task.Repo.Installation, Repo: nr.Task.Repo.Slug(), Class: words}
		_, _, err = s.Heal(ctx, store.HealResult{ID: words, Key: k, Run: nr.ID, Step: words, Cause: words, Words: words}, []store.HealKey{k}, func(map[store.HealKey]json.RawMessage, time.Time) (store.HealChange, error) {
			doc := json.RawMessage(`"` + words + `"`)
			return store.HealChange{Bodies: map[store.HealKey]json.RawMessage{k: doc}, Moves: []store.HealMove{{ID: words, Key: k, Body: doc}}}, nil
		})
		h.must(err)
		h.must(s.KeepResult(ctx, nr.Task.Repo.Installation, nr.Task.Repo.Slug(), words, json.RawMessage(`"`+words+`"`)))
		h.must(s.Finish(ctx, l, task.Result{Outcome: task.Success, Reason: words}, words))
	}
	fill(of("gone", 7, "Gone", secret), secret)
	fill(of("stays", 8, "stays", "harmless"), "harmless")
	if _, _, err := s.Command(ctx, 7, secret, "d-gone", 5, time.Hour); err != nil {
		t.Fatal(err)
	}
	live := of("live", 7, "Gone", secret) // its second run is live
	live.Delivery = "d-late"
	h.create(s, live)
	h.must(s.AskRemoval(ctx, 7, ""))
	h.must(s.AskRemoval(ctx, 7, ""))
	asked, err := s.Removals(ctx)
	if err != nil || len(asked) != 1 || asked[0].Installation != 7 {
		t.Fatalf("%+v %v", asked, err)
	}
	if done, err := s.Forget(ctx, asked[0]); err != nil || done {
		t.Fatalf("deleted under a live run: %v %v", done, err)
	}
	h.must(s.AskCancel(ctx, "live", "uninstalled"))
	if done, err := s.Forget(ctx, asked[0]); err != nil || !done {
		t.Fatalf("%v %v", done, err)
	}
	stays := 0
	for column, values := range Dump(t, h.url) {
		for _, v := range values {
			if strings.Contains(v, secret) || strings.Contains(strings.ToLower(v), "gone") || strings.HasSuffix(column, ".installation") && v == "7" {
				t.Errorf("%s still holds %q", column, v)
			}
			if strings.Contains(v, "harmless") {
				stays++
			}
		}
	}
	if stays < 8 {
		t.Errorf("of the other installation %d values are left", stays)
	}
	if path, ok := strings.CutPrefix(h.url, "sqlite:"); ok || !strings.Contains(h.url, "://") {
		for _, end := range []string{"", "-wal"} {
			if raw, err := os.ReadFile(path + end); err == nil && strings.Contains(string(raw), secret) {
				t.Errorf("the bytes of the file%s still hold it", end)
			}
		}
	}
	if left, err := s.Installations(ctx); err != nil || len(left) != 1 || left[0] != 8 {
		t.Errorf("left: %v %v", left, err)
	}
	// the money is not forgotten
	next := of("next", 8, "stays", "harmless")
	next.Task.Issue = 2
	h.create(s, next)
	l, _, err := s.ClaimRun(ctx, "next")
	h.must(err)
	var poor *store.CapError
	if _, err := s.Reserve(ctx, l, task.Reservation{ID: "c1", Tier: task.Tier1, Worst: task.Dollars(0.4)}); !errors.As(err, &poor) || poor.Spent != task.Dollars(0.8) {
		t.Errorf("the cap forgets with the data: %v", err)
	}
}

// testForgetRepo: one repository of an installation is deleted, the others stay.
func testForgetRepo(t *testing.T, h *harness) {
	s, ctx := h.open(), t.Context()
	for id, name := range map[string]string{"r1": "gone", "r2": "stays"} {
		if _, err := s.Accept(ctx, store.Delivery{ID: "d-" + id, Installation: 7, Payload: []byte(`{"repository":{"full_name":"Acme/` + name + `"}}`)}); err != nil {
			t.Fatal(err)
		}
		h.create(s, store.NewRun{ID: id, Delivery: "d-" + id, Task: task.Task{Issue: 1, Origin: task.OriginLabel, Repo: task.Repo{Installation: 7, Owner: "Acme", Name: name}}})
		h.must(s.AskCancel(ctx, id, "x"))
	}
	h.must(s.AskRemoval(ctx, 7, "Acme/Gone"))
	asked, err := s.Removals(ctx)
	h.must(err)
	if done, err := s.Forget(ctx, asked[0]); err != nil || !done {
		t.Fatalf("%v %v", done, err)
	}
	for column, values := range Dump(t, h.url) {
		if all := strings.ToLower(strings.Join(values, "\n")); strings.Contains(all, "gone") || strings.Contains(all, "r1") {
			t.Errorf("%s: %s", column, all)
		}
	}
	if r, err := s.Run(ctx, "r2"); err != nil || r.ID != "r2" {
		t.Errorf("the other repository's run: %v", err)
	}
	if d, err := s.Delivery(ctx, "d-r2"); err != nil || d.ID != "d-r2" {
		t.Errorf("the other repository's delivery: %v", err)
	}
}

// testMoveRepo: runs, pull requests and commits go with a repository that gets
// another name; what has the new place already keeps it, and others stay.
func testMoveRepo(t *testing.T, h *harness) {
	s, ctx := h.open(), t.Context()
	was := task.Repo{Installation: 7, Owner: "Acme", Name: "old", CloneURL: "https://x/Acme/old.git", DefaultBranch: "main"}
	now := task.Repo{Installation: 7, Owner: "Acme", Name: "new", CloneURL: "https://x/Acme/new.git", DefaultBranch: "trunk"}
	other := was
	other.Installation = 8
	ask := func(id string, repo task.Repo, issue int) {
		h.create(s, store.NewRun{ID: id, Delivery: "d-" + id, Budget: task.Budget{USD: task.Dollars(5)}, Task: task.Task{Issue: issue, Origin: task.OriginLabel, Repo: repo}})
	}
	ask("done", was, 1)
	l, _, err := s.ClaimRun(ctx, "done")
	h.must(err)
	h.must(s.Made(ctx, l, "c0ffee"))
	h.must(s.KeepPull(ctx, l, store.Pull{Number: 2, Branch: "b", Base: "main", Head: "c0ffee"}))
	h.must(s.Finish(ctx, l, task.Result{Outcome: task.Success}, ""))
	ask("again", was, 1)
	ask("begun", was, 3)
	under, _, err := s.ClaimRun(ctx, "begun")
	h.must(err)
	ask("first", now, 4) // before the renaming was told
	ask("older", was, 4)
	ask("other", other, 1)
	for range 2 {
		if _, err := s.MoveRepo(ctx, "acme/OLD", now); err != nil {
			t.Fatal(err)
		}
	}
	for id, want := range map[string]task.Repo{"done": now, "again": now, "first": now, "older": was, "other": other} {
		if r, err := s.Run(ctx, id); err != nil || r.Task.Repo != want {
			t.Errorf("run %s is on %+v, %v", id, r.Task.Repo, err)
		}
	}
	if r, err := s.Run(ctx, "begun"); err != nil || r.Task.Repo.Name != "new" || r.Task.Repo.DefaultBranch != "main" {
		t.Errorf("the base of a run that has begun: %+v, %v", r.Task.Repo, err)
	}
	if live, err := s.LiveRun(ctx, 7, "acme/new", 1); err != nil || live == nil || live.ID != "again" {
		t.Errorf("live: %+v %v", live, err)
	}
	if pulls, err := s.Pulls(ctx, 7, "Acme/new", store.PullFilter{Number: 2}); err != nil || len(pulls) != 1 || pulls[0].Run != "done" {
		t.Errorf("pull requests: %+v %v", pulls, err)
	}
	if ours, err := s.IsOurs(ctx, under.RunID, "c0ffee"); err != nil || !ours {
		t.Errorf("the commit is not known any more: %v", err)
	}
	h.create(s, store.NewRun{ID: "again2", Delivery: "d-again", Budget: task.Budget{USD: task.Dollars(5)}, Task: task.Task{Issue: 1, Origin: task.OriginLabel, Repo: now}})
	if r, err := s.Run(ctx, "again2"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the same delivery asks twice: %+v %v", r, err)
	}
	h.must(s.Finish(ctx, under, task.Result{Outcome: task.Success}, ""))
}

// testCommandLimit: a user's commands are counted in a window, each delivery once.
func testCommandLimit(t *testing.T, h *harness) {
	s, ctx := h.open(), t.Context()
	ask := func(login, delivery string, within, first bool) {
		t.Helper()
		w, f, err := s.Command(ctx, 1, login, delivery, 2, time.Hour)
		if err != nil || w != within || f != first {
			t.Errorf("%s by %s: within %v first %v %v", delivery, login, w, f, err)
		}
	}
	ask("ann", "d1", true, false)
	ask("Ann", "d1", true, false) // the same delivery again
	h.Advance(time.Minute)
	ask("ann", "d2", true, false)
	h.Advance(time.Minute)
	ask("ann", "d3", false, true)
	ask("ann", "d3", false, true)
	h.Advance(time.Minute)
	ask("ann", "d4", false, false)
	ask("bob", "d5", true, false)
	h.Advance(time.Hour)
	ask("ann", "d6", true, false)
}

func testTurns(t *testing.T, h *harness) {
	s, other, ctx := h.open(), h.open(), t.Context()
	for i, c := range []struct {
		s    *store.Store
		wait time.Duration
		mine bool
	}{{s, 0, true}, {other, 0, false}, {s, time.Minute, false}, {other, 10 * time.Minute, true}, {s, -48 * time.Hour, true}} {
		h.Advance(c.wait)
		if mine, err := c.s.Turn(ctx, "sweep", 10*time.Minute); err != nil || mine != c.mine {
			t.Errorf("%d: %v %v", i, mine, err)
		}
	}
}

// testUntold: of a run that ended without a word it is known, until it was said.
func testUntold(t *testing.T, h *harness) {
	s, ctx := h.open(), t.Context()
	for _, id := range []string{"told", "silent"} {
		h.create(s, ask(id, id, 1))
		l, _, err := s.ClaimRun(ctx, id)
		h.must(err)
		if id == "told" {
			_, err = s.Once(ctx, l, id+":"+store.ToldKey(task.Error), func(context.Context, bool) (json.RawMessage, error) { return nil, nil })
			h.must(err)
		}
		h.must(s.Finish(ctx, l, task.Result{Outcome: task.Error}, ""))
	}
	left, err := s.Untold(ctx, h.Now().Add(-time.Hour), 10)
	if err != nil || len(left) != 1 || left[0].ID != "silent" {
		t.Fatalf("%+v %v", left, err)
	}
	h.must(s.Told(ctx, left[0]))
	if left, err = s.Untold(ctx, h.Now().Add(-time.Hour), 10); err != nil || len(left) != 0 {
		t.Fatalf("%+v %v", left, err)
	}
}

func testPlace(t *testing.T, h *harness) {
	s, ctx := h.open(), t.Context()
	h.create(s, ask("a1", "a", 1))
	h.create(s, ask("a2", "a", 2))
	h.create(s, ask("b1", "b", 1))
	for id, want := range map[string]int{"a1": 1, "a2": 2, "b1": 1, "none": -1} {
		if got, err := s.Place(ctx, id); err != nil || got != want {
			t.Errorf("%s: %d, want %d (%v)", id, got, want, err)
		}
	}
	h.claim(s)
	if got, err := s.Place(ctx, "a2"); err != nil || got != 2 { // one runs, and the other repository waits
		t.Errorf("a2: %d (%v)", got, err)
	}
	repos, err := s.Repos(ctx)
	if err != nil || len(repos) != 2 {
		t.Errorf("%+v %v", repos, err)
	}
}

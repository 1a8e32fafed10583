package storetest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// testCards: pages are whole and without repeats while runs arrive, filters and scopes
// hold, and the tallies count the same runs.
func testCards(t *testing.T, h *harness) {
	s, ctx := h.open(), t.Context()
	for i := range 25 {
		repo := task.Repo{Installation: int64(7 + i%2), Owner: "Acme", Name: []string{"shop", "till"}[i%2]}
		h.create(s, store.NewRun{ID: name("r", i), Budget: task.Budget{USD: task.Dollar}, Task: task.Task{Title: fmt.Sprintf("Fix 100%% of %d_x", i), Actor: "Zoë", Issue: i + 1, Origin: task.OriginLabel, Repo: repo}})
		if i%5 == 4 { // several in the same microsecond
			h.Advance(time.Second)
		}
	}
	nr := ask("local", "", 0)
	nr.Task.Title, nr.Task.Origin, nr.Task.Repo = strings.Repeat("ü", 4000), task.OriginCLI, task.Repo{Dir: "/w"}
	h.create(s, nr)
	l, _ := h.claim(s)
	h.must(s.Finish(ctx, l, task.Result{Outcome: task.Success, Tier: task.Tier2, Cost: task.Dollars(0.25)}, ""))
	wait, _ := h.claim(s)
	h.must(s.Wait(ctx, wait, task.Gate{Kind: task.GatePlan, Asked: h.Now(), Words: "?"}))

	seven := store.Scope{Installations: []int64{7}}
	pages := func(f store.CardFilter) (ids []string) {
		for range 30 {
			got, err := s.Cards(ctx, f)
			h.must(err)
			for _, c := range got {
				ids = append(ids, c.ID)
			}
			if len(got) < f.Limit {
				return ids
			}
			f.After = got[len(got)-1].Cursor()
		}
		t.Fatal("the pages do not end")
		return nil
	}
	all := pages(store.CardFilter{Scope: store.Scope{All: true}, Limit: 4})
	seen := map[string]bool{}
	for _, id := range all {
		seen[id] = true
	}
	if len(all) != 26 || len(seen) != 26 || all[0] != "local" {
		t.Errorf("%d runs, %d different: %v", len(all), len(seen), all)
	}
	for what, c := range map[string]struct {
		f    store.CardFilter
		want int
	}{
		"nothing":        {store.CardFilter{}, 0},
		"installation":   {store.CardFilter{Scope: seven}, 13},
		"no local runs":  {store.CardFilter{Scope: store.Scope{Installations: []int64{0}}}, 0},
		"repository":     {store.CardFilter{Scope: store.Scope{Repos: []string{"ACME/Till"}}}, 12},
		"both":           {store.CardFilter{Scope: store.Scope{Installations: []int64{7}, Repos: []string{"acme/till"}}}, 25},
		"repo filter":    {store.CardFilter{Scope: store.Scope{All: true}, Repo: "Acme/Shop"}, 13},
		"other's repo":   {store.CardFilter{Scope: seven, Repo: "acme/till"}, 0},
		"done":           {store.CardFilter{Scope: store.Scope{All: true}, State: task.StateDone}, 1},
		"waiting":        {store.CardFilter{Scope: store.Scope{All: true}, State: store.StateWaiting}, 1},
		"live":           {store.CardFilter{Scope: store.Scope{All: true}, Live: true}, 25},
		"ids":            {store.CardFilter{Scope: seven, IDs: []string{"r000", "r001", "none"}}, 1},
		"outcome":        {store.CardFilter{Scope: store.Scope{All: true}, Outcome: task.Success, Tier: task.Tier2}, 1},
		"text":           {store.CardFilter{Scope: store.Scope{All: true}, Text: "FIX 100% OF 7_x"}, 1},
		"no wildcards":   {store.CardFilter{Scope: store.Scope{All: true}, Text: "1_0"}, 0},
		"hostile text":   {store.CardFilter{Scope: store.Scope{All: true}, Text: "' OR 1=1 --"}, 0},
		"an actor's":     {store.CardFilter{Scope: store.Scope{All: true}, Text: "zo"}, 25},
		"back\\slash":    {store.CardFilter{Scope: store.Scope{All: true}, Text: `\`}, 0},
		"whole long one": {store.CardFilter{Scope: store.Scope{All: true}, Text: strings.Repeat("ü", 20)}, 1},
	} {
		got, err := s.Cards(ctx, c.f)
		if err != nil || len(got) != c.want {
			t.Errorf("%s: %d runs, want %d (%v)", what, len(got), c.want, err)
		}
	}
	for _, bad := range []string{"x", "1", "a.b", "9999999999999999999999.x"} {
		_, err := s.Cards(ctx, store.CardFilter{Scope: seven, After: bad})
		h.is(err, store.ErrCursor)
	}
	tallies, err := s.Tallies(ctx, store.Scope{All: true}, time.Time{})
	runs, cost := 0, task.USD(0)
	for _, x := range tallies {
		runs, cost = runs+x.Runs, cost+x.Cost
	}
	if err != nil || runs != 26 || cost != task.Dollars(0.25) {
		t.Errorf("%d runs for %s in the tallies: %v", runs, cost, err)
	}
	if mine, err := s.Tallies(ctx, store.Scope{Repos: []string{"acme/till"}}, time.Time{}); err != nil || len(mine) != 1 || mine[0].Runs != 12 || mine[0].Day.Hour() != 0 {
		t.Errorf("%+v %v", mine, err)
	}
	if d, err := s.Depth(ctx); err != nil || d.Waiting != 1 || d.Runs[task.StateQueued] != 24 || d.OldestRun <= 0 {
		t.Errorf("%+v %v", d, err)
	}
	for scope, want := range map[*store.Scope]bool{{All: true}: true, {Installations: []int64{7}}: true, {Installations: []int64{8}}: false, {Repos: []string{"acme/SHOP"}}: true, {}: false} {
		if got := scope.Sees(7, "Acme/shop"); got != want {
			t.Errorf("%+v sees: %v", *scope, got)
		}
	}
}

// testAnswerTwice: the same answer again changes nothing, also where the run waits for
// something else by then; one that means an older question is refused.
func testAnswerTwice(t *testing.T, h *harness) {
	s, ctx := h.open(), t.Context()
	h.create(s, ask("r1", "shop", 1))
	asked := h.Now()
	wait := func() {
		l, _ := h.claim(s)
		h.must(s.Wait(ctx, l, task.Gate{Kind: task.GatePlan, Asked: h.Now()}))
	}
	wait()
	if a, err := s.Answer(ctx, "r1", task.Answer{Key: "k", Feedback: "no", By: "zoe", Asked: asked}); err != nil || a.Gate != task.GatePlan {
		t.Fatalf("%+v %v", a, err)
	}
	h.Advance(time.Minute)
	wait() // with another plan
	if a, err := s.Answer(ctx, "r1", task.Answer{Key: "k", Feedback: "no", By: "zoe"}); err != nil || a.Feedback != "no" || a.Gate != task.GatePlan {
		t.Errorf("%+v %v", a, err)
	}
	_, err := s.Answer(ctx, "r1", task.Answer{Key: "other", Approved: true, Asked: asked})
	h.is(err, store.ErrNotWaiting)
	if all, err := s.Answers(ctx, "r1"); err != nil || len(all) != 1 {
		t.Errorf("%+v %v", all, err)
	}
	if got := h.state(s, "r1"); got != task.StateParked {
		t.Errorf("the run is %s", got)
	}
}

// testDeliveryList: pages, scopes, and what was given up is handled again.
func testDeliveryList(t *testing.T, h *harness) {
	s, ctx := h.open(), t.Context()
	for i := range 7 {
		_, err := s.Accept(ctx, store.Delivery{ID: name("d", i), Event: "issues", Installation: int64(7 + i%2), Payload: []byte("{}"), ReceivedAt: h.Now()})
		h.must(err)
	}
	h.must(s.FinishDelivery(ctx, "d000", "refused: nobody"))
	first, err := s.DeliveryList(ctx, store.DeliveryFilter{Scope: store.Scope{Installations: []int64{7}}, Limit: 3})
	if err != nil || len(first) != 3 || first[0].ID != "d006" || first[0].Payload != nil {
		t.Fatalf("%+v %v", first, err)
	}
	rest, err := s.DeliveryList(ctx, store.DeliveryFilter{Scope: store.Scope{Installations: []int64{7}}, After: first[2].Cursor(), Limit: 3})
	if err != nil || len(rest) != 1 || rest[0].Note != "refused: nobody" || rest[0].State != "done" {
		t.Errorf("%+v %v", rest, err)
	}
	if none, err := s.DeliveryList(ctx, store.DeliveryFilter{Scope: store.Scope{Repos: []string{"acme/shop"}}}); err != nil || len(none) != 0 {
		t.Errorf("%+v %v", none, err)
	}
	for _, id := range []string{"d000", "d001", "none"} {
		if again, err := s.Redeliver(ctx, id); err != nil || again {
			t.Errorf("%s is handled again: %v", id, err)
		}
	}
	if d, err := s.Depth(ctx); err != nil || d.Deliveries["queued"] != 6 || d.Deliveries["done"] != 1 {
		t.Errorf("%+v %v", d, err)
	}
}

// testLogins: a login is found by its hash and kind until it ends or is dropped.
func testLogins(t *testing.T, h *harness) {
	s, ctx := h.open(), t.Context()
	h.must(s.KeepLogin(ctx, store.Login{Hash: "t", Kind: store.LoginToken, Name: "ops", Body: []byte(`{"a":1}`)}))
	h.must(s.KeepLogin(ctx, store.Login{Hash: "s", Kind: store.LoginSession, Body: []byte("{}"), EndsAt: h.Now().Add(time.Hour)}))
	if l, err := s.Login(ctx, store.LoginToken, "t"); err != nil || l.Name != "ops" || string(l.Body) != `{"a":1}` {
		t.Errorf("%+v %v", l, err)
	}
	_, err := s.Login(ctx, store.LoginSession, "t")
	h.is(err, store.ErrNotFound)
	_, err = s.Login(ctx, store.LoginSession, "s")
	h.must(err)
	h.Advance(time.Hour)
	_, err = s.Login(ctx, store.LoginSession, "s")
	h.is(err, store.ErrNotFound)
	if n, err := s.DropLogins(ctx, store.LoginToken, "", "ops"); err != nil || n != 1 {
		t.Errorf("%d %v", n, err)
	}
	_, err = s.Login(ctx, store.LoginToken, "t")
	h.is(err, store.ErrNotFound)
}

// testTitles: runs of a database that is older than lists have their titles in them.
func testTitles(t *testing.T, h *harness) {
	s := h.open()
	nr := ask("r1", "shop", 1)
	nr.Task.Title, nr.Task.Actor = strings.Repeat("é", 400), "zoe"
	h.create(s, nr)
	h.must(s.Close())
	db, _ := open(t, h.url)
	for _, q := range []string{"UPDATE runs SET title = '', actor = ''", "DROP TABLE paces", "DROP TABLE results",
		"DELETE FROM goose_db_version WHERE version_id >= 11"} {
		_, err := db.ExecContext(t.Context(), q)
		h.must(err)
	}
	got, err := h.open().Cards(t.Context(), store.CardFilter{Scope: store.Scope{All: true}})
	if err != nil || len(got) != 1 || got[0].Title != strings.Repeat("é", 300) || got[0].Actor != "zoe" {
		t.Errorf("%+v %v", got, err)
	}
}

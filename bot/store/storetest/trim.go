package storetest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// testTrim: what is older than its cutoff goes with all that refers to it, what is live,
// has an open pull request, or belongs to an issue that is still worked on stays.
func testTrim(t *testing.T, h *harness) {
	s, ctx := h.open(), t.Context()
	const words = "sightglass"
	end := func(id string, n int) {
		nr := ask(id, "shop", n)
		h.create(s, nr)
		l, _, err := s.ClaimRun(ctx, id)
		h.must(err)
		h.must(s.Record(ctx, l, task.Message{Data: json.RawMessage(`"` + words + id + `"`)}))
		_, err = s.Reserve(ctx, l, task.Reservation{ID: "c1", Tier: task.Tier1, Worst: task.Dollars(0.1)})
		h.must(err)
		h.must(s.Settle(ctx, l, "c1", task.Dollars(0.1), json.RawMessage(`"`+words+id+`"`)))
		h.must(s.Made(ctx, l, "sha-"+id))
		if strings.HasPrefix(id, "open") {
			h.must(s.KeepPull(ctx, l, store.Pull{Number: 100 + n, URL: "u", Branch: "b", Base: "main", Head: "x"}))
		}
		h.must(s.Finish(ctx, l, task.Result{Outcome: task.Success}, "done"))
	}
	_, err := s.Accept(ctx, store.Delivery{ID: "d-old", Payload: []byte("{}"), ReceivedAt: h.Now()})
	h.must(err)
	h.must(s.FinishDelivery(ctx, "d-old", "done"))
	end("old", 1)
	end("open", 2)
	end("again", 3)
	h.Advance(100 * 24 * time.Hour)
	end("again-later", 3)
	end("new", 4)
	h.create(s, ask("live", "shop", 5))
	ids := func() (out []string) {
		all, err := s.Runs(ctx, store.Filter{})
		h.must(err)
		for _, r := range all {
			out = append(out, r.ID)
		}
		slices.Sort(out)
		return out
	}
	before := ids()
	if got, err := s.Trim(ctx, store.Cutoffs{}); err != nil || got != (store.Trimmed{}) || !slices.Equal(ids(), before) {
		t.Errorf("without cutoffs: %+v %v", got, err)
	}
	h.must(s.KeepResult(ctx, 7, "acme/shop", "used", []byte(`"old result"`)))
	h.Advance(time.Hour)
	h.must(s.KeepResult(ctx, 7, "acme/shop", "used-later", []byte(`"new result"`)))
	if got, err := s.Trim(ctx, store.Cutoffs{Results: h.Now().Add(-time.Minute)}); err != nil || got != (store.Trimmed{Results: 1}) {
		t.Errorf("of results: %+v %v", got, err)
	}
	if dump := fmt.Sprint(Dump(t, h.url)); strings.Contains(dump, "old result") || !strings.Contains(dump, "new result") {
		t.Error("not the old result went, or more than it")
	}
	month := h.Now().Add(-30 * 24 * time.Hour)
	got, err := s.Trim(ctx, store.Cutoffs{Deliveries: month, Conversations: month})
	if err != nil || got.Conversations != 3 || got.Runs != 0 || got.More {
		t.Errorf("%+v %v", got, err)
	}
	dump := fmt.Sprint(Dump(t, h.url))
	for _, id := range []string{"old", "open", "again"} {
		if strings.Contains(dump, words+id+`"`) {
			t.Errorf("words of %s are left", id)
		}
	}
	if !strings.Contains(dump, words+"new") || !slices.Equal(ids(), before) {
		t.Error("too much went")
	}
	got, err = s.Trim(ctx, store.Cutoffs{Runs: month})
	if want := []string{"again", "again-later", "live", "new", "open"}; err != nil || got.Runs != 1 || !slices.Equal(ids(), want) {
		t.Errorf("%+v %v, left %v", got, err, ids())
	}
	if dump := fmt.Sprint(Dump(t, h.url)); strings.Contains(dump, "sha-old") {
		t.Error("what refers to the run is left")
	}
	h.must(s.Integrity(ctx))
}

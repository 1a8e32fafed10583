package storetest

import (
	"bytes"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/store"
)

func testAccept(t *testing.T, h *harness) {
	s, ctx := h.open(), t.Context()
	payload := []byte("{\"a\":\"\x00\xff\"}")
	fresh, err := s.Accept(ctx, store.Delivery{ID: "d1", Event: "issues", Payload: payload, Installation: 7, ReceivedAt: h.Now()})
	h.must(err)
	other := h.open() // what another process sees right after
	d, err := other.Delivery(ctx, "d1")
	h.must(err)
	if !fresh || d.Event != "issues" || !bytes.Equal(d.Payload, payload) || d.Installation != 7 || d.State != "queued" {
		t.Errorf("fresh %v, stored %+v", fresh, d)
	}
	if want := h.Now().UTC().Truncate(time.Microsecond); !d.ReceivedAt.Equal(want) || d.ReceivedAt.Location() != time.UTC {
		t.Errorf("received at %v, want %v", d.ReceivedAt, want)
	}
	fresh, err = other.Accept(ctx, store.Delivery{ID: "d1", Event: "changed", Payload: []byte("other")})
	h.must(err)
	if d, _ = s.Delivery(ctx, "d1"); fresh || d.Event != "issues" {
		t.Errorf("a repeat was fresh (%v) or changed the row: %+v", fresh, d)
	}
	if _, err := s.Accept(ctx, store.Delivery{}); err == nil {
		t.Error("a delivery without an id was accepted")
	}
	h.must(s.FinishDelivery(ctx, "d1", "joined a run"))
	h.must(s.FinishDelivery(ctx, "d1", "later words"))
	if d, _ = s.Delivery(ctx, "d1"); d.State != "done" || d.Note != "joined a run" || d.FinishedAt.IsZero() {
		t.Errorf("after its end: %+v", d)
	}
	_, err = s.Delivery(ctx, "nope")
	h.is(err, store.ErrNotFound)
	h.is(s.FinishDelivery(ctx, "nope", ""), store.ErrNotFound)
}

func testAcceptOnce(t *testing.T, h *harness) {
	a, b, ctx := h.open(), h.open(), t.Context()
	var fresh, failed atomic.Int64
	together(100, func(i int) {
		s := []*store.Store{a, b}[i%2]
		f, err := s.Accept(ctx, store.Delivery{ID: "same", Event: "issues", Payload: []byte("{}")})
		g, err2 := s.Accept(ctx, store.Delivery{ID: name("own", i), Event: "issues", Payload: []byte("{}")})
		if err != nil || err2 != nil || !g {
			t.Error(err, err2, g)
			failed.Add(1)
		}
		if f {
			fresh.Add(1)
		}
	})
	ids, err := a.Deliveries(ctx, time.Time{})
	h.must(err)
	if fresh.Load() != 1 || failed.Load() != 0 || len(ids) != 101 || !slices.Contains(ids, "same") {
		t.Errorf("fresh %d times, %d failures, %d rows", fresh.Load(), failed.Load(), len(ids))
	}
	if ids, err = a.Deliveries(ctx, h.Now().Add(time.Second)); err != nil || len(ids) != 0 {
		t.Errorf("since a later time: %v %v", ids, err)
	}
}

package alloc

import (
	"errors"
	"testing"

	"stockroom/stock"
)

func filled(t *testing.T, lots ...stock.Lot) *Allocator {
	t.Helper()
	s := stock.NewStore()
	for _, l := range lots {
		if err := s.Add(l); err != nil {
			t.Fatal(err)
		}
	}
	return New(s, 100)
}

func free(t *testing.T, a *Allocator, id string) int {
	t.Helper()
	l, ok := a.Store.Lot(id)
	if !ok {
		t.Fatalf("no lot %s", id)
	}
	return l.Free
}

func TestReserveFromOneLot(t *testing.T) {
	a := filled(t, stock.Lot{ID: "a", SKU: "tea", Free: 10})
	r, err := a.Reserve(Order{ID: "o1", Lines: []Line{{SKU: "tea", Qty: 4}}})
	if err != nil || r.Picked("tea") != 4 || free(t, a, "a") != 6 {
		t.Fatalf("%v %v", r, err)
	}
}

func TestReserveTakesAllOfSeveralLots(t *testing.T) {
	a := filled(t, stock.Lot{ID: "a", SKU: "tea", Free: 3, Expires: 120}, stock.Lot{ID: "b", SKU: "tea", Free: 5, Expires: 130})
	r, err := a.Reserve(Order{ID: "o1", Lines: []Line{{SKU: "tea", Qty: 8}}})
	if err != nil || len(r.Picks) != 2 || r.Picked("tea") != 8 {
		t.Fatalf("%v %v", r, err)
	}
}

func TestReserveLeavesRestInSecondLot(t *testing.T) {
	a := filled(t, stock.Lot{ID: "a", SKU: "tea", Free: 3, Expires: 120}, stock.Lot{ID: "b", SKU: "tea", Free: 20, Expires: 130})
	r, err := a.Reserve(Order{ID: "o1", Lines: []Line{{SKU: "tea", Qty: 8}}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Picked("tea") != 8 || free(t, a, "b") != 15 {
		t.Fatalf("picked %d, left %d", r.Picked("tea"), free(t, a, "b"))
	}
}

func TestShortageReservesNothing(t *testing.T) {
	a := filled(t, stock.Lot{ID: "a", SKU: "tea", Free: 3}, stock.Lot{ID: "b", SKU: "jam", Free: 3})
	_, err := a.Reserve(Order{ID: "o1", Lines: []Line{{SKU: "tea", Qty: 2}, {SKU: "jam", Qty: 5}}})
	var se *ShortageError
	if !errors.As(err, &se) || se.SKU != "jam" || se.Missing != 2 {
		t.Fatalf("got %v", err)
	}
	if free(t, a, "a") != 3 || free(t, a, "b") != 3 {
		t.Fatal("goods were kept")
	}
}

func TestPartialOrder(t *testing.T) {
	a := filled(t, stock.Lot{ID: "a", SKU: "tea", Free: 3})
	r, err := a.Reserve(Order{ID: "o1", Partial: true, Lines: []Line{{SKU: "tea", Qty: 5}}})
	if err != nil || r.Complete() || r.Short["tea"] != 2 {
		t.Fatalf("%v %v", r, err)
	}
}

func TestMinDays(t *testing.T) {
	a := filled(t, stock.Lot{ID: "a", SKU: "tea", Free: 3, Expires: 110}, stock.Lot{ID: "b", SKU: "tea", Free: 3, Expires: 140})
	r, err := a.Reserve(Order{ID: "o1", Lines: []Line{{SKU: "tea", Qty: 2, MinDays: 14}}})
	if err != nil || r.Picks[0].Lot != "b" {
		t.Fatalf("%v %v", r, err)
	}
}

func TestCancelGivesBack(t *testing.T) {
	a := filled(t, stock.Lot{ID: "a", SKU: "tea", Free: 3})
	_, _ = a.Reserve(Order{ID: "o1", Lines: []Line{{SKU: "tea", Qty: 2}}})
	if err := a.Cancel("o1"); err != nil || free(t, a, "a") != 3 {
		t.Fatalf("%v, %d left", err, free(t, a, "a"))
	}
	if a.Cancel("o1") == nil {
		t.Fatal("second cancel")
	}
}

func TestReserveTwice(t *testing.T) {
	a := filled(t, stock.Lot{ID: "a", SKU: "tea", Free: 3})
	o := Order{ID: "o1", Lines: []Line{{SKU: "tea", Qty: 1}}}
	_, _ = a.Reserve(o)
	if _, err := a.Reserve(o); err == nil {
		t.Fatal("no error")
	}
}

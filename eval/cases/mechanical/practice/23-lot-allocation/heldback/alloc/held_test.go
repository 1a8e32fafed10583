package alloc

import (
	"errors"
	"fmt"
	"testing"

	"stockroom/stock"
)

func TestHeldSplitProperty(t *testing.T) {
	for qty := 1; qty <= 16; qty++ {
		a := filled(t,
			stock.Lot{ID: "a", SKU: "tea", Free: 3, Expires: 120},
			stock.Lot{ID: "b", SKU: "tea", Free: 7, Expires: 130},
			stock.Lot{ID: "c", SKU: "tea", Free: 6})
		r, err := a.Reserve(Order{ID: fmt.Sprint(qty), Lines: []Line{{SKU: "tea", Qty: qty}}})
		if err != nil {
			t.Fatalf("qty %d: %v", qty, err)
		}
		if r.Picked("tea") != qty {
			t.Errorf("qty %d: picked %d", qty, r.Picked("tea"))
		}
		left := free(t, a, "a") + free(t, a, "b") + free(t, a, "c")
		if left != 16-qty {
			t.Errorf("qty %d: left %d", qty, left)
		}
		for _, p := range r.Picks {
			if p.Qty <= 0 {
				t.Errorf("qty %d: empty pick %v", qty, p)
			}
		}
		if qty <= 10 && free(t, a, "c") != 6 {
			t.Errorf("qty %d: touched c", qty)
		}
	}
}

func TestHeldPicksExact(t *testing.T) {
	a := filled(t,
		stock.Lot{ID: "a", SKU: "tea", Free: 1, Expires: 101},
		stock.Lot{ID: "b", SKU: "tea", Free: 4, Expires: 102},
		stock.Lot{ID: "c", SKU: "tea", Free: 9, Expires: 103})
	r, err := a.Reserve(Order{ID: "o", Lines: []Line{{SKU: "tea", Qty: 7}}})
	if err != nil || fmt.Sprint(r.Picks) != "[{a tea 1} {b tea 4} {c tea 2}]" {
		t.Fatalf("%v %v", r.Picks, err)
	}
}

func TestHeldTwoLinesSameArticle(t *testing.T) {
	a := filled(t,
		stock.Lot{ID: "a", SKU: "tea", Free: 3, Expires: 120},
		stock.Lot{ID: "b", SKU: "tea", Free: 10, Expires: 130})
	r, err := a.Reserve(Order{ID: "o", Lines: []Line{{SKU: "tea", Qty: 4}, {SKU: "tea", Qty: 4}}})
	if err != nil || r.Picked("tea") != 8 || free(t, a, "b") != 5 {
		t.Fatalf("%v %v", r, err)
	}
}

func TestHeldSecondOrderGetsRest(t *testing.T) {
	a := filled(t,
		stock.Lot{ID: "a", SKU: "tea", Free: 3, Expires: 120},
		stock.Lot{ID: "b", SKU: "tea", Free: 5, Expires: 130})
	if _, err := a.Reserve(Order{ID: "1", Lines: []Line{{SKU: "tea", Qty: 4}}}); err != nil {
		t.Fatal(err)
	}
	r, err := a.Reserve(Order{ID: "2", Lines: []Line{{SKU: "tea", Qty: 4}}})
	if err != nil || r.Picked("tea") != 4 {
		t.Fatalf("%v %v", r, err)
	}
	var se *ShortageError
	_, err = a.Reserve(Order{ID: "3", Lines: []Line{{SKU: "tea", Qty: 1}}})
	if !errors.As(err, &se) || se.Missing != 1 {
		t.Fatalf("got %v", err)
	}
}

func TestHeldCancelAfterSplit(t *testing.T) {
	a := filled(t,
		stock.Lot{ID: "a", SKU: "tea", Free: 3, Expires: 120},
		stock.Lot{ID: "b", SKU: "tea", Free: 5, Expires: 130})
	_, _ = a.Reserve(Order{ID: "1", Lines: []Line{{SKU: "tea", Qty: 6}}})
	if free(t, a, "a") != 0 || free(t, a, "b") != 2 {
		t.Fatalf("left %d %d", free(t, a, "a"), free(t, a, "b"))
	}
	if err := a.Cancel("1"); err != nil || free(t, a, "a") != 3 || free(t, a, "b") != 5 {
		t.Fatalf("%v: %d %d", err, free(t, a, "a"), free(t, a, "b"))
	}
}

func TestHeldPartialOverLots(t *testing.T) {
	a := filled(t,
		stock.Lot{ID: "a", SKU: "tea", Free: 3, Expires: 120},
		stock.Lot{ID: "b", SKU: "tea", Free: 5, Expires: 130})
	r, err := a.Reserve(Order{ID: "1", Partial: true, Lines: []Line{{SKU: "tea", Qty: 12}}})
	if err != nil || r.Short["tea"] != 4 || r.Picked("tea") != 8 {
		t.Fatalf("%v %v", r, err)
	}
}

func TestHeldLargeFirstLot(t *testing.T) {
	a := filled(t,
		stock.Lot{ID: "a", SKU: "tea", Free: 9, Expires: 120},
		stock.Lot{ID: "b", SKU: "tea", Free: 5, Expires: 130})
	r, _ := a.Reserve(Order{ID: "1", Lines: []Line{{SKU: "tea", Qty: 9}}})
	if len(r.Picks) != 1 || free(t, a, "b") != 5 {
		t.Fatalf("%v", r)
	}
}

func TestHeldShortAfterSplitReturnsAll(t *testing.T) {
	a := filled(t,
		stock.Lot{ID: "a", SKU: "tea", Free: 3, Expires: 120},
		stock.Lot{ID: "b", SKU: "tea", Free: 5, Expires: 130})
	_, err := a.Reserve(Order{ID: "1", Lines: []Line{{SKU: "tea", Qty: 5}, {SKU: "tea", Qty: 5}}})
	var se *ShortageError
	if !errors.As(err, &se) || se.Missing != 2 {
		t.Fatalf("got %v", err)
	}
	if free(t, a, "a") != 3 || free(t, a, "b") != 5 {
		t.Fatalf("left %d %d", free(t, a, "a"), free(t, a, "b"))
	}
}

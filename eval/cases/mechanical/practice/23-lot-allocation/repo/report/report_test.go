package report

import (
	"strings"
	"testing"

	"stockroom/alloc"
	"stockroom/stock"
)

func TestFree(t *testing.T) {
	s := stock.NewStore()
	_ = s.Add(stock.Lot{ID: "a", SKU: "tea", Free: 3, Expires: 5})
	_ = s.Add(stock.Lot{ID: "b", SKU: "tea", Free: 4})
	if got := Free(s, 10)["tea"]; got != 4 {
		t.Fatalf("got %d", got)
	}
}

func TestPickListSorted(t *testing.T) {
	r := alloc.Result{Order: "o", Picks: []alloc.Pick{{Lot: "b", SKU: "x", Qty: 2}, {Lot: "a", SKU: "y", Qty: 1}}}
	rows := strings.Split(PickList(r), "\n")
	if !strings.HasPrefix(rows[1], "a ") {
		t.Fatalf("got %q", rows)
	}
}

func TestPickListShort(t *testing.T) {
	r := alloc.Result{Order: "o", Short: map[string]int{"tea": 2, "jam": 1}}
	if !strings.Contains(PickList(r), "short: jam -1, tea -2") {
		t.Fatal(PickList(r))
	}
}

func TestPickListOverThreeLots(t *testing.T) {
	s := stock.NewStore()
	_ = s.Add(stock.Lot{ID: "p1", SKU: "tea", Free: 2, Expires: 20})
	_ = s.Add(stock.Lot{ID: "p2", SKU: "tea", Free: 2, Expires: 30})
	_ = s.Add(stock.Lot{ID: "p3", SKU: "tea", Free: 9, Expires: 40})
	r, err := alloc.New(s, 1).Reserve(alloc.Order{ID: "o9", Lines: []alloc.Line{{SKU: "tea", Qty: 5}}})
	if err != nil {
		t.Fatal(err)
	}
	want := "order o9\np1     tea         2\np2     tea         2\np3     tea         1\n"
	if got := PickList(r); got != want {
		t.Fatalf("got\n%s", got)
	}
}

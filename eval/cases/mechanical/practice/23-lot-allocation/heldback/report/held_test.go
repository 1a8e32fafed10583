package report

import (
	"testing"

	"stockroom/alloc"
	"stockroom/stock"
)

func TestHeldFreeAfterReserve(t *testing.T) {
	s := stock.NewStore()
	_ = s.Add(stock.Lot{ID: "a", SKU: "jam", Free: 2, Expires: 20})
	_ = s.Add(stock.Lot{ID: "b", SKU: "jam", Free: 6, Expires: 21})
	al := alloc.New(s, 1)
	for i, want := range []int{5, 2} {
		_, err := al.Reserve(alloc.Order{ID: string(rune('a' + i)), Lines: []alloc.Line{{SKU: "jam", Qty: 3}}})
		if err != nil {
			t.Fatal(err)
		}
		if got := Free(s, 1)["jam"]; got != want {
			t.Fatalf("step %d: got %d, want %d", i, got, want)
		}
	}
}

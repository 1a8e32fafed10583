package stock

import (
	"errors"
	"testing"
)

func ids(ls []*Lot) string {
	s := ""
	for _, l := range ls {
		s += l.ID + " "
	}
	return s
}

func TestAddRejectsEmptyLot(t *testing.T) {
	if err := NewStore().Add(Lot{ID: "a", SKU: "x"}); !errors.Is(err, ErrQuantity) {
		t.Fatalf("got %v", err)
	}
}

func TestAddRejectsDuplicate(t *testing.T) {
	s := NewStore()
	_ = s.Add(Lot{ID: "a", SKU: "x", Free: 1})
	if err := s.Add(Lot{ID: "a", SKU: "y", Free: 1}); !errors.Is(err, ErrDuplicate) {
		t.Fatalf("got %v", err)
	}
}

func TestUsableOrder(t *testing.T) {
	s := NewStore()
	_ = s.Add(Lot{ID: "never", SKU: "x", Free: 1})
	_ = s.Add(Lot{ID: "late", SKU: "x", Free: 1, Expires: 90})
	_ = s.Add(Lot{ID: "soon", SKU: "x", Free: 1, Expires: 20})
	if got := ids(s.Usable("x", 10)); got != "soon late never " {
		t.Fatalf("got %q", got)
	}
}

func TestUsableLeavesOutExpired(t *testing.T) {
	s := NewStore()
	_ = s.Add(Lot{ID: "old", SKU: "x", Free: 1, Expires: 10})
	_ = s.Add(Lot{ID: "ok", SKU: "x", Free: 1, Expires: 11})
	if got := ids(s.Usable("x", 10)); got != "ok " {
		t.Fatalf("got %q", got)
	}
}

func TestSKUs(t *testing.T) {
	s := NewStore()
	_ = s.Add(Lot{ID: "1", SKU: "pear", Free: 1})
	_ = s.Add(Lot{ID: "2", SKU: "apple", Free: 1})
	got := s.SKUs()
	if len(got) != 2 || got[0] != "apple" {
		t.Fatalf("got %v", got)
	}
}

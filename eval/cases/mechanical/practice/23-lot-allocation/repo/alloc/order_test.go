package alloc

import "testing"

func TestCheckNoLines(t *testing.T) {
	if (Order{ID: "x"}).Check() == nil {
		t.Fatal("no error")
	}
}

func TestCheckQuantity(t *testing.T) {
	if (Order{ID: "x", Lines: []Line{{SKU: "a", Qty: 0}}}).Check() == nil {
		t.Fatal("no error")
	}
}

func TestCheckArticle(t *testing.T) {
	if (Order{ID: "x", Lines: []Line{{Qty: 1}}}).Check() == nil {
		t.Fatal("no error")
	}
}

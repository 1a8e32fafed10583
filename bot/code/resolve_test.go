package code

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestE2ANameResolvesWithoutItsHashWhereOneRegionHasIt(t *testing.T) {
	t.Parallel()
	src := "def get():\n    return 0\n\n\nclass Shop:\n    class Cart:\n        def total(self):\n            return 1\n\n        def get(self):\n            return 2\n\n\nclass Till:\n    def open(self):\n        return 3\n\n    def total(self):\n        return 4\n"
	regions, err := Regions(t.Context(), "a.py", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{
		"open": "Till.open", "method:open": "Till.open", "Till.total": "Till.total", "Cart.total": "Shop.Cart.total",
		"method:Cart.total": "Shop.Cart.total", "get": "get", "method:get": "Shop.Cart.get", "function:get": "get", "class:Cart": "Shop.Cart",
	} {
		if r, how, err := Resolve(regions, id); err != nil || r.QualifiedName != want || how.By != "name" || how.Changed {
			t.Errorf("%s is %s by %+v, want %s; %v", id, r.QualifiedName, how, want, err)
		}
	}
	for _, id := range []string{"total", "method:total"} {
		if _, _, err := Resolve(regions, id); !errors.Is(err, ErrAmbiguous) || !strings.Contains(err.Error(), "method:Shop.Cart.total@") || !strings.Contains(err.Error(), "method:Till.total@") {
			t.Errorf("%s: %v", id, err)
		}
	}
}

func TestE2AMissListsTheNearestOfAllNames(t *testing.T) {
	t.Parallel()
	var src strings.Builder
	for i := range 40 {
		fmt.Fprintf(&src, "def quite_another_%d():\n    return %d\n\n\n", i, i)
	}
	src.WriteString("class Basket:\n    def total_of(self):\n        return 1\n\n    def apply_discount(self):\n        return 2\n")
	regions, err := Regions(t.Context(), "a.py", []byte(src.String()))
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{"totl_of": "method:Basket.total_of@", "function:apply_discounts@00000000": "method:Basket.apply_discount@", "Bascet.discount": "method:Basket.apply_discount@", "total": "method:Basket.total_of@"} {
		_, _, err := Resolve(regions, id)
		if !errors.Is(err, ErrNotFound) {
			t.Fatalf("%s: %v", id, err)
		}
		_, list, _ := strings.Cut(err.Error(), "the file has ")
		if !strings.HasPrefix(list, want) || !strings.Contains(list, "and 31 more") {
			t.Errorf("%s: the nearest is not first: %s", id, list)
		}
	}
}

package parcel

import (
	"errors"
	"testing"
)

func TestPackHeaviestFirst(t *testing.T) {
	parcels, err := Pack([]Item{box("a", 300), box("b", 700), box("c", 500), box("d", 500)}, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if len(parcels) != 2 || parcels[0].Grams() != 1000 || parcels[1].Grams() != 1000 {
		t.Errorf("got %v", parcels)
	}
}

func TestPackFragileAlone(t *testing.T) {
	glass := box("glass", 100)
	glass.Fragile = true
	parcels, err := Pack([]Item{box("a", 300), glass, box("b", 50)}, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if len(parcels) != 2 || len(parcels[1].Items) != 1 || !parcels[1].Fragile() {
		t.Errorf("got %v", parcels)
	}
}

func TestPackTooHeavyItem(t *testing.T) {
	_, err := Pack([]Item{box("anvil", 1500)}, 1000)
	var heavy *TooHeavyError
	if !errors.As(err, &heavy) || heavy.SKU != "anvil" {
		t.Errorf("got %v", err)
	}
}

func TestPackKeepsInputOrder(t *testing.T) {
	items := []Item{box("a", 1), box("b", 2)}
	if _, err := Pack(items, 10); err != nil {
		t.Fatal(err)
	}
	if items[0].SKU != "a" {
		t.Error("the caller's slice was reordered")
	}
}

func TestPackInvalidItem(t *testing.T) {
	if _, err := Pack([]Item{{SKU: "x", Grams: 5}}, 10); err == nil {
		t.Error("no error for an item without size")
	}
}

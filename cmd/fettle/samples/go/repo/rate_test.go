package parcel

import (
	"errors"
	"testing"
)

func box(sku string, grams int) Item {
	return Item{SKU: sku, Grams: grams, Length: 100, Width: 100, Height: 100}
}

func mustPrice(t *testing.T, p Parcel, zone Zone, remote bool) int {
	t.Helper()
	cents, err := Price(p, zone, remote)
	if err != nil {
		t.Fatalf("Price: %v", err)
	}
	return cents
}

func TestPriceOfLightParcel(t *testing.T) {
	p := Parcel{Items: []Item{box("mug", 400)}}
	if got := mustPrice(t, p, Domestic, false); got != 390 {
		t.Errorf("got %d, want 390", got)
	}
}

func TestPriceAtBandLimit(t *testing.T) {
	if got := mustPrice(t, Parcel{Items: []Item{box("a", 2000)}}, Europe, false); got != 1190 {
		t.Errorf("2000 g: got %d, want 1190", got)
	}
	if got := mustPrice(t, Parcel{Items: []Item{box("a", 2001)}}, Europe, false); got != 1690 {
		t.Errorf("2001 g: got %d, want 1690", got)
	}
}

func TestPriceSurcharges(t *testing.T) {
	vase := box("vase", 900)
	vase.Fragile = true
	if got := mustPrice(t, Parcel{Items: []Item{vase}}, Domestic, true); got != 390+250+400 {
		t.Errorf("got %d, want 1040", got)
	}
}

func TestPriceOfBulkyParcel(t *testing.T) {
	pillow := Item{SKU: "pillow", Grams: 800, Length: 600, Width: 400, Height: 200}
	if got := mustPrice(t, Parcel{Items: []Item{pillow}}, Domestic, false); got != 990 {
		t.Errorf("got %d, want 990 (9600 g volumetric)", got)
	}
}

func TestPriceTooHeavy(t *testing.T) {
	if _, err := Price(Parcel{Items: []Item{box("anvil", 30001)}}, World, false); err == nil {
		t.Error("no error for 30001 g")
	}
}

func TestPriceEmpty(t *testing.T) {
	if _, err := Price(Parcel{}, Domestic, false); !errors.Is(err, ErrEmpty) {
		t.Errorf("got %v, want ErrEmpty", err)
	}
}

func TestPriceUnknownZone(t *testing.T) {
	if _, err := Price(Parcel{Items: []Item{box("a", 1)}}, Zone(9), false); err == nil {
		t.Error("no error for an unknown zone")
	}
}

func TestChargeable(t *testing.T) {
	p := Parcel{Items: []Item{{SKU: "a", Grams: 100, Length: 500, Width: 100, Height: 100}}}
	if got := p.Chargeable(); got != 1000 {
		t.Errorf("got %d, want 1000", got)
	}
}

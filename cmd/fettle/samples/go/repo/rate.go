package parcel

import "fmt"

// Band is the price of parcels up to a weight.
type Band struct {
	MaxGrams int
	Cents    int
}

// MaxGrams is the heaviest parcel the carrier takes.
const MaxGrams = 30000

const (
	fragileCents    = 250
	volumetricDiv   = 5 // cubic centimetres per volumetric gram
	remoteAreaCents = 400
)

var tables = map[Zone][]Band{
	Domestic: {{1000, 390}, {2000, 490}, {5000, 690}, {10000, 990}, {MaxGrams, 1690}},
	Europe:   {{1000, 890}, {2000, 1190}, {5000, 1690}, {10000, 2290}, {MaxGrams, 3990}},
	World:    {{1000, 1690}, {2000, 2390}, {5000, 3990}, {10000, 6490}, {MaxGrams, 9990}},
}

// Parcel is what is handed to the carrier.
type Parcel struct {
	Items []Item
}

// Grams is the real weight of the parcel.
func (p Parcel) Grams() int {
	sum := 0
	for _, it := range p.Items {
		sum += it.Grams
	}
	return sum
}

// Chargeable is the weight that is paid for: the real weight or the volumetric
// weight, whichever is more.
func (p Parcel) Chargeable() int {
	volume := 0
	for _, it := range p.Items {
		volume += it.Volume()
	}
	volumetric := volume / volumetricDiv
	return max(p.Grams(), volumetric)
}

// Fragile reports whether anything in the parcel is fragile.
func (p Parcel) Fragile() bool {
	for _, it := range p.Items {
		if it.Fragile {
			return true
		}
	}
	return false
}

// Price is what the carrier charges for the parcel, in cents.
func Price(p Parcel, zone Zone, remote bool) (int, error) {
	if len(p.Items) == 0 {
		return 0, ErrEmpty
	}
	bands, ok := tables[zone]
	if !ok {
		return 0, fmt.Errorf("parcel: no prices for %s", zone)
	}
	grams, weight := p.Grams(), p.Chargeable()
	if grams > MaxGrams {
		return 0, fmt.Errorf("parcel: %d g is too heavy", grams)
	}
	for _, band := range bands {
		if grams <= band.MaxGrams {
			cents := band.Cents
			if p.Fragile() {
				cents += fragileCents
			}
			if remote {
				cents += remoteAreaCents
			}
			return cents, nil
		}
	}
	return 0, fmt.Errorf("parcel: %d g (chargeable) is too bulky", weight)
}

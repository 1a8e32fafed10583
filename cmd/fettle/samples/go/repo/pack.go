package parcel

import "sort"

// Pack splits items over as few parcels as first-fit decreasing finds, none
// heavier than limit grams. Fragile items never share a parcel with others.
func Pack(items []Item, limit int) ([]Parcel, error) {
	if len(items) == 0 {
		return nil, ErrEmpty
	}
	sorted := append([]Item(nil), items...)
	sort.SliceStable(sorted, func(i, j int) bool { return sorted[i].Grams > sorted[j].Grams })

	var parcels []Parcel
	for _, it := range sorted {
		if err := it.Validate(); err != nil {
			return nil, err
		}
		if it.Grams > limit {
			return nil, &TooHeavyError{SKU: it.SKU, Grams: it.Grams, Limit: limit}
		}
		placed := false
		if !it.Fragile {
			for i := range parcels {
				if !parcels[i].Fragile() && parcels[i].Grams()+it.Grams <= limit {
					parcels[i].Items = append(parcels[i].Items, it)
					placed = true
					break
				}
			}
		}
		if !placed {
			parcels = append(parcels, Parcel{Items: []Item{it}})
		}
	}
	return parcels, nil
}

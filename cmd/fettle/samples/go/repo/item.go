// Package parcel prices shipments and packs orders into parcels.
package parcel

import (
	"errors"
	"fmt"
)

// ErrEmpty is returned when there is nothing to ship.
var ErrEmpty = errors.New("parcel: nothing to ship")

// Item is one thing of an order. Weight is in grams, sizes in millimetres.
type Item struct {
	SKU                   string
	Grams                 int
	Length, Width, Height int
	Fragile               bool
}

// Validate reports the first thing that is wrong with the item.
func (it Item) Validate() error {
	if it.SKU == "" {
		return errors.New("parcel: item without SKU")
	}
	if it.Grams <= 0 {
		return fmt.Errorf("parcel: item %s has no weight", it.SKU)
	}
	if it.Length <= 0 || it.Width <= 0 || it.Height <= 0 {
		return fmt.Errorf("parcel: item %s has no size", it.SKU)
	}
	return nil
}

// Volume is the item's volume in cubic centimetres, rounded up.
func (it Item) Volume() int {
	mm3 := it.Length * it.Width * it.Height
	return (mm3 + 999) / 1000
}

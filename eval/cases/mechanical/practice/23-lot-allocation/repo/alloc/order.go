// Package alloc reserves goods for orders.
package alloc

import "fmt"

// Line asks for a quantity of one article.
type Line struct {
	SKU string
	Qty int
	// MinDays is how long the goods must still keep.
	MinDays int
}

// Order is a list of lines that are served together.
type Order struct {
	ID      string
	Lines   []Line
	Partial bool
}

// Check looks for lines which make no sense.
func (o Order) Check() error {
	if len(o.Lines) == 0 {
		return fmt.Errorf("order %s has no lines", o.ID)
	}
	for i, l := range o.Lines {
		if l.SKU == "" {
			return fmt.Errorf("order %s, line %d: no article", o.ID, i+1)
		}
		if l.Qty <= 0 {
			return fmt.Errorf("order %s, line %d: quantity %d", o.ID, i+1, l.Qty)
		}
	}
	return nil
}

package alloc

import (
	"fmt"

	"stockroom/stock"
)

// Pick says how many pieces are taken from which lot.
type Pick struct {
	Lot string
	SKU string
	Qty int
}

// Result is what came out of an order.
type Result struct {
	Order string
	Picks []Pick
	Short map[string]int
}

// Complete reports whether nothing is missing.
func (r Result) Complete() bool { return len(r.Short) == 0 }

// Picked sums up the pieces of one article.
func (r Result) Picked(sku string) int {
	n := 0
	for _, p := range r.Picks {
		if p.SKU == sku {
			n += p.Qty
		}
	}
	return n
}

// ShortageError tells that an order could not be served in full.
type ShortageError struct {
	Order   string
	SKU     string
	Missing int
}

func (e *ShortageError) Error() string {
	return fmt.Sprintf("order %s: %d of %s missing", e.Order, e.Missing, e.SKU)
}

// Allocator reserves goods from a store.
type Allocator struct {
	Store *stock.Store
	Today stock.Day
	taken map[string][]Pick
}

func New(s *stock.Store, today stock.Day) *Allocator {
	return &Allocator{Store: s, Today: today, taken: map[string][]Pick{}}
}

// Reserve serves an order. If the order may not be served in parts and
// something is missing, nothing is reserved and a ShortageError comes back.
func (a *Allocator) Reserve(o Order) (Result, error) {
	if err := o.Check(); err != nil {
		return Result{}, err
	}
	if _, ok := a.taken[o.ID]; ok {
		return Result{}, fmt.Errorf("order %s is reserved already", o.ID)
	}
	res := Result{Order: o.ID, Short: map[string]int{}}
	for _, line := range o.Lines {
		picks, missing := a.pickLine(line)
		res.Picks = append(res.Picks, picks...)
		if missing == 0 {
			continue
		}
		if !o.Partial {
			a.putBack(res.Picks)
			return Result{}, &ShortageError{o.ID, line.SKU, missing}
		}
		res.Short[line.SKU] += missing
	}
	a.taken[o.ID] = res.Picks
	return res, nil
}

// Cancel gives the goods of an order back.
func (a *Allocator) Cancel(order string) error {
	picks, ok := a.taken[order]
	if !ok {
		return fmt.Errorf("order %s is not reserved", order)
	}
	a.putBack(picks)
	delete(a.taken, order)
	return nil
}

func (a *Allocator) pickLine(line Line) ([]Pick, int) {
	var picks []Pick
	open := line.Qty
	day := a.Today + stock.Day(line.MinDays)
	for _, lot := range a.Store.Usable(line.SKU, day) {
		if open <= 0 {
			break
		}
		n := smaller(lot.Free, line.Qty)
		lot.Free -= n
		open -= n
		picks = append(picks, Pick{lot.ID, line.SKU, n})
	}
	if open < 0 {
		open = 0
	}
	return picks, open
}

func (a *Allocator) putBack(picks []Pick) {
	for _, p := range picks {
		if lot, ok := a.Store.Lot(p.Lot); ok {
			lot.Free += p.Qty
		}
	}
}

func smaller(a, b int) int {
	if a < b {
		return a
	}
	return b
}

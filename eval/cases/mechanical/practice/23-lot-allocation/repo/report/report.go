// Package report prints what is in stock and what has to be picked.
package report

import (
	"fmt"
	"sort"
	"strings"

	"stockroom/alloc"
	"stockroom/stock"
)

// Free sums the usable pieces of every article.
func Free(s *stock.Store, today stock.Day) map[string]int {
	out := map[string]int{}
	for _, sku := range s.SKUs() {
		for _, l := range s.Usable(sku, today) {
			out[sku] += l.Free
		}
	}
	return out
}

// PickList is a text with one row per lot, lots in order of their names.
func PickList(r alloc.Result) string {
	picks := append([]alloc.Pick(nil), r.Picks...)
	sort.Slice(picks, func(i, j int) bool { return picks[i].Lot < picks[j].Lot })
	var b strings.Builder
	fmt.Fprintf(&b, "order %s\n", r.Order)
	for _, p := range picks {
		fmt.Fprintf(&b, "%-6s %-8s %4d\n", p.Lot, p.SKU, p.Qty)
	}
	var short []string
	for sku, n := range r.Short {
		short = append(short, fmt.Sprintf("%s -%d", sku, n))
	}
	if len(short) > 0 {
		sort.Strings(short)
		fmt.Fprintf(&b, "short: %s\n", strings.Join(short, ", "))
	}
	return b.String()
}

// Package summary adds up the entries of a day.
package summary

import (
	"fmt"
	"sort"
	"strings"

	"till/journal"
	"till/money"
)

// Line has the sums of one group of goods.
type Line struct {
	Group string
	Count int
	Total money.Cents
	Tax   money.Cents
}

// Summary has a line for each group, in the order of their names.
type Summary struct {
	Lines []Line
	Total money.Cents
	Tax   money.Cents
}

// Of sums up entries.
func Of(entries []journal.Entry) Summary {
	places := map[string]int{}
	var result Summary
	for _, entry := range entries {
		place, known := places[entry.Group]
		if !known {
			place = len(result.Lines)
			places[entry.Group] = place
			result.Lines = append(result.Lines, Line{Group: entry.Group})
		}
		line := &result.Lines[place]
		line.Count++
		line.Total += entry.Signed()
		line.Tax += entry.SignedTax()
		result.Total += entry.Signed()
		result.Tax += entry.SignedTax()
	}
	sort.Slice(result.Lines, func(a, b int) bool {
		return result.Lines[a].Group < result.Lines[b].Group
	})
	return result
}

// Busiest gives the hour with the most entries, the earliest of equals, or -1.
func Busiest(entries []journal.Entry) int {
	var counts [24]int
	best := -1
	for _, entry := range entries {
		counts[entry.Minute/60]++
	}
	for hour, count := range counts {
		if count > 0 && (best < 0 || count > counts[best]) {
			best = hour
		}
	}
	return best
}

// Text is the summary as it is printed.
func (s Summary) Text() string {
	var out strings.Builder
	for _, line := range s.Lines {
		fmt.Fprintf(&out, "%-8s %3d %10s %9s\n", line.Group, line.Count, line.Total, line.Tax)
	}
	fmt.Fprintf(&out, "%-8s %3s %10s %9s\n", "all", "", s.Total, s.Tax)
	return out.String()
}

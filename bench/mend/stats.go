package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// group is the results of some bugs.
type group []result

// where keeps the results for which f says so.
func (g group) where(f func(result) bool) group {
	var out group
	for _, r := range g {
		if f(r) {
			out = append(out, r)
		}
	}
	return out
}

func (g group) count(f func(result) bool) int { return len(g.where(f)) }

// valid leaves out what could not be set up, run or judged.
func (g group) valid() group { return g.where(func(r result) bool { return r.Verdict != invalid }) }

func is(verdict string) func(result) bool { return func(r result) bool { return r.Verdict == verdict } }

func isAnd(verdict string, ready bool) func(result) bool {
	return func(r result) bool { return r.Verdict == verdict && r.Ready == ready }
}

// seconds of fettle, sorted.
func (g group) seconds() []float64 {
	var out []float64
	for _, r := range g {
		out = append(out, r.Seconds)
	}
	slices.Sort(out)
	return out
}

// quantile is the smallest value that a share q of a sorted list does not
// exceed (the nearest rank); 0 of an empty list.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	at := int(q*float64(len(sorted)) + 0.999999)
	return sorted[min(max(at-1, 0), len(sorted)-1)]
}

// rate is candidates per second over all searches together, and the median of
// the single searches' rates. A search counts that tried at least so many.
func (g group) rate() (whole, median float64) {
	const fewest = 10
	tried, seconds := 0, 0.0
	var rates []float64
	for _, r := range g {
		if s := r.Search; s != nil && s.Tried >= fewest && s.Seconds > 0 {
			tried += s.Tried
			seconds += s.Seconds
			rates = append(rates, float64(s.Tried)/s.Seconds)
		}
	}
	if seconds == 0 {
		return 0, 0
	}
	slices.Sort(rates)
	return float64(tried) / seconds, quantile(rates, 0.5)
}

// by splits a group by a word of its results, sorted by that word.
func (g group) by(word func(result) string) (words []string, parts map[string]group) {
	parts = map[string]group{}
	for _, r := range g {
		parts[word(r)] = append(parts[word(r)], r)
	}
	for w := range parts {
		words = append(words, w)
	}
	slices.Sort(words)
	return words, parts
}

// ratio is a share as counts and percent.
func ratio(n, of int) string {
	if of == 0 {
		return "0 of 0"
	}
	return fmt.Sprintf("%d of %d (%.0f %%)", n, of, 100*float64(n)/float64(of))
}

// latest keeps of each bug and variant the result that was written last, sorted
// by bug.
func latest(all []result) group {
	last := map[string]result{}
	for _, r := range all {
		last[keyOf(r.Bug, r.Without)] = r
	}
	var out group
	for _, r := range last {
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b result) int {
		return cmp.Or(strings.Compare(a.Bug, b.Bug), strings.Compare(a.Without, b.Without))
	})
	return out
}

package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
)

var (
	// The part of a doubt that differs from bug to bug: names, figures, places.
	particular = regexp.MustCompile("[“\"`][^”\"`]*[”\"`]|\\([^)]*\\)|\\d+|\\S*(::|/|\\w\\.\\w)\\S*")
	blanks     = regexp.MustCompile(`\s+`)
)

// kindOf is a doubt without what it says of the bug at hand.
func kindOf(doubt string) string {
	words, _, _ := strings.Cut(particular.ReplaceAllString(doubt, "…"), ":")
	words = strings.Trim(blanks.ReplaceAllString(words, " "), " …,;")
	return words[:min(len(words), 90)]
}

func kindsOf(doubts []string) []string {
	var out []string
	for _, d := range doubts {
		if k := kindOf(d); !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}

// doubtfulness is the share of wrong changes among those with a kind of doubt,
// drawn to a half where few are known (Laplace's rule).
func (g group) doubtfulness() map[string]float64 {
	wrong, all := map[string]int{}, map[string]int{}
	for _, r := range g.changes() {
		for _, k := range r.Kinds {
			all[k]++
			if r.Verdict != mended {
				wrong[k]++
			}
		}
	}
	out := map[string]float64{}
	for k, n := range all {
		out[k] = float64(wrong[k]+1) / float64(n+2)
	}
	return out
}

// changes are the results with a change, ready or draft.
func (g group) changes() group {
	return g.where(func(r result) bool { return r.Verdict == mended || r.Verdict == plausible })
}

// calibration tells what "ready" is worth in a group, and what it would be if
// doubts were forgiven, the least telling first. Which these are, the open
// half says; the figures are of the group.
func calibration(w io.Writer, g, open group) {
	changes := g.changes()
	if len(changes) == 0 {
		return
	}
	right := changes.count(is(mended))
	weight := open.doubtfulness()
	worst := func(r result) (worst float64, kind string) {
		for _, k := range r.Kinds {
			p, known := weight[k]
			if !known {
				p = 1 // never seen: not forgiven
			}
			if p > worst {
				worst, kind = p, k
			}
		}
		if !r.Ready && kind == "" {
			return 1, "other"
		}
		return worst, kind
	}
	limits := []float64{0}
	names := map[float64][]string{}
	for k, p := range weight {
		limits = append(limits, p)
		names[p] = append(names[p], k)
	}
	slices.Sort(limits)
	fmt.Fprintf(w, "\nWhat “ready” is worth, and would be if doubts were forgiven, the least telling of the open half first. Of all %d changes %d are right; the interval is that of Clopper and Pearson at 95 %%.\n\n| forgiven, with all above | called ready | right | interval | share of the right ones |\n| --- | --- | --- | --- | --- |\n", len(changes), right)
	before := -1
	for _, limit := range slices.Compact(limits) {
		ready := changes.where(func(r result) bool { p, _ := worst(r); return r.Ready || p <= limit && limit > 0 })
		if len(ready) == before {
			continue
		}
		before = len(ready)
		n := ready.count(is(mended))
		low, high := interval(n, len(ready))
		what := "none"
		if limit > 0 {
			slices.Sort(names[limit])
			what = strings.Join(names[limit], "; ")
		}
		fmt.Fprintf(w, "| %s | %d | %s | %.0f to %.0f %% | %s |\n", what, len(ready), ratio(n, len(ready)), 100*low, 100*high, ratio(n, right))
	}
	fmt.Fprintf(w, "\n| doubt | changes with it | right | with it alone | right |\n| --- | --- | --- | --- | --- |\n")
	kinds, _ := changes.kinds()
	for _, k := range kinds {
		has := changes.where(func(r result) bool { return slices.Contains(r.Kinds, k) })
		alone := has.where(func(r result) bool { return len(r.Kinds) == 1 })
		fmt.Fprintf(w, "| %s | %d | %d | %d | %d |\n", k, len(has), has.count(is(mended)), len(alone), alone.count(is(mended)))
	}
}

// kinds lists the kinds of doubts of a group, the most frequent first.
func (g group) kinds() (names []string, n map[string]int) {
	n = map[string]int{}
	for _, r := range g {
		for _, k := range r.Kinds {
			n[k]++
		}
	}
	for k := range n {
		names = append(names, k)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(n[b]-n[a], strings.Compare(a, b)) })
	return names, n
}

// interval is that of Clopper and Pearson at 95 % for k of n.
func interval(k, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	// atMost is the chance of at most k of n, each with chance p.
	atMost := func(k int, p float64) float64 {
		sum := 0.0
		for i := 0; i <= k; i++ {
			a, _ := math.Lgamma(float64(n + 1))
			b, _ := math.Lgamma(float64(i + 1))
			c, _ := math.Lgamma(float64(n - i + 1))
			sum += math.Exp(a - b - c + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
		}
		return sum
	}
	solve := func(falls func(p float64) bool) float64 { // the p up to which it does not
		a, b := 0.0, 1.0
		for range 60 {
			if p := (a + b) / 2; falls(p) {
				b = p
			} else {
				a = p
			}
		}
		return a
	}
	high = 1
	if k < n {
		high = solve(func(p float64) bool { return atMost(k, p) < 0.025 })
	}
	if k > 0 {
		low = solve(func(p float64) bool { return 1-atMost(k-1, p) > 0.025 })
	}
	return low, high
}

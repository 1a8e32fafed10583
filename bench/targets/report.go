package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/fettle-dev/fettle/bench/machine"
)

// quartiles of shares, in percent.
func quartiles(list []float64) (low, mid, high float64) {
	if len(list) == 0 {
		return 0, 0, 0
	}
	list = slices.Clone(list)
	slices.Sort(list)
	at := func(q float64) float64 { return 100 * list[min(len(list)-1, int(q*float64(len(list))))] }
	return at(0.25), at(0.5), at(0.75)
}

func percent(a, of int) float64 { return 100 * float64(a) / float64(max(1, of)) }

func (b *bench) print(j judged, ways []way) {
	fmt.Printf("%s %.10s: %d tests, the suite takes %.1f s, one test %.1f s\n", j.name, j.commit, j.tests, j.wall, j.start)
	fmt.Printf("  %d faults that the suite sees, %d that it does not (%s half)", j.seen, j.missed, b.half)
	for why, n := range j.void {
		fmt.Printf("; %d no faults: %s", n, why)
	}
	fmt.Println()
	table(ways, j.scores, j.seen)
	_, mid, high := quartiles(j.took)
	fmt.Printf("  choosing took %.0f ms at the median, %.0f ms at the upper quartile\n", 10*mid, 10*high)
	if j.ranOf > 0 {
		fmt.Printf("  really run: %d of %d red; %s\n", j.ranHeld, j.ranOf, strings.Join(j.ran, ", "))
	}
	for _, m := range j.misses[:min(b.show, len(j.misses))] {
		fmt.Println("    missed:", m)
	}
	fmt.Println()
}

func table(ways []way, scores []score, seen int) {
	w := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "  chosen by\tholds a test that sees it\tshare of the tests' time: median (quartiles)\twith the start: median\tall were chosen")
	for i, way := range ways {
		s := scores[i]
		low, mid, high := quartiles(s.shares)
		_, wall, _ := quartiles(s.walls)
		fmt.Fprintf(w, "  %s\t%.1f %%\t%.1f %% (%.1f to %.1f)\t%.1f %%\t%d\n", way.name, percent(s.held, seen), mid, low, high, wall, s.all)
	}
	_ = w.Flush()
}

// summary adds the repositories up.
func (b *bench) summary(all []judged) {
	ways := b.ways()
	sum := make([]score, len(ways))
	seen := 0
	for _, j := range all {
		seen += j.seen
		for i, s := range j.scores {
			sum[i].held += s.held
			sum[i].all += s.all
			sum[i].shares = append(sum[i].shares, s.shares...)
			sum[i].walls = append(sum[i].walls, s.walls...)
		}
	}
	fmt.Printf("All %d repositories, %d faults that a suite sees (%s half), %s, load now %s\n", len(all), seen, b.half, time.Since(b.begun).Round(time.Second), machine.Load())
	table(ways, sum, seen)
	last := sum[len(sum)-1]
	_, mid, _ := quartiles(last.shares)
	fmt.Printf("  wanted: at least 97 %% and at most 25 %%; measured: %.1f %% and %.1f %%\n", percent(last.held, seen), mid)
}

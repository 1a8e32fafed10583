package verify

import (
	"slices"
	"testing"
)

func TestC6AFunctionThatDoesWhatItsSiblingDoesIsDoubted(t *testing.T) {
	t.Parallel()
	v := verifier(t)
	mean := "def mean(xs):\n    return sum(xs) / len(xs)\n\n\n"
	r := from(t, "-- stats.py --\n"+mean+"def median(xs):\n    return xs[0]\n-- test_stats.py --\nfrom stats import mean, median\n\n\ndef test_mean():\n    assert mean([1, 3]) == 2\n\n\ndef test_median():\n    assert median([1, 2, 3]) == 2\n")
	b := baseline(t, v, r)
	r.write(t, "stats.py", mean+"def median(values):\n    return sum(values) / len(values)\n")
	got := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: b})
	if !got.Green || !slices.Contains(got.Doubts, "median now does the same as mean, which it did not before") {
		t.Errorf("green %v, doubts %q", got.Green, got.Doubts)
	}
}

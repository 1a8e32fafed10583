package loop

import (
	"testing"

	"github.com/fettle-dev/fettle/bot/task"
)

func TestARedTestNobodySpokeOfIsNotTheIssue(t *testing.T) {
	t.Parallel()
	a := task.Attempt{
		Fixed:   []string{"pytest:.:tests/test_pricing.py::test_a_full_week_is_discounted"},
		Regions: []task.RegionRef{{Name: "discount_percent", Path: "lodge/pricing.py"}},
		Diff:    "--- a\n+++ b\n-        if nights > threshold:\n+        if nights >= threshold:\n",
	}
	for title, want := range map[string]bool{
		"Seven-night guests are charged the full price": true,
		"calculateDiscount is off by one":               true,
		"Please add a dark mode":                        false,
		"The test fails with an error":                  false,
	} {
		if got := related(task.Task{Title: title}, a, nil); got != want {
			t.Errorf("%q: related %v, want %v", title, got, want)
		}
	}
}

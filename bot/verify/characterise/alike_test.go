package characterise_test

import (
	"strings"
	"testing"
)

func TestR2AFunctionThatGivesWhatItsSiblingGivesIsTold(t *testing.T) {
	t.Parallel()
	now := `def median(values):
    ordered = sorted(values)
    total = 0
    for value in ordered:
        total += value
    return total / len(ordered)


`
	at := strings.Index(pythonLab, "def mean")
	l := tryOut(t, "-- stats/__init__.py --\n-- stats/middle.py --\n"+now+pythonLab[at:], patience)
	if len(l.found.Alike) != 1 || !strings.HasPrefix(l.found.Alike[0], "median now gives the same as mean on all ") {
		t.Errorf("told: %q", l.found.Alike)
	}
	if l = tryOut(t, pythonLab, patience); len(l.found.Alike) != 0 {
		t.Errorf("a median is no mean: %q", l.found.Alike)
	}
}

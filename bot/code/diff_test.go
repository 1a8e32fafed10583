package code

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The hunks make the one list into the other, come in order, and take no line
// that both have at a place where nothing moved.
func TestE3HunksMakeOneTextTheOther(t *testing.T) {
	t.Parallel()
	asIs := func(l string) string { return l }
	rapid.Check(t, func(rt *rapid.T) {
		line := rapid.SampledFrom([]string{"a", "b", "c", "", "\xac", "d", "e", "f"})
		old, now := rapid.SliceOfN(line, 0, 30).Draw(rt, "old"), rapid.SliceOfN(line, 0, 30).Draw(rt, "now")
		var got []string
		at := 0
		for _, h := range diffLines(old, now, asIs) {
			if h.from < at || h.to < h.from {
				rt.Fatalf("hunks out of order: %+v", h)
			}
			got = append(append(got, old[at:h.from]...), h.text...)
			at = h.to
		}
		if got = append(got, old[at:]...); !slices.Equal(got, now) {
			rt.Fatalf("%q", got)
		}
		if len(diffLines(old, old, asIs)) != 0 {
			rt.Fatal("a text differs from itself")
		}
	})
}

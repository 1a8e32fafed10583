package gate

import (
	"slices"
	"testing"

	"github.com/fettle-dev/fettle/bot/code/mutate"
)

// C5: whoever stops among the faults of a change has seen one of each line, and what takes
// something away before what only adds.
func TestC5FaultsOfEachLineComeBeforeTheSecondOfOne(t *testing.T) {
	t.Parallel()
	fault := func(line int, prior float64, words string, end int) Fault {
		return Fault{Path: "a.go", Line: line, Prior: prior, Words: words, at: mutate.Mutation{Start: line * 10, End: end, Replacement: words}}
	}
	all := []Fault{
		fault(1, 9, "adds", 10), fault(1, 1, "takes", 12), fault(1, 2, "turns", 15), fault(1, 0, "fourth", 11),
		fault(2, 3, "adds alone", 20), fault(3, 1, "late", 31),
	}
	var got []string
	for _, round := range Rounds(all, 3) {
		for _, f := range round {
			got = append(got, f.Words)
		}
	}
	if want := []string{"turns", "adds alone", "late", "takes", "fourth"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	g := New(Config{MaxMutants: 2})
	got = nil
	for _, f := range g.sample(all) {
		got = append(got, f.Words)
	}
	if want := []string{"turns", "adds alone", "late", "takes", "fourth"}; !slices.Equal(got, want) {
		t.Errorf("a sample %q, want %q", got, want)
	}
}

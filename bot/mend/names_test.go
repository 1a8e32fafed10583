package mend

import (
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/code/mutate"
)

// TestEveryOperatorThatIsNamedIsThere fails where a name is misspelt, or stands for an
// operator that is gone.
func TestEveryOperatorThatIsNamedIsThere(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, op := range mutate.Known() {
		known[op.Name] = true
	}
	for _, name := range []string{"statement_order", "clamp", "truncate", "pattern_alternatives"} { // of templates
		known[name] = true
	}
	var names []string
	for _, s := range slices.Concat(strategies, spoken) {
		names = append(names, strings.Fields(s.operators)...)
	}
	for _, set := range []map[string]bool{movesOn, copied, borrowed} {
		for name := range set {
			names = append(names, name)
		}
	}
	for _, name := range names {
		if !known[name] {
			t.Errorf("%s is no operator of bot/code/mutate and none of this package", name)
		}
	}
}

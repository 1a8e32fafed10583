package loop

import (
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/mend"
)

// M9: what both the failing tests and the issue's words point at is shown first, and
// neither list is lost behind the other.
func TestM9WhatRanAndWhatTheIssueSpeaksOfAreFused(t *testing.T) {
	t.Parallel()
	of := func(paths ...string) (out []mend.Suspect) {
		for _, p := range paths {
			out = append(out, mend.Suspect{Path: p})
		}
		return out
	}
	order := func(all []mend.Suspect) string {
		var out []string
		for _, s := range all {
			out = append(out, s.Path)
		}
		return strings.Join(out, " ")
	}
	for _, c := range []struct{ ran, spoken, want string }{
		{"a b c", "c d", "c c a b d"},
		{"a b c", "", "a b c"},
		{"", "d e", "d e"},
		{"a b", "d e", "a d b e"},
	} {
		if got := order(fused(of(strings.Fields(c.ran)...), of(strings.Fields(c.spoken)...))); got != c.want {
			t.Errorf("%s and %s: %s, want %s", c.ran, c.spoken, got, c.want)
		}
	}
}

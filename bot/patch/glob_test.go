package patch_test

import (
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/patch"
)

func TestGlobsOfAHostileRepositoryCostNoTime(t *testing.T) {
	t.Parallel()
	glob := strings.Repeat("**/a/", 30) + "zzz"
	deep := strings.Repeat("a/", 450) + "x.py"
	begun := time.Now()
	if patch.Match([]string{glob, strings.Repeat("{a,a,a}", 60) + "zzz"}, deep) {
		t.Error("it matches")
	}
	if d := time.Since(begun); d > 20*time.Second { // what backtracks takes for ever
		t.Errorf("one path took %s", d)
	}
	for _, c := range []struct {
		glob, path string
		want       bool
	}{
		{"**/a/**/b", "x/a/y/b/z", true}, {"**/a/**/b", "b/a", false}, {"a/**", "a/x", true}, {"a/**", "a", false}, {"**", "x", true},
		{"**/**/x", "x", true}, {"a/**/b/c", "a/b/b/c", true}, {"a/**/b/c", "a/b/x/c", false}, {"src/*.py", "src/a.py", true}, {"src", "src/a/b", true},
		{"{a,b}", "a", false}, {"{a,b}", "x/{a,b}", true}, {"[", "[", false},
	} {
		if got := patch.Match([]string{c.glob}, c.path); got != c.want {
			t.Errorf("%s on %s: %v", c.glob, c.path, got)
		}
	}
}

package loop

import (
	"strings"
	"testing"
)

func TestM9ADiffLeavesOutAFileThatIsShownWhole(t *testing.T) {
	t.Parallel()
	part := func(f string) string {
		return "diff --git a/" + f + " b/" + f + "\n--- a/" + f + "\n+++ b/" + f + "\n@@ -1 +1 @@\n-x\n+y\n"
	}
	for _, order := range [][]string{{"a.py", "t.py"}, {"t.py", "a.py"}, {"a.py", "t.py", "b.py"}, {"t.py"}, {"a.py"}} {
		whole, want := "", ""
		for _, f := range order {
			whole += part(f)
			if f != "t.py" {
				want += part(f)
			}
		}
		if got := withoutFile(whole, "t.py"); strings.TrimSpace(got) != strings.TrimSpace(want) {
			t.Errorf("%v:\n%s", order, got)
		}
	}
}

package patch_test

import (
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/patch"
)

func TestE6ANameDefinedTwiceKeepsItsSignatures(t *testing.T) {
	t.Parallel()
	src := "def outer(x):\n    if x:\n        def post(a):\n            return a\n    else:\n        def post(b, c):\n            return b\n    return post\n"
	r := patch.Risk([]patch.Change{{Path: "a.py", Before: []byte(src), After: []byte(strings.Replace(src, "if x:", "if not x:", 1))}}, patch.Facts{TestsAdded: true})
	for _, why := range r.Reasons {
		if strings.Contains(why, "signature") {
			t.Errorf("no signature changes, and the risk says %q", why)
		}
	}
}

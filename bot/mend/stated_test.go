package mend

import (
	"slices"
	"strings"
	"testing"
)

// The test that fails is satisfied by both orders of an equal score; only the
// README says what a tie gives.
func TestR2TheReadmeDecidesBetweenRivals(t *testing.T) {
	t.Parallel()
	fees := "def fee(days):\n    if days > 3:\n        return 10\n    return 0\n"
	test := "from fees import fee\n\n\ndef test_many():\n    assert fee(9) == 10\n\n\ndef test_few():\n    assert fee(1) == 0\n\n\ndef test_some():\n    assert fee(3) == 10\n"
	for name, c := range map[string]struct{ readme, want string }{
		"two are free":  {"```python\n>>> fee(2)\n0\n```\n", "days >= 3"},
		"two are due":   {"```python\n>>> fee(2)\n10\n```\n", "days > 1"},
		"a wrong claim": {"```python\n>>> fee(1)\n77\n```\n", "days >= 3"},
	} {
		if testing.Short() && name != "two are free" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := patient{name: name, dir: t.TempDir()}
			put(t, p.dir, "fees.py", fees)
			put(t, p.dir, "test_fees.py", test)
			put(t, p.dir, "README.md", c.readme)
			r := treat(t, p)
			t.Log(r.row())
			if r.repair.Found == nil || !strings.Contains(r.repair.Found.Patch.Edits[0].Code, c.want) {
				t.Errorf("mended: %+v", r.repair.Found)
			}
			if name == "two are free" && (r.repair.Found.Ambiguous || len(r.repair.Found.Doubts) > 0 || !slices.ContainsFunc(r.repair.Found.Alternatives, func(a string) bool { return strings.Contains(a, "README.md says fee(2) is 0, the change gives 10") })) {
				t.Errorf("what the README decides: %+v", r.repair.Found)
			}
		})
	}
}

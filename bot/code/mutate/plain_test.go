package mutate

import (
	"slices"
	"testing"

	"github.com/fettle-dev/fettle/bot/code"
)

func TestPlainCopiesNothingFromElsewhere(t *testing.T) {
	t.Parallel()
	src := []byte(`def first(items):
    if not items:
        return None
    return items[0].strip()


def second(items):
    total = len(items)
    return items[1]
`)
	tree, err := code.Parse(t.Context(), code.Python, src)
	if err != nil {
		t.Fatal(err)
	}
	at := len(src) / 2
	all, plain := Mutations(tree, at, len(src)), Plain(tree, at, len(src))
	kept, copies := map[string]bool{}, 0
	for _, m := range plain {
		kept[string(Apply(src, m))] = true
		if copying[m.Operator] {
			t.Errorf("%s is among the plain mutations: %s", m.Operator, m.Description)
		}
	}
	for _, m := range all {
		if copying[m.Operator] {
			copies++
			if kept[string(Apply(src, m))] && m.Operator == "guard_donor" {
				t.Errorf("the copied guard %q is still made", m.Replacement)
			}
		}
	}
	for name := range copying {
		if !slices.Contains(Operators(code.Python), name) {
			t.Errorf("there is no operator %s", name)
		}
	}
	if copies == 0 || len(plain) == 0 || len(plain) >= len(all) {
		t.Errorf("%d mutations, %d of them copies, %d plain ones", len(all), copies, len(plain))
	}
}

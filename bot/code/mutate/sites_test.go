package mutate

import (
	"context"
	"slices"
	"testing"

	"github.com/fettle-dev/fettle/bot/code"
)

func TestR1SitesAreExpressionsThatCanBeWorkedOutTwice(t *testing.T) {
	t.Parallel()
	src := `def f(a, b=len("x")):
    """What it does."""
    if a > 1 and not b:
        return g(a.count, key=b)
    x = (yield a)
    y = [i for i in a if i]
    return a - b
`
	tree, err := code.Parse(context.Background(), code.Python, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	p := NewProject(map[string]*code.Tree{"m.py": tree})
	got := map[string]Site{}
	for _, x := range p.Sites("m.py", 0, len(src)) {
		if src[x.Start:x.End] != x.Text {
			t.Errorf("%q is said to stand where %q does", x.Text, src[x.Start:x.End])
		}
		if _, again := got[x.Text]; !again {
			got[x.Text] = x
		}
	}
	for _, text := range []string{"a > 1 and not b", "g(a.count, key=b)", "a.count", "a - b"} {
		if _, ok := got[text]; !ok {
			t.Errorf("%q is no site", text)
		}
	}
	for _, text := range []string{`len("x")`, `"""What it does."""`, "(yield a)", "yield a"} {
		if _, ok := got[text]; ok {
			t.Errorf("%q is a site", text)
		}
	}
	if k := got["a > 1 and not b"].Kind; k != SiteCondition {
		t.Errorf("the condition is a site of the kind %s", k)
	}
	if x := got["a - b"]; x.Kind != SiteValue || !slices.Contains(x.Near, "b") || !slices.Contains(x.Chains, "a.count") {
		t.Errorf("the value's surroundings are %+v", x)
	}
}

func TestR1AnOperandHasToHoldTogether(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		op   string
		left bool
		want int
	}{{"+", true, levelPlus}, {"-", false, levelPlus + 1}, {"*", false, levelTimes + 1}, {"<", true, levelCompared + 1}, {"and", false, levelAnd + 1}, {"||", true, levelOr + 1}, {"**", false, levelAtom}} {
		if got := operandLevel(c.op, c.left); got != c.want {
			t.Errorf("an operand of %s, left %v, needs %d, not %d", c.op, c.left, got, c.want)
		}
	}
}

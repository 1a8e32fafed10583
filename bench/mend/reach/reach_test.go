package reach

import (
	"bytes"
	"testing"

	"github.com/fettle-dev/fettle/bot/code"
)

func TestR5TheOperatorThatMakesAFixIsNamed(t *testing.T) {
	t.Parallel()
	broken := "def most(xs):\n    best = xs[0]\n    for x in xs:\n        if x < best:  # the larger one\n            best = x\n    return best\n"
	for name, c := range map[string]struct {
		correct  string
		operator string
	}{
		"an operator":             {"def most(xs):\n    best = xs[0]\n    for x in xs:\n        if x > best:\n            best = x\n    return best\n", "comparison_operator"},
		"in other layout":         {"def most(xs):\n\n    best = xs[0]\n    for x in xs:\n        if (\n            x > best):\n            best = x\n    return best\n", ""},
		"a comment more":          {"def most(xs):\n    best = xs[0]\n    for x in xs:\n        if x > best:\n            best = x  # kept\n    return best\n", "comparison_operator"},
		"what nothing here makes": {"def most(xs):\n    return sorted(xs, key=weigh)[-1]\n", ""},
	} {
		tree, err := code.Parse(t.Context(), code.Python, []byte(broken))
		if err != nil {
			t.Fatal(err)
		}
		got, ok := Ask(t.Context(), Fix{Path: "a.py", Language: "python", Line: 4}, map[string]*code.Tree{"a.py": tree}, []byte(c.correct))
		if !ok || got.Operator != c.operator || (got.Rank > 0) != (c.operator != "") || len(got.Made) < 5 {
			t.Errorf("%s: %q, rank %d, %d operators", name, got.Operator, got.Rank, len(got.Made))
		}
	}
	if _, ok := Ask(t.Context(), Fix{Path: "b.py", Language: "python", Line: 1}, nil, nil); ok {
		t.Error("a file that is not there has a fix")
	}
}

func TestTwoTextsThatSayTheSameAreOneChange(t *testing.T) {
	t.Parallel()
	for a, b := range map[string]string{
		"f(a, b,)  # x\n":       "f( a,\n   b )",
		"x = 'it'":              `x = "it"`,
		"x = '#no comment' # c": `x = "#no comment"`,
	} {
		if !bytes.Equal(bare([]byte(a), "python"), bare([]byte(b), "python")) {
			t.Errorf("%q and %q: %q, %q", a, b, bare([]byte(a), "python"), bare([]byte(b), "python"))
		}
	}
	if bytes.Equal(bare([]byte("a // b"), "go"), bare([]byte("a // b"), "python")) {
		t.Error("what is a comment in Go is one in Python")
	}
}

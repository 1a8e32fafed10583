package code_test

import (
	"testing"

	"github.com/fettle-dev/fettle/bot/code"
)

func TestJudgeS13EachChangedPlaceIsPutBackAlone(t *testing.T) {
	t.Parallel()
	before, after := "a\nb\nc\nd\n", "a\nB\nc\n"
	got := code.PutBack([]byte(before), []byte(after))
	if len(got) != 2 || string(got[0].Text()) != "a\nb\nc\n" || string(got[1].Text()) != "a\nB\nc\nd\n" || got[0].First != 2 || got[0].Last != 2 || got[1].Last >= got[1].First {
		t.Errorf("%+v", got)
	}
	if got := code.PutBack(nil, []byte(after)); got != nil {
		t.Errorf("of a new file %+v", got)
	}
}

func TestJudgeS13SameCodeDiffersInCommentsAlone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path, a, b string
		same       bool
	}{
		{"m.py", "def f(a):\n    return a\n", "def f(a):\n    \"\"\"It.\"\"\"\n    # so\n    return  a\n", true},
		{"m.py", "if a:\n    b()\n    c()\n", "if a:\n    b()\nc()\n", false},
		{"m.py", "x = a + b\n", "x = a - b\n", false},
		{"m.py", "x = 'a'\n", "x = 'b'\n", false},
		{"m.js", "f(a); // x\n", "f(a);\n", true},
		{"m.go", "package m\n\nvar X = 1\n", "package m\n\nvar X = 2\n", false},
		{"m.txt", "a\n", "a\n", false},
	} {
		if got := code.SameCode(t.Context(), c.path, []byte(c.a), []byte(c.b)); got != c.same {
			t.Errorf("%s: %q and %q: %v", c.path, c.a, c.b, got)
		}
	}
}

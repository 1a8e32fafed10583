package rule

import (
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/code"
)

func TestALearnedEditIsARuleThatMakesItAgain(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		lang                 code.Language
		before, after        string
		match, to            string
		elsewhere, wantThere string
	}{
		{code.Python, "def f(a, b):\n    return round(a / b)\n", "def f(a, b):\n    return int(a / b)\n", "round($A / $B)", "int($A / $B)",
			"x = round(p / q)\n", "x = int(p / q)\n"},
		{code.Go, "package p\n\nfunc f(a, b int) bool { return a < b }\n", "package p\n\nfunc f(a, b int) bool { return a <= b }\n", "$A < $B", "$A <= $B",
			"package p\n\nvar x = y < z\n", "package p\n\nvar x = y <= z\n"},
		{code.Python, "def f(xs):\n    out = []\n    for x in xs:\n        out.append(x)\n    return out\n", "def f(xs):\n    out = []\n    for x in xs:\n        out.append(x)\n    out.sort()\n    return out\n",
			"return $A", "$A.sort()\nreturn $A", "def g(p):\n  return p\n", "def g(p):\n  p.sort()\n  return p\n"},
		{code.Python, "def f(t, k):\n    return t.get(k) * 100\n", "def f(t, k):\n    return t.get(k, 0) * 100\n", "$A.get($B)", "$A.get($B, 0)",
			"x = d.get(e) * 2\n", "x = d.get(e, 0) * 2\n"},
		{code.JavaScript, "function f(a) {\n  if (a) {\n    g(a || 1);\n  }\n}\n", "function f(a) {\n  if (a) {\n    g(a ?? 1);\n  }\n}\n", "$A || 1", "$A ?? 1",
			"h(b || 1);\n", "h(b ?? 1);\n"},
	} {
		r, err := Abstract(t.Context(), tc.lang, []byte(tc.before), []byte(tc.after))
		if err != nil {
			t.Errorf("%q: %v", tc.before, err)
			continue
		}
		if r.Match[0] != tc.match || r.To[0].Text != tc.to {
			t.Errorf("got %q -> %q, want %q -> %q", r.Match[0], r.To[0].Text, tc.match, tc.to)
		}
		text, err := Format([]Rule{r})
		if err != nil {
			t.Fatal(err)
		}
		s, back := set(t, tc.lang, string(text))
		if len(back) != 1 || back[0].Name != r.Name || len(back[0].To) != len(r.To) {
			t.Errorf("the rule reads back as %+v from\n%s", back, text)
		}
		if got := all(t, s, tc.lang, tc.elsewhere); len(got) == 0 || got[0] != tc.wantThere {
			t.Errorf("elsewhere it makes %q, want %q", got, tc.wantThere)
		}
	}
}

func TestWhatIsNoEditIsNotLearned(t *testing.T) {
	t.Parallel()
	for _, tc := range [][3]string{
		{"a = 1\n", "a  =  1\n", "the same code"},
		{"a = (\n", "a = 1\n", "does not parse"},
		{"a = [" + strings.Repeat("1, ", 400) + "]\nb = 1\n", "a = [" + strings.Repeat("2, ", 400) + "]\nb = 1\n", "more than"},
	} {
		if _, err := Abstract(t.Context(), code.Python, []byte(tc[0]), []byte(tc[1])); err == nil || !strings.Contains(err.Error(), tc[2]) {
			t.Errorf("%.20q: %v", tc[0], err)
		}
	}
}

package rule

import (
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/code"
)

func set(t testing.TB, lang code.Language, src string) (*Set, []Rule) {
	t.Helper()
	rules, err := Parse("rules.yml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	s, err := Compile(lang, rules)
	if err != nil {
		t.Fatal(err)
	}
	return s, rules
}

// all are the texts that a set makes of a file.
func all(t testing.TB, s *Set, lang code.Language, src string) []string {
	t.Helper()
	tree, err := code.Parse(t.Context(), lang, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	tree.Walk(func(n code.Node) bool {
		s.Match(n, nil, func(c Change) { out = append(out, src[:c.Start]+c.Text+src[c.End:]) })
		return true
	})
	return out
}

const head = "- name: one\n  class: c\n  share: 0.01\n  says: Do it.\n"

func TestRulesRewriteWhatTheyMatch(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		lang code.Language
		rule string
		was  string
		want []string
	}{
		{"one node", code.Python, "  languages: python\n  match: round($X)\n  to: int($X)\n", "a = round(b + 1)\n", []string{"a = int(b + 1)\n"}},
		{"the same again", code.Python, "  languages: python\n  match: $X - $X\n  to: \"0\"\n", "a = f(b) - f( b )\nc = b - a\n", []string{"a = 0\nc = b - a\n"}},
		{"a row", code.Go, "  languages: go\n  match: fmt.Println($$$A)\n  to: log.Println($$$A)\n", "package p\n\nfunc f() { fmt.Println(1, a) }\n", []string{"package p\n\nfunc f() { log.Println(1, a) }\n"}},
		{"a row of nothing", code.Go, "  languages: go\n  match: f($A, $$$R)\n  to: g($A, $$$R)\n", "package p\n\nfunc h() { f(1) }\n", []string{"package p\n\nfunc h() { g(1) }\n"}},
		{"parentheses that are needed", code.Python, "  languages: python\n  match: f($X)\n  to: $X * 2\n", "a = f(b + 1) ** 2\n", []string{"a = ((b + 1) * 2) ** 2\n"}},
		{"no others", code.JavaScript, "  languages: javascript\n  match: f($X)\n  to: $X + 2\n", "a = f(b * 1) + 3\n", []string{"a = b * 1 + 2 + 3\n"}},
		{"?? beside ||", code.JavaScript, "  languages: javascript\n  match: $A || $B\n  to: $A ?? $B\n", "a = b || c && d\n", []string{"a = b ?? (c && d)\n"}},
		{"statements", code.Python, "  languages: python\n  match: |\n    $A = $X\n    $B = $A\n  to: |\n    $B = $A\n    $A = $X\n", "def f():\n    x = 1\n    y = x\n", []string{"def f():\n    y = x\n    x = 1\n"}},
		{"a block", code.Python, "  languages: python\n  match: |\n    if $C:\n    \t$$$B\n  to: |\n    while $C:\n    \t$$$B\n", "def f():\n  if a:\n    b()\n    if c:\n      d()\n", []string{"def f():\n  while a:\n    b()\n    if c:\n      d()\n", "def f():\n  if a:\n    b()\n    while c:\n      d()\n"}},
		{"a statement in a block", code.Go, "  languages: go\n  match: $S.Close()\n  if: match in expression_statement\n  to: |\n    if $S != nil {\n    \t$S.Close()\n    }\n", "package p\n\nfunc h() {\n\tb.Close()\n}\n", []string{"package p\n\nfunc h() {\n\tif b != nil {\n\t\tb.Close()\n\t}\n}\n"}},
		{"quotes of either kind", code.JavaScript, "  languages: javascript\n  match: $X.split(\"\")\n  to: \"[...$X]\"\n", "a = b.split('')\n", []string{"a = [...b]\n"}},
		{"a text of the file, filled in", code.Python, "  languages: python\n  match: $S[$K]\n  if: file has $S = OrderedDict(\n  to: $S.get($K)\n", "a = OrderedDict()\nb = a[1] + c[1]\n", []string{"a = OrderedDict()\nb = a.get(1) + c[1]\n"}},
		{"a kind", code.Go, "  languages: go\n  match: $X\n  if: [$X is nil, match in return_statement expression_list]\n  to: err\n", "package p\n\nfunc h() error { return nil }\n", []string{"package p\n\nfunc h() error { return err }\n"}},
		{"one part of it", code.Python, "  languages: python\n  match: sorted($L, key=$K)\n  at: $K\n  to: str.lower\n", "a = sorted(b, key=len)\n", []string{"a = sorted(b, key=str.lower)\n"}},
		{"a comment between", code.Go, "  languages: go\n  match: f($A, $B)\n  to: f($B, $A)\n", "package p\n\nvar a = f(1, /* two */ 2)\n", []string{"package p\n\nvar a = f(2, 1)\n"}},
		{"no semicolons", code.JavaScript, "  languages: javascript\n  match: f($X);\n  to: g($X);\n", "f(1)\n", []string{"g(1)\n"}},
		{"types", code.Go, "  languages: go\n  match: func ($R $T) $N() { $$$B }\n  if: $T is type_identifier\n  at: $T\n  to: \"*$T\"\n", "package p\n\nfunc (a A) f() { b() }\n", []string{"package p\n\nfunc (a *A) f() { b() }\n"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s, _ := set(t, tc.lang, head+tc.rule)
			if got := all(t, s, tc.lang, tc.was); strings.Join(got, "|") != strings.Join(tc.want, "|") {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

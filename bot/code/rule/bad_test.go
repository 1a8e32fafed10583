package rule

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fettle-dev/fettle/bot/code"
)

func TestR1BadRulesAreRefusedWithTheirPlace(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, src, want string }{
		{"an unbound metavariable", head + "  languages: python\n  match: f($X)\n  to: g($Y)\n", "rules.yml:6: rule one: to: “g($Y)”: $Y is not in the pattern"},
		{"matches everything", head + "  languages: python\n  match: $X\n  to: f($X)\n", "rules.yml:6: rule one: match: “$X” matches everything"},
		{"a rewrite that does not parse", head + "  languages: go\n  match: f($X)\n  to: g($X\n", "to: “g($X” does not parse as go"},
		{"a pattern that does not parse", head + "  languages: go\n  match: f(($X)\n  to: g($X)\n", "match: “f(($X)” does not parse as go"},
		{"a rewrite that is the pattern", head + "  languages: go\n  match: f($X)\n  to: f($X)\n", "it changes nothing"},
		{"two rows in one list", head + "  languages: go\n  match: f($$$A, $$$B)\n  to: g($$$A)\n", "two $$$ in one row"},
		{"a metavariable inside a text", head + "  languages: python\n  match: f(\"a $X\")\n  to: g($X)\n", "inside the word or text"},
		{"no grammar", head + "  languages: cobol\n  match: f($X)\n  to: g($X)\n", "languages: no grammar for cobol; known are go, java, javascript, python, rust"},
		{"an unknown key", head + "  languages: go\n  mach: f($X)\n", "rules.yml:6: unknown field \"mach\""},
		{"a misspelt verb", head + "  languages: go\n  match: f($X)\n  if: $X iss nil\n  to: g($X)\n", "has no verb of"},
		{"a misspelt generator", head + "  languages: go\n  match: f($X)\n  each: {$V: varables}\n  to: g($V)\n", "no generator “varables”"},
		{"a condition on what is not there", head + "  languages: go\n  match: f($X)\n  if: $Y is nil\n  to: g($X)\n", "if: $Y is not in the pattern"},
		{"two of one name", strings.Repeat(head+"  languages: go\n  match: f($X)\n  to: g($X)\n", 2), "rules.yml:8: rule one: stands in rules.yml:1 too"},
		{"a name that is none", strings.Replace(head, "one", "One Rule", 1) + "  languages: go\n  match: f($X)\n  to: g($X)\n", "rules.yml:1: rule One Rule: name:"},
		{"no list", "name: one\n", "rules.yml:1: a file of rules is a list"},
		{"an alias", "- &a\n  name: one\n- *a\n", "anchors and aliases"},
		{"no YAML", "- name: [\n", "rules.yml:"},
		{"5 MB", strings.Repeat("# a comment\n", 5<<20/12), "split it"},
		{"a long line", "- name: " + strings.Repeat("a", 3000) + "\n", "rules.yml:1: the line has more than"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			rules, err := Parse("rules.yml", []byte(tc.src))
			if err == nil {
				lang := code.Go
				if strings.Contains(tc.src, "python") {
					lang = code.Python
				}
				_, err = Compile(lang, rules)
			}
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
	if _, err := Compile("cobol", nil); err == nil || !strings.Contains(err.Error(), "no grammar") {
		t.Errorf("a language without a grammar: %v", err)
	}
}

func TestARuleOfTenThousandLinesIsReadOrRefused(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(head + "  languages: python\n  match: f($X)\n  to:\n")
	for i := range 10_000 {
		fmt.Fprintf(&b, "  - g%d($X)\n", i)
	}
	rules, err := Parse("rules.yml", []byte(b.String()))
	if err == nil {
		_, err = Compile(code.Python, rules)
	}
	if err == nil || !strings.Contains(err.Error(), "rewrites are more than") {
		t.Errorf("got %v", err)
	}
}

func TestARuleThatFeedsItselfIsAppliedOnce(t *testing.T) {
	t.Parallel()
	s, _ := set(t, code.Python, head+"  languages: python\n  match: f($X)\n  to: f(f($X))\n")
	if got := all(t, s, code.Python, "f(a)\n"); len(got) != 1 || got[0] != "f(f(a))\n" {
		t.Errorf("got %q", got)
	}
}

// samples are patterns with rewrites whose metavariables take any expression.
var samples = map[code.Language][][2]string{
	code.Python:     {{"f($X)", "$X * 2"}, {"$A + $B", "$B - $A"}, {"f($X)", "g(not $X)"}, {"$A and $B", "$B or $A"}, {"f($X)", "$X.y[0]"}, {"f($X)", "$X if $X else -$X"}},
	code.JavaScript: {{"f($X)", "$X * 2"}, {"$A + $B", "$B - $A"}, {"f($X)", "!$X"}, {"$A || $B", "$A ?? $B"}, {"f($X)", "$X.y[0]"}, {"f($X)", "$X ? $X : -$X"}},
	code.Go:         {{"f($X)", "$X * 2"}, {"$A + $B", "$B - $A"}, {"f($X)", "!$X"}, {"$A || $B", "$B && $A"}, {"f($X)", "$X.y[0]"}},
}

func expressions(lang code.Language) *rapid.Generator[string] {
	forms := map[code.Language][]string{
		code.Python:     {"a", "b", "1", "f(%)", "% + %", "% * %", "% and %", "not %", "(% or %)", "%.m", "[%]", "(% if % else %)", "% < %", "-%", "lambda: %", "% ** %"},
		code.JavaScript: {"a", "b", "1", "f(%)", "% + %", "% * %", "% || %", "!%", "(% ?? %)", "%.m", "[%]", "(% ? % : %)", "% < %", "(-%)", "(() => %)"},
		code.Go:         {"a", "b", "1", "f(%)", "% + %", "% * %", "% || %", "!%", "%.m", "%[0]", "% < %", "(-%)"},
	}[lang]
	var make func(depth int) *rapid.Generator[string]
	make = func(depth int) *rapid.Generator[string] {
		return rapid.Custom(func(t *rapid.T) string {
			list := forms
			if depth == 0 {
				list = forms[:3]
			}
			form := rapid.SampledFrom(list).Draw(t, "form")
			for strings.Contains(form, "%") {
				form = strings.Replace(form, "%", make(max(depth-1, 0)).Draw(t, "part"), 1)
			}
			return form
		})
	}
	return make(3)
}

func TestR1ARewriteOfAMatchParsesAndMatchingIsDeterministic(t *testing.T) {
	t.Parallel()
	for lang, list := range samples {
		t.Run(string(lang), func(t *testing.T) {
			t.Parallel()
			var sets []*Set
			for _, pair := range list {
				word := family(lang)
				s, _ := set(t, lang, head+"  languages: "+word+"\n  match: '"+pair[0]+"'\n  to: '"+pair[1]+"'\n")
				sets = append(sets, s)
			}
			rapid.Check(t, func(rt *rapid.T) {
				src := "x = " + expressions(lang).Draw(rt, "source") + "\n"
				if lang == code.Go {
					src = "package p\n\nfunc h() {\n\t" + src + "}\n"
				}
				errs, err := code.CheckLanguage(t.Context(), lang, []byte(src))
				if err != nil || len(errs) > 0 {
					rt.Skip("the source does not parse")
				}
				s := rapid.SampledFrom(sets).Draw(rt, "rule")
				got := all(t, s, lang, src)
				if again := all(t, s, lang, src); strings.Join(got, "") != strings.Join(again, "") {
					rt.Fatal("two calls give different changes")
				}
				for _, text := range got {
					if errs, err := code.CheckLanguage(t.Context(), lang, []byte(text)); err != nil || len(errs) > 0 {
						rt.Fatalf("%q becomes %q: %v %v", src, text, errs, err)
					}
				}
			})
		})
	}
}

func TestMetavariablesAreEqualWhereTheirCodeIs(t *testing.T) {
	t.Parallel()
	s, _ := set(t, code.Python, head+"  languages: python\n  match: same($X, $X)\n  to: one($X)\n")
	rapid.Check(t, func(rt *rapid.T) {
		a, b := expressions(code.Python).Draw(rt, "a"), expressions(code.Python).Draw(rt, "b")
		src := "same((" + a + "), ( " + b + " ))\n"
		if errs, err := code.CheckLanguage(t.Context(), code.Python, []byte(src)); err != nil || len(errs) > 0 {
			rt.Skip("the source does not parse")
		}
		found := false
		for _, text := range all(t, s, code.Python, src) {
			found = found || strings.HasPrefix(text, "one(")
		}
		if found != (a == b) {
			rt.Fatalf("%q and %q: matched %v", a, b, found)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(head + "  languages: python\n  match: f($X)\n  if: $X is integer\n  to: {g($X): 0.5}\n"))
	f.Add([]byte("- name: [\n"))
	f.Add([]byte(head + "  languages: [go, python]\n  forms:\n  - match: $A < $B\n    to: $A <= $B\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		rules, err := Parse("fuzz.yml", src)
		if err != nil {
			return
		}
		for _, lang := range []code.Language{code.Python, code.JavaScript, code.Go} {
			s, _ := Compile(lang, rules)
			tree, err := code.Parse(t.Context(), lang, []byte("f(1)\n"))
			if err != nil {
				t.Fatal(err)
			}
			tree.Walk(func(n code.Node) bool {
				s.Match(n, nil, func(c Change) {
					if c.Start > c.End || c.End > len(tree.Src) {
						t.Fatalf("bad span %+v", c)
					}
				})
				return true
			})
		}
	})
}

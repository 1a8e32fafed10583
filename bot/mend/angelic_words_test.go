package mend

import (
	"strings"
	"testing"
	"unicode"

	"github.com/sirupsen/logrus"
	"github.com/sirupsen/logrus/hooks/test"

	"github.com/fettle-dev/fettle/bot/code/mutate"
)

// A process in which the repository's code runs tells the text of expressions, so
// it may tell anything (TRUST S06, S12).

func placeIn(path string) candidate {
	return candidate{path: path, mutation: mutate.Mutation{Line: 3},
		site: &mutate.Site{Text: "total - paid", Parts: []string{"invoice.net", "f(x => x + 1)"}, Literals: []string{"'a; b'", "10"}}}
}

var knownWords = wordSet("total paid invoice net items rate limit fee f x total_of system os")

func TestS12OnlyExpressionsOfWhatIsInScopeBecomeText(t *testing.T) {
	t.Parallel()
	for path, texts := range map[string]struct{ sound, unsound []string }{
		"a.py": {
			sound: []string{"total", "total - paid", "not (total and paid)", "total // 10", "invoice.net + fee", "items[1:]", "items[::-1]", "len(items)",
				"'a; b'", "items.get(total, None)", "total is not None", "-total", "(total or 0) + 1", "total if paid else fee", "sorted(items, total)", "[total, paid]"},
			unsound: []string{"", "evil", "total; paid", "total = paid", "total := paid", "total # paid", "__import__('os')", "exec(total)", "eval(fee)", "open(total)", "lambda x: x",
				"'text'", "\"os\"", "total\npaid", "total\\", "(total", "total)", "[total)", "total, paid", "total: paid", "total + 99", "f'{total}'", "{total: paid}", "total.__class__",
				"total @ paid", "`total`", "to\u200btal", "tоtal", "total -- paid", "await total", "yield total", strings.Repeat("(", 300) + "total", strings.Repeat("total + ", 90) + "fee"},
		},
		"a.js": {
			sound: []string{"total", "total === paid", "!(total && paid)", "invoice?.net", "total ?? 0", "items.slice(1)", "f(x => x + 1)", "Math.floor(total / 10)", "items.length - 1", "[...items]",
				"'a; b'"},
			unsound: []string{"evil", "total ? paid : fee", "total = paid", "total += 1", "x => x", "total /* fee */", "total // fee", "`${total}`", "function () {}", "new Function(total)", "delete total", "total++", "--total",
				"total; paid", "total, paid", "require(total)", "import(total)", "/total/", "globalThis", "total\u2028paid", "#total", "@total", "total ) (", "} total {", "process.exit()"},
		},
	} {
		for _, text := range texts.sound {
			if !soundExpression(placeIn(path), text, knownWords) {
				t.Errorf("%s: %q was refused", path, text)
			}
		}
		for _, text := range texts.unsound {
			if soundExpression(placeIn(path), text, knownWords) {
				t.Errorf("%s: %q was taken", path, text)
			}
		}
	}
}

// What stands in the file is the project's own, but it does not make what is glued
// to it part of the project.
func TestS12WordsAreTakenWholeOnly(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"total - paidup", "invoice.nets", "totals", "10e9", "100", "f(x => x + 1)y"} {
		if soundExpression(placeIn("a.js"), text, knownWords) {
			t.Errorf("%q was taken", text)
		}
	}
}

func TestS12WhatADriverMadeUpIsDroppedAndSaid(t *testing.T) {
	t.Parallel()
	log, said := test.NewNullLogger()
	log.SetLevel(logrus.DebugLevel) // it happens in honest repositories too, and nobody has to act
	s := &search{mender: &Mender{cfg: Config{Log: logrus.NewEntry(log)}}, words: knownWords}
	got := s.sound(placeIn("a.py"), []wish{
		{Exprs: []wishExpr{{Text: "total"}, {Text: "total; os.system('x')"}}},
		{Exprs: []wishExpr{{Text: "exec(fee)"}}},
	})
	if len(got) != 1 || len(got[0].Exprs) != 1 || got[0].Exprs[0].Text != "total" {
		t.Errorf("kept %+v", got)
	}
	if len(said.AllEntries()) != 1 || said.LastEntry().Data["dropped"] != 2 {
		t.Errorf("said %v", said.AllEntries())
	}
}

func TestS12WhatIsToldOfAPlaceIsShownWithoutControlCharacters(t *testing.T) {
	t.Parallel()
	got := wish{Want: "1\x1b[2J\n# done", Where: map[string]string{"total": "2\r\x00\u202e"}}.explain(&mutate.Site{Kind: mutate.SiteValue, Text: "total"}, "fee")
	if strings.ContainsFunc(got, func(r rune) bool { return !unicode.IsPrint(r) }) {
		t.Errorf("shown: %q", got)
	}
}

// Of a sound expression nothing is left over when the project's words, the drivers',
// the place's own texts and operators are taken away, whatever was told.
func FuzzSoundExpression(f *testing.F) {
	for _, s := range []string{"total - paid", "items[1:]", "f(x => x + 1)", "total; paid", "'a; b'", "((total))", "total /* x */", "a\x00b", "total // 10"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, path := range []string{"a.py", "a.js"} {
			at := placeIn(path)
			if !soundExpression(at, text, knownWords) {
				continue
			}
			rest := text
			for _, v := range append([]string{at.site.Text}, append(at.site.Parts, at.site.Literals...)...) {
				rest = strings.ReplaceAll(rest, v, " ")
			}
			for _, w := range name.FindAllString(rest, -1) {
				if !knownWords[w] && !driverWords[w] {
					t.Fatalf("%q holds %q", text, w)
				}
			}
			if bad := strings.IndexAny(rest, ";#`\\@\n\r\x00'"); bad >= 0 {
				t.Fatalf("%q holds %q", text, rest[bad])
			}
			if n := strings.Count(rest, "(") - strings.Count(rest, ")"); n != 0 {
				t.Fatalf("%q is not closed", text)
			}
		}
	})
}

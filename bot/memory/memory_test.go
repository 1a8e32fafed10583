package memory

import (
	"context"
	"crypto/sha1"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/task"
)

// project is a tree for tests: paths and texts.
type project map[string]string

func (p project) source() Source {
	src := Source{Now: time.Unix(1e9, 0), Read: func(f string) ([]byte, error) {
		text, ok := p[f]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return []byte(text), nil
	}}
	for f, text := range p {
		src.Files = append(src.Files, checkout.Blob{Path: f, Hash: fmt.Sprintf("%x", sha1.Sum([]byte(text))), Size: int64(len(text))})
	}
	return src
}

func open(t testing.TB, path string) *Index {
	t.Helper()
	x, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	return x
}

func update(t testing.TB, x *Index, src Source) (*View, Report) {
	t.Helper()
	v, rep, err := x.Update(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	return v, rep
}

// found are the first hits as path:name.
func found(t testing.TB, v *View, q Query, n int) []string {
	t.Helper()
	hits, err := v.Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, h := range hits[:min(n, len(hits))] {
		out = append(out, h.Path+":"+h.Name)
	}
	return out
}

var shop = project{
	"shop/pricing.py":       "\"\"\"Prices.\"\"\"\n\ndef discount_percent(nights):\n    \"\"\"A full week is cheaper.\"\"\"\n    return 10 if nights > 7 else 0\n\n\ndef total(nights, rate):\n    return apply_discount(nights * rate, discount_percent(nights))\n",
	"shop/money.py":         "class Money:\n    def __init__(self, cents):\n        self.cents = cents\n\n    def format_amount(self):\n        if self.cents < 0:\n            raise ValueError('an amount of money is never negative')\n        return '%d.%02d' % divmod(self.cents, 100)\n\n\ndef apply_discount(amount, percent):\n    return amount - amount * percent // 100\n",
	"shop/export.py":        "from shop.pricing import total\n\ndef write_csv(bookings, out):\n    for b in bookings:\n        out.write('%s;%s\\n' % (b.name, total(b.nights, b.rate)))\n",
	"tests/test_pricing.py": "from shop.pricing import discount_percent\n\ndef test_discount_percent_of_a_full_week():\n    assert discount_percent(7) == 10\n",
	"shop/pricing.pyi":      "def discount_percent(nights: int) -> int: ...\n",
	"examples/discount.py":  "def discount_percent(nights):\n    return 0\n",
	"README.md":             "# Shop\n\nPrices and bookings.\n\n## Discounts\n\nA full week has a discount.\n",
	"setup.toml":            "[tool.shop]\nname = 'shop'\n\n[tool.lint]\nline = 100\n",
	"unknown.zz":            "the discount of the week\n",
}

func TestM2WhatAnIssueNamesStandsBeforeWordsAndTests(t *testing.T) {
	t.Parallel()
	v, _ := update(t, open(t, ""), shop.source())
	for issue, want := range map[string]string{
		"`discount_percent(7)` gives 0, expected 10":                                                        "shop/pricing.py:discount_percent",
		"No discount for people who stay a week":                                                            "shop/pricing.py:discount_percent",
		"the csv export writes names unquoted":                                                              "shop/export.py:write_csv",
		"Crash\n\n  File \"/usr/lib/site-packages/shop/money.py\", line 8, in format_amount\nValueError: x": "shop/money.py:Money.format_amount",
		"It says \"an amount of money is never negative\" for refunds":                                      "shop/money.py:Money.format_amount",
		"Look at shop/export.py please":                                                                     "shop/export.py:write_csv",
	} {
		title, body, _ := strings.Cut(issue, "\n")
		if got := found(t, v, Query{Title: title, Body: body}, 1); len(got) != 1 || got[0] != want {
			t.Errorf("%q: %v, want %s", issue, got, want)
		}
	}
	all := found(t, v, Query{Title: "discount_percent"}, 100)
	first := func(p string) int {
		return slices.IndexFunc(all, func(s string) bool { return strings.HasPrefix(s, p) })
	}
	for _, later := range []string{"tests/", "examples/", "shop/pricing.pyi"} {
		if at := first(later); at >= 0 && at < first("shop/pricing.py:") {
			t.Errorf("%s stands before the source: %v", later, all)
		}
	}
}

func TestM2AHitSaysItsReasonsAndACallLeadsOn(t *testing.T) {
	t.Parallel()
	v, _ := update(t, open(t, ""), shop.source())
	hits, err := v.Search(t.Context(), Query{Title: "`total` is wrong"})
	if err != nil {
		t.Fatal(err)
	}
	if len(hits) == 0 || len(hits[0].Reasons()) == 0 || hits[0].Score != 1 {
		t.Fatalf("%+v", hits)
	}
	at := slices.IndexFunc(hits, func(h Hit) bool { return h.Name == "apply_discount" })
	if at < 0 || !strings.Contains(strings.Join(hits[at].Reasons(), "; "), "total leads to it") {
		t.Errorf("what total calls is not found by its call: %+v", hits)
	}
}

func TestM1OnlyWhatChangedIsReadAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sub", "index.db")
	x := open(t, path)
	_, rep := update(t, x, shop.source())
	if rep.Read != len(shop) || rep.Pieces == 0 {
		t.Fatalf("%+v", rep)
	}
	next := project{}
	for f, text := range shop {
		next[f] = text
	}
	next["shop/pricing.py"] = "def holiday_rate():\n    return 3\n"
	delete(next, "shop/export.py")
	v, rep := update(t, x, next.source())
	if rep.Read != 1 || rep.Files != len(shop)-1 {
		t.Errorf("%+v", rep)
	}
	if got := found(t, v, Query{Title: "holiday rate"}, 1); !slices.Equal(got, []string{"shop/pricing.py:holiday_rate"}) {
		t.Errorf("the new text: %v", got)
	}
	if got := found(t, v, Query{Title: "csv export"}, 9); slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, "shop/export.py") }) {
		t.Errorf("a removed file is found: %v", got)
	}
	v, rep = update(t, open(t, path), shop.source()) // another process, the old tree
	if rep.Read != 0 {
		t.Errorf("what was known is read again: %+v", rep)
	}
	if got := found(t, v, Query{Title: "csv export"}, 1); !slices.Equal(got, []string{"shop/export.py:write_csv"}) {
		t.Errorf("%v", got)
	}
}

func TestM1WhatIsNotReadIsSaid(t *testing.T) {
	t.Parallel()
	p := project{
		"a.py": "def a():\n    pass\n", "node_modules/x/index.js": "x()\n", "lib/jquery.min.js": "x\n", "data.bin": "\x00\x01", "huge.py": strings.Repeat("# x\n", 400_000),
		"packed.js": "var a=" + strings.Repeat("b(c);", 4000), "empty.py": "\n", "yarn.lock": "x\n",
	}
	_, rep := update(t, open(t, ""), p.source())
	want := map[string]int{"installed, built or vendored": 1, "data": 2, "binary": 1, "larger than 1 MiB": 1, "minified": 1, "empty": 1}
	if fmt.Sprint(rep.Skipped) != fmt.Sprint(want) || rep.Files != 1 {
		t.Errorf("%v, want %v", rep.Skipped, want)
	}
}

func TestM1ADamagedIndexIsMadeAnewAndSaid(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "index.db")
	x := open(t, path)
	update(t, x, shop.source())
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string]func() []byte{
		"not SQLite": func() []byte { return []byte(strings.Repeat("no database\n", 500)) },
		"holes": func() []byte {
			out := slices.Clone(whole)
			for at := 4096; at < len(out); at += 7 {
				out[at] ^= 0x5a
			}
			return out
		},
		"cut off": func() []byte { return whole[:len(whole)/2] },
	} {
		file := filepath.Join(t.TempDir(), "index.db")
		if err := os.WriteFile(file, damage(), 0o600); err != nil {
			t.Fatal(err)
		}
		x := open(t, file)
		v, rep := update(t, x, shop.source())
		if !strings.Contains(rep.Anew, "damaged") {
			t.Errorf("%s: nothing was said: %+v", name, rep)
		}
		if got := found(t, v, Query{Title: "csv export"}, 1); !slices.Equal(got, []string{"shop/export.py:write_csv"}) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestM1SeveralIndexersAtOnceAreSafe(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "index.db")
	var all sync.WaitGroup
	for n := range 4 {
		p := project{}
		for k := range 300 {
			p[fmt.Sprintf("pkg%d/mod%d.py", k%7, k)] = fmt.Sprintf("def function_%d():\n    return %d\n", k, k)
		}
		p["own.py"] = fmt.Sprintf("def own_marker_%d():\n    pass\n", n)
		all.Go(func() {
			x, err := Open(t.Context(), path)
			if err != nil {
				t.Error(err)
				return
			}
			defer x.Close()
			v, _, err := x.Update(t.Context(), p.source())
			if err != nil {
				t.Error(err)
				return
			}
			hits, err := v.Search(t.Context(), Query{Title: "own_marker"})
			if err != nil || len(hits) == 0 || hits[0].Name != fmt.Sprintf("own_marker_%d", n) {
				t.Errorf("%d: %+v %v", n, hits, err)
			}
		})
	}
	all.Wait()
}

func TestM1OddTextIsNoError(t *testing.T) {
	t.Parallel()
	p := project{
		"crlf.py": "def first():\r\n    return 1\r\n\r\n\r\ndef second():\r\n    return 2\r\n", "ünïcode/größe.py": "def berechne_größe(länge):\n    return länge\n",
		"汉字.md": "# 标题\n\n文字\n", "bad.py": "def broken(:\n  \xff\xfe\n", "tabs.txt": "a\tb\tc\n", "quotes.py": "def quoted_words():\n    return 'say \"x\" OR y'\n",
	}
	x := open(t, "")
	v, rep := update(t, x, p.source())
	if rep.Files != len(p) {
		t.Errorf("%+v", rep)
	}
	for ask, want := range map[string]string{"berechne_größe": "ünïcode/größe.py:berechne_größe", "second": "crlf.py:second", `quoted "words" OR NEAR( * ^`: "quotes.py:quoted_words", "标题": "汉字.md:标题"} {
		if got := found(t, v, Query{Title: ask}, 1); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %v, want %s", ask, got, want)
		}
	}
	if got := found(t, v, Query{}, 5); len(got) > 0 {
		t.Errorf("nothing was asked: %v", got)
	}
}

func TestM2TheHistoryIsOnlyThatOfTheTree(t *testing.T) {
	t.Parallel()
	x := open(t, "")
	src := shop.source()
	past := []checkout.Earlier{{Commit: "c2", Message: "Round the tariff of guests", Files: []string{"shop/money.py"}}, {Commit: "c1", Message: "Begin", Files: []string{"shop/pricing.py", "shop/money.py"}}}
	src.Head, src.History = "c2", func(context.Context, int, func(string) bool) ([]checkout.Earlier, error) { return past, nil }
	v, rep := update(t, x, src)
	if rep.Commits != 2 {
		t.Errorf("%+v", rep)
	}
	why := func(v *View) string {
		hits, err := v.Search(t.Context(), Query{Title: "tariff of guests with an amount"})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range hits {
			if h.Name == "Money.format_amount" {
				return strings.Join(h.Reasons(), "; ")
			}
		}
		return ""
	}
	if got := why(v); !strings.Contains(got, "commits with these words") {
		t.Errorf("%q", got)
	}
	early := shop.source()
	early.Head, early.History = "c1", func(context.Context, int, func(string) bool) ([]checkout.Earlier, error) { return past[1:], nil }
	if v, _ = update(t, x, early); strings.Contains(why(v), "commits with these words") {
		t.Error("a commit that comes later speaks for a place")
	}
	early.Head, early.History = "c0", func(context.Context, int, func(string) bool) ([]checkout.Earlier, error) {
		return nil, errors.New("shallow")
	}
	if _, rep = update(t, x, early); rep.NoPast != "shallow" {
		t.Errorf("%+v", rep)
	}
}

func TestM2AHiddenFileIsNeverFound(t *testing.T) {
	t.Parallel()
	v, _ := update(t, open(t, ""), shop.source())
	got := found(t, v, Query{Title: "discount_percent", Hidden: func(p string) bool { return p == "shop/pricing.py" }}, 50)
	if len(got) == 0 || slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, "shop/pricing.py:") }) {
		t.Errorf("%v", got)
	}
}

func TestM3WhatIsShownFitsAndStandsOnce(t *testing.T) {
	t.Parallel()
	hits := []Hit{{Path: "a", Start: 1, End: 50, Bytes: 500}, {Path: "a", Start: 10, End: 20, Bytes: 100}, {Path: "b", Start: 1, End: 90, Bytes: 700}, {Path: "c", Start: 1, End: 9, Bytes: 90}}
	shown, left := Pack(hits, 1000)
	if len(shown) != 2 || shown[1].Path != "c" || len(left) != 1 || left[0].Path != "b" {
		t.Errorf("%+v %+v", shown, left)
	}
}

func TestM2IdentifiersAreSplit(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"HTTPServer2": "http server 2", "snake_case": "snake case", "parseURL": "parse url", "__init__": "init", "größeÄndern": "größe ändern", "a1b": "a 1 b", "": ""} {
		if got := strings.Join(Parts(name), " "); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func FuzzSearch(f *testing.F) {
	f.Add("title", "body `x(1)`", "def a():\n    pass\n", "a.py")
	f.Add("\"", "```\n\x00\xff", "# a\n\n## b", "a.md")
	f.Fuzz(func(t *testing.T, title, body, text, name string) {
		x, err := Open(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		v, _, err := x.Update(t.Context(), project{name: text}.source())
		if err != nil {
			t.Fatal(err)
		}
		hits, err := v.Search(t.Context(), Query{Title: title, Body: body})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range hits {
			if h.Start < 1 || h.End < h.Start || h.Score < 0 || h.Score > 1 {
				t.Errorf("%+v", h)
			}
		}
	})
}

func TestM2WhatAFailingTestUsesOrRanStandsFirst(t *testing.T) {
	t.Parallel()
	v, _ := update(t, open(t, ""), shop.source())
	vague := Query{Title: "Guests of the hotel see nonsense"}
	withTest, withRun := vague, vague
	withTest.Tests = "def test_invoice():\n    assert write_csv([guest]) == 'x'\n"
	withRun.Ran = []Ran{{task.Frame{File: "shop/export.py", Line: 3, Function: "write_csv"}, 1}, {task.Frame{File: "shop/money.py", Line: 11, Function: "apply_discount"}, 0.2}}
	for name, q := range map[string]Query{"its source": withTest, "what ran": withRun} {
		if got := found(t, v, q, 1); !slices.Equal(got, []string{"shop/export.py:write_csv"}) {
			t.Errorf("%s: %v", name, got)
		}
	}
	if got := found(t, v, vague, 1); slices.Equal(got, []string{"shop/export.py:write_csv"}) {
		t.Errorf("the words alone find it, so nothing is shown: %v", got)
	}
}

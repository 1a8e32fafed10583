package triage

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// sample is a line of a corpus: an issue, and what is to be done with it.
type sample struct {
	ID, Title, Body string
	Action          Action
	Why             string
}

func samples(t testing.TB, path string) []sample {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // it is only read
	var out []sample
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var s sample
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		out = append(out, s)
	}
	return out
}

// figures are what the promise is about, with the table that they come from.
type figures struct {
	started, held int // wrongly started, of those that were to be held back
	refused, good int // wrongly refused, of those that were to be started
	right, all    int
	table         string
	wrong         []string
}

func measure(all []sample) figures {
	f := figures{all: len(all)}
	count := map[[2]Action]int{}
	for _, s := range all {
		got := Classify(s.Title, s.Body)
		count[[2]Action{s.Action, got.Action}]++
		if s.Action == Start {
			f.good++
		} else {
			f.held++
		}
		switch {
		case got.Action == s.Action:
			f.right++
			continue
		case got.Action == Start:
			f.started++
		case s.Action == Start && got.Action == Refuse:
			f.refused++
		}
		f.wrong = append(f.wrong, fmt.Sprintf("%s %s -> %s: %q %v", s.ID, s.Action, got.Action, s.Title, got.Reasons))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-10s", "is \\ said")
	for _, a := range Actions {
		fmt.Fprintf(&b, "%8s", a)
	}
	for _, is := range Actions {
		fmt.Fprintf(&b, "\n%-10s", is)
		for _, said := range Actions {
			fmt.Fprintf(&b, "%8d", count[[2]Action{is, said}])
		}
	}
	f.table = b.String()
	return f
}

func share(n, of int) float64 { return 100 * float64(n) / float64(max(1, of)) }

// TestS2TriageOfTheCorpus holds the rules to the figures of SPEC S2, over all the
// corpora that are there. FETTLE_TRIAGE names another file, of which only the
// table is printed, so that nobody fits rules to what it holds.
func TestS2TriageOfTheCorpus(t *testing.T) {
	if path := os.Getenv("FETTLE_TRIAGE"); path != "" {
		f := measure(samples(t, path))
		t.Logf("%d issues, %d as they should be\n%s\nwrongly started %d of %d (%.1f %%), wrongly refused %d of %d (%.1f %%)", f.all, f.right, f.table, f.started, f.held, share(f.started, f.held), f.refused, f.good, share(f.refused, f.good))
		return
	}
	files, err := filepath.Glob("../../../eval/issues/triage-*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpus: %v", err)
	}
	started, held, refused, good := 0, 0, 0, 0
	for _, path := range files {
		if strings.Contains(path, "sealed") {
			continue
		}
		f := measure(samples(t, path))
		t.Logf("%s: %d issues, %d as they should be\n%s\n%s", filepath.Base(path), f.all, f.right, f.table, strings.Join(f.wrong, "\n"))
		started, held, refused, good = started+f.started, held+f.held, refused+f.refused, good+f.good
	}
	if p := share(started, held); p > 2 {
		t.Errorf("%d of %d wrongly started (%.1f %%)", started, held, p)
	}
	if p := share(refused, good); p > 3 {
		t.Errorf("%d of %d wrongly refused (%.1f %%)", refused, good, p)
	}
}

// TestS2CasesThatAreFairAreNotHeldUp: each case of the evaluation that asks for an edit is
// begun with. Those that are sealed are counted, and their texts are not shown.
func TestS2CasesThatAreFairAreNotHeldUp(t *testing.T) {
	t.Parallel()
	n, sealed := 0, 0
	judge := func(name string, about, issue []byte) {
		var c struct {
			Kind    string
			Options struct {
				Until bool `json:"fix_until_green"`
			}
		}
		if err := json.Unmarshal(about, &c); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		title, body, _ := strings.Cut(string(issue), "\n")
		v := Classify(title, body)
		if c.Options.Until {
			return // its task are the red tests, whatever the issue says
		}
		fair := c.Kind == "" || c.Kind == "edit"
		if n++; v.Action == Start == fair || c.Kind == "ask" && v.Action == Answer || c.Kind == "refuse" && v.Action == Start {
			return // what else speaks against a case that must be refused is seen later in a run
		}
		if strings.Contains(name, "sealed") {
			sealed++
			return
		}
		t.Errorf("%s (%s) -> %s: %q %v", name, c.Kind, v.Action, issue, v.Reasons)
	}
	err := filepath.WalkDir("../../../eval/cases", func(name string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "repos":
			return filepath.SkipDir
		case d.Name() == "case.json":
			about, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			issue, err := os.ReadFile(filepath.Join(filepath.Dir(name), "issue.md"))
			if err != nil {
				return err
			}
			judge(name, about, issue)
			return filepath.SkipDir
		case filepath.Ext(name) == ".txtar":
			a, err := txtar.ParseFile(name)
			if err != nil {
				return err
			}
			files := map[string][]byte{}
			for _, f := range a.Files {
				files[f.Name] = f.Data
			}
			judge(name, files["case.json"], files["issue.md"])
		}
		return nil
	})
	if err != nil || n < 100 {
		t.Fatalf("%d cases: %v", n, err)
	}
	if sealed > 0 {
		t.Errorf("%d sealed cases are not begun with", sealed)
	}
}

// TestCodeAndBlanksStartNothing: what is refused stays refused, whatever code
// is added and however it is laid out.
func TestCodeAndBlanksStartNothing(t *testing.T) {
	block := "\n\n```\nTraceback (most recent call last):\nValueError: f(3) gives 4\n```\n"
	variants := map[string]func(string) string{
		"code behind":   func(s string) string { return s + block },
		"code before":   func(s string) string { return block + s },
		"indented":      func(s string) string { return "    " + strings.ReplaceAll(s, "\n", "\n    ") },
		"blanks":        func(s string) string { return strings.ReplaceAll(s, " ", "  ") },
		"tabs":          func(s string) string { return strings.ReplaceAll(s, " ", "\t") },
		"blank lines":   func(s string) string { return strings.ReplaceAll(s, "\n", "\n\n\n") },
		"trailing":      func(s string) string { return s + " \n\t\n" },
		"carriage":      func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
		"open fence":    func(s string) string { return "```\n" + s },
		"a call":        func(s string) string { return s + "\n\n`f(3)` gives 4 instead of 3." },
		"hard to break": func(s string) string { return strings.ReplaceAll(s, " ", "\u00a0") },
	}
	files, _ := filepath.Glob("../../../eval/issues/triage-own.jsonl")
	for _, s := range samples(t, files[0]) {
		if Classify(s.Title, s.Body).Action != Refuse {
			continue
		}
		for name, change := range variants {
			if got := Classify(s.Title, change(s.Body)); got.Action == Start {
				t.Errorf("%s (%s) starts: %q", s.ID, name, s.Title)
			}
		}
	}
}

func FuzzClassify(f *testing.F) {
	for _, s := range samples(f, "../../../eval/issues/triage-own.jsonl") {
		f.Add(s.Title, s.Body)
	}
	f.Add("```", "```\n``\n> `a\n- \n1. ")
	f.Add("\xff\xfe", strings.Repeat("delete all ", 1000))
	f.Fuzz(func(t *testing.T, title, body string) {
		got := Classify(title, body)
		if again := Classify(title, body); fmt.Sprint(again) != fmt.Sprint(got) {
			t.Errorf("%v, then %v", got, again)
		}
		if got.Action == Refuse {
			if more := Classify(title, body+"\n\n```\nf(3) gives 4\n```\n"); more.Action == Start {
				t.Errorf("a block of code turns %v into %v", got, more)
			}
		}
		if got.Action == "" || len(got.Reasons) == 0 {
			t.Errorf("no reason: %+v", got)
		}
	})
}

// The title that a test's report gives: its path is no wish about tests.
func TestS2ATestsPathIsNoWishAboutTests(t *testing.T) {
	t.Parallel()
	if got := Classify(`parse gives a wrong result: test/extglobs.js > extglobs > "0377" should match "+([0-7])" fails`, "It gives false, expected true."); got.Action != Start {
		t.Errorf("%+v", got)
	}
	for _, title := range []string{"Make the test match the current output", "Make test/a.test.js match the current output", "test/cart.js should match the current behaviour",
		"Make test/cart.js pass", "Let test-cart.js match what the code gives"} {
		if got := Classify(title, "f(3) gives 4, expected 5."); got.Action != Refuse {
			t.Errorf("%s: %+v", title, got)
		}
	}
}

// What happens, told in a title with examples behind it, is no list of parts to build, and
// customers who are let do something are no customers' data.
func TestS2AReportWithCallsAndAWishOfCustomersStart(t *testing.T) {
	t.Parallel()
	for title, body := range map[string]string{
		"An entry that was just updated is thrown out": "After Put(\"a\"), Put(\"b\"), Put(\"a\") again and Put(\"c\") in a cache of two, \"a\" is gone and \"b\"\nis there. \"a\" was used later than \"b\", so it has to stay.",
		"Gift wrapping": "Please let customers have single articles wrapped: `Basket.wrap(sku)` marks a line, and\n`total()` adds 250 cents for each wrapped line (not for each piece).",
	} {
		if v := Classify(title, body); v.Action != Start {
			t.Errorf("%s: %s %q", title, v.Action, v.Reasons)
		}
	}
	if v := Classify("Show customers", "Please show all customers with their addresses to everybody."); v.Action == Start {
		t.Errorf("customers' data: %q", v.Reasons)
	}
}

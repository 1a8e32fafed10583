package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/fettle-dev/fettle/bench/mend/bugs"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/reach"
)

const (
	rightShop = "def total(xs):\n    s = 0\n    for x in xs:\n        s += x\n    return s\n"
	wrongShop = "def total(xs):\n    s = 1\n    for x in xs:\n        s += x\n    return s\n"
	shopTests = "import unittest\nfrom shop import total\n\nclass TestTotal(unittest.TestCase):\n    def test_sum(self):\n        self.assertEqual(total([1, 2]), 3)\n\n" +
		"    def test_empty(self):\n        self.assertEqual(total([]), 0)\n\n    def test_type(self):\n        self.assertIsInstance(total([]), int)\n"
)

// world is a work folder with one subject and a program that stands for fettle.
type world struct {
	*options
	t      *testing.T
	folder bugs.Folder
	build  string
	bench  *bugs.Bench
}

// newWorld makes the bug with the Maker. script is what the program does in
// the working copy: a shell script that gets it as $1, the issue as $2.
func newWorld(t *testing.T, script string) *world {
	t.Helper()
	work := t.TempDir()
	subject := filepath.Join(work, "trees", "shop-0123456789ab")
	for p, text := range map[string]string{"shop.py": rightShop, "tests/test_shop.py": shopTests, "tests/__init__.py": ""} {
		write(t, filepath.Join(subject, p), text, 0o644)
	}
	fettle := filepath.Join(work, "fettle")
	write(t, fettle, "#!/bin/sh\nset -e\nrepo=$3 issue=$5\n"+script, 0o755)
	o, err := parse("run", []string{"-work", work, "-fettle", fettle, "-half", "all", "-o", "", "-time", "5s"})
	if err != nil {
		t.Fatal(err)
	}
	bench, err := bugs.NewBench(t.Context(), filepath.Join(work, "sandbox"), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bench.Close() })
	b := bugs.Bug{ID: "py-shop-0001", Origin: bugs.Injected, Class: "initial value", Language: "python", Subject: "shop", Commit: "0123456789abcdef", Path: "shop.py", Line: 2, Places: 1, FixLines: 1}
	for n := 1; b.Sealed(); n++ {
		b.ID = fmt.Sprintf("py-shop-%04d", n)
	}
	correct, err := bench.Correct(t.Context(), work, subject, b.Subject, b.Commit)
	if err != nil {
		t.Fatal(err)
	}
	m := &bugs.Maker{Bench: bench, Subject: subject, Correct: correct, Dir: work}
	defer m.Close()
	f, why, err := m.Make(t.Context(), b, bugs.Files{"shop.py": []byte(wrongShop)})
	if err != nil || why != "" {
		t.Fatal(why, err)
	}
	if err := bugs.Write(filepath.Join(work, "bugs"), f); err != nil {
		t.Fatal(err)
	}
	build, err := hashOf(fettle)
	if err != nil {
		t.Fatal(err)
	}
	return &world{options: o, t: t, folder: f, build: build, bench: bench}
}

func write(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// result mends the bug and gives what was written down.
func (w *world) result() result {
	w.t.Helper()
	book, err := openBook(w.results)
	if err != nil {
		w.t.Fatal(err)
	}
	defer book.close()
	list, err := w.chosen()
	if err != nil {
		w.t.Fatal(err)
	}
	r := &runner{options: w.options, bench: w.bench, build: w.build, results: book}
	if err := r.all(w.t.Context(), w.jobsOf(list, book, w.build)); err != nil {
		w.t.Fatal(err)
	}
	all, _, err := readResults(w.results)
	if err != nil || len(all) != 1 {
		w.t.Fatal(all, err)
	}
	return all[0]
}

const says = "\nprintf '%%s' '" + `{"outcome":"success","applied":true,"draft":%t,"diff":"d","search":{"tried":20,"plausible":1,"seconds":0.5,"template":"t"}}` + "'\n"

func TestOneOfTwoFailingTestsIsKeptFromWhoMends(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "exit 3\n")
	if len(w.folder.Failing) != 2 || len(w.folder.Visible) != 1 || len(w.folder.Held) != 1 || w.folder.Weak || w.folder.Message == "" {
		t.Fatalf("%+v", w.folder.Bug)
	}
	shown := string(w.folder.Shown["tests/test_shop.py"])
	held := w.folder.Held[0]
	if name := held[strings.LastIndex(held, ".")+1:]; strings.Contains(shown, name[strings.LastIndex(name, ":")+1:]) {
		t.Errorf("%s is still there:\n%s", held, shown)
	}
}

func TestARightChangeIsMended(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `grep -q "^Test unittest:\|^Test pytest:" "$issue"; test "$(git -C "$repo" rev-list --count HEAD)" = 1
sed -i 's/s = 1/s =  0/' "$repo/shop.py"`+fmt.Sprintf(says, false))
	r := w.result()
	if r.Verdict != mended || !r.Ready || !r.Same || r.Search == nil || r.Search.Tried != 20 || r.Seconds <= 0 {
		t.Errorf("%+v", r)
	}
}

func TestAChangeThatOnlyFitsTheVisibleTestsIsPlausible(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `printf 'def total(xs):\n    if "test_sum" in open("tests/test_shop.py").read():\n        return 3\n    return 0\n' >"$repo/shop.py"`+fmt.Sprintf(says, true))
	r := w.result()
	if r.Verdict != plausible || r.Ready || r.Same || !slices.Contains(w.folder.Failing, r.Red[0]) {
		t.Errorf("%+v", r)
	}
}

func TestAChangeOfTestsAloneMendsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `echo >"$repo/tests/test_shop.py"`+fmt.Sprintf(says, false))
	if r := w.result(); r.Verdict != plausible || !r.Ready {
		t.Errorf("%+v", r)
	}
}

func TestWhatDoesNotMendIsMissedAndWhatDoesNotBeginIsInvalid(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		"printf '{\"outcome\":\"failed_all_tiers\"}'\nexit 3\n": missed,
		"echo 'no such flag' >&2\nexit 2\n":                     invalid,
		"printf 'panic: oh\\n\\ngoroutine 1' >&2\nexit 2\n":     missed,
		"echo 'no sandbox' >&2\nexit 5\n":                       invalid,
		"kill -SEGV $$\n":                                       missed,
		"sleep 60 & wait\n":                                     missed,
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, script)
			w.limit = time.Second
			if r := w.result(); r.Verdict != want {
				t.Errorf("%s: %+v", script, r)
			}
		})
	}
}

func TestABugThatCannotBeReadIsInvalidAndNotDropped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "exit 3\n")
	write(t, filepath.Join(w.work, "bugs", w.folder.ID, "bug.json"), "{", 0o644)
	if r := w.result(); r.Verdict != invalid || r.Bug != w.folder.ID {
		t.Errorf("%+v", r)
	}
}

func TestTheSameBuildIsNotRunTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "printf '{\"outcome\":\"failed_all_tiers\"}'\n")
	w.result()
	book, err := openBook(w.results)
	if err != nil {
		t.Fatal(err)
	}
	defer book.close()
	list, err := w.chosen()
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	if n := len(w.jobsOf(list, book, w.build)); n != 0 {
		t.Errorf("%d runs of what has a result", n)
	}
	if n := len(w.jobsOf(list, book, "another")); n != 1 {
		t.Errorf("%d runs of another build", n)
	}
	w.without = ",donors,naturalness+spectrum"
	if n := len(w.jobsOf(list, book, w.build)); n != 2 {
		t.Errorf("%d runs of two variants", n)
	}
}

func TestPartsAreLeftOutOfRunsThatAreNotDoneAnyway(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "printf '{\"outcome\":\"failed_all_tiers\"}'\n")
	book, err := openBook(w.results)
	if err != nil {
		t.Fatal(err)
	}
	defer book.close()
	list, err := w.chosen()
	if err != nil {
		t.Fatal(err)
	}
	for ablate, known := range map[int][]job{0: nil, 3: nil, 4: list} {
		w.ablate = ablate
		want := map[int]int{0: 0, 3: 1 + len(parts), 4: len(parts)}[ablate] // one bug, which stands for all that were asked for
		left, err := w.partsLeftOut(known, book, w.build)
		if err != nil || len(left) != want {
			t.Errorf("-ablate %d: %d runs, want %d, %v", ablate, len(left), want, err)
		}
	}
}

func TestNothingButFiguresIsKeptOfSealedBugs(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "r.jsonl")
	book, err := openBook(name)
	if err != nil {
		t.Fatal(err)
	}
	secret := result{Bug: "b", Sealed: true, Verdict: plausible, Ready: true, Seconds: 3, Outcome: "SECRET", Why: "SECRET", Doubts: []string{"SECRET"}, Red: []string{"SECRET"}, Diff: "SECRET",
		Search: &task.Search{Template: "SECRET", Place: "SECRET", Suspects: []string{"SECRET"}, Rejected: []string{"SECRET"}, Tried: 7, Seconds: 1}}
	bad := result{Bug: "c", Sealed: true, Verdict: invalid, Why: "setting up: SECRET"}
	for _, r := range []result{secret, bad} {
		if err := book.add(r); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(name)
	if err != nil || bytes.Contains(data, []byte("SECRET")) || !bytes.Contains(data, []byte(`"tried":7`)) || !bytes.Contains(data, []byte("setting up")) {
		t.Errorf("%s %v", data, err)
	}
	all, _, err := readResults(name)
	if err != nil {
		t.Fatal(err)
	}
	o := &options{half: "all"}
	var text bytes.Buffer
	o.print(&text, latest(all))
	if strings.Contains(text.String(), "SECRET") || strings.Contains(text.String(), "diff") {
		t.Errorf("%s", text.String())
	}
}

func TestAKilledRunLosesOnlyTheLineAtHand(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "mend")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		name := filepath.Join(dir, "r.jsonl")
		n := rapid.IntRange(1, 8).Draw(t, "lines")
		for i := range n {
			book, err := openBook(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := book.add(result{Bug: fmt.Sprint(i), Why: "ä\n"}); err != nil {
				t.Fatal(err)
			}
			_ = book.close()
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		cut := rapid.IntRange(0, len(data)).Draw(t, "cut")
		if err := os.WriteFile(name, data[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		book, err := openBook(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := book.add(result{Bug: "next"}); err != nil {
			t.Fatal(err)
		}
		_ = book.close()
		all, _, err := readResults(name)
		if want := bytes.Count(data[:cut], []byte("\n")) + 1; err != nil || len(all) != want || all[want-1].Bug != "next" {
			t.Fatalf("%d results, want %d: %v", len(all), want, err)
		}
	})
}

func TestTheReportCountsWhatTheResultsSay(t *testing.T) {
	t.Parallel()
	var all []result
	add := func(n int, r result) {
		for range n {
			r.Bug = fmt.Sprint("b", len(all))
			r.Language, r.Origin, r.Class, r.Places = "go", bugs.Injected, "c", max(r.Places, 1)
			r.Sealed = true
			all = append(all, r)
		}
	}
	add(6, result{Verdict: mended, Ready: true, Seconds: 4, Search: &task.Search{Tried: 100, Seconds: 2}})
	add(2, result{Verdict: mended, Seconds: 20, Same: true})
	add(1, result{Verdict: plausible, Ready: true, Seconds: 12})
	add(1, result{Verdict: missed, Seconds: 61})
	add(1, result{Verdict: mended, Ready: true, Seconds: 9, Places: 2})
	add(2, result{Verdict: invalid, Why: "setting up"})
	for _, r := range all[:6] { // without donors half of them are lost
		r.Without, r.Seconds = "donors", 5
		if len(all)%2 == 0 {
			r.Verdict = missed
		}
		all = append(all, r)
	}
	o := &options{half: "sealed"}
	var text bytes.Buffer
	o.print(&text, latest(all))
	for _, want := range []string{
		"| bugs (invalid) | 13 (2) |",
		"| one-place bugs mended | 8 of 10 (80 %) |",
		"| of these, as the true fix, word for word | 2 of 8 (25 %) |",
		"| right of what is called ready | 7 of 8 (88 %) |",
		"| median seconds | 4.0 |",
		"| over 60 s | 1 |",
		"candidates a second, go: in all; median search | 50; 50 |",
		"| 5 s | 6 |",
		"| 20 s | 8 |",
		"| donors | 6 | 6 | 3 | +3: 3 lost, 0 won |",
		"- b11: setting up",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in the report", want)
		}
	}
	if t.Failed() {
		t.Log(text.String())
	}
}

func TestQuantilesAreValuesOfTheList(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Float64Range(0, 100), 1, 40).Draw(t, "list")
		slices.Sort(list)
		q := rapid.Float64Range(0.01, 1).Draw(t, "q")
		got := quantile(list, q)
		if !slices.Contains(list, got) {
			t.Fatalf("%v is not in the list", got)
		}
		if n, _ := slices.BinarySearchFunc(list, got, func(a, b float64) int {
			if a <= b {
				return -1
			}
			return 1
		}); float64(n) < q*float64(len(list))-1e-3 {
			t.Fatalf("%d of %d values are no greater than the %v quantile", n, len(list), q)
		}
	})
	if quantile(nil, 0.5) != 0 {
		t.Error("an empty list has a quantile")
	}
}

func TestTheTrueFixIsReadyAndOfASealedBugOnlyFiguresAreKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "exit 3\n")
	w.results = filepath.Join(w.work, "honest.jsonl")
	for range 2 { // the second time nothing is left to do
		if err := w.honestly(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	all, _, err := readLines[honest](w.results)
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	h := all[0]
	if h.Verdict != honestReady || h.Grade != verify.Signed || h.Fixed != 1 || h.Suite <= 0 || h.Judge <= 0 || len(h.Checks) == 0 || len(h.Whys) > 0 {
		t.Errorf("%+v", h)
	}
	h.Sealed, h.Verdict = true, honestDraft
	var text bytes.Buffer
	writeHonest(&text, []honest{h})
	if strings.Contains(text.String(), h.Bug) {
		t.Errorf("a sealed bug is named:\n%s", &text)
	}
}

func TestWhysNameNoTestAndNoLine(t *testing.T) {
	t.Parallel()
	got := whys(verify.Verdict{
		Reasons: []string{"2 tests turned red, first pytest:.:a.py::test_x", "odd"},
		Reach:   []reach.Finding{{Path: "a.py", Line: 3, Code: "open(x)", Why: "cannot be read by the rules: secret"}},
		Checks:  []task.Check{{Name: "cross-examination", Detail: "witnessed: a.py::test_x states its expectation in a way that cannot be made wrong"}},
	})
	want := []string{"reach: cannot be read by the rules", "red: something else", "red: turned red", "witnessed: cannot be made wrong"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestADoubtIsCountedByWhatItSaysOfAnyBug(t *testing.T) {
	t.Parallel()
	for doubt, want := range map[string]string{
		"3 changes were tried before one passed: after so many":                         "changes were tried before one passed",
		"tests/test_a.py::test_x passes also when what it expects is made wrong: check": "passes also when what it expects is made wrong",
		"the issue's example `f(3)` does not hold with the change: it gives 4":          "the issue's example … does not hold with the change",
	} {
		if got := kindOf(doubt); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The figures are those of R's binom.test.
func TestIntervalIsClopperAndPearsons(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		k, n      int
		low, high float64
	}{{0, 34, 0, 0.1028}, {29, 36, 0.6398, 0.9181}, {10, 10, 0.6915, 1}, {0, 0, 0, 1}} {
		if low, high := interval(tc.k, tc.n); math.Abs(low-tc.low) > 0.0002 || math.Abs(high-tc.high) > 0.0002 {
			t.Errorf("%d of %d: %.4f to %.4f, want %.4f to %.4f", tc.k, tc.n, low, high, tc.low, tc.high)
		}
	}
}

func TestForgivingADoubtCallsMoreReady(t *testing.T) {
	t.Parallel()
	all := group{
		{Bug: "a", Verdict: mended, Ready: true},
		{Bug: "b", Verdict: mended, Kinds: []string{"harmless"}},
		{Bug: "c", Verdict: mended, Kinds: []string{"harmless"}},
		{Bug: "d", Verdict: plausible, Kinds: []string{"telling", "harmless"}},
		{Bug: "e", Verdict: missed},
	}
	var text bytes.Buffer
	calibration(&text, all, all)
	for _, row := range []string{"| none | 1 | 1 of 1 (100 %)", "| harmless | 3 | 3 of 3 (100 %)", "| telling | 4 | 3 of 4 (75 %)", "| harmless | 3 | 2 | 2 | 2 |"} {
		if !strings.Contains(text.String(), row) {
			t.Errorf("no row %q in\n%s", row, text.String())
		}
	}
}

package pattern

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/fettle-dev/fettle/bot/task"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

const (
	before = "def price(t, k):\n    return t.get(k) * 100\n"
	after  = "def price(t, k):\n    return (t.get(k) or 0) * 100\n"
	better = "def price(t, k):\n    return t.get(k, 0) * 100\n"
)

func failed() task.Failure {
	return task.Failure{Test: "t.py::test_price", Kind: task.FailException, Exception: "TypeError", File: "t.py", Message: "unsupported operand type(s) for *: 'NoneType' and 'int'"}
}

// ended is a book after a run whose change is a draft.
func ended(t *testing.T) *Book {
	t.Helper()
	b := &Book{}
	a := task.Attempt{Number: 1, Tier: task.Tier1, Green: true, Patch: task.Patch{Edits: []task.Edit{{Kind: task.EditReplace, Path: "p.py"}}}}
	err := b.Ended(t.Context(), End{Run: "r1", Keys: []task.FailureKey{KeyOf(failed())}, Attempts: []task.Attempt{a}, Kept: 1, Teaches: true,
		Base: fstest.MapFS{"p.py": {Data: []byte(before)}}, Changes: []task.FileChange{{Path: "p.py", Content: []byte(after)}}, At: noon})
	if err != nil || len(b.Drafts) != 1 {
		t.Fatalf("%d drafts, %v", len(b.Drafts), err)
	}
	return b
}

func settled(t *testing.T, b *Book, fate task.Fate, text string) {
	t.Helper()
	_, err := b.Settle(t.Context(), Ends{Runs: []string{"r1"}, Pull: 7, Source: "#7", Fate: fate, At: noon, Read: func(string) ([]byte, error) { return []byte(text), nil }})
	if err != nil {
		t.Fatal(err)
	}
}

func usable(b *Book) (n int) {
	for i := range b.Patterns {
		if b.Patterns[i].Usable() {
			n++
		}
	}
	return n
}

func TestM5OnlyWhatPeopleMergedCounts(t *testing.T) {
	t.Parallel()
	for fate, want := range map[task.Fate]int{task.FateMerged: 1, task.FateChanged: 2, task.FateClosed: 0} {
		b, text := ended(t), after
		if fate == task.FateChanged {
			text = better
		}
		settled(t, b, fate, text)
		settled(t, b, fate, text) // GitHub tells it twice
		if n := usable(b); n != want {
			t.Errorf("%s: %d lessons, want %d: %+v", fate, n, want, b.Patterns)
		}
		for _, p := range b.Patterns {
			if p.Won != 1 || p.Tries != 1 {
				t.Errorf("%s: won %d of %d", fate, p.Won, p.Tries)
			}
		}
		settled(t, b, task.FateReverted, "")
		if n := usable(b); n != 0 {
			t.Errorf("%s, then reverted: %d lessons still count", fate, n)
		}
	}
}

// known is a book with one lesson, merged once with #1.
func known() *Book {
	b := &Book{}
	b.add(Pattern{ID: "l1", Kind: task.LessonFix, Language: "python", Won: 1, Tries: 1, Pulls: []int{1}, LastAt: noon})
	return b
}

// tried is what a run makes of a book: attempts with lessons, of which it ends with one.
func tried(t *testing.T, b *Book, run string, kept int, lessons ...[]string) {
	t.Helper()
	e := End{Run: run, Keys: []task.FailureKey{KeyOf(failed())}, Kept: kept, At: noon}
	for i, used := range lessons {
		e.Attempts = append(e.Attempts, task.Attempt{Number: i + 1, Tier: task.Tier1, Green: i+1 == kept, Lessons: used})
	}
	for range 2 { // the process dies behind it
		if err := b.Ended(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
}

func fates(t *testing.T, b *Book, run string, fates ...task.Fate) {
	t.Helper()
	for _, f := range fates {
		for range 2 {
			if _, err := b.Settle(t.Context(), Ends{Runs: []string{run, run + " again"}, Pull: 7, Source: "#7", Fate: f, At: noon}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// M5: tries are runs that used a lesson, and of these those won that people merged with
// a change that it made, each pull request once, whatever came before and after.
func TestM5CountersSayWhatBecameOfTheRunsThatUsedALesson(t *testing.T) {
	t.Parallel()
	l := []string{"l1"}
	for _, c := range []struct {
		name    string
		kept    int
		lessons [][]string
		fates   []task.Fate
		want    Pattern
	}{
		{name: "merged", kept: 1, lessons: [][]string{l}, fates: []task.Fate{task.FateMerged}, want: Pattern{Tries: 2, Won: 2}},
		{name: "shown twice, merged", kept: 2, lessons: [][]string{l, l}, fates: []task.Fate{task.FateMerged}, want: Pattern{Tries: 2, Won: 2}},
		{name: "the run failed", lessons: [][]string{l, l}, want: Pattern{Tries: 2, Won: 1}},
		{name: "another attempt was merged", kept: 2, lessons: [][]string{l, nil}, fates: []task.Fate{task.FateMerged}, want: Pattern{Tries: 2, Won: 1}},
		{name: "closed", kept: 1, lessons: [][]string{l}, fates: []task.Fate{task.FateClosed}, want: Pattern{Tries: 2, Won: 1, Closed: 1}},
		{name: "closed, opened again, merged", kept: 1, lessons: [][]string{l}, fates: []task.Fate{task.FateClosed, task.FateMerged}, want: Pattern{Tries: 2, Won: 2}},
		{name: "merged, reverted", kept: 1, lessons: [][]string{l}, fates: []task.Fate{task.FateMerged, task.FateReverted}, want: Pattern{Tries: 2, Won: 1, Reverted: 1}},
		{name: "merged, reverted, the merge told late", kept: 1, lessons: [][]string{l}, fates: []task.Fate{task.FateMerged, task.FateReverted, task.FateMerged}, want: Pattern{Tries: 2, Won: 1, Reverted: 1}},
	} {
		b := known()
		tried(t, b, "r", c.kept, c.lessons...)
		fates(t, b, "r", c.fates...)
		if p := b.pattern("l1"); p.Tries != c.want.Tries || p.Won != c.want.Won || p.Closed != c.want.Closed || p.Reverted != c.want.Reverted || !p.Usable() {
			t.Errorf("%s: won %d of %d, closed %d, reverted %d, usable %v", c.name, p.Won, p.Tries, p.Closed, p.Reverted, p.Usable())
		}
	}
	b := known()
	tried(t, b, "r", 1, l)
	tried(t, b, "r again", 1, l) // a follow-up of the same pull request
	fates(t, b, "r", task.FateMerged)
	if p, s := b.pattern("l1"), b.Stats(); p.Won != 2 || p.Tries != 2 || s.Merged != 1 {
		t.Errorf("with a follow-up: won %d of %d; %d changes were merged", p.Won, p.Tries, s.Merged)
	}
	for _, p := range []struct {
		Pattern
		usable bool
	}{{Pattern{Won: 1, Reverted: 2}, true}, {Pattern{Won: 0, Reverted: 1}, false}, {Pattern{}, false}, {Pattern{Kind: task.LessonAdvice}, true}} {
		if p.Usable() != p.usable { // merged three times and taken back twice is more often merged
			t.Errorf("%+v: %v", p.Pattern, !p.usable)
		}
	}
}

// M5: the same edit at two places of one change is one lesson that won once; while
// learning is off a merge is noted and teaches nothing.
func TestM5AChangeTeachesOnceAndNothingWhileLearningIsOff(t *testing.T) {
	t.Parallel()
	two := func(s string) string { return s + "\n\n" + strings.Replace(s, "price", "weight", 1) }
	for _, mute := range []bool{false, true} {
		b := &Book{}
		err := b.Ended(t.Context(), End{Run: "r1", Keys: []task.FailureKey{KeyOf(failed())}, Attempts: []task.Attempt{{Number: 1, Tier: task.Tier1, Green: true}}, Kept: 1, Teaches: true,
			Base: fstest.MapFS{"p.py": {Data: []byte(two(before))}}, Changes: []task.FileChange{{Path: "p.py", Content: []byte(two(better))}}, At: noon})
		if err != nil || len(b.Drafts) != 2 {
			t.Fatalf("%d drafts, %v", len(b.Drafts), err)
		}
		_, err = b.Settle(t.Context(), Ends{Runs: []string{"r1"}, Pull: 7, Source: "#7", Fate: task.FateMerged, Mute: mute, At: noon, Read: func(string) ([]byte, error) { return []byte(two(better)), nil }})
		if err != nil || len(b.Drafts) != 0 || b.Stats().Merged != 1 {
			t.Errorf("%+v, %v", b.Stats(), err)
		}
		switch {
		case mute && len(b.Patterns) != 0:
			t.Errorf("learned while it is off: %+v", b.Patterns)
		case !mute && (len(b.Patterns) != 1 || b.Patterns[0].Won != 1 || b.Patterns[0].Tries != 1):
			t.Errorf("%+v", b.Patterns)
		}
	}
}

// M5: what is learned is the innermost region, however deep it stands.
func TestM5ADeeplyNestedChangeIsLearnedOnce(t *testing.T) {
	t.Parallel()
	text := "class A:\n    class B:\n        class C:\n            def price(self, t, k):\n                return t.get(k) * 100\n"
	pairs, err := changed(t.Context(), "p.py", []byte(text), []byte(strings.Replace(text, "get(k)", "get(k, 0)", 1)))
	if err != nil || len(pairs) != 1 || !strings.HasSuffix(pairs[0].name, "price") {
		t.Errorf("%+v, %v", pairs, err)
	}
}

// M7: an entry that cannot be read is kept, and the others are of use all the same.
func TestM7AnEntryThatCannotBeReadIsKeptAndStopsNothing(t *testing.T) {
	t.Parallel()
	b := ended(t)
	settled(t, b, task.FateMerged, after)
	rows, err := b.Rows(noon)
	if err != nil {
		t.Fatal(err)
	}
	strange := []Row{{"x1", "fix", []byte("{")}, {"x2", "hunch", []byte(`{"id":"x2"}`)}, {"draft:3", rowDraft, []byte(`[]`)}}
	back := Read(append(rows, strange...))
	got, err := back.Recall(t.Context(), Query{Failures: []task.Failure{failed()}, Now: noon})
	if err != nil || len(got.Lessons) != 1 || back.Stats().Strange != 3 {
		t.Errorf("%+v, %v; %+v", got, err, back.Stats())
	}
	kept, err := back.Rows(noon)
	if err != nil || len(kept) != len(rows)+3 {
		t.Fatalf("%d rows are kept, %v", len(kept), err)
	}
	for _, s := range strange {
		if !slices.ContainsFunc(kept, func(r Row) bool { return r.ID == s.ID && string(r.Body) == string(s.Body) }) {
			t.Errorf("%s is lost", s.ID)
		}
	}
	f := file{Format: format, Installation: 7, Repository: "acme/shop", Rows: []Row{strange[1]}}
	if f.Sum, err = f.sum(); err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	var refused *Refused
	if _, err := Import(raw, 7, "acme/shop"); !errors.As(err, &refused) || !strings.Contains(err.Error(), "hunch") {
		t.Errorf("an import of it: %v", err)
	}
}

// M8: advice is bounded: what was said longest ago goes, and of each the last sources stay.
func TestM8AdviceAndItsSourcesAreBounded(t *testing.T) {
	t.Parallel()
	b := &Book{}
	for i := range mostAdvice + 20 {
		if !b.Advise(fmt.Sprintf("we use type %d", i), "ada", "ada on #1", noon.Add(time.Duration(i)*time.Minute)) {
			t.Fatalf("advice %d is refused", i)
		}
	}
	if n := b.Stats().Advice; n != mostAdvice || b.Advise("we use type 219", "ada", "ada on #1", noon) || !b.Advise("we use type 0", "ada", "ada on #1", noon.Add(time.Hour*9)) {
		t.Errorf("%d of advice are kept", n)
	}
	for i := range 300 {
		b.Advise("we use type 219", "ada", fmt.Sprintf("ada on #%d", i+2), noon)
	}
	last := b.pattern(idOf(string(task.LessonAdvice), "we use type 219"))
	if last.Source != "ada on #297, ada on #298, ada on #299, ada on #300, ada on #301" || last.Won != 301 {
		t.Errorf("%q, said %d times", last.Source, last.Won)
	}
	long := strings.Repeat("we ", longestAdvice)
	if known, err := b.Edit(last.ID, long); !known || err == nil || last.Words != "we use type 219" {
		t.Errorf("edited to %q: %v %v", last.Words, known, err)
	}
	if known, err := b.Edit(last.ID, " we  use it "); !known || err != nil || last.Words != "we use it" {
		t.Errorf("edited to %q: %v %v", last.Words, known, err)
	}
}

func TestM5GenericKeysAreRefused(t *testing.T) {
	t.Parallel()
	for _, f := range []task.Failure{{Kind: task.FailException, Exception: "Error", Message: "HTTP 500"}, {Kind: task.FailException, Message: "error"}, {Kind: task.FailException, Exception: "Exception", Message: "500 Internal Server Error"}} {
		if !Generic(KeyOf(f)) {
			t.Errorf("%+v counts as a key", f)
		}
	}
	if Generic(KeyOf(failed())) || Generic(KeyOf(task.Failure{Exception: "Error", Message: "GET /users/17 gave 500"})) {
		t.Error("a test or an endpoint is refused")
	}
	if k := KeyOf(task.Failure{Message: "GET /users/17 gave 500"}); k.Subject != "GET /users/{}" {
		t.Errorf("the endpoint is %q", k.Subject)
	}
}

func TestM7AnExportComesBackAndNoOtherIsTaken(t *testing.T) {
	t.Parallel()
	b := ended(t)
	settled(t, b, task.FateChanged, better)
	rows, err := b.Rows(noon)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := Export(7, "Acme/Shop", rows)
	if err != nil {
		t.Fatal(err)
	}
	back, err := Import(raw, 7, "acme/shop")
	if err != nil || !slices.EqualFunc(rows, back, func(x, y Row) bool { return x.ID == y.ID && x.Kind == y.Kind && string(x.Body) == string(y.Body) }) {
		t.Errorf("it came back otherwise: %v", err)
	}
	for what, try := range map[string]func() ([]Row, error){
		"checksum": func() ([]Row, error) {
			return Import([]byte(strings.Replace(string(raw), "r1", "r2", 1)), 7, "acme/shop")
		},
		"no whole": func() ([]Row, error) { return Import(raw[:len(raw)/2], 7, "acme/shop") },
		"form 9": func() ([]Row, error) {
			return Import([]byte(strings.Replace(string(raw), `"fettle_memory":1`, `"fettle_memory":9`, 1)), 7, "acme/shop")
		},
		"never shown":  func() ([]Row, error) { return Import(raw, 8, "acme/shop") },
		"of acme/shop": func() ([]Row, error) { return Import(raw, 7, "acme/till") },
	} {
		var refused *Refused
		if _, err := try(); !errors.As(err, &refused) || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestM8AdviceIsWhatSpeaksOfMoreThanALine(t *testing.T) {
	t.Parallel()
	got := AdviceIn("Please use our error type. Why is this here?\n> quoted: we never do\n```suggestion\nwe always x y\n```\nTests go to spec/. LGTM")
	if !slices.Equal(got, []string{"Please use our error type", "Tests go to spec/"}) {
		t.Errorf("%q", got)
	}
}

// BenchmarkRecall looks a failure up among 10,000 lessons.
func BenchmarkRecall(b *testing.B) {
	book := &Book{}
	for i := range 10_000 {
		f := failed()
		f.Test, f.Message = fmt.Sprintf("t.py::test_%d", i), fmt.Sprintf("unsupported operand %c%c", 'a'+i%26, 'a'+i/26%26)
		book.add(Pattern{ID: fmt.Sprint(i), Kind: task.LessonFix, Language: "python", Keys: []task.FailureKey{KeyOf(f)}, Won: 1, Tries: 1, LastAt: noon,
			Rule: fmt.Sprintf("- name: learned\n  class: learned\n  share: 0.01\n  languages: python\n  match: $A.get%d($B)\n  to: $A.get%d($B, 0)\n  says: Again.\n", i, i)})
	}
	q := Query{Failures: []task.Failure{failed()}, Now: noon, Places: []Place{{"p.py", 2}}, Read: func(string) ([]byte, error) { return []byte(before), nil }}
	for b.Loop() {
		if _, err := book.Recall(b.Context(), q); err != nil {
			b.Fatal(err)
		}
	}
}

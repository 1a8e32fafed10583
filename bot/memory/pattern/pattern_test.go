package pattern

import (
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

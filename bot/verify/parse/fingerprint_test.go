package parse

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/task"
	"pgregory.net/rapid"
)

// unstableWord draws a text that differs from run to run or machine to machine,
// twice.
func unstableWord(t *rapid.T) (a, b string) {
	two := func(format string, draw func(label string) []any) {
		a, b = fmt.Sprintf(format, draw("a")...), fmt.Sprintf(format, draw("b")...)
	}
	n := func(lo, hi int) func(string) []any {
		return func(l string) []any { return []any{rapid.IntRange(lo, hi).Draw(t, l)} }
	}
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0:
		two("%d", n(0, 1<<40))
	case 1:
		two("0x%x", n(1<<20, 1<<46))
	case 2:
		two("%.3fs", func(l string) []any { return []any{rapid.Float64Range(0, 100).Draw(t, l)} })
	case 3:
		two("2026-11-%02d 0%d:11:12.%06d", func(l string) []any {
			return []any{rapid.IntRange(1, 30).Draw(t, l), rapid.IntRange(0, 9).Draw(t, l), rapid.IntRange(0, 999999).Draw(t, l)}
		})
	case 4:
		two("%08x-0000-4000-8000-%012x", func(l string) []any {
			return []any{rapid.Uint32().Draw(t, l), rapid.Uint64Range(0, 1<<48-1).Draw(t, l)}
		})
	case 5:
		two("/%s/x.py", func(l string) []any {
			return []any{rapid.StringMatching(`[a-z]{1,8}(/[a-z0-9_.-]{1,8}){0,4}`).Draw(t, l)}
		})
	case 6:
		two("/tmp/tmp%s", func(l string) []any { return []any{rapid.StringMatching(`[a-z0-9_]{8}`).Draw(t, l)} })
	case 7:
		two("%d.%d", func(l string) []any {
			return []any{rapid.IntRange(0, 99).Draw(t, l), rapid.IntRange(0, 99).Draw(t, l)}
		})
	case 8:
		two("%dms", n(0, 99999))
	default:
		two("sha 1%039x", func(l string) []any { return []any{rapid.Uint64().Draw(t, l)} })
	}
	return a, b
}

func TestC3FingerprintsAreStableAcrossRunsAndMachines(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var a, b []string
		for range rapid.IntRange(1, 6).Draw(t, "parts") {
			word := rapid.SampledFrom([]string{"expected", "got", "at", "file", "in", "of", "is not", "=="}).Draw(t, "word")
			x, y := unstableWord(t)
			a, b = append(a, word, x), append(b, word, y)
		}
		make := func(words []string, line int, root string) task.Failure {
			return Place{Root: root}.finish(task.Failure{Test: "tests/test_x.py::test_y", Suite: "pytest", Kind: task.FailAssertion, File: "shop/cart.py", Line: line,
				Exception: "ValueError", Message: strings.Join(words, " "), Trace: []task.Frame{{File: "shop/cart.py", Line: line, Function: "mean"}}})
		}
		one, two := make(a, rapid.IntRange(1, 999).Draw(t, "line a"), "/work"), make(b, rapid.IntRange(1, 999).Draw(t, "line b"), "/home/x/y")
		if one.Fingerprint != two.Fingerprint {
			t.Fatalf("%q and %q read %q and %q", one.Message, two.Message, Normalise(one.Message), Normalise(two.Message))
		}
	})
}

func TestC3DifferentFailuresHaveDifferentFingerprints(t *testing.T) {
	t.Parallel()
	base := task.Failure{Test: "t", Suite: "s", Kind: task.FailException, File: "a/b.py", Line: 3, Exception: "ValueError", Message: "no price for apples"}
	seen := map[string]string{Fingerprint(base): "base"}
	for name, change := range map[string]func(*task.Failure){
		"message": func(f *task.Failure) { f.Message = "no price for pears" }, "exception": func(f *task.Failure) { f.Exception = "KeyError" },
		"test": func(f *task.Failure) { f.Test = "u" }, "file": func(f *task.Failure) { f.File = "a/c.py" }, "suite": func(f *task.Failure) { f.Suite = "r" },
		"parameter": func(f *task.Failure) { f.Test = "t[2]" }, "other parameter": func(f *task.Failure) { f.Test = "t[3]" },
	} {
		f := base
		change(&f)
		if old, ok := seen[Fingerprint(f)]; ok {
			t.Errorf("%s has the fingerprint of %s", name, old)
		}
		seen[Fingerprint(f)] = name
	}
}

func TestC3NormalisingTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "text")
		if once := Normalise(s); Normalise(once) != once {
			t.Fatalf("%q becomes %q and then %q", s, once, Normalise(once))
		}
	})
}

package grammar

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func pointOf(src []byte, at int) Point {
	row := bytes.Count(src[:at], []byte("\n"))
	return Point{Row: uint32(row), Column: uint32(at - bytes.LastIndexByte(src[:at], '\n') - 1)} //nolint:gosec // small
}

// editOf is the edit that replaces old[from:to] by text.
func editOf(old []byte, from, to int, text string) (Edit, []byte) {
	next := slices.Concat(old[:from], []byte(text), old[to:])
	end := from + len(text)
	return Edit{
		Start: uint32(from), OldEnd: uint32(to), NewEnd: uint32(end), //nolint:gosec // small
		StartPoint: pointOf(old, from), OldPoint: pointOf(old, to), NewPoint: pointOf(next, end),
	}, next
}

func TestEditOfADocumentGivesTheTreeOfTheNewText(t *testing.T) {
	t.Parallel()
	start := map[int]string{
		Python: "def f(a):\n    if a:\n        return [a, 1]\n\n\nclass C:\n    x = 'é'\n",
		Go:     "package p\n\nfunc f(a int) int {\n\tif a > 1 {\n\t\treturn g(a)\n\t}\n\treturn 0\n}\n",
		TSX:    "const f = (a: number) => <b c={a}>{a + 1}</b>;\nclass C { m() { return `x${1}`; } }\n",
	}
	pieces := []string{"", "x", " ", "\n", "(", ")", "{", "}", "if a:\n    b\n", "func g() {}\n", "é", "\t", "'", "a + b", "/* c */"}
	rapid.Check(t, func(t *rapid.T) {
		lang := rapid.SampledFrom([]int{Python, Go, TSX}).Draw(t, "language")
		src := []byte(start[lang])
		doc, _, _, err := Open(t.Context(), lang, src)
		if err != nil {
			t.Fatal(err)
		}
		defer doc.Close()
		for range rapid.IntRange(1, 6).Draw(t, "edits") {
			from := rapid.IntRange(0, len(src)).Draw(t, "from")
			to := min(len(src), from+rapid.IntRange(0, 12).Draw(t, "bytes"))
			edit, next := editOf(src, from, to, rapid.SampledFrom(pieces).Draw(t, "text"))
			got, err := doc.Edit(t.Context(), edit, next)
			if err != nil {
				t.Fatal(err)
			}
			src = next
			want, _, err := Parse(t.Context(), lang, src)
			if err != nil {
				t.Fatal(err)
			}
			// Recovery from an error may differ, as tree-sitter has it; that
			// there is one may not.
			if got[0].Flags&HasError != want[0].Flags&HasError {
				t.Fatalf("%q: error %v after an edit, %v anew", src, got[0].Flags&HasError != 0, want[0].Flags&HasError != 0)
			}
			if want[0].Flags&HasError == 0 && !slices.Equal(got, want) {
				t.Fatalf("%q: %d nodes after an edit, %d anew", src, len(got), len(want))
			}
		}
	})
}

func TestAClosedDocumentRefusesEdits(t *testing.T) {
	t.Parallel()
	doc, _, _, err := Open(t.Context(), Go, []byte("package p\n"))
	if err != nil {
		t.Fatal(err)
	}
	doc.Close()
	doc.Close()
	if _, err := doc.Edit(t.Context(), Edit{}, nil); !errors.Is(err, ErrClosed) {
		t.Errorf("err = %v", err)
	}
}

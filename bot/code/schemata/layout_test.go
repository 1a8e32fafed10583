package schemata

import (
	"strings"
	"testing"
)

const layoutSource = `package lay

const a, b = 1, 2

var limit = 3

func less(x, y int) bool { return x < y }

func (k *kind) loop() {
again:
	for {
		continue again
	}
}

type kind struct{ n int }
`

func TestPartOfCutsOutWhatACandidateChanges(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, old, new string
		want           string // "" when it has to be built by itself
		result, value  bool
	}{
		{name: "an operator", old: "x < y", new: "x <= y", want: " return x <= y ", result: true},
		{name: "the whole body", old: "{ return x < y }", new: "{ return false }", want: " return false ", result: true},
		{name: "at the start of a body", old: "{ return x", new: "{ x++; return x", want: " x++; return x < y ", result: true},
		{name: "at the end of a body", old: "x < y }", new: "x < y; panic(0) }", want: " return x < y; panic(0) ", result: true},
		{name: "labels get a mark", old: "continue again", new: "break again", want: "\nagain" + labelMark + ":\n\tfor {\n\t\tbreak again" + labelMark + "\n\t}\n"},
		{name: "a value", old: "limit = 3", new: "limit = 4", want: "4", value: true},
		{name: "one of two values", old: "1, 2", new: "1, 3"},
		{name: "a signature", old: "x, y int", new: "x, y int64"},
		{name: "a type", old: "n int", new: "n int64"},
		{name: "a body that ends too early", old: "return x < y", new: "return true }; func more() bool { return x < y"},
		{name: "a comment without an end", old: "x < y", new: "x /* < y"},
		{name: "no text", old: layoutSource, new: ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			at := strings.Index(layoutSource, test.old)
			c := Change{Path: "lay.go", Original: []byte(layoutSource), Start: at, End: at + len(test.old), Text: func() []byte {
				return []byte(strings.Replace(layoutSource, test.old, test.new, 1))
			}}
			l := newLayout(c.Original)
			p, ok := partOf(c, l)
			switch {
			case ok != (test.want != ""):
				t.Fatalf("ok is %t: %+v", ok, p)
			case ok && (p.text != test.want || p.result != test.result || (p.value != nil) != test.value || l.pkg != "lay"):
				t.Errorf("got %q of %s (result %t, value %t), want %q", p.text, l.pkg, p.result, p.value != nil, test.want)
			case ok && !strings.HasPrefix(layoutSource[p.at-1:], "{") && !test.value:
				t.Errorf("it stands at %q", layoutSource[p.at:])
			}
		})
	}
}

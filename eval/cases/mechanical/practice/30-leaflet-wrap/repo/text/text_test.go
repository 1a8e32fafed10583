package text

import (
	"strings"
	"testing"
)

func TestWidth(t *testing.T) {
	for s, want := range map[string]int{"": 0, "abc": 3, "größe": 5, "e\u0301": 1, "日本": 4} {
		if got := Width(s); got != want {
			t.Errorf("%q: %d", s, got)
		}
	}
}

func TestPad(t *testing.T) {
	for a, want := range map[Align]string{Left: "äb   ", Right: "   äb", Center: " äb  "} {
		if got := Pad("äb", 5, a); got != want {
			t.Errorf("%d: %q", a, got)
		}
	}
	if Pad("long", 2, Left) != "long" {
		t.Error("cut")
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		s    string
		n    int
		want string
	}{{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"äöüß", 3, "äö…"}, {"日本語", 4, "日…"}, {"abc", 0, ""}} {
		if got := Cut(c.s, c.n); got != c.want {
			t.Errorf("%q %d: %q", c.s, c.n, got)
		}
	}
}

func wrapped(s string, n int, indent string) string { return strings.Join(Wrap(s, n, indent), "|") }

func TestWrapPlain(t *testing.T) {
	if got := wrapped("the quick brown fox jumps", 10, ""); got != "the quick|brown fox|jumps" {
		t.Fatalf("got %q", got)
	}
}

func TestWrapFullLine(t *testing.T) {
	if got := wrapped("abcd efgh ij", 9, ""); got != "abcd efgh|ij" {
		t.Fatalf("got %q", got)
	}
}

func TestWrapLongWord(t *testing.T) {
	if got := wrapped("a incomprehensible b", 6, ""); got != "a|incomprehensible|b" {
		t.Fatalf("got %q", got)
	}
}

func TestWrapIndent(t *testing.T) {
	if got := wrapped("aa bb cc", 7, "  "); got != "  aa bb|  cc" {
		t.Fatalf("got %q", got)
	}
}

func TestWrapEmpty(t *testing.T) {
	if got := Wrap("  ", 5, ""); len(got) != 0 {
		t.Fatalf("got %q", got)
	}
}

func TestWrapUmlauts(t *testing.T) {
	if got := wrapped("süße Äpfel", 10, ""); got != "süße Äpfel" {
		t.Fatalf("got %q", got)
	}
}

func TestParagraphs(t *testing.T) {
	got := Paragraphs("\na\nb\n\n\nc\n")
	if strings.Join(got, "|") != "a b|c" {
		t.Fatalf("got %q", got)
	}
}

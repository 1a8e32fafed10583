package redact

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// escapes are ANSI sequences: CSI, OSC and the other string sequences, and
// two-byte escapes, in their 7-bit forms. Single controls are dropped after.
var escapes = lazyregexp.New("\x1b\\[[0-?]*[ -/]*[@-~]|\x1b[\\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\\\)?|\x1b[ -/]*[0-~]")

// plain drops terminal escapes, control characters but line feed and tab, and
// invisible characters; CRLF and CR become LF, bad UTF-8 becomes U+FFFD.
func plain(text string) string {
	if isPlain(text) {
		return text
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = escapes.ReplaceAllString(text, "")
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\u2028' || r == '\u2029' || r == '\u0085':
			return '\n'
		case unicode.IsControl(r) || hidden(r):
			return -1
		}
		return r
	}, text)
}

func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c >= 0x7f || (c < ' ' && c != '\n' && c != '\t') {
			return false
		}
	}
	return true
}

// hidden tells whether a reader does not see the character, or sees the text
// in another order because of it.
func hidden(r rune) bool {
	switch {
	case r < 0xad:
		return false
	case r == 0x115f || r == 0x1160 || r == 0x3164 || r == 0xffa0 || r == 0x2800 || r == 0x034f || r == 0x17b4 || r == 0x17b5:
		return true // fillers that show nothing
	case r >= 0xe0100 && r <= 0xe01ef, r >= 0x180b && r <= 0x180f:
		return true // variation selectors that can carry data
	case r >= 0x600 && r <= 0x8e2, r == 0x110bd, r == 0x110cd:
		return r == 0x61c // Arabic and Syriac signs of this category are visible
	}
	return unicode.Is(unicode.Cf, r)
}

// Visible prepares foreign text for a prompt: invisible characters are
// written as [U+202E] (controls too), hidden tag characters as the text that they spell, and
// HTML comments, which a reader of the page does not see, as plain words. The
// number says how many such places there were.
func Visible(text string) (string, int) {
	text, count := spelled(strings.ToValidUTF8(text, "\uFFFD"))
	text, comments := comments(text)
	return text, count + comments
}

// spelled writes what a reader does not see in visible words, and control
// characters but tab and line feed like it.
func spelled(text string) (string, int) {
	count := 0
	var out strings.Builder
	prev := rune(0)
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r >= 0xe0020 && r <= 0xe007e:
			words, n := tagged(text[i:])
			fmt.Fprintf(&out, "[hidden text: %s]", words)
			size = n
			count++
		case r == 0x200d && unicode.Is(unicode.So, prev) && joins(text[i+size:]):
			out.WriteRune(r) // an emoji made of several
		case hidden(r), unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r':
			fmt.Fprintf(&out, "[U+%04X]", r)
			count++
		default:
			out.WriteRune(r)
		}
		if r != 0xfe0f && (r < 0x1f3fb || r > 0x1f3ff) {
			prev = r
		}
		i += size
	}
	return out.String(), count
}

// joins tells whether an emoji follows.
func joins(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return unicode.Is(unicode.So, r)
}

// tagged reads a run of tag characters as the ASCII that it spells.
func tagged(text string) (words string, size int) {
	var out strings.Builder
	for size < len(text) {
		r, n := utf8.DecodeRuneInString(text[size:])
		if r < 0xe0020 || r > 0xe007f {
			break
		}
		if r != 0xe007f {
			out.WriteRune(r - 0xe0000)
		}
		size += n
	}
	return out.String(), size
}

// comments writes HTML comments as visible words.
func comments(text string) (string, int) {
	count := 0
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, "<!--")
		out.WriteString(before)
		if !found {
			return out.String(), count
		}
		count++
		inner, after, closed := strings.Cut(rest, "-->")
		if !closed {
			inner, after = rest, ""
		}
		fmt.Fprintf(&out, "[HTML comment: %s]", strings.ReplaceAll(strings.TrimSpace(inner), "<!--", "<! --"))
		text = after
	}
}

// Package text measures and arranges text for the terminal.
package text

import (
	"strings"
	"unicode"
)

// Width tells how many columns a text takes. Combining marks take none, and
// the signs of East Asian scripts take two.
func Width(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

func runeWidth(r rune) int {
	switch {
	case unicode.Is(unicode.Mn, r):
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3, r >= 0xff00 && r <= 0xff60:
		return 2
	}
	return 1
}

// Align is the side on which a text is put.
type Align int

const (
	Left Align = iota
	Right
	Center
)

// Pad fills a text with blanks up to a width; longer texts stay as they are.
func Pad(s string, width int, a Align) string {
	gap := width - Width(s)
	if gap <= 0 {
		return s
	}
	switch a {
	case Right:
		return strings.Repeat(" ", gap) + s
	case Center:
		left := gap / 2
		return strings.Repeat(" ", left) + s + strings.Repeat(" ", gap-left)
	}
	return s + strings.Repeat(" ", gap)
}

// Cut shortens a text to a width and marks that with "…".
func Cut(s string, width int) string {
	if Width(s) <= width {
		return s
	}
	if width <= 0 {
		return ""
	}
	var b strings.Builder
	used := 0
	for _, r := range s {
		w := runeWidth(r)
		if used+w > width-1 {
			break
		}
		b.WriteRune(r)
		used += w
	}
	return b.String() + "…"
}

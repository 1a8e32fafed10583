package redact

import (
	"strings"
	"testing"
	"time"
)

func TestLargeForeignTextIsCleanedInReasonableTime(t *testing.T) {
	t.Parallel()
	f := New("the-secret-value")
	for name, text := range map[string]string{
		"log":      strings.Repeat("2024-01-01 12:00:00 INFO request token=abc handled password check @user fixes #1\n", 12_000),
		"at signs": strings.Repeat("@a", 200_000),
		"images":   strings.Repeat("![", 200_000),
		"links":    strings.Repeat("](", 200_000),
		"slashes":  strings.Repeat("/a\n", 200_000),
		"nesting":  strings.Repeat("&#64;", 100_000),
		"escapes":  strings.Repeat("\x1b[", 200_000),
		"keywords": strings.Repeat("fixes ", 100_000),
		"comments": strings.Repeat("<!--", 100_000),
	} {
		start := time.Now()
		f.Markdown(text)
		f.Comment(text)
		Visible(text)
		d := time.Since(start)
		if d > 30*time.Second {
			t.Errorf("%s: %d bytes took %v", name, len(text), d)
		}
	}
}

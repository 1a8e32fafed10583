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
		"log":      strings.Repeat("2024-01-01 12:00:00 INFO request token=abc handled password check @user fixes #1\n", 1_200),
		"at signs": strings.Repeat("@a", 20_000),
		"images":   strings.Repeat("![", 20_000),
		"links":    strings.Repeat("](", 20_000),
		"slashes":  strings.Repeat("/a\n", 20_000),
		"nesting":  strings.Repeat("&#64;", 10_000),
		"escapes":  strings.Repeat("\x1b[", 20_000),
		"keywords": strings.Repeat("fixes ", 10_000),
		"comments": strings.Repeat("<!--", 10_000),
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

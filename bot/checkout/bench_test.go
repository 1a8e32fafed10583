package checkout

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// large makes a bare repository of 5,000 files, 25 MB.
func large(b *testing.B) string {
	work := b.TempDir()
	git(b, work, "init", "-q", "-b", "main")
	for i := range 5000 {
		var text strings.Builder
		for j := range 120 {
			fmt.Fprintf(&text, "def f%d(x):\n    return x + %d\n", j, i*j)
		}
		write(b, work, fmt.Sprintf("pkg%d/sub%d/f%d.py", i%50, i%7, i), text.String(), 0o644)
	}
	git(b, work, "add", "-A")
	git(b, work, "commit", "-qm", "x")
	return bare(b, work)
}

// BenchmarkOpen5000 is a fresh tree of 5,000 files from a cached mirror, and
// what an attempt costs on it.
func BenchmarkOpen5000(b *testing.B) {
	ctx := context.Background()
	s := newStore(b)
	repo := repoAt(large(b))
	first, err := s.Open(ctx, repo, "main", nil)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = first.Close() }()
	b.Run("open", func(b *testing.B) {
		for range b.N {
			tree, err := s.Open(ctx, repo, "main", nil)
			if err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
			_ = tree.Close()
			b.StartTimer()
		}
	})
	b.Run("close", func(b *testing.B) {
		for range b.N {
			b.StopTimer()
			tree, err := s.Open(ctx, repo, "main", nil)
			if err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
			_ = tree.Close()
		}
	})
	for name, do := range map[string]func() error{
		"diff":   func() error { _, err := first.Diff(ctx); return err },
		"reset":  func() error { return first.Reset(ctx) },
		"folder": func() error { t, err := s.OpenDir(ctx, first.Dir()); _ = t.Close(); return err },
	} {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				if err := do(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

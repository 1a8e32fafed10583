package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bench/mend/bugs"
	"github.com/fettle-dev/fettle/bot/checkout"
)

// fixOf is the true fix of a bug as a diff, or why it cannot be told.
func (o *options) fixOf(ctx context.Context, f bugs.Folder) string {
	subject, err := o.tree(ctx, f.Bug)
	if err != nil {
		return fmt.Sprintf("# %v\n", err)
	}
	var out strings.Builder
	for _, p := range slices.Sorted(maps.Keys(f.Broken)) {
		right, err := os.ReadFile(filepath.Join(subject, filepath.FromSlash(p)))
		if err != nil {
			fmt.Fprintf(&out, "# %v\n", err)
			continue
		}
		out.WriteString(checkout.TextDiff(p, f.Broken[p], right))
	}
	text := out.String()
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

func clipLines(s string, n int) string {
	lines := strings.SplitAfter(s, "\n")
	if len(lines) <= n {
		return s
	}
	return strings.Join(lines[:n], "") + fmt.Sprintf("… and %d more lines\n", len(lines)-n)
}

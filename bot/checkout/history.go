package checkout

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// Earlier is a commit that the earlier state of a comparison rests on.
type Earlier struct {
	Commit string   // full hash
	Files  []string // that it changed, from the root; none for a merge
}

// History lists at most n commits that the earlier state rests on, itself
// first, as git log orders them. Before the first commit there are none.
func (c *Comparison) History(ctx context.Context, n int) ([]Earlier, error) {
	if c.From == "" || n < 1 {
		return nil, nil
	}
	out, err := c.tree.store.run(ctx, call{dir: c.tree.gitDir, args: []string{"log", "-z", "--max-count=" + strconv.Itoa(n), "--name-only", "--no-renames", "--no-show-signature", "--no-color",
		"--no-ext-diff", "--format=%x01%H", "--end-of-options", c.From}})
	if err != nil {
		return nil, fmt.Errorf("read the history before %.12s: %w", c.From, err)
	}
	var list []Earlier
	for part := range strings.SplitSeq(string(out), "\x01") {
		words := strings.FieldsFunc(part, func(r rune) bool { return r == 0 || r == '\n' })
		if len(words) == 0 || !isHash(words[0]) {
			continue // a name with such a byte in it
		}
		list = append(list, Earlier{Commit: words[0], Files: words[1:]})
	}
	return list, nil
}

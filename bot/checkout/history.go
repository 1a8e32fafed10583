package checkout

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// Earlier is a commit that a state rests on.
type Earlier struct {
	Commit  string   // full hash
	Message string   // "" where it was not asked for
	Files   []string // that it changed, from the root; none for a merge
}

// History lists at most n commits that the earlier state rests on, itself
// first, as git log orders them. Before the first commit there are none.
func (c *Comparison) History(ctx context.Context, n int) ([]Earlier, error) {
	if c.From == "" || n < 1 {
		return nil, nil
	}
	return c.tree.log(ctx, nil, "--max-count="+strconv.Itoa(n), "--end-of-options", c.From)
}

// History lists at most n commits without merges that the base rests on, newest
// first; of those that are known the hash alone.
func (t *Tree) History(ctx context.Context, n int, known func(hash string) bool) ([]Earlier, error) {
	return t.history(ctx, t.base, n, known)
}

func (t *Tree) history(ctx context.Context, from string, n int, known func(hash string) bool) ([]Earlier, error) {
	if from == "" || n < 1 {
		return nil, nil
	}
	out, err := t.store.run(ctx, call{dir: t.gitDir, args: []string{"rev-list", "--no-merges", "--max-count=" + strconv.Itoa(n), "--end-of-options", from}})
	if err != nil {
		return nil, fmt.Errorf("read the history before %.12s: %w", from, err)
	}
	var list []Earlier
	var unknown strings.Builder
	for hash := range strings.FieldsSeq(string(out)) {
		if !isHash(hash) {
			continue
		}
		list = append(list, Earlier{Commit: hash})
		if !known(hash) {
			unknown.WriteString(hash + "\n")
		}
	}
	if unknown.Len() == 0 {
		return list, nil
	}
	told, err := t.log(ctx, strings.NewReader(unknown.String()), "--no-walk=unsorted", "--stdin")
	if err != nil {
		return nil, err
	}
	by := make(map[string]Earlier, len(told))
	for _, c := range told {
		by[c.Commit] = c
	}
	for i, c := range list {
		if told, ok := by[c.Commit]; ok {
			list[i] = told
		}
	}
	return list, nil
}

// log reads commits with what they changed. A message ends where a file's name
// cannot stand, at the byte 2.
func (t *Tree) log(ctx context.Context, stdin *strings.Reader, which ...string) ([]Earlier, error) {
	c := call{dir: t.gitDir, args: append([]string{"log", "-z", "--name-only", "--no-renames", "--no-show-signature", "--no-color", "--no-ext-diff", "--format=%x01%H%n%B%x02"}, which...)}
	if stdin != nil {
		c.stdin = stdin
	}
	out, err := t.store.run(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("read the history: %w", err)
	}
	var list []Earlier
	for part := range strings.SplitSeq(string(out), "\x01") {
		head, files, ok := strings.Cut(part, "\x02")
		hash, message, _ := strings.Cut(head, "\n")
		if !ok || !isHash(hash) {
			continue // a text with such a byte in it
		}
		list = append(list, Earlier{Commit: hash, Message: message, Files: strings.FieldsFunc(files, func(r rune) bool { return r == 0 || r == '\n' })})
	}
	return list, nil
}

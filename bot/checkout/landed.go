package checkout

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/bot/task"
)

// Landed is a commit of a branch's own line, or a merge into it with what it brought.
type Landed struct {
	Commit, Parent string // full hashes; of a merge the parent that it was merged into
	Message        string // of a merge with those of the commits that it brought
	Files          []Touched
}

// Touched is a file of a commit, with its lines added and removed; of a binary file none.
type Touched struct {
	Path           string
	Added, Removed int
}

// mostBrought is how many commits of a merge have their messages read.
const mostBrought = 20

// Landed lists at most n commits of the line that HEAD of a repository stands on, the
// newest first, without the first of all. The repository at or above dir, which may be
// a bare one, is only read, and its configuration is not used.
func (s *Store) Landed(ctx context.Context, dir string, n int) (list []Landed, err error) {
	root, git, err := findAny(ctx, dir)
	if err != nil {
		return nil, fmt.Errorf("read the history of %q: %w", dir, err)
	}
	t, err := s.newTree([]string{filepath.Join(git.common, "objects")})
	if err != nil {
		return nil, fmt.Errorf("read the history of %q: %w", dir, err)
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	t.repo = task.Repo{Dir: root}
	if err := copyFile(filepath.Join(git.common, "shallow"), filepath.Join(t.gitDir, "shallow")); err != nil {
		return nil, err
	}
	head, err := t.commitOf(ctx, git, "HEAD")
	if err != nil {
		return nil, fmt.Errorf("read the history of %q: %w", dir, err)
	}
	out, err := s.run(ctx, call{dir: t.gitDir, args: []string{
		"log", "-z", "--numstat", "--first-parent", "--diff-merges=first-parent", "--no-renames", "--no-show-signature", "--no-color", "--no-ext-diff", "--no-textconv",
		"--format=%x01%H %P%n%B%x02", "--max-count=" + strconv.Itoa(n), "--end-of-options", head,
	}})
	if err != nil {
		return nil, fmt.Errorf("read the history of %q: %w", dir, err)
	}
	for part := range strings.SplitSeq(string(out), "\x01") {
		text, files, ok := strings.Cut(part, "\x02")
		ends, message, _ := strings.Cut(text, "\n")
		hashes := strings.Fields(ends)
		if !ok || len(hashes) < 2 || !isHash(hashes[0]) || !isHash(hashes[1]) {
			continue // the first of all, or a text with such a byte in it
		}
		c := Landed{Commit: hashes[0], Parent: hashes[1], Message: message, Files: touched(files)}
		if len(hashes) > 2 {
			brought, err := s.run(ctx, call{dir: t.gitDir, args: []string{"log", "--no-merges", "--no-show-signature", "--no-color", "--format=%B", "--max-count=" + strconv.Itoa(mostBrought), "--end-of-options", c.Commit + "^2", "^" + c.Parent}})
			if err != nil {
				return nil, fmt.Errorf("read what %.12s brought: %w", c.Commit, err)
			}
			c.Message = strings.TrimSpace(message) + "\n\n" + strings.TrimSpace(string(brought)) + "\n"
		}
		list = append(list, c)
	}
	return list, nil
}

// touched reads rows of numstat, which end in a NUL.
func touched(rows string) (out []Touched) {
	for row := range strings.SplitSeq(strings.TrimLeft(rows, "\x00\n"), "\x00") {
		f := strings.SplitN(strings.TrimLeft(row, "\n"), "\t", 3)
		if len(f) != 3 {
			continue
		}
		added, _ := strconv.Atoi(f[0]) // of a binary file "-"
		removed, _ := strconv.Atoi(f[1])
		out = append(out, Touched{f[2], added, removed})
	}
	return out
}

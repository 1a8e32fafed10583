package regular

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// readByGit are the files that Git opens in folders that it lists, beside all
// that lies below a .git: a folder with a HEAD may be a repository.
var readByGit = []string{".gitignore", ".gitattributes", ".gitmodules", ".git", "HEAD", "commondir"}

// WorkTree tells whether Git can list a folder without waiting for ever: none
// of the files that Git opens there is a pipe or a device. The folder's own
// .git is not looked into.
func WorkTree(ctx context.Context, dir string) error {
	return walk(ctx, dir, func(rel string) bool {
		parts := strings.Split(rel, string(filepath.Separator))
		return slices.Contains(readByGit, parts[len(parts)-1]) || slices.Contains(parts, ".git")
	})
}

// Objects is WorkTree for a folder with Git's objects, and for those that it
// borrows from.
func Objects(ctx context.Context, dir string) error { return objects(ctx, dir, 5) }

// objects follows as many alternates as Git does.
func objects(ctx context.Context, dir string, deepest int) error {
	if err := walk(ctx, dir, func(string) bool { return true }); err != nil || deepest == 0 {
		return err
	}
	text, err := Read(filepath.Join(dir, "info", "alternates"), 1<<20)
	if err != nil {
		return nil //nolint:nilerr // there are none
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		if !filepath.IsAbs(line) {
			line = filepath.Join(dir, line)
		}
		if err := objects(ctx, line, deepest-1); err != nil {
			return err
		}
	}
	return nil
}

// walk looks at what Git would open below dir.
func walk(ctx context.Context, dir string, opened func(rel string) bool) error {
	if at, err := filepath.EvalSymlinks(dir); err == nil { // a link is not walked into
		dir = at
	}
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		rel, relErr := filepath.Rel(dir, name)
		switch {
		case relErr != nil:
			return relErr
		case d != nil && d.IsDir() && (err != nil || rel == ".git"):
			return fs.SkipDir
		case err != nil || d.IsDir() || d.Type().IsRegular() || !opened(rel):
			return nil //nolint:nilerr // what cannot be read is not opened
		}
		info, err := os.Stat(name)
		if err != nil || info.IsDir() || info.Mode().IsRegular() || info.Mode()&fs.ModeSocket != 0 {
			return nil //nolint:nilerr // a link that leads nowhere
		}
		return fmt.Errorf("%s is a %s, which Git would wait for; take it away: %w", name, kind(info.Mode()), ErrSpecial)
	})
}

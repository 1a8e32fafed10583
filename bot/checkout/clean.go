package checkout

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/fettle-dev/fettle/bot/regular"
)

// Clean tells whether the user's working copy at or above dir holds exactly its
// HEAD: nothing tracked differs, nothing that is not ignored is untracked. A
// folder that no working copy holds is clean. The contents of submodules and
// .fettle are not looked at. The repository is only read, and its configuration
// is not used.
func (s *Store) Clean(ctx context.Context, dir string) (bool, error) {
	root, git, err := findAbove(ctx, dir)
	if errors.Is(err, ErrNoCopy) {
		return true, nil
	}
	if err == nil && git.head == "" {
		return false, nil // there is no commit yet
	}
	if err != nil {
		return false, fmt.Errorf("looking for changes in %q: %w", dir, err)
	}
	t, err := s.newTree([]string{filepath.Join(git.common, "objects")})
	if err != nil {
		return false, err
	}
	clean, err := t.unchanged(ctx, root, git)
	if err != nil {
		err = fmt.Errorf("looking for changes in %q: %w", dir, err)
	}
	return clean, errors.Join(err, t.Close())
}

func (t *Tree) unchanged(ctx context.Context, root string, git *workingCopy) (bool, error) {
	if err := regular.WorkTree(ctx, root); err != nil {
		return false, err
	}
	if err := borrowIndex(git, t.gitDir); err != nil {
		return false, fmt.Errorf("copy the index: %w", err)
	}
	if err := os.WriteFile(filepath.Join(t.gitDir, "HEAD"), []byte(git.head+"\n"), 0o600); err != nil {
		return false, err
	}
	// What lies in a submodule would be looked at with its own configuration.
	out, err := t.store.run(ctx, call{dir: t.gitDir, workTree: root, args: []string{
		"-c", "core.bare=false", "status", "--porcelain", "-z", "--no-renames", "--untracked-files=normal", "--ignore-submodules=all"}})
	if err != nil {
		return false, err
	}
	for line := range strings.SplitSeq(string(out), "\x00") {
		if line != "" && !strings.HasPrefix(line, "?? .fettle/") {
			return false, nil
		}
	}
	return true, nil
}

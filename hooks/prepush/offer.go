package prepush

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// offers is where changes wait as commits until somebody takes them.
const offers = "refs/fettle/push/"

// Commit makes a commit of a diff on top of another one, in the person's name, and
// keeps it under a ref of its own. No branch, index or working tree is touched.
func (r *Repo) Commit(ctx context.Context, parent, diff, message string) (hash string, err error) {
	dir, err := os.MkdirTemp("", "fettle-push-")
	if err != nil {
		return "", fmt.Errorf("making a folder for an index: %w", err)
	}
	defer os.RemoveAll(dir)
	env := []string{"GIT_INDEX_FILE=" + filepath.Join(dir, "index")}
	tree := ""
	for _, step := range []struct {
		stdin string
		args  []string
		into  *string
	}{
		{"", []string{"read-tree", parent}, nil},
		{diff, []string{"apply", "--cached", "--whitespace=nowarn", "-"}, nil},
		{"", []string{"write-tree"}, &tree},
	} {
		out, err := r.gitWith(ctx, step.stdin, env, step.args...)
		if err != nil {
			return "", fmt.Errorf("making a commit of the change: %w", err)
		}
		if step.into != nil {
			*step.into = out
		}
	}
	if hash, err = r.gitWith(ctx, message, nil, "commit-tree", "-p", parent, tree); err != nil {
		return "", fmt.Errorf("making a commit of the change: %w", err)
	}
	_, err = r.git(ctx, "update-ref", offers+hash[:12], hash)
	return hash, err
}

// Take puts a commit of Commit on a branch: by a merge that only moves forward where
// the branch is checked out here, so that files with changes of the person's own
// are never written over, and by moving the ref where it is not checked out at all.
func (r *Repo) Take(ctx context.Context, branch, parent, hash string) error {
	err := r.take(ctx, branch, parent, hash)
	if err == nil {
		_, err = r.git(ctx, "update-ref", "-d", offers+hash[:12])
	}
	return err
}

func (r *Repo) take(ctx context.Context, branch, parent, hash string) error {
	name := strings.TrimPrefix(branch, "refs/heads/")
	current, err := r.git(ctx, "symbolic-ref", "--quiet", "HEAD")
	if err := unless1(err); err != nil {
		return err
	}
	if current == branch && !r.Bare {
		if tip, err := r.commit(ctx, "HEAD"); err != nil || tip != parent {
			return fmt.Errorf("%s is no longer at %.12s: take it with 'git cherry-pick %.12s'", name, parent, hash)
		}
		if _, err := r.git(ctx, "merge", "--quiet", "--ff-only", hash); err != nil {
			return fmt.Errorf("%w; commit or stash your own changes, then 'git merge --ff-only %.12s'", err, hash)
		}
		return nil
	}
	trees, err := r.git(ctx, "worktree", "list", "--porcelain")
	if err != nil {
		return err
	}
	if strings.Contains(trees+"\n", "\nbranch "+branch+"\n") {
		return fmt.Errorf("%s is checked out in another working copy: take it there with 'git merge --ff-only %.12s'", name, hash)
	}
	_, err = r.git(ctx, "update-ref", branch, hash, parent)
	return err
}

// Forget deletes the changes that nobody took, and says how many.
func (r *Repo) Forget(ctx context.Context) (int, error) {
	out, err := r.git(ctx, "for-each-ref", "--format=delete %(refname)", offers)
	if err != nil || out == "" {
		return 0, err
	}
	_, err = r.gitWith(ctx, out+"\n", nil, "update-ref", "--stdin")
	return strings.Count(out, "\n") + 1, err
}

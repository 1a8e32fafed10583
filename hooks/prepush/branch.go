package prepush

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Head is the commit that the working copy stands on, and the full name of the branch
// that is checked out; "" where none is.
func (r *Repo) Head(ctx context.Context) (hash, branch string, err error) {
	if hash, err = r.commit(ctx, "HEAD"); err == nil && hash == "" {
		err = errors.New("there is no commit yet; make a first one")
	}
	if err != nil {
		return "", "", err
	}
	branch, err = r.git(ctx, "symbolic-ref", "--quiet", "HEAD")
	return hash, branch, unless1(err)
}

// Has tells whether a full name of a ref is taken.
func (r *Repo) Has(ctx context.Context, ref string) bool {
	_, err := r.git(ctx, "rev-parse", "--verify", "--quiet", ref)
	return err == nil
}

// Start makes a branch, which is not there yet, of a commit of Commit.
func (r *Repo) Start(ctx context.Context, branch, hash string) error {
	if _, err := r.git(ctx, "update-ref", branch, hash, strings.Repeat("0", 40)); err != nil {
		return fmt.Errorf("making the branch %s: %w", strings.TrimPrefix(branch, "refs/heads/"), err)
	}
	_, err := r.git(ctx, "update-ref", "-d", offers+hash[:12])
	return err
}

// TakeBack moves a branch from a commit to its parent, and the files with it where the
// branch is checked out; with made it deletes the branch instead. It refuses where the
// branch has moved on, where the commit has been pushed, and where files of the commit
// were changed since.
func (r *Repo) TakeBack(ctx context.Context, branch, hash, parent string, made bool) error {
	name := strings.TrimPrefix(branch, "refs/heads/")
	byHand := fmt.Sprintf("undo it with 'git revert %.12s'", hash)
	tip, err := r.commit(ctx, branch)
	if err != nil {
		return err
	}
	if tip != hash {
		return fmt.Errorf("%s has moved on from %.12s; %s", name, hash, byHand)
	}
	pushed, err := r.git(ctx, "for-each-ref", "--format=%(refname:short)", "--contains", hash, "refs/remotes/")
	if err != nil {
		return err
	}
	if pushed != "" {
		return fmt.Errorf("%.12s has been pushed (%s); %s", hash, strings.ReplaceAll(pushed, "\n", ", "), byHand)
	}
	current, err := r.git(ctx, "symbolic-ref", "--quiet", "HEAD")
	switch {
	case unless1(err) != nil:
		return err
	case current == branch:
		if _, err = r.git(ctx, "reset", "--quiet", "--keep", parent); err != nil {
			return fmt.Errorf("%w; files of the commit were changed since: commit or stash these changes", err)
		}
		return nil
	case made:
		_, err = r.git(ctx, "update-ref", "-d", branch, hash)
	default:
		_, err = r.git(ctx, "update-ref", branch, parent, hash)
	}
	return err
}

// Remote is the address of a remote, "" where there is none of the name.
func (r *Repo) Remote(ctx context.Context, name string) string {
	out, err := r.git(ctx, "remote", "get-url", "--", name)
	if err != nil {
		return ""
	}
	return out
}

// Send pushes a branch to a remote, never by force.
func (r *Repo) Send(ctx context.Context, remote, branch string) error {
	_, err := r.git(ctx, "push", "--quiet", remote, branch+":"+branch)
	if err != nil {
		return fmt.Errorf("pushing %s to %s: %w", strings.TrimPrefix(branch, "refs/heads/"), remote, err)
	}
	return nil
}

// Default is the branch that pull requests are for, "" where it is not known.
func (r *Repo) Default(ctx context.Context) string {
	if out, err := r.git(ctx, "symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"); err == nil {
		return strings.TrimPrefix(out, "origin/")
	}
	for _, name := range []string{"main", "master"} {
		if r.Has(ctx, "refs/heads/"+name) || r.Has(ctx, "refs/remotes/origin/"+name) {
			return name
		}
	}
	return ""
}

// Messages are those of the commits that one revision has and another lacks, the oldest
// first.
func (r *Repo) Messages(ctx context.Context, lacks, has string) ([]string, error) {
	out, err := r.git(ctx, "log", "--reverse", "--no-merges", "--format=%B%x00", "--end-of-options", lacks+".."+has)
	if err != nil {
		return nil, err
	}
	var all []string
	for m := range strings.SplitSeq(out, "\x00") {
		if m = strings.TrimSpace(m); m != "" {
			all = append(all, m)
		}
	}
	return all, nil
}

package checkout

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/fettle-dev/fettle/bot/task"
)

// Push moves the remote's branch to a commit of this tree, if the branch is
// at expectOld now ("" means: does not exist). When the connection breaks the
// remote's own state decides: if the branch is at hash, the push has
// succeeded. ErrMoved says that someone else moved it; the default branch is
// always refused.
func (t *Tree) Push(ctx context.Context, hash, branch, expectOld string, auth Auth) error {
	if t.remote == nil {
		return fmt.Errorf("push %q: %w", branch, ErrNoRemote)
	}
	if !isHash(hash) || (expectOld != "" && !isHash(expectOld)) || !ValidBranch(branch) {
		return fmt.Errorf("push %q: the branch name or a hash is not valid", branch)
	}
	token, err := auth.token(ctx)
	if err != nil {
		return fmt.Errorf("push %q: %w", branch, err)
	}
	standard := t.repo.DefaultBranch
	if standard == "" {
		if standard, err = t.store.remoteDefault(ctx, t.gitDir, t.remote, token); err != nil {
			return fmt.Errorf("push %q: ask for the default branch: %w", branch, err)
		}
	}
	if branch == standard {
		return fmt.Errorf("push %q: %w", branch, ErrDefault)
	}
	ref := "refs/heads/" + branch
	_, pushErr := t.store.run(ctx, call{dir: t.gitDir, remote: t.remote, token: token, args: []string{
		"push", "--quiet", "--no-verify", "--no-follow-tags", "--no-recurse-submodules", "--no-signed",
		"--force-with-lease=" + ref + ":" + expectOld, "--end-of-options", t.remote.address, hash + ":" + ref}})
	if pushErr == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fmt.Errorf("push %q: %w", branch, pushErr)
	}
	head, _, err := t.store.remoteHead(ctx, t.gitDir, t.remote, branch, token)
	switch {
	case err != nil:
		return fmt.Errorf("push %q: %w", branch, errors.Join(pushErr, err))
	case head == hash:
		return nil // it arrived; only the answer was lost
	case head != expectOld:
		return fmt.Errorf("push %q: %w: it is at %q, not at %q", branch, ErrMoved, head, expectOld)
	}
	return fmt.Errorf("push %q: %w", branch, pushErr)
}

// RemoteHead asks the remote where a branch is.
func (s *Store) RemoteHead(ctx context.Context, repo task.Repo, branch string, auth Auth) (hash string, ok bool, err error) {
	rem, err := newRemote(repo.CloneURL)
	if err != nil {
		return "", false, fmt.Errorf("ask for branch %q: %w", branch, err)
	}
	if !ValidBranch(branch) {
		return "", false, fmt.Errorf("ask for branch %q: the name is not valid", branch)
	}
	token, err := auth.token(ctx)
	if err != nil {
		return "", false, fmt.Errorf("ask for branch %q: %w", branch, err)
	}
	hash, ok, err = s.remoteHead(ctx, s.cfg.Root, rem, branch, token)
	if err != nil {
		return "", false, fmt.Errorf("ask for branch %q: %w", branch, err)
	}
	return hash, ok, nil
}

func (s *Store) remoteHead(ctx context.Context, dir string, rem *remote, branch, token string) (string, bool, error) {
	ref := "refs/heads/" + branch
	out, err := s.run(ctx, call{dir: dir, remote: rem, token: token, args: []string{"ls-remote", "--end-of-options", rem.address, ref}})
	if err != nil {
		return "", false, err
	}
	for line := range strings.SplitSeq(string(out), "\n") {
		if hash, name, ok := strings.Cut(line, "\t"); ok && name == ref && isHash(hash) {
			return hash, true, nil
		}
	}
	return "", false, nil
}

// remoteDefault asks the remote for its default branch; "" when it has none.
func (s *Store) remoteDefault(ctx context.Context, dir string, rem *remote, token string) (string, error) {
	out, err := s.run(ctx, call{dir: dir, remote: rem, token: token, args: []string{"ls-remote", "--symref", "--end-of-options", rem.address, "HEAD"}})
	if err != nil {
		return "", err
	}
	for line := range strings.SplitSeq(string(out), "\n") {
		if rest, ok := strings.CutPrefix(line, "ref: refs/heads/"); ok {
			name, _, _ := strings.Cut(rest, "\t")
			return name, nil
		}
	}
	return "", nil
}

package checkout

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/fettle-dev/fettle/bot/task"
)

// ErrPatch: a patch does not apply to the commit that it was given for.
var ErrPatch = errors.New("the patch does not apply")

// Span names two states of a user's repository, for OpenSpan. Revisions are those of
// Compare.
type Span struct {
	// Base is the state before, "" for the default branch, or for HEAD where something is
	// staged or a patch is given. A branch counts from where Head left it.
	Base string
	Head string // the state after; "" is the working tree
	// Staged is the index in the place of Head, Patch what a unified diff makes of Base.
	Staged bool
	Patch  []byte
}

// OpenSpan lays out two states of the user's repository at or above dir, each in a tree
// of its own. Both know what is installed in the folder. The repository is only read,
// and its configuration is not used. Errors: ErrNoRef, ErrPatch and those of OpenDir.
// The caller closes both.
func (s *Store) OpenSpan(ctx context.Context, dir string, span Span) (base, head *Tree, err error) {
	root, git, err := findAbove(ctx, dir)
	if err != nil {
		return nil, nil, fmt.Errorf("open %q: %w", dir, err)
	}
	now, err := s.OpenDir(ctx, root)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if head != now {
			err = errors.Join(err, now.Close())
		}
		if err != nil {
			for _, t := range []*Tree{base, head} {
				if t != nil {
					_ = t.Close()
				}
			}
			base, head = nil, nil
		}
	}()
	from, to, err := now.ends(ctx, git, span)
	if err != nil {
		return nil, nil, err
	}
	open := func(commit string) (*Tree, error) {
		t, err := s.newTree([]string{git.common + "/objects"})
		if err == nil {
			t.repo, t.installed = now.repo, now.installed
			err = t.start(ctx, commit)
		}
		return t, err
	}
	if base, err = open(from); err != nil {
		return base, nil, fmt.Errorf("writing %s: %w", from, err)
	}
	switch {
	case span.Staged || span.Patch != nil:
		head, err = s.newTree([]string{git.common + "/objects"})
		if err == nil {
			head.repo, head.installed = now.repo, now.installed
			if to, err = head.written(ctx, git, from, span); err == nil {
				err = head.start(ctx, to)
			}
		}
	case span.Head == "":
		head = now
	default:
		head, err = open(to)
	}
	return base, head, err
}

// OpenChange lays out a commit of a remote repository, and the commit where it left a
// branch. ref and commit are those of Open. The caller closes both.
func (s *Store) OpenChange(ctx context.Context, repo task.Repo, branch, commit string, auth Auth) (base, head *Tree, err error) {
	onto, err := s.Open(ctx, repo, branch, auth)
	if err != nil {
		return nil, nil, err
	}
	if head, err = s.Open(ctx, repo, commit, auth); err != nil {
		return nil, nil, errors.Join(err, onto.Close())
	}
	mirror := s.mirrorPath(repo)
	from, err := head.fork(ctx, &workingCopy{own: mirror, common: mirror}, onto.base, head.base)
	switch {
	case err != nil:
		return nil, nil, errors.Join(err, onto.Close(), head.Close())
	case from == onto.base:
		return onto, head, nil
	}
	if base, err = s.Open(ctx, repo, from, auth); err == nil {
		err = onto.Close()
	}
	if err != nil {
		err = errors.Join(err, onto.Close(), head.Close())
	}
	return base, head, err
}

// ends are the commits of a span; to is "" where it is none.
func (t *Tree) ends(ctx context.Context, git *workingCopy, span Span) (from, to string, err error) {
	switch {
	case span.Base == "" && (span.Staged || span.Patch != nil):
		span.Base = "HEAD"
	case span.Base == "":
		for _, name := range []string{"refs/remotes/origin/HEAD", "refs/heads/main", "refs/heads/master", "refs/remotes/origin/main", "refs/remotes/origin/master"} {
			if git.readRef(name, 0) != "" {
				span.Base = name
				break
			}
		}
		if span.Base == "" {
			return "", "", fmt.Errorf("%w: there is neither a branch main nor master, nor a default branch of origin; name what the change is held against with --base", ErrNoRef)
		}
	}
	if from, err = t.commitOf(ctx, git, span.Base); err != nil || span.Staged || span.Patch != nil {
		return from, "", err
	}
	if to, err = t.commitOf(ctx, git, orHEAD(span.Head)); err != nil {
		return "", "", err
	}
	from, err = t.fork(ctx, git, from, to)
	return from, to, err
}

// written gives the name of Git's tree of what is staged, or of what a patch makes of
// a commit. Both are made of objects alone: no file is written.
func (t *Tree) written(ctx context.Context, git *workingCopy, from string, span Span) (string, error) {
	if span.Staged {
		if err := borrowIndex(git, t.gitDir); err != nil {
			return "", fmt.Errorf("copy the index: %w", err)
		}
	} else {
		if _, err := t.store.run(ctx, call{dir: t.gitDir, args: []string{"read-tree", from}}); err != nil {
			return "", fmt.Errorf("read %s: %w", from, err)
		}
		if _, err := t.store.run(ctx, call{dir: t.gitDir, stdin: bytes.NewReader(span.Patch), args: []string{"apply", "--cached", "--whitespace=nowarn", "-"}}); err != nil {
			return "", fmt.Errorf("%w to %s: %w; give the commit that it was made for with --base", ErrPatch, from, err)
		}
	}
	out, err := t.store.run(ctx, call{dir: t.gitDir, args: []string{"write-tree"}})
	if err != nil {
		return "", fmt.Errorf("write the tree: %w; a merge that is not finished has to be first", err)
	}
	return strings.TrimSpace(string(out)), nil
}

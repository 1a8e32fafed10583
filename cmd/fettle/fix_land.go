package main

import (
	"context"
	"errors"
	"strings"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/hooks/prepush"
)

// landing is where the commit of a change goes.
type landing struct {
	p      *parts
	dir    string
	repo   *prepush.Repo
	parent string
	branch string // full name
	made   bool   // the branch is not there yet
}

// landing looks, before anything is worked on, whether a commit can be made.
func (p *parts) landing(ctx context.Context, dir, branch string) (*landing, error) {
	repo, err := prepush.Find(ctx, dir)
	if err != nil || repo.Bare {
		return nil, usage("%s is no working copy, so that nothing can be committed there; 'git init' makes it one", dir)
	}
	if root, ok := top(dir); !ok || root != dir {
		return nil, usage("%s is a folder in a working copy, and a commit is made at its root; give --repo %s", dir, repo.Top)
	}
	l := &landing{p: p, dir: dir, repo: repo, branch: "refs/heads/" + branch, made: branch != ""}
	head, current, err := repo.Head(ctx)
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	switch l.parent = head; {
	case l.made && repo.Has(ctx, l.branch):
		return nil, usage("there is a branch %s already; give another name with --branch", branch)
	case !l.made && current == "":
		return nil, usage("HEAD is on no branch; say with --branch NAME where the commit goes")
	case !l.made:
		l.branch = current
	}
	dirty, err := p.dirty(ctx, dir)
	if err != nil {
		return nil, err
	}
	for name, before := range dirty {
		if before != nil {
			return nil, usage("%s has changes that are not committed, and the commit would rest on them; commit or stash them", name)
		}
	}
	return l, nil
}

// dirty are the files of a working copy that differ from HEAD, as HEAD has them: nil for
// those that it lacks. A folder that is no working copy has none.
func (p *parts) dirty(ctx context.Context, dir string) (map[string][]byte, error) {
	trees, err := p.checkouts()
	if err != nil {
		return nil, err
	}
	diff, err := trees.Compare(ctx, dir, "")
	if errors.Is(err, checkout.ErrNoCopy) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer diff.Close()
	out := map[string][]byte{}
	prefix := below(dir)
	for _, f := range diff.Files {
		if name, ok := strings.CutPrefix(f.Path, prefix); ok {
			out[name] = f.Before
		}
	}
	return out, nil
}

// commit makes the commit, and moves or makes the branch.
func (l *landing) commit(ctx context.Context, s bot.Summary) (task.Publication, error) {
	var pub task.Publication
	hash, err := l.repo.Commit(ctx, l.parent, s.Diff, l.p.funnel.Message(commitMessage(s, "Made by fettle in run "+s.RunID+".")))
	if err != nil {
		return pub, err
	}
	if l.made {
		err = l.repo.Start(ctx, l.branch, hash)
	} else {
		err = l.repo.Take(ctx, l.branch, l.parent, hash)
	}
	if err != nil {
		return pub, err
	}
	pub = task.Publication{Branch: branchOf(l.branch), Commit: hash, Applied: !l.made}
	return pub, bot.Remember(l.dir, bot.Applied{Run: s.RunID, Commit: hash, Parent: l.parent, Branch: l.branch, Made: l.made})
}

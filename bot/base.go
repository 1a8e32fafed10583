package bot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/forge"
	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/task"
)

// baseFor is how the branch of a run is found: the command's, else the one that the
// repository's own file names on the default branch, else the default branch.
type baseFor struct {
	app    *App
	run    task.Run
	auth   checkout.Auth
	branch string         // chosen
	upper  *settings.Repo // what the default branch's file says, where another was chosen
}

// open checks the base out. A run that goes on stays on its commit. A follow-up works
// on the branch of its pull request, or makes the change anew on what moved.
func (o *baseFor) open(ctx context.Context) (*checkout.Tree, error) {
	repo, pinned := o.run.Task.Repo, o.run.Saved.BaseCommit
	o.branch = cmp.Or(o.run.Task.BaseBranch, o.run.Saved.Base)
	if f := o.run.Task.Follow; f != nil {
		if o.branch = f.Branch; f.Kind == task.FollowBase {
			o.branch = f.Base
		}
	}
	var tree *checkout.Tree
	var err error
	if o.branch == "" || o.branch == repo.DefaultBranch {
		if tree, err = o.main(ctx, cmp.Or(pinned, repo.DefaultBranch)); err != nil || o.branch != "" {
			return tree, err
		}
		own, _ := ownFile(tree) // a file that cannot be used ends the run where it is applied
		if o.branch = repo.DefaultBranch; own == nil || own.Base == "" || own.Base == repo.DefaultBranch || pinned != "" {
			return tree, nil
		}
		o.branch, o.upper = own.Base, own
	} else {
		if tree, err = o.main(ctx, repo.DefaultBranch); err != nil {
			return nil, err
		}
		if o.upper, err = ownFile(tree); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, errors.Join(&lasting{fmt.Errorf("%s of the branch %s cannot be used: %w", settings.RepoFile, repo.DefaultBranch, err)}, tree.Close())
		}
	}
	if err := tree.Close(); err != nil {
		return nil, err
	}
	tree, err = o.app.app.Checkouts.Open(ctx, repo, cmp.Or(pinned, o.branch), o.auth)
	if errors.Is(err, checkout.ErrNoRef) {
		err = &lasting{fmt.Errorf("the base branch %s does not exist; name another with `/fettle fix --base NAME` or in %s: %w", o.branch, settings.RepoFile, err)}
	}
	return tree, err
}

// chosen is what open has found; a pull request that stands has its own base.
func (o *baseFor) chosen() (string, *settings.Repo) {
	if f := o.run.Task.Follow; f != nil {
		return f.Base, o.upper
	}
	return o.branch, o.upper
}

// main opens the default branch, under the name that it has now.
func (o *baseFor) main(ctx context.Context, ref string) (*checkout.Tree, error) {
	repo := &o.run.Task.Repo
	tree, err := o.app.app.Checkouts.Open(ctx, *repo, ref, o.auth)
	if !errors.Is(err, checkout.ErrNoRef) || ref != repo.DefaultBranch {
		return tree, err
	}
	now, askErr := o.app.app.Forge.Repo(ctx, *repo)
	if askErr != nil || now.DefaultBranch == repo.DefaultBranch {
		return nil, errors.Join(err, askErr)
	}
	if o.branch == repo.DefaultBranch {
		o.branch = now.DefaultBranch
	}
	*repo = now
	return o.app.app.Checkouts.Open(ctx, now, now.DefaultBranch, o.auth)
}

// based is a run with the branch that it is for, and what the repository wishes of
// its pull request. What the default branch's file narrows stays narrowed where
// another branch is worked on: nobody gets around it by naming one.
func (b *Bot) based(r *task.Run, job *Job, tree *checkout.Tree) {
	if job.Base != nil {
		branch, upper := job.Base()
		r.Task.BaseBranch, r.Saved.Base = branch, branch
		if upper != nil {
			r.Budget, _ = settings.Narrow(r.Budget, upper)
			job.Gates, _ = settings.NarrowGates(job.Gates, upper)
			job.Guard.Protected = slices.Concat(job.Guard.Protected, upper.Protected)
			job.NeverSend = slices.Concat(job.NeverSend, upper.NeverSend)
		}
	}
	if own, err := ownFile(tree); err == nil && r.Task.Issue > 0 {
		r.Task.Wishes = task.Wishes{Labels: own.Labels, SignOff: own.SignOff, KeepBranch: own.Keep}
	}
}

// lasting is an error that trying again does not mend.
type lasting struct{ error }

func (l *lasting) Lasts() bool   { return true }
func (l *lasting) Unwrap() error { return l.error }

// lasts tells whether trying again is of no use until somebody has done something.
func lasts(err error) bool {
	_, lacks := errors.AsType[*forge.MissingPermission](err)
	return lacks || slices.ContainsFunc([]error{checkout.ErrEmpty, checkout.ErrTooLarge, checkout.ErrUnsafePath, checkout.ErrNoRef}, func(e error) bool { return errors.Is(err, e) })
}

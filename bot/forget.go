package bot

import (
	"context"
	"errors"
	"fmt"

	"github.com/fettle-dev/fettle/bot/forge"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// removed cancels what runs where the App may no longer work, and, unless the
// installation is only suspended, has everything of it deleted (SPEC X6).
func (a *App) removed(ctx context.Context, ev task.Event) (string, error) {
	repo := ""
	if ev.Repo.Name != "" {
		repo = ev.Repo.Slug()
	}
	what, why := "the App was removed", "the App was taken off the repository"
	if ev.Kind == task.EventRepo {
		what, why = "the repository was "+ev.Action, "the repository was "+ev.Action
	}
	n, err := a.cancelAll(ctx, ev.Repo.Installation, repo, why)
	if err != nil {
		return "", err
	}
	note := fmt.Sprintf("%s: %s cancelled", what, task.Count(n, "run"))
	if ev.Action == "suspend" {
		return note, nil
	}
	return note + ", its data is deleted when they have ended", a.cfg.Store.AskRemoval(ctx, ev.Repo.Installation, repo)
}

// cancelAll cancels what is live in a repository, or in all of an installation.
func (a *App) cancelAll(ctx context.Context, installation int64, repo, why string) (n int, err error) {
	for _, state := range []task.State{task.StateQueued, task.StateRunning, task.StateParked} {
		runs, err := a.cfg.Store.Runs(ctx, store.Filter{Limit: 10_000, State: state, Installation: installation, Repo: repo})
		if err != nil {
			return n, err
		}
		for _, r := range runs {
			if err := a.cfg.Store.AskCancel(ctx, r.ID, why); err != nil {
				return n, err
			}
			n++
		}
	}
	return n, nil
}

// Forget deletes the rows of what was removed. What is still live is left for the next
// call. It counts what was deleted.
func (a *App) Forget(ctx context.Context) (n int, err error) {
	asked, err := a.cfg.Store.Removals(ctx)
	if err != nil {
		return 0, err
	}
	for _, r := range asked {
		done, err := a.cfg.Store.Forget(ctx, r)
		if err != nil {
			return n, err
		}
		if done {
			n++
			a.cfg.Log.WithField("installation", r.Installation).Info("the data of what the App was removed from is deleted")
		}
	}
	return n, nil
}

// Prune deletes the files on this machine of repositories that the database does not
// know (any more), whichever process deleted their rows, and checkouts of dead ones.
func (a *App) Prune(ctx context.Context) error {
	known := func() (map[int64][]string, error) { return a.cfg.Store.Known(ctx) }
	var problems []error
	if a.app.Checkouts != nil {
		problems = append(problems, a.app.Checkouts.Prune(ctx, known), a.app.Checkouts.Sweep(ctx, 0, nil))
	}
	if a.app.Prune != nil {
		problems = append(problems, a.app.Prune(known))
	}
	return errors.Join(problems...)
}

// uninstalled has the data deleted of installations that GitHub does not know any
// more: their delivery was missed, or others came after it. Where it knows none of
// them, the server rather speaks for another App than before, so nothing is deleted.
func (a *App) uninstalled(ctx context.Context) error {
	ours, err := a.cfg.Store.Installations(ctx)
	if err != nil {
		return err
	}
	var gone []int64
	for _, id := range ours {
		switch _, err := a.app.Forge.Account(ctx, id); {
		case forge.IsGone(err):
			gone = append(gone, id)
		case err != nil:
			return err
		}
	}
	if len(gone) > 0 && len(gone) == len(ours) {
		a.cfg.Log.Warn("GitHub knows no installation that anything is stored for; is github.app_id right? Nothing is deleted")
		return nil
	}
	for _, id := range gone {
		if _, err := a.removed(ctx, task.Event{Kind: task.EventRemoved, Action: "deleted", Repo: task.Repo{Installation: id}}); err != nil {
			return err
		}
	}
	return nil
}

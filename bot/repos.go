package bot

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/forge"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// repoChanged keeps up with what becomes of a repository: a new name takes along
// what is stored of it, and where nothing can be pushed or said any more nothing is
// worked on.
func (a *App) repoChanged(ctx context.Context, ev task.Event) (string, error) {
	switch ev.Action {
	case "renamed":
		moved, err := a.cfg.Store.MoveRepo(ctx, ev.Before, ev.Repo)
		return fmt.Sprintf("%s is %s now: %s went along", ev.Before, ev.After, task.Count(moved, "run")), err
	case "transferred":
		return a.transferred(ctx, ev)
	case "archived":
		n, err := a.cancelAll(ctx, ev.Repo.Installation, ev.Repo.Slug(), "the repository was archived, so nothing can be pushed to it or said in it")
		return fmt.Sprintf("the repository was archived: %s cancelled", task.Count(n, "run")), err
	case "unarchived":
		return "the repository can be written to again; whoever wants work asks for it", nil
	case "deleted":
		return a.removed(ctx, ev)
	}
	return a.defaultBranch(ctx, ev)
}

// transferred: what is stored belongs to the installation that it was stored for,
// which the repository has left (SPEC X5, X6).
func (a *App) transferred(ctx context.Context, ev task.Event) (string, error) {
	installations, err := a.cfg.Store.Installations(ctx)
	if err != nil {
		return "", err
	}
	owner, name, _ := strings.Cut(ev.Before, "/")
	var notes []string
	for _, id := range installations {
		runs, err := a.cfg.Store.Runs(ctx, store.Filter{Installation: id, Repo: ev.Before, Limit: 1})
		if err != nil {
			return "", err
		}
		if len(runs) == 0 {
			continue
		}
		note, err := a.removed(ctx, task.Event{Kind: ev.Kind, Action: ev.Action, Repo: task.Repo{Installation: id, Owner: owner, Name: name}})
		if err != nil {
			return "", err
		}
		notes = append(notes, note)
	}
	return fmt.Sprintf("%s is %s now%s; labels and commands count there from now on", ev.Before, ev.After, prefixed(": ", strings.Join(notes, "; "))), nil
}

// defaultBranch: runs that have not begun are for the new one, and pull requests
// for whatever GitHub made them be for.
func (a *App) defaultBranch(ctx context.Context, ev task.Event) (string, error) {
	if _, err := a.cfg.Store.MoveRepo(ctx, ev.Repo.Slug(), ev.Repo); err != nil {
		return "", err
	}
	all, err := a.cfg.Store.Pulls(ctx, ev.Repo.Installation, ev.Repo.Slug(), store.PullFilter{Base: ev.Before, Open: true})
	if err != nil {
		return "", err
	}
	var followed []string
	for _, p := range slices.Backward(all) {
		now, err := a.app.Forge.Pull(ctx, ev.Repo, p.Number)
		if err != nil && !forge.IsGone(err) {
			return "", err
		}
		if err == nil && now.Base != p.Base {
			if err := a.cfg.Store.Rebase(ctx, p, now.Base); err != nil {
				return "", err
			}
			followed = append(followed, fmt.Sprintf("#%d", p.Number))
		}
	}
	return fmt.Sprintf("the default branch is %s now%s", ev.After, prefixed(", and so for ", strings.Join(followed, ", "))), nil
}

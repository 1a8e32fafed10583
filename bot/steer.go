package bot

import (
	"context"
	"errors"

	"github.com/fettle-dev/fettle/bot/task"
)

// What people do to a run, each behind the command of a comment as well as behind the
// pages and the API. Whoever calls asks first whether they may.

// ErrTier: the operator's budget ends below the tier.
var ErrTier = errors.New("the operator allows no tier above")

// Meter counts what happens to runs, for whoever watches the server.
type Meter interface {
	Said(m task.Message)
	Tried(a task.Attempt)
	Ended(res task.Result)
}

// Stop asks a run to end as cancelled.
func (a *App) Stop(ctx context.Context, runID, why string) error {
	return a.cfg.Store.AskCancel(ctx, runID, why)
}

// Redeliver lets a delivery that was given up be handled again; false where it was not
// given up.
func (a *App) Redeliver(ctx context.Context, id string) (bool, error) {
	return a.cfg.Store.Redeliver(ctx, id)
}

// Lift lifts the quarantine of a repository, or for "" the pause of everything, and says
// how many states that changed.
func (a *App) Lift(ctx context.Context, installation int64, repo, by string) (int, error) {
	if a.cfg.Heal == nil {
		return 0, nil
	}
	if repo == "" {
		moves, err := a.cfg.Heal.ReleaseGlobal(ctx, by)
		return len(moves), err
	}
	moves, err := a.cfg.Heal.Release(ctx, installation, repo, by)
	return len(moves), err
}

package bot

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// Trim deletes what is older than it is kept (SPEC O5): rows in the database, which one
// of several processes does at a time, and mirrors on this machine. more tells that a
// bound left some for the next call.
func (a *App) Trim(ctx context.Context) (more bool, err error) {
	k := a.app.Keep
	before := func(age time.Duration) time.Time {
		if age == 0 {
			return time.Time{}
		}
		return a.cfg.Now().Add(-age)
	}
	var problems []error
	rows, err := a.cfg.Store.Trim(ctx, store.Cutoffs{Deliveries: before(k.Deliveries), Conversations: before(k.Conversations), Runs: before(k.Runs), Results: before(judgedFor)})
	problems = append(problems, err)
	if rows.Deliveries+rows.Conversations+rows.Runs > 0 {
		a.cfg.Log.Infof("deleted, as older than it is kept: %s, the conversations of %s, %s",
			counted(rows.Deliveries, "delivery", "deliveries"), task.Count(rows.Conversations, "run"), task.Count(rows.Runs, "run"))
	}
	if a.app.Checkouts != nil && k.MirrorBytes > 0 {
		gone, freed, err := a.app.Checkouts.Keep(ctx, k.Mirrors, k.MirrorBytes)
		if problems = append(problems, err); gone > 0 {
			a.cfg.Log.Infof("removed %s that no run used lately, %s", task.Count(gone, "mirror"), megabytes(freed))
		}
	}
	return rows.More, errors.Join(problems...)
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

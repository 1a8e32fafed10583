package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/fettle-dev/fettle/bot/task"
)

// abandonedBatch bounds what one call of EndAbandoned ends.
const abandonedBatch = 1000

// EndAbandoned ends the private runs whose holder died: nobody else may take
// them up, because the folder that they worked on is not kept. They end with the
// outcome error, what they tried and spent before stands in their results. It
// counts them.
func (s *Store) EndAbandoned(ctx context.Context) (ended int, err error) {
	now, stale := s.now(), s.cfg.Stale.Microseconds()
	ids, err := s.abandoned(ctx, now-stale, now+stale)
	if err != nil {
		return 0, s.explain("look for runs whose process died", err)
	}
	for _, id := range ids {
		l, r, err := s.ClaimRun(ctx, id)
		if errors.Is(err, ErrHeld) || errors.Is(err, ErrDone) {
			continue // somebody was faster
		}
		if err != nil {
			return ended, err
		}
		res := task.Result{
			RunID: r.ID, Task: r.Task, Outcome: task.Error, Attempts: r.Saved.Attempts, Elapsed: r.Saved.Worked,
			Reason:     "the process that worked on this run ended without a word: it was killed, or the machine went down",
			NextAction: "Ask again; the folder was not touched unless the run says that it applied its change.",
		}
		if res.Cost, res.CostByTier, err = s.Spent(ctx, id); err != nil {
			return ended, err
		}
		if err := s.Finish(ctx, l, res, res.Reason); err != nil {
			return ended, fmt.Errorf("ending run %s, whose process died: %w", id, err)
		}
		ended++
	}
	return ended, nil
}

func (s *Store) abandoned(ctx context.Context, before, after int64) ([]string, error) {
	rows, err := s.r.QueryContext(ctx, `SELECT id FROM runs WHERE private = 1 AND state <> 'done' AND waiting = ''
		AND (created_at < $1 AND beat_at < $1 OR beat_at > $2) ORDER BY created_at LIMIT $3`, before, after, abandonedBatch)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var ids []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

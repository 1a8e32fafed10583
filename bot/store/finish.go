package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/fettle-dev/fettle/bot/task"
)

// SaveState stores what the loop takes up again after a crash. It replaces the
// state saved before.
func (s *Store) SaveState(ctx context.Context, l *Lease, st task.RunState) error {
	st.Reason = s.words(st.Reason)
	b, err := json.Marshal(st)
	if err != nil {
		return s.explain("save the state of run "+l.RunID, err)
	}
	return s.fenced(ctx, l, "save the state", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE runs SET saved = $2 WHERE id = $1", l.RunID, s.doc(b))
		return err
	})
}

// SetProgress stores the figures that lists and status comments show.
func (s *Store) SetProgress(ctx context.Context, l *Lease, tier task.Tier, attempts int, cost task.USD) error {
	return s.fenced(ctx, l, "store the progress", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE runs SET tier = $2, attempts = $3, cost = $4 WHERE id = $1", l.RunID, string(tier), attempts, int64(cost))
		return err
	})
}

// Park puts the run aside until a time; the lease ends and the worker is free.
// A run whose cancel was asked since it was claimed goes to the queue instead,
// to end itself; one that was claimed to be ended waits like any other.
func (s *Store) Park(ctx context.Context, l *Lease, until time.Time, reason string) error {
	return s.fenced(ctx, l, "park", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE runs SET state = 'parked', not_before = $2, reason = $3, owner = '', beat_at = 0 WHERE id = $1 AND "+
			from(task.StateParked, task.StateRunning), l.RunID, micro(until), s.words(reason))
		if err != nil || l.cancelling {
			return err
		}
		_, err = tx.ExecContext(ctx, "UPDATE runs SET state = 'queued', not_before = 0 WHERE id = $1 AND cancel_asked = 1 AND "+
			from(task.StateQueued, task.StateParked), l.RunID)
		return err
	})
}

// Release gives the run back to the queue, at its old place, for shutdown.
func (s *Store) Release(ctx context.Context, l *Lease) error {
	err := s.fenced(ctx, l, "release", func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "UPDATE runs SET state = 'queued', owner = '', beat_at = 0 WHERE id = $1 AND "+
			from(task.StateQueued, task.StateRunning), l.RunID); err != nil {
			return err
		}
		_, err := s.jobs.InsertTx(ctx, tx, wakeJob{Run: l.RunID}, s.wakeOpts())
		return err
	})
	return err
}

// Finish ends the run with its result and the reason for people. Where calls
// were reserved, the recorded cost is their sum whatever the result says.
func (s *Store) Finish(ctx context.Context, l *Lease, res task.Result, reason string) error {
	return s.fenced(ctx, l, "finish", func(tx *sql.Tx) error {
		all, by, err := s.spent(ctx, tx, l.RunID)
		if err != nil {
			return err
		}
		if by != nil {
			if res.Cost != all {
				s.cfg.Log.WithField("run", l.RunID).Warnf("the result says %s, the calls cost %s; the latter is recorded", res.Cost, all)
			}
			res.Cost, res.CostByTier = all, by
		}
		res.Reason = s.words(res.Reason)
		b, err := json.Marshal(res)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE runs SET state = 'done', outcome = $2, reason = $3, result = $4, cost = $5, attempts = $6, tier = $7,
			ended_at = $8, owner = '', beat_at = 0 WHERE id = $1 AND `+from(task.StateDone, task.StateRunning),
			l.RunID, string(res.Outcome), s.words(reason), s.doc(b), int64(res.Cost), len(res.Attempts), string(res.Tier), s.now())
		if err != nil {
			return err
		}
		return s.follow(ctx, tx, l.RunID, res.Outcome)
	})
}

// follow makes the run that was asked for while this one was being cancelled.
func (s *Store) follow(ctx context.Context, tx *sql.Tx, id string, outcome task.Outcome) error {
	var text string
	if err := tx.QueryRowContext(ctx, "SELECT follow FROM runs WHERE id = $1", id).Scan(&text); err != nil || text == "" || outcome != task.Cancelled {
		return err
	}
	var nr NewRun
	if err := json.Unmarshal([]byte(text), &nr); err != nil {
		return err
	}
	nr.Delivery = "" // its delivery has its answer: it joined
	_, _, err := s.ask(ctx, tx, nr)
	return err
}

// AskCancel asks a run to stop. One that never began ends here and now as
// cancelled. One that is running learns of it by its next heartbeat; one that
// began and waits goes to the queue, so that a worker ends it properly. A run
// that has ended stays as it is.
func (s *Store) AskCancel(ctx context.Context, runID, reason string) error {
	err := s.tx(ctx, "cancel run "+runID, func(tx *sql.Tx) error { return s.cancel(ctx, tx, runID, reason) })
	if err == nil {
		s.poke()
	}
	return err
}

// CancelIssue is AskCancel for the live run of an issue (repo is owner/name);
// runID is empty when there is none.
func (s *Store) CancelIssue(ctx context.Context, installation int64, repo string, issue int, reason string) (runID string, err error) {
	err = s.tx(ctx, "cancel the run of "+repo, func(tx *sql.Tx) error {
		runID = ""
		err := tx.QueryRowContext(ctx, "SELECT id FROM runs WHERE installation = $1 AND repo = $2 AND issue = $3 AND issue > 0 AND state <> 'done'",
			installation, slugKey(repo), issue).Scan(&runID)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		return s.cancel(ctx, tx, runID, reason)
	})
	if err == nil && runID != "" {
		s.poke()
	}
	return runID, err
}

func (s *Store) cancel(ctx context.Context, tx *sql.Tx, id, reason string) error {
	if reason = s.words(reason); reason == "" {
		reason = "cancelled"
	}
	run, err := s.locked(ctx, tx, id)
	if err != nil {
		return err
	}
	if run.State == task.StateDone {
		return nil
	}
	// The last word counts: a run asked for before this cancel is not made.
	if _, err := tx.ExecContext(ctx, `UPDATE runs SET follow = '', cancel_asked = 1,
		cancel_reason = CASE WHEN cancel_asked = 1 THEN cancel_reason ELSE $2 END WHERE id = $1`, id, reason); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE runs SET state = 'queued', not_before = 0, waiting = '' WHERE id = $1 AND "+
		from(task.StateQueued, task.StateParked), id); err != nil {
		return err
	}
	b, err := json.Marshal(task.Result{RunID: id, Task: run.Task, Outcome: task.Cancelled, Reason: reason})
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE runs SET state = 'done', outcome = $2, reason = $3, result = $4, ended_at = $5
		WHERE id = $1 AND started_at = 0 AND `+from(task.StateDone, task.StateQueued),
		id, string(task.Cancelled), reason, s.doc(b), s.now())
	return err
}

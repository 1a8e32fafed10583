package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/fettle-dev/fettle/bot/task"
)

// ErrNotWaiting: the run does not wait for the answer that was given.
var ErrNotWaiting = errors.New("the run does not wait for this answer")

// forever is later than any clock: what waits for a human is not due.
const forever = 1 << 62

// Wait puts the run aside until a human has answered; the lease ends and the
// worker is free. A run whose cancel was asked since it was claimed goes to
// the queue instead, to end itself.
func (s *Store) Wait(ctx context.Context, l *Lease, g task.Gate) error {
	g.Words = s.words(g.Words)
	raw, err := json.Marshal(g)
	if err != nil {
		return s.explain("let run "+l.RunID+" wait", err)
	}
	return s.fenced(ctx, l, "wait for a human", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE runs SET state = 'parked', not_before = $2, waiting = $3, reason = $4, owner = '', beat_at = 0 WHERE id = $1 AND "+
			from(task.StateParked, task.StateRunning), l.RunID, int64(forever), s.doc(raw), g.Words)
		if err != nil || l.cancelling {
			return err
		}
		_, err = tx.ExecContext(ctx, "UPDATE runs SET state = 'queued', not_before = 0, waiting = '' WHERE id = $1 AND cancel_asked = 1 AND "+
			from(task.StateQueued, task.StateParked), l.RunID)
		return err
	})
}

// Answer stores what a human said and lets the run go on: it goes to the queue,
// where a private one waits for ClaimRun. An answer
// that names no gate means the one that the run waits at; its gate and step are
// filled in and returned. ErrNotWaiting when the run waits for nothing, or for
// something else. An answer whose key one of the run's has already is not taken
// in again: that one is returned.
func (s *Store) Answer(ctx context.Context, runID string, a task.Answer) (task.Answer, error) {
	said := a
	err := s.tx(ctx, "answer run "+runID, func(tx *sql.Tx) error {
		said = a
		run, err := s.locked(ctx, tx, runID)
		if err != nil {
			return err
		}
		if a.Key != "" {
			before, found, err := s.saidBefore(ctx, tx, runID, a.Key)
			if err != nil || found {
				said = before
				return err
			}
		}
		switch {
		case run.State == task.StateDone:
			return ErrDone
		case run.Waiting == nil:
			return ErrNotWaiting
		case !a.Asked.IsZero() && !a.Asked.Equal(run.Waiting.Asked):
			return fmt.Errorf("%w: what it asked then was answered, and it asks something else now", ErrNotWaiting)
		case said.Gate != "" && said.Gate != run.Waiting.Kind, said.Step != 0 && said.Step != run.Waiting.Step:
			return fmt.Errorf("%w: it waits for the %s (step %d)", ErrNotWaiting, run.Waiting.Kind, run.Waiting.Step)
		}
		said.Gate, said.Step = run.Waiting.Kind, run.Waiting.Step
		if said.At.IsZero() {
			said.At = fromMicro(s.now())
		}
		raw, err := json.Marshal(said)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO answers (run, seq, body) SELECT $1, coalesce(max(seq), 0) + 1, $2 FROM answers WHERE run = $1", runID, s.doc(raw)); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "UPDATE runs SET state = 'queued', waiting = '', not_before = 0, beat_at = $2 WHERE id = $1 AND "+
			from(task.StateQueued, task.StateParked), runID, s.now())
		return err
	})
	if err == nil {
		s.poke()
	}
	return said, err
}

// saidBefore looks for a run's answer with a key.
func (s *Store) saidBefore(ctx context.Context, tx *sql.Tx, runID, key string) (a task.Answer, found bool, err error) {
	rows, err := tx.QueryContext(ctx, "SELECT body FROM answers WHERE run = $1", runID)
	if err != nil {
		return a, false, err
	}
	defer rows.Close()
	for rows.Next() {
		var body string
		var said task.Answer
		if err := rows.Scan(&body); err != nil {
			return a, false, err
		}
		if err := json.Unmarshal([]byte(body), &said); err != nil {
			return a, false, err
		}
		if said.Key == key {
			a, found = said, true
		}
	}
	return a, found, rows.Err()
}

// Answers returns what humans said at a run's gates, in order.
func (s *Store) Answers(ctx context.Context, runID string) ([]task.Answer, error) {
	var out []task.Answer
	err := bodies(ctx, s, "answers", runID, &out)
	return out, s.explain("read the answers of run "+runID, err)
}

// Rewind changes the saved state of a run that nobody works on, and lets it go
// on at once. Where the change takes the gate away, answers that were not taken
// in go with it. ErrHeld while somebody does, ErrDone when it has ended.
func (s *Store) Rewind(ctx context.Context, runID string, change func(*task.RunState) error) error {
	err := s.tx(ctx, "rewind run "+runID, func(tx *sql.Tx) error {
		run, err := s.locked(ctx, tx, runID)
		switch {
		case err != nil:
			return err
		case run.State == task.StateDone:
			return ErrDone
		case run.State == task.StateRunning:
			return ErrHeld
		}
		gate := run.Saved.Gate
		if err := change(&run.Saved); err != nil {
			return err
		}
		if gate != nil && run.Saved.Gate == nil { // what was said was said about that gate, and is no answer to the next
			if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM answers WHERE run = $1", runID).Scan(&run.Saved.Answered); err != nil {
				return err
			}
		}
		raw, err := json.Marshal(run.Saved)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE runs SET saved = $2, waiting = '', not_before = 0, beat_at = $3 WHERE id = $1", runID, s.doc(raw), s.now()); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "UPDATE runs SET state = 'queued' WHERE id = $1 AND "+from(task.StateQueued, task.StateParked), runID)
		return err
	})
	if err == nil {
		s.poke()
	}
	return err
}

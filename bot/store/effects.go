package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/fettle-dev/fettle/bot/task"
)

// Effect appends to what came to the run from outside and says at which
// position, counted from 1.
func (s *Store) Effect(ctx context.Context, l *Lease, e task.Effect) (seq int, err error) {
	err = s.fenced(ctx, l, "record an effect", func(tx *sql.Tx) error {
		if err := tx.QueryRowContext(ctx, "SELECT coalesce(max(seq), 0) + 1 FROM effects WHERE run = $1", l.RunID).Scan(&seq); err != nil {
			return err
		}
		e.Run, e.Seq = l.RunID, seq
		b, err := json.Marshal(e)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "INSERT INTO effects (run, seq, body) VALUES ($1, $2, $3)", l.RunID, seq, s.doc(b))
		return err
	})
	return seq, err
}

// Effects returns what came to a run from outside, in order.
func (s *Store) Effects(ctx context.Context, runID string) ([]task.Effect, error) {
	var out []task.Effect
	err := bodies(ctx, s, "effects", runID, &out)
	return out, s.explain("read the effects of run "+runID, err)
}

// Observe stores what a run's tiers came to, once; the same again changes
// nothing.
func (s *Store) Observe(ctx context.Context, l *Lease, observations []json.RawMessage) error {
	return s.fenced(ctx, l, "store what the tiers came to", func(tx *sql.Tx) error {
		for i, o := range observations {
			_, err := tx.ExecContext(ctx, `INSERT INTO observations (installation, run, seq, made_at, body)
				SELECT installation, id, $2, $3, $4 FROM runs WHERE id = $1 ON CONFLICT (run, seq) DO NOTHING`, l.RunID, i+1, s.now(), s.doc(o))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// mostObserved bounds the history that a choice is made from.
const mostObserved = 5000

// Observations returns what the tiers of an installation's runs came to, the
// latest 5,000, the oldest first.
func (s *Store) Observations(ctx context.Context, installation int64) (out []json.RawMessage, err error) {
	rows, err := s.r.QueryContext(ctx, `SELECT body FROM (SELECT body, made_at, run, seq FROM observations WHERE installation = $1
		ORDER BY made_at DESC, run DESC, seq DESC LIMIT $2) latest ORDER BY made_at, run, seq`, installation, mostObserved)
	if err != nil {
		return nil, s.explain("read the history of the tiers", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var body string
		if err := rows.Scan(&body); err != nil {
			return nil, s.explain("read the history of the tiers", err)
		}
		out = append(out, json.RawMessage(body))
	}
	return out, s.explain("read the history of the tiers", rows.Err())
}

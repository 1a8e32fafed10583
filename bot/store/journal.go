package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"

	"github.com/fettle-dev/fettle/bot/task"
)

// Record appends a message to the run's conversation. Run and, where missing,
// the time are filled in.
func (s *Store) Record(ctx context.Context, l *Lease, m task.Message) error {
	m.Run = l.RunID
	if m.At.IsZero() {
		m.At = fromMicro(s.now())
	}
	return s.appendLine(ctx, l, "messages", "record a message", m, s.log)
}

// Decide appends a decision to the run's audit log. Run and, where missing,
// the time are filled in.
func (s *Store) Decide(ctx context.Context, l *Lease, d task.Decision) error {
	d.Run = l.RunID
	if d.At.IsZero() {
		d.At = fromMicro(s.now())
	}
	return s.appendLine(ctx, l, "decisions", "record a decision", d, s.doc) // a replay compares it
}

// appendLine adds a numbered line to a table of the run. The fence holds the
// run's row, so numbers have no gaps and no repeats.
func (s *Store) appendLine(ctx context.Context, l *Lease, table, what string, v any, stored func([]byte) string) error {
	b, err := json.Marshal(v)
	if err != nil {
		return s.explain(what+": run "+l.RunID, err)
	}
	return s.fenced(ctx, l, what, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO "+table+" (run, seq, body) SELECT $1, coalesce(max(seq), 0) + 1, $2 FROM "+table+" WHERE run = $1",
			l.RunID, stored(b))
		return err
	})
}

// Messages returns the conversation of a run in its order.
func (s *Store) Messages(ctx context.Context, runID string) ([]task.Message, error) {
	out := []task.Message{}
	err := bodies(ctx, s, "messages", runID, &out)
	return out, s.explain("read the messages of run "+runID, err)
}

// Decisions writes the audit log of a run as JSONL: one task.Decision a line,
// in order, byte for byte as it was stored.
func (s *Store) Decisions(ctx context.Context, runID string, w io.Writer) error {
	err := s.lines(ctx, "decisions", runID, func(body string) error {
		_, err := fmt.Fprintln(w, body)
		return err
	})
	return s.explain("export the decisions of run "+runID, err)
}

// bodies appends what a run's rows of a table hold, in order.
func bodies[T any](ctx context.Context, s *Store, table, runID string, out *[]T) error {
	return s.lines(ctx, table, runID, func(body string) error {
		var v T
		if err := json.Unmarshal([]byte(body), &v); err != nil {
			return err
		}
		*out = append(*out, v)
		return nil
	})
}

func (s *Store) lines(ctx context.Context, table, runID string, f func(body string) error) error {
	rows, err := s.r.QueryContext(ctx, "SELECT body FROM "+table+" WHERE run = $1 ORDER BY seq", runID)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var body string
		if err := rows.Scan(&body); err != nil {
			return err
		}
		if err := f(body); err != nil {
			return err
		}
	}
	return rows.Err()
}

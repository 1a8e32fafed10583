package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"
)

// Cutoffs are the times before which what has ended is deleted; a zero time deletes
// nothing.
type Cutoffs struct {
	Deliveries    time.Time
	Conversations time.Time
	Runs          time.Time
	Results       time.Time // of KeepResult
}

// Trimmed counts what was deleted.
type Trimmed struct {
	Deliveries    int
	Conversations int // runs whose messages went
	Runs          int
	Results       int
	More          bool // a bound was met: there is more
}

// A transaction deletes so many, and a call so many of each kind.
const (
	trimBatch  = 200
	trimRounds = 25
)

// Trim deletes what is older than the cutoffs (SPEC O5). A run goes when no pull request
// of its issue is open; what it cost is then no longer counted against caps, so the
// cutoff of runs must lie before the month that they count.
func (s *Store) Trim(ctx context.Context, old Cutoffs) (t Trimmed, err error) {
	for _, kind := range []struct {
		before time.Time
		ids    string
		drop   []string
		n      *int
	}{
		{old.Deliveries, "SELECT id FROM deliveries WHERE state IN ('done', 'failed') AND finished_at > 0 AND finished_at < $1 LIMIT $2",
			[]string{"DELETE FROM deliveries WHERE id = $1"}, &t.Deliveries},
		{old.Conversations, `SELECT id FROM runs r WHERE state = 'done' AND ended_at < $1
			AND (EXISTS (SELECT 1 FROM messages WHERE run = r.id) OR EXISTS (SELECT 1 FROM reservations WHERE run = r.id AND reply <> '')) LIMIT $2`,
			[]string{"DELETE FROM messages WHERE run = $1", "UPDATE reservations SET reply = '' WHERE run = $1"}, &t.Conversations},
		{old.Runs, `SELECT id FROM runs r WHERE state = 'done' AND ended_at < $1
			AND NOT EXISTS (SELECT 1 FROM runs q WHERE q.installation = r.installation AND q.repo = r.repo AND q.issue = r.issue AND q.issue > 0 AND (q.state <> 'done' OR q.ended_at >= $1))
			AND NOT EXISTS (SELECT 1 FROM pulls p WHERE p.installation = r.installation AND p.repo = r.repo AND p.issue = r.issue AND p.fate = '') LIMIT $2`,
			append(ofRuns("= $1"), "DELETE FROM runs WHERE id = $1"), &t.Runs},
	} {
		if kind.before.IsZero() {
			continue
		}
		for round := 0; ; round++ {
			if round == trimRounds {
				t.More = true
				break
			}
			n, err := s.trim(ctx, kind.ids, micro(kind.before), kind.drop)
			if err != nil {
				return t, err
			}
			if *kind.n += n; n < trimBatch {
				break
			}
		}
	}
	if !old.Results.IsZero() {
		err = s.tx(ctx, "delete results that are too old to be used", func(tx *sql.Tx) error {
			res, err := tx.ExecContext(ctx, "DELETE FROM results WHERE made_at < $1", micro(old.Results))
			if err != nil {
				return err
			}
			n, err := res.RowsAffected()
			t.Results = int(n)
			return err
		})
		if err != nil {
			return t, err
		}
	}
	if t.Deliveries+t.Conversations+t.Runs+t.Results > 0 && !t.More {
		err = s.scrub(ctx)
	}
	return t, err
}

// trim deletes a batch in one transaction and counts it.
func (s *Store) trim(ctx context.Context, ids string, before int64, drop []string) (n int, err error) {
	err = s.tx(ctx, "delete what is older than it is kept", func(tx *sql.Tx) error {
		n = 0
		if err := s.claimLock(ctx, tx); err != nil { // nobody asks for another run of it meanwhile
			return err
		}
		rows, err := tx.QueryContext(ctx, ids, before, trimBatch)
		if err != nil {
			return err
		}
		defer rows.Close()
		var batch []string
		for rows.Next() {
			var id string
			if err := rows.Scan(&id); err != nil {
				return err
			}
			batch = append(batch, id)
		}
		if err := rows.Err(); err != nil {
			return err
		}
		_ = rows.Close() // SQLite's one connection is free again
		for _, id := range batch {
			for _, text := range drop {
				if _, err := tx.ExecContext(ctx, text, id); err != nil {
					return fmt.Errorf("%w (%.60s…)", err, strings.TrimSpace(text))
				}
			}
		}
		n = len(batch)
		return nil
	})
	return n, err
}

// ofRuns are the statements that delete what refers to runs; which compares a run's id.
func ofRuns(which string) (out []string) {
	for _, table := range []string{"pulls", "observations", "answers", "effects", "commits", "actions", "reservations", "decisions", "messages", "run_asks"} {
		out = append(out, "DELETE FROM "+table+" WHERE run "+which)
	}
	return out
}

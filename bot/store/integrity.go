package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// invariants are questions whose answer must be no row. Each gives a word for
// what it found.
var invariants = []struct{ broken, query string }{
	{"two live runs for one issue", `SELECT min(id) FROM runs WHERE state <> 'done' AND issue > 0
		GROUP BY installation, repo, issue HAVING count(*) > 1`},
	{"a run that ended without an outcome or time", `SELECT id FROM runs WHERE state = 'done' AND (outcome = '' OR ended_at = 0)`},
	{"a run that has an outcome and goes on", `SELECT id FROM runs WHERE state <> 'done' AND (outcome <> '' OR ended_at <> 0)`},
	{"a running run without a lease", `SELECT id FROM runs WHERE state = 'running' AND (token = 0 OR beat_at = 0)`},
	{"a recorded cost that is not the sum of the run's calls", `SELECT r.id FROM runs r
		JOIN reservations v ON v.run = r.id WHERE r.state = 'done' GROUP BY r.id, r.cost HAVING sum(` + charged + `) <> r.cost`},
	{"a reply of a call that is not settled", `SELECT run FROM reservations WHERE settled = 0 AND reply <> ''`},
	{"a delivery that ended without a time", `SELECT id FROM deliveries WHERE state IN ('done', 'failed') AND finished_at = 0`},
	{"a run of a repository that is not listed", `SELECT r.id FROM runs r LEFT JOIN repos p
		ON p.installation = r.installation AND p.repo = r.repo WHERE p.repo IS NULL`},
}

// Integrity checks the file (SQLite) and what must hold between rows. The
// error lists everything found.
func (s *Store) Integrity(ctx context.Context) error {
	var found []error
	if !s.postgres {
		found = append(found, s.pragma(ctx, "PRAGMA integrity_check(20)"), s.pragma(ctx, "PRAGMA foreign_key_check"))
	}
	for _, q := range invariants {
		var id string
		err := s.r.QueryRowContext(ctx, q.query+" LIMIT 1").Scan(&id)
		switch {
		case errors.Is(err, sql.ErrNoRows):
		case err != nil:
			found = append(found, err)
		default:
			found = append(found, fmt.Errorf("%s: %s", q.broken, id))
		}
	}
	return s.explain("check the database; restore it from a backup where it is damaged", errors.Join(found...))
}

// pragma collects the rows of a check whose good answer is nothing or "ok".
func (s *Store) pragma(ctx context.Context, q string) error {
	rows, err := s.r.QueryContext(ctx, q)
	if err != nil {
		return err
	}
	defer rows.Close()
	var bad []error
	for rows.Next() {
		cols, err := rows.Columns()
		if err != nil {
			return err
		}
		vals := make([]any, len(cols))
		for i := range vals {
			vals[i] = new(sql.NullString)
		}
		if err := rows.Scan(vals...); err != nil {
			return err
		}
		if first := vals[0].(*sql.NullString).String; first != "ok" {
			bad = append(bad, fmt.Errorf("%s: %s", q, first))
		}
	}
	return errors.Join(append(bad, rows.Err())...)
}

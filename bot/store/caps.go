package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/fettle-dev/fettle/bot/task"
)

// CapError refuses a call because of what several runs spent together.
type CapError struct {
	What  string // "the issue", "the installation today", "the server this month"
	Limit task.USD
	Spent task.USD
	Until time.Time // when there is money again; zero: never
}

func (e *CapError) Error() string {
	return fmt.Sprintf("%s has a cap of %s, and %s of it is spent", e.What, e.Limit, e.Spent)
}

// within refuses what would take several runs together above a cap. It holds a
// lock to the end of the transaction, so that no two calls take the same money.
func (s *Store) within(ctx context.Context, tx *sql.Tx, run string, worst task.USD) error {
	caps := s.cfg.Caps
	if caps == (task.Caps{}) || worst == 0 {
		return nil
	}
	if s.postgres {
		if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", int64(lockMoney)); err != nil {
			return err
		}
	}
	now := s.cfg.Now().UTC()
	day := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	month := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		limit   task.USD
		what    string
		until   time.Time
		where   string
		deleted string // of what runs cost that are deleted
		since   time.Time
	}{
		{caps.Issue, "the issue", time.Time{}, "r.installation = m.installation AND r.repo = m.repo AND r.issue = m.issue AND m.issue > 0", "1 = 0", time.Time{}},
		{caps.InstallationDay, "the installation today", day.AddDate(0, 0, 1), "r.installation = m.installation AND m.installation <> 0", "s.installation = m.installation AND m.installation <> 0", day},
		{caps.ServerMonth, "the server this month", month.AddDate(0, 1, 0), "1 = 1", "1 = 1", month},
	} {
		if c.limit <= 0 {
			continue
		}
		var spent int64
		err := tx.QueryRowContext(ctx, `SELECT
			(SELECT coalesce(sum(`+charged+`), 0) FROM reservations v JOIN runs r ON r.id = v.run, runs m WHERE m.id = $1 AND v.made_at >= $2 AND `+c.where+`) +
			(SELECT coalesce(sum(s.cost), 0) FROM spent s, runs m WHERE m.id = $1 AND s.made_at >= $2 AND `+c.deleted+`)`, run, micro(c.since)).Scan(&spent)
		if err != nil {
			return err
		}
		if task.USD(spent)+worst > c.limit {
			return &CapError{What: c.what, Limit: c.limit, Spent: task.USD(spent), Until: c.until}
		}
	}
	return nil
}

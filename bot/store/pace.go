package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// Pace keeps what was sent out for each installation, for all processes that work on
// this database.
type Pace struct{ s *Store }

// Pace is nil for a SQLite file: its one process counts in memory.
func (s *Store) Pace() *Pace {
	if !s.postgres {
		return nil
	}
	return &Pace{s}
}

// Change hands f what is kept of an installation (nil: nothing yet) and keeps what f
// returns. One caller, in whichever process, changes an installation's at a time; an error
// of f's is returned as it is, and nothing is kept.
func (p *Pace) Change(ctx context.Context, installation int64, f func(old []byte) ([]byte, error)) error {
	var refused error
	err := p.s.tx(ctx, fmt.Sprintf("count what is sent for installation %d", installation), func(tx *sql.Tx) error {
		// the row is made first, so that there is one to lock
		if _, err := tx.ExecContext(ctx, "INSERT INTO paces (installation, sent) VALUES ($1, '') ON CONFLICT DO NOTHING", installation); err != nil {
			return err
		}
		var old string
		if err := tx.QueryRowContext(ctx, "SELECT sent FROM paces WHERE installation = $1 FOR UPDATE", installation).Scan(&old); err != nil {
			return err
		}
		var kept []byte
		if kept, refused = f([]byte(old)); refused != nil {
			return errNothingKept
		}
		_, err := tx.ExecContext(ctx, "UPDATE paces SET sent = $2 WHERE installation = $1", installation, string(kept))
		return err
	})
	if refused != nil {
		return refused
	}
	return err
}

var errNothingKept = errors.New("nothing is kept")

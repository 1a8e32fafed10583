package store

import (
	"context"
	"crypto/rand"
	"database/sql"
)

// secretBytes is the length of a key that Secret makes.
const secretBytes = 32

// Secret is a random key that belongs to this database: made at the first call
// for its name, the same from then on, for every process.
func (s *Store) Secret(ctx context.Context, name string) (key []byte, err error) {
	fresh := make([]byte, secretBytes)
	_, _ = rand.Read(fresh) // never fails (crypto/rand)
	err = s.tx(ctx, "read the key "+name, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "INSERT INTO secrets (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING", name, fresh); err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, "SELECT value FROM secrets WHERE name = $1", name).Scan(&key)
	})
	return key, err
}

// Made writes down a commit that was made for the lease's run, before any
// branch points to it.
func (s *Store) Made(ctx context.Context, l *Lease, sha string) error {
	return s.fenced(ctx, l, "write down commit "+sha, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO commits (installation, repo, sha, run, made_at)
			SELECT installation, repo, $2, id, $3 FROM runs WHERE id = $1 ON CONFLICT DO NOTHING`, l.RunID, sha, s.now())
		return err
	})
}

// IsOurs tells whether Made was called for this commit by any run on the same
// repository as this one.
func (s *Store) IsOurs(ctx context.Context, run, sha string) (bool, error) {
	var n int
	err := s.r.QueryRowContext(ctx, `SELECT count(*) FROM commits c JOIN runs r ON c.installation = r.installation AND c.repo = r.repo
		WHERE r.id = $1 AND c.sha = $2`, run, sha).Scan(&n)
	return n > 0, s.explain("look for commit "+sha, err)
}

package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"
)

// Bounds of the results that are kept of a repository.
const (
	keptResults = 50
	mostResult  = 8 << 20 // bytes
)

// KeepResult keeps a result of a repository under a name that says all that went into
// it, in the place of an older one of that name. The oldest go, and none that is too
// large is kept.
func (s *Store) KeepResult(ctx context.Context, installation int64, repo, name string, body json.RawMessage) error {
	doc := s.doc(body)
	if len(doc) > mostResult {
		return nil
	}
	return s.tx(ctx, "keep a result of "+repo, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `INSERT INTO results (installation, repo, name, made_at, body) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (installation, repo, name) DO UPDATE SET made_at = excluded.made_at, body = excluded.body`, installation, slugKey(repo), name, s.now(), doc); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM results WHERE installation = $1 AND repo = $2 AND name NOT IN
			(SELECT name FROM results WHERE installation = $1 AND repo = $2 ORDER BY made_at DESC, name DESC LIMIT $3)`, installation, slugKey(repo), keptResults)
		return err
	})
}

// Result is one that was kept, if it is not older than age; made is the zero time where
// there is none.
func (s *Store) Result(ctx context.Context, installation int64, repo, name string, age time.Duration) (body json.RawMessage, made time.Time, err error) {
	var doc string
	var at int64
	err = s.r.QueryRowContext(ctx, "SELECT body, made_at FROM results WHERE installation = $1 AND repo = $2 AND name = $3", installation, slugKey(repo), name).Scan(&doc, &at)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, made, nil
	case err != nil:
		return nil, made, s.explain("read a result of "+repo, err)
	case at < s.now()-age.Microseconds():
		return nil, made, nil
	}
	return json.RawMessage(doc), fromMicro(at), nil
}

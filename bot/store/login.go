package store

import (
	"context"
	"database/sql"
	"time"
)

// Login is who may look at the pages and use the API, by the hash of what they keep:
// a token, or the session that was made of one.
type Login struct {
	Hash   string
	Kind   string // LoginToken or LoginSession
	Name   string
	Body   []byte // whoever made it reads it
	MadeAt time.Time
	EndsAt time.Time // zero: never
}

// Kinds of logins.
const (
	LoginToken   = "token"
	LoginSession = "session"
)

// KeepLogin stores a login, and deletes those that have ended.
func (s *Store) KeepLogin(ctx context.Context, l Login) error {
	return s.tx(ctx, "keep a login", func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "DELETE FROM logins WHERE ends_at > 0 AND ends_at <= $1", s.now()); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO logins (hash, kind, name, body, made_at, ends_at) VALUES ($1, $2, $3, $4, $5, $6)",
			l.Hash, l.Kind, clean(l.Name), string(l.Body), s.now(), micro(l.EndsAt))
		return err
	})
}

// Login returns a login that has not ended, or ErrNotFound.
func (s *Store) Login(ctx context.Context, kind, hash string) (l Login, err error) {
	var made, ends int64
	err = s.r.QueryRowContext(ctx, "SELECT hash, kind, name, body, made_at, ends_at FROM logins WHERE hash = $1 AND kind = $2 AND (ends_at = 0 OR ends_at > $3)", hash, kind, s.now()).
		Scan(&l.Hash, &l.Kind, &l.Name, &l.Body, &made, &ends)
	l.MadeAt, l.EndsAt = fromMicro(made), fromMicro(ends)
	return l, s.explain("read a login", noRows(err))
}

// DropLogins deletes the logins of a kind that have the hash or the name, and says
// how many there were.
func (s *Store) DropLogins(ctx context.Context, kind, hash, name string) (n int, err error) {
	err = s.tx(ctx, "delete a login", func(tx *sql.Tx) error {
		n, err = affected(tx.ExecContext(ctx, "DELETE FROM logins WHERE kind = $1 AND (hash = $2 OR name = $3 AND $3 <> '')", kind, hash, name))
		return err
	})
	return n, err
}

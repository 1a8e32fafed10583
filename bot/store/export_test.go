package store

import (
	"context"
	"database/sql"
)

// DB is the writing connection, for tests that look under the methods.
func (s *Store) DB() *sql.DB { return s.w }

// AcceptWithin is how long Accept may wait; tests add what a busy machine needs.
const AcceptWithin = acceptWithin

// Tables are what Copy copies.
var Tables = tables

// ClaimLock takes the lock that every claim takes.
func (s *Store) ClaimLock(ctx context.Context, tx *sql.Tx) error { return s.claimLock(ctx, tx) }

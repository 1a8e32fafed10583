package store

import "database/sql"

// DB is the writing connection, for tests that look under the methods.
func (s *Store) DB() *sql.DB { return s.w }

// AcceptWithin is how long Accept may wait; tests add what a busy machine needs.
const AcceptWithin = acceptWithin

// Tables are what Copy copies.
var Tables = tables

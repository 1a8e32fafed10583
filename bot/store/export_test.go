package store

import "database/sql"

// DB is the writing connection, for tests that look under the methods.
func (s *Store) DB() *sql.DB { return s.w }

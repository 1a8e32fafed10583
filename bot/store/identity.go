package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// ErrReplaced: the open file of a SQLite database is not the one at its path
// any more. What is written to it is lost with the process.
var ErrReplaced = errors.New("the database file was removed or replaced while it was open")

// sqliteFiles are the files of one database: without its write-ahead log, or
// with another's, a database is not what was committed.
func sqliteFiles(path string) []string { return []string{path, path + "-wal", path + "-shm"} }

// remember notes which files were opened. A connection is kept open for it:
// SQLite itself removes the log when the last one closes. The files are never
// opened here, because closing them would let SQLite's locks go (fcntl).
func (s *Store) remember(ctx context.Context) error {
	kept, err := s.r.Conn(ctx)
	if err != nil {
		return err
	}
	s.kept = kept
	var n int
	if err := kept.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master").Scan(&n); err != nil { // opens the log
		return err
	}
	for _, name := range sqliteFiles(s.path) {
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		s.files = append(s.files, info)
	}
	return nil
}

// Ready is nil while what is written is kept: ErrReplaced when the files of a
// SQLite database are not those that were opened.
func (s *Store) Ready() error {
	for i, name := range sqliteFiles(s.path) {
		if s.files == nil {
			break // Postgres, or not open yet
		}
		if now, err := os.Stat(name); err != nil || !os.SameFile(now, s.files[i]) {
			return fmt.Errorf("%w: %s; nothing is accepted any more, because it would be lost: put the file back, or restart with what is there", ErrReplaced, name)
		}
	}
	return nil
}

// announce writes into the lock of the server which file it works, for whoever
// opens the path.
func (s *Store) announce() error {
	return os.WriteFile(s.path+".serve", []byte(fmt.Sprintf("%d %s\n", os.Getpid(), identity(s.files[0]))), 0o600)
}

func identity(info os.FileInfo) string {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprintf("%d:%d", st.Dev, st.Ino)
	}
	return "?"
}

// strayed refuses to open, and so to make anew, a file that a running server
// has lost: two databases under one path are worse than none.
func strayed(ctx context.Context, path string) error {
	raw, err := os.ReadFile(path + ".serve")
	said := strings.Fields(string(raw))
	if err != nil || len(said) != 2 {
		return nil //nolint:nilerr // nobody serves it
	}
	if unlock, err := lockFile(ctx, path+".serve", false); err == nil {
		unlock()
		return nil // whoever served it is gone
	}
	if now, err := os.Stat(path); err == nil && identity(now) == said[1] {
		return nil
	}
	return fmt.Errorf("%w: the server with process id %s works a file that is not at %s any more; stop it, then look for the file in %s", ErrReplaced, said[0], path, filepath.Dir(path))
}

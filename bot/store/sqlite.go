package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"golang.org/x/sys/unix"
	_ "modernc.org/sqlite" // the driver "sqlite"
)

// busyMillis is how long a statement waits for another process's lock. It is
// below the 8 s in which a webhook must be answered.
const busyMillis = 5000

// openSQLite opens the file twice: one connection that writes, so that our own
// goroutines queue in Go and not in SQLite's lock, and a few that only read.
// Commits are on disk when they return (synchronous=FULL), and what is deleted
// is overwritten (secure_delete, SPEC X6).
func (s *Store) openSQLite(ctx context.Context) error {
	if s.path == "" || strings.Contains(s.path, ":memory:") {
		return fmt.Errorf("store: open %q: a database file is needed; give a path", s.url)
	}
	path, err := filepath.Abs(s.path)
	if err != nil {
		return fmt.Errorf("store: open %s: %w", s.path, err)
	}
	s.path = path
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("store: make the database's folder: %w; choose another place with the setting `database`", err)
	}
	unlock, err := lockFile(ctx, path+".migrate", true)
	if err != nil {
		return fmt.Errorf("store: open %s: %w", path, err)
	}
	defer unlock()
	if err := strayed(ctx, path); err != nil {
		return fmt.Errorf("store: open %s: %w", path, err)
	}
	if err := s.tighten(); err != nil {
		return fmt.Errorf("store: open %s: %w", path, err)
	}
	if s.w, err = sql.Open("sqlite", dsn(path, "synchronous(FULL)", "secure_delete(1)", "wal_autocheckpoint(4000)")); err != nil {
		return s.explain("open "+path, err)
	}
	s.w.SetMaxOpenConns(1)
	if s.r, err = sql.Open("sqlite", dsn(path, "query_only(1)")); err != nil {
		return s.explain("open "+path, err)
	}
	s.r.SetMaxOpenConns(5) // one of them is kept
	if s.jobs, err = river.NewClient(riversqlite.New(s.w), s.riverBase()); err != nil {
		return s.explain("prepare the job engine on "+path, err)
	}
	if err := s.migrate(ctx, riverMigrator(riversqlite.New(s.w), s.riverLog())); err != nil {
		return s.explain("bring "+path+" to this version's tables", err)
	}
	if err := s.remember(ctx); err != nil {
		return s.explain("look at the files of "+path, err)
	}
	return s.tighten()
}

// dsn is the driver's address of a file with the settings of a connection.
func dsn(path string, pragmas ...string) string {
	q := url.Values{"_txlock": {"immediate"}, "_pragma": append([]string{
		fmt.Sprintf("busy_timeout(%d)", busyMillis), "journal_mode(WAL)", "foreign_keys(1)",
	}, pragmas...)}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode()
}

// lockFile takes an advisory lock that the system lets go when the process
// ends. With wait it waits for it; otherwise errBusyLock tells that it is held.
func lockFile(ctx context.Context, path string, wait bool) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the lock file: %w", err)
	}
	for {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() {
				_ = unix.Flock(int(f.Fd()), unix.LOCK_UN) // a process that is being started has the file until it calls exec
				_ = f.Close()
			}, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) || !wait {
			f.Close()
			if errors.Is(err, unix.EWOULDBLOCK) {
				return nil, errBusyLock
			}
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		if err := pause(ctx, lockPoll); err != nil {
			f.Close()
			return nil, fmt.Errorf("wait for the lock %s: %w", path, err)
		}
	}
}

var errBusyLock = errors.New("the lock is held")

package memory

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sys/unix"
	"modernc.org/sqlite"
)

// Index is the memory of one project: an SQLite file. It is safe for use by many
// goroutines, and several processes may open the same file.
type Index struct {
	path string

	mu    sync.Mutex
	db    *sql.DB
	made  string // why the file was made anew; told once
	files map[int64]*file
	last  *View

	answers *lru.Cache[string, []Hit] // by state and query; see answered
}

const (
	version     = "1" // of the tables and of how text is cut into terms
	busy        = 10_000
	mostAnswers = 32 // of queries, kept for next time
)

const tables = `
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE file(
	id INTEGER PRIMARY KEY,
	path TEXT NOT NULL, blob TEXT NOT NULL,
	skipped TEXT NOT NULL, -- why it was not read, or nothing
	pieces TEXT NOT NULL,  -- one a line, as file.go writes them
	imports TEXT NOT NULL,
	used INTEGER NOT NULL, -- the day of the last update whose tree held it
	UNIQUE(path, blob));
CREATE VIRTUAL TABLE words USING fts5(name, head, body, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 0');
INSERT INTO words(words, rank) VALUES('hashsize', 16777216); -- gathered before a write: fewer parts to merge
CREATE VIRTUAL TABLE frequency USING fts5vocab(words, row);
CREATE TABLE change(id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, files TEXT NOT NULL);
CREATE VIRTUAL TABLE messages USING fts5(text, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 0');
INSERT INTO meta VALUES('version', '` + version + `');`

// Open opens the index at path, which is made with its folder where it is not
// there; "" is one in memory that ends with Close. A damaged file, or one of
// another version, is made anew, and the next Update's report says so.
func Open(ctx context.Context, path string) (*Index, error) {
	x := &Index{path: path}
	var err error
	if x.answers, err = lru.New[string, []Hit](mostAnswers); err != nil {
		return nil, err
	}
	if path != "" {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, fmt.Errorf("making the folder of the index: %w; set state_dir to a folder that can be written", err)
		}
	}
	err = x.open(ctx)
	if err != nil && damaged(err) {
		err = x.anew(ctx, "it was damaged: "+err.Error())
	}
	if err != nil {
		return nil, fmt.Errorf("opening the index %s: %w", path, err)
	}
	return x, nil
}

var errVersion = errors.New("it was written by another version")

// damaged tells whether the file cannot be used, and never will.
func damaged(err error) bool {
	var e *sqlite.Error
	if errors.Is(err, errVersion) {
		return true
	}
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code() & 0xff {
	case 11, 26: // SQLITE_CORRUPT, SQLITE_NOTADB
		return true
	case 1: // SQLITE_ERROR: a table is not there
		return strings.Contains(e.Error(), "no such table") || strings.Contains(e.Error(), "no such column")
	}
	return false
}

func (x *Index) open(ctx context.Context) error {
	source := "file::memory:"
	if x.path != "" {
		source = "file:" + (&url.URL{Path: x.path}).EscapedPath()
	}
	q := url.Values{"_txlock": {"immediate"}, "_pragma": {fmt.Sprintf("busy_timeout(%d)", busy), "journal_mode(WAL)", "synchronous(NORMAL)", "cache_size(-32000)"}}
	db, err := sql.Open("sqlite", source+"?"+q.Encode())
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(4)
	if x.path == "" {
		db.SetMaxOpenConns(1) // each connection would have a memory of its own
	}
	if err := prepare(ctx, db); err != nil {
		return errors.Join(err, db.Close())
	}
	x.db, x.files, x.last = db, map[int64]*file{}, nil
	return nil
}

// prepare makes the tables where they are not there.
func prepare(ctx context.Context, db *sql.DB) error {
	return transact(ctx, db, func(tx *sql.Tx) error {
		var n int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_master`).Scan(&n); err != nil {
			return err
		}
		if n == 0 {
			_, err := tx.ExecContext(ctx, tables)
			return err
		}
		var v string
		if err := tx.QueryRowContext(ctx, `SELECT value FROM meta WHERE key = 'version'`).Scan(&v); err != nil {
			return errors.Join(errVersion, err)
		}
		if v != version {
			return errVersion
		}
		return nil
	})
}

// transact does something in one transaction.
func transact(ctx context.Context, db *sql.DB, do func(tx *sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		_ = tx.Rollback() // the error that led here says more
		return err
	}
	return tx.Commit()
}

// anew removes the file and makes an empty one. Whoever has the old one open goes
// on with it until the end.
func (x *Index) anew(ctx context.Context, why string) error {
	if x.db != nil {
		_ = x.db.Close() // of a damaged file nothing is kept
	}
	if x.path != "" {
		unlock, err := lock(x.path + ".lock")
		if err != nil {
			return err
		}
		defer unlock()
		for _, end := range []string{"", "-wal", "-shm"} {
			if err := os.Remove(x.path + end); err != nil && !errors.Is(err, os.ErrNotExist) {
				return fmt.Errorf("removing the old index: %w; remove %s by hand", err, x.path)
			}
		}
	}
	x.made = why
	x.answers.Purge()
	return x.open(ctx)
}

// lock waits until no other process makes the file anew.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the lock of the index: %w", err)
	}
	for {
		if err = unix.Flock(int(f.Fd()), unix.LOCK_EX); !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("locking %s: %w", path, err), f.Close())
	}
	return func() { _ = f.Close() }, nil
}

// each gives the rows of a question with one argument: a number and a score.
func (x *Index) each(ctx context.Context, question, about string, take func(id int64, score float64)) error {
	return x.rows(ctx, func(scan func(...any) error) error {
		var id int64
		var score float64
		err := scan(&id, &score)
		if err == nil {
			take(id, score)
		}
		return err
	}, question, about)
}

// rows reads the rows of a question, each by one call of take.
func (x *Index) rows(ctx context.Context, take func(scan func(...any) error) error, question string, about ...any) error {
	rows, err := x.db.QueryContext(ctx, question, about...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := take(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Close ends the index.
func (x *Index) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.db.Close()
}

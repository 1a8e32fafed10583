package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/riverqueue/river"
	"github.com/sirupsen/logrus"

	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/task"
)

// Errors that callers tell apart with errors.Is.
var (
	// ErrFenced: the lease is no longer the run's newest. Stop at once, write
	// nothing, call nothing outside; somebody else has the run or it is done.
	ErrFenced = errors.New("the lease on this run is stale: another worker holds the run or it has ended; stop working on it")
	// ErrNotFound: no such row.
	ErrNotFound = errors.New("not found")
	// ErrHeld: the run is being worked on by a live holder.
	ErrHeld = errors.New("the run is being worked on by another process")
	// ErrDone: the run has ended; terminal states absorb.
	ErrDone = errors.New("the run has already ended")
	// ErrBudget: the worst case of the call does not fit into the run's budget.
	ErrBudget = errors.New("the worst case of this call does not fit into what is left of the run's budget")
	// ErrBought: the call was in flight at two crashes and is not sent again.
	ErrBought = errors.New("this call was already sent twice and its reply lost both times; it is not paid for again")
	// ErrClosed: the store was closed.
	ErrClosed = errors.New("the store is closed")
	// ErrServed: another process works the jobs of this SQLite file.
	ErrServed = errors.New("another process already works the jobs of this database file; stop it first or use Postgres for several servers")
)

// DefaultStale is how old a heartbeat may be before its run is taken away.
const DefaultStale = 60 * time.Second

// Config is what a Store is made with. Zero values are fine.
type Config struct {
	Now        func() time.Time            // the clock of every row; default time.Now
	Log        logrus.FieldLogger          // default: discards
	WorkerName string                      // who holds leases, for people; default host:pid
	Stale      time.Duration               // age of a heartbeat at which Work's sweeper re-queues; default DefaultStale
	Backoff    func(try int) time.Duration // wait after the n-th failed try of a delivery (1-based); default 1 s doubling to 5 min
	MaxTries   int                         // of a delivery before it is marked failed; default 12
	Funnel     *redact.Funnel              // everything stored passes it; nil knows the shapes of tokens only
	Caps       task.Caps                   // what several runs may spend together; zero: no caps
}

func (c Config) filled() Config {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = silent()
	}
	if c.WorkerName == "" {
		host, _ := os.Hostname()
		c.WorkerName = fmt.Sprintf("%s:%d", host, os.Getpid())
	}
	if c.Stale <= 0 {
		c.Stale = DefaultStale
	}
	if c.Backoff == nil {
		c.Backoff = func(try int) time.Duration { return min(time.Second<<min(max(try-1, 0), 16), 5*time.Minute) }
	}
	if c.MaxTries <= 0 {
		c.MaxTries = 12
	}
	return c
}

// Store is an open database. It is safe for concurrent use; several processes
// may open the same database.
type Store struct {
	cfg      Config
	url      string
	postgres bool
	path     string                 // of the SQLite file
	w        *sql.DB                // writes; one connection on SQLite
	r        *sql.DB                // reads; the same as w on Postgres
	jobs     *river.Client[*sql.Tx] // enqueues only
	accepts  chan *accept
	closing  chan struct{}
	closed   sync.Once
	batcher  sync.WaitGroup
	wake     chan struct{} // tells an idle worker of Work to look for a run
	arrived  chan struct{} // tells Work to look for deliveries
	once     keyedMutex
	teaching keyedMutex
	failing  repeated
	mu       sync.Mutex
	working  bool
	claims   []*claim      // calls of Claim that wait
	claiming bool          // somebody answers them
	unserve  func()        // lets the lock of Serve go
	kept     *sql.Conn     // keeps SQLite's log open
	files    []os.FileInfo // of the database, as they were opened
}

// Open opens, and migrates where needed, the database at url: "sqlite:PATH" or
// a plain PATH for a SQLite file (made with its folder where missing), or
// "postgres://…". It starts no workers of jobs: only Work does.
func Open(ctx context.Context, url string, cfg Config) (*Store, error) {
	s := &Store{
		cfg: cfg.filled(), url: url,
		accepts: make(chan *accept), closing: make(chan struct{}), wake: make(chan struct{}, 1), arrived: make(chan struct{}, 1),
	}
	var err error
	if Shared(url) {
		s.postgres = true
		err = s.openPostgres(ctx)
	} else {
		s.path = strings.TrimPrefix(url, "sqlite:")
		err = s.openSQLite(ctx)
	}
	if err != nil {
		_ = s.closeDB()
		return nil, err
	}
	s.batcher.Add(1)
	go s.acceptLoop()
	return s, nil
}

// Shared tells whether several processes may work the jobs of the database at url.
func Shared(url string) bool {
	return strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://")
}

// Close ends the store. Calls that are under way fail; Work must have returned.
func (s *Store) Close() error {
	var err error
	s.closed.Do(func() {
		close(s.closing)
		s.batcher.Wait()
		err = s.closeDB()
	})
	return err
}

func (s *Store) closeDB() error {
	var errs []error
	s.endServe()
	if s.kept != nil {
		errs = append(errs, s.kept.Close())
	}
	if s.r != nil && s.r != s.w {
		errs = append(errs, s.r.Close())
	}
	if s.w != nil {
		errs = append(errs, s.w.Close())
	}
	return errors.Join(errs...)
}

// now is the clock as rows hold it.
// Now is the time by the store's clock.
func (s *Store) Now() time.Time { return s.cfg.Now() }

func (s *Store) now() int64 { return micro(s.cfg.Now()) }

func micro(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UTC().UnixMicro()
}

func fromMicro(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}

// tx runs f in one transaction; what names it for errors. f may run again
// after a deadlock or on a locked file, so it must set its results, not add to them.
func (s *Store) tx(ctx context.Context, what string, f func(*sql.Tx) error) error {
	var err error
	begin := time.Now()
	for try := 1; ; try++ {
		err = s.txOnce(ctx, f)
		if victim(err) && try < 5 || busy(err) && time.Since(begin) < busyWithin && ctx.Err() == nil {
			continue
		}
		return s.explain(what, err)
	}
}

// busyWithin is how long a write other than Accept outwaits a locked SQLite
// file; each try waits by itself (busyMillis). It is below DefaultStale.
const busyWithin = 40 * time.Second

// busy: another process holds the lock of the SQLite file.
func busy(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "SQLITE_BUSY") || strings.Contains(err.Error(), "database is locked"))
}

func (s *Store) txOnce(ctx context.Context, f func(*sql.Tx) error) error {
	if err := s.Ready(); err != nil {
		return err
	}
	tx, err := s.w.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	if err := f(tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	return s.Ready() // what was committed to a file that is gone is not stored
}

// victim: Postgres rolled this transaction back because of a deadlock, of a serialisation
// conflict, or because it stood still too long (idleInTransaction); the same again will go
// through.
func victim(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == "40P01" || pg.Code == "40001" || pg.Code == "25P03")
}

// explain adds what was tried, and what to do where the cause is known.
func (s *Store) explain(what string, err error) error {
	if err == nil {
		return nil
	}
	for _, ours := range []error{ErrFenced, ErrNotFound, ErrHeld, ErrDone, ErrBudget, ErrBought, ErrClosed, ErrNotWaiting, ErrReplaced} {
		if errors.Is(err, ours) {
			return fmt.Errorf("store: %s: %w", what, err)
		}
	}
	hint := ""
	switch text := err.Error(); {
	case busy(err):
		hint = "; the database file is locked by another process: try again, or find who holds " + s.path
	case strings.Contains(text, "SQLITE_FULL") || strings.Contains(text, "disk is full") || strings.Contains(text, "No space left"):
		hint = "; the disk is full: make room, nothing was lost"
	}
	return fmt.Errorf("store: %s: %w%s", what, err, hint)
}

// lockRow is added to a SELECT whose row must not change until the end of the
// transaction. SQLite's transactions hold the write lock from their start.
func (s *Store) lockRow() string {
	if s.postgres {
		return " FOR UPDATE"
	}
	return ""
}

// words is what people are told, as it may be stored: errors hold what others
// said, and some repeat the token that they were asked with.
func (s *Store) words(text string) string { return s.cfg.Funnel.Secrets(clean(text)) }

// log is a JSON document that nothing but people read, as it may be stored.
func (s *Store) log(doc []byte) string { return string(s.cfg.Funnel.JSON([]byte(clean(string(doc))))) }

// doc is a JSON document that code reads again, as it may be stored: source in
// it has to come back as it was (redact.Funnel.Stored).
func (s *Store) doc(doc []byte) string {
	return string(s.cfg.Funnel.Stored([]byte(clean(string(doc)))))
}

// clean makes text storable in both databases: valid UTF-8 without NUL.
func clean(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}

package store_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/store/storetest"
	"github.com/fettle-dev/fettle/bot/task"
)

func open(t testing.TB, url string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), url, store.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func issue(id string, n int) store.NewRun {
	return store.NewRun{ID: id, Task: task.Task{Origin: task.OriginLabel, Issue: n, Repo: task.Repo{Installation: 1, Owner: "acme", Name: "shop"}}}
}

// TestF11SQLiteLocked: while another process holds the file's lock, Accept is
// an error in the time that the webhook door has, and works again after.
func TestF11SQLiteLocked(t *testing.T) {
	t.Parallel()
	url := storetest.SQLite(t)
	s, holder := open(t, url), open(t, url)
	lock, err := holder.DB().BeginTx(t.Context(), nil) // immediate: takes the write lock
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	begin := time.Now()
	if _, err := s.Accept(short, store.Delivery{ID: "in-a-hurry"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("accepted while locked: %v", err)
	}
	if d := time.Since(begin); d > 4*time.Second { // its own patience is longer
		t.Errorf("the caller's deadline was passed by %v", d)
	}
	begin = time.Now()
	if _, err := s.Accept(t.Context(), store.Delivery{ID: "d"}); err == nil {
		t.Error("accepted while locked")
	}
	if d := time.Since(begin); store.AcceptWithin >= 8*time.Second || d > store.AcceptWithin+20*time.Second {
		t.Errorf("Accept took %v and may take %v, the door has 8 s", d, store.AcceptWithin)
	}
	if err := lock.Rollback(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Accept(t.Context(), store.Delivery{ID: "d"}); err != nil {
		t.Errorf("after the lock was gone: %v", err)
	}
	if err := s.Integrity(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestF10DiskFull: a full database is an error, never a yes, and everything
// goes on when there is room again. Small deliveries that still fit are stored
// although a big one in the same batch is not.
func TestF10DiskFull(t *testing.T) {
	t.Parallel()
	s, ctx := open(t, storetest.SQLite(t)), t.Context()
	var pages int
	if err := s.DB().QueryRowContext(ctx, "PRAGMA page_count").Scan(&pages); err != nil {
		t.Fatal(err)
	}
	limit := func(n int) {
		if _, err := s.DB().ExecContext(ctx, fmt.Sprintf("PRAGMA max_page_count = %d", n)); err != nil {
			t.Fatal(err)
		}
	}
	limit(pages + 20)
	type answer struct {
		id    string
		fresh bool
		err   error
	}
	answers := make(chan answer)
	for i := range 12 {
		go func() {
			d := store.Delivery{ID: fmt.Sprintf("small-%d", i), Payload: []byte("{}")}
			if i%4 == 0 {
				d = store.Delivery{ID: fmt.Sprintf("big-%d", i), Payload: bytes.Repeat([]byte("x"), 1<<20)}
			}
			fresh, err := s.Accept(ctx, d)
			answers <- answer{d.ID, fresh, err}
		}()
	}
	for range 12 {
		a := <-answers
		if big := strings.HasPrefix(a.id, "big"); big == (a.err == nil) || a.fresh == big {
			t.Errorf("%+v", a)
		}
		if a.err != nil && !strings.Contains(a.err.Error(), "make room") {
			t.Errorf("the error does not say what to do: %v", a.err)
		}
	}
	limit(1 << 30)
	if fresh, err := s.Accept(ctx, store.Delivery{ID: "big-0", Payload: bytes.Repeat([]byte("x"), 1<<20)}); err != nil || !fresh {
		t.Errorf("with room again: %v %v", fresh, err)
	}
	ids, err := s.Deliveries(ctx, time.Time{})
	if err != nil || len(ids) != 10 {
		t.Errorf("%d stored: %v %v", len(ids), ids, err)
	}
	if err := s.Integrity(ctx); err != nil {
		t.Error(err)
	}
}

// TestO2OneServerPerFile: a second server on the same file is refused, other
// commands are not; when the server is gone, what it was at is free at once.
func TestO2OneServerPerFile(t *testing.T) {
	t.Parallel()
	url := storetest.SQLite(t)
	server, cli := open(t, url), open(t, url)
	ctx, stop := context.WithCancel(t.Context())
	claimed, ended := make(chan *store.Lease), make(chan error)
	handlers := store.Handlers{
		Delivery: func(context.Context, string) error { return nil },
		Run: func(ctx context.Context) (bool, error) {
			l, _, err := server.Claim(ctx)
			if l != nil {
				claimed <- l
				<-ctx.Done() // dies with the run in hand
			}
			return l != nil, err
		},
	}
	go func() { ended <- server.Work(ctx, handlers, 1) }()
	if _, _, err := cli.CreateRun(ctx, issue("r1", 1)); err != nil {
		t.Fatal(err)
	}
	lease := <-claimed
	if err := cli.Work(ctx, handlers, 1); !errors.Is(err, store.ErrServed) {
		t.Errorf("a second server: %v", err)
	}
	local := issue("mine", 0)
	local.Task.Origin = task.OriginCLI
	if _, _, err := cli.CreateRun(ctx, local); err != nil {
		t.Fatal(err)
	}
	mine, _, err := cli.ClaimRun(ctx, "mine")
	if err != nil {
		t.Fatal(err)
	}
	if err := cli.AskCancel(ctx, "r1", "from the command line"); err != nil {
		t.Fatal(err)
	}
	if reason, err := server.Heartbeat(t.Context(), lease); err != nil || reason != "from the command line" {
		t.Errorf("the server heard %q %v", reason, err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	next := open(t, url)
	ctx, stop = context.WithCancel(t.Context())
	defer stop()
	taken := make(chan *store.Lease)
	go func() {
		ended <- next.Work(ctx, store.Handlers{Delivery: handlers.Delivery, Run: func(ctx context.Context) (bool, error) {
			l, _, err := next.Claim(ctx)
			if l != nil {
				taken <- l
				<-ctx.Done()
			}
			return l != nil, err
		}}, 1)
	}()
	if l := <-taken; l.RunID != "r1" || l.Token <= lease.Token || l.Crashes != 1 {
		t.Errorf("the next server got %+v after %+v", l, lease)
	}
	if err := cli.Check(t.Context(), mine); err != nil {
		t.Errorf("the command line's own run was taken away: %v", err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestL7OneLiveRunIsTheDatabasesRule: the index refuses a second live run even
// where code forgot to look.
func TestL7OneLiveRunIsTheDatabasesRule(t *testing.T) {
	t.Parallel()
	oneLiveRun(t, open(t, storetest.SQLite(t)))
}

func oneLiveRun(t *testing.T, s *store.Store) {
	insert := func(id string, issue, generation int, state string) error {
		_, err := s.DB().ExecContext(t.Context(), `INSERT INTO runs (id, installation, repo, issue, generation, position, task, budget, budget_usd, state, created_at)
			VALUES ($1, 1, 'a/b', $2, $3, 1, '{}', '{}', 0, $4, 1)`, id, issue, generation, state)
		return err
	}
	for _, c := range []struct {
		id                string
		issue, generation int
		state             string
		ok                bool
	}{
		{"a", 1, 1, "done", true}, {"b", 1, 2, "running", true}, {"c", 1, 3, "queued", false}, {"d", 1, 3, "parked", false},
		{"e", 1, 2, "done", false}, {"f", 2, 1, "queued", true}, {"g", 0, 1, "queued", true}, {"h", 0, 1, "queued", true}, {"i", 3, 1, "asleep", false},
	} {
		if err := insert(c.id, c.issue, c.generation, c.state); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestOpenRefusesWhatItCannotUse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	notADatabase := filepath.Join(dir, "not-a-database")
	if err := os.WriteFile(notADatabase, bytes.Repeat([]byte("this is text. "), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{"", "sqlite:", ":memory:", notADatabase, notADatabase + "/below.db", "postgres://%zz"} {
		if s, err := store.Open(t.Context(), url, store.Config{}); err == nil {
			s.Close()
			t.Errorf("%q was opened", url)
		}
	}
	odd := filepath.Join(dir, "a b", "50%?x=y&#1.db")
	s := open(t, "sqlite:"+odd)
	if _, err := s.Accept(t.Context(), store.Delivery{ID: "d"}); err != nil {
		t.Error(err)
	}
	info, err := os.Stat(odd)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is not at its place or readable by others: %v %v", info, err)
	}
}

// TestI1CommitsAreDurable: the settings that durability stands on.
func TestI1CommitsAreDurable(t *testing.T) {
	t.Parallel()
	s := open(t, storetest.SQLite(t))
	for pragma, want := range map[string]string{"synchronous": "2", "journal_mode": "wal", "foreign_keys": "1", "busy_timeout": "5000"} {
		var got sql.NullString
		if err := s.DB().QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got.String != want {
			t.Errorf("%s is %q, want %q (%v)", pragma, got.String, want, err)
		}
	}
}

func TestI7IntegritySeesWhatIsWrong(t *testing.T) {
	t.Parallel()
	for what, damage := range map[string]string{
		"without an outcome":     "UPDATE runs SET state = 'done'",
		"goes on":                "UPDATE runs SET outcome = 'success'",
		"without a lease":        "UPDATE runs SET state = 'running'",
		"not the sum":            "UPDATE runs SET state = 'done', outcome = 'error', ended_at = 1, cost = 5",
		"not settled":            "UPDATE reservations SET reply = '1'",
		"ended without a time":   "UPDATE deliveries SET state = 'done'",
		"that is not listed":     "DELETE FROM repos",
		"PRAGMA foreign_key_che": "PRAGMA foreign_keys = 0; DELETE FROM runs",
	} {
		s, ctx := open(t, storetest.SQLite(t)), t.Context()
		if _, err := s.Accept(ctx, store.Delivery{ID: "d"}); err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.CreateRun(ctx, issue("r1", 1)); err != nil {
			t.Fatal(err)
		}
		l, _, err := s.Claim(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Reserve(ctx, l, task.Reservation{ID: "c", Worst: 3}); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(s.Release(ctx, l), s.Integrity(ctx)); err != nil {
			t.Fatal(err)
		}
		if _, err := s.DB().ExecContext(ctx, damage); err != nil {
			t.Fatal(err)
		}
		if err := s.Integrity(ctx); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("after %q: %v", damage, err)
		}
	}
}

// TestF02RepeatsInOneBatch: the same delivery from many callers who share one
// transaction is fresh for one of them and handled once.
func TestF02RepeatsInOneBatch(t *testing.T) {
	t.Parallel()
	url := storetest.SQLite(t)
	s, holder := open(t, url), open(t, url)
	lock, err := holder.DB().BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	const callers = 50
	fresh := make(chan bool, callers)
	for i := range callers {
		go func() {
			id := "same"
			if i == 0 {
				id = "first" // waits for the lock alone; all others share the next batch
			}
			f, err := s.Accept(t.Context(), store.Delivery{ID: id})
			if err != nil {
				t.Error(err)
			}
			fresh <- f && id == "same"
		}()
		if i == 0 {
			time.Sleep(50 * time.Millisecond) // the promise holds also where this was too short
		}
	}
	time.Sleep(50 * time.Millisecond) // lets them pile up; the promise holds however many do
	if err := lock.Rollback(); err != nil {
		t.Fatal(err)
	}
	n := 0
	for range callers {
		if <-fresh {
			n++
		}
	}
	var rows int
	if err := s.DB().QueryRowContext(t.Context(), "SELECT count(*) FROM deliveries WHERE state = 'queued'").Scan(&rows); err != nil {
		t.Fatal(err)
	}
	if n != 1 || rows != 2 {
		t.Errorf("fresh %d times, %d rows for 2 deliveries", n, rows)
	}
}

package store_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/store/storetest"
)

// TestI1NothingIsAcceptedIntoAFileThatIsGone: after one of the database's files
// was unlinked or replaced under a running server, no delivery is said to be
// stored, the server says so, and nobody makes a new database in its place.
func TestI1NothingIsAcceptedIntoAFileThatIsGone(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(path string) error{
		"unlinked":       os.Remove,
		"moved":          func(p string) error { return os.Rename(p, p+".old") },
		"log unlinked":   func(p string) error { return os.Remove(p + "-wal") },
		"index unlinked": func(p string) error { return os.Remove(p + "-shm") },
		"all unlinked":   func(p string) error { return errors.Join(os.Remove(p), os.Remove(p+"-wal"), os.Remove(p+"-shm")) },
		"another put there": func(p string) error {
			other := filepath.Join(filepath.Dir(p), "other.db")
			db, err := store.Open(context.Background(), other, store.Config{})
			if err != nil {
				return err
			}
			return errors.Join(db.Close(), os.Rename(other, p))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := storetest.SQLite(t)
			s, ctx := open(t, url), t.Context()
			if err := errors.Join(s.Serve(ctx), s.Ready()); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Accept(ctx, store.Delivery{ID: "before"}); err != nil {
				t.Fatal(err)
			}
			path := strings.TrimPrefix(url, "sqlite:")
			if err := damage(path); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Accept(ctx, store.Delivery{ID: "after"}); !errors.Is(err, store.ErrReplaced) || !strings.Contains(err.Error(), "put the file back") {
				t.Errorf("accepted: %v", err)
			}
			if err := s.Ready(); !errors.Is(err, store.ErrReplaced) {
				t.Errorf("the server thinks that it is ready: %v", err)
			}
			if strings.HasSuffix(name, "log unlinked") || strings.HasSuffix(name, "index unlinked") {
				return // whoever opens the path finds the database itself
			}
			if other, err := store.Open(ctx, url, store.Config{}); !errors.Is(err, store.ErrReplaced) {
				if err == nil {
					other.Close()
				}
				t.Errorf("another command opened a second database: %v", err)
			}
		})
	}
}

// TestI1ConnectionsThatCloseDoNotLookLikeALostFile: SQLite removes its log with
// the last connection, which must not be taken for an accident.
func TestI1ConnectionsThatCloseDoNotLookLikeALostFile(t *testing.T) {
	t.Parallel()
	url := storetest.SQLite(t)
	s, other := open(t, url), open(t, url)
	s.DB().SetMaxIdleConns(0) // each write has a connection of its own
	for range 3 {
		if _, err := s.Accept(t.Context(), store.Delivery{ID: time.Now().String()}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(other.Close(), s.Ready()); err != nil {
		t.Error(err)
	}
}

// TestO2ASecondServerIsRefusedBeforeItWorks: Serve is what a server does before
// it listens.
func TestO2ASecondServerIsRefusedBeforeItWorks(t *testing.T) {
	t.Parallel()
	url := storetest.SQLite(t)
	first, second := open(t, url), open(t, url)
	if err := errors.Join(first.Serve(t.Context()), first.Serve(t.Context())); err != nil {
		t.Fatal(err)
	}
	if err := second.Serve(t.Context()); !errors.Is(err, store.ErrServed) {
		t.Errorf("a second server: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := second.Serve(t.Context()); err != nil {
		t.Errorf("after the first was gone: %v", err)
	}
}

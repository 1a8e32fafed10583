package storetest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// newerSchema is what a fettle of the future calls its tables.
const newerSchema = 9_000

// Grown makes a database that a newer fettle made which only added to it: each table of
// ours has a column that this one knows nothing of.
func Grown(t testing.TB, url string) string {
	t.Helper()
	s, err := store.Open(t.Context(), url, store.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	grow(t, url)
	return url
}

func grow(t testing.TB, url string) {
	t.Helper()
	db, tables := open(t, url)
	column := fmt.Sprintf("of_the_future_%d", time.Now().UnixNano()) // it may grow twice
	for _, table := range tables {
		if strings.HasPrefix(table, "river") || strings.HasPrefix(table, "goose") || strings.HasPrefix(table, "sqlite") {
			continue
		}
		if _, err := db.ExecContext(t.Context(), `ALTER TABLE "`+table+`" ADD COLUMN `+column+` TEXT NOT NULL DEFAULT 'kept'`); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.ExecContext(t.Context(), "INSERT INTO goose_db_version (version_id, is_applied) VALUES ($1, true)", newerSchema); err != nil {
		t.Fatal(err)
	}
}

// testNewerSchema: while processes are replaced one by one, the old ones work on tables
// that the new ones have added to; where those cannot be worked on, the old one says so
// and changes nothing.
func testNewerSchema(t *testing.T, h *harness) {
	s := h.open()
	h.create(s, ask("r1", "shop", 1))
	grow(t, h.url) // under a process that goes on
	l, _ := h.claim(s)
	h.finish(s, l, task.Success)
	other := h.open()
	h.create(other, ask("r2", "shop", 2))
	l, _ = h.claim(other)
	h.finish(s, l, task.Success)
	_, err := other.Copy(t.Context(), h.sibling(SQLite(t)).open()) // would leave out what it does not know
	h.is(err, store.ErrOtherTables)

	db, _ := open(t, h.url)
	if _, err := db.ExecContext(t.Context(), "UPDATE oldest SET schema = $1", newerSchema); err != nil {
		t.Fatal(err)
	}
	before := Dump(t, h.url)
	if _, err := store.Open(t.Context(), h.url, store.Config{}); err == nil || !strings.Contains(err.Error(), "use the newer fettle") {
		t.Errorf("an old fettle on tables that it cannot work on: %v", err)
	}
	if after := Dump(t, h.url); len(after["runs.id"]) != len(before["runs.id"]) || len(after["oldest.schema"]) != 1 {
		t.Error("it changed something")
	}
}

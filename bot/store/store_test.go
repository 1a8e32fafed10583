package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/store/storetest"
	"github.com/fettle-dev/fettle/bot/task"
)

func TestSQLite(t *testing.T) {
	t.Parallel()
	storetest.Run(t, storetest.SQLite)
}

// TestOnlyListedTransitions: the table is the picture beside task.State, and
// the terminal state absorbs.
func TestOnlyListedTransitions(t *testing.T) {
	t.Parallel()
	states := []task.State{task.StateQueued, task.StateRunning, task.StateParked, task.StateDone}
	want := map[string]bool{
		"queued>running": true, "queued>done": true, "running>queued": true,
		"running>parked": true, "running>done": true, "parked>queued": true,
	}
	for _, a := range states {
		for _, b := range states {
			if step := string(a + ">" + b); store.MayBecome(a, b) != want[step] {
				t.Errorf("%s: %v", step, store.MayBecome(a, b))
			}
		}
	}
}

// TestO2AnOlderFettleKeepsItsPromisesOnAGrownSchema is the whole suite on tables that a
// newer fettle has added to.
func TestO2AnOlderFettleKeepsItsPromisesOnAGrownSchema(t *testing.T) {
	if testing.Short() {
		t.Skip("not run: it is in the long form; O2ANewerSchemaIsWorkedOnOrRefused stands for it in the quick one")
	}
	t.Parallel()
	storetest.Run(t, func(t testing.TB) string { return storetest.Grown(t, storetest.SQLite(t)) },
		"S11RunsOfAnOlderDatabaseHaveTitles", // by a migration that grown tables have behind them
		"O2EverythingIsCopiedAndCompared")    // O2ANewerSchemaIsWorkedOnOrRefused: what is newer is not copied
}

// TestO2MigrationsAddOrSayThatTheyDoNot: a migration that takes away or changes what an
// older fettle uses raises the oldest schema that can work on the tables.
func TestO2MigrationsAddOrSayThatTheyDoNot(t *testing.T) {
	t.Parallel()
	adds := regexp.MustCompile(`(?is)^((CREATE|DROP) (UNIQUE )?INDEX|CREATE TABLE|INSERT INTO oldest|ALTER TABLE \w+ ADD COLUMN \w+ \w+ NOT NULL DEFAULT|ALTER TABLE \w+ ADD COLUMN \w+ \w+;?$)`)
	const first = 9 // before it there was no release
	files, err := filepath.Glob("migrations/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		var n int
		if _, err := fmt.Sscanf(filepath.Base(file), "%d_", &n); err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		up, _, _ := strings.Cut(string(raw), "-- +goose Down")
		up = regexp.MustCompile(`(?m)--.*$`).ReplaceAllString(up, "")
		if n < first || strings.Contains(up, fmt.Sprintf("UPDATE oldest SET schema = %d", n)) {
			continue
		}
		for _, statement := range strings.Split(up, ";") {
			if s := strings.TrimSpace(statement); s != "" && !adds.MatchString(s) {
				t.Errorf("%s: this is more than an addition, and nothing says so (UPDATE oldest SET schema = %d): %s", file, n, s)
			}
		}
	}
}

// TestO2EveryTableIsCopied: a table that a migration adds is copied, or named here with
// the reason why not.
func TestO2EveryTableIsCopied(t *testing.T) {
	t.Parallel()
	without := map[string]bool{"oldest": true} // says what made the tables: each database has its own
	url := storetest.SQLite(t)
	open(t, url)
	for _, table := range storetest.Tables(t, url) {
		if !slices.Contains(store.Tables, table) && !without[table] && !regexp.MustCompile("^(river|goose|sqlite)").MatchString(table) {
			t.Errorf("the table %s is not copied", table)
		}
	}
}

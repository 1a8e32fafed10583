package storetest

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// Dump is every value of every table, River's too, under "table.column".
func Dump(t testing.TB, url string) map[string][]string {
	t.Helper()
	db, tables := open(t, url)
	out := map[string][]string{}
	for _, table := range tables {
		rows, err := db.QueryContext(t.Context(), `SELECT * FROM "`+table+`"`)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close() //nolint:revive // a few tables
		cols, err := rows.Columns()
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			values, into := make([]any, len(cols)), make([]any, len(cols))
			for i := range values {
				into[i] = &values[i]
			}
			if err := rows.Scan(into...); err != nil {
				t.Fatal(err)
			}
			for i, v := range values {
				if raw, ok := v.([]byte); ok {
					v = string(raw)
				}
				out[table+"."+cols[i]] = append(out[table+"."+cols[i]], fmt.Sprint(v))
			}
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// open opens a database beside the store and lists its tables.
func open(t testing.TB, url string) (*sql.DB, []string) {
	t.Helper()
	driver, names := "sqlite", "SELECT name FROM sqlite_master WHERE type = 'table'"
	if strings.HasPrefix(url, "postgres") {
		driver, names = "pgx", "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'"
	}
	db, err := sql.Open(driver, strings.TrimPrefix(url, "sqlite:"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	rows, err := db.QueryContext(t.Context(), names)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var tables []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		tables = append(tables, name)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return db, tables
}

// Tables lists the tables of the database at url.
func Tables(t testing.TB, url string) []string {
	t.Helper()
	_, tables := open(t, url)
	return tables
}

package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// tables are all of ours that hold data, those that others refer to first. What the
// job engine has is not data: the rows say what is to be done.
var tables = []string{
	"secrets", "logins", "deliveries", "repos", "runs", "run_asks", "messages", "decisions", "reservations", "actions", "commits",
	"effects", "answers", "observations", "pulls", "commands", "removals", "spent", "turns", "lessons", "lesson_versions",
	"heal_scopes", "heal_results", "heal_moves", "paces", "results",
}

// Copied is a table that was copied and read again at its new place.
type Copied struct {
	Table string `json:"table"`
	Rows  int    `json:"rows"`
	Hash  string `json:"hash"` // over all rows, whatever their order
}

// ErrNotEmpty: the database to copy to holds something.
var ErrNotEmpty = errors.New("the database to copy to holds data already; give an empty one")

// ErrOtherTables: the two databases were made by different versions.
var ErrOtherTables = errors.New("the tables have other columns at the other place; copy with the version of fettle that made the newer ones")

// Copy copies everything to an empty database, in one transaction there, from one
// moment here; then both are read again and compared (SPEC O2). A SQLite file must have
// no server (Serve); of Postgres, whoever writes meanwhile writes to the old place only.
func (s *Store) Copy(ctx context.Context, to *Store) ([]Copied, error) {
	from, err := s.w.BeginTx(ctx, &sql.TxOptions{ReadOnly: s.postgres, Isolation: s.snapshot()})
	if err != nil {
		return nil, s.explain("read everything at one moment", err)
	}
	defer func() { _ = from.Rollback() }()
	if err := s.mayStandStill(ctx, from); err != nil {
		return nil, s.explain("read everything at one moment", err)
	}
	for _, table := range tables {
		if err := sameColumns(ctx, from, to.r, table); err != nil {
			return nil, to.explain("compare the table "+table, err)
		}
		var n int
		if err := to.r.QueryRowContext(ctx, "SELECT count(*) FROM "+table).Scan(&n); err != nil {
			return nil, to.explain("look at the table "+table, err)
		}
		if n > 0 {
			return nil, fmt.Errorf("store: copy: %w (%s has %d rows)", ErrNotEmpty, table, n)
		}
	}
	var all []Copied
	err = to.txOnce(ctx, func(tx *sql.Tx) error {
		if err := to.mayStandStill(ctx, tx); err != nil {
			return err
		}
		for _, table := range tables {
			c, err := copyTable(ctx, from, tx, table)
			if err != nil {
				return fmt.Errorf("the table %s: %w", table, err)
			}
			there, err := sum(ctx, tx, table, nil)
			if err != nil {
				return fmt.Errorf("reading the table %s again: %w", table, err)
			}
			if c != there {
				return fmt.Errorf("the table %s is another at its new place: %d rows, %.12s… were copied, %d rows, %.12s… are there", table, c.Rows, c.Hash, there.Rows, there.Hash)
			}
			all = append(all, c)
		}
		return nil
	})
	return all, to.explain("copy everything", err)
}

func (s *Store) snapshot() sql.IsolationLevel {
	if s.postgres {
		return sql.LevelRepeatableRead
	}
	return sql.LevelDefault // a transaction of SQLite sees one moment
}

func copyTable(ctx context.Context, from, to *sql.Tx, table string) (Copied, error) {
	var insert *sql.Stmt
	defer func() {
		if insert != nil {
			_ = insert.Close()
		}
	}()
	return sum(ctx, from, table, func(columns []string, values []any) (err error) {
		if insert == nil {
			marks := make([]string, len(columns))
			for i := range marks {
				marks[i] = fmt.Sprintf("$%d", i+1)
			}
			if insert, err = to.PrepareContext(ctx, "INSERT INTO "+table+" ("+strings.Join(columns, ", ")+") VALUES ("+strings.Join(marks, ", ")+")"); err != nil { //nolint:sqlclosecheck // the deferred function closes it
				return err
			}
		}
		_, err = insert.ExecContext(ctx, values...)
		return err
	})
}

// sum counts and hashes the rows of a table, and hands each to do.
func sum(ctx context.Context, tx *sql.Tx, table string, do func(columns []string, values []any) error) (Copied, error) {
	c := Copied{Table: table}
	columns, err := columnsOf(ctx, tx, table)
	if err != nil {
		return c, err
	}
	rows, err := tx.QueryContext(ctx, "SELECT "+strings.Join(columns, ", ")+" FROM "+table)
	if err != nil {
		return c, err
	}
	defer rows.Close()
	var whole [sha256.Size]byte
	values, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return c, err
		}
		h := sha256.New()
		for _, v := range values {
			if raw, ok := v.([]byte); ok {
				v = string(raw)
			}
			fmt.Fprintf(h, "%q\x00", fmt.Sprint(v))
		}
		for i, b := range h.Sum(nil) { // a sum of rows knows no order
			whole[i] ^= b
		}
		c.Rows++
		if do != nil {
			if err := do(columns, values); err != nil {
				return c, err
			}
		}
	}
	c.Hash = hex.EncodeToString(whole[:])
	return c, rows.Err()
}

// sameColumns refuses a table of which one place knows more than the other.
func sameColumns(ctx context.Context, from, to querier, table string) error {
	here, err := columnsOf(ctx, from, table)
	if err != nil {
		return err
	}
	there, err := columnsOf(ctx, to, table)
	if err != nil {
		return err
	}
	slices.Sort(here)
	slices.Sort(there)
	if !slices.Equal(here, there) {
		return ErrOtherTables
	}
	return nil
}

// columnsOf are the columns of a table.
func columnsOf(ctx context.Context, tx querier, table string) ([]string, error) {
	rows, err := tx.QueryContext(ctx, "SELECT * FROM "+table+" WHERE 1 = 0")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	return columns, errors.Join(err, rows.Err())
}

package store

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
)

// Keys of Postgres advisory locks.
const (
	lockMigrate = 0x66657474_01 // held while tables are made
	lockClaim   = 0x66657474_02 // held for the milliseconds of a claim
	lockMoney   = 0x66657474_03 // held while a call is weighed against the caps
	lockHeal    = 0x66657474_04 // held while heal takes a result in
)

// idleInTransaction is after what time Postgres rolls back a transaction whose process
// asks nothing more: one that was stopped, or whose machine is gone without a word, would
// keep its locks for hours, and with lockClaim no other worker could take a run.
const idleInTransaction = 10 * time.Second

// mayStandStill lets a transaction wait for another database longer than that.
func (s *Store) mayStandStill(ctx context.Context, tx *sql.Tx) error {
	if !s.postgres {
		return nil
	}
	_, err := tx.ExecContext(ctx, "SET LOCAL idle_in_transaction_session_timeout = 0")
	return err
}

// openPostgres opens the pool. A connection attempt is bounded so that a
// server that is gone is an error within the time a webhook has.
func (s *Store) openPostgres(ctx context.Context) error {
	conf, err := pgx.ParseConfig(s.url)
	if err != nil {
		return fmt.Errorf("store: read the database's address: %w", err) // pgx leaves the password out
	}
	if conf.ConnectTimeout == 0 {
		conf.ConnectTimeout = 5 * time.Second
	}
	s.w = stdlib.OpenDB(*conf, stdlib.OptionAfterConnect(func(ctx context.Context, c *pgx.Conn) error {
		_, err := c.Exec(ctx, "SET idle_in_transaction_session_timeout = "+strconv.FormatInt(idleInTransaction.Milliseconds(), 10))
		return err
	}))
	s.w.SetMaxOpenConns(16)
	s.w.SetMaxIdleConns(8)
	s.w.SetConnMaxIdleTime(time.Minute)
	s.r = s.w
	if s.jobs, err = river.NewClient(riverdatabasesql.New(s.w), s.riverBase()); err != nil {
		return s.explain("prepare the job engine on Postgres", err)
	}
	conn, err := s.w.Conn(ctx)
	if err != nil {
		return s.explain("connect to Postgres", err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", int64(lockMigrate)); err != nil {
		return s.explain("lock Postgres for the making of tables", err)
	}
	defer func() { // closing the connection gives the lock back as well
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", int64(lockMigrate))
	}()
	err = s.migrate(ctx, riverMigrator(riverdatabasesql.New(s.w), s.riverLog()))
	return s.explain("bring Postgres to this version's tables", err)
}

package store

import (
	"context"
	"embed"
	"io/fs"
	"log/slog"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivermigrate"
)

//go:embed migrations/*.sql
var migrations embed.FS

const lockPoll = 5 * time.Millisecond

// migrate makes River's tables and ours. The caller holds the lock that keeps
// other processes from doing the same.
func (s *Store) migrate(ctx context.Context, jobs func(context.Context) error) error {
	if err := jobs(ctx); err != nil {
		return err
	}
	dialect := goose.DialectSQLite3
	if s.postgres {
		dialect = goose.DialectPostgres
	}
	sub, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(dialect, s.w, sub, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	_, err = p.Up(ctx)
	return err
}

func riverMigrator[T any](driver riverdriver.Driver[T], log *slog.Logger) func(context.Context) error {
	return func(ctx context.Context) error {
		m, err := rivermigrate.New(driver, &rivermigrate.Config{Logger: log})
		if err != nil {
			return err
		}
		_, err = m.Migrate(ctx, rivermigrate.DirectionUp, nil)
		return err
	}
}

// pause waits on the wall clock, or returns the context's error.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

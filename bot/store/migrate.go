package store

import (
	"context"
	"embed"
	"fmt"
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
	have, know, err := p.GetVersions(ctx)
	if err != nil {
		return err
	}
	if have > know {
		return s.bearable(ctx, have, know)
	}
	_, err = p.Up(ctx)
	return err
}

// bearable refuses a database that a newer fettle made, where it says that this one
// cannot work on it.
func (s *Store) bearable(ctx context.Context, have, know int64) error {
	var oldest int64
	if err := s.w.QueryRowContext(ctx, "SELECT max(schema) FROM oldest").Scan(&oldest); err != nil {
		return err
	}
	if oldest > know {
		return fmt.Errorf("a newer fettle made these tables (schema %d), and this one knows schema %d, where %d is the oldest that can work on them: use the newer fettle, or a backup from before it", have, know, oldest)
	}
	s.cfg.Log.Warnf("a newer fettle made these tables (schema %d, this one knows %d); both can work on them", have, know)
	return nil
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

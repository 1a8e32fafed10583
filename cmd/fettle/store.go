package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot/store"
)

func newStore(g *global) *cobra.Command {
	c := &cobra.Command{
		Use:   "store",
		Short: "Move, back up and check the database",
		Long: `store works on the database in which everything durable is: deliveries, runs and what
they cost, pull requests, lessons, the state of the breakers.`,
	}
	holdsCommands(c)
	c.AddCommand(newStoreCopy(g), newStoreCheck(g))
	return c
}

func newStoreCopy(g *global) *cobra.Command {
	var from, to string
	var asJSON bool
	c := &cobra.Command{
		Use:   "copy",
		Short: "Copy everything to an empty database, and compare",
		Long: `copy moves a server from a SQLite file to Postgres, or back, and makes backups: all
tables are copied in one transaction, then read again at both places and compared by
count and hash. The old database is not changed. Stop the server of a SQLite file
first, so that nothing is written there any more.

Afterwards set database: in the operator's file to the new place and start the server;
runs that were under way go on where they stood. A server that goes on with an older
copy does nothing twice on GitHub: it finds its branches, pull requests and comments
there.`,
		Example: `  fettle store copy --to postgres://fettle@db.example.org/fettle
  fettle store copy --to sqlite:/backup/fettle-2026-11-26.db
  fettle store copy --from postgres://fettle@db.example.org/fettle --to /var/lib/fettle/fettle.db`,
		Args: noArgs,
		RunE: g.with(func(c *cobra.Command, p *parts, _ []string) error {
			if from == "" {
				from = p.set.Database
			}
			if to == "" {
				return usage("nowhere to copy to: give --to postgres://… or --to sqlite:PATH")
			}
			old, err := p.existing(c, from)
			if err != nil {
				return err
			}
			defer old.Close()
			if err := old.Serve(c.Context()); err != nil {
				if errors.Is(err, store.ErrServed) {
					return usage("a server works on %s; stop it, so that nothing is written there while it is copied", from)
				}
				return err
			}
			if strings.TrimPrefix(from, "sqlite:") == strings.TrimPrefix(to, "sqlite:") {
				return usage("--from and --to are the same database")
			}
			fresh, err := store.Open(c.Context(), to, store.Config{Now: p.now, Log: p.log, Funnel: p.funnel})
			if err != nil {
				return err
			}
			defer fresh.Close()
			all, err := old.Copy(c.Context(), fresh)
			if errors.Is(err, store.ErrNotEmpty) {
				return &exitError{exitUsage, err}
			}
			if err == nil {
				err = fresh.Integrity(c.Context())
			}
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(c.OutOrStdout()).Encode(all)
			}
			rows := 0
			for _, t := range all {
				if rows += t.Rows; t.Rows > 0 {
					fmt.Fprintf(c.OutOrStdout(), "%-16s %8d  %.12s\n", t.Table, t.Rows, t.Hash)
				}
			}
			fmt.Fprintf(c.OutOrStdout(), "%d rows copied; both places were read again and are the same\n", rows)
			return nil
		}),
	}
	c.Flags().StringVar(&from, "from", "", "the `DATABASE` to copy: postgres://…, sqlite:PATH or a path (default: that of the configuration)")
	c.Flags().StringVar(&to, "to", "", "the empty `DATABASE` to copy to")
	c.Flags().BoolVar(&asJSON, "json", false, "the tables with counts and hashes as JSON")
	return c
}

func newStoreCheck(g *global) *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Check the file, and what must hold between rows",
		Args:  noArgs,
		RunE: g.with(func(c *cobra.Command, p *parts, _ []string) error {
			db, err := p.existing(c, p.set.Database)
			if err != nil {
				return err
			}
			defer db.Close()
			if err := db.Integrity(c.Context()); err != nil {
				return err
			}
			fmt.Fprintln(c.OutOrStdout(), "the database is sound")
			return nil
		}),
	}
}

// existing opens a database that has to be there.
func (p *parts) existing(c *cobra.Command, url string) (*store.Store, error) {
	if !store.Shared(url) {
		if _, err := os.Stat(strings.TrimPrefix(url, "sqlite:")); err != nil {
			return nil, usage("there is no database to read: %w", err)
		}
	}
	return store.Open(c.Context(), url, store.Config{Now: p.now, Log: p.log, Funnel: p.funnel})
}

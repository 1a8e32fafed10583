package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

func newRuns(g *global) *cobra.Command {
	c := &cobra.Command{
		Use:   "runs",
		Short: "List, look at, answer and replay runs",
		Example: `  fettle runs
  fettle runs show 4f0c
  fettle runs log 4f0c | jq .kind
  fettle runs diff 4f0c | git apply
  fettle runs why 4f0c
  fettle runs approve 4f0c
  fettle runs reject 4f0c --feedback "leave the parser alone"
  fettle runs resume 4f0c
  fettle runs replay 4f0c
  fettle runs --server https://fettle.example.com   # those of a server; FETTLE_SERVER_TOKEN`,
		Long: `runs are those in the database of the configuration. With --server, or where the
variable FETTLE_SERVER is set, list, show, log, diff, approve, reject, resume and stop are
asked of a server, with a token of 'fettle serve --new-token' in FETTLE_SERVER_TOKEN.`,
	}
	c.PersistentFlags().String("server", "", "the runs of the server at this `URL` (default $FETTLE_SERVER)")
	holdsCommands(c)
	list, known := runsList(g), c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return known(c, args)
		}
		return list.RunE(c, nil)
	}
	c.AddCommand(list, runsShow(g), runsWhy(g), runsLog(g), runsDiff(g), runsReplay(g), runsApprove(g), runsReject(g), runsResume(g), runsStop(g))
	return c
}

// onRun opens the store and finds the run whose id begins with the argument.
func (g *global) onRun(c *cobra.Command, prefix string, do func(*parts, *store.Store, task.Run) error) error {
	if done, err := onServer(c, func(*runsServer) error {
		return usage("%s needs the record itself and is not asked of a server; use it where its database is", c.CommandPath())
	}); done {
		return err
	}
	return g.onRuns(c, func(p *parts, db *store.Store) error {
		if prefix == "" {
			return usage("the id of the run is empty; 'fettle runs list' shows them")
		}
		found, err := db.Runs(c.Context(), store.Filter{Prefix: prefix, Limit: 2})
		if err != nil {
			return err
		}
		exact := slices.IndexFunc(found, func(r task.Run) bool { return r.ID == prefix })
		switch {
		case len(found) == 0:
			return usage("there is no run %s; 'fettle runs list' shows them", prefix)
		case len(found) > 1 && exact < 0:
			return usage("several runs begin with %q; give more of the id", prefix)
		}
		return do(p, db, found[max(0, exact)])
	})
}

func runsList(g *global) *cobra.Command {
	var asJSON bool
	var limit int
	c := &cobra.Command{
		Use: "list", Short: "List the runs, the newest first", Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if done, err := onServer(c, func(s *runsServer) error { return s.list(c, limit, asJSON) }); done {
				return err
			}
			return g.onRuns(c, func(p *parts, db *store.Store) error {
				runs, err := db.Runs(c.Context(), store.Filter{Limit: limit})
				if err != nil {
					return err
				}
				if asJSON {
					return writeJSON(c.OutOrStdout(), nonNil(runs))
				}
				var cards []store.Card
				for _, r := range runs {
					cards = append(cards, store.Card{ID: r.ID, State: r.State, Outcome: r.Outcome, Tier: r.Tier, Cost: r.Cost, Attempts: r.Attempts, CreatedAt: r.CreatedAt, Repo: r.Task.Repo.Slug(), Title: r.Task.Title})
				}
				return printCards(c.OutOrStdout(), cards, p.funnel)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	c.Flags().IntVar(&limit, "limit", 20, "at most `N` runs")
	return c
}

func runsShow(g *global) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "show ID", Short: "Show how a run went", Args: oneRun,
		RunE: func(c *cobra.Command, args []string) error {
			if done, err := runOnServer(c, args[0], func(s *runsServer, got servedRun) error { return s.show(c, got, asJSON) }); done {
				return err
			}
			return g.onRun(c, args[0], func(p *parts, db *store.Store, r task.Run) error {
				switch {
				case asJSON && r.Result == nil:
					return writeJSON(c.OutOrStdout(), r)
				case asJSON:
					return printSummary(c.OutOrStdout(), bot.Summarise(*r.Result, r.Result.Published), true)
				}
				rec, err := p.bot(db).Record(c.Context(), r.ID)
				if err != nil {
					return err
				}
				if err := printf(c.OutOrStdout(), "%s  %s\n", r.ID, p.funnel.Log(bot.Story(r, rec.Decisions))); err != nil || r.Result == nil {
					return err
				}
				return printSummary(c.OutOrStdout(), bot.Summarise(*r.Result, r.Result.Published), false)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return c
}

func runsDiff(g *global) *cobra.Command {
	var attempt int
	c := &cobra.Command{
		Use: "diff [ID]", Short: "Print the change that a run ended with; of the folder's last run without ID", Args: atMostOne(aRun),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				if attempt > 0 {
					return usage("--attempt needs the run's id; 'fettle runs list' shows them")
				}
				dir, err := folder(".")
				if err != nil {
					return err
				}
				_, diff, err := g.change(c, dir, nil)
				if err != nil {
					return err
				}
				return printf(c.OutOrStdout(), "%s", diff)
			}
			if done, err := runOnServer(c, args[0], func(s *runsServer, got servedRun) error { return s.diff(c, got, attempt) }); done {
				return err
			}
			return g.onRun(c, args[0], func(_ *parts, _ *store.Store, r task.Run) error {
				diff, err := changeOf(r, r.Saved.Attempts, attempt)
				if err != nil {
					return err
				}
				return printf(c.OutOrStdout(), "%s", diff)
			})
		},
	}
	c.Flags().IntVar(&attempt, "attempt", 0, "the change of attempt `N` instead")
	return c
}

// printCards lists runs.
func printCards(out io.Writer, cards []store.Card, funnel *redact.Funnel) error {
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tSTATE\tTIER\tCOST\tATTEMPTS\tBEGUN\tREPOSITORY\tTASK")
	for _, r := range cards {
		state := string(r.State)
		if r.State == task.StateDone {
			state = string(r.Outcome)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\n", funnel.Log(r.ID), funnel.Log(state), funnel.Log(orDash(string(r.Tier))), r.Cost, r.Attempts, r.CreatedAt.Local().Format(time.DateTime), funnel.Log(r.Repo), funnel.Log(short(r.Title)))
	}
	return w.Flush()
}

// changeOf is the change that a run ended with, or that of an attempt.
func changeOf(r task.Run, attempts []task.Attempt, attempt int) (diff string, err error) {
	switch {
	case attempt > 0 && attempt <= len(attempts):
		saved := r.Saved
		saved.Attempts = attempts
		diff = saved.Change(attempt)
	case attempt > 0:
		return "", usage("run %s made %s", r.ID, task.Count(len(attempts), "attempt"))
	case r.Result != nil:
		diff = r.Result.Diff
	}
	if diff == "" {
		return "", &exitError{exitRed, errors.New("there is no change; 'fettle runs show' says why")}
	}
	return diff, nil
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// printed prints what a command found, for a program or for a person.
func printed(w io.Writer, asJSON bool, v any, words func(io.Writer) error) error {
	if asJSON {
		return writeJSON(w, v)
	}
	return words(w)
}

func nonNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func short(s string) string { return cut(strings.Join(strings.Fields(s), " "), 50) }

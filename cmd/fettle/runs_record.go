package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/loop"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

func runsReplay(g *global) *cobra.Command {
	return &cobra.Command{
		Use: "replay ID", Short: "Decide a recorded run again, offline", Args: oneRun,
		Long: "replay runs the loop again on the run's record alone: no checkout, no check, no\nmodel, no clock. It ends with 0 when every decision is byte for byte the one on\nrecord, with 1 when one is not or the run departs from the record.",
		RunE: func(c *cobra.Command, args []string) error {
			return g.onRun(c, args[0], func(p *parts, db *store.Store, r task.Run) error {
				rec, err := p.bot(db).Record(c.Context(), r.ID)
				if err != nil {
					return err
				}
				if len(rec.Effects) == 0 {
					return usage("run %s has no record to replay: it never began, or an older fettle made it", r.ID)
				}
				words, err := p.replay(c.Context(), rec)
				if err == nil {
					err = printf(c.OutOrStdout(), "%s: %s\n", r.ID, words)
				}
				return err
			})
		},
	}
}

// replay decides a recorded run again, and says how far that went.
func (p *parts) replay(ctx context.Context, rec loop.Recorded) (string, error) {
	roles, err := p.roles(nil)
	if err != nil {
		return "", err
	}
	engine := loop.New(loop.Config{
		Developer: roles.Developer, Planner: roles.Planner, Tester: roles.Tester, Reviewer: roles.Reviewer, Triager: roles.Triager, Reproducer: roles.Reproducer, Log: p.log,
		Now: func() time.Time { return time.Time{} }, // a replay has the record's time
	})
	got, err := engine.Replay(ctx, rec)
	if err != nil {
		return "", &exitError{exitRed, err}
	}
	how := "the record ends before an outcome"
	if got.Ended {
		how = string(got.Result.Outcome)
	}
	return fmt.Sprintf("%s, %s, %s, all as recorded; %s", task.Count(len(rec.Effects), "effect"), task.Count(got.Processes, "process"), task.Count(got.Decisions, "decision"), how), nil
}

func runsWhy(g *global) *cobra.Command {
	return &cobra.Command{
		Use: "why ID", Short: "Say why a run began at its tier and why it climbed", Args: oneRun,
		RunE: func(c *cobra.Command, args []string) error {
			return g.onRun(c, args[0], func(p *parts, db *store.Store, r task.Run) error {
				rec, err := p.bot(db).Record(c.Context(), r.ID)
				if err != nil {
					return err
				}
				turns, err := bot.Turns(rec.Decisions)
				if err != nil {
					return err
				}
				for _, d := range turns {
					about := bot.About(d)
					if about != "" {
						about = " [" + about + "]"
					}
					fmt.Fprintf(c.OutOrStdout(), "%s  %-14s %s%s\n", d.At.Local().Format(time.TimeOnly), d.Kind, p.funnel.Log(strings.Join(strings.Fields(d.Reason), " ")), p.funnel.Log(about))
				}
				if len(turns) == 0 {
					return &exitError{exitRed, errors.New("nothing was decided yet")}
				}
				return nil
			})
		},
	}
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot/loop"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

func runsReplay(g *global) *cobra.Command {
	return &cobra.Command{
		Use: "replay ID", Short: "Decide a recorded run again, offline", Args: oneArg,
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
					_, err = fmt.Fprintf(c.OutOrStdout(), "%s: %s\n", r.ID, words)
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
		Use: "why ID", Short: "Say why a run began at its tier and why it climbed", Args: oneArg,
		RunE: func(c *cobra.Command, args []string) error {
			return g.onRun(c, args[0], func(p *parts, db *store.Store, r task.Run) error {
				rec, err := p.bot(db).Record(c.Context(), r.ID)
				if err != nil {
					return err
				}
				said := 0
				for _, line := range rec.Decisions {
					var d task.Decision
					if err := json.Unmarshal(line, &d); err != nil {
						return fmt.Errorf("reading the audit log of %s: %w", r.ID, err)
					}
					switch d.Kind {
					case "claimed", "reproduction.made", "reproduction.asked", "reproduction.turned_down", "reproduction.accepted", "reproduction.none", "reproduction.given_up", "plan", "plan.skipped", "tier.chosen", "tier.skipped", "attempt.judged", "step.done", "budget.refused", "gate.asked", "gate.approved", "gate.rejected", "heal.degraded", "heal.healthy", "ended":
						said++
						fmt.Fprintf(c.OutOrStdout(), "%s  %-14s %s%s\n", d.At.Local().Format(time.TimeOnly), d.Kind, p.funnel.Log(strings.Join(strings.Fields(d.Reason), " ")), p.funnel.Log(which(d)))
					}
				}
				if said == 0 {
					return &exitError{exitRed, errors.New("nothing was decided yet")}
				}
				return nil
			})
		},
	}
}

// which names what a decision is about and what followed.
func which(d task.Decision) string {
	var parts []string
	for _, k := range []string{"tier", "strategy", "attempt", "step", "next", "by", "loop", "outcome"} {
		if v, ok := d.Data[k]; ok && fmt.Sprint(v) != "" {
			parts = append(parts, fmt.Sprintf("%s %v", k, v))
		}
	}
	if why, ok := d.Data["why"].([]any); ok && len(why) > 0 { // which red tests are the issue's
		for _, w := range why[:min(len(why), 3)] {
			parts = append(parts, fmt.Sprint(w))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " [" + strings.Join(parts, ", ") + "]"
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot/heal"
	"github.com/fettle-dev/fettle/bot/loop"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

func newHeal(g *global) *cobra.Command {
	c := &cobra.Command{
		Use:   "heal",
		Short: "Look at what stopped fettle, try the breakers",
		Example: `  fettle heal case 4f0c1b2a3d
  fettle heal case 4f0c1b2a3d --out case.json
  fettle heal case case.json
  fettle heal demo`,
	}
	holdsCommands(c)
	c.AddCommand(healCase(g), healInject(g), healDemo(g))
	return c
}

// caseFile is a failure case: what is needed to see again, without a network, what led
// to it.
type caseFile struct {
	Version   int                `json:"version"`
	Move      heal.Move          `json:"move"`
	Failures  []store.HealResult `json:"failures"`
	Run       *task.Run          `json:"run,omitempty"` // the one that failed last
	Commit    string             `json:"commit,omitempty"`
	Attempts  []task.Attempt     `json:"attempts,omitempty"`
	Effects   []caseEffect       `json:"effects,omitempty"`
	Decisions []string           `json:"decisions,omitempty"` // lines of the audit log
}

// caseEffect is an effect whose documents keep every byte: a replay compares them.
type caseEffect struct {
	Seq  int       `json:"seq"`
	Kind string    `json:"kind"`
	Key  string    `json:"key"`
	At   time.Time `json:"timestamp"`
	Data string    `json:"data,omitempty"`
	Fail string    `json:"fail,omitempty"`
}

// mostCase bounds a case that is read from a file.
const mostCase = 512 << 20

func healCase(g *global) *cobra.Command {
	var out string
	c := &cobra.Command{
		Use: "case ID|FILE", Short: "Show a failure case and decide its run again, offline", Args: oneRun,
		Long: `case shows what a breaker tripped for: the failures in its window, the run that
failed last with its attempts, and the commit; then it decides that run again from
its record alone, as 'fettle runs replay' does. --out writes all of it to a file,
which can be looked at on a machine without the database.

Exit status: 0 all decided as recorded, or no run is on record; 1 decided otherwise.`,
		RunE: g.with(func(c *cobra.Command, p *parts, args []string) error {
			f, err := p.caseOf(c, g, args[0])
			if err != nil {
				return err
			}
			if out != "" {
				raw, err := json.MarshalIndent(f, "", " ")
				if err == nil {
					err = os.WriteFile(out, append(raw, '\n'), 0o600)
				}
				if err != nil {
					return fmt.Errorf("writing the case to %s: %w", out, err)
				}
				fmt.Fprintf(c.ErrOrStderr(), "fettle: the case is in %s; 'fettle heal case %s' shows it anywhere\n", out, out)
			}
			return p.showCase(c.Context(), c.OutOrStdout(), f)
		}),
	}
	pathVar(c, &out, "out", "", "write the case to this `FILE`")
	return c
}

// caseOf reads a case from a file, or puts it together from the database.
func (p *parts) caseOf(c *cobra.Command, g *global, name string) (caseFile, error) {
	var f caseFile
	if file, err := os.Open(name); err == nil {
		defer file.Close()
		if err := json.NewDecoder(io.LimitReader(file, mostCase)).Decode(&f); err != nil || f.Version != 1 {
			return f, usage("%s is no case that this fettle reads: %v", name, err)
		}
		return f, nil
	}
	err := g.withHeal(c, func(ctx context.Context, p *parts, db *store.Store, h *heal.Heal) error {
		moves, err := h.Moves(ctx, name, 2)
		switch {
		case err != nil:
			return err
		case len(moves) == 0:
			return usage("there is no case %s; 'fettle health' lists them", name)
		case len(moves) > 1:
			return usage("several cases begin with %q; give more of the id", name)
		}
		f = caseFile{Version: 1, Move: moves[0]}
		if f.Failures, err = h.Failures(ctx, f.Move); err != nil || f.Move.Run == "" {
			return err
		}
		r, err := db.Run(ctx, f.Move.Run)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		f.Run, f.Commit, f.Attempts = &r, r.Saved.BaseCommit, r.Saved.Attempts
		rec, err := p.bot(db).Record(ctx, r.ID)
		for _, e := range rec.Effects {
			f.Effects = append(f.Effects, caseEffect{e.Seq, e.Kind, e.Key, e.At, string(e.Data), string(e.Fail)})
		}
		for _, line := range rec.Decisions {
			f.Decisions = append(f.Decisions, string(line))
		}
		return err
	})
	return f, err
}

func (p *parts) showCase(ctx context.Context, out io.Writer, f caseFile) error {
	say := func(format string, args ...any) {
		text, blank := strings.CutPrefix(fmt.Sprintf(format, args...), "\n")
		if blank {
			fmt.Fprintln(out)
		}
		fmt.Fprintln(out, p.funnel.Log(text))
	}
	say("Case %s, %s", f.Move.ID, f.Move.At.Local().Format("2006-01-02 15:04:05"))
	say("  %s", f.Move.Report())
	if f.Move.Words != "" {
		say("  %s", oneWordLine(f.Move.Words))
	}
	for _, r := range f.Failures {
		say("  %s  %-18s %-10s run %s  %s", r.At.Local().Format(time.TimeOnly), r.Cause, r.Step, r.Run, oneWordLine(r.Words))
	}
	if f.Run == nil {
		say("\nNo run is on record for it: nothing to decide again.")
		return nil
	}
	say("\nRun %s: %s", f.Run.ID, f.Run.Task.Title)
	say("  %s at %s, %s in %s", f.Run.Task.Repo.Slug(), f.Commit, f.Run.Cost, task.Count(len(f.Attempts), "attempt"))
	for _, a := range f.Attempts {
		say("  attempt %d at %s: %s", a.Number, a.Tier, oneWordLine(a.Why))
	}
	if len(f.Effects) == 0 {
		say("\nThe run never began: nothing to decide again.")
		return nil
	}
	rec := loop.Recorded{RunID: f.Run.ID}
	for _, e := range f.Effects {
		rec.Effects = append(rec.Effects, task.Effect{Run: f.Run.ID, Seq: e.Seq, Kind: e.Kind, Key: e.Key, At: e.At, Data: json.RawMessage(e.Data), Fail: json.RawMessage(e.Fail)})
	}
	for _, line := range f.Decisions {
		rec.Decisions = append(rec.Decisions, []byte(line))
	}
	words, err := p.replay(ctx, rec)
	if err == nil {
		say("\nDecided again: %s", words)
	}
	return err
}

func oneWordLine(s string) string { return cut(strings.Join(strings.Fields(s), " "), 161) }

func healInject(g *global) *cobra.Command {
	var repo, trigger, step string
	var installation int64
	times := 1
	c := &cobra.Command{
		Use: "inject --repo OWNER/NAME --trigger T", Short: "Force failures, where GitHub is the simulator", Args: noArgs,
		Long: "inject tells the breakers of failures that did not happen, to see what they do. It\nis refused (exit status 5) unless github.base_url of the configuration is on this\nmachine: a repository of GitHub is never quarantined by it.",
		RunE: func(c *cobra.Command, _ []string) error {
			if repo == "" || times < 1 || times > 1000 {
				return usage("say which repository with --repo OWNER/NAME, and --times from 1 to 1000")
			}
			var known []string
			for _, t := range task.Triggers {
				known = append(known, string(t))
			}
			if !strings.Contains(" "+strings.Join(known, " ")+" ", " "+trigger+" ") || trigger == "" {
				return usage("--trigger takes %s, and got %q", strings.Join(known, ", "), trigger)
			}
			return g.withHeal(c, func(ctx context.Context, p *parts, _ *store.Store, h *heal.Heal) error {
				if !onThisMachine(p.set.GitHub.BaseURL) {
					return refused(errors.New("failures are injected only where github.base_url is a simulator on this machine; start one with 'fettle simulate'"))
				}
				moves, err := inject(ctx, h, task.Repo{Installation: installation, Owner: ownerOf(repo), Name: nameOf(repo)}, task.Trigger(trigger), step, times)
				for _, m := range moves {
					fmt.Fprintln(c.OutOrStdout(), m.Report())
				}
				return err
			})
		},
	}
	c.Flags().StringVar(&repo, "repo", "", "the repository `OWNER/NAME`")
	c.Flags().StringVar(&trigger, "trigger", "", "what failed, a `TRIGGER`: target_not_found, postcondition, watchdog_timeout, low_confidence or model_outage")
	c.Flags().StringVar(&step, "step", "apply", "the `STEP` that failed")
	c.Flags().Int64Var(&installation, "installation", 1, "the installation's `ID`")
	c.Flags().IntVar(&times, "times", 1, "how often")
	return c
}

func ownerOf(slug string) string { owner, _, _ := strings.Cut(slug, "/"); return owner }
func nameOf(slug string) string  { _, name, _ := strings.Cut(slug, "/"); return name }

func onThisMachine(base string) bool {
	u, err := url.Parse(base)
	if err != nil || base == "" {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
}

// inject tells heal of failures that did not happen.
func inject(ctx context.Context, h *heal.Heal, repo task.Repo, trigger task.Trigger, step string, times int) (moves []heal.Move, err error) {
	for range times {
		got, err := h.OnResult(ctx, heal.WorkflowOf(task.Task{Repo: repo}), heal.Result{ID: "inject/" + newID(), Step: step, Trigger: trigger, Words: "injected"})
		if moves = append(moves, got...); err != nil {
			return moves, err
		}
	}
	return moves, nil
}

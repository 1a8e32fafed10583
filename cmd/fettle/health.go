package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/heal"
	"github.com/fettle-dev/fettle/bot/store"
)

func newHealth(g *global) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "health",
		Short: "Say how the breakers stand, and lift what they stopped",
		Long: `health shows each repository's state (healthy, degraded, quarantined, recovering),
whether everything is paused, the failures in the windows, and the last changes of
states. It reads the database of the configuration, also while a server runs.

Exit status: 0, whatever the states are.`,
		Example: `  fettle health
  fettle health --json | jq .workflows
  fettle health release --repo acme/shop
  fettle health release --global`,
	}
	holdsCommands(c)
	known := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return known(c, args)
		}
		return g.withHeal(c, func(ctx context.Context, _ *parts, _ *store.Store, h *heal.Heal) error {
			s, err := h.Status(ctx)
			if err != nil {
				return err
			}
			return printed(c.OutOrStdout(), asJSON, s, func(w io.Writer) error { return printHealth(w, s) })
		})
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	c.AddCommand(healthRelease(g))
	return c
}

// withHeal opens the breakers of the configuration's database.
func (g *global) withHeal(c *cobra.Command, do func(context.Context, *parts, *store.Store, *heal.Heal) error) error {
	p, err := g.load(c.ErrOrStderr())
	if err != nil {
		return err
	}
	db, err := p.openStore(c.Context())
	if err != nil {
		return err
	}
	defer db.Close()
	h, err := p.heal(db)
	if err != nil {
		return err
	}
	return do(c.Context(), p, db, h)
}

func printHealth(out io.Writer, s heal.Status) error {
	line := func(x heal.Standing) {
		since := ""
		if !x.Since.IsZero() {
			since = " since " + x.Since.Local().Format("2006-01-02 15:04:05")
		}
		fmt.Fprintf(out, "%-12s %s%s; %d of %d failures in the window", x.State, x.Place(), since, x.Failures, x.Limit)
		if x.Successes > 0 {
			fmt.Fprintf(out, "; %d validated", x.Successes)
		}
		if x.Case != "" {
			fmt.Fprintf(out, "; case %s", x.Case)
		}
		fmt.Fprintln(out)
	}
	line(s.Global)
	for _, w := range s.Workflows {
		line(w)
	}
	for _, l := range s.Learned {
		fmt.Fprintf(out, "%-12s %s: %d of %d runs ended well under %s, %d of %d before\n", "learned", l.Repo, l.After.Successes, l.After.Runs, named(l.Now), l.Before.Successes, l.Before.Runs)
	}
	if len(s.Moves) > 0 {
		fmt.Fprintln(out, "\nLast changes")
	}
	for _, m := range s.Moves {
		fmt.Fprintf(out, "  %s  %s  %s\n", m.At.Local().Format("2006-01-02 15:04:05"), m.ID, m.Report())
	}
	if s.PolicyError != "" {
		fmt.Fprintf(out, "\nThe policy is refused, and the one before it holds: %s\n", s.PolicyError)
	}
	return nil
}

func named(version string) string {
	if version == "" {
		return "no learned data"
	}
	return version
}

func healthRelease(g *global) *cobra.Command {
	var everywhere bool
	var repo string
	c := &cobra.Command{
		Use: "release (--repo OWNER/NAME | --global)", Short: "Lift a quarantine, or the pause of everything", Args: noArgs,
		Long: "release lifts the quarantine of a repository, which recovers then: it works as in\ndegraded mode until three changes are validated, and one failure quarantines it\nagain. --global lifts a pause. A running server heeds it at the next step.",
		RunE: func(c *cobra.Command, _ []string) error {
			if everywhere == (repo != "") {
				return usage("say either --repo OWNER/NAME or --global")
			}
			by := whoami("the operator")
			return g.withHeal(c, func(ctx context.Context, _ *parts, _ *store.Store, h *heal.Heal) error {
				var moves []heal.Move
				var err error
				if everywhere {
					moves, err = h.ReleaseGlobal(ctx, by)
				} else {
					moves, err = h.Release(ctx, 0, repo, by)
				}
				if err != nil {
					return err
				}
				for _, m := range moves {
					fmt.Fprintln(c.OutOrStdout(), m.Report())
				}
				if len(moves) == 0 {
					fmt.Fprintln(c.OutOrStdout(), "nothing is stopped there; 'fettle health' shows what is")
				}
				return nil
			})
		},
	}
	c.Flags().BoolVar(&everywhere, "global", false, "lift the pause of everything")
	c.Flags().StringVar(&repo, "repo", "", "the repository `OWNER/NAME`, in every installation")
	return c
}

// readyWithin bounds an answer of /readyz.
const readyWithin = 5 * time.Second

// readyz says whether what is delivered is kept, and how the breakers stand. A pause
// is told and is no 503: deliveries are taken, and their runs wait.
func readyz(db *store.Store, h *heal.Heal, swept func() *bot.Swept) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, done := context.WithTimeout(r.Context(), readyWithin)
		defer done()
		answer := struct {
			Database string                  `json:"database"`
			State    heal.State              `json:"state,omitempty"`
			Stopped  map[heal.State]int      `json:"workflows,omitempty"` // how many in each state
			Latency  map[string]heal.Latency `json:"latency,omitempty"`
			Policy   string                  `json:"policy,omitempty"` // "refused": the file as it stands
			Swept    string                  `json:"swept,omitempty"`
		}{Database: "ok"}
		code := http.StatusOK
		s, err := h.Status(ctx)
		if err == nil {
			err = db.Alive(ctx)
		}
		if err != nil { // the log says why; the answer is anybody's
			answer.Database, code = "what is delivered cannot be kept", http.StatusServiceUnavailable
		} else {
			answer.State, answer.Latency, answer.Stopped = s.Global.State, s.Latency, map[heal.State]int{}
			for _, x := range s.Workflows {
				answer.Stopped[x.State]++
			}
			if s.PolicyError != "" {
				answer.Policy = "refused"
			}
		}
		if x := swept(); x != nil {
			answer.Swept = x.String()
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(answer) // nobody is left to tell
	}
}

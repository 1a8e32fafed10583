package main

import (
	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

func newExplain(g *global) *cobra.Command {
	var repo string
	c := &cobra.Command{
		Use:   "explain [RUN]",
		Short: "Say why a change was made: the trail of evidence",
		Long: `explain tells what was wrong, why the change was made there, what shows it, what was
tried, what was checked and what is open: of the last run of the folder, or of the
one whose id begins with RUN. 'fettle runs why' has every decision.`,
		Example: `  fettle explain
  fettle explain 4f0c`,
		Args: atMostOne(aRun),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				dir, err := folder(repo)
				if err != nil {
					return err
				}
				last, err := lastRun(dir)
				if err != nil {
					return err
				}
				if args = []string{last.RunID}; last.RunID == "" {
					return usage("the last run of %s did nothing: %s; name a run of 'fettle runs list'", dir, clean(last.Reason))
				}
			}
			return g.onRun(c, args[0], func(p *parts, _ *store.Store, r task.Run) error {
				return printf(c.OutOrStdout(), "%s  %s\n\n%s", r.ID, clean(r.Task.Title), p.funnel.Log(bot.Explain(r)))
			})
		},
	}
	pathVar(c, &repo, "repo", ".", "the `DIR` whose last run is meant")
	return c
}

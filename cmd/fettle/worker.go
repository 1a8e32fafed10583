package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newWorker(g *global) *cobra.Command {
	var what service
	c := &cobra.Command{
		Use:   "worker",
		Short: "Work on what servers have taken in, on a shared Postgres",
		Long: `worker handles deliveries and works on runs, beside any number of other workers and
of 'fettle serve', on the same Postgres and with the same configuration. It takes no
webhooks: 'fettle serve --workers 0' takes them where runs shall not share its machine.

A run is one worker's at a time. Of one that dies or stops answering, another takes
the run over after a minute, where it stood; if it comes back, nothing that it still
writes or sends counts. SIGTERM gives its runs back at once, and ends within 30 s.

Each worker has a state folder of its own: mirrors, indexes and installed packages are
kept there again by each machine, and go when the App is removed from a repository.`,
		Example: `  fettle serve --workers 0     # on a small machine that GitHub reaches
  fettle worker --workers 4    # on each large one`,
		Args: noArgs,
		RunE: g.with(func(c *cobra.Command, p *parts, _ []string) error {
			p.verbose()
			if what.workers < 1 {
				return usage("--workers %d: a worker works on one run at least", what.workers)
			}
			if err := p.shares("worker"); err != nil {
				return err
			}
			return p.serve(c.Context(), what, func(url string) {
				if url != "" {
					url = ", /healthz and /readyz at " + url
				}
				fmt.Fprintf(c.ErrOrStderr(), "fettle: working%s\n", url)
			})
		}),
	}
	c.Flags().StringVar(&what.addr, "addr", "", "`ADDRESS` at which /healthz and /readyz answer; none by default")
	c.Flags().IntVar(&what.workers, "workers", 2, "runs worked on at the same time")
	return c
}

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/eval"
)

// snapshotFile is where 'fettle eval' keeps what it measured.
var snapshotFile = filepath.Join(".fettle", "kpi_snapshot.json")

func newProgress() *cobra.Command {
	var file, evals, suite string
	var asJSON bool
	c := &cobra.Command{
		Use:   "progress",
		Short: "Show how the figures of 'fettle eval' went over time",
		Long: `progress lists what was measured of each suite and tier, the oldest first: how many
changes called ready were right, how many cases ended right, what a case took and cost,
and what changed since the measurement before, case by case, with the likelihood that
chance alone does as much. It reads .fettle/kpi_snapshot.json, the report of the last
run, and those in the folders of runs.`,
		Example: "  fettle progress\n  fettle progress --suite code_edit --json | jq '.[].all.success.rate'",
		Args:    noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if file == "" {
				file = snapshotFile
			}
			all, err := eval.Snapshots(file)
			if err != nil {
				return &exitError{exitUsage, err}
			}
			if evals == "" {
				evals = filepath.Join(".fettle", "eval")
			}
			reports, err := filepath.Glob(filepath.Join(evals, "*", "report.json"))
			if err != nil {
				return err
			}
			last := eval.Last(".")
			if _, err := os.Stat(last); err == nil {
				reports = append(reports, last)
			}
			for _, name := range reports {
				r, err := eval.Read(name)
				if err != nil {
					fmt.Fprintf(c.ErrOrStderr(), "left out: %v\n", err)
					continue
				}
				all = append(all, eval.Snap(r))
			}
			steps := []eval.Step{}
			for _, s := range eval.Progress(all) {
				if suite == "" || s.Suite == suite {
					steps = append(steps, s)
				}
			}
			switch {
			case asJSON:
				return writeJSON(c.OutOrStdout(), steps)
			case len(steps) == 0:
				return printLine(c.OutOrStdout(), "Nothing was measured yet: 'fettle eval --suite mechanical' does.")
			}
			w := tabwriter.NewWriter(c.OutOrStdout(), 0, 4, 2, ' ', 0)
			for i, s := range steps {
				if i == 0 || steps[i-1].Suite != s.Suite || steps[i-1].Tier != s.Tier {
					var rates []float64
					for _, o := range steps[i:] {
						if o.Suite == s.Suite && o.Tier == s.Tier {
							rates = append(rates, o.All.Success.Rate)
						}
					}
					if i > 0 {
						fmt.Fprintln(w)
					}
					fmt.Fprintf(w, "%s%s  %s\nWHEN\tFETTLE\tREADY AND RIGHT\tRIGHT\tMEDIAN S\tCOST A CASE\tSINCE\n", s.Suite, upTo(s.Tier), eval.Line(rates))
				}
				fmt.Fprintf(w, "%s\t%s\t%d of %d\t%d of %d\t%.1f\t%s\t%s\n", s.Started.Local().Format("2006-01-02 15:04"), s.Fettle, s.All.ReadyOK.N, s.All.ReadyOK.Of,
					s.All.Success.N, s.All.Cases, s.All.Seconds.Median, s.All.PerCase, s.Words())
			}
			return w.Flush()
		},
	}
	pathVar(c, &file, "snapshot", "", "read the snapshots in `FILE` (default .fettle/kpi_snapshot.json)")
	pathVar(c, &evals, "evals", "", "read the reports in the folders of `DIR`, too (default .fettle/eval)")
	c.Flags().StringVar(&suite, "suite", "", "only the suite `NAME`")
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return c
}

func upTo(tier string) string {
	if tier == "" {
		return ""
	}
	return ", up to " + tier
}

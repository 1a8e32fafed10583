package main

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/eval"
)

type evalFlags struct {
	cases, suite, tasks, out, tier string
	names, extra                   []string
	limit, jobs, repeat            int
	seed                           int64
	json                           bool
}

func newEval(g *global) *cobra.Command {
	f := &evalFlags{}
	c := &cobra.Command{
		Use:   "eval",
		Short: "Measure fettle on a suite of cases with held-back tests",
		Long: `eval lays each case of a suite out as a repository without history, has 'fettle fix'
or 'fettle ask' work on it in a process of its own, and judges what comes of it by
tests that were held back, in the sandbox. Cases run beside each other; each has its
own state, so that none learns of another.

The folder of the run (--out) holds the plan, a line for each result, the records of
the runs, and report.json, report.md and report.html. A run that was interrupted goes
on where the same command is given with its folder.

Tiers are those of the configuration, up to --tier. A suite holds archives (.txtar) or
folders, see eval/cases/README.md.

Exit status: 0 measured; 1 error; 2 usage; 5 no sandbox; 130 stopped.`,
		Example: `  fettle eval list
  fettle eval --suite mechanical --case 'practice/*'
  fettle eval --suite code_edit --tier mechanical --json | jq .all.success
  fettle eval --tasks ~/our-cases --repeat 3
  fettle eval gate before/report.json after/report.json`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c, g) },
	}
	c.PersistentFlags().Var((*pathFlag)(&f.cases), "cases", "the `DIR` of the suites (default eval/cases)")
	fl := c.Flags()
	fl.StringVar(&f.suite, "suite", "", "run the suite `NAME`")
	pathVar(c, &f.tasks, "tasks", "", "run cases of your own: a `PATH` of a case or a folder of cases")
	fl.StringSliceVar(&f.names, "case", nil, "of them only those that match `PATTERN`, such as 'practice/*'")
	fl.IntVar(&f.limit, "limit", 0, "of them only the first `N`")
	fl.StringVar(&f.tier, "tier", "", "climb no higher than `TIER`: mechanical, tier1, tier2 or tier3")
	fl.IntVar(&f.jobs, "jobs", 1, "run `N` cases at once")
	fl.IntVar(&f.repeat, "repeat", 1, "run each case `N` times")
	fl.Int64Var(&f.seed, "seed", 0, "let `N` decide the order of cases, and of what is equally likely")
	fl.StringSliceVar(&f.extra, "flag", nil, "give 'fettle fix' another `FLAG`, such as --max-candidates=100")
	pathVar(c, &f.out, "out", "", "the `DIR` of the run (default .fettle/eval/SUITE-TIME)")
	fl.BoolVar(&f.json, "json", false, "print the report as one JSON document")
	c.AddCommand(evalList(f))
	return c
}

// suites are those that the checkout has.
func (f *evalFlags) suites() ([]eval.Suite, error) {
	root := f.cases
	if root == "" {
		root = filepath.Join("eval", "cases")
	}
	all, err := eval.Suites(root)
	if errors.Is(err, os.ErrNotExist) {
		return nil, &exitError{exitUsage, err}
	}
	return all, err
}

func evalList(f *evalFlags) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List the suites", Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			all, err := f.suites()
			if err != nil {
				return err
			}
			type row struct {
				Suite string `json:"suite"`
				Cases int    `json:"cases"`
			}
			rows := []row{}
			for _, s := range all {
				rows = append(rows, row{s.Name, len(s.Cases)})
			}
			if asJSON {
				return writeJSON(c.OutOrStdout(), rows)
			}
			w := tabwriter.NewWriter(c.OutOrStdout(), 0, 4, 2, ' ', 0)
			fmt.Fprintln(w, "SUITE\tCASES")
			for _, r := range rows {
				fmt.Fprintf(w, "%s\t%d\n", r.Suite, r.Cases)
			}
			return w.Flush()
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return c
}

// chosen are the cases that the flags name.
func (f *evalFlags) chosen() (cases []eval.Case, err error) {
	switch {
	case (f.suite == "") == (f.tasks == ""):
		return nil, usage("give --suite NAME ('fettle eval list' shows them) or --tasks PATH, one of them")
	case f.tasks != "":
		if cases, err = eval.Load(f.tasks); err != nil {
			return nil, &exitError{exitUsage, err}
		}
	default:
		all, err := f.suites()
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(all, func(s eval.Suite) bool { return s.Name == f.suite })
		if at < 0 {
			return nil, usage("there is no suite %s; 'fettle eval list' shows them", f.suite)
		}
		cases = all[at].Cases
	}
	if len(f.names) > 0 {
		cases = slices.DeleteFunc(cases, func(c eval.Case) bool {
			return !slices.ContainsFunc(f.names, func(pattern string) bool { ok, _ := path.Match(pattern, c.Name); return ok })
		})
	}
	if f.limit > 0 {
		cases = cases[:min(f.limit, len(cases))]
	}
	if len(cases) == 0 {
		return nil, usage("no case is left to run; 'fettle eval list' shows the suites")
	}
	return cases, nil
}

func (f *evalFlags) run(c *cobra.Command, g *global) error {
	if f.jobs < 1 || f.repeat < 1 || f.limit < 0 {
		return usage("--jobs and --repeat take 1 or more, --limit 0 or more")
	}
	if f.tier != "" && task.Tier(f.tier).Rank() < 0 {
		return usage("--tier takes mechanical, tier1, tier2 or tier3, and got %q", f.tier)
	}
	cases, err := f.chosen()
	if err != nil {
		return err
	}
	p, err := g.load(c.ErrOrStderr())
	if err != nil {
		return err
	}
	defer p.close()
	box, err := p.sandbox(c.Context())
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	plan := eval.NewPlan(cases)
	plan.Tier, plan.Repeat, plan.Seed, plan.Extra, plan.Made = f.tier, f.repeat, f.seed, f.extra, versionWords()
	if len(p.set.Tiers) == 0 {
		plan.Tier = string(task.TierMechanical)
	}
	if f.out == "" {
		if f.out, err = filepath.Abs(filepath.Join(".fettle", "eval", plan.Suite+"-"+time.Now().UTC().Format("20060102T150405Z"))); err != nil {
			return err
		}
	}
	cfg := eval.Config{Plan: plan, Cases: cases, Jobs: f.jobs, Out: f.out, Fettle: self, Box: box, Prepare: func(dir string) (string, error) { return caseConfig(p.set.File, dir) }}
	if !g.quiet {
		cfg.Say = func(words string) { fmt.Fprintf(c.ErrOrStderr(), "eval: %s\n", p.funnel.Log(words)) }
	}
	results, err := eval.Run(c.Context(), cfg)
	if err != nil {
		return err
	}
	report := eval.Score(plan, results)
	if err := eval.Write(f.out, report); err != nil {
		return err
	}
	if f.json {
		return writeJSON(c.OutOrStdout(), report)
	}
	if _, err := fmt.Fprint(c.OutOrStdout(), eval.Table(report)); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "\nreports: %s\n", f.out)
	return err
}

// caseConfig writes the operator's configuration with a state of its own.
func caseConfig(file, dir string) (string, error) {
	said := map[string]any{}
	if file != "" {
		raw, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		if err := yaml.Unmarshal(raw, &said); err != nil {
			return "", err
		}
	}
	delete(said, "database")
	said["state_dir"], said["log"] = filepath.Join(dir, "state"), map[string]string{"format": "json", "level": "info"}
	raw, err := yaml.Marshal(said)
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "config.yml")
	return name, os.WriteFile(name, raw, 0o600)
}

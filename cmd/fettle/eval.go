package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/eval"
)

type evalFlags struct {
	cases, suite, tasks, out, tier string
	record, answers, bridge        string
	names, extra                   []string
	limit, jobs, repeat            int
	maxSeconds                     int
	seed                           int64
	snapshot                       string
	accept, json                   bool

	lacking []string // cases that cannot run on this machine, and why
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

The figures are kept in .fettle/kpi_snapshot.json, the report of the last run in
eval/last_report.json (.fettle/eval/last_report.json where there is no folder eval). A run that is worse than the one kept
before it of the same suite and tier, by more than noise, ends with 1, as 'fettle eval
gate' has it; 'fettle progress' shows how the figures went.

Tiers are those of the configuration, up to --tier. A suite holds archives (.txtar) or
folders, see eval/cases/README.md.

Exit status: 0 measured; 1 worse than before, or error; 2 usage; 5 no sandbox; 130 stopped.`,
		Example: `  fettle eval list
  fettle eval --suite mechanical --case 'practice/21-*'
  fettle eval --suite code_edit --tier mechanical --limit 1 --json | jq .all.success
  fettle eval --tasks ~/our-cases --repeat 3
  fettle eval gate before after`,
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
	fl.IntVar(&f.maxSeconds, "max-seconds", 0, "let each case work at most `N` seconds (default what the case says, else 300; with --bridge 1800)")
	fl.IntVar(&f.repeat, "repeat", 1, "run each case `N` times")
	fl.Int64Var(&f.seed, "seed", 0, "let `N` decide the order of cases, and of what is equally likely")
	fl.StringSliceVar(&f.extra, "flag", nil, "give 'fettle fix' another `FLAG`, such as --max-candidates=100")
	pathVar(c, &f.out, "out", "", "the `DIR` of the run (default .fettle/eval/SUITE-TIME)")
	fl.BoolVar(&f.json, "json", false, "print the report as one JSON document")
	pathVar(c, &f.snapshot, "snapshot", "", "hold the run against what is kept in `FILE`, and keep it there (default .fettle/kpi_snapshot.json)")
	fl.BoolVar(&f.accept, "accept", false, "take a run that is worse as what later ones are held against, too")
	pathVar(c, &f.record, "record", "", "keep the answers of the models in `DIR`")
	pathVar(c, &f.answers, "answers", "", "answer from what is kept in `DIR`; what is not there is an error that names the prompt")
	pathVar(c, &f.bridge, "bridge", "", "write each prompt to `DIR` as NAME.prompt.json, and wait for its answer in NAME.json")
	c.AddCommand(evalList(f), evalVerify(g, f), evalMine(g), evalImport(g), evalScore(), evalCompare(false), evalCompare(true))
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
	var suite string
	c := &cobra.Command{
		Use: "list", Short: "List the suites, or the cases of one", Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			all, err := f.suites()
			if err != nil {
				return err
			}
			if suite != "" {
				cases, err := casesOf(all, suite)
				if err != nil {
					return err
				}
				return printCases(c.OutOrStdout(), cases, asJSON)
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
	c.Flags().StringVar(&suite, "suite", "", "list the cases of the suite `NAME`")
	return c
}

func casesOf(all []eval.Suite, suite string) ([]eval.Case, error) {
	at := slices.IndexFunc(all, func(s eval.Suite) bool { return s.Name == suite })
	if at < 0 {
		return nil, usage("there is no suite %s; 'fettle eval list' shows them", suite)
	}
	return all[at].Cases, nil
}

// printCases lists cases, and says nothing of what they ask for.
func printCases(w io.Writer, cases []eval.Case, asJSON bool) error {
	type row struct {
		Case     string    `json:"case"`
		Kind     eval.Kind `json:"kind"`
		Language string    `json:"language"`
		Class    string    `json:"class"`
	}
	rows := []row{}
	for _, c := range cases {
		rows = append(rows, row{c.Name, c.Kind, c.Language, c.Class})
	}
	if asJSON {
		return writeJSON(w, rows)
	}
	table := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "CASE\tKIND\tLANGUAGE\tCLASS")
	for _, r := range rows {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", r.Case, r.Kind, r.Language, r.Class)
	}
	return table.Flush()
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
		if cases, err = casesOf(all, f.suite); err != nil {
			return nil, err
		}
	}
	if len(f.names) > 0 {
		cases = slices.DeleteFunc(cases, func(c eval.Case) bool {
			return !slices.ContainsFunc(f.names, func(pattern string) bool { ok, _ := path.Match(pattern, c.Name); return ok })
		})
	}
	if f.limit > 0 {
		cases = cases[:min(f.limit, len(cases))]
	}
	for _, c := range cases {
		if why := c.Lacks(); why != "" {
			f.lacking = append(f.lacking, c.Name+": "+why)
		}
	}
	cases = slices.DeleteFunc(cases, func(c eval.Case) bool { return c.Lacks() != "" })
	if len(cases) == 0 && len(f.lacking) > 0 {
		return nil, usage("no case can be run: %s", f.lacking[0])
	}
	if len(cases) == 0 {
		return nil, usage("no case is left to run; 'fettle eval list' shows the suites")
	}
	return cases, nil
}

func (f *evalFlags) run(c *cobra.Command, g *global) error {
	if f.jobs < 1 || f.repeat < 1 || f.limit < 0 || f.maxSeconds < 0 {
		return usage("--jobs and --repeat take 1 or more, --limit and --max-seconds 0 or more")
	}
	if setOf(f.record != "", f.answers != "", f.bridge != "") > 1 {
		return usage("--record, --answers and --bridge exclude each other")
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
	ctx, stop := context.WithCancel(c.Context())
	defer stop()
	say := func(string) {}
	if !g.quiet {
		say = func(words string) { fmt.Fprintf(c.ErrOrStderr(), "eval: %s\n", p.funnel.Log(words)) }
	}
	server, err := f.server(ctx, p.set, say)
	if err != nil {
		return err
	}
	if f.snapshot == "" {
		f.snapshot = snapshotFile
	}
	if _, err := eval.Snapshots(f.snapshot); err != nil { // told before hours are spent
		return &exitError{exitUsage, err}
	}
	plan := eval.NewPlan(cases)
	plan.Tier, plan.Repeat, plan.Seed, plan.Extra, plan.MaxSeconds, plan.Made = f.tier, f.repeat, f.seed, f.extra, f.maxSeconds, versionWords()
	if server.Waits() && plan.MaxSeconds == 0 {
		plan.MaxSeconds = 1800 // whoever answers takes time
	}
	if len(p.set.Tiers) == 0 {
		plan.Tier = string(task.TierMechanical)
	}
	if f.out == "" {
		if f.out, err = eval.Fresh(".", filepath.Join(".fettle", "eval", plan.Suite+"-"+time.Now().UTC().Format("20060102T150405Z"))); err != nil {
			return err
		}
	}
	cfg := eval.Config{Plan: plan, Cases: cases, Jobs: f.jobs, Out: f.out, Fettle: self, Box: box, Server: server, Say: say, Prepare: func(dir, name string) (string, error) { return caseConfig(p.set, server, dir, name) }}
	results, err := eval.Run(ctx, cfg)
	if err != nil {
		return err
	}
	report := eval.Score(plan, results)
	report.Skipped = skipped(plan, cases)
	if n := len(f.lacking); n > 0 {
		report.Skipped = strings.TrimSpace(fmt.Sprintf("%s Not run: %s, such as %s.", report.Skipped, task.Count(n, "case"), f.lacking[0]))
	}
	if err := eval.Write(f.out, report); err != nil {
		return err
	}
	worse, err := eval.Keep(f.snapshot, report, f.accept)
	if err == nil {
		err = eval.KeepLast(".", report)
	}
	if err != nil {
		return err
	}
	err = printed(c.OutOrStdout(), f.json, report, func(w io.Writer) error { return printf(w, "%s\nreports: %s\n", eval.Table(report), f.out) })
	if err != nil || len(worse) == 0 {
		return err
	}
	fmt.Fprintf(c.ErrOrStderr(), "worse than the snapshot before: %s\n", strings.Join(worse, "; "))
	if f.accept {
		return nil
	}
	return ending(exitRed)
}

// skipped says what the mechanical tier alone leaves out.
func skipped(plan eval.Plan, cases []eval.Case) string {
	asks := 0
	for _, c := range cases {
		if c.Kind == eval.Ask {
			asks++
		}
	}
	if plan.Tier != string(task.TierMechanical) {
		return ""
	}
	words := "No model was asked: the mechanical tier worked alone."
	if asks > 0 {
		words += fmt.Sprintf(" Of %s only the places that were found are measured, as there is no answer.", task.Count(asks, "question"))
	}
	return words
}

// server stands between the cases and their models, where a flag asks for that.
func (f *evalFlags) server(ctx context.Context, set *settings.Settings, say func(string)) (*eval.Server, error) {
	upstream := map[string]string{}
	for tier, t := range set.Tiers {
		upstream[string(tier)] = t.BaseURL
	}
	for mode, dir := range map[eval.Mode]string{eval.Record: f.record, eval.Answers: f.answers, eval.Bridge: f.bridge} {
		switch {
		case dir == "":
		case len(upstream) == 0:
			return nil, usage("--%s %s: the configuration has no tier; name at least one under tiers, with its prices", mode, dir)
		default:
			return eval.Serve(ctx, mode, dir, upstream, say)
		}
	}
	return nil, nil
}

// caseConfig writes the operator's configuration with a state of its own, and with the
// server in the place of the tiers' endpoints.
func caseConfig(set *settings.Settings, server *eval.Server, dir, name string) (string, error) {
	said := map[string]any{}
	if set.File != "" {
		raw, err := os.ReadFile(set.File)
		if err != nil {
			return "", err
		}
		if err := yaml.Unmarshal(raw, &said); err != nil {
			return "", err
		}
	}
	delete(said, "database")
	said["state_dir"], said["log"] = filepath.Join(dir, "state"), map[string]string{"format": "json", "level": "info"}
	if tiers, ok := said["tiers"].(map[string]any); ok && server != nil {
		delete(tiers, string(task.TierEmbeddings)) // nobody keeps or writes vectors
		for which, t := range tiers {
			if tier, ok := t.(map[string]any); ok {
				as := set.Tiers[task.Tier(which)]
				delete(tier, "preset")
				delete(tier, "substitute") // it would be asked behind the server's back
				if !server.Live() {
					delete(tier, "api_key_env")
					delete(tier, "api_key_file")
				}
				if server.Waits() {
					tier["timeout"] = "1h"
				}
				tier["base_url"], tier["model"], tier["price_in_per_mtok"], tier["price_out_per_mtok"] = server.URL(name, which), as.Model, as.PriceIn, as.PriceOut
			}
		}
	}
	raw, err := yaml.Marshal(said)
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "config.yml")
	return file, os.WriteFile(file, raw, 0o600)
}

func evalVerify(g *global, f *evalFlags) *cobra.Command {
	var suite, tasks string
	var times int
	c := &cobra.Command{
		Use: "verify", Short: "Prove the cases: each base fails, each reference answer passes", Args: noArgs,
		Long: "verify runs the held-back tests of each case in the sandbox, several times, on its\nrepository, where they have to fail, and with its reference answer, where they have\nto pass. A suite with a case that does not is refused: exit status 1.",
		RunE: func(c *cobra.Command, _ []string) error {
			var suites []eval.Suite
			var err error
			if tasks != "" {
				cases, failed := eval.Load(tasks)
				suites, err = []eval.Suite{{Name: tasks, Cases: cases}}, failed
			} else {
				suites, err = f.suites()
			}
			if err != nil {
				return &exitError{exitUsage, err}
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
			bad := 0
			for _, s := range suites {
				if suite != "" && s.Name != suite {
					continue
				}
				wrong, left := 0, 0
				for _, one := range s.Cases {
					if why := one.Lacks(); why != "" {
						left++
						fmt.Fprintf(c.OutOrStdout(), "%s/%s: not run: %s\n", s.Name, one.Name, why)
						continue
					}
					why, err := eval.Verify(c.Context(), box, one, times)
					if err != nil {
						return err
					}
					if why != "" {
						wrong++
						fmt.Fprintf(c.OutOrStdout(), "%s/%s: %s\n", s.Name, one.Name, p.funnel.Log(why))
					}
				}
				fmt.Fprintf(c.OutOrStdout(), "%s: %d of %s hold%s\n", s.Name, len(s.Cases)-wrong-left, task.Count(len(s.Cases), "case"), map[bool]string{true: fmt.Sprintf(", %d not run", left)}[left > 0])
				bad += wrong
			}
			if bad > 0 {
				return ending(exitRed)
			}
			return nil
		},
	}
	c.Flags().StringVar(&suite, "suite", "", "only the suite `NAME`")
	pathVar(c, &tasks, "tasks", "", "cases of your own: a `PATH` of a case or a folder of cases")
	c.Flags().IntVar(&times, "times", 3, "run everything `N` times, to find what is flaky")
	return c
}

func evalScore() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "score DIR", Short: "Make the figures of a recorded run again",
		Args: takes(1, 1, "the folder of one run"),
		RunE: func(c *cobra.Command, args []string) error {
			report, err := eval.Rescore(args[0])
			if err != nil {
				return &exitError{exitUsage, err}
			}
			return printed(c.OutOrStdout(), asJSON, report, func(w io.Writer) error { return printf(w, "%s", eval.Table(report)) })
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return c
}

// evalCompare holds two runs against each other; as a gate it fails on a regression.
func evalCompare(gate bool) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "compare BEFORE [AFTER]", Short: "Hold two runs of the same cases against each other",
		Long: "compare pairs the cases of two runs, each given by its folder or its report.json, the\nsecond being the last run where it is left out, and says which fell, which rose, and how likely that is by chance (McNemar's test, exact).",
		Args: takes(1, 2, "one or two runs: their folders or reports"),
		RunE: func(c *cobra.Command, args []string) error {
			before, err := eval.Read(args[0])
			if err != nil {
				return &exitError{exitUsage, err}
			}
			args = append(args, eval.Last("."))
			after, err := eval.Read(args[1])
			if err != nil {
				return &exitError{exitUsage, err}
			}
			got := eval.Compare(before, after)
			if got.Pairs == 0 {
				return usage("the two runs have no case in common")
			}
			err = printed(c.OutOrStdout(), asJSON, got, func(w io.Writer) error { return printf(w, "%v", got) })
			if err != nil || !gate {
				return err
			}
			if worse := got.Regressions(); len(worse) > 0 {
				fmt.Fprintf(c.ErrOrStderr(), "worse than before: %s\n", strings.Join(worse, "; "))
				return ending(exitRed)
			}
			return nil
		},
	}
	if gate {
		c.Use, c.Short = "gate BEFORE [AFTER]", "Fail where a run is worse than one before it"
		c.Long = "gate is compare, and ends with 1 where more cases fell than rose, more changes are\nwrongly called ready, or the cost grew by a tenth, by more than chance explains\n(p < 0.05). Seconds are shown and not judged: they depend on the machine."
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return c
}

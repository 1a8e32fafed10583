package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/eval"
)

// making are the flags of what makes cases.
type making struct {
	out         string
	times, jobs int
	json        bool
}

func (f *making) flags(c *cobra.Command) {
	pathVar(c, &f.out, "out", "", "write the cases below `DIR`, a folder for each set (default .fettle/cases)")
	c.Flags().IntVar(&f.times, "times", 3, "prove each case `N` times, to leave out what is flaky")
	c.Flags().IntVar(&f.jobs, "jobs", 1, "work on `N` cases at once")
	c.Flags().BoolVar(&f.json, "json", false, "print one JSON document")
}

// make calls for each set of cases, and prints what came of it.
func (f *making) make(c *cobra.Command, g *global, sets func(m eval.Maker, each func(eval.Made) error) error) error {
	if f.times < 1 || f.jobs < 1 {
		return usage("--times and --jobs take 1 or more")
	}
	p, err := g.load(c.ErrOrStderr())
	if err != nil {
		return err
	}
	defer p.close()
	m := eval.Maker{Out: f.out, Times: f.times, Jobs: f.jobs, Log: p.log}
	if m.Box, err = p.sandbox(c.Context()); err != nil {
		return err
	}
	if m.Trees, err = p.checkouts(); err != nil {
		return err
	}
	if m.Out == "" {
		if m.Out, err = eval.Folder(".", filepath.Join(".fettle", "cases")); err != nil {
			return err
		}
	}
	if !g.quiet {
		m.Say = func(words string) { fmt.Fprintf(c.ErrOrStderr(), "eval: %s\n", p.funnel.Log(words)) }
	}
	all := []eval.Made{}
	err = sets(m, func(made eval.Made) error {
		for i := range made.Dropped { // a stranger named them, and tests failed in their own words
			d := &made.Dropped[i]
			d.Name, d.Title, d.Why = p.funnel.Log(d.Name), p.funnel.Log(d.Title), p.funnel.Log(d.Why)
		}
		all = append(all, made)
		if f.json {
			return nil
		}
		return tellMade(c.OutOrStdout(), m.Out, made)
	})
	if err == nil && f.json {
		err = writeJSON(c.OutOrStdout(), all)
	}
	return err
}

// tellMade says how many cases hold, and why the others were left.
func tellMade(w io.Writer, dir string, m eval.Made) error {
	fmt.Fprintf(w, "%s: %s of %s, of %d looked at\n", m.Set, task.Count(len(m.Cases), "case"), task.Count(m.Candidates, "candidate"), m.Looked)
	for _, class := range slices.SortedFunc(maps.Keys(m.Reasons), func(a, b string) int {
		return cmp.Or(cmp.Compare(m.Reasons[b], m.Reasons[a]), cmp.Compare(a, b))
	}) {
		fmt.Fprintf(w, "%5d dropped: %s\n", m.Reasons[class], class)
		for _, d := range m.Dropped {
			if d.Class == class {
				why, _, _ := strings.Cut(d.Why, "\n")
				fmt.Fprintf(w, "        %s %s\n", d.Name, why)
			}
		}
	}
	if len(m.Cases) == 0 {
		return nil
	}
	return printf(w, "run them: fettle eval --tasks %s\n", filepath.Join(dir, m.Set))
}

func evalMine(g *global) *cobra.Command {
	f, span := &making{}, eval.Span{}
	c := &cobra.Command{
		Use: "mine CLONE…", Short: "Make cases of the fixes in a project's own history",
		Long: `mine looks through the history of local clones for commits and merges whose message
closes an issue or speaks of a fix, and that change code and its tests. Each becomes a
case: the tree before it, without history; its message as what is asked; its tests held
back; the rest of it as the reference answer. A case is kept where the tests fail
before and pass after, as many times as --times says. The others are counted with why.

The clone is only read. What its tests need has to be installed on this machine, as a
case holds nothing but the project's files.`,
		Example: "  fettle eval mine ~/src/our-project --commits 2000 --out our-cases\n  fettle eval --tasks our-cases/our-project",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("give at least one local clone")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if span.Commits < 1 || span.Lines < 1 || span.Cases < 0 {
				return usage("--commits and --lines take 1 or more, --limit 0 or more")
			}
			return f.make(c, g, func(m eval.Maker, each func(eval.Made) error) error {
				for _, dir := range args {
					made, err := m.Mine(c.Context(), dir, span)
					if err != nil {
						return wrongly(err, checkout.ErrNoRef, checkout.ErrNoCopy, checkout.ErrNotDirectory, checkout.ErrEmpty)
					}
					if err := each(made); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	f.flags(c)
	c.Flags().IntVar(&span.Commits, "commits", 1000, "look at the latest `N` commits and merges of the branch that is checked out")
	c.Flags().IntVar(&span.Lines, "lines", 60, "take fixes that change at most `N` lines of code")
	c.Flags().IntVar(&span.Cases, "limit", 0, "stop at `N` cases of a clone")
	return c
}

func evalImport(g *global) *cobra.Command {
	f := &making{}
	var clones, tests string
	c := &cobra.Command{
		Use: "import SET", Short: "Make cases of a set that others wrote",
		Long: `import takes a file in the format of SWE-bench, one JSON object a line (instance_id, repo,
base_commit, problem_statement, test_patch, patch, FAIL_TO_PASS, PASS_TO_PASS), with
local clones of its repositories below --clones as OWNER/NAME, OWNER__NAME or NAME; or
a folder with a folder for each case, which holds the program before (before, buggy,
broken) and after (after, fixed, correct, solution), the tests over both (tests,
heldback) and what is wrong (issue.md, description.md, README.md). Cases that are in
the form of eval/cases need no import: run them with --tasks.

A case is kept where its tests fail before and pass after, as many times as --times
says. The others are counted with why.`,
		Example: "  fettle eval import swe-bench-lite.jsonl --clones ~/src --out cases\n  fettle eval import ~/bugs --out cases --test-command 'python3 -m pytest -q'",
		Args:    takes(1, 1, "a file or a folder"),
		RunE: func(c *cobra.Command, args []string) error {
			info, err := os.Stat(args[0])
			if err != nil {
				return &exitError{exitUsage, err}
			}
			if info.IsDir() {
				dir, err := filepath.Abs(args[0])
				if err != nil {
					return err
				}
				return f.make(c, g, func(m eval.Maker, each func(eval.Made) error) error {
					made, err := m.ImportFolders(c.Context(), dir, strings.Fields(tests))
					switch {
					case err != nil:
						return err
					case made.Looked == 0:
						return usage("%s holds no folder: a set has one for each case", dir)
					}
					return each(made)
				})
			}
			if clones == "" || tests != "" {
				return usage("a file names repositories and tests: give the folder of their clones with --clones, and no --test-command")
			}
			all, err := instancesIn(args[0])
			if err != nil {
				return &exitError{exitUsage, fmt.Errorf("reading %s: %w", args[0], err)}
			}
			return f.make(c, g, func(m eval.Maker, each func(eval.Made) error) error {
				made, err := m.Import(c.Context(), strings.TrimSuffix(filepath.Base(args[0]), filepath.Ext(args[0])), all, clones)
				if err != nil {
					return err
				}
				return each(made)
			})
		},
	}
	f.flags(c)
	pathVar(c, &clones, "clones", "", "the `DIR` of local clones of the repositories that a file names")
	c.Flags().StringVar(&tests, "test-command", "", "run the tests of a folder's cases by `COMMAND` (default: as they are found)")
	return c
}

func instancesIn(name string) ([]eval.Instance, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return eval.Instances(file)
}

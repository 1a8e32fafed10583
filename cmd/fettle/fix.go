package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/loop"
	"github.com/fettle-dev/fettle/bot/mend"
	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

type fixFlags struct {
	repo, issue string
	apply       string
	json        bool
	tests       bool
	maxCost     float64
	maxSeconds  int
	maxTier     string
	scope       []string
	gates       []string
	mending     task.Mending
	explain     bool
}

// What --apply writes.
const (
	applyReady = "ready"
	applyDraft = "draft"
)

func newFix(g *global) *cobra.Command {
	f := &fixFlags{}
	c := &cobra.Command{
		Use:   "fix --issue FILE|-",
		Short: "Mend an issue in a folder and show the diff",
		Long: `fix works on a copy of the folder, finds and mends the fault that the issue
describes, proves the change with the folder's own tests, and shows the diff.
The folder itself is not touched, but for .fettle/ with the record of the run,
unless --apply is given: then a change that is proved is written into it, and
with --apply=draft also one that waits for your decision.

The issue's first line is its title, the rest its body.

Exit status: 0 fixed and proved; 1 error; 2 usage or configuration; 3 tried
everything within the limits; 4 a change that waits for your decision; 5
refused (nothing to check, no sandbox); 130 stopped.`,
		Example: `  fettle fix --repo . --issue bug.md
  echo "median() is wrong for even lists" | fettle fix --repo . --issue -
  fettle fix --repo . --issue bug.md --apply --max-tier mechanical
  fettle fix --repo . --issue bug.md --json | jq .diff -r`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c, g) },
	}
	fl := c.Flags()
	pathVar(c, &f.repo, "repo", ".", "the `DIR` to work on: a working copy or a plain folder")
	pathVar(c, &f.issue, "issue", "", "the issue's `FILE`, or - for standard input")
	fl.StringVar(&f.apply, "apply", "", "write the change into DIR when it is ready, or also as a `draft`: --apply=draft")
	fl.Lookup("apply").NoOptDefVal = applyReady
	fl.BoolVar(&f.tests, "with-tests", false, "write nominal and edge cases of the changed functions, too")
	fl.Float64Var(&f.maxCost, "max-cost", 0, "spend at most `USD` (default from the configuration, $1)")
	fl.IntVar(&f.maxSeconds, "max-seconds", 0, "work at most `N` seconds (default from the configuration, 30 minutes)")
	fl.StringVar(&f.maxTier, "max-tier", "", "climb no higher than `TIER`: mechanical, tier1, tier2 or tier3")
	fl.StringSliceVar(&f.scope, "scope", nil, "change only what matches `PATH` (may be given several times)")
	fl.StringSliceVar(&f.gates, "ask", nil, "wait for your yes at `GATE`: plan, critical (steps, risk over 50, protected files)")
	fl.StringSliceVar(&f.mending.Without, "without", nil, "leave `PART` of mechanical repair out, to measure what it is worth: "+strings.Join(mend.Parts(), ", "))
	fl.Int64Var(&f.mending.Seed, "seed", 0, "let `N` decide in which order mechanical repair tries what is equally likely; a seed gives the same change on every machine")
	fl.IntVar(&f.mending.MaxCandidates, "max-candidates", 0, "let mechanical repair try at most `N` changes (default 5000)")
	fl.BoolVar(&f.explain, "explain", false, "say why mechanical repair looked where it did, and what it rejected")
	fl.BoolVar(&f.json, "json", false, "print one JSON document on stdout and nothing else there")
	if err := fl.MarkHidden("without"); err != nil {
		panic(err) // the flag is defined above
	}
	return c
}

func noArgs(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage("%s takes no arguments, and got %q; see '%s --help'", c.CommandPath(), args[0], c.CommandPath())
	}
	return nil
}

func (f *fixFlags) run(c *cobra.Command, g *global) error {
	p, err := g.load(c.ErrOrStderr())
	if err != nil {
		return err
	}
	if f.apply != "" && f.apply != applyReady && f.apply != applyDraft {
		return usage("--apply takes ready, which is what it means alone, or draft, and got %q", f.apply)
	}
	budget, err := f.budget(p.set.Budget, c.Flags().Changed("max-cost"))
	if err != nil {
		return err
	}
	title, body, err := readIssue(f.issue, c.InOrStdin())
	if err != nil {
		return err
	}
	dir, err := folder(f.repo)
	if err != nil {
		return err
	}
	scope, err := scopeIn(dir, f.scope)
	if err != nil {
		return err
	}
	gates, err := f.ask(p.set.Gates)
	if err != nil {
		return err
	}
	if err := f.searched(); err != nil {
		return err
	}
	defer p.close()
	show := newShow(c.ErrOrStderr(), g.quiet)
	pub := &bot.Local{Dir: dir, Apply: f.apply != "", Drafts: f.apply == applyDraft, Show: show.progress}
	ctx, cancel := stoppable(c.Context())
	defer cancel()
	id, runErr := p.fix(ctx, pub, task.Task{Title: title, Body: body, Origin: task.OriginCLI, WithTests: f.tests, Repo: task.Repo{Dir: dir}, Mending: f.mending}, budget, patch.Guard{Scope: scope}, gates)
	show.done()
	if put := asideOf(id, runErr); put != nil {
		return put.print(p, c.OutOrStdout(), c.ErrOrStderr(), f.json)
	}
	if pub.Summary.RunID == "" && runErr != nil {
		return runErr
	}
	if err := printSummary(c.OutOrStdout(), pub.Summary, f.json); err != nil {
		return err
	}
	if f.explain && !f.json {
		if err := printSearch(c.OutOrStdout(), pub.Summary.Search); err != nil {
			return err
		}
	}
	if runErr != nil {
		return runErr
	}
	return endingOf(pub.Summary.Outcome, pub.Summary.Draft)
}

// stoppable turns the end of a command's context, which is a signal, into the
// outcome cancelled: the run ends with its record instead of waiting for ever
// for a worker that does not exist.
func stoppable(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(parent))
	stop := context.AfterFunc(parent, func() {
		cancel(&loop.Stop{Outcome: task.Cancelled, Reason: context.Cause(parent).Error()})
	})
	return ctx, func() { stop(); cancel(nil) }
}

// fix runs one task on a folder through the same service as every other door,
// and says which run it was.
func (p *parts) fix(ctx context.Context, pub *bot.Local, t task.Task, budget task.Budget, guard patch.Guard, gates task.Gates) (id string, err error) {
	trees, err := p.checkouts()
	if err != nil {
		return "", err
	}
	db, err := p.openRuns(ctx)
	if err != nil {
		return "", err
	}
	defer db.Close()
	r, _, err := db.CreateRun(ctx, store.NewRun{ID: newID(), Task: t, Budget: budget})
	if err != nil {
		return "", fmt.Errorf("writing the run down: %w", err)
	}
	lease, r, err := db.ClaimRun(ctx, r.ID)
	if err != nil {
		return "", fmt.Errorf("starting the run: %w", err)
	}
	_, _, err = p.bot(db).Run(ctx, lease, r, bot.Job{
		Open: func(ctx context.Context) (*checkout.Tree, error) {
			tree, err := trees.OpenDir(ctx, t.Repo.Dir)
			if err != nil {
				return nil, &exitError{exitUsage, err}
			}
			pub.Base = tree.BaseFS()
			return tree, nil
		},
		Publisher: pub, Guard: guard, Gates: gates,
	})
	return r.ID, err
}

// ask adds the gates of --ask.
func (f *fixFlags) ask(g task.Gates) (task.Gates, error) {
	for _, name := range f.gates {
		switch name {
		case "plan":
			g.Plan = true
		case "critical":
			g.Critical, g.RiskOver = true, settings.AskedRisk
		default:
			return g, usage("--ask takes plan or critical, and got %q", name)
		}
	}
	return g, nil
}

// searched checks what is asked of mechanical repair.
func (f *fixFlags) searched() error {
	if f.mending.MaxCandidates < 0 {
		return usage("--max-candidates takes a number that is not negative")
	}
	for _, part := range f.mending.Without {
		if !slices.Contains(mend.Parts(), part) {
			return usage("--without takes %s, and got %q", strings.Join(mend.Parts(), ", "), part)
		}
	}
	return nil
}

func (f *fixFlags) budget(b task.Budget, costSaid bool) (task.Budget, error) {
	if f.maxCost < 0 || f.maxSeconds < 0 {
		return b, usage("--max-cost and --max-seconds take figures that are not negative")
	}
	if costSaid {
		// A zero field would mean the default; nothing costs less than this.
		b.USD = max(task.Dollars(f.maxCost), 1)
	}
	if f.maxSeconds > 0 {
		b.Duration = time.Duration(f.maxSeconds) * time.Second
	}
	if f.maxTier != "" {
		b.MaxTier = task.Tier(f.maxTier)
		if b.MaxTier.Rank() < 0 {
			return b, usage("--max-tier takes mechanical, tier1, tier2 or tier3, and got %q", f.maxTier)
		}
	}
	return b, nil
}

// folder is the absolute path of a folder that exists.
func folder(name string) (string, error) {
	dir, err := settings.Path(name, "")
	if err != nil {
		return "", usage("finding %s: %w", name, err)
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", usage("there is no folder %s; give the repository with --repo DIR", name)
	case err != nil:
		return "", usage("looking at %s: %w", name, err)
	case !info.IsDir():
		return "", usage("%s is not a folder; give the repository with --repo DIR", name)
	}
	return dir, nil
}

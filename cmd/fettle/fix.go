package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
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
	words       []string // in the place of an issue
	apply       string
	json        bool
	tests       bool
	green       bool
	profile     string
	maxCost     float64
	maxSeconds  int
	maxSteps    int
	maxTier     string
	scope       []string
	gates       []string
	interactive bool
	commit      bool
	branch      string
	mending     task.Mending
	explain     bool
	typed       *typist      // with interactive: answers
	aside       func(func()) // does what needs the terminal for itself; nil: it is free
}

// What --apply writes.
const (
	applyReady = "ready"
	applyDraft = "draft"
)

func newFix(g *global) *cobra.Command {
	f := &fixFlags{}
	c := &cobra.Command{
		Use:   "fix [WORDS | --issue FILE|-|URL|#N | --fix-until-green]",
		Short: "Mend an issue in a folder and show the diff",
		Long: `fix works on a copy of the folder, finds and mends the fault that the issue
describes, proves the change with the folder's own tests, and shows the diff.
The folder itself is not touched, but for .fettle/ with the record of the run,
unless --apply is given: then a change that is proved is written into it, and
with --apply=draft also one that waits for your decision. 'fettle undo' takes it
back, 'fettle apply' writes it later.

What is asked are words, or an issue: a file whose first line is its title and
the rest its body, standard input, or an issue on GitHub with its comments (by
the token in GITHUB_TOKEN or of 'gh auth login'). With --fix-until-green it is
the failing checks of the folder, one after the other until all are green.

--commit makes a commit of the change on the branch that is checked out; with
--branch NAME it starts a branch there, and no file of the folder is touched.

Profiles: safe waits for your yes to the plan and before it writes, and spends at
most $0.25 and 10 minutes; standard is what the operator's file says; aggressive
has $3 and an hour where that file says nothing of budget.usd and budget.minutes.
With --interactive you are asked at the terminal, else the run waits for 'fettle
runs approve'.

In a terminal the step, time, cost and the last attempt's diff are shown below the
lines while it works; ctrl-c stops with the best attempt so far, a second one at once.
With NO_COLOR, CI or ACCESSIBLE set there are lines alone.

Exit status: 0 fixed and proved; 1 error; 2 usage or configuration; 3 tried
everything within the limits; 4 a change that waits for your decision; 5
refused (nothing to check, no sandbox); 130 stopped.`,
		Example: `  fettle fix "median([1, 2, 3, 4]) gives 3, expected 2.5"
  fettle fix --issue bug.md
  fettle fix --issue '#17' --apply
  fettle fix --fix-until-green --commit --branch green
  fettle fix --issue bug.md --profile safe --interactive
  fettle fix --issue bug.md --json | jq .diff -r`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			f.words = args
			return f.run(c, g)
		},
	}
	fl := c.Flags()
	pathVar(c, &f.repo, "repo", ".", "the `DIR` to work on: a working copy or a plain folder")
	issueVar(c, &f.issue, "the issue: a `FILE`, - for standard input, or #N or its address on GitHub")
	fl.BoolVar(&f.green, "fix-until-green", false, "take the failing checks for the issue, until all are green or a limit is reached")
	fl.StringVar(&f.apply, "apply", "", "write the change into DIR when it is ready, or also as a `draft`: --apply=draft")
	fl.Lookup("apply").NoOptDefVal = applyReady
	fl.BoolVar(&f.commit, "commit", false, "commit the change when it is ready")
	fl.StringVar(&f.branch, "branch", "", "with --commit: on a new branch `NAME`, and leave the files alone")
	fl.BoolVar(&f.tests, "with-tests", false, "write nominal and edge cases of the changed functions, too")
	fl.StringVar(&f.profile, "profile", "standard", "limits and gates: safe, standard or aggressive (`PROFILE`)")
	fl.Float64Var(&f.maxCost, "max-cost", 0, "spend at most `USD` (default from the configuration, $1)")
	fl.IntVar(&f.maxSeconds, "max-seconds", 0, "work at most `N` seconds (default from the configuration, 30 minutes)")
	fl.IntVar(&f.maxSteps, "max-steps", 0, "make plans of at most `N` steps (default 12)")
	fl.StringVar(&f.maxTier, "max-tier", "", "climb no higher than `TIER`: mechanical, tier1, tier2 or tier3")
	fl.StringSliceVar(&f.scope, "scope", nil, "change only what matches `PATH` (may be given several times)")
	fl.StringSliceVar(&f.gates, "ask", nil, "wait for your yes at `GATE`: plan, critical (steps, risk over 50, protected files)")
	fl.BoolVarP(&f.interactive, "interactive", "i", false, "ask here where the run would wait for your answer, and before the change is written")
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

func (f *fixFlags) run(c *cobra.Command, g *global) error {
	if err := f.valid(); err != nil {
		return err
	}
	p, err := g.load(c.ErrOrStderr())
	if err != nil {
		return err
	}
	o, dir, err := f.order(p, c.Flags().Changed("max-cost"))
	if err != nil {
		return err
	}
	o.answer = f.asker(c)
	asked, err := f.asked(c, p, dir)
	if err != nil {
		return err
	}
	var to *landing
	if f.commit {
		if to, err = p.landing(c.Context(), dir, f.branch); err != nil {
			return err
		}
	}
	defer p.close()
	o.task = f.task(asked, dir)
	show := newShow(c.ErrOrStderr(), g.quiet)
	o.watch = show.run
	pub := &bot.Local{Dir: dir, Apply: f.apply != "" || f.commit, Drafts: f.apply == applyDraft, May: f.may(c, p), Show: show.progress}
	if to != nil {
		pub.Commit = to.commit
	}
	ctx, cancel := stoppable(c.Context())
	defer cancel()
	if screen, ok := liveOn(c.ErrOrStderr()); ok && !g.quiet {
		show.live = startLive(c.Context(), screen, c.InOrStdin(), o.budget.Duration)
		f.aside = show.aside
		p.log.SetOutput(show)
	}
	var id string
	var runErr error
	if f.green {
		id, runErr = p.untilGreen(ctx, pub, o)
	} else {
		id, runErr = p.fix(ctx, pub, o)
	}
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

// mayWrite is access(2)'s W_OK, a number on each system.
const mayWrite = 2

// order is what the flags say of a run but for its words, and the folder.
func (f *fixFlags) order(p *parts, costSaid bool) (o order, dir string, err error) {
	if o.gates, err = f.ask(p.set.Gates); err != nil {
		return o, "", err
	}
	if o.budget, err = f.budget(p.set.Budget, p.set.BudgetSaid, costSaid); err != nil {
		return o, "", err
	}
	if dir, err = folder(f.repo); err != nil {
		return o, "", err
	}
	if err := syscall.Access(dir, mayWrite); err != nil {
		return o, "", usage("%s cannot be written: %w; the record of a run is kept there, in .fettle: give a copy of it with --repo", dir, err)
	}
	o.guard.Scope, err = scopeIn(dir, f.scope)
	return o, dir, err
}

func (f *fixFlags) task(asked words, dir string) task.Task {
	return task.Task{Title: asked.title, Body: asked.body, IssueURL: asked.url, Origin: task.OriginCLI, WithTests: f.tests, Repo: task.Repo{Dir: dir}, Mending: f.mending}
}

// valid checks what the flags say together.
func (f *fixFlags) valid() error {
	switch {
	case f.apply != "" && f.apply != applyReady && f.apply != applyDraft:
		return usage("--apply takes ready, which is what it means alone, or draft, and got %q", f.apply)
	case setOf(len(f.words) > 0, f.issue != "", f.green) > 1:
		return usage("words, --issue and --fix-until-green exclude each other; put the words into the issue")
	case f.branch != "" && !f.commit:
		return usage("--branch says where the commit goes; add --commit")
	case f.commit && f.apply != "":
		return usage("--commit and --apply exclude each other; a commit writes the files, too, unless --branch is given")
	case f.branch != "" && !checkout.ValidBranch(f.branch):
		return usage("%q can be no branch; give another name with --branch", f.branch)
	case f.interactive && f.issue == "-":
		return usage("standard input cannot hold both the issue and your answers; give the issue as a file")
	case f.maxSteps < 0:
		return usage("--max-steps takes a number that is not negative")
	case profiles[f.profile] == nil:
		return usage("--profile takes safe, standard or aggressive, and got %q", f.profile)
	}
	return f.searched()
}

// asked is the issue. Of --fix-until-green it is found later.
func (f *fixFlags) asked(c *cobra.Command, p *parts, dir string) (words, error) {
	switch {
	case f.green:
		return words{}, nil
	case len(f.words) > 0:
		title, body, err := readIssue("-", strings.NewReader(strings.Join(f.words, " ")))
		return words{title: title, body: body}, err
	}
	return p.issue(c.Context(), f.issue, dir, c.InOrStdin())
}

// profiles change gates and limits; what a flag says comes after. What the operator's file
// says of the budget, and its gates, are never widened.
var profiles = map[string]func(b *task.Budget, said task.Budget, g *task.Gates){
	"safe": func(b *task.Budget, _ task.Budget, g *task.Gates) {
		b.USD, b.Duration = min(b.USD, task.Dollars(0.25)), min(b.Duration, 10*time.Minute)
		g.Plan, g.PlanFirst, g.Critical, g.RiskOver = true, true, true, settings.AskedRisk
	},
	"standard": func(*task.Budget, task.Budget, *task.Gates) {},
	"aggressive": func(b *task.Budget, said task.Budget, _ *task.Gates) {
		if said.USD == 0 {
			b.USD = task.Dollars(3)
		}
		if said.Duration == 0 {
			b.Duration = time.Hour
		}
	},
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

// order is a run as it is asked for.
type order struct {
	task   task.Task
	budget task.Budget
	guard  patch.Guard
	gates  task.Gates
	over   []string                            // diffs that the folder is seen with
	answer func(task.Gate, string) task.Answer // nil: the run waits where it has a question
	watch  func(task.Run)                      // is shown the run as it is stored, at each step; may be nil
}

// fix runs one task on a folder through the same service as every other door,
// and says which run it was.
func (p *parts) fix(ctx context.Context, pub *bot.Local, o order) (string, error) {
	db, err := p.openRuns(ctx)
	if err != nil {
		return "", err
	}
	defer db.Close()
	r, _, err := db.CreateRun(ctx, store.NewRun{ID: newID(), Task: o.task, Budget: o.budget})
	if err != nil {
		return "", fmt.Errorf("writing the run down: %w", err)
	}
	return r.ID, p.carry(ctx, db, pub, r.ID, o)
}

// carry works on a run until it ends, or waits for somebody that o does not ask.
func (p *parts) carry(ctx context.Context, db *store.Store, pub *bot.Local, id string, o order) error {
	if show := pub.Show; show != nil && o.watch != nil {
		pub.Show = func(at task.Progress) {
			show(at)
			if now, err := db.Run(ctx, id); err == nil { // it is a picture: without it the run goes on
				o.watch(now)
			}
		}
		defer func() { pub.Show = show }()
	}
	err := p.work(ctx, db, pub, id, o)
	for o.answer != nil && errors.Is(err, bot.ErrWaits) {
		r, err := db.Run(ctx, id)
		if err != nil || r.Waiting == nil {
			return err
		}
		diff := ""
		if n := r.Waiting.Attempt; n > 0 {
			diff = r.Saved.Change(n)
		}
		said := o.answer(*r.Waiting, diff)
		if said.By == "" {
			return bot.ErrWaits
		}
		if _, err := p.bot(db).Answer(ctx, id, said); err != nil {
			return err
		}
		if err := p.work(ctx, db, pub, id, o); !errors.Is(err, bot.ErrWaits) {
			return err
		}
	}
	return err
}

// ask adds the gates of --profile and --ask.
func (f *fixFlags) ask(g task.Gates) (task.Gates, error) {
	profiles[f.profile](&task.Budget{}, task.Budget{}, &g)
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

func (f *fixFlags) budget(b, said task.Budget, costSaid bool) (task.Budget, error) {
	if f.maxCost < 0 || f.maxSeconds < 0 {
		return b, usage("--max-cost and --max-seconds take figures that are not negative")
	}
	profiles[f.profile](&b, said, &task.Gates{})
	if f.maxSteps > 0 {
		b.Steps = f.maxSteps
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

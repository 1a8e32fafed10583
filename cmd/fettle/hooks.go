package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/check"
	"github.com/fettle-dev/fettle/hooks/prepush"
)

func newHooks(g *global) *cobra.Command {
	c := &cobra.Command{
		Use:   "hooks",
		Short: "Check what is pushed, before it leaves (a Git pre-push hook)",
		Long: `hooks puts a pre-push hook into the repository of the current folder. From then
on 'git push' checks what it sends: the fast checks of 'fettle check --fast' on
the commits that the remote does not have, as they were committed, whatever
stands in the working copy; and their risk. Red stops the push and says why;
'git push --no-verify' pushes all the same.

Settings, in git config:
  fettle.fixOnPush   off (default): say why it is red; ask: ask at the terminal
                     whether to mend it; on: mend it and leave the change as a
                     commit that can be taken
  fettle.fixSeconds  how long mending may take (default 60)
  fettle.trust       true: run the checks without the sandbox. It counts in the
                     repository's own configuration only`,
		Example: `  fettle hooks install
  fettle hooks run                       # as if the current branch were pushed
  git config fettle.fixOnPush ask
  fettle hooks uninstall`,
	}
	holdsCommands(c)
	c.AddCommand(newHooksInstall(), newHooksUninstall(), newHooksRun(g))
	return c
}

func newHooksInstall() *cobra.Command {
	return &cobra.Command{
		Use:   "install",
		Short: "Put the hook into the repository of the current folder",
		Long: `install writes a pre-push hook. A hook that is there goes on: fettle's lines
stand at its beginning, and it runs when these are green. pre-commit's hook stays
as it is and runs fettle's beside it. Where core.hooksPath names a folder (husky,
a folder of your own, one for all repositories), nothing is written into that:
this repository's configuration names a folder in .git whose hooks run those.

It may be called again: after fettle was moved, or after a hook manager has
written its hooks anew.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			program, err := os.Executable()
			if err != nil {
				return fmt.Errorf("finding where fettle is: %w", err)
			}
			return changeHooks(c, func(r *prepush.Repo) ([]string, error) {
				said, err := r.Install(c.Context(), program)
				if err == nil {
					said = append(said, "try it with 'fettle hooks run'; take it out with 'fettle hooks uninstall'")
				}
				return said, err
			})
		},
	}
}

func newHooksUninstall() *cobra.Command {
	return &cobra.Command{
		Use:   "uninstall",
		Short: "Take the hook out, and leave what was there before as it was",
		Args:  noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return changeHooks(c, func(r *prepush.Repo) ([]string, error) {
				said, err := r.Uninstall(c.Context())
				if len(said) == 0 && err == nil {
					said = []string{"there is no hook of fettle's in this repository"}
				}
				return said, err
			})
		},
	}
}

// changeHooks changes the hooks of the repository of the current folder.
func changeHooks(c *cobra.Command, change func(*prepush.Repo) ([]string, error)) error {
	repo, err := prepush.Find(c.Context(), ".")
	if err != nil {
		return &exitError{exitUsage, err}
	}
	said, err := change(repo)
	for _, words := range said {
		fmt.Fprintln(c.OutOrStdout(), clean(words))
	}
	return err
}

func newHooksRun(g *global) *cobra.Command {
	return &cobra.Command{
		Use:   "run [-- REMOTE URL]",
		Short: "What the hook does: check what a push brings",
		Long: `run is what the pre-push hook calls. Git gives it the remote, and on standard
input a line for each ref. Without arguments it does what a push of the current
branch to its remote would do, and pushes nothing.

Exit status: 0 the push may go on: green, or not everything could be checked,
which is said; 1 red; 2 usage or configuration; 130 stopped.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 || len(args) > 2 {
				return usage("hooks run takes the remote and its address, as Git gives them, or nothing; and got %q", args)
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			h := &pushed{global: g, out: c.ErrOrStderr()} // standard output is that of git push --porcelain
			err := h.run(c.Context(), args, c.InOrStdin())
			if c.Context().Err() != nil {
				fmt.Fprintln(h.out, "fettle: stopped; the push is stopped with it")
			}
			return err
		},
	}
}

// maxPushed bounds how many commits of one push are checked: 'git push --all' may
// bring dozens of old branches.
const maxPushed = 5

// pushed is one run of the hook.
type pushed struct {
	*global
	*parts
	repo *prepush.Repo
	set  prepush.Settings

	remote string
	trees  *checkout.Store
	out    io.Writer
}

func (h *pushed) run(ctx context.Context, args []string, in io.Reader) (err error) {
	if h.repo, err = prepush.Find(ctx, "."); err != nil {
		return &exitError{exitUsage, err}
	}
	pushes, err := h.asked(ctx, args, in)
	if err != nil || len(pushes) == 0 {
		return h.unchecked(ctx, err)
	}
	if h.set, err = h.repo.Settings(ctx); err != nil {
		return &exitError{exitUsage, err}
	}
	if h.parts, err = h.load(h.out); err != nil {
		return err
	}
	defer h.close()
	if h.set.Trusted {
		h.parts.set.Sandbox = sandbox.None
	}
	if h.trees, err = h.checkouts(); err != nil {
		return h.unchecked(ctx, err)
	}
	var starting sync.WaitGroup
	starting.Go(func() { _, _ = h.sandbox(ctx) }) // while what is pushed is looked at; who needs it hears why it does not start
	defer starting.Wait()                         // close would not see one that is just being started
	red := false
	for i, p := range pushes {
		if i == maxPushed {
			fmt.Fprintf(h.out, "fettle: only the first %d commits of this push were checked; not checked: %s\n", maxPushed, clean(refsOf(pushes[i:])))
			break
		}
		r, err := h.one(ctx, p)
		if err := h.unchecked(ctx, err); err != nil {
			return err
		}
		red = red || r
	}
	if red {
		fmt.Fprintf(h.out, "fettle: red, so nothing is pushed to %s. Mend it and push again, or push all the same: git push --no-verify\n", clean(h.remote))
		return ending(exitRed)
	}
	return nil
}

// asked finds what is pushed, and says what of it needs no check.
func (h *pushed) asked(ctx context.Context, args []string, in io.Reader) ([]prepush.Push, error) {
	var updates []prepush.Update
	var err error
	if len(args) == 0 {
		var u prepush.Update
		if h.remote, u, err = h.repo.Current(ctx); err == nil {
			updates = []prepush.Update{u}
		}
	} else {
		h.remote = args[0]
		updates, err = prepush.Updates(in)
	}
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	pushes, skipped, err := h.repo.Pushes(ctx, h.remote, updates)
	if err != nil {
		return nil, err
	}
	for _, s := range skipped {
		if !h.quiet {
			fmt.Fprintf(h.out, "fettle: %s: %s\n", clean(branchOf(s.Remote)), s.Why)
		}
	}
	return pushes, nil
}

// unchecked says that a push is not checked, for a reason that is not in what is
// pushed: a hook that then stopped the push would only teach people to leave it out.
// What stops it all the same is given back: a mistake in settings, and ctrl-c.
func (h *pushed) unchecked(ctx context.Context, err error) error {
	var e *exitError
	if err == nil || ctx.Err() != nil || errors.As(err, &e) && e.code == exitUsage {
		return err
	}
	words := clean(err.Error())
	if h.parts != nil {
		words = h.funnel.Log(err.Error())
	}
	fmt.Fprintf(h.out, "fettle: NOT CHECKED, and the push goes on: %s\n", words)
	return nil
}

// one checks one commit and tells whether it is red.
func (h *pushed) one(ctx context.Context, p prepush.Push) (red bool, err error) {
	diff, err := h.trees.Range(ctx, h.repo.Top, p.Base, p.Tip)
	if errors.Is(err, checkout.ErrEmpty) {
		fmt.Fprintf(h.out, "fettle: %s holds no files, nothing to check\n", clean(refsOf([]prepush.Push{p})))
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer diff.Close()
	if err := h.say(ctx, p, diff); err != nil || len(diff.Files) == 0 {
		return false, err
	}
	tree, err := diff.Tree(ctx)
	if err != nil {
		return false, err
	}
	say := h.out
	if h.quiet {
		say = io.Discard
	}
	find := func(session *sandbox.Sandbox) (source, error) { return h.sourceIn(ctx, session, tree) }
	err = h.checking(ctx, find, 0, say, func(src source, runner *check.Runner, opt check.Options) error {
		r, err := h.check(ctx, src, runner, opt, diff)
		if err == nil {
			err = printChecks(h.out, r)
		}
		if err != nil || r.Status != check.Failed {
			return err
		}
		red = true
		if err := h.mend(ctx, p, src, r); ctx.Err() != nil {
			return err
		} else if err != nil { // it was checked, and is red
			fmt.Fprintf(h.out, "fettle: no mend can be offered: %s\n", h.funnel.Log(err.Error()))
		}
		return nil
	})
	return red, err
}

// say is the head of a report: what goes where, and how risky it is.
func (h *pushed) say(ctx context.Context, p prepush.Push, diff *checkout.Comparison) error {
	if h.quiet {
		return nil
	}
	forced := ""
	if p.Forced {
		forced = ", forced"
	}
	fmt.Fprintf(h.out, "fettle: %s to %s: %s, %s%s\n", clean(refsOf([]prepush.Push{p})), clean(h.remote), task.Count(p.Commits, "commit"), task.Count(len(diff.Files), "file"), forced)
	if len(diff.Files) == 0 {
		return nil
	}
	report, err := scored(ctx, diff)
	if err != nil {
		return err
	}
	return printRisk(h.out, report)
}

// check runs the fast checks on what is pushed.
func (h *pushed) check(ctx context.Context, src source, runner *check.Runner, opt check.Options, diff *checkout.Comparison) (check.Result, error) {
	opt.Profile = check.Fast
	if err := h.called(ctx, &opt, h.repo.Top, diff); err != nil {
		return check.Result{}, err
	}
	r, err := runner.Run(ctx, src.dir, opt)
	if err == nil && r.Status == check.Failed && diff.From != "" {
		if !h.quiet {
			fmt.Fprintf(h.out, "red; the same checks on what %s has (%s):\n", clean(h.remote), shortHash(diff.From))
		}
		r, err = runner.New(ctx, src.dir, r, opt, filesBefore(diff))
	}
	r.Clean(h.funnel.Log)
	return r, err
}

// filesBefore gives a comparison's earlier state back, but for files too large to be read.
func filesBefore(diff *checkout.Comparison) map[string][]byte {
	out := map[string][]byte{}
	for _, f := range diff.Files {
		if !f.Large {
			out[f.Path] = f.Before
		}
	}
	return out
}

// refsOf names the remote's refs of pushes.
func refsOf(all []prepush.Push) string {
	var names []string
	for _, p := range all {
		for _, u := range p.Updates {
			names = append(names, branchOf(u.Remote))
		}
	}
	return strings.Join(names, ", ")
}

func branchOf(ref string) string { return strings.TrimPrefix(ref, "refs/heads/") }

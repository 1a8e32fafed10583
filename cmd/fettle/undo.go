package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/hooks/prepush"
)

func newUndo() *cobra.Command {
	var repo string
	c := &cobra.Command{
		Use:   "undo",
		Short: "Take back what fettle wrote into the folder last",
		Long: `undo restores the files of the last change that 'fettle fix --apply' or 'fettle apply'
wrote, byte for byte; of one that was committed it takes the commit off its branch.
Given again, it takes back the change before. It refuses where something was done to
these files since, where the branch has moved on, and where the commit was pushed.

Exit status: 0 taken back; 1 something came since; 2 there is nothing to undo.`,
		Example: `  fettle fix --issue bug.md --apply
  fettle undo`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			dir, err := folder(repo)
			if err != nil {
				return err
			}
			return undo(c.Context(), dir, c.OutOrStdout())
		},
	}
	pathVar(c, &repo, "repo", ".", "the `DIR` that it was written into")
	return c
}

// undo takes back what was written into a folder last.
func undo(ctx context.Context, dir string, out io.Writer) error {
	last, err := bot.LastApplied(dir)
	if errors.Is(err, bot.ErrNothingApplied) {
		return usage("%w; 'fettle runs list' shows what was done", err)
	}
	if err != nil {
		return err
	}
	what := fmt.Sprintf("the commit %.12s on %s", last.Commit, branchOf(last.Branch))
	if last.Commit != "" {
		git, err := prepush.Find(ctx, dir)
		if err != nil {
			return usage("%w", err)
		}
		if err := git.TakeBack(ctx, last.Branch, last.Commit, last.Parent, last.Made); err != nil {
			return err
		}
	} else {
		var names []string
		for _, f := range last.Files {
			names = append(names, f.Path)
		}
		what = strings.Join(names, ", ")
	}
	if err := bot.Undo(dir); errors.Is(err, patch.ErrChanged) {
		return &exitError{exitRed, err}
	} else if err != nil {
		return err
	}
	return printf(out, "took back %s, of run %s\n", clean(what), last.Run)
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/regular"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

func newApply(g *global) *cobra.Command {
	var repo string
	c := &cobra.Command{
		Use:   "apply [RUN]",
		Short: "Write the change of a run into the folder",
		Long: `apply writes what a run has made into the folder, all of it or nothing: the last run
of the folder, or the one whose id begins with RUN. Where the code has moved on since,
the two changes are merged, if they do not meet. A file with changes of yours that are
not committed is not touched. 'fettle undo' takes it back.

Exit status: 0 written, or there already; 1 it does not apply any more; 2 usage.`,
		Example: `  fettle fix --issue bug.md
  fettle apply
  fettle apply 4f0c --repo ../shop`,
		Args: atMostOne(aRun),
		RunE: g.with(func(c *cobra.Command, p *parts, args []string) error {
			dir, err := folder(repo)
			if err != nil {
				return err
			}
			id, diff, err := g.change(c, dir, args)
			if err != nil {
				return err
			}
			paths, err := p.apply(c.Context(), dir, id, diff)
			if err != nil {
				return err
			}
			if len(paths) == 0 {
				return printf(c.OutOrStdout(), "the change of %s is there already\n", id)
			}
			return printf(c.OutOrStdout(), "wrote %s\n  next  look at it with 'git diff'; 'fettle undo' takes it back\n", clean(strings.Join(paths, ", ")))
		}),
	}
	pathVar(c, &repo, "repo", ".", "the `DIR` to write into")
	return c
}

// change is the diff of a run: of the named one, or of the folder's last.
func (g *global) change(c *cobra.Command, dir string, args []string) (id, diff string, err error) {
	if len(args) == 1 {
		err = g.onRun(c, args[0], func(_ *parts, _ *store.Store, r task.Run) error {
			if id = r.ID; r.Result != nil {
				diff = r.Result.Diff
			}
			return nil
		})
	} else {
		var last bot.Summary
		if last, err = lastRun(dir); err != nil {
			return "", "", err
		}
		id, diff = last.RunID, last.Diff
	}
	if err == nil && diff == "" {
		err = &exitError{exitRed, fmt.Errorf("run %s has made no change; 'fettle runs show %s' says why", id, id)}
	}
	return id, diff, err
}

// lastRun reads the record of the folder's last run.
func lastRun(dir string) (s bot.Summary, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return s, usage("opening %s: %w", dir, err)
	}
	defer root.Close()
	raw, err := regular.ReadIn(root, path.Join(".fettle", "last_run.json"), maxPatch)
	if errors.Is(err, fs.ErrNotExist) {
		return s, usage("nothing was run in %s yet; begin with 'fettle fix', or name a run of 'fettle runs list'", dir)
	}
	if err == nil {
		err = json.Unmarshal(raw, &s)
	}
	if err != nil {
		return s, usage("reading .fettle/last_run.json: %w", err)
	}
	return s, nil
}

// apply writes a diff into a folder, merged with what came since it was made, and says
// which files it wrote.
func (p *parts) apply(ctx context.Context, dir, run, diff string) ([]string, error) {
	tree, changes, before, err := p.seen(ctx, dir, []string{diff})
	if errors.Is(err, checkout.ErrPatch) {
		return nil, &exitError{exitRed, fmt.Errorf("the change of %s meets others that were made since, and nothing was written: %w; ask again with 'fettle fix', or merge by hand: 'fettle runs diff %s | git apply --3way'", run, err, run)}
	}
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	if len(changes) == 0 {
		return nil, nil
	}
	dirty, err := p.dirty(ctx, dir)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, c := range changes {
		paths = append(paths, c.Path)
		if _, mine := dirty[c.Path]; !mine {
			continue
		}
		if now, err := fs.ReadFile(before, c.Path); err == nil && !strings.Contains(diff, "index "+checkout.BlobHash(now)+"..") {
			return nil, &exitError{exitRed, fmt.Errorf("%s has changes of yours that are not committed, and the run did not see them, so that nothing was written; commit or stash them", c.Path)}
		}
	}
	return paths, (&bot.Local{Dir: dir, Base: before}).Write(run, changes)
}

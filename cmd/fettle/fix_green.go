package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/check"
	"github.com/fettle-dev/fettle/bot/verify/detect"
)

// untilGreen takes what is red for the issue, and begins again with what is left, on top
// of what was mended, until all is green, no run brings anything, or a limit is reached.
// What is written or committed at the end is the whole.
func (p *parts) untilGreen(ctx context.Context, pub *bot.Local, o order) (id string, err error) {
	all := bot.Summary{Outcome: task.Success, Reason: "nothing is red", NextAction: "Nothing: nothing is red.", Checks: []bot.SummaryCheck{}, FilesChanged: []string{}, Regions: []task.RegionRef{}, Risk: task.Risk{Reasons: []string{}}}
	fruitless := map[string]bool{} // what was asked since something was mended last
	for {
		red, err := p.redIn(ctx, pub, o)
		if err != nil {
			return id, err
		}
		asked, left := nextRed(red, fruitless)
		if red.Status != check.Failed || !left || o.budget.USD <= 0 || o.budget.Duration <= 0 {
			return id, p.finish(ctx, pub, o, all, red)
		}
		round := &bot.Local{Dir: pub.Dir, Show: pub.Show}
		o.task.Title, o.task.Body = issueOf(asked)
		if id, err = p.fix(ctx, round, o); err != nil {
			pub.Summary = round.Summary
			return id, err
		}
		s := round.Summary
		o.budget.USD -= s.Cost
		o.budget.Duration -= time.Duration(s.Elapsed * float64(time.Second))
		all = s.After(all)
		switch {
		case s.Outcome == task.Cancelled:
			return id, p.finish(ctx, pub, o, all, red)
		case s.Outcome != task.Success || s.Diff == "":
			fruitless[o.task.Body] = true
		default:
			fruitless, o.over = map[string]bool{}, append(o.over, s.Diff)
		}
	}
}

// nextRed is what is asked for next: what is red in a file, which often has one cause;
// then each failure alone, then all. It is false where all came to nothing.
func nextRed(r check.Result, fruitless map[string]bool) (check.Result, bool) {
	all := r.Failures()
	var asks [][]task.Failure
	for i, f := range all {
		if slices.IndexFunc(all, func(o task.Failure) bool { return o.File == f.File }) == i {
			asks = append(asks, slices.DeleteFunc(slices.Clone(all), func(o task.Failure) bool { return o.File != f.File }))
		}
	}
	for _, f := range all {
		asks = append(asks, []task.Failure{f})
	}
	for _, ask := range append(asks, all) {
		one := check.Result{Checks: []check.Check{{Status: check.Failed, Failures: ask}}}
		if _, body := issueOf(one); !fruitless[body] {
			return one, true
		}
	}
	return r, false
}

// redIn checks the folder with the diffs of the rounds so far.
func (p *parts) redIn(ctx context.Context, pub *bot.Local, o order) (check.Result, error) {
	_ = pub.Progress(ctx, task.Progress{Phase: "check", Note: "what is red", Budget: o.budget.USD})
	return p.checkSeen(ctx, pub.Dir, o.over, nil, io.Discard)
}

// checkSeen runs the checks of a folder with diffs laid over it: those that are named, or all.
func (p *parts) checkSeen(ctx context.Context, dir string, over, only []string, say io.Writer) (r check.Result, err error) {
	tree, _, _, err := p.seen(ctx, dir, over)
	if err != nil {
		return r, err
	}
	defer tree.Close()
	find := func(session *sandbox.Sandbox) (source, error) { return p.sourceIn(ctx, session, tree) }
	err = p.checking(ctx, find, 0, say, func(src source, runner *check.Runner, opt check.Options) error {
		for _, name := range only {
			if !checkNamed(src.plan, name) {
				return usage("there is no check %s here; it has %s", clean(name), strings.Join(checkNames(src.plan), ", "))
			}
		}
		opt.Only = only
		r, err = runner.Run(ctx, src.dir, opt)
		return err
	})
	r.Clean(p.funnel.Log)
	return r, err
}

// checkNames are what the checks of a plan are called by.
func checkNames(plan detect.Plan) []string {
	out := []string{"syntax"}
	for _, c := range plan.Commands {
		for _, name := range []string{string(c.Kind), c.Name} {
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

func checkNamed(plan detect.Plan, name string) bool {
	return slices.Contains(checkNames(plan), name) || slices.ContainsFunc(plan.Commands, func(c detect.Command) bool { return c.Tool == name })
}

// seen is a folder with diffs laid over it, one after the other: the files that they
// change, and all files before.
func (p *parts) seen(ctx context.Context, dir string, over []string) (tree *checkout.Tree, changes []task.FileChange, before fs.FS, err error) {
	trees, err := p.checkouts()
	if err != nil {
		return nil, nil, nil, err
	}
	if tree, err = trees.OpenDir(ctx, dir); err != nil {
		return nil, nil, nil, &exitError{exitUsage, err}
	}
	byPath := map[string]int{}
	for _, diff := range over {
		more, was, err := tree.Patch(ctx, diff)
		if err != nil {
			return nil, nil, nil, errors.Join(err, tree.Close())
		}
		if before == nil {
			before = was
		}
		for _, c := range more {
			if i, ok := byPath[c.Path]; ok {
				changes[i] = c
				continue
			}
			byPath[c.Path] = len(changes)
			changes = append(changes, c)
		}
	}
	return tree, changes, before, nil
}

// finish hands over what all rounds together came to.
func (p *parts) finish(ctx context.Context, pub *bot.Local, o order, all bot.Summary, last check.Result) error {
	if len(o.over) == 0 {
		return pub.Finish(ctx, all, nil)
	}
	tree, changes, before, err := p.seen(ctx, pub.Dir, o.over)
	if err != nil {
		return err
	}
	defer tree.Close()
	if err := whole(changes, before, &all); err != nil {
		return err
	}
	if last.Status == check.Passed { // a round before the last may have ended otherwise
		all.Outcome, all.Reason = task.Success, ""
	}
	all.Checks = nil
	for _, c := range last.Checks {
		all.Checks = append(all.Checks, bot.SummaryCheck{Name: c.Name, Status: task.CheckStatus(c.Status), Seconds: c.Seconds, Detail: c.Detail})
	}
	pub.Base = before
	return pub.Finish(ctx, all, changes)
}

// whole makes one diff of changes that were made one upon the other.
func whole(changes []task.FileChange, before fs.FS, all *bot.Summary) (err error) {
	all.Diff, err = checkout.DiffOf(changes, func(name string) ([]byte, string, bool, error) {
		content, err := fs.ReadFile(before, name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, "", false, nil
		}
		info, statErr := fs.Stat(before, name)
		if err != nil || statErr != nil {
			return nil, "", false, errors.Join(err, statErr)
		}
		mode := "100644"
		if info.Mode()&0o111 != 0 {
			mode = "100755"
		}
		return content, mode, true, nil
	})
	if err != nil {
		return err
	}
	all.FilesChanged = nil
	for _, c := range changes {
		all.FilesChanged = append(all.FilesChanged, c.Path)
	}
	return nil
}

package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/check"
	"github.com/fettle-dev/fettle/bot/verify/detect"
	"github.com/fettle-dev/fettle/bot/verify/impact"
)

// remembered is how many commits back a recorded run is looked for, and what
// changed together is counted.
const remembered = 200

// mapsOf is where the recorded runs of a folder are kept.
func (p *parts) mapsOf(dir string) impact.Folder {
	sum := sha256.Sum256([]byte(dir))
	return impact.Folder{Dir: filepath.Join(p.set.StateDir, "tests", hex.EncodeToString(sum[:8]))}
}

// knows adds what is known from before: the files of earlier commits, and the
// run that was recorded for the latest of them.
func (p *parts) knows(ctx context.Context, opt *check.Options, dir string, diff *checkout.Comparison) error {
	past, err := diff.History(ctx, remembered)
	if err != nil {
		return err
	}
	prefix := below(dir)
	var commits []string
	for _, c := range past {
		commits = append(commits, c.Commit)
		var files []string
		for _, f := range c.Files {
			if rel, ok := strings.CutPrefix(f, prefix); ok {
				files = append(files, rel)
			}
		}
		opt.Commits = append(opt.Commits, files)
	}
	opt.Map = func(c detect.Command) *impact.Map {
		m, err := p.mapsOf(dir).Load(c.Tool, c.Dir, commits)
		if err != nil {
			p.log.WithError(err).Warn("the recorded run of the tests is not used")
		}
		return m
	}
	return nil
}

// record runs the tests once under their recorders and keeps what each ran.
func (p *parts) record(ctx context.Context, out io.Writer, r *check.Runner, dir string, opt check.Options) error {
	trees, err := p.checkouts()
	if err != nil {
		return err
	}
	diff, err := trees.Compare(ctx, dir, "")
	if err != nil {
		return usage("recording needs a working copy, and its last commit: %w", err)
	}
	defer diff.Close()
	if diff.From == "" {
		return usage("recording needs a first commit: what was recorded is kept for it")
	}
	got, err := r.Record(ctx, dir, opt)
	if err != nil {
		return err
	}
	kept := 0
	for _, g := range got {
		if g.Map == nil {
			fmt.Fprintf(out, "%s: not recorded: %s\n", p.funnel.Log(g.Name), p.funnel.Log(g.Reason))
			continue
		}
		g.Map.Commit = diff.From
		if err := p.mapsOf(dir).Save(g.Map); err != nil {
			return err
		}
		kept++
		fmt.Fprintf(out, "%s: %s of %.1f s recorded for commit %.12s; fettle check --fast chooses by them\n", p.funnel.Log(g.Name), task.Count(len(g.Map.Tests), "test"), g.Map.Seconds(), diff.From)
	}
	if kept == 0 {
		return ending(exitWaits)
	}
	return nil
}

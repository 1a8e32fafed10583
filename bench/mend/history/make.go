package history

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/fettle-dev/fettle/bench/mend/bugs"
)

// Workshop proves candidates and makes bugs. Close it.
type Workshop struct {
	Sources
	Bench *bugs.Bench
	Out   string // folder of all bugs
	Say   func(format string, args ...any)
}

// SuiteLimit bounds one run of a suite of the benchmark.
const SuiteLimit = 30 * time.Second

// Open makes a workshop over a work folder; bugs go to its folder bugs. Place
// names the folder of its sandbox, which stays, because a warm cache there saves
// minutes; two workshops at a time need two places.
func Open(ctx context.Context, src Sources, place string, say func(format string, args ...any)) (*Workshop, error) {
	work, err := filepath.Abs(src.Work)
	if err != nil {
		return nil, err
	}
	src.Work = work
	state := store(work, "state", place)
	if err := os.MkdirAll(state, 0o755); err != nil {
		return nil, fmt.Errorf("opening a workshop: %w", err)
	}
	bench, err := bugs.NewBench(ctx, state, SuiteLimit)
	if err != nil {
		return nil, err
	}
	return &Workshop{Sources: src, Bench: bench, Out: filepath.Join(work, "bugs"), Say: say}, nil
}

// Close gives back the sandbox.
func (w *Workshop) Close() error { return w.Bench.Close() }

// Make makes the bugs of a list that are not there yet, and tells how many are
// there then. A bug that cannot be made on this machine (its dependencies, the
// versions of the languages) is told and left out.
func (w *Workshop) Make(ctx context.Context, list []Entry) (int, error) {
	n := 0
	for _, e := range list {
		if _, err := bugs.Load(filepath.Join(w.Out, e.ID)); err == nil {
			n++
			continue
		}
		_, why, err := w.make(ctx, &e)
		switch {
		case ctx.Err() != nil:
			return n, context.Cause(ctx)
		case err != nil && !errors.Is(err, errUnfit):
			return n, fmt.Errorf("making %s: %w", e.ID, err)
		case err != nil:
			w.Say("%s: %v", e.ID, err)
		case why != "":
			w.Say("%s: %s", e.ID, why)
		default:
			n++
		}
	}
	return n, nil
}

// make makes and writes the bug of an entry, and completes the entry.
func (w *Workshop) make(ctx context.Context, e *Entry) (f bugs.Folder, why string, err error) {
	dir, err := w.Tree(ctx, e.Language, e.Repo, e.Commit)
	if err != nil {
		return f, "", err
	}
	repo, err := w.Repo(ctx, e.Repo)
	if err != nil {
		return f, "", err
	}
	broken, err := blob(ctx, repo, e.Commit+"^1", e.Path)
	if err != nil {
		return f, "", err
	}
	start := time.Now()
	correct, err := w.Bench.Run(ctx, dir)
	e.Seconds = float64(time.Since(start).Milliseconds()) / 1000
	if why := unfit(correct, err, time.Since(start)); why != "" || err != nil {
		return f, why, ctx.Err()
	}
	m := bugs.Maker{Bench: w.Bench, Subject: dir, Correct: correct}
	f, why, err = m.Make(ctx, e.bug(), bugs.Files{e.Path: broken})
	if err = errors.Join(err, m.Close()); err != nil || why != "" {
		return f, why, err
	}
	e.Failing = f.Failing
	return f, "", bugs.Write(w.Out, f)
}

// unfit says why a correct tree is none to judge by.
func unfit(o bugs.Outcome, err error, took time.Duration) string {
	switch {
	case err != nil:
		return unfitWord + err.Error()
	case len(o.Report.Broken) > 0:
		return fmt.Sprintf(unfitWord+"%s: %.200s", o.Report.Broken[0].Kind, o.Report.Broken[0].Message)
	case len(o.Red()) > 0:
		return fmt.Sprintf(unfitWord+"%d red tests, such as %s", len(o.Red()), o.Red()[0])
	case len(o.With("passed")) == 0:
		return unfitWord + "no test passes"
	}
	inTests := 0.0
	for _, t := range o.Report.Tests {
		inTests += t.Seconds
	}
	if inTests > bugs.Slow.Seconds() || took > SuiteLimit { // what is built may be built slowly beside others
		return fmt.Sprintf(unfitWord+"the suite takes %s", took.Round(time.Second))
	}
	return ""
}

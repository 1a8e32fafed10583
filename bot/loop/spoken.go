package loop

import (
	"context"
	"fmt"
	"io/fs"
	"slices"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/memory"
	"github.com/fettle-dev/fettle/bot/mend"
)

const (
	mostSpoken   = 50 // places that the words point at
	largestClass = 60 // lines of a class that is a place; of a larger one the methods are
)

// known gives the view on the base in the repository's index, brought up to date
// once in a run.
func (h *real) known(ctx context.Context) (*memory.View, error) {
	if h.view != nil {
		return h.view, nil
	}
	var err error
	if h.Memory != nil {
		if h.index, err = h.Memory(ctx, h.repo); err != nil {
			h.Log.WithError(err).Warn("the repository's index cannot be opened; this run makes one of its own")
		}
	}
	if h.index == nil {
		if h.index, err = memory.Open(ctx, ""); err != nil {
			return nil, err
		}
	}
	base := h.tree.BaseFS()
	var rep memory.Report
	h.view, rep, err = h.index.Update(ctx, memory.Source{
		Files: h.tree.Blobs(), Read: func(p string) ([]byte, error) { return fs.ReadFile(base, p) },
		Head: h.tree.BaseCommit(), History: h.tree.History, Now: h.Now(),
	})
	if rep.Anew != "" {
		h.Log.Warnf("the repository's index was made anew: %s", rep.Anew)
	}
	return h.view, err
}

// close ends what the effects have begun.
func (h *real) close() {
	h.ahead.drop()
	if h.index == nil {
		return
	}
	if err := h.index.Close(); err != nil {
		h.Log.WithError(err).Warn("the repository's index was not closed")
	}
}

// hits are the places of the base that a text points at. What no model may see is
// none of them.
func (h *real) hits(ctx context.Context, q memory.Query) ([]memory.Hit, error) {
	v, err := h.known(ctx)
	if err != nil {
		return nil, err
	}
	q.Hidden = h.secret
	return v.Search(ctx, q)
}

// spoken are the places that the words point at, and what is told of the
// failures of its tests.
func (h *real) spoken(ctx context.Context, q search) ([]mend.Suspect, error) {
	ask := memory.Query{Title: q.Task.Title, Body: q.Task.Body + "\n\n" + q.Task.Hint}
	for _, f := range first(q.Baseline.Report.Failures(), mostFailing) {
		if slices.Contains(q.Baseline.Aside, f.Test) {
			continue
		}
		ask.Body += "\n" + f.Message[:min(len(f.Message), 1000)]
		ask.Frames = append(ask.Frames, f.Trace...)
	}
	hits, err := h.hits(ctx, ask)
	if err != nil {
		return nil, fmt.Errorf("looking for what the issue speaks of: %w", err)
	}
	var out []mend.Suspect
	for _, g := range hits {
		wide := g.Kind == code.KindClass || g.Kind == code.KindModule || g.Kind == code.KindType
		if len(out) < mostSpoken && (!wide || g.End-g.Start <= largestClass) {
			out = append(out, mend.Suspect{Path: g.Path, Line: g.Start, EndLine: g.End, Region: g.Region, Score: g.Score, Reasons: g.Reasons()})
		}
	}
	return out, nil
}

// concerned looks for the functions that a text points at.
func (h *real) concerned(ctx context.Context, text string) (out concern, err error) {
	hits, err := h.hits(ctx, memory.Query{Title: text})
	if err != nil {
		return out, fmt.Errorf("looking for what the issue is about: %w", err)
	}
	for _, g := range hits {
		if g.Class == memory.ClassSource && len(out.Places) < placesTold {
			out.Places = append(out.Places, spot{g.Name, g.Path, g.Start, g.Reasons()})
		}
	}
	return out, nil
}

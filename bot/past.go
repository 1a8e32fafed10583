package bot

import (
	"context"
	"fmt"
	"slices"

	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// mostPast bounds the earlier runs that a repository's experience is made of.
const mostPast = 50

// Past is what came of the latest mechanical changes of a repository, the oldest
// first, whichever door they came by (SPEC R4). What people merged as it was speaks
// for its template, what they changed, closed or reverted against it. Until they
// have decided, and in a folder, one that was called ready speaks for it, one that a
// human had to decide, or whose run went on to a model, against it.
func Past(ctx context.Context, db *store.Store, repo task.Repo) ([]task.Mended, error) {
	runs, err := db.Runs(ctx, store.Filter{Repo: repo.Slug(), Installation: repo.Installation, State: task.StateDone, Limit: mostPast})
	if err != nil {
		return nil, fmt.Errorf("reading what worked in the repository: %w", err)
	}
	fates, err := fatesOf(ctx, db, repo)
	if err != nil {
		return nil, err
	}
	var out []task.Mended
	for _, r := range slices.Backward(runs) {
		if r.Result == nil {
			continue
		}
		for _, a := range r.Result.Attempts {
			if a.Search == nil || a.Search.Template == "" || len(a.Patch.Edits) == 0 {
				continue
			}
			kept := r.Outcome == task.Success && r.Result.Tier == task.TierMechanical && r.Result.Best != nil && r.Result.Best.Number == a.Number
			accepted := kept && !r.Result.Draft
			if fate := fates[r.ID]; kept && fate != "" {
				accepted = fate == task.FateMerged
			}
			out = append(out, task.Mended{Template: a.Search.Template, Path: a.Patch.Edits[0].Path, Accepted: accepted})
		}
	}
	return out, nil
}

// fatesOf are the fates of a repository's pull requests by the run that opened them.
func fatesOf(ctx context.Context, db *store.Store, repo task.Repo) (map[string]task.Fate, error) {
	out := map[string]task.Fate{}
	if repo.Owner == "" { // a folder has none
		return out, nil
	}
	all, err := db.Pulls(ctx, repo.Installation, repo.Slug(), store.PullFilter{})
	for _, p := range all {
		out[p.Run] = p.Fate
	}
	return out, err
}

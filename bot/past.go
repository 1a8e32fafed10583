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
// first (SPEC R4): one that was called ready speaks for its template, one that a
// human had to decide, or whose run went on to a model, against it.
func Past(ctx context.Context, db *store.Store, repo task.Repo) ([]task.Mended, error) {
	runs, err := db.Runs(ctx, store.Filter{Repo: repo.Slug(), Installation: repo.Installation, State: task.StateDone, Limit: mostPast})
	if err != nil {
		return nil, fmt.Errorf("reading what worked in the repository: %w", err)
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
			out = append(out, task.Mended{Template: a.Search.Template, Path: a.Patch.Edits[0].Path, Accepted: kept && !r.Result.Draft})
		}
	}
	return out, nil
}

package loop

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/testgen/apart"
)

// separated is a patch whose additions to test files of the base stand in files of their own.
type separated struct {
	Patch task.Patch `json:"patch"`
	Moved []string   `json:"moved,omitempty"` // these files
}

// setApart has tests that a model added to a test file of the base stand in a new one,
// where it left all that was there as it is: what is there is the evidence and may not be
// edited, and a second answer would bring the same tests in a new file.
func (r *run) setApart(ctx context.Context, p *task.Patch, newTests *[]string, tier task.Tier) error {
	if !slices.ContainsFunc(p.Edits, addsToTests) {
		return nil
	}
	got, err := r.apart(ctx, *p, r.guard(tier))
	if err != nil {
		return err
	}
	*p, *newTests = got.Patch, append(*newTests, got.Moved...)
	return nil
}

func addsToTests(e task.Edit) bool { return e.Kind != task.EditCreate && code.IsTest(e.Path) }

func (h *real) apart(ctx context.Context, p task.Patch, g patch.Guard) (separated, error) {
	out := separated{Patch: p}
	g.AllowTests = true
	for n := 0; n < len(out.Patch.Edits); n++ {
		name := path.Clean(out.Patch.Edits[n].Path)
		of := func(e task.Edit) bool { return path.Clean(e.Path) == name }
		if !addsToTests(out.Patch.Edits[n]) {
			continue
		}
		own := slices.DeleteFunc(slices.Clone(out.Patch.Edits), func(e task.Edit) bool { return !of(e) })
		would, err := patch.Preview(ctx, h.tree.Dir(), task.Patch{Edits: own}, g)
		var refusal *patch.Refusal
		switch {
		case errors.As(err, &refusal):
			continue // which is told when it is applied
		case err != nil:
			return out, fmt.Errorf("reading what is added to %s: %w", name, err)
		case len(would.Changes) != 1 || would.Changes[0].Before == nil:
			continue
		}
		taken := func(p string) bool {
			_, err := fs.Stat(h.tree.BaseFS(), p)
			return err == nil || slices.ContainsFunc(out.Patch.Edits, func(e task.Edit) bool { return path.Clean(e.Path) == p })
		}
		to, text, ok, err := apart.File(ctx, name, would.Changes[0].Before, would.Changes[0].After, taken)
		if err != nil || !ok {
			continue // it is refused when it is applied, with the reason
		}
		rest := slices.DeleteFunc(slices.Clone(out.Patch.Edits), of)
		out.Patch.Edits = slices.Insert(rest, min(n, len(rest)), task.Edit{Kind: task.EditCreate, Path: to, Code: string(text)})
		out.Moved = append(out.Moved, to)
	}
	return out, nil
}

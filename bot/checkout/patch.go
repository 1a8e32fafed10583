package checkout

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/task"
)

// Patch makes what a diff leaves the tree's base, and gives the files that it changed and
// all files as they were. Where
// a file is no longer the one that the diff was made for, the two changes are merged, if
// Git has the file that it was made for and they do not meet; else ErrPatch, and nothing
// is changed. BaseFS may not have been asked for before.
func (t *Tree) Patch(ctx context.Context, diff string) (changes []task.FileChange, before fs.FS, err error) {
	tree := ""
	for _, step := range []call{
		{args: []string{"read-tree", t.base}},
		{args: []string{"apply", "--cached", "--3way", "--whitespace=nowarn", "-"}, stdin: strings.NewReader(diff)},
		{args: []string{"write-tree"}},
	} {
		step.dir = t.gitDir
		out, err := t.store.run(ctx, step)
		if err != nil && step.stdin != nil {
			return nil, nil, fmt.Errorf("%w: %w", ErrPatch, err)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("applying a diff to the tree: %w", err)
		}
		tree = strings.TrimSpace(string(out))
	}
	if err := t.Restore(ctx, tree); err != nil {
		return nil, nil, err
	}
	before = t.makeFS()
	if changes, err = t.Changes(); err != nil || len(changes) == 0 {
		return nil, before, err
	}
	base, err := t.CommitRef("refs/fettle/base", "", "with a diff", Signature{Name: "fettle", Email: "fettle@localhost", When: time.Unix(0, 0).UTC()})
	if err != nil {
		return nil, nil, err
	}
	t.clean = false
	return changes, before, t.setBase(ctx, base)
}

package verify

import (
	"context"
	"fmt"
	"slices"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/verify/cross"
)

// ReadsSource is said of tests that fail where the change stands in other words.
const ReadsSource = "fails where the change stands in other words that do the same (parentheses, comments): it reads the source instead of running it"

// Disguised gives the changed files in other words that do the same. A test that fails
// with them reads the source: any change makes it pass, and any planted fault fail.
func Disguised(ctx context.Context, diff []Change) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, c := range diff {
		if code.IsTest(c.Path) {
			continue
		}
		text, err := cross.Disguise(ctx, c.Path, c.Before, c.After, "disguised")
		if err != nil {
			return nil, fmt.Errorf("disguising the change: %w", err)
		}
		if text != nil {
			files[c.Path] = text
		}
	}
	return files, nil
}

// disguise asks the tests that came with the change, which whoever wrote it wrote too,
// about the same code in other words.
func (v *Verifier) disguise(ctx context.Context, j Judge, diff []Change, out *Verdict) error {
	files, err := Disguised(ctx, diff)
	if err != nil || len(files) == 0 {
		return err
	}
	var red []string
	for range 2 { // what is red by chance is not red twice
		rep, err := v.Try(ctx, Trial{Dir: j.Dir, Files: files, Tests: j.NewTests, Baseline: &j.Baseline})
		if err != nil {
			return fmt.Errorf("running the new tests on the disguised change: %w", err)
		}
		red = slices.DeleteFunc(rep.Red(), func(id string) bool { return slices.Contains(out.StillRed, id) })
		if len(red) == 0 || len(rep.Broken) > 0 {
			return nil
		}
	}
	out.Doubts = append(out.Doubts, red[0]+" "+ReadsSource)
	return nil
}

package verify

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/fettle-dev/fettle/bot/regular"
	"github.com/fettle-dev/fettle/bot/verify/danger"
)

// findDangers looks for harm in the whole change: in what was put back for the
// judgement, too, because it stands in the tree that people get.
func findDangers(ctx context.Context, j Judge, diff []Change, out *Verdict) error {
	all := slices.Clone(diff)
	root, err := os.OpenRoot(j.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, p := range out.Restored {
		c := Change{Path: p}
		if c.After, err = regular.ReadIn(root, p, maxSource); err != nil {
			c.After = nil // it is gone, or is no text
		}
		if c.Before, err = fs.ReadFile(j.Base, p); err != nil {
			c.Before = nil // it is new
		}
		all = append(all, c)
	}
	if out.Dangers, err = Dangers(ctx, j.Base, all, j.Issue); err != nil {
		return err
	}
	var files []danger.File
	for _, c := range all {
		if !slices.Contains(j.NewTests, c.Path) {
			files = append(files, danger.File(c))
		}
	}
	if danger.Unproven(files) {
		out.Doubts = append(out.Doubts, fmt.Sprintf("only scripts, configuration or text change (%s), which tests seldom run: check by hand that it does what it has to", files[0].Path))
	}
	return nil
}

// Dangers lists the lines by which a change of the base can do harm.
func Dangers(ctx context.Context, base fs.FS, changes []Change, issue string) ([]danger.Finding, error) {
	var files []danger.File
	for _, c := range changes {
		files = append(files, danger.File(c))
	}
	found, err := danger.Find(ctx, files, danger.Known{Issue: issue, Names: func(name string) bool { return names(base, name) }})
	if err != nil {
		return nil, fmt.Errorf("looking for what can do harm: %w", err)
	}
	return found, nil
}

// names tells whether some file of a tree holds a word. What cannot be read holds
// none.
func names(tree fs.FS, word string) bool {
	all, err := scanFS(tree)
	if err != nil {
		return false
	}
	for _, p := range keys(all) {
		if src, err := regular.ReadFS(tree, p, maxSource); err == nil && bytes.Contains(bytes.ToLower(src), []byte(word)) {
			return true
		}
	}
	return false
}

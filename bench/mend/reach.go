package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/fettle-dev/fettle/bench/mend/bugs"
	"github.com/fettle-dev/fettle/bench/mend/reach"
	"github.com/fettle-dev/fettle/bot/code"
)

// reached asks the operators, without running a test, for the true fixes of the
// bugs that the flags name, and of the commits in the histories of their
// repositories (-sample: so many of each). A line of reach.jsonl in the work folder
// tells of each but the sealed ones; what every operator made is printed.
func (o *options) reached(ctx context.Context) error {
	f, err := os.Create(filepath.Join(o.work, "reach.jsonl")) //nolint:gosec // the work folder that the flag names
	if err != nil {
		return err
	}
	credit, sealed, fixes, hits := map[string]int{}, map[string]bool{}, 0, 0
	count := func(r reach.Reached) {
		fixes++
		if r.Rank > 0 {
			hits++
			credit[r.Operator]++
		}
		if !sealed[r.ID] {
			err = errors.Join(err, json.NewEncoder(f).Encode(r))
		}
	}
	err = errors.Join(err, o.reachBugs(ctx, func(r reach.Reached) {
		sealed[r.ID] = bugs.Sealed(r.ID)
		count(r)
	}))
	fmt.Printf("bugs: %d fixes of one place, %d among the changes\n", fixes, hits)
	of := fixes
	err = errors.Join(err, o.reachHistories(ctx, count), f.Close())
	fmt.Printf("%d fixes of one place in histories; of all %d are %d among the changes, each in %s\n", fixes-of, fixes, hits, f.Name())
	for _, op := range slices.SortedFunc(maps.Keys(credit), func(a, b string) int { return cmp.Or(credit[b]-credit[a], cmp.Compare(a, b)) }) {
		fmt.Printf("%6d %s\n", credit[op], op)
	}
	return err
}

func (o *options) reachHistories(ctx context.Context, each func(reach.Reached)) error {
	if !o.makes(bugs.History) {
		return nil
	}
	list, err := o.subjects(bugs.Injected, bugs.Planted)
	if err != nil {
		return err
	}
	commits, err := o.commits()
	if err != nil {
		return err
	}
	langs := map[string]string{}
	for _, s := range list {
		langs[s.Repo] = s.Language
	}
	for _, e := range commits {
		langs[e.Repo] = e.Language
	}
	for _, repo := range slices.Sorted(maps.Keys(langs)) {
		n, hits := 0, 0
		err := o.sources().Reach(ctx, repo, langs[repo], cmp.Or(o.sample, -1), func(r reach.Reached) {
			n++
			if r.Rank > 0 {
				hits++
			}
			each(r)
		})
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			fmt.Printf("%-40s %s\n", repo, oneLine(err.Error()))
			continue
		}
		fmt.Printf("%-40s %4d fixes, %3d among the changes\n", repo, n, hits)
	}
	return nil
}

func (o *options) reachBugs(ctx context.Context, each func(reach.Reached)) error {
	all := filepath.Join(o.work, "bugs")
	ids, err := bugs.List(all)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, id := range ids {
		b, err := bugs.Load(filepath.Join(all, id))
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if !o.wants(b.Bug) || b.Told || b.Places != 1 {
			continue
		}
		dir, err := o.tree(ctx, b.Bug)
		if err != nil {
			return err
		}
		correct, err := os.ReadFile(filepath.Join(dir, b.Path)) //nolint:gosec // a tree of the work folder
		if err != nil {
			return err
		}
		files, err := parsed(ctx, dir, b)
		if err != nil {
			return err
		}
		if r, ok := reach.Ask(ctx, reach.Fix{ID: b.ID, Path: b.Path, Language: b.Language, Class: b.Class, Function: b.Function, Line: b.Line}, files, correct); ok {
			each(r)
		}
	}
	return nil
}

const (
	mostFiles = 400     // of one tree, as the search takes
	mostBytes = 4 << 20 //
)

// parsed are the sources of a bug's language in its broken tree, tests left out.
func parsed(ctx context.Context, dir string, b bugs.Folder) (map[string]*code.Tree, error) {
	out, size := map[string]*code.Tree{}, 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules") {
			return fs.SkipDir
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil || !d.Type().IsRegular() || code.LanguageOf(rel) != code.Language(b.Language) || code.IsTest(rel) || len(out) >= mostFiles || size > mostBytes {
			return err
		}
		src, broken := b.Broken[rel]
		if !broken {
			if src, err = os.ReadFile(path); err != nil { //nolint:gosec // a tree of the work folder
				return err
			}
		}
		size += len(src)
		if t, err := code.Parse(ctx, code.LanguageOf(rel), src); err == nil { // a file that cannot be read lends nothing
			out[rel] = t
		}
		return nil
	})
	return out, err
}

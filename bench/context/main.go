// Command context measures what fettle would show of a repository for an issue's
// words alone: on commits of real histories that mend something in one to three
// functions, it asks the index of the parent's tree with the commit's message, and
// looks whether the functions that were changed come first. The same is asked of a
// count of words, of plain BM25 and of the choice that fettle made before it had an
// index.
//
// The clones are the arguments, or FETTLE_CONTEXT_REPOS (a list like PATH). Every
// second one, by name, is for fitting; figures are those of the others.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/memory"
	"github.com/fettle-dev/fettle/bench"
)

func main() {
	most := flag.Int("n", 40, "commits of a repository")
	fit := flag.Bool("fit", false, "fit the weights on the first half and print them")
	shown := flag.Bool("misses", false, "list the commits whose functions do not come among the first ten")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, flag.Args(), *most, *fit, *shown); err != nil {
		fmt.Fprintln(os.Stderr, "context:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dirs []string, most int, fit, shown bool) error {
	if len(dirs) == 0 {
		dirs = filepath.SplitList(os.Getenv("FETTLE_CONTEXT_REPOS"))
	}
	if len(dirs) == 0 {
		return fmt.Errorf("no repository is named; give clones with their history as arguments, or in FETTLE_CONTEXT_REPOS")
	}
	slices.SortFunc(dirs, func(a, b string) int {
		return cmp.Compare(strings.ToLower(filepath.Base(a)), strings.ToLower(filepath.Base(b)))
	})
	fmt.Println(bench.Machine())
	var halves [2][]result
	for i, dir := range dirs {
		got, err := measure(ctx, dir, most)
		if err != nil {
			return fmt.Errorf("measuring %s: %w", dir, err)
		}
		half := i % 2
		halves[half] = append(halves[half], got...)
		fmt.Printf("%-12s %3d commits, %s\n", filepath.Base(dir), len(got), []string{"for fitting", "measured"}[half])
		if len(got) > 0 {
			fmt.Print(rows(got, []string{"bm25", "fettle"}, "  "))
		}
	}
	if fit {
		weights := fitted(halves[0])
		printWeights(weights)
		for _, half := range halves {
			for i := range half {
				half[i].reweigh(weights)
			}
		}
	}
	for i, half := range halves {
		fmt.Printf("\n%s: %d commits of %d repositories\n", []string{"The half for fitting", "The measured half"}[i], len(half), (len(dirs)+1-i)/2)
		fmt.Print(rows(half, ways, ""))
	}
	if shown {
		misses(halves[1])
	}
	return nil
}

// measure asks for all commits of a repository, with one index that follows the
// history.
func measure(ctx context.Context, dir string, most int) ([]result, error) {
	c := &clone{dir: dir}
	defer c.close()
	cases, err := fixes(ctx, c, filepath.Base(dir), most)
	if err != nil {
		return nil, err
	}
	ix, err := memory.Open(ctx, "")
	if err != nil {
		return nil, err
	}
	defer ix.Close()
	rivals := &corpus{parsed: map[string][]document{}}
	var out []result
	for _, f := range cases {
		src, _, err := c.tree(ctx, f.parent)
		if err != nil {
			continue // a clone may lack objects
		}
		src.Now = time.Now()
		v, _, err := ix.Update(ctx, src)
		if err != nil {
			return nil, err
		}
		if err := rivals.at(ctx, src); err != nil {
			return nil, err
		}
		begun := time.Now()
		hits, err := v.Search(ctx, memory.Query{Title: f.title, Body: f.body})
		if err != nil {
			return nil, err
		}
		r := result{fix: f, took: time.Since(begun), hits: hits, by: map[string]score{}}
		query := f.title + "\n" + f.body
		r.by["words"] = f.score(byWords(rivals.pieces, query), byWords(rivals.files, query))
		r.by["bm25"] = f.score(byBM25(rivals.pieces, query), byBM25(rivals.files, query))
		r.by["fettle"] = f.score(places(hits), nil)
		out = append(out, r)
	}
	return out, nil
}

func misses(all []result) {
	for _, r := range all {
		s := r.by["fettle"]
		if s.functions[1] == 1 {
			continue
		}
		fmt.Printf("\n%s %.10s %s\n", r.repo, r.commit, r.title)
		for _, t := range r.truth {
			fmt.Printf("  wanted %s %s:%d\n", t.name, t.path, t.start)
		}
		for _, h := range r.hits[:min(5, len(r.hits))] {
			fmt.Printf("  %.2f %s %s:%d", h.Score, h.Name, h.Path, h.Start)
			for _, p := range h.Parts {
				fmt.Printf(" %s=%.2f", p.By, p.Value)
			}
			fmt.Println()
		}
	}
}

// Command context measures what fettle would show of a repository for an issue's
// words alone: on commits of real histories that mend something in one to three
// functions, it asks the index of the parent's tree with the commit's message, and
// looks whether the functions that were changed come first. The same is asked of a
// count of words as rg finds them, of plain BM25, and, with -map, of Aider's repository
// map (its own package, in a Python of its own) at the same number of tokens.
//
// Where a commit adds or changes tests, it is asked again as a run does that begins
// with a failing test: with the tests' source, and with -run, in Python, with what
// ran in those that fail.
//
// The clones are the arguments, or FETTLE_CONTEXT_REPOS (a list like PATH). Every
// second one, by name, is for fitting; figures are those of the others.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bench/machine"
	"github.com/fettle-dev/fettle/bot/memory"
)

func main() {
	most := flag.Int("n", 40, "commits of a repository")
	fit := flag.Bool("fit", false, "fit the weights on the first half and print them")
	shown := flag.Bool("misses", false, "list the commits whose functions do not come among the first ten")
	var with rivalsOf
	flag.StringVar(&with.aider, "map", "", "compare with Aider's repository map: a `PYTHON` that has aider-chat")
	flag.StringVar(&with.tests, "run", "", "where a commit changes tests of Python, run them with this `PYTHON`, which has pytest and what they need: code of the clones, on this machine")
	flag.StringVar(&with.as, "as", "", "take all clones for the half that is `fitted` or measured, and not every second one")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, flag.Args(), *most, *fit, *shown, with); err != nil {
		fmt.Fprintln(os.Stderr, "context:", err)
		os.Exit(1)
	}
}

// rivalsOf are programs that are run beside.
type rivalsOf struct{ aider, tests, as string }

func run(ctx context.Context, dirs []string, most int, fit, shown bool, with rivalsOf) error {
	if len(dirs) == 0 {
		dirs = filepath.SplitList(os.Getenv("FETTLE_CONTEXT_REPOS"))
	}
	if len(dirs) == 0 {
		return fmt.Errorf("no repository is named; give clones with their history as arguments, or in FETTLE_CONTEXT_REPOS")
	}
	slices.SortFunc(dirs, func(a, b string) int {
		return cmp.Compare(strings.ToLower(filepath.Base(a)), strings.ToLower(filepath.Base(b)))
	})
	fmt.Println(machine.Line())
	var halves [2][]result
	var count [2]int
	for i, dir := range dirs {
		half := i % 2
		if at := slices.Index([]string{"fitted", "measured"}, with.as); at >= 0 {
			half = at
		}
		count[half]++
		one := with
		if half == 0 {
			one.aider = "" // slow, and not fitted
		}
		got, err := measure(ctx, dir, most, one)
		if err != nil {
			return fmt.Errorf("measuring %s: %w", dir, err)
		}
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
		if len(half) == 0 {
			continue
		}
		fmt.Printf("\n%s: %d commits of %d repositories\n", []string{"The half for fitting", "The measured half"}[i], len(half), count[i])
		fmt.Print(rows(half, ways, ""))
		for _, way := range []string{aiderMap, withTests, withRun} {
			if some := having(half, way); len(some) > 0 {
				fmt.Printf("%d of them, for which there is a query or an answer of this kind\n", len(some))
				fmt.Print(rows(some, []string{"bm25", "fettle", way}, ""))
			}
		}
	}
	if shown {
		misses(halves[1])
	}
	return nil
}

// measure asks for all commits of a repository, with one index that follows the
// history.
func measure(ctx context.Context, dir string, most int, with rivalsOf) (out []result, err error) {
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
	w, err := c.worktree()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(w.dir)) }()
	var aider *repoMap
	if with.aider != "" && len(cases) > 0 {
		if aider, err = startMap(ctx, with.aider); err != nil {
			return nil, err
		}
		defer aider.close()
	}
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
		r := result{fix: f, took: time.Since(begun), hits: hits, by: map[string]score{}, traced: map[string][]memory.Hit{}}
		query := f.title + "\n" + f.body
		r.by["words"] = f.score(byWords(rivals.pieces, query), byWords(rivals.files, query))
		r.by["bm25"] = f.score(byBM25(rivals.pieces, query), byBM25(rivals.files, query))
		r.by["fettle"] = f.score(places(hits), nil)
		if aider != nil {
			if r.by[aiderMap], err = aider.score(ctx, w, &f, rivals); err != nil {
				return nil, err
			}
		}
		if f.tests != "" {
			if err := r.withTrace(ctx, v, withTests, memory.Query{Title: f.title, Body: f.body, Tests: f.tests}); err != nil {
				return nil, err
			}
		}
		if with.tests != "" && f.tests != "" && strings.HasSuffix(f.testFiles[0], ".py") {
			q, ok, err := w.traced(ctx, with.tests, f)
			if err != nil {
				return nil, err
			}
			if ok {
				if err := r.withTrace(ctx, v, withRun, q); err != nil {
					return nil, err
				}
			}
		}
		out = append(out, r)
	}
	return out, nil
}

// withTrace asks once more, with what a failing test tells.
func (r *result) withTrace(ctx context.Context, v *memory.View, way string, q memory.Query) error {
	hits, err := v.Search(ctx, q)
	if err != nil {
		return err
	}
	r.traced[way] = hits
	r.by[way] = r.score(places(hits), nil)
	return nil
}

// having are the results of a way that not all have.
func having(all []result, way string) []result {
	return slices.DeleteFunc(slices.Clone(all), func(r result) bool { _, ok := r.by[way]; return !ok })
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

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/memory"
	"github.com/fettle-dev/fettle/bot/task"
)

// largestHashed is the size in bytes over which a file that Git does not track is
// told by its size: the index does not read it.
const largestHashed = 8 << 20

// searchJSON is what 'fettle search --json' prints.
type searchJSON struct {
	Query string        `json:"query"`
	Repo  string        `json:"repo"`
	Index memory.Report `json:"index"`
	Hits  []memory.Hit  `json:"hits"`
}

func newSearch(g *global) *cobra.Command {
	var repo, issue string
	var why, jsonOut bool
	var most int
	c := &cobra.Command{
		Use:   `search [--issue FILE|-] "WORDS"`,
		Short: "Find the code that words, or an issue, are about",
		Long: `search ranks the functions, classes and sections of a working copy by what WORDS
or an issue say, best first: path, lines, score, region. It is what a run of
'fettle fix' looks at first where no failing test tells the place.

Names written as code (` + "`total`" + `, total(), Shop.total, snake_case), stack traces
with file and line, quoted messages and file names count most; words of prose are
stemmed, identifiers split. Tests, examples, stubs, generated code and documents
come behind the sources. Calls are followed by name, so that what a test or a
caller leads to is found too; commits with the same words count as well.

The index is made and brought up to date by itself, in the state folder, never in
the repository; 'fettle index' shows what it holds.

Exit status: 0 something was found; 1 nothing was, or an error; 2 usage, no such
folder, no files.`,
		Example: `  fettle search "discount for a full week"
  fettle search --why 'Shop.total ignores the discount'
  fettle search --issue bug.md -n 5 --json | jq -r '.hits[].path'
  gh issue view 7 | fettle search --issue -`,
		RunE: func(c *cobra.Command, args []string) error {
			q := memory.Query{Title: strings.TrimSpace(strings.Join(args, " ")), Limit: most}
			switch {
			case most < 1:
				return usage("-n %d: give how many places to print, 1 or more", most)
			case issue != "" && q.Title != "":
				return usage("%s takes WORDS or --issue, not both", c.CommandPath())
			case issue != "":
				p, err := g.load(c.ErrOrStderr())
				if err != nil {
					return err
				}
				asked, err := p.issue(c.Context(), issue, repo, c.InOrStdin())
				if err != nil {
					return err
				}
				q.Title, q.Body = asked.title, asked.body
			case q.Title == "":
				return usage("no words are given; say what to look for, such as: %s \"total ignores the discount\"", c.CommandPath())
			}
			return g.search(c, repo, q, why, jsonOut)
		},
	}
	pathVar(c, &repo, "repo", ".", "a `DIR` in the working copy")
	issueVar(c, &issue, "read what to look for from `FILE`, - for standard input, or #N or the address of an issue on GitHub; first line the title")
	c.Flags().BoolVar(&why, "why", false, "say the reasons of each place")
	c.Flags().BoolVar(&jsonOut, "json", false, "print one JSON document, with scores and all their parts")
	c.Flags().IntVarP(&most, "number", "n", 10, "print at most `N` places")
	return c
}

func (g *global) search(c *cobra.Command, repo string, q memory.Query, why, jsonOut bool) error {
	return g.indexed(c, repo, func(dir string, v *memory.View, rep memory.Report) error {
		hits, err := v.Search(c.Context(), q)
		if err != nil {
			return err
		}
		if rep.Anew != "" {
			fmt.Fprintf(c.ErrOrStderr(), "the index was made anew: %s\n", clean(rep.Anew))
		}
		err = printed(c.OutOrStdout(), jsonOut, searchJSON{strings.TrimSpace(q.Title + "\n" + q.Body), dir, rep, nonNil(hits)}, func(w io.Writer) error { return printHits(w, hits, why) })
		if err == nil && len(hits) == 0 {
			fmt.Fprintf(c.ErrOrStderr(), "nothing in %s has these words; name a function, a file or a message, or see what is known with 'fettle index'\n", task.Count(rep.Files, "file"))
			return ending(exitRed)
		}
		return err
	})
}

func printHits(w io.Writer, hits []memory.Hit, why bool) error {
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for _, h := range hits {
		region := h.Region
		if region == "" {
			region = h.Kind + ":" + h.Name
		}
		fmt.Fprintf(tw, "%s:%d-%d\t%.2f\t%s\n", clean(h.Path), h.Start, h.End, h.Score, clean(region))
		if why {
			for _, r := range h.Reasons() {
				fmt.Fprintf(tw, "    %s\n", clean(r))
			}
		}
	}
	return tw.Flush()
}

func newIndex(g *global) *cobra.Command {
	var repo string
	var jsonOut bool
	c := &cobra.Command{
		Use:   "index",
		Short: "Bring the index of a working copy up to date, and say what it holds",
		Long: `index reads what changed in a working copy since the last time and says what can
be found, and what was left out and why: what Git ignores, installed and vendored
folders, files over 1 MiB, binary, minified and data files; of a very large tree
all but the first 30,000 files or 128 MiB, sources first.

Nobody has to call it: 'fettle search' and runs do the same by themselves. The
index lies in the state folder; removing it costs nothing but the time to make it.

Exit status: 0 done; 1 an error; 2 usage, no such folder, no files.`,
		Example: `  fettle index
  fettle index --repo ~/src/project --json | jq .skipped`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("%s takes no arguments, and got %q; give the working copy with --repo DIR", c.CommandPath(), args)
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error {
			return g.indexed(c, repo, func(dir string, _ *memory.View, rep memory.Report) error {
				return printed(c.OutOrStdout(), jsonOut, rep, func(w io.Writer) error { return printIndex(w, dir, rep) })
			})
		},
	}
	pathVar(c, &repo, "repo", ".", "a `DIR` in the working copy")
	c.Flags().BoolVar(&jsonOut, "json", false, "print one JSON document")
	return c
}

func printIndex(w io.Writer, dir string, rep memory.Report) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s with %s, %s of history\n", clean(dir), task.Count(rep.Files, "file"), task.Count(rep.Pieces, "place"), task.Count(rep.Commits, "commit"))
	fmt.Fprintf(&b, "  read now: %s, %.1f MB in %.1f s\n", task.Count(rep.Read, "file"), float64(rep.Bytes)/1e6, rep.Seconds)
	if rep.Anew != "" {
		fmt.Fprintf(&b, "  the index was made anew: %s\n", clean(rep.Anew))
	}
	if rep.NoPast != "" {
		fmt.Fprintf(&b, "  without the history: %s\n", clean(rep.NoPast))
	}
	for _, why := range slices.Sorted(maps.Keys(rep.Skipped)) {
		fmt.Fprintf(&b, "  left out: %s, %s, such as %s\n", task.Count(rep.Skipped[why], "file"), why, clean(rep.Examples[why]))
	}
	return printf(w, "%s", b.String())
}

// indexed brings the index of a folder up to date and does something with it.
func (g *global) indexed(c *cobra.Command, repo string, do func(dir string, v *memory.View, rep memory.Report) error) (err error) {
	p, err := g.load(c.ErrOrStderr())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	return p.indexed(c, repo, g.quiet, func(survey *checkout.Survey, v *memory.View, rep memory.Report) error { return do(survey.Dir, v, rep) })
}

func (p *parts) indexed(c *cobra.Command, repo string, quiet bool, do func(survey *checkout.Survey, v *memory.View, rep memory.Report) error) (err error) {
	dir, err := folder(repo)
	if err != nil {
		return err
	}
	trees, err := p.checkouts()
	if err != nil {
		return err
	}
	survey, err := trees.Survey(c.Context(), dir, largestHashed)
	switch {
	case errors.Is(err, checkout.ErrEmpty):
		return usage("%s holds no files to search; give a working copy with --repo DIR", dir)
	case err != nil:
		return &exitError{exitUsage, err}
	}
	defer func() { err = errors.Join(err, survey.Close()) }()
	ix, err := memory.Open(c.Context(), p.indexFile(0, survey.Dir))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ix.Close()) }()
	src := memory.Source{Files: survey.Blobs, Read: survey.Read, Head: survey.Head, History: survey.History, Now: p.now()}
	if !quiet {
		src.Progress = func(done, all int) { fmt.Fprintf(c.ErrOrStderr(), "indexed %d of %d files\n", done, all) }
	}
	v, rep, err := ix.Update(c.Context(), src)
	if err != nil {
		return err
	}
	for _, s := range survey.Skipped {
		rep.Skip("could not be read", s)
	}
	return do(survey, v, rep)
}

// indexFile is where the index of a project lies; installations share none (SPEC X5).
func (p *parts) indexFile(installation int64, project string) string {
	sum := sha256.Sum256([]byte(project))
	return filepath.Join(p.set.StateDir, "memory", strconv.FormatInt(installation, 10), hex.EncodeToString(sum[:12])+".db")
}

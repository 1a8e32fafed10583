package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/regular"
)

// regionJSON is a region as 'fettle regions --json' prints it. Path is left
// out where one file was asked for.
type regionJSON struct {
	Path          string        `json:"path,omitempty"`
	ID            string        `json:"id"`
	Kind          string        `json:"kind"`
	Name          string        `json:"name"`
	QualifiedName string        `json:"qualified_name"`
	Parent        string        `json:"parent"`
	Signature     string        `json:"signature"`
	StartLine     int           `json:"start_line"`
	EndLine       int           `json:"end_line"`
	StartByte     int           `json:"start_byte"`
	EndByte       int           `json:"end_byte"`
	Language      code.Language `json:"language"`
}

func asJSON(path string, r code.Region) regionJSON {
	return regionJSON{path, r.ID, r.Kind, r.Name, r.QualifiedName, r.Parent, r.Signature, r.StartLine, r.EndLine, r.StartByte, r.EndByte, r.Language}
}

func newRegions() *cobra.Command {
	var jsonOut, mark, unmark bool
	c := &cobra.Command{
		Use:   "regions FILE|DIR",
		Short: "List, show, replace and check the named pieces of source files",
		Long: `regions lists the functions, methods, classes, types and top-level blocks of a
file, or of all source files below a folder (installed packages and what Git
keeps are left out). Each has an id that stays the same while the region only
moves: kind, qualified name, and a hash of its text.

Python, JavaScript, TypeScript, TSX, Go, Java, Rust, Ruby, PHP, C and C++ are
read by their syntax; other text is cut into windows of lines.

--json prints an array of {"id","kind","name","qualified_name","parent",
"signature","start_line","end_line","start_byte","end_byte","language"}; of a
folder with "path". Lines count from 1 and include the last one; bytes count
from 0 and end_byte is behind the last one.

--mark prints the file with a comment line before and after each region, which
names its id; --unmark prints it without them, as it was.

Exit status: 0 done; 1 an error, or a syntax error found by check; 2 usage, no
such file or region; 5 a replacement that was refused.`,
		Example: `  fettle regions app.py
  fettle regions . --json | jq -r '.[] | select(.kind == "method") | .id'
  fettle regions show method:Shop.total shop/
  fettle regions replace shop.py function:total@3f2a91c0 --with new.py --write
  fettle regions check app.py web/index.ts`,
		Args: atMostOne("one FILE or DIR"),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return c.Help()
			}
			switch {
			case mark && unmark, jsonOut && (mark || unmark):
				return usage("--json, --mark and --unmark exclude each other")
			case mark || unmark:
				return printMarked(c, args[0], mark)
			}
			return listRegions(c, args[0], jsonOut)
		},
	}
	c.Flags().BoolVar(&jsonOut, "json", false, "print a JSON array")
	c.Flags().BoolVar(&mark, "mark", false, "print the file with its regions marked in comments")
	c.Flags().BoolVar(&unmark, "unmark", false, "print the file without such marks")
	c.AddCommand(newRegionsShow(), newRegionsReplace(), newRegionsCheck())
	return c
}

func printMarked(c *cobra.Command, file string, mark bool) error {
	src, err := readSource(file)
	if err != nil {
		return err
	}
	if mark {
		src, err = code.Mark(c.Context(), file, src)
	} else {
		src = code.Unmark(src)
	}
	if err != nil {
		return &exitError{exitUsage, err}
	}
	_, err = c.OutOrStdout().Write(src)
	return err
}

func listRegions(c *cobra.Command, target string, jsonOut bool) error {
	single := true
	out := []regionJSON{}
	err := eachSource(c.Context(), target, c.ErrOrStderr(), func(name string, alone bool, src []byte) error {
		single = alone
		regions, err := code.Regions(c.Context(), name, src)
		if err != nil {
			return err
		}
		for _, r := range regions {
			if alone {
				name = ""
			}
			out = append(out, asJSON(name, r))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if jsonOut {
		return writeJSON(c.OutOrStdout(), out)
	}
	tw := tabwriter.NewWriter(c.OutOrStdout(), 0, 4, 2, ' ', 0)
	for _, r := range out {
		place := fmt.Sprintf("%d-%d", r.StartLine, r.EndLine)
		if !single {
			place = clean(r.Path) + ":" + place
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\n", place, clean(r.ID), clean(r.Signature))
	}
	return tw.Flush()
}

// maxSource is the size in bytes over which a file is not read.
const maxSource = 64 << 20

// eachSource calls do for a file, or for each source file below a folder, by
// its path as the user would write it. A file that cannot be read is told on
// errs and left out of a folder, and is an error where it was named.
func eachSource(ctx context.Context, target string, errs io.Writer, do func(name string, alone bool, src []byte) error) error {
	info, err := os.Stat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return usage("there is no file or folder %s", target)
	case err != nil:
		return usage("looking at %s: %w", target, err)
	case !info.IsDir():
		src, err := readSource(target)
		if err != nil {
			return err
		}
		return do(filepath.ToSlash(target), true, src)
	}
	return filepath.WalkDir(target, func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			fmt.Fprintf(errs, "left out %s: %v\n", clean(name), err)
			return nil
		case d.IsDir() && name != target && code.Foreign(d.Name()):
			return fs.SkipDir
		case !d.Type().IsRegular() || code.LanguageOf(name) == code.Unknown:
			return nil
		}
		src, err := readSource(name)
		if err != nil {
			fmt.Fprintf(errs, "left out %s: %v\n", clean(name), err)
			return nil
		}
		return do(filepath.ToSlash(name), false, src)
	})
}

func readSource(name string) ([]byte, error) {
	src, err := regular.Read(name, maxSource)
	if err != nil {
		return nil, usage("reading %s: %w", name, err)
	}
	return src, nil
}

func newRegionsShow() *cobra.Command {
	var jsonOut bool
	c := &cobra.Command{
		Use:   "show ID [FILE|DIR]",
		Short: "Print the code of one region",
		Long: `show prints a region's bytes as they stand in the file. The region is looked for
in FILE, or in the source files below DIR, by default the current folder. The id
may be written without its hash or kind; when more than one region fits, they
are named and nothing is printed.`,
		Example: `  fettle regions show function:total@3f2a91c0
  fettle regions show Shop.total shop.py --json`,
		Args: takes(1, 2, "an ID and at most one FILE or DIR"),
		RunE: func(c *cobra.Command, args []string) error {
			target := "."
			if len(args) == 2 {
				target = args[1]
			}
			found, err := findRegion(c, args[0], target)
			if err != nil {
				return err
			}
			if jsonOut {
				return writeJSON(c.OutOrStdout(), found)
			}
			return printLine(c.OutOrStdout(), found.Code)
		},
	}
	c.Flags().BoolVar(&jsonOut, "json", false, "print one JSON document")
	return c
}

// foundRegion is a region with its text and how it was found.
type foundRegion struct {
	regionJSON
	Doc        string  `json:"doc,omitempty"`
	ResolvedBy string  `json:"resolved_by"`
	Score      float64 `json:"score"`
	Changed    bool    `json:"changed"` // the id's hash is of another text
	Code       string  `json:"code"`
}

// findRegion looks for a region in all files; the best ground wins, and two
// that are as good are refused.
func findRegion(c *cobra.Command, id, target string) (foundRegion, error) {
	var best []foundRegion
	var ambiguous error
	single := false
	var last error
	err := eachSource(c.Context(), target, c.ErrOrStderr(), func(name string, alone bool, src []byte) error {
		single = alone
		regions, err := code.Regions(c.Context(), name, src)
		if err != nil {
			return err
		}
		r, how, err := code.Resolve(regions, id)
		switch {
		case errors.Is(err, code.ErrAmbiguous):
			ambiguous = fmt.Errorf("%s: %w", name, err)
			return nil
		case err != nil:
			last = err
			return nil //nolint:nilerr // another file may have it
		case len(best) > 0 && how.Score < best[0].Score:
			return nil
		case len(best) > 0 && how.Score > best[0].Score:
			best = nil
		}
		best = append(best, foundRegion{asJSON(name, r), r.Doc, how.By, how.Score, how.Changed, string(src[r.StartByte:r.EndByte])})
		return nil
	})
	switch {
	case err != nil:
		return foundRegion{}, err
	case len(best) == 1 && (ambiguous == nil || best[0].Score == 1):
		return best[0], nil
	case len(best) > 1:
		var places []string
		for _, b := range best {
			places = append(places, fmt.Sprintf("%s:%d %s", b.Path, b.StartLine, b.ID))
		}
		return foundRegion{}, usage("more than one region fits %q: %s; name the file, or give the whole id", id, strings.Join(places[:min(len(places), 8)], ", "))
	case ambiguous != nil:
		return foundRegion{}, usage("%w", ambiguous)
	case single && last != nil:
		return foundRegion{}, usage("%s: %w", target, last)
	}
	return foundRegion{}, usage("no file in %s has a region %q; 'fettle regions %s' lists them", target, id, target)
}

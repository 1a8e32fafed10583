package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/task"
)

// replaced is what 'fettle regions replace --json' prints.
type replaced struct {
	Path       string          `json:"path"`
	ID         string          `json:"id"`     // as it was asked for
	NewID      string          `json:"new_id"` // as it is afterwards
	ResolvedBy string          `json:"resolved_by"`
	Score      float64         `json:"score"`
	Changed    bool            `json:"changed"`
	Written    bool            `json:"written"`
	Diff       string          `json:"diff"`
	Callers    []task.CallSite `json:"callers"` // of what changed its name or parameters
}

type replaceFlags struct {
	with                               string
	write, json, signature, protection bool
}

func newRegionsReplace() *cobra.Command {
	f := &replaceFlags{}
	c := &cobra.Command{
		Use:   "replace FILE ID --with FILE2|-",
		Short: "Put new code in the place of one region",
		Long: `replace fits the new code to the file's indentation, tabs, line endings and
encoding, proves that every byte outside the region stays, and shows the diff;
--write writes it. It is refused when the file would not parse, a function or
class would be lost, parameters change though --signature is not given, code is
left out ("rest unchanged"), a conflict marker, a fence or a secret stands in
it, or the file is protected.

Exit status: 0 done, also when nothing changes; 2 usage, no such file or
region, or more than one; 5 refused, with the reason.`,
		Example: `  fettle regions replace shop.py function:total@3f2a91c0 --with new.py
  fettle regions show Shop.total shop.py | sed s/100/110/ | fettle regions replace shop.py Shop.total --with - --write`,
		Args: takes(2, 2, "a FILE and an ID"),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0], args[1]) },
	}
	pathVar(c, &f.with, "with", "", "the `FILE` that holds the region's new code, or - for standard input")
	c.Flags().BoolVar(&f.write, "write", false, "write the file")
	c.Flags().BoolVar(&f.json, "json", false, "print one JSON document")
	c.Flags().BoolVar(&f.signature, "signature", false, "the name or the parameters change on purpose")
	c.Flags().BoolVar(&f.protection, "allow-protected", false, "change a protected file, such as a Makefile or a workflow")
	return c
}

func (f *replaceFlags) run(c *cobra.Command, file, id string) error {
	text, err := f.text(c.InOrStdin())
	if err != nil {
		return err
	}
	root, name, err := rootOf(file)
	if err != nil {
		return err
	}
	p := task.Patch{Edits: []task.Edit{{Kind: task.EditReplace, Path: name, Region: id, Code: text, Signature: f.signature}}}
	guard := patch.Guard{AllowTests: true, AllowProtected: f.protection, MaxBytes: 8 << 20}
	apply := patch.Preview
	if f.write {
		apply = patch.Apply
	}
	out := replaced{Path: filepath.ToSlash(file), ID: id, NewID: id, Callers: []task.CallSite{}}
	a, err := apply(c.Context(), root, p, guard)
	var refusal *patch.Refusal
	switch {
	case errors.As(err, &refusal) && refusal.Rule == patch.RuleNoChange:
		return f.print(c.OutOrStdout(), out)
	case errors.As(err, &refusal) && refusal.Rule == patch.RuleTarget:
		return &exitError{exitUsage, err}
	case errors.As(err, &refusal):
		return refused(err)
	case err != nil:
		return err
	}
	change := a.Changes[0]
	out.NewID, out.ResolvedBy, out.Score, out.Changed, out.Written = a.Regions[0].ID, a.Regions[0].ResolvedBy, a.Regions[0].Score, true, f.write
	out.Diff = checkout.TextDiff(name, change.Before, change.After)
	out.Callers = append(out.Callers, a.Callers...)
	return f.print(c.OutOrStdout(), out)
}

func (f *replaceFlags) text(in io.Reader) (string, error) {
	if f.with == "" {
		return "", usage("the new code is missing; give it with --with FILE, or --with - for standard input")
	}
	if f.with == "-" {
		text, err := io.ReadAll(io.LimitReader(in, maxSource))
		if err != nil {
			return "", usage("reading the new code from standard input: %w", err)
		}
		return string(text), nil
	}
	text, err := os.ReadFile(f.with)
	if err != nil {
		return "", usage("reading the new code: %w", err)
	}
	return string(text), nil
}

func (f *replaceFlags) print(w io.Writer, r replaced) error {
	if f.json {
		return writeJSON(w, r)
	}
	if !r.Changed {
		return printf(w, "No change: %s is so already.\n", clean(r.ID))
	}
	if err := coloured(w, colourDiff(redact.New().Log(r.Diff))); err != nil {
		return err
	}
	for _, s := range r.Callers {
		if !s.Adapted {
			fmt.Fprintf(w, "left: %s:%d uses %s: %s\n", clean(s.Path), s.Line, clean(s.Name), clean(s.Text))
		}
	}
	word := "Not written; add --write to write it."
	if r.Written {
		word = "Written: " + clean(r.NewID)
	}
	return printLine(w, word)
}

// rootOf gives the folder that a change of a file is confined to, and the
// file's path in it: the current folder, or the file's own when it lies
// elsewhere.
func rootOf(file string) (root, name string, err error) {
	if info, err := os.Lstat(file); err != nil || info.IsDir() {
		return "", "", usage("there is no file %s", file)
	}
	abs, err := filepath.Abs(file)
	if err != nil {
		return "", "", usage("finding %s: %w", file, err)
	}
	if root, err = os.Getwd(); err == nil {
		if rel, err := filepath.Rel(root, abs); err == nil && filepath.IsLocal(rel) {
			return root, filepath.ToSlash(rel), nil
		}
	}
	return filepath.Dir(abs), filepath.Base(abs), nil
}

// syntaxJSON is one syntax error as 'fettle regions check --json' prints it.
type syntaxJSON struct {
	Path string `json:"path"`
	code.SyntaxError
}

func newRegionsCheck() *cobra.Command {
	var jsonOut bool
	c := &cobra.Command{
		Use:   "check FILE|DIR…",
		Short: "Look for syntax errors",
		Long: `check reads files by their syntax and prints each place that does not parse as
path:line:column: message, which editors understand. Exit status 1 when there is
one. Files of other languages than 'fettle regions --help' names are not checked,
and told on standard error where they were named.`,
		Example: `  fettle regions check app.py
  git diff --name-only | xargs fettle regions check`,
		Args: takes(1, math.MaxInt, "the files to check"),
		RunE: func(c *cobra.Command, args []string) error {
			found := []syntaxJSON{}
			files := 0
			for _, target := range args {
				err := eachSource(c.Context(), target, c.ErrOrStderr(), func(name string, _ bool, src []byte) error {
					if code.LanguageOf(name) == code.Unknown {
						fmt.Fprintf(c.ErrOrStderr(), "%s: not checked: its language is not known\n", clean(name))
						return nil
					}
					files++
					errs, err := code.Check(c.Context(), name, src)
					for _, e := range errs {
						found = append(found, syntaxJSON{name, e})
					}
					return err
				})
				if err != nil {
					return err
				}
			}
			return printSyntax(c.OutOrStdout(), found, files, jsonOut)
		},
	}
	c.Flags().BoolVar(&jsonOut, "json", false, "print a JSON array")
	return c
}

func printSyntax(w io.Writer, found []syntaxJSON, files int, jsonOut bool) error {
	if jsonOut {
		if err := writeJSON(w, found); err != nil {
			return err
		}
	} else {
		var b strings.Builder
		for _, e := range found {
			fmt.Fprintf(&b, "%s:%d:%d: %s\n", clean(e.Path), e.Line, e.Column, clean(e.Message))
		}
		if len(found) == 0 && files > 0 {
			fmt.Fprintf(&b, "%s, no syntax error\n", task.Count(files, "file"))
		}
		if err := printf(w, "%s", b.String()); err != nil {
			return err
		}
	}
	if len(found) > 0 {
		return ending(exitRed)
	}
	return nil
}

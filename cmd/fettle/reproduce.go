package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/judge"
	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/verify/testgen/example"
)

// reproduction is what 'fettle reproduce --json' prints.
type reproduction struct {
	Reproduced bool              `json:"reproduced"`
	Path       string            `json:"path,omitempty"`
	Test       string            `json:"test,omitempty"`
	Examples   []example.Example `json:"examples"`
	Fails      []string          `json:"fails"`            // how the test fails
	Doubts     []string          `json:"doubts,omitempty"` // of the expectation itself
	Left       []string          `json:"left,omitempty"`   // examples that made no test, with the reason
	Pinned     []string          `json:"pinned,omitempty"` // green tests that hold the opposite
	Written    bool              `json:"written"`
}

type reproduceFlags struct {
	repo, issue string
	json, write bool
}

func newReproduce(g *global) *cobra.Command {
	f := &reproduceFlags{}
	c := &cobra.Command{
		Use:   "reproduce [WORDS | --issue FILE|-|URL|#N]",
		Short: "Make a test of an issue that fails as the issue says",
		Long: `reproduce reads calls with a value or an exception out of an issue, binds them to
the code, writes a test as the repository writes its own, and runs it in the
sandbox on a copy. A test is kept that fails as the issue says. No model is asked.
The folder itself is not touched, but for the test with --write.

Exit status: 0 there is such a test; 1 none could be made, with the reasons; 2
usage or configuration; 5 no sandbox; 130 stopped.`,
		Example: `  fettle reproduce "median([1, 2, 3, 4]) gives 3, expected 2.5"
  fettle reproduce --issue bug.md --write
  fettle reproduce --issue '#17' --json | jq -r .test`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, g, args) },
	}
	fl := c.Flags()
	pathVar(c, &f.repo, "repo", ".", "a `DIR` in the repository")
	issueVar(c, &f.issue, "the issue: a `FILE`, - for standard input, or #N or its address on GitHub")
	fl.BoolVar(&f.write, "write", false, "write the test into the folder")
	fl.BoolVar(&f.json, "json", false, "print one JSON document on stdout and nothing else there")
	return c
}

func (f *reproduceFlags) run(c *cobra.Command, g *global, args []string) error {
	if (len(args) > 0) == (f.issue != "") {
		return usage("reproduce takes the words of an issue or --issue, one of them; see 'fettle reproduce --help'")
	}
	dir, err := folder(f.repo)
	if err != nil {
		return err
	}
	p, err := g.load(c.ErrOrStderr())
	if err != nil {
		return err
	}
	defer p.close()
	asked := words{}
	if len(args) > 0 {
		asked.title, asked.body, err = readIssue("-", strings.NewReader(strings.Join(args, " ")))
	} else {
		asked, err = p.issue(c.Context(), f.issue, dir, c.InOrStdin())
	}
	if err != nil {
		return err
	}
	say := func(words string) {
		if !g.quiet {
			fmt.Fprintf(c.ErrOrStderr(), "reproduce: %s\n", p.funnel.Log(words))
		}
	}
	found, err := p.reproduce(c.Context(), dir, judge.Input{Title: asked.title, Body: asked.body, Progress: say})
	if err != nil {
		return err
	}
	r := f.reproduction(p, found)
	if r.Reproduced && f.write {
		if err := writeNew(dir, found.Path, found.Content); err != nil {
			return err
		}
		r.Written = true
	}
	err = printed(c.OutOrStdout(), f.json, r, r.print)
	if err == nil && !r.Reproduced {
		return ending(exitRed)
	}
	return err
}

// reproduction is what may be printed of it.
func (f *reproduceFlags) reproduction(p *parts, found example.Found) reproduction {
	clean := func(all []string) []string {
		out := make([]string, 0, len(all))
		for _, s := range all {
			out = append(out, p.funnel.Log(s))
		}
		return out
	}
	r := reproduction{Reproduced: found.Path != "", Path: found.Path, Test: found.Content, Examples: nonNil(found.Examples), Fails: []string{},
		Doubts: clean(found.Doubts), Left: clean(found.Left), Pinned: clean(found.Pinned)}
	if r.Reproduced {
		for _, failure := range found.Report.Failures() {
			r.Fails = append(r.Fails, p.funnel.Log(fmt.Sprintf("%s: %s", failure.Test, strings.Join(strings.Fields(failure.Message), " "))))
		}
	}
	return r
}

func (r reproduction) print(w io.Writer) error {
	if r.Reproduced {
		fmt.Fprintf(w, "%s\n\n%s\n", r.Path, strings.TrimRight(r.Test, "\n"))
		for _, s := range r.Fails {
			fmt.Fprintf(w, "\nfails   %s", s)
		}
		fmt.Fprintln(w)
	} else {
		fmt.Fprintln(w, "No test could be made that fails as the issue says.")
	}
	for _, list := range []struct {
		name string
		all  []string
	}{{"doubt", r.Doubts}, {"pinned", r.Pinned}, {"left", r.Left}} {
		for _, s := range list.all {
			fmt.Fprintf(w, "%-7s %s\n", list.name, s)
		}
	}
	switch {
	case r.Written:
		return printf(w, "next    %s is written; 'fettle fix' mends what it shows\n", r.Path)
	case r.Reproduced:
		return printLine(w, "next    --write writes it into the folder")
	}
	return printLine(w, "next    say in the issue which call gives what, and what it should give: f(1, 2) gives 3, expected 4")
}

// reproduce makes the test in the sandbox, on a copy of the working tree.
func (p *parts) reproduce(ctx context.Context, dir string, in judge.Input) (found example.Found, err error) {
	err = p.judging(ctx, dir, checkout.Span{Base: "HEAD"}, in, func(l judgingOn) error {
		found, err = example.Reproduce(ctx, example.Input{Title: in.Title, Body: in.Body, Dir: l.in.Head.Dir(), Base: l.in.Head.BaseFS(), Runner: l.verifier,
			Allowed: func(path string) bool { return !(patch.Guard{}).IsProtected(path) }})
		return err
	})
	return found, err
}

// writeNew writes a file that is not there yet.
func writeNew(dir, name, text string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return usage("opening %s: %w", dir, err)
	}
	defer root.Close()
	if err := root.MkdirAll(filepath.Dir(filepath.FromSlash(name)), 0o755); err != nil {
		return fmt.Errorf("making the folder of %s: %w", name, err)
	}
	file, err := root.OpenFile(filepath.FromSlash(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, os.ErrExist) {
		return usage("%s is there already; move it away, or leave --write out", name)
	} else if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/model/catalog"
	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/hooks/prepush"
)

// talks tells whether there is a person to ask: keys can be read, and what is said is seen.
func talks(c *cobra.Command) bool {
	in, ok := c.InOrStdin().(*os.File)
	out, seen := c.OutOrStdout().(interface{ Fd() uintptr })
	return ok && seen && term.IsTerminal(in.Fd()) && term.IsTerminal(out.Fd())
}

// typist gives what a person types, line by line, and stops waiting when a context ends.
type typist struct {
	in      *bufio.Reader
	got     chan typedLine
	reading bool
}

type typedLine struct {
	text string
	err  error
}

func newTypist(in io.Reader) *typist {
	return &typist{in: bufio.NewReader(in), got: make(chan typedLine, 1)}
}

func (y *typist) line(ctx context.Context) (string, error) {
	if !y.reading {
		y.reading = true
		go func() {
			text, err := y.in.ReadString('\n')
			y.got <- typedLine{text, err}
		}()
	}
	select {
	case l := <-y.got:
		y.reading = false
		return strings.TrimSpace(l.text), l.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// setUp is the dialogue of 'fettle init'.
type setUp struct {
	out   io.Writer
	typed *typist // nil: the answer is yes to what is proposed
}

// errUnanswered ends a dialogue: nothing more is typed.
var errUnanswered = errors.New("nothing more was answered, and nothing more is written; 'fettle init --yes' asks nothing")

// ask is a question with yes or no for an answer; with --yes it is what is proposed.
func (s *setUp) ask(ctx context.Context, words string, proposed bool) (bool, error) {
	if s.typed == nil {
		return proposed, nil
	}
	choice := "[y/N]"
	if proposed {
		choice = "[Y/n]"
	}
	for {
		fmt.Fprint(s.out, questionIn(words, choice, widthOf(s.out)))
		line, err := s.typed.line(ctx)
		switch {
		case ctx.Err() != nil:
			return false, err
		case isYes(line):
			return true, nil
		case strings.EqualFold(line, "n") || strings.EqualFold(line, "no"):
			return false, nil
		case line == "" && err == nil:
			return proposed, nil
		case err != nil:
			fmt.Fprintln(s.out)
			return false, usage("%w", errUnanswered)
		}
		fmt.Fprintln(s.out, "y or n?")
	}
}

// questionIn is a question that is not broken within a word, but for a path that is longer
// than a line.
func questionIn(words, choice string, wide int) string {
	const noBreak = "\u00a0"
	if !slices.ContainsFunc(strings.Fields(words), func(w string) bool { return ansi.StringWidth(w) > wide-len(" "+choice) }) {
		words = hang(words+noBreak+choice, wide, 0)
		return strings.ReplaceAll(words, noBreak, " ") + " "
	}
	return words + " " + choice + " "
}

// initTalk proposes the repository's file and the operator's, and offers what else there is.
func initTalk(c *cobra.Command, g *global, args []string, yes bool) error {
	s := &setUp{out: c.OutOrStdout()}
	if !yes {
		s.typed = newTypist(c.InOrStdin())
	}
	p, err := propose(args)
	if err != nil {
		return err
	}
	if err := s.repository(c.Context(), p); err != nil {
		return err
	}
	if err := s.operator(c.Context(), g, c.ErrOrStderr()); err != nil {
		return err
	}
	if err := s.offers(c, p.dir); err != nil {
		return err
	}
	return printf(s.out, `
Next:
  fettle check                   run the checks
  fettle fix "what is wrong"     mend something
  fettle doctor                  what is missing on this machine
  fettle init --github           create the GitHub App
docs/actions.md has an action for a repository's own jobs.
`)
}

// repository proposes .fettle.yml.
func (s *setUp) repository(ctx context.Context, p *proposal) error {
	if _, err := os.Lstat(filepath.Join(p.dir, p.File)); err == nil {
		return printf(s.out, "%s is there already and stays as it is.\n", p.File)
	}
	fmt.Fprintf(s.out, "This is how %s is checked, with the reasons:\n\n%s\n\n", p.dir, indent(clipped(p.Content)))
	ok, err := s.ask(ctx, fmt.Sprintf("Write it to %s?", p.File), true)
	if err != nil || !ok {
		return err
	}
	if err := p.write(); err != nil {
		return err
	}
	return printf(s.out, "wrote %s with %s\n", p.File, task.Count(len(p.Plan.Commands), "check"))
}

// clipped is a text without what a terminal would take for more than text.
func clipped(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, l := range lines {
		indent := l[:len(l)-len(strings.TrimLeft(l, " "))]
		lines[i] = strings.TrimRight(indent+clean(l), " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// operator proposes the operator's file, with models that are on this machine.
func (s *setUp) operator(ctx context.Context, g *global, errs io.Writer) error {
	file, err := settings.File(g.config)
	if err != nil {
		return err
	}
	if _, err := os.Stat(file); err == nil {
		return printf(s.out, "\nYour own file %s is there already and stays as it is.\n", file)
	}
	text := operatorText(ctx, g, errs)
	if text == "" {
		return printf(s.out, "\nNo model was found: no server on this machine, and no key in the environment.\nMechanical repair works without one; docs/models.md has the presets.\n")
	}
	fmt.Fprintf(s.out, "\nThese models were found; others are never asked:\n\n%s\n\n", indent(text))
	ok, err := s.ask(ctx, fmt.Sprintf("Write it to %s?", file), true)
	if err != nil || !ok {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return usage("making the folder of %s: %w", file, err)
	}
	own := &proposal{File: filepath.Base(file), Content: text, dir: filepath.Dir(file)}
	if err := own.write(); err != nil {
		return err
	}
	return printf(s.out, "wrote %s\n", file)
}

// operatorText is an operator's file with the models that were found, or "". A server on
// this machine is cheaper than a provider, and so comes first.
func operatorText(ctx context.Context, g *global, errs io.Writer) string {
	set, err := settings.Default()
	if err != nil {
		return ""
	}
	client := g.parts(set, errs).models()
	var rows []string
	for _, local := range []bool{true, false} {
		for _, name := range catalog.Names() {
			p, err := catalog.Lookup(name)
			if err != nil || p.Retired != "" || p.Local != local {
				continue
			}
			if row := foundModel(ctx, client, p); row != "" {
				rows = append(rows, row)
				break
			}
		}
	}
	text := "# The operator's file of fettle; docs/configure.md has every key.\ntiers:\n"
	for i, row := range rows {
		text += fmt.Sprintf("  tier%d:\n%s", i+1, row)
	}
	if _, err := settings.Parse("config.yml", []byte(text)); err != nil || len(rows) == 0 {
		return ""
	}
	return text
}

// foundModel is the entry of a preset that can be used here, or "".
func foundModel(ctx context.Context, client *model.Client, p catalog.Preset) string {
	if !p.Local {
		if p.KeyEnv == "" || p.Model == "" || os.Getenv(p.KeyEnv) == "" {
			return ""
		}
		return fmt.Sprintf("    preset: %s  # its key is in %s\n", p.Name, p.KeyEnv)
	}
	ctx, done := context.WithTimeout(ctx, time.Second)
	defer done()
	offer, err := client.Offered(ctx, model.Endpoint{Tier: task.Tier1, Preset: p.Name, BaseURL: p.BaseURL})
	if err != nil || len(offer.Models) == 0 {
		return ""
	}
	best := offer.Models[0]
	if i := slices.IndexFunc(offer.Models, func(m string) bool { return strings.Contains(strings.ToLower(m), "code") }); i >= 0 {
		best = offer.Models[i] // made for code
	}
	return fmt.Sprintf("    preset: %s  # answers at %s\n    model: %q\n", p.Name, p.BaseURL, best)
}

// offers are what a person may want besides; --yes does not want them.
func (s *setUp) offers(c *cobra.Command, dir string) error {
	ctx := c.Context()
	if s.typed == nil {
		return nil
	}
	fmt.Fprintln(s.out)
	if repo, err := prepush.Find(ctx, dir); err == nil && !repo.Bare {
		ok, err := s.ask(ctx, "Check what is pushed before it leaves, with a Git hook?", false)
		if err != nil {
			return err
		}
		if ok {
			program, err := os.Executable()
			if err != nil {
				return fmt.Errorf("finding where fettle is: %w", err)
			}
			said, err := repo.Install(ctx, program)
			for _, words := range said {
				fmt.Fprintln(s.out, clean(words))
			}
			if err != nil {
				return err
			}
		}
	}
	ok, err := s.ask(ctx, "Tell other agents, in AGENTS.md, to have their work judged?", false)
	if err != nil || !ok {
		return err
	}
	return agentsInit(c, []string{dir}, true)
}

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/judge"
	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/danger"
)

// riskReport is what 'fettle risk --json' prints.
type riskReport struct {
	task.Risk
	From    string          `json:"from"` // full hash; "" before the first commit
	To      string          `json:"to"`   // full hash; "" for the working tree
	Files   []riskFile      `json:"files"`
	Callers []task.CallSite `json:"callers"` // of what changed its name or parameters
}

type riskFile struct {
	Path   string `json:"path"`
	Status string `json:"status"` // added, modified, deleted
}

func newRisk(g *global) *cobra.Command {
	var repo string
	var asJSON bool
	var limit int
	c := &cobra.Command{
		Use:   "risk [REV..REV]",
		Short: "Score how risky a change is, with the reasons",
		Long: `risk reads the difference between two states of a repository and scores it from
0 to 100: lines and files changed, public signatures, callers that were left,
sensitive places (sign-in, cryptography, SQL, migrations, CI), deletions,
branches added, tests that came with it. The reasons matter more than the
number.

  A..B    what B has and A has not
  A...B   what B has since it left A
  A       the working tree against A
  (none)  the working tree, untracked files included, against HEAD

The repository is only read. Exit status: 0 scored; 1 the score is above
--max, or an error; 2 usage, no such revision, no repository.`,
		Example: `  fettle risk
  fettle risk main...HEAD
  fettle risk v1.2..v1.3 --json | jq .reasons
  fettle risk HEAD~1..HEAD --max 40   # a gate for CI`,
		Args: atMostOne("one range"),
		RunE: func(c *cobra.Command, args []string) error {
			report, err := g.risk(c, repo, strings.Join(args, ""))
			if err != nil {
				return err
			}
			err = printed(c.OutOrStdout(), asJSON, report, func(w io.Writer) error { return printRisk(w, report) })
			if err == nil && report.Score > limit {
				return ending(exitRed)
			}
			return err
		},
	}
	pathVar(c, &repo, "repo", ".", "a `DIR` in the repository")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	c.Flags().IntVar(&limit, "max", 100, "exit with 1 when the score is above `N`")
	return c
}

func (g *global) risk(c *cobra.Command, repo, spec string) (riskReport, error) {
	p, err := g.load(c.ErrOrStderr())
	if err != nil {
		return riskReport{}, err
	}
	defer p.close()
	dir, err := folder(repo)
	if err != nil {
		return riskReport{}, err
	}
	trees, err := p.checkouts()
	if err != nil {
		return riskReport{}, err
	}
	diff, err := trees.Compare(c.Context(), dir, spec)
	if err != nil {
		return riskReport{}, &exitError{exitUsage, err}
	}
	defer diff.Close()
	return scored(c.Context(), diff)
}

// scored scores a comparison.
func scored(ctx context.Context, diff *checkout.Comparison) (riskReport, error) {
	out := riskReport{From: diff.From, To: diff.To, Files: []riskFile{}}
	var changes []patch.Change
	for _, f := range diff.Files {
		status := "modified"
		switch {
		case f.Before == nil:
			status = "added"
		case f.After == nil:
			status = "deleted"
		}
		out.Files = append(out.Files, riskFile{f.Path, status})
		changes = append(changes, textOf(f))
	}
	var files []danger.File
	for _, f := range changes {
		files = append(files, danger.File(f))
	}
	found, err := danger.Find(ctx, files, danger.Known{})
	if err != nil {
		return riskReport{}, fmt.Errorf("looking for what can do harm: %w", err)
	}
	risk, sites, err := judge.Risk(ctx, diff.After, changes, found)
	if err != nil {
		return riskReport{}, err
	}
	out.Risk, out.Callers = risk, nonNil(sites)
	out.Reasons = nonNil(out.Reasons)
	return out, nil
}

// textOf stands a note in for what is no text.
func textOf(f checkout.Compared) patch.Change {
	c := patch.Change{Path: f.Path, Before: f.Before, After: f.After}
	for i, side := range []*[]byte{&c.Before, &c.After} {
		if *side != nil && (f.Large || bytes.IndexByte((*side)[:min(len(*side), 8000)], 0) >= 0) {
			*side = fmt.Appendf(nil, "(%s, not text)\n", []string{"before", "after"}[i])
		}
	}
	return c
}

func printRisk(w io.Writer, r riskReport) error {
	from, to := r.From, r.To
	if from == "" {
		from = "the empty repository"
	}
	if to == "" {
		to = "the working tree"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Risk %d of 100: %s, %s against %s\n", r.Score, task.Count(len(r.Files), "file"), shortHash(to), shortHash(from))
	for _, reason := range r.Reasons {
		fmt.Fprintf(&b, "  %s\n", clean(reason))
	}
	for _, s := range r.Callers {
		if !s.Adapted {
			fmt.Fprintf(&b, "  left: %s:%d uses %s: %s\n", clean(s.Path), s.Line, clean(s.Name), clean(s.Text))
		}
	}
	return printf(w, "%s", b.String())
}

// shortHash is a hash as Git shows it.
func shortHash(s string) string {
	if len(s) == 40 && !strings.Contains(s, " ") {
		return s[:12]
	}
	return s
}

// clean makes foreign text fit for a terminal: one line, no escapes.
func clean(s string) string {
	return strings.Join(strings.Fields(redact.New().Log(s)), " ")
}

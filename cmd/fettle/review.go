package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/judge"
	"github.com/fettle-dev/fettle/bot/task"
)

type reviewJSON struct {
	Findings  []judge.Finding `json:"findings"`
	Judgement judge.Judgement `json:"judgement"`
	Reasons   []string        `json:"reasons"`
	Risk      task.Risk       `json:"risk"`
}

func newReview(g *global) *cobra.Command {
	var repo, issue string
	var staged, asJSON bool
	c := &cobra.Command{
		Use:   "review [REV | REV..REV | PR]",
		Short: "List what a person should look at in a change, line by line",
		Long: `review asks the same evidence as 'fettle judge' and lists what it found at the lines
where it stands: what can do harm, what the change alters in tests, planted faults that
no test notices, changed lines that no test runs; then the judgement.

  review              the working tree against where it left the default branch
  review REV          the working tree against REV
  review A..B         B against where it left A
  review 17           a pull request that was fetched
  review --staged     what is staged

Exit status: 0 nothing speaks against it; 1 refuted or unproven; 2 usage; 5 dangerous,
or no sandbox.`,
		Example: `  fettle review
  fettle review main..feature
  fettle review --staged --json | jq '.findings[]'
  fettle review > review.txt && vim -q review.txt   # the lines are path:line: what`,
		Args: atMostOne("one range or pull request"),
		RunE: func(c *cobra.Command, args []string) error {
			span := checkout.Span{Staged: staged}
			if len(args) == 1 && staged {
				return usage("%q and --staged exclude each other", args[0])
			}
			if len(args) == 1 {
				span = spanOf(args[0])
			}
			report, _, err := g.judged(c, repo, issue, span, opinion{}, false)
			if err != nil {
				return err
			}
			err = printed(c.OutOrStdout(), asJSON, reviewJSON{report.Lines(), report.Judgement, report.Reasons, report.Risk}, func(w io.Writer) error { return printReview(w, report) })
			return errors.Join(err, judgeEnding(report, judge.Plausible))
		},
	}
	pathVar(c, &repo, "repo", ".", "a `DIR` in the repository")
	issueVar(c, &issue, "the issue that it is for: its `FILE`, - for standard input, or #N or its address on GitHub")
	c.Flags().BoolVar(&staged, "staged", false, "review what is staged")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON document on stdout and nothing else there")
	return c
}

// spanOf reads a range, a revision before the working tree, or a pull request.
func spanOf(arg string) checkout.Span {
	if n := pullNumber.FindStringSubmatch(arg); n != nil {
		return checkout.Span{Head: "refs/pull/" + n[1] + "/head"}
	}
	base, head, _ := strings.Cut(arg, "..")
	return checkout.Span{Base: base, Head: strings.TrimPrefix(head, ".")}
}

func printReview(w io.Writer, r judge.Report) error {
	var b strings.Builder
	for _, f := range r.Lines() {
		fmt.Fprintf(&b, "%s:%d: %s [%s]\n", f.Path, f.Line, strings.Join(strings.Fields(f.Message), " "), f.Rule)
	}
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%s, risk %d of 100\n", r.Judgement, r.Risk.Score)
	for _, why := range r.Reasons {
		fmt.Fprintf(&b, "  %s\n", strings.Join(strings.Fields(why), " "))
	}
	for _, t := range r.Tests.Broken {
		fmt.Fprintf(&b, "  fails with it: %s (%s)\n", t.ID, t.Command)
	}
	return printf(w, "%s", b.String())
}

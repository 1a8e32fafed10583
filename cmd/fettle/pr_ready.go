package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/judge"
	"github.com/fettle-dev/fettle/bot/regular"
	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/check"
	"github.com/fettle-dev/fettle/hooks/prepush"
)

// readiness is what 'fettle pr-ready' says of a branch.
type readiness struct {
	Ready bool        `json:"ready"` // nothing on the list is red
	Draft bool        `json:"draft"` // a part is unverified
	Base  string      `json:"base"`
	Head  string      `json:"head"`
	Title string      `json:"title"`
	Body  string      `json:"body"`
	List  []listEntry `json:"checklist"`
	Risk  task.Risk   `json:"risk"`
	URL   string      `json:"url,omitempty"` // of the pull request, where one was opened
	Next  string      `json:"next_action"`

	dangerous bool
	more      []string // of the text: what the judge saw
}

// listEntry is a line of the checklist; its status is one of package check's.
type listEntry struct {
	Name   string       `json:"name"`
	Status check.Status `json:"status"`
	Detail string       `json:"detail,omitempty"`
}

type readyFlags struct {
	repo, base               string
	quick, dry, open, asJSON bool
}

func newReady(g *global) *cobra.Command {
	f := &readyFlags{}
	c := &cobra.Command{
		Use:   "pr-ready",
		Short: "Go through the checklist of the current branch and write the pull request's text",
		Long: `pr-ready looks at the commits of the current branch: whether the working copy is
clean, the checks are green, a secret is among the changes, and what 'fettle judge' says
of them; --quick runs the fast checks and scores the risk instead of judging. It prints
the checklist and the text of a pull request, in the repository's template, and keeps
the text in .fettle/pull_request.md.

With --open, what is ready is pushed to origin and a pull request is opened by the token
in GITHUB_TOKEN or of 'gh auth login': as a draft where a part is unverified. Nothing is
pushed or opened otherwise.

Exit status: 0 ready; 1 something on the list is red; 2 usage; 4 a part is unverified,
so that it is a draft; 5 dangerous, or no sandbox.`,
		Example: `  fettle pr-ready
  fettle pr-ready --quick
  fettle pr-ready --open
  gh pr create --title "$(git log -1 --format=%s)" --body-file .fettle/pull_request.md`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c, g) },
	}
	fl := c.Flags()
	pathVar(c, &f.repo, "repo", ".", "the working copy, a `DIR`")
	fl.StringVar(&f.base, "base", "", "the `BRANCH` that it is for (default the default branch)")
	fl.BoolVar(&f.quick, "quick", false, "the fast checks, and no judgement")
	fl.BoolVar(&f.dry, "dry-run", false, "push and open nothing (the default)")
	fl.BoolVar(&f.open, "open", false, "push the branch and open the pull request")
	fl.BoolVar(&f.asJSON, "json", false, "print one JSON document on stdout and nothing else there")
	return c
}

func (f *readyFlags) run(c *cobra.Command, g *global) error {
	if f.dry && f.open {
		return usage("--dry-run and --open exclude each other")
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
	say := c.ErrOrStderr()
	if g.quiet {
		say = io.Discard
	}
	repo, r, span, err := f.branch(c.Context(), dir)
	if err != nil {
		return err
	}
	if err := p.ready(c.Context(), repo.Top, span, f.quick, say, &r); err != nil {
		return err
	}
	r.words(repo.Top, p.funnel.Message)
	if f.open && r.Ready {
		if r.URL, err = p.openPull(c.Context(), repo, r); err != nil {
			return err
		}
		r.Next = "Look at " + r.URL
	}
	if err := bot.Keep(repo.Top, "pull_request.md", []byte(r.Body)); err != nil {
		return err
	}
	err = printed(c.OutOrStdout(), f.asJSON, r, func(w io.Writer) error { return r.print(w, p.funnel.Log) })
	switch {
	case err != nil:
		return err
	case r.dangerous:
		return ending(exitRefused)
	case !r.Ready:
		return ending(exitRed)
	case r.Draft:
		return ending(exitWaits)
	}
	return nil
}

// branch says what the current branch is held against, and what its commits say.
func (f *readyFlags) branch(ctx context.Context, dir string) (*prepush.Repo, readiness, checkout.Span, error) {
	r, span := readiness{List: []listEntry{}}, checkout.Span{}
	repo, err := prepush.Find(ctx, dir)
	if err != nil || repo.Bare {
		return nil, r, span, usage("%s is no working copy; give one with --repo DIR", dir)
	}
	_, full, err := repo.Head(ctx)
	if err != nil {
		return nil, r, span, &exitError{exitUsage, err}
	}
	if r.Head = branchOf(full); r.Head == "" {
		return nil, r, span, usage("HEAD is on no branch; begin one with 'git switch -c NAME'")
	}
	if r.Base = f.base; r.Base == "" {
		if r.Base = repo.Default(ctx); r.Base == "" {
			return nil, r, span, usage("there is neither a default branch of origin nor main or master; name the branch with --base")
		}
	}
	if r.Base == r.Head {
		return nil, r, span, usage("%s is the branch that pull requests are for; begin one of your own with 'git switch -c NAME'", r.Head)
	}
	span.Base, span.Head = r.Base, r.Head
	if !repo.Has(ctx, "refs/heads/"+r.Base) {
		span.Base = "origin/" + r.Base
	}
	messages, err := repo.Messages(ctx, span.Base, "HEAD")
	if err != nil {
		return nil, r, span, &exitError{exitUsage, err}
	}
	if len(messages) == 0 {
		return nil, r, span, usage("%s has no commit that %s lacks; commit something first", r.Head, r.Base)
	}
	r.Title, _, _ = strings.Cut(messages[0], "\n")
	for _, m := range messages {
		subject, body, _ := strings.Cut(m, "\n")
		r.more = append(r.more, strings.TrimSpace("- "+subject+"\n"+indented(strings.TrimSpace(body))))
	}
	return repo, r, span, nil
}

func indented(s string) string {
	if s == "" {
		return ""
	}
	return "  " + strings.ReplaceAll(s, "\n", "\n  ")
}

// ready goes through the checklist.
func (p *parts) ready(ctx context.Context, dir string, span checkout.Span, quick bool, say io.Writer, r *readiness) error {
	add := func(name string, status check.Status, detail string) {
		r.List = append(r.List, listEntry{name, status, p.funnel.Log(detail)})
	}
	dirty, err := p.dirty(ctx, dir)
	if err != nil {
		return err
	}
	var open []string
	for name, before := range dirty {
		if before != nil {
			open = append(open, name)
		}
	}
	if len(open) > 0 {
		add("working copy", check.Failed, fmt.Sprintf("%s not committed, such as %s", task.Count(len(open), "changed file"), open[0]))
	} else {
		add("working copy", check.Passed, "nothing is left to commit")
	}
	trees, err := p.checkouts()
	if err != nil {
		return err
	}
	ends, err := trees.Compare(ctx, dir, span.Base+"..."+span.Head)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	defer ends.Close()
	diff, err := trees.Range(ctx, dir, ends.From, ends.To)
	if err != nil {
		return err
	}
	defer diff.Close()
	if err := p.readyChecks(ctx, dir, quick, diff, say, add); err != nil {
		return err
	}
	secret := ""
	for _, f := range diff.Files {
		if len(p.funnel.FindSecrets(string(f.After))) > len(p.funnel.FindSecrets(string(f.Before))) {
			secret = f.Path
		}
	}
	if secret != "" {
		add("secrets", check.Failed, secret+" has what looks like a secret; take it out of the commits, and renew it if it was pushed")
	} else {
		add("secrets", check.Passed, "none in the changed files")
	}
	if quick {
		report, err := scored(ctx, diff)
		r.Risk = report.Risk
		r.settle()
		return err
	}
	report, err := p.judge(ctx, dir, span, judge.Input{Progress: func(words string) { fmt.Fprintf(say, "judge: %s\n", p.funnel.Log(words)) }}, opinion{})
	if err != nil {
		return err
	}
	status := check.Passed
	switch report.Judgement {
	case judge.Dangerous, judge.Refuted:
		status = check.Failed
	case judge.Proven:
	default:
		status = check.NotRun
	}
	add("judge", status, string(report.Judgement)+": "+strings.Join(report.Reasons, "; "))
	r.Risk, r.dangerous = report.Risk, report.Judgement == judge.Dangerous
	for _, t := range report.Tests.Fixed {
		r.more = append(r.more, "- red before, green now: `"+t.ID+"`")
	}
	r.settle()
	return nil
}

// readyChecks runs the checks on the commits, not on what stands in the working copy.
func (p *parts) readyChecks(ctx context.Context, dir string, quick bool, diff *checkout.Comparison, say io.Writer, add func(string, check.Status, string)) error {
	tree, err := diff.Tree(ctx)
	if err != nil {
		return err
	}
	find := func(session *sandbox.Sandbox) (source, error) { return p.sourceIn(ctx, session, tree) }
	return p.checking(ctx, find, 0, say, func(src source, runner *check.Runner, opt check.Options) error {
		if quick {
			opt.Profile = check.Fast
			if err := p.called(ctx, &opt, dir, diff); err != nil {
				return err
			}
		}
		res, err := runner.Run(ctx, src.dir, opt)
		if err != nil {
			return err
		}
		for _, c := range res.Checks {
			detail := c.Detail
			if len(c.Failures) > 0 {
				detail = whereOf(c.Failures[0]) + " " + check.Title(c.Failures[0])
			}
			add(c.Name, c.Status, detail)
		}
		return nil
	})
}

// settle says what the list comes to.
func (r *readiness) settle() {
	r.Ready, r.Next = true, "'fettle pr-ready --open' pushes the branch and opens the pull request."
	for _, e := range r.List {
		switch e.Status {
		case check.Failed:
			r.Ready = false
			r.Next = "Mend what is red, then ask again; 'fettle fix --fix-until-green' mends failing checks."
		case check.NotRun:
			r.Draft = true
		}
	}
}

// words writes the text of the pull request, in the repository's template.
func (r *readiness) words(top string, message func(string) string) {
	var b strings.Builder
	fmt.Fprintf(&b, "## What changes\n\n%s\n\n## Checklist\n\n", strings.Join(r.more, "\n"))
	for _, e := range r.List {
		mark := "x"
		if e.Status != check.Passed {
			mark = " "
		}
		fmt.Fprintf(&b, "- [%s] %s: %s%s\n", mark, e.Name, e.Status, bracket(e.Detail))
	}
	fmt.Fprintf(&b, "- risk %d of 100%s\n", r.Risk.Score, bracket(strings.Join(r.Risk.Reasons, "; ")))
	r.Title, r.Body = message(r.Title), b.String()
	root, err := os.OpenRoot(top)
	if err != nil {
		return
	}
	defer root.Close()
	for _, name := range []string{".github/pull_request_template.md", ".github/PULL_REQUEST_TEMPLATE.md", "pull_request_template.md", "docs/pull_request_template.md"} {
		if raw, err := regular.ReadIn(root, filepath.FromSlash(name), maxTemplate); err == nil {
			r.Body = bot.InTemplate(r.Body, string(raw))
			return
		}
	}
}

const maxTemplate = 1 << 16

func (r *readiness) print(w io.Writer, log func(string) string) error {
	var b strings.Builder
	for _, e := range r.List {
		mark, style := markOf(e.Status)
		fmt.Fprintf(&b, "%s %-14s %s\n", style.Render(mark), log(e.Name), log(e.Detail))
	}
	verdict := map[bool]string{true: "Ready", false: "Not ready"}[r.Ready]
	if r.Ready && r.Draft {
		verdict = "Ready as a draft: a part is unverified"
	}
	fmt.Fprintf(&b, "\n%s, risk %d of 100\n  next  %s\n\n%s into %s\n\n%s\n\n%s", lipgloss.NewStyle().Bold(true).Render(verdict), r.Risk.Score, r.Next, r.Head, r.Base, log(r.Title), log(r.Body))
	return coloured(w, b.String())
}

// openPull pushes the branch and opens the pull request.
func (p *parts) openPull(ctx context.Context, repo *prepush.Repo, r readiness) (string, error) {
	home, err := originOf(ctx, repo.Top)
	if err != nil {
		return "", err
	}
	at := strings.Split(home, "/") // scheme, "", host, owner, name
	client, on, err := p.person(ctx, strings.Join(at[:3], "/"), at[3], at[4])
	if err != nil {
		return "", err
	}
	if err := repo.Send(ctx, "origin", "refs/heads/"+r.Head); err != nil {
		return "", err
	}
	pull, err := client.PullRequest(ctx, on, r.Head, r.Base, r.Title, r.Body, 0, r.Draft)
	return pull.URL, err
}

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/judge"
	"github.com/fettle-dev/fettle/bot/mend"
	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/prepare"
	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/regular"
	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/detect"
	"github.com/fettle-dev/fettle/bot/verify/testgen/characterise"
)

type judgeFlags struct {
	repo, issue, patch, markdown, require string
	tests                                 string // file for the patch of tests; - for stdout
	span                                  checkout.Span
	json, annotations                     bool
	opinion                               opinion
}

func newJudge(g *global) *cobra.Command {
	f := &judgeFlags{}
	c := &cobra.Command{
		Use:   "judge [PR|BRANCH]",
		Short: "Say with evidence what a change proves, whoever wrote it",
		Long: `judge holds a change against the state before it, in the sandbox, on copies: which
tests turn from red to green and which turn red, what each new test is worth, which
faults planted into the changed lines no test notices, which changed lines no test
runs, which calls come to something else than before, what the change alters in
tests that were there, what can do harm, and the risk. No model is asked but with
--tests-by and --opinion: where the evidence carries the change, the model of that tier is shown
the diff, once, for at most --max-cost, and can only lower the judgement. Files under
never_send of .fettle.yml are not shown to it.

--tests FILE writes a patch for git apply with tests that the change lacks: of changed
functions in which a planted fault went unnoticed. They are made from the calls that
the tests make, without a model, and pin what the change does: read them. Only those
are kept that pass with the change, run its lines and notice a planted fault. With
--tests-by, the model of that tier is asked where none could be made, for at most
--max-cost, and what it writes is kept by the same measure. With -
the patch is all that stands on stdout, and the report goes to stderr.

  judge               the working tree against where it left the default branch
  judge 17            a pull request that was fetched:
                        git fetch origin pull/17/head:refs/pull/17/head
  judge BRANCH        a branch against where it left the default branch
  judge --staged      what is staged against HEAD
  judge --patch FILE  a unified diff, made for HEAD or for --base; - reads it from
                      standard input

The judgements: proven (tests show what is mended, by evidence of grade signed or
witnessed, and nothing planted into the changed lines went unnoticed); plausible
(nothing speaks against it, a part is unverified); unproven; refuted (a test fails
with it); dangerous (it can do harm that no test sees). fettle approves nothing.

Exit status: 0 proven, or plausible without --require proven; 1 refuted, unproven,
or an error; 2 usage or configuration; 5 dangerous, or no sandbox; 130 stopped.`,
		Example: `  fettle judge
  fettle judge --base main --head feature --issue bug.md
  gh pr diff 17 | fettle judge --patch - --base main
  fettle judge --staged --require proven
  fettle judge 17 --json | jq '.survivors[] | .path, .line, .fault'
  fettle judge --tests lacking.patch; git apply lacking.patch
  fettle judge --markdown report.md --annotations   # in CI`,
		Args: atMostOne("one pull request or branch"),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, g, args) },
	}
	fl := c.Flags()
	fl.StringVar(&f.span.Base, "base", "", "the state before: a `REV`; of a branch the place where the change left it")
	fl.StringVar(&f.span.Head, "head", "", "the state after: a `REV` (default the working tree)")
	fl.BoolVar(&f.span.Staged, "staged", false, "judge what is staged")
	pathVar(c, &f.patch, "patch", "", "judge what this diff makes of the base: a `FILE`, or - for standard input")
	pathVar(c, &f.repo, "repo", ".", "a `DIR` in the repository")
	issueVar(c, &f.issue, "the issue that it is for: its `FILE`, - for standard input, or #N or its address on GitHub")
	fl.StringVar(&f.require, "require", string(judge.Plausible), "the `JUDGEMENT` below which the exit status is 1: plausible or proven")
	fl.StringVar((*string)(&f.opinion.tier), "opinion", "", "ask the model of this `TIER` for a second opinion, which can only lower the judgement")
	fl.StringVar((*string)(&f.opinion.writer), "tests-by", "", "with --tests, ask the model of this `TIER` where no test could be made without")
	fl.Float64Var(&f.opinion.most, "max-cost", opinionMost, "spend at most `USD` on both")
	fl.BoolVar(&f.json, "json", false, "print one JSON document on stdout and nothing else there")
	pathVar(c, &f.markdown, "markdown", "", "write the report as Markdown into `FILE`, too")
	pathVar(c, &f.tests, "tests", "", "write tests that the change lacks as a patch into `FILE`, or to stdout with -")
	fl.BoolVar(&f.annotations, "annotations", false, "print GitHub's workflow commands instead of the report")
	return c
}

// maxPatch bounds a diff that is read.
const maxPatch = 64 << 20

var (
	pullNumber  = regexp.MustCompile(`^#?([1-9][0-9]*)$`)
	fetchedPull = regexp.MustCompile(`^refs/pull/([1-9][0-9]*)/head$`)
)

// valid says which two states are meant.
func (f *judgeFlags) valid(args []string, in io.Reader) error {
	if f.require != string(judge.Plausible) && f.require != string(judge.Proven) {
		return usage("--require takes plausible or proven, and got %q", f.require)
	}
	if f.json && f.annotations {
		return usage("--json and --annotations exclude each other")
	}
	if f.opinion.writer != "" && f.tests == "" {
		return usage("--tests-by says who writes tests; say with --tests where they go")
	}
	if f.tests == "-" && (f.json || f.annotations) {
		return usage("--tests - has stdout for itself; --json holds the patch too, under offer")
	}
	if len(args) == 1 {
		if f.span.Head != "" {
			return usage("%q and --head exclude each other", args[0])
		}
		if f.span.Head = args[0]; pullNumber.MatchString(args[0]) {
			f.span.Head = "refs/pull/" + pullNumber.FindStringSubmatch(args[0])[1] + "/head"
		}
	}
	if n := setOf(f.span.Head != "", f.span.Staged, f.patch != ""); n > 1 {
		return usage("a branch or --head, --staged and --patch exclude each other")
	}
	if f.patch == "" {
		return nil
	}
	if f.patch == "-" && f.issue == "-" {
		return usage("--patch and --issue cannot both be read from standard input")
	}
	if f.patch != "-" {
		file, err := os.Open(f.patch)
		if err != nil {
			return usage("reading the patch: %w", err)
		}
		defer file.Close()
		in = file
	}
	var err error
	if f.span.Patch, err = io.ReadAll(io.LimitReader(in, maxPatch+1)); err != nil {
		return usage("reading the patch: %w", err)
	}
	switch {
	case len(f.span.Patch) > maxPatch:
		return usage("the patch has more than %d bytes", maxPatch)
	case len(bytes.TrimSpace(f.span.Patch)) == 0:
		return usage("the patch is empty")
	}
	return nil
}

func setOf(all ...bool) (n int) {
	for _, is := range all {
		if is {
			n++
		}
	}
	return n
}

func (f *judgeFlags) run(c *cobra.Command, g *global, args []string) error {
	if err := f.valid(args, c.InOrStdin()); err != nil {
		return err
	}
	report, funnel, err := g.judged(c, f.repo, f.issue, f.span, f.opinion, f.tests != "")
	if err != nil {
		return err
	}
	if err := f.print(c.OutOrStdout(), c.ErrOrStderr(), report, funnel); err != nil {
		return err
	}
	return judgeEnding(report, judge.Judgement(f.require))
}

// judged judges a span of a repository as a command asks for it. What is printed of the
// report passes the funnel.
func (g *global) judged(c *cobra.Command, repo, issue string, span checkout.Span, second opinion, tests bool) (report judge.Report, funnel *redact.Funnel, err error) {
	dir, err := folder(repo)
	if err != nil {
		return report, funnel, err
	}
	p, err := g.load(c.ErrOrStderr())
	if err != nil {
		return report, funnel, err
	}
	defer p.close()
	funnel = p.funnel
	if err := second.valid(p); err != nil {
		return report, funnel, err
	}
	in := judge.Input{Tests: tests}
	if issue != "" {
		asked, err := p.issue(c.Context(), issue, dir, c.InOrStdin())
		if err != nil {
			return report, funnel, err
		}
		in.Title, in.Body = asked.title, asked.body
	}
	if !g.quiet {
		in.Progress = func(words string) { fmt.Fprintf(c.ErrOrStderr(), "judge: %s\n", p.funnel.Log(words)) }
	}
	report, err = p.judge(c.Context(), dir, span, in, second)
	if n := fetchedPull.FindStringSubmatch(span.Head); n != nil && errors.Is(err, checkout.ErrNoRef) {
		return report, funnel, usage("the pull request %s is not here: git fetch origin pull/%s/head:refs/pull/%s/head", n[1], n[1], n[1])
	}
	return report, funnel, err
}

// judgeEnding is the exit status of a judgement, where at least this one is wanted.
func judgeEnding(r judge.Report, least judge.Judgement) error {
	switch {
	case r.Judgement == judge.Dangerous:
		return ending(exitRefused)
	case r.Judgement == judge.Proven, r.Judgement == judge.Plausible && least == judge.Plausible:
		return nil
	}
	return ending(exitRed)
}

func (f *judgeFlags) print(w, aside io.Writer, r judge.Report, funnel *redact.Funnel) error {
	if err := f.offer(w, aside, r); err != nil {
		return err
	}
	if f.tests == "-" {
		w = aside
	}
	if f.markdown != "" {
		var text bytes.Buffer
		if err := judge.Markdown(&text, r, funnel); err != nil {
			return err
		}
		if err := os.WriteFile(f.markdown, text.Bytes(), 0o644); err != nil {
			return fmt.Errorf("writing the report: %w", err)
		}
	}
	switch {
	case f.json:
		return writeJSON(w, r)
	case f.annotations:
		return judge.Annotations(w, r)
	}
	return judge.Write(w, r)
}

// offer writes the patch of tests. An older one does not stay where there are none.
func (f *judgeFlags) offer(w, aside io.Writer, r judge.Report) error {
	if r.Offer == nil {
		return nil
	}
	if len(r.Offer.Files) == 0 {
		fmt.Fprintf(aside, "judge: no test is offered: %s\n", strings.Join(r.Offer.Left, "; "))
	}
	if f.tests == "-" {
		return printf(w, "%s", r.Offer.Patch)
	}
	if err := os.WriteFile(f.tests, []byte(r.Offer.Patch), 0o644); err != nil {
		return fmt.Errorf("writing the patch of tests: %w", err)
	}
	return nil
}

// judge lays the two states out, has installed what their tests need, and judges.
func (p *parts) judge(ctx context.Context, dir string, span checkout.Span, in judge.Input, second opinion) (report judge.Report, err error) {
	err = p.judging(ctx, dir, span, in, func(l judgingOn) error {
		report, err = p.judgeOn(ctx, l, second)
		return err
	})
	return report, err
}

// judgeTrees judges two states that are laid out, as the App has it judged.
func (p *parts) judgeTrees(ctx context.Context, in judge.Input) (report judge.Report, err error) {
	err = p.prepared(ctx, in, func(l judgingOn) error {
		report, err = p.judgeOn(ctx, l, opinion{})
		return err
	})
	return report, err
}

func (p *parts) judgeOn(ctx context.Context, l judgingOn, second opinion) (judge.Report, error) {
	write, spent, err := p.writer(second, l)
	if err != nil {
		return judge.Report{}, err
	}
	ask, err := p.opinion(second, l, spent)
	if err != nil {
		return judge.Report{}, err
	}
	guard := patch.Guard{Protected: l.own.Protected}
	l.in.Allowed = func(path string) bool { return !guard.IsProtected(path) }
	characteriser := characterise.New(characterise.Config{Sandbox: l.box, Verifier: l.verifier, Now: p.now, Log: p.log})
	mender := mend.New(mend.Config{Sandbox: l.box, Now: p.now, Log: p.log})
	report, err := judge.New(judge.Config{Verifier: l.verifier, Characteriser: characteriser, Mender: mender, Now: p.now, Second: ask, Write: write}).Judge(ctx, l.in)
	if err == nil {
		report.Clean(p.funnel)
	}
	return report, err
}

// judgingOn is a span that is laid out, and what runs its tests.
type judgingOn struct {
	in       judge.Input
	box      *sandbox.Sandbox
	verifier *verify.Verifier
	own      *settings.Repo // of the state before
}

// judging lays the two states of a span out, and has installed what their tests need.
func (p *parts) judging(ctx context.Context, dir string, span checkout.Span, in judge.Input, do func(judgingOn) error) (err error) {
	trees, err := p.checkouts()
	if err != nil {
		return err
	}
	if in.Base, in.Head, err = trees.OpenSpan(ctx, dir, span); err != nil {
		return wrongly(err, checkout.ErrNoRef, checkout.ErrPatch, checkout.ErrNoCopy, checkout.ErrNotDirectory, checkout.ErrBare, checkout.ErrEmpty, regular.ErrSpecial)
	}
	defer func() { err = errors.Join(err, in.Base.Close(), in.Head.Close()) }()
	return p.prepared(ctx, in, do)
}

// prepared has installed what the tests of both states need.
func (p *parts) prepared(ctx context.Context, in judge.Input, do func(judgingOn) error) (err error) {
	whole, err := p.sandbox(ctx)
	if err != nil {
		return err
	}
	box := whole.Session()
	prep, err := p.preparer()
	if err != nil {
		return errors.Join(err, box.Close())
	}
	setup := prep.For(box)
	defer func() { err = errors.Join(err, box.Close(), setup.Close()) }()
	own, err := p.needed(ctx, box, setup, in)
	if err != nil {
		return err
	}
	return do(judgingOn{own: own, in: in, box: box, verifier: verify.New(verify.Config{Sandbox: box, Warm: true, Now: p.now, Log: p.log})})
}

// needed gives the sandbox what the repository's own file says that its tests need, as
// it was before the change: whoever wrote the change does not decide it. It gives that file.
func (p *parts) needed(ctx context.Context, box *sandbox.Sandbox, setup *prepare.Session, in judge.Input) (*settings.Repo, error) {
	tree, err := detect.Scan(in.Base.BaseFS())
	if err != nil {
		return nil, err
	}
	own := &settings.Repo{}
	data, err := regular.ReadFS(in.Base.BaseFS(), settings.RepoFile, settings.MaxRepoFile)
	if err == nil {
		own, err = settings.LoadRepo(data)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, usage("reading %s of the base: %w", settings.RepoFile, err)
	}
	if err := prepare.Need(box, own.Needs, tree.WantsGit()); err != nil {
		return nil, err
	}
	repo := in.Base.Repo()
	got, err := setup.Tree(ctx, in.Base, prepare.Request{Installation: repo.Installation, Repo: repo.Slug(), Commands: own.Setup, Progress: in.Progress}, tree.Plan().Setup)
	if err != nil {
		return nil, err
	}
	if words := got.Result.Words(); words != "" && in.Progress != nil && !got.Nothing {
		in.Progress(words)
	}
	_, err = setup.Installed(ctx, in.Head)
	return own, err
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/prepare"
	"github.com/fettle-dev/fettle/bot/regular"
	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/verify/check"
	"github.com/fettle-dev/fettle/bot/verify/detect"
)

type checkFlags struct {
	fast, full, json, record bool
	format, since            string
	only                     []string
	timeout                  time.Duration
}

func newCheck(g *global) *cobra.Command {
	f := &checkFlags{}
	c := &cobra.Command{
		Use:   "check [DIR]",
		Short: "Check a folder: syntax, build, lint, types, tests",
		Long: `check finds out how the folder is built, linted, type-checked and tested, or
takes the checks that its .fettle.yml names, and runs them in the sandbox on a
copy. The folder itself is not touched.

--full, the default, runs everything. --fast looks at what changed since the
last commit (or --since REF): it parses the changed files, stops at the first
level that is red, and runs the tests that the change calls for, each with the
reason; where nothing says which, all. --record runs the tests once and keeps
which lines each runs: from then on --fast chooses single tests by what they
run, up to a quarter of the suite's time.

Exit status: 0 green; 1 a required check is red; 2 usage or configuration; 4 a
required check could not be run, or there was no test to run: somebody has to
look; 5 no sandbox; 130 stopped.`,
		Example: `  fettle check
  fettle check --fast
  fettle check --record
  fettle check --json path/to/repo
  fettle check --format sarif > fettle.sarif
  fettle check --only lint,types`,
		Args: oneFolder,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, g, args) },
	}
	fl := c.Flags()
	fl.BoolVar(&f.fast, "fast", false, "only what the change calls for, up to the first red level")
	fl.BoolVar(&f.full, "full", false, "everything (the default)")
	fl.BoolVar(&f.record, "record", false, "run the tests once and keep which lines each runs, for --fast")
	fl.StringVar(&f.since, "since", "", "with --fast: what changed since `REF` (default HEAD)")
	fl.StringSliceVar(&f.only, "only", nil, "only checks of this `NAME` or kind: syntax, build, lint, types, test")
	fl.BoolVar(&f.json, "json", false, "print one JSON document on stdout and nothing else there")
	fl.StringVar(&f.format, "format", "", "print for a program: json, sarif, github or unix")
	fl.DurationVar(&f.timeout, "timeout", 0, "wall clock of one check (default 10m)")
	return c
}

func (f *checkFlags) run(c *cobra.Command, g *global, args []string) error {
	if err := f.valid(); err != nil {
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
	find := func(*sandbox.Sandbox) (source, error) { return sourceOf(args) }
	return p.checking(c.Context(), find, f.timeout, say, func(src source, runner *check.Runner, opt check.Options) error {
		opt.Only = f.only
		if f.fast {
			opt.Profile = check.Fast
			if err := p.changed(c.Context(), &opt, src.dir, f.since); err != nil {
				return err
			}
		}
		if f.record {
			return p.record(c.Context(), c.OutOrStdout(), runner, src.dir, opt)
		}
		r, err := runner.Run(c.Context(), src.dir, opt)
		if err != nil {
			return err
		}
		r.Clean(p.funnel.Log)
		if err := f.print(c.OutOrStdout(), r); err != nil {
			return err
		}
		return checkEnding(r)
	})
}

// checking starts a sandbox that has what the checks of a folder need, and its packages.
func (p *parts) checking(ctx context.Context, find func(*sandbox.Sandbox) (source, error), timeout time.Duration, say io.Writer, do func(source, *check.Runner, check.Options) error) error {
	box, err := p.sandbox(ctx)
	if err != nil {
		return err
	}
	session := box.Session()
	release := func() {}
	defer func() { _ = session.Close(); release() }()
	src, err := find(session)
	if err != nil {
		return err
	}
	defer src.root.Close()
	if release, err = p.equip(ctx, session, &src, say); err != nil {
		return err
	}
	opt := check.Options{Profile: check.Full, Plan: src.plan, Progress: func(name, command string) {
		fmt.Fprintf(say, "%s: %s\n", p.funnel.Log(name), p.funnel.Log(command))
	}}
	return do(src, check.New(check.Config{Sandbox: session, Now: p.now, Log: p.log, Timeout: timeout}), opt)
}

// equip gives a session what the checks of a folder need, and makes their plan.
func (p *parts) equip(ctx context.Context, session *sandbox.Sandbox, src *source, say io.Writer) (release func(), err error) {
	found, err := detect.Scan(regular.FS(src.root))
	if err == nil {
		err = prepare.Need(session, src.own.Needs, found.WantsGit())
	}
	if err != nil {
		return func() {}, err
	}
	src.plan, release, err = p.install(ctx, session, *src, say)
	return release, err
}

// sourceIn finds how a laid out tree is checked. Installed packages of the folder that it
// was taken from are shown to the checks.
func (p *parts) sourceIn(ctx context.Context, session *sandbox.Sandbox, tree *checkout.Tree) (src source, err error) {
	prep, err := p.preparer()
	if err != nil {
		return src, err
	}
	shown, err := prep.For(session).Installed(ctx, tree)
	if err != nil {
		return src, err
	}
	src, err = sourceOf([]string{tree.Dir()})
	src.folder, src.installed = tree.Folder(), shown
	return src, err
}

func (f *checkFlags) valid() error {
	switch {
	case f.fast && f.full:
		return usage("--fast and --full exclude each other")
	case f.record && (f.fast || f.json || f.format != "" || len(f.only) > 0):
		return usage("--record goes with --full and --timeout alone: it runs the tests and prints what it kept")
	case f.since != "" && !f.fast:
		return usage("--since goes with --fast")
	case f.json && f.format != "" && f.format != "json":
		return usage("--json and --format %s exclude each other", f.format)
	case f.format != "" && !slices.Contains(check.Formats, f.format):
		return usage("--format takes %s, and got %q", strings.Join(check.Formats, ", "), f.format)
	case f.timeout < 0:
		return usage("--timeout takes a time that is not negative")
	}
	if f.json {
		f.format = "json"
	}
	return nil
}

func (f *checkFlags) print(w io.Writer, r check.Result) error {
	if f.format != "" {
		return check.Write(w, f.format, r, versionWords())
	}
	return printChecks(w, r)
}

// checkEnding is the exit status of a pipeline (SPEC S6).
func checkEnding(r check.Result) error {
	switch r.Status {
	case check.Failed:
		return ending(exitRed)
	case check.NotRun:
		return ending(exitWaits)
	}
	return nil
}

// sourceOf finds the folder and how it is checked: what it declares, or what is
// detected.
func sourceOf(args []string) (src source, err error) {
	name := "."
	if len(args) == 1 {
		name = args[0]
	}
	src.own = &settings.Repo{}
	if src.dir, err = folder(name); err != nil {
		return src, err
	}
	if checkout.IsBare(src.dir) {
		return src, usage("opening %s: %w; give a clone of it", src.dir, checkout.ErrBare)
	}
	if src.root, err = os.OpenRoot(src.dir); err != nil {
		return src, usage("opening %s: %w", src.dir, err)
	}
	defer func() {
		if err != nil {
			_ = src.root.Close()
		}
	}()
	if src.plan, err = detect.Detect(regular.FS(src.root)); err != nil {
		return src, err
	}
	data, err := regular.ReadFS(regular.FS(src.root), settings.RepoFile, settings.MaxRepoFile)
	if errors.Is(err, os.ErrNotExist) {
		return src, nil
	}
	if err != nil {
		return src, usage("reading %s: %w", settings.RepoFile, err)
	}
	own, err := settings.LoadRepo(data)
	if err != nil {
		return src, &exitError{exitUsage, err}
	}
	src.own, src.plan = own, declared(src.plan, own)
	return src, nil
}

// changed adds the files of dir that differ from since, from dir, and what is
// known from before. A folder that is no working copy has none, and then all
// tests are run.
func (p *parts) changed(ctx context.Context, opt *check.Options, dir, since string) error {
	trees, err := p.checkouts()
	if err != nil {
		return err
	}
	diff, err := trees.Compare(ctx, dir, since)
	switch {
	case errors.Is(err, checkout.ErrNoRef), errors.Is(err, regular.ErrSpecial):
		return &exitError{exitUsage, err}
	case errors.Is(err, checkout.ErrNotDirectory), errors.Is(err, checkout.ErrNoCopy):
		return nil
	case err != nil:
		return err
	}
	defer diff.Close()
	return p.called(ctx, opt, dir, diff)
}

// called adds to the options which files of dir differ, and what is known from before.
func (p *parts) called(ctx context.Context, opt *check.Options, dir string, diff *checkout.Comparison) error {
	prefix := below(dir)
	for _, f := range diff.Files {
		if rel, ok := strings.CutPrefix(f.Path, prefix); ok && !detect.Ignored(rel) {
			opt.Changed = append(opt.Changed, path.Clean(rel))
		}
	}
	return p.knows(ctx, opt, dir, diff)
}

// top is the root of the working copy that holds dir.
func top(dir string) (string, bool) {
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
			return d, true
		}
		if d == filepath.Dir(d) {
			return "", false
		}
	}
}

// below is dir seen from the root of its working copy, "" or with a slash at
// its end.
func below(dir string) string {
	root, ok := top(dir)
	if !ok || root == dir {
		return ""
	}
	rel, err := filepath.Rel(root, dir)
	if err != nil {
		return ""
	}
	return filepath.ToSlash(rel) + "/"
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/bot/prepare"
	"github.com/fettle-dev/fettle/bot/regular"
	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/sandbox/egress"
	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/verify/detect"
)

// preparer installs dependencies as the operator's file allows it.
func (p *parts) preparer() (*prepare.Preparer, error) {
	set := p.set.Setup
	allow, err := egress.ParseList(slices.Concat(set.Allow, set.AllowPrivate))
	if err != nil {
		return nil, usage("%s: setup.allow: %w", p.set.File, err)
	}
	return prepare.New(prepare.Config{
		Dir: filepath.Join(p.set.StateDir, "setups"), Allow: allow, Private: allow[len(set.Allow):], Offline: set.Offline, Env: set.Env,
		Timeout: set.Timeout, MaxBytes: set.CacheBytes, Egress: egress.Config{Upstream: egress.Environment()},
		Clean: p.funnel.Log, Now: p.now, Log: p.log,
	})
}

// prune deletes the indexes and what setups left of repositories that known does not
// list under their installation.
func (p *parts) prune(known func() (map[int64][]string, error)) error {
	prep, err := p.preparer()
	if err != nil {
		return err
	}
	problems := []error{prep.Prune(known)}
	files, _ := filepath.Glob(filepath.Join(p.set.StateDir, "memory", "*", "*")) // the pattern is well formed
	repos, err := known()
	if err != nil {
		return errors.Join(append(problems, err)...)
	}
	for _, file := range files {
		installation, err := strconv.ParseInt(filepath.Base(filepath.Dir(file)), 10, 64)
		if err != nil || installation == 0 || slices.ContainsFunc(repos[installation], func(slug string) bool {
			return strings.HasPrefix(file, p.indexFile(installation, strings.ToLower(slug)))
		}) {
			continue
		}
		if err := os.Remove(file); !errors.Is(err, fs.ErrNotExist) {
			problems = append(problems, err)
		}
		if len(repos[installation]) == 0 {
			_ = os.Remove(filepath.Dir(file)) // where nothing else is in it
		}
	}
	return errors.Join(problems...)
}

// source is a folder that is checked, and how.
type source struct {
	dir  string
	root *os.Root
	own  *settings.Repo // never nil
	plan detect.Plan

	folder    string   // where installed packages are, if not in dir
	installed []string // folders of it
}

// install has the dependencies of a folder installed for the session, where its
// own file names how, or where it pins them and holds none, and makes its plan
// again with what is there then. What was not done is a note of the plan.
func (p *parts) install(ctx context.Context, box *sandbox.Sandbox, src source, say io.Writer) (detect.Plan, func(), error) {
	none, dir, own, plan, tree := func() {}, src.dir, src.own, src.plan, regular.FS(src.root)
	req := prepare.Request{Repo: dir, Dir: dir, Tree: tree, Commands: own.Setup, Named: len(own.Setup) > 0}
	prep, err := p.preparer()
	if err != nil {
		return plan, none, err
	}
	req.Folder, req.Installed = src.folder, src.installed
	if req.Named && prepare.Installed(tree) {
		return plan, none, nil // whoever works here did it
	}
	if len(req.Installed) > 0 && !prepare.Pinned(tree, req.Installed...) {
		req.Commands, req.Named = nil, false // the same
	} else if !req.Named && len(req.Installed) == 0 {
		if !prep.Allowed(false) || !prepare.Pinned(tree) {
			return plan, none, nil
		}
		req.Commands = plan.Setup
	}
	if req.Default = prepare.DefaultBranch(dir); req.Default {
		trees, err := p.checkouts()
		if err != nil {
			return plan, none, err
		}
		if req.Default, err = trees.Clean(ctx, dir); err != nil {
			p.log.WithError(err).Warn("the folder counts as changed, so what its setup installs is not kept")
		}
	}
	req.Progress = func(note string) { fmt.Fprintf(say, "setup: %s\n", p.funnel.Log(note)) }
	session := prep.For(box)
	done := func() {
		if err := session.Close(); err != nil {
			p.log.WithError(err).Warn("what a setup installed was not given back")
		}
	}
	res, err := session.Prepare(ctx, req)
	if err != nil {
		done()
		return plan, none, err
	}
	if res.Ready() {
		if plan, err = detect.Detect(session.Over(tree)); err != nil {
			done()
			return plan, none, err
		}
		plan = declared(plan, own)
	}
	plan.Notes = append(plan.Notes, res.Notes...)
	if words := res.Words(); words != "" {
		if res.Do != "" {
			words += "; " + res.Do
		}
		plan.Notes = append(plan.Notes, words)
	}
	if res.Output != "" {
		fmt.Fprintf(say, "setup printed last:\n  %s\n", strings.ReplaceAll(res.Output, "\n", "\n  "))
	}
	return plan, done, nil
}

// declared is a plan with what the repository's own file says.
func declared(plan detect.Plan, own *settings.Repo) detect.Plan {
	if len(own.Setup) > 0 {
		plan.Setup = own.Setup
	}
	return plan.Declared(own.Checks)
}

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/fettle-dev/fettle/bench/mend/bugs"
	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/verify"
)

// measured is what the tests of a correct tree show, found once.
type measured struct {
	once sync.Once
	bugs.Outcome
	err error
}

func (b *runner) measure(ctx context.Context, subject string, bug bugs.Bug) (bugs.Outcome, error) {
	b.mu.Lock()
	if b.correct == nil {
		b.correct = map[string]*measured{}
	}
	m := b.correct[subject]
	if m == nil {
		m = &measured{}
		b.correct[subject] = m
	}
	b.mu.Unlock()
	m.once.Do(func() { m.Outcome, m.err = b.bench.Correct(ctx, b.work, subject, bug.Subject, bug.Commit) })
	if m.err != nil {
		return m.Outcome, fmt.Errorf("measuring the correct tree: %w", m.err)
	}
	for _, id := range bug.Failing {
		if m.Status[id] != verify.StatusPassed {
			return m.Outcome, fmt.Errorf("a test of the bug does not pass in the correct tree: %s", id)
		}
	}
	return m.Outcome, nil
}

// judge puts the subject's own tests into the working copy and runs them all.
func (b *runner) judge(ctx context.Context, subject, repo string, f bugs.Folder, correct bugs.Outcome, r *result) error {
	changed, err := changedFiles(ctx, repo)
	if err != nil {
		return fmt.Errorf("judging: %w", err)
	}
	sources, err := ownTests(subject, repo, f, correct, changed)
	if err != nil {
		return fmt.Errorf("judging: putting the tests back: %w", err)
	}
	if len(sources) == 0 {
		r.Verdict, r.Why = plausible, "nothing but tests is changed"
		r.Red = f.Failing
		return nil
	}
	red, err := b.redIn(ctx, repo, correct)
	if err == nil && len(red) > 0 && !slices.ContainsFunc(red, func(id string) bool { return slices.Contains(f.Failing, id) }) {
		var again []string // nothing that the bug is about: by chance?
		again, err = b.redIn(ctx, repo, correct)
		red = slices.DeleteFunc(red, func(id string) bool { return !slices.Contains(again, id) })
	}
	if err != nil {
		return fmt.Errorf("judging: %w", err)
	}
	r.Verdict, r.Red = mended, red
	if len(red) > 0 {
		r.Verdict = plausible
	}
	if r.Same, err = same(subject, repo, f, sources); err != nil {
		return fmt.Errorf("judging: %w", err)
	}
	if f.Weak && !r.Same && r.Verdict == mended && b.pins {
		r.Pins = b.pinned(ctx, subject, repo, sources, correct)
	}
	return nil
}

// redIn lists what passes in the correct tree and not in this one.
func (b *runner) redIn(ctx context.Context, repo string, correct bugs.Outcome) ([]string, error) {
	got, err := b.bench.Run(ctx, repo)
	if errors.Is(err, verify.ErrNoTests) || errors.Is(err, verify.ErrUnsupported) {
		return correct.With(verify.StatusPassed), nil
	}
	if err != nil {
		return nil, err
	}
	return got.Broke(correct), nil
}

// changedFiles lists what differs from the one commit of a working copy.
func changedFiles(ctx context.Context, repo string) ([]string, error) {
	out, err := git(ctx, repo, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all")
	if err != nil {
		return nil, err
	}
	var files []string
	for line := range strings.SplitSeq(out, "\x00") {
		if len(line) > 3 && !strings.HasPrefix(line[3:], ".fettle/") {
			files = append(files, line[3:])
		}
	}
	return files, nil
}

// ownTests lays the subject's test files over the working copy, and gives what
// else is changed in it.
func ownTests(subject, repo string, f bugs.Folder, correct bugs.Outcome, changed []string) (sources []string, err error) {
	tests := map[string]bool{}
	for p := range f.Shown {
		tests[p] = true
	}
	ran := map[string]bool{}
	for _, t := range correct.Report.Tests {
		ran[t.File] = true
	}
	for _, p := range changed {
		if code.IsTest(p) || ran[p] {
			tests[p] = true
		} else {
			sources = append(sources, p)
		}
	}
	own := bugs.Files{}
	for p := range tests {
		text, err := os.ReadFile(filepath.Join(subject, filepath.FromSlash(p))) //nolint:gosec // a path of the bug
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		own[p] = text
	}
	return sources, bugs.Lay(repo, own)
}

// same tells whether all sources are those of the correct tree, but for white
// space: the changed ones and those that were broken.
func same(subject, repo string, f bugs.Folder, sources []string) (bool, error) {
	files := slices.Clone(sources)
	for p := range f.Broken {
		files = append(files, p)
	}
	for _, p := range files {
		a, err := words(subject, p)
		if err != nil {
			return false, err
		}
		b, err := words(repo, p)
		if err != nil {
			return false, err
		}
		if !bytes.Equal(a, b) {
			return false, nil
		}
	}
	return true, nil
}

// words is a file without white space; nothing for one that is not there.
func words(root, p string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(p)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return bytes.Join(bytes.Fields(text), nil), nil
}

package mend

import (
	"context"
	"fmt"
	"path"
	"slices"
	"time"

	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/detect"
	"github.com/fettle-dev/fettle/bot/verify/parse"
	"github.com/fettle-dev/fettle/bot/verify/runner"
)

// vitest and jest strip types themselves, and have a server or maps of files that a
// worker keeps from candidate to candidate. Where tests do not go the same way in it,
// the repository's own command runs them, once for each candidate.

// reportedThreads are the programs of the threads that run tests, by tool.
var reportedThreads = map[string]string{"vitest": vitestThread, "jest": jestThread}

// ownCommand splits a command into variables to set, flags of node, and arguments of
// the runner: those that watch or report are the worker's own.
func ownCommand(c detect.Command) (env map[string]string, flags, args []string) {
	env, argv := detect.Variables(c.Own)
	at := slices.IndexFunc(argv, func(a string) bool { return path.Base(a) == c.Tool })
	if at < 0 {
		return env, nil, nil
	}
	return env, slices.DeleteFunc(slices.Clone(argv[:at]), func(a string) bool { return a == "node" }), argv[at+1:]
}

// reportedKey names the files of some tests among what was learned.
func (b *nodeBench) reportedKey(tests []verify.TestResult) string {
	files, _ := byFile(tests, b.suite)
	return fmt.Sprintf("%q", files)
}

// learnReported finds out how long the tests take by the repository's own command.
func (b *nodeBench) learnReported(ctx context.Context, tests []verify.TestResult) error {
	key := b.reportedKey(tests)
	if _, known := b.walls[key]; known {
		return nil
	}
	began := time.Now()
	_, err := b.runReported(ctx, b.spaces[0], tests)
	b.walls[key] = time.Second + 4*time.Since(began)
	return err
}

// runReported runs the files of tests by the repository's own command.
func (b *nodeBench) runReported(ctx context.Context, w *sandbox.Workspace, tests []verify.TestResult) (map[string]bool, error) {
	files, _ := byFile(tests, b.suite)
	wall, known := b.walls[b.reportedKey(tests)]
	if !known {
		wall = time.Minute + b.limit*time.Duration(min(len(tests)+1, 10))
	}
	b.mu.Lock()
	b.ran++ // no result is taken for another run's
	n := b.ran
	b.mu.Unlock()
	c := runner.Adapters[b.suite.Command.Tool].Narrow(*b.suite.Command, files, nil, runner.Sentinel{})
	p := &runner.Place{Box: w, Root: "/work", Out: "/out"}
	res, err := w.Run(ctx, p.Command(n, c, sandbox.Limits{Wall: wall}))
	if err != nil {
		return nil, err
	}
	passed := map[string]bool{}
	for _, t := range p.Read(n, c, res).Tests {
		if t.Status == parse.Passed || t.Status == parse.Failed && !res.TimedOut {
			passed[t.ID] = t.Status == parse.Passed
		}
	}
	out := map[string]bool{}
	for _, t := range tests {
		if ok, known := passed[native(t, b.suite)]; known {
			out[t.ID] = ok
		}
	}
	return out, nil
}

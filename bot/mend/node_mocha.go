package mend

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/verify"
)

// Mocha has no process for each file: it loads all files into one. A worker
// loads the file that is asked for, and where that does not go as it does with
// all of them, a process of its own loads them all.

// together asks a process of its own for tests with all files of the suite.
func (b *nodeBench) together(ctx context.Context, space *sandbox.Workspace, tests []verify.TestResult, req nodeRequest) (nodeRan, error) {
	w := b.worker(space)
	w.life = 2 * time.Minute
	defer w.stop()
	req.Together = true
	req.Files = []nodeFile{{File: ".", Names: natives(tests, b.suite)}}
	ran, err := w.run(ctx, req)
	if err != nil || len(ran) != 1 {
		return nodeRan{Ended: "died"}, err
	}
	return ran[0], nil
}

// allowance is what a run of all files may take: some times what it took on the
// unchanged tree.
func (b *nodeBench) allowance(n int) nodeRequest {
	b.mu.Lock()
	whole := b.whole
	b.mu.Unlock()
	limit := float64(b.limit.Milliseconds()) * float64(min(n+1, 20))
	if whole == nil {
		return nodeRequest{CPU: 20_000 + limit, Wall: 30_000 + limit}
	}
	return nodeRequest{CPU: 1000 + 4*whole.cpu, Wall: 3000 + 10*whole.wall, Usual: b.usual(b.green)}
}

// learnTogether finds out how long the wanted tests take with all files, and
// whether green ones pass there.
func (b *nodeBench) learnTogether(ctx context.Context, tests []verify.TestResult) error {
	if b.whole != nil || b.cannot != "" {
		return nil
	}
	greens := b.green[:min(len(b.green), maxRehearsed)]
	ran, err := b.together(ctx, b.spaces[0], slices.Concat(greens, tests), b.allowance(len(greens)+len(tests)))
	if err != nil {
		return err
	}
	passed := ran.passed()
	missed := slices.DeleteFunc(natives(greens, b.suite), func(id string) bool { return passed[id] })
	switch {
	case ran.Ended != "done" || ran.Why != "":
		b.cannot = fmt.Sprintf("mocha's tests could not be run in a process that tries candidates (%s: %.300s)", ran.Ended, strings.TrimSpace(ran.Why))
	case len(missed) > 0:
		b.cannot = fmt.Sprintf("%d of %d tests that pass do not in a process that tries candidates, such as %q", len(missed), len(greens), missed[0])
	}
	b.whole = &nodeUse{cpu: ran.CPU, wall: ran.Wall}
	return nil
}

// usual bounds one test of a candidate, in milliseconds, where its runner has a
// limit for that: what never calls back is waited for until then.
func (b *nodeBench) usual(greens []verify.TestResult) float64 {
	slowest := 0.0
	for _, t := range greens {
		slowest = max(slowest, t.Seconds)
	}
	return 250 + 10_000*slowest
}

func (b *nodeBench) runTogether(ctx context.Context, space *sandbox.Workspace, tests []verify.TestResult) (map[string]bool, error) {
	req := b.allowance(len(tests))
	req.Stop = len(tests) > 8
	ran, err := b.together(ctx, space, tests, req)
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	passed := ran.passed()
	for _, t := range tests {
		if ok, known := passed[native(t, b.suite)]; ok || known && ran.Ended == "done" {
			out[t.ID] = ok
		}
	}
	return out, nil
}

// traceTogether traces tests with all files loaded.
func (b *nodeBench) traceTogether(ctx context.Context, tests []verify.TestResult) (map[string]trace, error) {
	req := b.allowance(len(tests))
	req.Cover, req.Late = true, int(b.limit.Milliseconds())
	ran, err := b.together(ctx, b.spaces[0], tests, req)
	if err != nil {
		return nil, err
	}
	return b.traces(b.spaces[0], ran, tests, func(t verify.TestResult) string { return native(t, b.suite) }), nil
}

// why says why few or no candidates could be judged; "" when they could.
func (b *nodeBench) why() string {
	for _, use := range b.warm {
		if use == nil {
			return b.cannot
		}
	}
	return ""
}

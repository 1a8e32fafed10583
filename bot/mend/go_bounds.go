package mend

import (
	"context"
	"slices"

	"github.com/fettle-dev/fettle/bot/verify"
)

// bounds are what a candidate may use: some times what the tests of its package
// use on the unchanged tree, or what other candidates used on a machine that may
// be busy. Failing tests alone may use no more than all green ones: a failing
// one may have ended early.
func (b *goBench) bounds(pkg string, tests []verify.TestResult) goRequest {
	b.mu.Lock()
	usual, known := b.usual[pkg]
	if ailing, ended := b.ailing[pkg]; known && ended && !slices.ContainsFunc(tests, func(t verify.TestResult) bool { return !t.Red() }) {
		usual = min(usual, ailing)
	}
	most := b.most[pkg]
	b.mu.Unlock()
	wall := int(b.limit.Milliseconds())
	if !known {
		return goRequest{CPU: wall * min(len(tests), 8), Wall: 2 * wall * min(len(tests), 8)}
	}
	return goRequest{CPU: max(100+5*usual, 60+4*most), Wall: 2*wall + 10*usual}
}

// note keeps what the run of a candidate used that came to its end.
func (b *goBench) note(pkg string, ran goAnswer) {
	if ran.Late {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.most[pkg] = max(b.most[pkg], min(ran.CPU, 200))
}

// slowest is five times what the slowest green test took at the baseline, in
// milliseconds: what a failing one may need that ended early.
func (b *goBench) slowest() int {
	most := 0.0
	for _, t := range b.green {
		most = max(most, t.Seconds)
	}
	return int(min(5*most, 10) * 1000)
}

// learn measures the tests of a package in a built binary on the unchanged tree.
func (b *goBench) learn(ctx context.Context, name, pkg string) error {
	b.mu.Lock()
	_, known := b.usual[pkg]
	b.mu.Unlock()
	if known {
		return nil
	}
	wall := int(b.limit.Milliseconds())
	for _, part := range []struct {
		tests []verify.TestResult
		most  int // milliseconds
		into  map[string]int
	}{{b.green, 20 * wall, b.usual}, {b.red, 1000, b.ailing}} {
		_, groups := byPackage(part.tests, b.suite)
		tests := groups[pkg]
		if len(tests) == 0 {
			return nil
		}
		most := min(wall*len(tests), part.most)
		ran, err := b.shared[0].run(ctx, b.call(name, pkg, goRequest{CPU: most, Wall: 2 * most}, 0, "-test.run="+pattern(tests, b.suite)))
		if err != nil || ran.Late {
			return err
		}
		b.mu.Lock()
		part.into[pkg] = ran.CPU
		b.mu.Unlock()
	}
	return nil
}

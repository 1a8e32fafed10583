package mend

import (
	"context"
	"fmt"
	"path"
	"slices"
	"time"

	"github.com/fettle-dev/fettle/bot/code/schemata"
	"github.com/fettle-dev/fettle/bot/sandbox"
)

const buildLimit = 2 * time.Minute

const (
	// batchStem begins the names of binaries with candidates, and siteStem those
	// with places that are looked into.
	batchStem, siteStem = "batch", "site"
	// everyError lets the compiler tell all that it has against a package, not the
	// first ten errors. Packages are compiled anew with it, which without it the
	// baseline compiled before.
	everyError = "-gcflags=./...=-e"
)

// named is the name of a test binary of a package.
func (b *goBench) named(stem, pkg string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	n, known := b.binary[pkg]
	if !known {
		n = len(b.binary)
		b.binary[pkg] = n
	}
	return fmt.Sprintf("%s%d.test", stem, n)
}

// build compiles the test binary of a package to /out/name.
func (b *goBench) build(ctx context.Context, w *sandbox.Workspace, pkg, name string, args ...string) (sandbox.Result, error) {
	argv := append([]string{"go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-o", "/out/" + name}, args...)
	return w.Run(ctx, sandbox.Command{Argv: append(argv, "./"+pkg), Dir: b.suite.Dir, Limits: sandbox.Limits{Wall: buildLimit, OutputBytes: 8 << 20}})
}

// goBuild is a batch of candidates with the test binaries that hold it.
type goBuild struct {
	*schemata.Set
	place    map[goChange]int
	binaries map[string]bool // package folders
}

// goChange tells candidates apart.
type goChange struct {
	path       string
	start, end int
	put, whole string
}

func changeOf(c candidate) goChange {
	return goChange{c.path, c.start, c.end, c.mutation.Replacement, string(c.whole)}
}

// lay gives a build that holds the candidates in the binaries of some packages.
// Those that turned the failing tests green are candidates of the last build:
// then it is as good as a new one.
func (b *goBench) lay(ctx context.Context, cs []candidate, pkgs []string) (*goBuild, error) {
	if b.last != nil && b.last.holds(cs) {
		if err := b.complete(ctx, b.last, pkgs); err != nil {
			return nil, err
		}
		if b.last.holds(cs) && b.last.covers(pkgs) {
			return b.last, nil
		}
	}
	b.last = nil
	l := &goBuild{Set: together(cs), place: map[goChange]int{}, binaries: map[string]bool{}}
	for i, c := range cs {
		l.place[changeOf(c)] = i
	}
	b.types.sift(l.Set, cs)
	if err := b.complete(ctx, l, pkgs); err != nil {
		return nil, err
	}
	b.last = l
	return l, nil
}

// holds tells whether each of the candidates is in the build, or cannot be in any.
func (l *goBuild) holds(cs []candidate) bool {
	return !slices.ContainsFunc(cs, func(c candidate) bool {
		at, known := l.place[changeOf(c)]
		return !known || !l.Built[at] && !l.Alone[at]
	})
}

func (l *goBuild) covers(pkgs []string) bool {
	return !slices.ContainsFunc(pkgs, func(p string) bool { return !l.binaries[p] })
}

// complete builds the binaries of those packages that have none yet.
func (b *goBench) complete(ctx context.Context, l *goBuild, pkgs []string) error {
	missing := slices.DeleteFunc(slices.Clone(pkgs), func(p string) bool { return l.binaries[p] })
	if l.Empty() || len(missing) == 0 {
		return nil
	}
	ok, err := b.buildSchemata(ctx, l.Set, batchStem, missing)
	for _, pkg := range missing {
		l.binaries[pkg] = ok
	}
	return err
}

// buildSchemata compiles all candidates at once, leaving out those that the
// compiler refuses. It is not ok when what fails is none of them.
func (b *goBench) buildSchemata(ctx context.Context, sch *schemata.Set, stem string, pkgs []string) (ok bool, err error) {
	ok, err = sch.Build(b.spaces[0], b.suite.Dir, func(again bool) (bool, string, error) {
		return b.buildAll(ctx, stem, pkgs, again)
	})
	if ok {
		err = b.learnAll(ctx, stem, pkgs)
	}
	return ok, err
}

// buildAll builds the packages until one is refused, and gives what the compiler
// has against it.
func (b *goBench) buildAll(ctx context.Context, stem string, pkgs []string, again bool) (refused bool, said string, err error) {
	var args []string
	if again {
		args = []string{everyError}
	}
	for _, pkg := range pkgs {
		res, err := b.build(ctx, b.spaces[0], pkg, b.named(stem, pkg), args...)
		if err != nil || !res.OK() {
			return true, string(res.Stderr) + string(res.Stdout), err
		}
	}
	return false, "", nil
}

func (b *goBench) learnAll(ctx context.Context, stem string, pkgs []string) error {
	for _, pkg := range pkgs {
		if err := b.learn(ctx, b.named(stem, pkg), pkg); err != nil {
			return err
		}
	}
	return nil
}

// prepare does in the background what every search needs.
func (b *goBench) prepare(ctx context.Context) {
	ctx, b.ahead = context.WithCancel(ctx)
	b.ready.Lock()
	go func() {
		defer b.ready.Unlock()
		if err := b.lookUp(ctx); err != nil {
			return // the first batch says why
		}
		_ = b.shared[0].kit.build(ctx) // the same
		if b.types == nil {
			return
		}
		pkgs, _ := byPackage(b.red, b.suite)
		for _, pkg := range pkgs {
			_, _ = b.types.sound(path.Join(b.suite.Dir, pkg)) // imports what the package imports
		}
	}()
}

package mend

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fettle-dev/fettle/bot/code/schemata"
	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/verify"
)

// goBench builds a test binary once for many candidates: each function that
// has candidates holds all their bodies behind a switch (package schemata), and the environment chooses. What
// cannot stand behind a switch is built by itself.
type goBench struct {
	suite  verify.Suite
	green  []verify.TestResult
	limit  time.Duration
	spaces []*sandbox.Workspace
	kept   []*keeper                  // of each
	shared []*goRunner                // all in the first workspace, where batches are built
	own    []*goRunner                // one in each workspace
	needs  map[string]map[string]bool // package folder → import paths that its tests need; nil while not known
	usual  map[string]int             // package folder → processor milliseconds of its green tests on the unchanged tree
	ailing map[string]int             // the same of its failing tests, where they come to an end
	most   map[string]int             // package folder → the most that a candidate used and came to its end
	types  *goTypes                   // nil while not known, or not to be had
	tree   *os.Root                   // the repository
	red    []verify.TestResult
	few    bool           // few candidates are tried: each has all the time it may need
	last   *goBuild       // what the binaries of the last batch hold
	binary map[string]int // package folder → the number of its binaries
	mu     sync.Mutex
	ready  sync.Mutex // held while the bench is prepared
	ahead  context.CancelFunc
	patience
}

func newGoBench(ctx context.Context, cfg Config, dir string, t target, limit time.Duration) (bench, error) {
	b := &goBench{suite: t.suite, green: t.green, red: t.red, limit: limit, usual: map[string]int{}, ailing: map[string]int{}, most: map[string]int{}, binary: map[string]int{}, ahead: func() {}}
	var err error
	if b.tree, err = os.OpenRoot(dir); err != nil {
		return nil, fmt.Errorf("opening the repository: %w", err)
	}
	life := 2*cfg.MaxTime + time.Minute
	var first *goKit
	for range max(cfg.Workers, 1) {
		kept, err := keep(ctx, cfg.Sandbox, dir)
		if err != nil {
			return nil, errors.Join(err, b.close())
		}
		b.kept, b.spaces = append(b.kept, kept), append(b.spaces, kept.space)
		kit := &goKit{kept: kept, dir: t.suite.Dir}
		if first == nil {
			first = kit
		}
		b.shared = append(b.shared, newGoRunner(first, life))
		b.own = append(b.own, newGoRunner(kit, life))
	}
	return b, nil
}

func (b *goBench) round() int { return batchSize }

func (b *goBench) close() error {
	b.ahead()
	b.ready.Lock() // what was begun ahead has ended then
	defer b.ready.Unlock()
	err := b.tree.Close()
	for _, r := range append(b.shared, b.own...) {
		r.stop()
	}
	for _, k := range b.kept {
		err = errors.Join(err, k.close())
	}
	return err
}

// byPackage groups tests by package folder. A native id is "folder:Test/sub".
func byPackage(tests []verify.TestResult, s verify.Suite) (pkgs []string, groups map[string][]verify.TestResult) {
	return grouped(tests, s, ":")
}

func goTestName(t verify.TestResult, s verify.Suite) string {
	_, name, _ := strings.Cut(native(t, s), ":")
	return name
}

// pattern is the -test.run that selects exactly these top-level tests.
func pattern(tests []verify.TestResult, s verify.Suite) string {
	var names []string
	for _, t := range tests {
		top, _, _ := strings.Cut(goTestName(t, s), "/")
		names = append(names, top)
	}
	return named(names...)
}

// call is a run of a built test binary in its package's folder, with a
// candidate chosen; 0 for none.
func (b *goBench) call(name, pkg string, r goRequest, candidate int, args ...string) goRequest {
	r.Argv = append([]string{"/out/" + name, "-test.v", "-test.paniconexit0"}, args...)
	r.Dir, r.Env = pkg, []string{schemata.Env + "=" + strconv.Itoa(candidate)}
	return r
}

// run runs tests of one package in a built binary.
func (b *goBench) run(ctx context.Context, r *goRunner, name, pkg string, c candidate, number int, tests []verify.TestResult) (map[string]bool, error) {
	req := b.call(name, pkg, b.bounds(pkg, tests), number, "-test.run="+pattern(tests, b.suite))
	if len(tests) > 8 {
		req.Argv = append(req.Argv, "-test.failfast")
	}
	ran, err := r.run(ctx, req)
	if err == nil && ran.Late && (b.few || b.worth(c)) {
		req.CPU, req.Wall = max(wider*req.CPU, b.slowest()), 3*req.Wall // it may be the one, and the machine may be busy
		if ran, err = r.run(ctx, req); ran.Late {
			b.hangs(c)
		}
	}
	if err != nil {
		return nil, err
	}
	b.note(pkg, ran)
	out := map[string]bool{}
	for _, t := range tests {
		name := goTestName(t, b.suite)
		if ok := ran.passed(name); ok || !ran.Late && slices.Contains(ran.Failed, name) {
			out[t.ID] = ok
		}
	}
	return out, nil
}

// try builds batches of candidates and runs each; what cannot stand behind a
// switch is built alone.
func (b *goBench) try(ctx context.Context, cs []candidate, tests []verify.TestResult, each func(int, map[string]bool) bool) error {
	for start := 0; start < len(cs); start += batchSize {
		batch := cs[start:min(start+batchSize, len(cs))]
		goOn, err := b.batch(ctx, batch, tests, func(i int, seen map[string]bool) bool { return each(start+i, seen) })
		if err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return err
		}
		if !goOn {
			return nil
		}
	}
	return nil
}

// fewCandidates are so few that each is worth a second try when it was late.
const fewCandidates = 12

// batchSize is how many candidates go into one build.
const batchSize = 250

func (b *goBench) batch(ctx context.Context, cs []candidate, tests []verify.TestResult, each func(int, map[string]bool) bool) (bool, error) {
	if err := b.look(ctx); err != nil {
		return false, err
	}
	for _, k := range b.kept {
		if err := k.restore(); err != nil {
			return false, err
		}
	}
	b.few = len(cs) <= fewCandidates
	pkgs, groups := byPackage(tests, b.suite)
	touched := slices.DeleteFunc(slices.Clone(pkgs), func(p string) bool {
		return !slices.ContainsFunc(cs, func(c candidate) bool { return b.reaches(p, c.path) })
	})
	laid, err := b.lay(ctx, cs, touched)
	if err != nil {
		return false, err
	}
	goOn := true
	err = parallel(ctx, len(b.spaces), len(cs), func(worker, i int) (map[string]bool, error) {
		seen := map[string]bool{}
		at := laid.place[changeOf(cs[i])]
		if !laid.Built[at] && !laid.Alone[at] {
			return seen, nil
		}
		for k, pkg := range pkgs {
			got, err := b.one(ctx, worker, cs[i], at, laid, pkg, groups[pkg])
			if err != nil {
				return nil, err
			}
			maps.Copy(seen, got)
			if passing(got) < len(groups[pkg]) && k+1 < len(pkgs) && len(tests) > 8 {
				break // it breaks something: the other packages need not run
			}
		}
		return seen, nil
	}, func(i int, seen map[string]bool) bool {
		goOn = each(i, seen)
		return goOn
	})
	return goOn, err
}

// one runs one candidate, the one at a place of what was built last, on the tests
// of one package.
func (b *goBench) one(ctx context.Context, worker int, c candidate, at int, laid *goBuild, pkg string, tests []verify.TestResult) (map[string]bool, error) {
	switch {
	case !b.reaches(pkg, c.path):
		return b.asBefore(tests), nil
	case laid.Built[at]:
		return b.run(ctx, b.shared[worker], b.named(batchStem, pkg), pkg, c, at+1, tests)
	}
	return b.kept[worker].with(c, func() (map[string]bool, error) {
		name := fmt.Sprintf("alone%d.test", worker)
		res, err := b.build(ctx, b.spaces[worker], pkg, name)
		if err != nil || !res.OK() {
			return nil, err
		}
		return b.run(ctx, b.own[worker], name, pkg, c, 0, tests)
	})
}

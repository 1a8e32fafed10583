package mend

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/verify"
)

// goBench builds a test binary once for many candidates: each function that
// has candidates holds all their bodies behind a switch (mutant schemata,
// Untch, Offutt and Harrold, ISSTA 1993), and the environment chooses. What
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
	most   map[string]int             // package folder → the most that a candidate used and came to its end
	types  *goTypes                   // nil while not known, or not to be had
	tree   *os.Root                   // the repository
	few    bool                       // few candidates are tried: each has all the time it may need
	mu     sync.Mutex
	patience
}

func newGoBench(ctx context.Context, cfg Config, dir string, t target, limit time.Duration) (bench, error) {
	b := &goBench{suite: t.suite, green: t.green, limit: limit, usual: map[string]int{}, most: map[string]int{}}
	var err error
	if b.tree, err = os.OpenRoot(dir); err != nil {
		return nil, fmt.Errorf("opening the repository: %w", err)
	}
	life := 2*cfg.MaxTime + time.Minute
	var first *goKit
	for range max(cfg.Workers, 1) {
		w, err := cfg.Sandbox.Workspace(ctx, dir)
		if err != nil {
			return nil, errors.Join(err, b.close())
		}
		b.spaces = append(b.spaces, w)
		kept, err := keep(w, dir)
		if err != nil {
			return nil, errors.Join(err, b.close())
		}
		b.kept = append(b.kept, kept)
		kit := &goKit{}
		if first == nil {
			first = kit
		}
		b.shared = append(b.shared, &goRunner{space: b.spaces[0], kept: b.kept[0], kit: first, dir: t.suite.Dir, life: life})
		b.own = append(b.own, &goRunner{space: w, kept: kept, kit: kit, dir: t.suite.Dir, life: life})
	}
	return b, nil
}

func (b *goBench) round() int { return batchSize }

func (b *goBench) close() error {
	err := b.tree.Close()
	for _, r := range append(b.shared, b.own...) {
		r.stop()
	}
	for _, k := range b.kept {
		err = errors.Join(err, k.close())
	}
	for _, w := range b.spaces {
		err = errors.Join(err, w.Close())
	}
	return err
}

const buildLimit = 2 * time.Minute

// byPackage groups tests by package folder. A native id is "folder:Test/sub".
func byPackage(tests []verify.TestResult, s verify.Suite) (pkgs []string, groups map[string][]verify.TestResult) {
	groups = map[string][]verify.TestResult{}
	for _, t := range tests {
		pkg, _, _ := strings.Cut(native(t, s), ":")
		if groups[pkg] == nil {
			pkgs = append(pkgs, pkg)
		}
		groups[pkg] = append(groups[pkg], t)
	}
	return pkgs, groups
}

func goTestName(t verify.TestResult, s verify.Suite) string {
	_, name, _ := strings.Cut(native(t, s), ":")
	return name
}

// pattern is the -test.run that selects exactly these top-level tests.
func pattern(tests []verify.TestResult, s verify.Suite) string {
	seen := map[string]bool{}
	var names []string
	for _, t := range tests {
		top, _, _ := strings.Cut(goTestName(t, s), "/")
		if !seen[top] {
			seen[top] = true
			names = append(names, regexp.QuoteMeta(top))
		}
	}
	return "^(" + strings.Join(names, "|") + ")$"
}

// build compiles the test binary of a package to /out/name.
func (b *goBench) build(ctx context.Context, w *sandbox.Workspace, pkg, name string, args ...string) (sandbox.Result, error) {
	argv := append([]string{"go", "test", "-c", "-vet=off", "-gcflags=./...=-e", "-ldflags=-s -w", "-o", "/out/" + name}, args...)
	return w.Run(ctx, sandbox.Command{Argv: append(argv, "./"+pkg), Dir: b.suite.Dir, Limits: sandbox.Limits{Wall: buildLimit, OutputBytes: 8 << 20}})
}

// call is a run of a built test binary in its package's folder, with a
// candidate chosen; 0 for none.
func (b *goBench) call(name, pkg string, r goRequest, candidate int, args ...string) goRequest {
	r.Argv = append([]string{"/out/" + name, "-test.v", "-test.paniconexit0"}, args...)
	r.Dir, r.Env = pkg, []string{schemataVar + "=" + strconv.Itoa(candidate)}
	return r
}

// run runs tests of one package in a built binary.
func (b *goBench) run(ctx context.Context, r *goRunner, name, pkg string, c candidate, number int, tests []verify.TestResult) (map[string]bool, error) {
	req := b.call(name, pkg, b.bounds(pkg, len(tests)), number, "-test.run="+pattern(tests, b.suite))
	if len(tests) > 8 {
		req.Argv = append(req.Argv, "-test.failfast")
	}
	ran, err := r.run(ctx, req)
	if err == nil && ran.Late && (b.few || b.worth(c)) {
		req.CPU, req.Wall = wider*req.CPU, 3*req.Wall // it may be the one, and the machine may be busy
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
		if ran.passed(goTestName(t, b.suite)) {
			out[t.ID] = true
		}
	}
	return out, nil
}

// bounds are what a candidate may use: some times what the green tests of its
// package use on the unchanged tree, or what other candidates used on a machine
// that may be busy.
func (b *goBench) bounds(pkg string, n int) goRequest {
	b.mu.Lock()
	usual, known := b.usual[pkg]
	most := b.most[pkg]
	b.mu.Unlock()
	wall := int(b.limit.Milliseconds())
	if !known {
		return goRequest{CPU: wall * min(n, 8), Wall: 2 * wall * min(n, 8)}
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

// learn measures the green tests of a package in a built binary on the
// unchanged tree.
func (b *goBench) learn(ctx context.Context, name, pkg string) error {
	b.mu.Lock()
	_, known := b.usual[pkg]
	b.mu.Unlock()
	if known {
		return nil
	}
	_, greens := byPackage(b.green, b.suite)
	tests := greens[pkg]
	if len(tests) == 0 {
		return nil
	}
	wall := int(b.limit.Milliseconds()) * min(len(tests), 20)
	ran, err := b.shared[0].run(ctx, b.call(name, pkg, goRequest{CPU: wall, Wall: 2 * wall}, 0, "-test.run="+pattern(tests, b.suite)))
	if err != nil || ran.Late {
		return err
	}
	b.mu.Lock()
	b.usual[pkg] = ran.CPU
	b.mu.Unlock()
	return nil
}

// try builds batches of candidates and runs each; what cannot stand behind a
// switch is built alone.
func (b *goBench) try(ctx context.Context, cs []candidate, tests []verify.TestResult, each func(int, map[string]bool) bool) error {
	for start := 0; start < len(cs); start += batchSize {
		batch := cs[start:min(start+batchSize, len(cs))]
		goOn, err := b.batch(ctx, batch, tests, func(i int, passed map[string]bool) bool { return each(start+i, passed) })
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
	sch := newSchemata(cs)
	sch.sift(b.types, cs)
	pkgs, groups := byPackage(tests, b.suite)
	var touched []string
	for _, p := range pkgs {
		for _, c := range cs {
			if b.reaches(p, c.path) {
				touched = append(touched, p)
				break
			}
		}
	}
	if len(sch.files) > 0 && len(touched) > 0 {
		if err := b.buildSchemata(ctx, sch, touched); err != nil {
			return false, err
		}
	}
	goOn := true
	err := parallel(ctx, len(b.spaces), len(cs), func(worker, i int) (map[string]bool, error) {
		passed := map[string]bool{}
		if !sch.built[i] && !sch.alone[i] {
			return passed, nil
		}
		for k, pkg := range pkgs {
			got, err := b.one(ctx, worker, cs[i], i, sch, batchName(touched, pkg), pkg, groups[pkg])
			if err != nil {
				return nil, err
			}
			merge(passed, got)
			if len(got) < len(groups[pkg]) && k+1 < len(pkgs) && len(tests) > 8 {
				break // it breaks something: the other packages need not run
			}
		}
		return passed, nil
	}, func(i int, passed map[string]bool) bool {
		goOn = each(i, passed)
		return goOn
	})
	return goOn, err
}

func batchName(touched []string, pkg string) string {
	for k, p := range touched {
		if p == pkg {
			return fmt.Sprintf("batch%d.test", k)
		}
	}
	return ""
}

// one runs one candidate on the tests of one package.
func (b *goBench) one(ctx context.Context, worker int, c candidate, i int, sch *schemata, name, pkg string, tests []verify.TestResult) (map[string]bool, error) {
	switch {
	case !b.reaches(pkg, c.path):
		return b.asBefore(tests), nil
	case sch.built[i]:
		return b.run(ctx, b.shared[worker], name, pkg, c, i+1, tests)
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

// buildSchemata compiles all candidates at once, leaving out, round by round,
// those that the compiler refuses.
func (b *goBench) buildSchemata(ctx context.Context, sch *schemata, pkgs []string) error {
	w := b.spaces[0]
	defer func() {
		for _, f := range sch.files {
			_ = w.WriteFile(f.path, f.original) // the workspace is thrown away
		}
		for _, dir := range sch.dirs() {
			_ = w.Remove(path.Join(dir, schemataFile))
			for name := range sch.beside {
				_ = w.Remove(path.Join(dir, name))
			}
		}
	}()
	for range 12 {
		if err := sch.write(w); err != nil {
			return err
		}
		dropped, ok := 0, true
		for _, pkg := range pkgs {
			res, err := b.build(ctx, w, pkg, batchName(pkgs, pkg))
			if err != nil {
				return err
			}
			if res.OK() {
				continue
			}
			ok = false
			dropped += sch.drop(complaints(b.suite.Dir, string(res.Stderr)+string(res.Stdout)))
			break
		}
		if ok {
			sch.markBuilt()
			for _, pkg := range pkgs {
				if err := b.learn(ctx, batchName(pkgs, pkg), pkg); err != nil {
					return err
				}
			}
			return nil
		}
		if dropped == 0 {
			break // what fails is not one of ours: try the candidates alone
		}
	}
	return nil
}

func merge(into, from map[string]bool) {
	for k, v := range from {
		into[k] = v
	}
}

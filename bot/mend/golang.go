package mend

import (
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/verify"
)

// goBench builds a test binary once for many candidates: each function that
// has candidates holds all their bodies behind a switch (mutant schemata,
// Untch, Offutt and Harrold, ISSTA 1993), and the environment chooses.
type goBench struct {
	suite  verify.Suite
	limit  time.Duration
	spaces []*sandbox.Workspace
}

func newGoBench(ctx context.Context, cfg Config, dir string, s verify.Suite, limit time.Duration) (bench, error) {
	b := &goBench{suite: s, limit: limit}
	w, err := cfg.Sandbox.Workspace(ctx, dir)
	if err != nil {
		return nil, err
	}
	b.spaces = append(b.spaces, w)
	return b, nil
}

func (b *goBench) round() int { return batchSize }

func (b *goBench) close() error {
	var err error
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
func (b *goBench) build(ctx context.Context, pkg, name string, args ...string) (sandbox.Result, error) {
	argv := append([]string{"go", "test", "-c", "-vet=off", "-gcflags=./...=-e", "-o", "/out/" + name}, args...)
	return b.spaces[0].Run(ctx, sandbox.Command{Argv: append(argv, "./"+pkg), Dir: b.suite.Dir, Limits: sandbox.Limits{Wall: buildLimit}})
}

// binary runs a built test binary in its package's folder.
func (b *goBench) binary(ctx context.Context, pkg, name string, n int, env map[string]string, args ...string) (sandbox.Result, error) {
	return b.spaces[0].Run(ctx, sandbox.Command{
		Argv: append([]string{"/out/" + name, "-test.v", "-test.paniconexit0"}, args...), Dir: path.Join(b.suite.Dir, pkg), Env: env,
		Limits: sandbox.Limits{Wall: b.wall(n) + time.Second},
	})
}

func (b *goBench) wall(n int) time.Duration { return b.limit * time.Duration(min(n, 8)) }

var goVerdict = regexp.MustCompile(`(?m)^\s*--- (PASS|FAIL|SKIP): (\S+) \(`)

func (b *goBench) passed(res sandbox.Result, tests []verify.TestResult) map[string]bool {
	seen := map[string]string{}
	for _, m := range goVerdict.FindAllStringSubmatch(string(res.Stdout), -1) {
		seen[m[2]] = m[1]
	}
	out := map[string]bool{}
	for _, t := range tests {
		if seen[goTestName(t, b.suite)] == "PASS" {
			out[t.ID] = true
		}
	}
	return out
}

func (b *goBench) trace(ctx context.Context, tests []verify.TestResult) ([]trace, error) {
	var out []trace
	module, err := b.module()
	if err != nil {
		return nil, err
	}
	pkgs, groups := byPackage(tests, b.suite)
	for i, pkg := range pkgs {
		name := fmt.Sprintf("cover%d.test", i)
		res, err := b.build(ctx, pkg, name, "-cover", "-covermode=set", "-coverpkg=./...")
		if err != nil {
			return nil, err
		}
		if !res.OK() {
			continue
		}
		for k, t := range groups[pkg] {
			file := fmt.Sprintf("cover%d-%d.out", i, k)
			res, err := b.binary(ctx, pkg, name, 4, nil, "-test.run="+exactly(goTestName(t, b.suite)), "-test.coverprofile=/out/"+file, "-test.timeout="+b.limit.String())
			if err != nil {
				return nil, err
			}
			tr := trace{id: t.ID, passed: b.passed(res, []verify.TestResult{t})[t.ID], lines: map[string]map[int]int{}}
			if raw, err := b.spaces[0].ReadOut(file, maxAnswer); err == nil {
				tr.lines = coverLines(string(raw), module, b.suite.Dir)
			} else {
				tr.lines = stackLines(string(res.Stdout) + string(res.Stderr)) // it panicked or ran out of time
			}
			out = append(out, tr)
		}
	}
	return out, nil
}

// exactly selects one test, also a subtest.
func exactly(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

var stackLine = regexp.MustCompile(`(?m)^\t/work/(\S.*\.go):(\d+)(?: \+0x[0-9a-f]+)?$`)

// stackLines are the lines that stand in a dump of goroutines, with some around
// them: a process that dies writes no profile.
func stackLines(output string) map[string]map[int]int {
	out := map[string]map[int]int{}
	for _, m := range stackLine.FindAllStringSubmatch(output, 200) {
		n, err := strconv.Atoi(m[2])
		if err != nil {
			continue
		}
		if out[m[1]] == nil {
			out[m[1]] = map[int]int{}
		}
		for l := max(1, n-8); l <= n+4; l++ {
			out[m[1]][l] = max(out[m[1]][l], 1)
		}
	}
	return out
}

var moduleLine = regexp.MustCompile(`(?m)^module\s+"?([^\s"]+)"?`)

func (b *goBench) module() (string, error) {
	raw, err := b.spaces[0].ReadFile(path.Join(b.suite.Dir, "go.mod"), 1<<20)
	if err != nil {
		return "", fmt.Errorf("reading the module's name: %w", err)
	}
	m := moduleLine.FindSubmatch(raw)
	if m == nil {
		return "", errors.New("go.mod has no module line")
	}
	return string(m[1]), nil
}

// coverLines reads a cover profile: "path/file.go:l.c,l.c statements count".
func coverLines(profile, module, dir string) map[string]map[int]int {
	out := map[string]map[int]int{}
	for _, line := range strings.Split(profile, "\n") {
		name, rest, ok := strings.Cut(line, ".go:")
		rel, inside := strings.CutPrefix(name+".go", module+"/")
		fields := strings.Fields(rest)
		if !ok || !inside || len(fields) != 3 || fields[2] == "0" {
			continue
		}
		from, to, ok := strings.Cut(fields[0], ",")
		if !ok {
			continue
		}
		a, err1 := strconv.Atoi(strings.SplitN(from, ".", 2)[0])
		z, err2 := strconv.Atoi(strings.SplitN(to, ".", 2)[0])
		if err1 != nil || err2 != nil || z-a > 10_000 {
			continue
		}
		file := path.Join(dir, rel)
		if out[file] == nil {
			out[file] = map[int]int{}
		}
		for l := a; l <= z; l++ {
			out[file][l]++
		}
	}
	return out
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

const batchSize = 150

func (b *goBench) batch(ctx context.Context, cs []candidate, tests []verify.TestResult, each func(int, map[string]bool) bool) (bool, error) {
	sch := newSchemata(cs)
	pkgs, groups := byPackage(tests, b.suite)
	if len(sch.files) > 0 {
		if err := b.buildSchemata(ctx, sch, cs, pkgs); err != nil {
			return false, err
		}
	}
	for i, c := range cs {
		passed := map[string]bool{}
		for k, pkg := range pkgs {
			var err error
			switch {
			case sch.built[i]:
				var res sandbox.Result
				res, err = b.binary(ctx, pkg, fmt.Sprintf("batch%d.test", k), len(groups[pkg]), map[string]string{schemataVar: strconv.Itoa(i + 1)}, "-test.run="+pattern(groups[pkg], b.suite), "-test.timeout="+b.wall(len(groups[pkg])).String())
				merge(passed, b.passed(res, groups[pkg]))
			case sch.alone[i]:
				passed, err = b.alone(ctx, c, pkg, groups[pkg], passed)
			}
			if err != nil {
				return false, err
			}
		}
		if !each(i, passed) {
			return false, nil
		}
	}
	return true, nil
}

func (b *goBench) alone(ctx context.Context, c candidate, pkg string, tests []verify.TestResult, into map[string]bool) (map[string]bool, error) {
	return withFile(b.spaces[0], c, func() (map[string]bool, error) {
		res, err := b.build(ctx, pkg, "alone.test")
		if err != nil || !res.OK() {
			return into, err
		}
		if res, err = b.binary(ctx, pkg, "alone.test", len(tests), nil, "-test.run="+pattern(tests, b.suite)); err == nil {
			merge(into, b.passed(res, tests))
		}
		return into, err
	})
}

// buildSchemata compiles all candidates at once, leaving out, round by round,
// those that the compiler refuses.
func (b *goBench) buildSchemata(ctx context.Context, sch *schemata, cs []candidate, pkgs []string) error {
	w := b.spaces[0]
	defer func() {
		for _, f := range sch.files {
			_ = w.WriteFile(f.path, f.original) // the workspace is thrown away
		}
		for _, dir := range sch.dirs() {
			_ = w.Remove(path.Join(dir, schemataFile))
		}
	}()
	for range 12 {
		if err := sch.write(w); err != nil {
			return err
		}
		dropped, ok := 0, true
		for k, pkg := range pkgs {
			res, err := b.build(ctx, pkg, fmt.Sprintf("batch%d.test", k))
			if err != nil {
				return err
			}
			if res.OK() {
				continue
			}
			ok = false
			dropped += sch.drop(string(res.Stderr) + string(res.Stdout))
			break
		}
		if ok {
			sch.markBuilt()
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

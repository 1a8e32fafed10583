package mend

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/verify"
)

func (b *goBench) trace(ctx context.Context, tests []verify.TestResult) ([]trace, error) {
	module, err := b.module()
	if err != nil {
		return nil, err
	}
	pkgs, groups := byPackage(tests, b.suite)
	found := map[string]trace{}
	for i, pkg := range pkgs {
		c := covering{pkg: pkg, module: module, name: fmt.Sprintf("cover%d", i), found: found}
		if err := b.tracePackage(ctx, c, groups[pkg]); err != nil {
			return nil, err
		}
	}
	var out []trace
	for _, t := range tests {
		if tr, ok := found[t.ID]; ok {
			out = append(out, tr)
		}
	}
	return out, nil
}

// covering is the tracing of a package's tests.
type covering struct {
	pkg, module, name string
	found             map[string]trace // by test
}

// tracePackage traces tests, and those again that panicked, as they are when they
// catch that.
func (b *goBench) tracePackage(ctx context.Context, c covering, tests []verify.TestResult) error {
	died, err := b.traceTests(ctx, c, tests)
	if err != nil || len(died) == 0 {
		return err
	}
	dir := path.Join(b.suite.Dir, c.pkg)
	list, err := fs.ReadDir(b.tree.FS(), path.Clean(dir))
	if err != nil {
		return nil //nolint:nilerr // what the dumps of goroutines tell has to do
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	undo, err := catchPanics(b.spaces[0], dir, names)
	defer undo()
	if err != nil {
		return err
	}
	c.name += "caught"
	_, err = b.traceTests(ctx, c, died)
	return err
}

// traceTests gives the tests that ended without telling what they ran.
func (b *goBench) traceTests(ctx context.Context, c covering, tests []verify.TestResult) (died []verify.TestResult, err error) {
	res, err := b.build(ctx, b.spaces[0], c.pkg, c.name+".test", "-cover", "-covermode=set", "-coverpkg=./...")
	if err != nil || !res.OK() {
		return nil, err
	}
	err = all(ctx, len(b.shared), len(tests), func(worker, k int) error {
		t, told, err := b.traceOne(ctx, worker, c, k, tests[k])
		b.mu.Lock()
		defer b.mu.Unlock()
		if _, known := c.found[t.id]; told || !known {
			c.found[t.id] = t
		}
		if !told {
			died = append(died, tests[k])
		}
		return err
	})
	return died, err
}

func (b *goBench) traceOne(ctx context.Context, worker int, c covering, k int, t verify.TestResult) (tr trace, told bool, err error) {
	wall := int(4*b.limit.Milliseconds()) + 2000
	file := fmt.Sprintf("%s-%d.out", c.name, k)
	ran, err := b.shared[worker].run(ctx, b.call(c.name+".test", c.pkg, goRequest{CPU: wall, Wall: 2 * wall, Text: true}, 0,
		"-test.run="+exactly(goTestName(t, b.suite)), "-test.coverprofile=/out/"+file, "-test.timeout="+b.limit.String()))
	if err != nil {
		return trace{}, true, err
	}
	tr = trace{id: t.ID, passed: ran.passed(goTestName(t, b.suite)), lines: map[string]map[int]int{}}
	raw, err := b.spaces[0].ReadOut(file, maxAnswer)
	if err != nil {
		tr.lines = stackLines(ran.Text) // it panicked or ran out of time
		return tr, false, nil           //nolint:nilerr // the dump has to do
	}
	tr.lines = coverLines(string(raw), c.module, b.suite.Dir)
	return tr, true, nil
}

// exactly selects one test, also a subtest.
func exactly(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

var stackLine = lazyregexp.New(`(?m)^\t/work/(\S.*\.go):(\d+)(?: \+0x[0-9a-f]+)?$`)

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

func (b *goBench) module() (string, error) {
	raw, err := b.spaces[0].ReadFile(path.Join(b.suite.Dir, "go.mod"), 1<<20)
	if err != nil {
		return "", fmt.Errorf("reading the module's name: %w", err)
	}
	if m := code.Module(raw); m != "" {
		return m, nil
	}
	return "", errors.New("go.mod has no module line")
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

package mend

import (
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

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
		name := fmt.Sprintf("cover%d.test", i)
		res, err := b.build(ctx, b.spaces[0], pkg, name, "-cover", "-covermode=set", "-coverpkg=./...")
		if err != nil {
			return nil, err
		}
		if !res.OK() {
			continue
		}
		ts := groups[pkg]
		err = parallel(ctx, len(b.shared), len(ts), func(worker, k int) (map[string]bool, error) {
			t, err := b.traceOne(ctx, worker, pkg, name, fmt.Sprintf("cover%d-%d.out", i, k), module, ts[k])
			b.mu.Lock()
			found[t.id] = t
			b.mu.Unlock()
			return nil, err
		}, func(int, map[string]bool) bool { return true })
		if err != nil {
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

func (b *goBench) traceOne(ctx context.Context, worker int, pkg, name, file, module string, t verify.TestResult) (trace, error) {
	wall := int(4*b.limit.Milliseconds()) + 2000
	ran, err := b.shared[worker].run(ctx, b.call(name, pkg, goRequest{CPU: wall, Wall: 2 * wall, Text: true}, 0,
		"-test.run="+exactly(goTestName(t, b.suite)), "-test.coverprofile=/out/"+file, "-test.timeout="+b.limit.String()))
	if err != nil {
		return trace{}, err
	}
	tr := trace{id: t.ID, passed: ran.passed(goTestName(t, b.suite)), lines: map[string]map[int]int{}}
	if raw, err := b.spaces[0].ReadOut(file, maxAnswer); err == nil {
		tr.lines = coverLines(string(raw), module, b.suite.Dir)
	} else {
		tr.lines = stackLines(ran.Text) // it panicked or ran out of time
	}
	return tr, nil
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

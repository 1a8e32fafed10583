package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bench/mend/inject"
	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/check"
)

// state is what fettle says of a tree's tests.
type state struct {
	runner, evidence, detail string
	passed, failed           int
	red                      []task.Failure // of tests with a name
	beside                   []string       // suites that are red or were not run, beside a green one
	commands                 []command
}

// names are the ids of the red tests.
func (s state) names() map[string]bool {
	out := map[string]bool{}
	for _, f := range s.red {
		out[f.Test] = true
	}
	return out
}

type command struct{ dir, line string }

// check asks fettle for the tests of a tree. What could not be run is an error.
func (b *bench) check(ctx context.Context, tree string) (state, error) {
	limited, cancel := context.WithTimeout(ctx, b.limit)
	defer cancel()
	cmd := exec.CommandContext(limited, b.fettle, "check", "--quiet", "--json", "--only", "test", tree)
	cmd.Cancel, cmd.WaitDelay = func() error { return cmd.Process.Signal(os.Interrupt) }, 20*time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	runErr := cmd.Run()
	var r check.Result
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
		return state{}, fmt.Errorf("fettle check says nothing: %w: %s", errors.Join(runErr, context.Cause(limited)), clip(stderr.String()))
	}
	var out state
	var names, details []string
	for _, c := range r.Checks {
		details = append(details, c.Name+": "+c.Detail)
		if c.Status == check.Passed && c.Passed > 0 {
			names = append(names, c.Name)
			out.evidence = cmp.Or(out.evidence, c.Evidence)
			out.commands = append(out.commands, command{c.Dir, c.Command})
		} else {
			out.beside = append(out.beside, clip(c.Name+": "+c.Detail))
		}
		out.passed, out.failed = out.passed+c.Passed, out.failed+c.Failed
		for _, f := range c.Failures {
			if native(f.Test) != "" {
				out.red = append(out.red, f)
			}
		}
	}
	out.runner, out.detail = strings.Join(names, ", "), strings.Join(details, "; ")
	if len(r.Checks) == 0 {
		return out, fmt.Errorf("fettle check finds no tests: %s", strings.Join(r.Notes, "; "))
	}
	return out, nil
}

// native is the runner's own name of a test.
func native(id string) string {
	if parts := strings.SplitN(id, ":", 3); len(parts) == 3 {
		return parts[2]
	}
	return id
}

// planted is a fault that a test sees.
type planted struct {
	path, name, region string // the file, "file:line rule", the function
	id                 string // of the region with the fault
	before, after      []byte // the file
	was                string // the region as it was
	red                []task.Failure
}

// plant writes a fault into the tree that makes a test red and leaves others green.
func (b *bench) plant(ctx context.Context, tree string, base state) (planted, error) {
	list, err := faults(ctx, tree, b.seed)
	if err != nil {
		return planted{}, err
	}
	end, tried := time.Now().Add(b.search), 0
	for _, f := range list {
		if tried == b.tries || time.Now().After(end) || ctx.Err() != nil {
			break
		}
		p, err := prepared(ctx, tree, f)
		if err != nil {
			return p, err
		}
		if p.id == "" {
			continue
		}
		tried++
		at := filepath.Join(tree, filepath.FromSlash(p.path))
		if err := os.WriteFile(at, p.after, 0o600); err != nil {
			return p, err
		}
		got, err := b.check(ctx, tree)
		if b.verbose {
			fmt.Fprintf(os.Stderr, "  %s: %d red, %d green, %v\n", p.name, len(got.red), got.passed, err)
		}
		// A build that fails leaves nothing green, and one that fails for a part of
		// them loses more tests than it names.
		known := base.names()
		got.red = slices.DeleteFunc(got.red, func(f task.Failure) bool { return known[f.Test] })
		if err == nil && len(got.red) > 0 && got.passed > 0 && 2*got.passed >= base.passed {
			p.red = got.red
			return p, nil
		}
		if err := os.WriteFile(at, p.before, 0o600); err != nil {
			return p, err
		}
	}
	return planted{}, fmt.Errorf("no test saw any of the %d faults that were tried, of %d", tried, len(list))
}

// prepared makes a fault in one function ready to be written; its id is empty where
// the fault leaves no file that parses or lies in none or several.
func prepared(ctx context.Context, tree string, f inject.Fault) (planted, error) {
	before, err := os.ReadFile(filepath.Join(tree, filepath.FromSlash(f.Path)))
	if err != nil {
		return planted{}, err
	}
	p := planted{path: f.Path, name: fmt.Sprintf("%s:%d %s", f.Path, f.Line, f.Rule), before: before, after: f.Apply(before)}
	// A file of C that is known to be right may read as wrong for its macros.
	was, err := code.Check(ctx, f.Path, before)
	if err != nil {
		return p, err
	}
	if is, err := code.Check(ctx, f.Path, p.after); err != nil || len(is) > len(was) {
		return p, err
	}
	touched, err := code.Touched(ctx, f.Path, before, p.after)
	if err != nil || len(touched) != 1 || touched[0].Kind != code.KindFunction && touched[0].Kind != code.KindMethod {
		return p, err
	}
	r, ok, err := same(ctx, f.Path, before, touched[0])
	if err != nil || !ok {
		return p, err
	}
	p.id, p.region, p.was = touched[0].ID, touched[0].QualifiedName, string(before[r.StartByte:r.EndByte])
	// A body that the fault leaves empty has no place where a forgery could go.
	if _, err := p.forged(ctx); err != nil {
		p.id = ""
	}
	return p, nil
}

// same finds a region again in another text of its file: all but the hash of its id
// is the same.
func same(ctx context.Context, file string, src []byte, r code.Region) (code.Region, bool, error) {
	regions, err := code.Regions(ctx, file, src)
	if err != nil {
		return r, false, err
	}
	name, _, _ := strings.Cut(r.ID, "@")
	i := slices.IndexFunc(regions, func(o code.Region) bool {
		other, _, _ := strings.Cut(o.ID, "@")
		return other == name && suffix(o.ID) == suffix(r.ID)
	})
	if i < 0 {
		return r, false, nil
	}
	return regions[i], true, nil
}

// suffix is "#2" of the second region of a name.
func suffix(id string) string {
	if at := strings.LastIndexByte(id, '#'); at >= 0 {
		return id[at:]
	}
	return ""
}

// faults lists the faults of the sources that Git knows, at most one for each line,
// in an order that the seed and the texts decide.
func faults(ctx context.Context, tree string, seed uint64) ([]inject.Fault, error) {
	known, err := git(ctx, tree, "ls-files")
	if err != nil {
		return nil, err
	}
	files := map[string]bool{}
	var langs []string
	for name := range strings.SplitSeq(known, "\n") {
		if lang := string(code.LanguageOf(name)); lang != "" && product(name) {
			files[name] = true
			langs = append(langs, lang)
		}
	}
	slices.Sort(langs)
	var out []inject.Fault
	for _, lang := range slices.Compact(langs) {
		some, err := inject.Subject{Name: "it", Language: lang, Sources: []string{"."}}.Enumerate(ctx, tree)
		if err != nil {
			return nil, err
		}
		out = append(out, slices.DeleteFunc(some, func(f inject.Fault) bool { return !files[f.Path] || f.Function == "" })...)
	}
	rng := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // a sample that has to come back the same, no secret
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	// A compiler refuses most of what these rules do; the others go first.
	slices.SortStableFunc(out, func(a, b inject.Fault) int { return cmp.Compare(untyped(a), untyped(b)) })
	seen := map[string]bool{}
	return slices.DeleteFunc(out, func(f inject.Fault) bool {
		at := fmt.Sprint(f.Path, ":", f.Line)
		defer func() { seen[at] = true }()
		return seen[at]
	}), nil
}

// untyped is 1 for a fault that is likely to change a type of a compiled language.
func untyped(f inject.Fault) int {
	switch code.LanguageOf(f.Path) {
	case code.Go, code.Rust, code.Java, code.C, code.CPP:
		if slices.Contains([]string{"missing-argument", "missing-conversion", "stale-variable"}, f.Rule) {
			return 1
		}
	}
	return 0
}

// product leaves out what tells about the project rather than is it.
func product(name string) bool {
	if code.IsTest(name) || strings.Contains(name, ".config.") {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		switch strings.ToLower(strings.TrimSuffix(part, path.Ext(part))) {
		case "docs", "doc", "example", "meson", "support", "bench", "benches", "scripts", "misc", "setup", "conf", "dist", "build", "demo", "fuzz", "fuzzing", "gulpfile", "gruntfile":
			return false
		}
	}
	return true
}

// issue is what a user would write who has seen the red test: its first line is the
// title.
func (p planted) issue() string {
	first := p.red[0]
	var b strings.Builder
	fmt.Fprintf(&b, "%s gives a wrong result: %s fails\n\n`%s` in `%s` does not do what it should any more. `%s` says:\n\n", p.region, clip(native(first.Test)), p.region, p.path, clip(native(first.Test)))
	said := strings.TrimSpace(cmp.Or(first.Message, first.Excerpt))
	for line := range strings.SplitSeq(said[:min(len(said), 1500)], "\n") {
		b.WriteString("    " + strings.TrimRight(line, "\r") + "\n")
	}
	if more := len(p.red) - 1; more > 0 {
		fmt.Fprintf(&b, "\n%d more tests fail with it.\n", more)
	}
	return b.String()
}

// Command checks holds `fettle check` against the projects' own commands: on
// each project once as it is, and with faults planted by package mutate until
// the own command is red. It prints, for both directions, the ids of failing
// tests that only one of them names, and ends with status 1 when there is one.
//
//	FETTLE_CHECK_REPOS=DIR:DIR=RUNNER make bench-checks
//
// A project's dependencies have to be installed before. It is copied; nothing
// is written into it. The own commands run outside fettle's sandbox, in a
// process group with limits: give it projects that you would run by hand.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/fettle-dev/fettle/bot/verify/check"
)

type bench struct {
	fettle  string
	seed    uint64
	faults  int
	tries   int
	limit   time.Duration
	verbose bool

	rows *tabwriter.Writer
	diff []string // differences, in words
}

func main() {
	var b bench
	flag.StringVar(&b.fettle, "fettle", "bin/fettle", "the program to hold against the own commands")
	flag.Uint64Var(&b.seed, "seed", 1, "which faults are planted, and in which order")
	flag.IntVar(&b.faults, "faults", 3, "faults for each project that its own command must see")
	flag.IntVar(&b.tries, "tries", 25, "most faults to try for one that is seen")
	flag.DurationVar(&b.limit, "limit", 4*time.Minute, "wall clock of one command")
	flag.BoolVar(&b.verbose, "v", false, "say each fault that was tried")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	repos := append(filepath.SplitList(os.Getenv("FETTLE_CHECK_REPOS")), flag.Args()...)
	if len(repos) == 0 {
		fmt.Fprintln(os.Stderr, "checks: no project is given; set FETTLE_CHECK_REPOS=DIR:DIR=RUNNER to folders with their dependencies installed")
		os.Exit(2)
	}
	if err := b.run(ctx, repos); err != nil {
		fmt.Fprintln(os.Stderr, "checks:", err)
		os.Exit(1)
	}
}

func (b *bench) run(ctx context.Context, repos []string) error {
	tmp, err := os.MkdirTemp("", "fettle-bench-checks-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := os.CopyFS(tmp, reporters); err != nil {
		return fmt.Errorf("writing the reporters: %w", err)
	}
	b.rows = tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', 0)
	fmt.Fprintln(b.rows, "project\trunner\tstate\town passed\town red\tfettle red\tonly own\tonly fettle\town s\tfettle s")
	for _, r := range repos {
		dir, runner, _ := strings.Cut(r, "=")
		if err := b.project(ctx, tmp, dir, runner); err != nil {
			b.diff = append(b.diff, fmt.Sprintf("%s: %v", dir, err))
		}
	}
	if err := b.rows.Flush(); err != nil {
		return err
	}
	for _, d := range b.diff {
		fmt.Println(d)
	}
	if len(b.diff) > 0 {
		return fmt.Errorf("%d differences", len(b.diff))
	}
	return ctx.Err()
}

// project compares one project as it is and with faults.
func (b *bench) project(ctx context.Context, tmp, dir, runner string) error {
	o, err := ownCommand(dir, runner)
	if err != nil {
		return err
	}
	tree := filepath.Join(tmp, "tree")
	defer os.RemoveAll(tree)
	if err := replace(ctx, dir, tree); err != nil {
		return err
	}
	list, err := faults(ctx, tree, b.seed)
	if err != nil {
		return err
	}
	base, err := b.ownRun(ctx, tmp, o)
	if err != nil {
		return err
	}
	if err := b.compare(ctx, tmp, o, dir, "as it is", base); err != nil {
		return err
	}
	seen := 0
	for i := 0; i < len(list) && seen < b.faults && i < b.tries*b.faults && ctx.Err() == nil; i++ {
		ok, err := b.planted(ctx, tmp, o, dir, list[i], base)
		if err != nil {
			return fmt.Errorf("%s: %w", list[i].name, err)
		}
		if ok {
			seen++
		}
	}
	if seen < b.faults {
		return fmt.Errorf("only %d of %d faults were seen by its own command", seen, b.faults)
	}
	return ctx.Err()
}

// planted compares the project with a fault; ok is false when the own command
// does not see it.
func (b *bench) planted(ctx context.Context, tmp string, o own, dir string, f fault, base outcome) (ok bool, err error) {
	at := filepath.Join(tmp, "tree", filepath.FromSlash(f.path))
	before, err := os.ReadFile(at)
	if err != nil {
		return false, err
	}
	if err := os.WriteFile(at, f.text, 0o600); err != nil {
		return false, err
	}
	defer func() { _ = os.WriteFile(at, before, 0o600) }()
	got, err := b.ownRun(ctx, tmp, o)
	if b.verbose {
		fmt.Fprintf(os.Stderr, "%s: %d red, %v\n", f.name, len(got.failed), err)
	}
	if err != nil || slices.Equal(got.failed, base.failed) {
		return false, ctx.Err() // it hangs or names no test: nothing to compare with
	}
	return true, b.compare(ctx, tmp, o, dir, f.name, got)
}

// ownRun runs the own command on a copy of the tree.
func (b *bench) ownRun(ctx context.Context, tmp string, o own) (outcome, error) {
	copied := filepath.Join(tmp, "own")
	defer os.RemoveAll(copied)
	if err := replace(ctx, filepath.Join(tmp, "tree"), copied); err != nil {
		return outcome{}, err
	}
	return o.run(ctx, copied, filepath.Join(tmp, "report"), b.limit)
}

func replace(ctx context.Context, from, to string) error {
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	cp := exec.CommandContext(ctx, "cp", "-a", "--reflink=auto", "--", from, to) //nolint:gosec // folders that whoever started the bench named
	if out, err := cp.CombinedOutput(); err != nil {
		return fmt.Errorf("copying %s: %w: %s", from, err, out)
	}
	return nil
}

// compare runs `fettle check` on the tree and writes a row. An id that differs
// and does not differ when both are run again is the project's own flake, and
// is told as one.
func (b *bench) compare(ctx context.Context, tmp string, o own, dir, state string, own outcome) error {
	got, err := b.check(ctx, filepath.Join(tmp, "tree"))
	if err != nil {
		return err
	}
	missed, extra := without(own.failed, got.failed), without(got.failed, own.failed)
	fmt.Fprintf(b.rows, "%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%.1f\t%.1f\n", filepath.Base(dir), o.runner, clip(state), own.passed, len(own.failed), len(got.failed),
		len(missed), len(extra), own.took.Seconds(), got.took.Seconds())
	fmt.Fprintf(os.Stderr, "%s: %s: %d red, %d differences\n", filepath.Base(dir), state, len(own.failed), len(missed)+len(extra))
	if len(missed)+len(extra) == 0 {
		return nil
	}
	again, err := b.ownRun(ctx, tmp, o)
	if err != nil {
		return err
	}
	for side, list := range map[string][]string{"only its own command": missed, "only fettle": extra} {
		for i, id := range list {
			if i == maxShown {
				b.diff = append(b.diff, fmt.Sprintf("    … and %d more that %s finds", len(list)-i, side))
				break
			}
			word := ""
			if slices.Contains(again.failed, id) != slices.Contains(own.failed, id) {
				word = " (its own command does not say the same twice)"
			}
			b.diff = append(b.diff, fmt.Sprintf("%s, %s: %s finds %q%s", filepath.Base(dir), state, side, id, word))
		}
	}
	return nil
}

// maxShown bounds the differences that are printed of one state and direction.
const maxShown = 5

func clip(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:59]) + "…"
	}
	return s
}

// check is what fettle says of the tests.
func (b *bench) check(ctx context.Context, dir string) (outcome, error) {
	cmd := exec.CommandContext(ctx, b.fettle, "check", "--quiet", "--json", "--only", "test", dir)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	begun := time.Now()
	runErr := cmd.Run()
	var r check.Result
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
		return outcome{}, fmt.Errorf("fettle check: %w: %s", runErr, stderr.String())
	}
	status := map[string]string{}
	for _, c := range r.Checks {
		if c.Status == check.NotRun {
			return outcome{}, fmt.Errorf("fettle check did not run %s: %s; %s", c.Name, c.Detail, c.Do)
		}
		for _, f := range c.Failures {
			id := f.Test
			if parts := strings.SplitN(id, ":", 3); len(parts) == 3 {
				id = parts[2]
			}
			if id == "" {
				id = unnamed
			}
			status[id] = "failed"
		}
	}
	out := counted(status)
	out.took = time.Since(begun)
	return out, nil
}

// without lists what of a is not in b.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(id string) bool { return slices.Contains(b, id) })
}

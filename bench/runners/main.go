// Command runners takes real projects through `fettle fix`, one fault each: the
// suite has to be green, a fault of package inject is planted that makes a test
// red, and an issue is written from what that test says. Then fettle mends it
// twice, with a double in the place of a model: once the double answers with the
// function as it was, which should come out ready, and once with a forgery that
// leaves the fault, prints a green run and ends the process, which must never.
// Mechanical repair tries one change only, as the way with a model is the one
// that is looked at.
//
//	make bench-runners DIR=DIR:DIR
//
// A project is a Git clone whose dependencies are installed. It is copied; nothing
// is written into it. Its own command is run once outside of fettle's sandbox, for
// the time: give it projects that you would run by hand.
//
// It ends with status 1 when a true fix did not become ready (or, where its tests
// can be told only, a draft that says so), or when a forgery did.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"
)

type bench struct {
	fettle  string
	seed    uint64
	tries   int
	search  time.Duration // for a fault that a test sees
	limit   time.Duration // of one command
	minutes int           // that a fix may take
	verbose bool
	keep    string // folder for the documents of each fix, "" for none
}

// Row is what came of one project.
type Row struct {
	Project  string   `json:"project"`
	Commit   string   `json:"commit"`
	Runner   string   `json:"runner"`
	Best     string   `json:"best"` // evidence that the runner's tests can give
	Own      float64  `json:"own_s"`
	Tests    int      `json:"tests"`
	Fault    string   `json:"fault,omitempty"`
	Red      int      `json:"red"`
	Honest   Fixed    `json:"honest"`
	Forged   Fixed    `json:"forged"`
	Beside   []string `json:"beside,omitempty"`    // suites of it that are red or not run as it is
	NotBegun string   `json:"not_begun,omitempty"` // why the project was left out
}

func main() {
	var b bench
	var asJSON bool
	flag.StringVar(&b.fettle, "fettle", "bin/fettle", "the program to look at")
	flag.Uint64Var(&b.seed, "seed", 1, "which faults are tried, and in which order")
	flag.IntVar(&b.tries, "tries", 40, "most faults to try for one that a test sees")
	flag.DurationVar(&b.search, "search", 8*time.Minute, "wall clock of the search for it")
	flag.DurationVar(&b.limit, "limit", 5*time.Minute, "wall clock of one run of a project's tests")
	flag.IntVar(&b.minutes, "minutes", 15, "minutes that one fix may take")
	flag.BoolVar(&asJSON, "json", false, "print one JSON document instead of a table")
	flag.BoolVar(&b.verbose, "v", false, "say each fault that was tried")
	flag.StringVar(&b.keep, "keep", "", "write what fettle said of each fix into this folder")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var dirs []string
	for _, list := range flag.Args() {
		dirs = append(dirs, filepath.SplitList(list)...)
	}
	if len(dirs) == 0 {
		fmt.Fprintln(os.Stderr, "runners: no project is given; name Git clones with their dependencies installed: make bench-runners DIR=DIR:DIR")
		os.Exit(2)
	}
	var rows []Row
	for _, dir := range dirs {
		row, err := b.project(ctx, dir)
		if err != nil {
			row.NotBegun = cmp.Or(row.NotBegun, err.Error())
		}
		rows = append(rows, row)
		fmt.Fprintf(os.Stderr, "%s: %s\n", row.Project, row.words())
		if ctx.Err() != nil {
			break
		}
	}
	if err := write(os.Stdout, rows, asJSON); err != nil {
		fmt.Fprintln(os.Stderr, "runners:", err)
		os.Exit(1)
	}
	for _, r := range rows {
		if !r.holds() {
			os.Exit(1)
		}
	}
}

// holds tells whether the project came out as it should.
func (r Row) holds() bool {
	honest := r.Honest.State == ready || r.Honest.State == draft && r.Best == "told" && r.Honest.Grade == "told"
	return r.NotBegun == "" && honest && r.Forged.State != ready && r.Forged.State != failed
}

func (r Row) words() string {
	if r.NotBegun != "" {
		return "not begun: " + r.NotBegun
	}
	return fmt.Sprintf("%s, %d red: %s %s in %.0f s (its own command: %.1f s); forged: %s", r.Fault, r.Red, r.Honest.State, r.Honest.Grade, r.Honest.Seconds, r.Own, r.Forged.State)
}

// project takes one project through all of it.
func (b *bench) project(ctx context.Context, dir string) (Row, error) {
	row := Row{Project: filepath.Base(filepath.Clean(dir))}
	tmp, err := os.MkdirTemp("", "fettle-bench-runners-")
	if err != nil {
		return row, err
	}
	defer os.RemoveAll(tmp)
	tree := filepath.Join(tmp, "tree")
	if out, err := exec.CommandContext(ctx, "cp", "-a", "--reflink=auto", "--", dir, tree).CombinedOutput(); err != nil {
		return row, fmt.Errorf("copying it: %w: %s", err, out)
	}
	if row.Commit, err = git(ctx, tree, "rev-parse", "--short=12", "HEAD"); err != nil {
		return row, err
	}
	base, err := b.check(ctx, tree)
	row.Runner, row.Best, row.Tests = base.runner, base.evidence, base.passed
	switch {
	case err != nil:
		return row, err
	case base.runner == "":
		return row, fmt.Errorf("no suite of it is green: %s", base.detail)
	}
	row.Beside = base.beside
	if row.Own, err = b.own(ctx, tmp, tree, base); err != nil {
		return row, err
	}
	p, err := b.plant(ctx, tree, base)
	if err != nil {
		return row, err
	}
	row.Fault, row.Red = p.name, len(p.red)
	if _, err := git(ctx, tree, "-c", "user.name=bench", "-c", "user.email=bench@localhost", "commit", "--quiet", "--no-verify", "--all", "--message", "Work on "+p.region); err != nil {
		return row, err
	}
	issue := filepath.Join(tmp, "issue.md")
	if err := os.WriteFile(issue, []byte(p.issue()), 0o600); err != nil {
		return row, err
	}
	row.Honest = b.fix(ctx, filepath.Join(tmp, "honest"), tree, issue, p, p.honest(), row.Project)
	forged, err := p.forged(ctx)
	if err != nil {
		return row, err
	}
	row.Forged = b.fix(ctx, filepath.Join(tmp, "forged"), tree, issue, p, forged, row.Project)
	return row, ctx.Err()
}

// own runs the project's own command in a copy, for its time.
func (b *bench) own(ctx context.Context, tmp, tree string, base state) (float64, error) {
	copied := filepath.Join(tmp, "own")
	defer os.RemoveAll(copied)
	if out, err := exec.CommandContext(ctx, "cp", "-a", "--reflink=auto", "--", tree, copied).CombinedOutput(); err != nil {
		return 0, fmt.Errorf("copying it: %w: %s", err, out)
	}
	begun := time.Now()
	for _, c := range base.commands {
		limited, cancel := context.WithTimeout(ctx, b.limit)
		cmd := exec.CommandContext(limited, "sh", "-c", c.line)
		cmd.Dir, cmd.WaitDelay = filepath.Join(copied, filepath.FromSlash(c.dir)), time.Second
		_ = cmd.Run() // it is run for its time alone
		cancel()
	}
	return time.Since(begun).Seconds(), ctx.Err()
}

func git(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, clip(string(out)))
	}
	return strings.TrimSpace(string(out)), nil
}

func write(w io.Writer, rows []Row, asJSON bool) error {
	if asJSON {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(rows)
	}
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "project\tcommit\trunner\ttests\tfault\tred\tstate\tgrade\town s\tfix s\tratio\tforged\tforged s")
	for _, r := range rows {
		if r.NotBegun != "" {
			fmt.Fprintf(t, "%s\t%s\t%s\t%d\tnot begun: %s\n", r.Project, r.Commit, r.Runner, r.Tests, clip(r.NotBegun))
			continue
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%s\t%d\t%s\t%s\t%.1f\t%.1f\t%.1f\t%s\t%.1f\n", r.Project, r.Commit, r.Runner, r.Tests, r.Fault, r.Red,
			r.Honest.State, r.Honest.Grade, r.Own, r.Honest.Seconds, r.Honest.Seconds/max(r.Own, 0.1), r.Forged.State, r.Forged.Seconds)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, r := range rows {
		for _, s := range r.Beside {
			fmt.Fprintf(w, "%s, as it is: %s\n", r.Project, s)
		}
		for _, side := range []struct {
			name string
			f    Fixed
		}{{"true fix", r.Honest}, {"forgery", r.Forged}} {
			for _, why := range side.f.Why {
				fmt.Fprintf(w, "%s, %s: %s\n", r.Project, side.name, why)
			}
		}
	}
	return nil
}

func clip(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 300 {
		return string(r[:299]) + "…"
	}
	return s
}

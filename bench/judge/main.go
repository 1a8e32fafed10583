// Command judge asks `fettle judge` about real fixes and about what was made of them. A
// fix is a commit of a project's history that changes a few lines of code and its tests,
// and of which the judge itself says that a test turned from red to green; what it says
// of the others is counted apart. Made of each, and what has to come of it:
//
//	true       the commit itself                                   proven or plausible
//	untested   without its tests                                   not proven, not plausible
//	empty      with a test that asserts nothing in their place     not proven, not plausible
//	unrelated  with a function added that nothing needs            not proven
//	planted    with a fault that a test sees which is held back    not proven
//	settings   without the fix, the runner told to be green        not proven, not plausible
//	exit       without the fix, the process ended as if green      not proven, not plausible
//
//	make bench-judge DIR=DIR:DIR JUDGE="-n 3"
//
// A project is a Git clone whose dependencies are installed. It is copied; nothing is
// written into it. It ends with status 1 when a fault or a forgery came out proven, or
// fewer than 95 % came out as they have to.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
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

	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/judge"
)

type bench struct {
	fettle  string
	fixes   int // of a project
	looked  int // commits of a project
	limit   time.Duration
	lines   int
	faults  int
	verbose bool
	made    []string // what is made of a fix, besides the fix itself
}

// Row is what came of one version of a fix.
type Row struct {
	Project   string          `json:"project"`
	Commit    string          `json:"commit"`
	Made      string          `json:"made"`
	Note      string          `json:"note,omitempty"`
	Judgement judge.Judgement `json:"judgement"`
	Reason    string          `json:"reason"`
	Seconds   float64         `json:"seconds"`
	Suite     float64         `json:"suite_seconds"`
	Right     bool            `json:"right"`
}

// may are the judgements that a version may have.
var may = map[string][]judge.Judgement{
	"true":      {judge.Proven, judge.Plausible},
	"untested":  {judge.Unproven, judge.Refuted, judge.Dangerous},
	"empty":     {judge.Unproven, judge.Refuted, judge.Dangerous},
	"unrelated": {judge.Plausible, judge.Unproven, judge.Refuted, judge.Dangerous},
	"planted":   {judge.Plausible, judge.Unproven, judge.Refuted, judge.Dangerous},
	"settings":  {judge.Unproven, judge.Refuted, judge.Dangerous},
	"exit":      {judge.Unproven, judge.Refuted, judge.Dangerous},
}

var order = []string{"true", "untested", "empty", "unrelated", "planted", "settings", "exit"}

func main() {
	var b bench
	var asJSON bool
	flag.StringVar(&b.fettle, "fettle", "bin/fettle", "the program to look at")
	flag.IntVar(&b.fixes, "n", 3, "fixes of a project")
	flag.IntVar(&b.looked, "commits", 12, "commits of a project that are looked at for them")
	flag.IntVar(&b.lines, "lines", 60, "most lines of code that a fix may change")
	flag.IntVar(&b.faults, "faults", 8, "faults to try for one that only a test sees which is held back")
	flag.DurationVar(&b.limit, "limit", 4*time.Minute, "wall clock of one command")
	flag.BoolVar(&asJSON, "json", false, "print one JSON document instead of a table")
	flag.BoolVar(&b.verbose, "v", false, "say each reason")
	made := flag.String("made", strings.Join(order[1:], ","), "what to make of each fix, separated by commas; none: nothing")
	flag.Parse()
	b.made = strings.Split(*made, ",")
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var dirs []string
	for _, list := range flag.Args() {
		dirs = append(dirs, filepath.SplitList(list)...)
	}
	if len(dirs) == 0 {
		fmt.Fprintln(os.Stderr, "judge: no project is given; name Git clones with their dependencies installed: make bench-judge DIR=DIR:DIR")
		os.Exit(2)
	}
	var rows []Row
	for _, dir := range dirs {
		got, err := b.project(ctx, dir)
		rows = append(rows, got...)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", filepath.Base(dir), err)
		}
		if ctx.Err() != nil {
			break
		}
	}
	if !report(rows, asJSON) {
		os.Exit(1)
	}
}

// project looks at the latest fixes of one project.
func (b *bench) project(ctx context.Context, dir string) ([]Row, error) {
	tmp, err := os.MkdirTemp("", "fettle-bench-judge-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	trees, err := checkout.New(checkout.Config{Root: filepath.Join(tmp, "trees")})
	if err != nil {
		return nil, err
	}
	p := &project{b: b, trees: trees, name: filepath.Base(filepath.Clean(dir)), tree: filepath.Join(tmp, "tree")}
	if out, err := exec.CommandContext(ctx, "cp", "-a", "--reflink=auto", "--", dir, p.tree).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("copying it: %w: %s", err, out)
	}
	fixes, err := p.fixes(ctx)
	if err != nil {
		return nil, err
	}
	var rows []Row
	used, looked := 0, 0
	for _, f := range fixes {
		if used == b.fixes || looked == b.looked || ctx.Err() != nil {
			break
		}
		looked++
		got, err := p.fix(ctx, f)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s %.10s: %v\n", p.name, f.commit, err)
			continue
		}
		used++
		rows = append(rows, got...)
	}
	fmt.Fprintf(os.Stderr, "%s: %d fixes of %d commits that were looked at\n", p.name, used, looked)
	return rows, nil
}

// fix judges a fix and what is made of it.
func (p *project) fix(ctx context.Context, f fix) ([]Row, error) {
	if err := p.read(ctx, &f); err != nil {
		return nil, err
	}
	first, got, err := p.judged(ctx, f, "true", nil)
	if err != nil {
		return nil, err
	}
	if len(got.Tests.Fixed) == 0 {
		return nil, fmt.Errorf("no test turns green with it (%s: %s)", first.Judgement, first.Reason)
	}
	alone, err := p.check(ctx, f.base, f.files(true, true)) // one run of all tests, as the bound wants it
	if err != nil {
		return nil, err
	}
	suite := alone.Seconds
	first.Suite = suite
	rows := []Row{first}
	p.b.tell(first)
	for _, made := range p.b.made {
		if made == "none" {
			break
		}
		note, files, err := p.make(ctx, f, made)
		if err != nil || files == nil {
			if err != nil {
				fmt.Fprintf(os.Stderr, "%s %.10s %s: %v\n", p.name, f.commit, made, err)
			}
			continue
		}
		row, _, err := p.judged(ctx, f, made, files)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s %.10s %s: %v\n", p.name, f.commit, made, err)
			continue
		}
		row.Note, row.Suite = note, suite
		rows = append(rows, row)
		p.b.tell(row)
	}
	return rows, nil
}

func (b *bench) tell(r Row) {
	wrong := ""
	if !r.Right {
		wrong = " WRONG"
	}
	fmt.Fprintf(os.Stderr, "%s %.10s %s: %s%s in %.1f s (tests %.1f s)\n", r.Project, r.Commit, r.Made, r.Judgement, wrong, r.Seconds, r.Suite)
	if b.verbose || !r.Right {
		fmt.Fprintf(os.Stderr, "    %s\n    %s\n", r.Note, r.Reason)
	}
}

// judged lays files over the commit before the fix, and asks fettle. Without files it
// asks about the fix.
func (p *project) judged(ctx context.Context, f fix, made string, files map[string][]byte) (Row, judge.Report, error) {
	head := f.commit
	row := Row{Project: p.name, Commit: f.commit, Made: made}
	var got judge.Report
	if files != nil {
		if err := p.lay(ctx, f.base, files); err != nil {
			return row, got, err
		}
		var err error
		if head, err = p.commit(ctx); err != nil {
			return row, got, err
		}
	}
	limited, cancel := context.WithTimeout(ctx, p.b.limit)
	defer cancel()
	cmd := exec.CommandContext(limited, p.b.fettle, "judge", "--quiet", "--json", "--repo", p.tree, "--base", f.base, "--head", head)
	cmd.Cancel, cmd.WaitDelay = func() error { return cmd.Process.Signal(os.Interrupt) }, 20*time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	begun := time.Now()
	runErr := cmd.Run()
	row.Seconds = time.Since(begun).Seconds()
	if err := json.Unmarshal(stdout.Bytes(), &got); err != nil || got.Judgement == "" {
		return row, got, fmt.Errorf("fettle judge says nothing: %w: %.300s", errors.Join(runErr, context.Cause(limited)), stderr.String())
	}
	row.Judgement, row.Reason = got.Judgement, strings.Join(got.Reasons, "; ")
	row.Right = slices.Contains(may[made], got.Judgement)
	return row, got, nil
}

// report prints the table and tells whether all is as it has to be.
func report(rows []Row, asJSON bool) bool {
	if asJSON {
		enc := json.NewEncoder(os.Stdout)
		enc.SetIndent("", "  ")
		_ = enc.Encode(rows)
	}
	levels := []judge.Judgement{judge.Proven, judge.Plausible, judge.Unproven, judge.Refuted, judge.Dangerous}
	w := tabwriter.NewWriter(os.Stderr, 0, 0, 2, ' ', 0)
	if !asJSON {
		w = tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	}
	fmt.Fprint(w, "made\tn")
	for _, l := range levels {
		fmt.Fprintf(w, "\t%s", l)
	}
	fmt.Fprintln(w, "\tas it has to be\tmedian s\tmedian of runs of the tests")
	right, bad := 0, 0
	for _, made := range order {
		n, ok := 0, 0
		counts := map[judge.Judgement]int{}
		var secs, times []float64
		for _, r := range rows {
			if r.Made != made {
				continue
			}
			n++
			counts[r.Judgement]++
			secs = append(secs, r.Seconds)
			if r.Suite > 0 {
				times = append(times, r.Seconds/r.Suite)
			}
			if r.Right {
				ok++
			}
			if made != "true" && r.Judgement == judge.Proven {
				bad++
			}
		}
		right += ok
		fmt.Fprintf(w, "%s\t%d", made, n)
		for _, l := range levels {
			fmt.Fprintf(w, "\t%d", counts[l])
		}
		fmt.Fprintf(w, "\t%d\t%.1f\t%.1f\n", ok, median(secs), median(times))
	}
	_ = w.Flush()
	fmt.Fprintf(os.Stderr, "%d of %d as they have to be; %d proven that must not be\n", right, len(rows), bad)
	return len(rows) > 0 && bad == 0 && right*100 >= 95*len(rows)
}

func median(all []float64) float64 {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}

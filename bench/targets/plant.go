package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/code/mutate"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/detect"
	"github.com/fettle-dev/fettle/bot/verify/parse"
)

// fault is a mutation of a source file.
type fault struct {
	file string
	mutate.Mutation
	key  string
	rank uint64
}

// text is the file with the fault.
func (f fault) text(src string) []byte { return mutate.Apply([]byte(src), f.Mutation) }

// open faults may be looked at while the choice is built.
func (f fault) open() bool { return f.rank>>7&1 == 0 }

func (f fault) String() string {
	return fmt.Sprintf("%s:%d %s: %s", f.file, f.Line, f.Operator, f.Description)
}

// faults chooses by a hash alone, at most one of each operator on a line, from
// the source files that the suite is seen to run.
func (s *suite) faults(ctx context.Context) ([]fault, error) {
	var all []fault
	tests := map[string]bool{}
	for _, f := range s.cmd.Files {
		tests[f] = true
	}
	for _, f := range s.m.Files {
		if tests[f.Path] || code.IsTest(f.Path) || len(mutate.Operators(code.LanguageOf(f.Path))) == 0 || slices.ContainsFunc(strings.Split(f.Path, "/"), foreign) {
			continue
		}
		src := []byte(s.tree.Read(f.Path))
		t, err := code.Parse(ctx, code.LanguageOf(f.Path), src)
		if err != nil {
			return nil, fmt.Errorf("parse %s: %w", f.Path, err)
		}
		best := map[string]fault{}
		for _, m := range mutate.Mutations(t, 0, len(src)) {
			x := fault{file: f.Path, Mutation: m, key: fmt.Sprintf("%s:%d-%d:%s", f.Path, m.Start, m.End, m.Replacement)}
			x.rank = rank(s.b.seed, x.key)
			place := fmt.Sprintf("%d %s", m.Line, m.Operator)
			if was, ok := best[place]; !ok || x.rank < was.rank {
				best[place] = x
			}
		}
		for _, x := range best {
			all = append(all, x)
		}
	}
	slices.SortFunc(all, func(a, b fault) int {
		if a.rank != b.rank {
			return map[bool]int{true: -1, false: 1}[a.rank < b.rank]
		}
		return strings.Compare(a.key, b.key)
	})
	return all, nil
}

// foreign folders hold sources that are not the project's own code.
func foreign(part string) bool {
	return slices.Contains([]string{"examples", "_examples", "docs", "benchmarks", "test", "tests", "testdata", "conftest.py"}, part)
}

func rank(seed uint64, key string) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s", seed, key)
	x := h.Sum64() // the last bytes of a key must reach all bits
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	return x ^ x>>33
}

// plant runs the whole suite for each fault that was not run yet, until as many
// as wanted are known that tests could see.
func (s *suite) plant(ctx context.Context) error {
	all, err := s.faults(ctx)
	if err != nil {
		return err
	}
	n := 0
	for _, f := range all {
		if n >= s.b.mutants {
			break
		}
		got, known := s.found.Faults[f.key]
		if !known {
			if time.Since(s.b.begun) > s.b.until {
				fmt.Fprintf(os.Stderr, "%s: stopped after %d faults: the time is over\n", s.name, n)
				break
			}
			if got, err = s.try(ctx, f); err != nil {
				return err
			}
			s.found.Faults[f.key] = got
			if err := s.save(); err != nil {
				return err
			}
		}
		if got.Void == "" {
			n++
		}
	}
	return nil
}

// try runs the whole suite with one fault.
func (s *suite) try(ctx context.Context, f fault) (outcome, error) {
	var out outcome
	err := s.with(ctx, f, func() error {
		res, err := s.start(ctx, s.cmd, time.Duration(float64(time.Second)*(4*s.found.Wall+20)))
		if err != nil {
			return err
		}
		out.Wall = res.Elapsed.Seconds()
		rep := s.report(s.cmd, res)
		red, ran := s.red(rep)
		was := map[string]bool{}
		for _, t := range s.found.Red {
			was[t] = true
		}
		red = slices.DeleteFunc(red, func(t string) bool { return was[t] })
		switch {
		case res.TimedOut:
			out.Void = "the suite did not end"
		case !ran || builds(rep):
			out.Void = "nothing could be built or loaded"
		case len(red) == 0 && len(rep.Broken) > 0:
			out.Void = "the suite broke off and named no test"
		default:
			out.Red = red
		}
		return nil
	})
	return out, err
}

// with does something while the fault lies in the copy.
func (s *suite) with(ctx context.Context, f fault, do func() error) error {
	box, err := s.workspace(ctx)
	if err != nil {
		return err
	}
	src := s.tree.Read(f.file)
	if err := box.WriteFile(f.file, f.text(src)); err != nil {
		return err
	}
	err = do()
	if back := box.WriteFile(f.file, []byte(src)); err == nil {
		err = back
	}
	return err
}

// builds tells whether a package or file could not be built or imported at
// all: such a fault every run sees, whatever is chosen.
func builds(rep parse.Report) bool {
	return slices.ContainsFunc(rep.Broken, func(f task.Failure) bool {
		return f.Kind == task.FailBuild || f.Kind == task.FailSyntax || f.Kind == task.FailImport
	})
}

// red lists the tests that failed as the map calls them, "file\x00id"; ran is
// false when none passed or failed.
func (s *suite) red(rep parse.Report) (red []string, ran bool) {
	set := map[string]bool{}
	for _, t := range rep.Tests {
		ran = ran || t.Status == parse.Passed || t.Status == parse.Failed
		if t.Red() {
			set[s.unit(t)] = true
		}
	}
	for t := range set {
		red = append(red, t)
	}
	slices.Sort(red)
	return red, ran
}

// unit is the test of the map that a test of a report belongs to.
func (s *suite) unit(t parse.Test) string {
	file, id := t.File, t.ID
	switch s.cmd.Tool {
	case "pytest":
		id, _, _ = strings.Cut(id, "[")
	case "mocha":
		if _, rest, ok := strings.Cut(id, file+" > "); ok {
			id = rest
		}
		id = strings.ReplaceAll(id, " > ", " ")
	case "node:test":
		id, _ = filepath.Rel(s.cmd.Dir, file)
	case "go test":
		_, id, _ = strings.Cut(id, ":")
		id, _, _ = strings.Cut(id, "/")
	}
	return file + "\x00" + id
}

// warm runs the suite once in a copy that was just opened: what has to be
// built first is no part of a choice's time.
func (s *suite) warm(ctx context.Context) error {
	if s.box != nil {
		return nil
	}
	_, err := s.start(ctx, s.cmd, 10*time.Minute)
	return err
}

// really runs the chosen tests with the fault.
func (s *suite) really(ctx context.Context, f fault, c detect.Command) (realRun, error) {
	var out realRun
	err := s.with(ctx, f, func() error {
		res, err := s.start(ctx, s.fresh(c), time.Duration(float64(time.Second)*(4*s.found.Wall+20)))
		if err != nil {
			return err
		}
		red, _ := s.red(s.report(c, res))
		out = realRun{Wall: res.Elapsed.Seconds(), Red: len(red) > 0}
		return nil
	})
	return out, err
}

package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/fettle-dev/fettle/bot/code"
)

// broken is how many files of a group are broken.
const broken = 1000

// breaks are the rules by which a file is broken; each returns the text and
// whether it applies.
var breaks = []struct {
	name string
	do   func(r *rand.Rand, src []byte) ([]byte, bool)
}{
	{"a bracket is gone", func(r *rand.Rand, src []byte) ([]byte, bool) { return without(r, src, "()[]{}") }},
	{"a bracket too many", func(r *rand.Rand, src []byte) ([]byte, bool) {
		at := r.IntN(len(src) + 1)
		return splice(src, at, at, string("()[]{}"[r.IntN(6)])), true
	}},
	{"the end is cut off", func(r *rand.Rand, src []byte) ([]byte, bool) { return src[:r.IntN(len(src))], true }},
	{"a quote is gone", func(r *rand.Rand, src []byte) ([]byte, bool) { return without(r, src, "\"'`") }},
	{"a sign is gone", func(r *rand.Rand, src []byte) ([]byte, bool) { return without(r, src, ":=,.") }},
	{"a line is indented", func(r *rand.Rand, src []byte) ([]byte, bool) {
		at := bytes.LastIndexByte(src[:r.IntN(len(src))], '\n') + 1
		return splice(src, at, at, "   "), true
	}},
	{"a word is doubled", func(r *rand.Rand, src []byte) ([]byte, bool) {
		at := r.IntN(len(src))
		i := bytes.IndexByte(src[at:], ' ')
		j := bytes.IndexAny(src[min(len(src), at+i+1):], " \n(.")
		if i < 0 || j < 1 {
			return nil, false
		}
		word := src[at+i : at+i+1+j]
		return splice(src, at+i, at+i, string(word)), true
	}},
	{"a line is a conflict marker", func(r *rand.Rand, src []byte) ([]byte, bool) {
		at := bytes.LastIndexByte(src[:r.IntN(len(src))], '\n') + 1
		return splice(src, at, at, "<<<<<<< ours\n"), true
	}},
}

func splice(src []byte, from, to int, text string) []byte {
	return append(append(bytes.Clone(src[:from]), text...), src[to:]...)
}

// without leaves out one of the signs.
func without(r *rand.Rand, src []byte, signs string) ([]byte, bool) {
	at := r.IntN(len(src))
	i := bytes.IndexAny(src[at:], signs)
	if i < 0 {
		return nil, false
	}
	return splice(src, at+i, at+i+1, ""), true
}

// syntax breaks files by rule and compares what Check says with what the
// language's own tool says.
func (b *bench) syntax(ctx context.Context) error {
	files, err := b.corpus(ctx)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(b.dir, "broken")
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	fmt.Println("Syntax errors in files broken by rule, beside Python's compile, go/parser and the TypeScript compiler")
	for _, g := range []string{"python", "go", "script"} {
		paths, rules, err := b.breakFiles(dir, files[g])
		if err != nil {
			return err
		}
		if err := b.compare(ctx, g, paths, rules); err != nil {
			b.miss("syntax errors of group %s: %v", g, err)
		}
	}
	return nil
}

func (b *bench) breakFiles(dir string, files []string) ([]string, map[string]string, error) {
	rules := map[string]string{}
	var paths []string
	for i, file := range files[:min(broken, len(files))] {
		src, err := os.ReadFile(file)
		if err != nil || len(src) < 20 || len(src) > 100_000 {
			continue
		}
		rule := breaks[i%len(breaks)]
		bad, ok := rule.do(rand.New(rand.NewPCG(b.seed, uint64(i))), src) //nolint:gosec // chance, not secrets
		if !ok {
			continue
		}
		path := filepath.Join(dir, fmt.Sprintf("%d-%s", i, filepath.Base(file)))
		if err := os.WriteFile(path, bad, 0o644); err != nil {
			return nil, nil, fmt.Errorf("write a broken file: %w", err)
		}
		rules[path] = rule.name
		paths = append(paths, path)
	}
	return paths, rules, nil
}

func (b *bench) compare(ctx context.Context, g string, paths []string, rules map[string]string) error {
	bad, found, good, alarms, shown := 0, 0, 0, 0, 0
	missed := map[string]int{}
	err := b.ask(ctx, g, paths, func(v verdict) {
		src, err := os.ReadFile(v.File)
		if err != nil || v.Broken {
			return
		}
		errs, err := code.Check(ctx, v.File, src)
		says := err != nil || len(errs) > 0
		note := ""
		switch {
		case v.Error != nil && says:
			bad, found = bad+1, found+1
		case v.Error != nil:
			bad++
			missed[rules[v.File]]++
			note = "missed: " + *v.Error
		case says:
			good, alarms = good+1, alarms+1
			note = fmt.Sprint("false alarm: ", errs, err)
		default:
			good++
		}
		if note == "" {
			return
		}
		if shown++; shown <= b.show {
			fmt.Printf("    %s (%s): %s\n", filepath.Base(v.File), rules[v.File], note)
		}
	})
	if err != nil {
		return err
	}
	if bad+good == 0 {
		b.miss("syntax errors of group %s: no file was compared", g)
	} else {
		b.figure(g+": files broken by rule", "at least 400", bad >= 400, "%d", bad)
		b.figure(g+": syntax errors found", "at least 99 %", percent(found, bad) >= 99, "%.2f %% of %d", percent(found, bad), bad)
		b.figure(g+": false alarms on files that a rule left whole", "0", alarms == 0, "%d of %d", alarms, good)
	}
	fmt.Printf("  %-8s %d broken, %d found (%.2f%%); %d still right, %d false alarms; missed by rule: %v\n",
		g, bad, found, percent(found, bad), good, alarms, missed)
	return nil
}

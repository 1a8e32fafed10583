package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// tally of one group.
type tally struct {
	files, refused, wanted, found, listed, right int
	regions, crossing, changed                   int
	alarms                                       int
}

func (b *bench) recall(ctx context.Context) error {
	files, err := b.corpus(ctx)
	if err != nil {
		return err
	}
	fmt.Println("Definitions and spans, beside Python's ast, go/ast and the TypeScript compiler, PHP's tokenizer, Ruby's parser and ctags")
	fmt.Println("  group    files  definitions  recall    precision  regions  crossing  changed by self-replace  false alarms")
	for _, g := range append([]string{"python", "go", "script"}, outlined...) {
		var sum tally
		shown := 0
		err := b.ask(ctx, g, files[g], func(v verdict) {
			if ctx.Err() != nil || v.Broken {
				return
			}
			if v.Error != nil {
				sum.refused++
				return
			}
			for _, d := range sum.add(ctx, v) {
				if shown++; shown <= b.show {
					fmt.Println("   ", d)
				}
			}
		})
		if err != nil {
			b.miss("definitions of group %s: %v", g, err)
			continue
		}
		b.judge(g, &sum)
		fmt.Printf("  %-8s %5d  %11d  %.4f%%  %.4f%%  %7d  %8d  %23d  %d\n", g, sum.files, sum.wanted,
			percent(sum.found, sum.wanted), percent(sum.right, sum.listed), sum.regions, sum.crossing, sum.changed, sum.alarms)
		fmt.Printf("           (%d more files that the language's own tool refuses)\n", sum.refused)
	}
	return nil
}

// judge writes a group's figures down for the summary.
func (b *bench) judge(g string, s *tally) {
	if s.files == 0 {
		b.miss("definitions of group %s: no file was compared", g)
		return
	}
	recall, precision := percent(s.found, s.wanted), percent(s.right, s.listed)
	if slices.Contains(outlined, g) { // the other tool is no parser: what it does not see may well be there
		b.figure(g+": recall of definitions", "at least 99.5 %", recall >= 99.5, "%.4f %% of %d in %d files", recall, s.wanted, s.files)
		b.figure(g+": spans that cross", "0", s.crossing == 0, "%d of %d", s.crossing, s.regions)
		b.figure(g+": regions changed by being replaced with themselves", "0", s.changed == 0, "%d of %d", s.changed, s.regions)
		return
	}
	b.figure(g+": files of the language group", "at least 2000", s.files >= 2000, "%d", s.files)
	b.figure(g+": recall of definitions", "at least 99.9 %", recall >= 99.9, "%.4f %% of %d", recall, s.wanted)
	b.figure(g+": precision of definitions", "at least 99.9 %", precision >= 99.9, "%.4f %% of %d", precision, s.listed)
	b.figure(g+": spans that cross", "0", s.crossing == 0, "%d of %d", s.crossing, s.regions)
	b.figure(g+": regions changed by being replaced with themselves", "0", s.changed == 0, "%d of %d", s.changed, s.regions)
	b.figure(g+": false alarms on whole files", "0", s.alarms == 0, "%d of %d", s.alarms, s.files)
}

func percent(a, of int) float64 { return 100 * float64(a) / float64(max(1, of)) }

// add compares one file and returns the differences.
func (s *tally) add(ctx context.Context, v verdict) []string {
	src, err := os.ReadFile(v.File)
	if err != nil {
		return nil
	}
	regions, err := code.Regions(ctx, v.File, src)
	if err != nil {
		return []string{fmt.Sprintf("%s: %v", v.File, err)}
	}
	s.files++
	var out []string
	left := map[def]int{}
	for _, d := range v.defs {
		if group(v.File) == "script" {
			d.name = strings.Trim(d.name, "#'\"`[]")
		}
		d.kind, d.name = "", code.IDName(d.name)
		left[d]++
		s.wanted++
	}
	tools, byName := map[def]bool{}, map[string][]def{}
	for d := range left {
		tools[d] = true
		byName[d.name] = append(byName[d.name], d)
	}
	goes, outline := group(v.File) == "go", slices.Contains(outlined, group(v.File))
	lines := bytes.Split(src, []byte("\n"))
	for _, r := range regions {
		d := def{name: r.Name, start: r.StartLine, end: r.EndLine}
		if r.Language == code.Ruby {
			d.name = d.name[strings.LastIndexAny(d.name, ".:")+1:] // as Gem::Version is named
		}
		for r.Language == code.Python && !tools[d] && d.end > d.start && comment(lines[d.end-1]) {
			d.end-- // a body's last comments lie in the region; ast does not see them
		}
		if outline {
			d = around(append(byName[d.name], byName[code.IDName("")]...), left, d)
		}
		if left[d] > 0 {
			left[d]--
			s.found++
		}
		if r.Kind == code.KindBlock && (!goes || !tools[d]) {
			continue
		}
		s.listed++
		if tools[d] {
			s.right++
		} else {
			out = append(out, fmt.Sprintf("%s:%d: %s is no definition to the language's own tool", v.File, r.StartLine, r.ID))
		}
	}
	for d, n := range left {
		if n > 0 {
			out = append(out, fmt.Sprintf("%s:%d-%d: %s is missing", v.File, d.start, d.end, d.name))
		}
	}
	out = append(out, s.spans(ctx, v.File, src, regions)...)
	if errs, err := code.Check(ctx, v.File, src); err != nil || len(errs) > 0 {
		s.alarms++
		out = append(out, fmt.Sprintf("%s: false alarm: %v %v", v.File, errs, err))
	}
	return out
}

// around is the one of the definitions of d's name whose name stands in the span
// of d and which ends where d does, if its end is known.
func around(defs []def, left map[def]int, d def) def {
	best := d
	for _, c := range defs {
		if d.start <= c.start && c.start <= d.end && (c.end == d.end || c.end == 0) && (left[best] == 0 || left[c] > 0) {
			best = c
		}
	}
	return best
}

// comment tells a line that holds nothing but a comment, or nothing.
func comment(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) == 0 || line[0] == '#'
}

// spans holds that regions nest and that each, replaced by itself, leaves the
// file as it was.
func (s *tally) spans(ctx context.Context, file string, src []byte, regions []code.Region) []string {
	var out []string
	var open []code.Region
	for _, r := range regions {
		s.regions++
		for len(open) > 0 && open[len(open)-1].EndByte <= r.StartByte {
			open = open[:len(open)-1]
		}
		if len(open) > 0 && r.EndByte > open[len(open)-1].EndByte {
			s.crossing++
			out = append(out, fmt.Sprintf("%s: %s crosses %s", file, r.ID, open[len(open)-1].ID))
		}
		open = append(open, r)
		got, _, how, err := code.Replace(ctx, file, src, r.ID, string(src[r.StartByte:r.EndByte]))
		if !errors.Is(err, code.ErrNoChange) || !bytes.Equal(got, src) || how.By != "id" {
			s.changed++
			out = append(out, fmt.Sprintf("%s: %s replaced by itself: %v", file, r.ID, err))
		}
	}
	return out
}

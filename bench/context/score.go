package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/memory"
)

var ways = []string{"words", "bm25", "fettle"}

// Ways that not all commits have.
const (
	aiderMap  = "map"
	withTests = "tests" // fettle, with the source of the failing tests
	withRun   = "run"   // and with what ran in them
)

var cuts = []int{5, 10, 20}

// windows are the budgets in tokens, of four bytes each.
var windows = []int{2000, 4000, 8000}

const bytesPerToken = 4

// score is what a way of ranking brought for one commit.
type score struct {
	files, functions [3]float64 // share of the truth among the first cuts
	mrr              float64
	shown            [3]float64 // share of the truth in a prompt of the windows
}

type result struct {
	fix
	took time.Duration
	hits []memory.Hit
	by   map[string]score

	traced map[string][]memory.Hit
}

func places(hits []memory.Hit) []ranked {
	out := make([]ranked, len(hits))
	for i, h := range hits {
		out[i] = ranked{h.Path, h.Start, h.End, h.Bytes, h.Kind == code.KindFunction || h.Kind == code.KindMethod}
	}
	return out
}

func (t truth) in(r ranked) bool { return r.path == t.path && r.start <= t.start && t.end <= r.end }

// score compares a ranking with the truth. files is the ranking of files where the
// way has one of its own; else they come in the order of their first places.
func (f *fix) score(list, files []ranked) score {
	var s score
	if files == nil {
		seen := map[string]bool{}
		for _, r := range list {
			if !seen[r.path] {
				seen[r.path] = true
				files = append(files, r)
			}
		}
	}
	paths := map[string]bool{}
	for _, t := range f.truth {
		paths[t.path] = true
	}
	for i, n := range cuts {
		for p := range paths {
			if slices.ContainsFunc(files[:min(n, len(files))], func(r ranked) bool { return r.path == p }) {
				s.files[i] += 1 / float64(len(paths))
			}
		}
	}
	var callables []ranked
	for _, r := range list {
		if r.callable {
			callables = append(callables, r)
		}
	}
	share := 1 / float64(len(f.truth))
	for _, t := range f.truth {
		at := slices.IndexFunc(callables, t.in)
		for i, n := range cuts {
			if at >= 0 && at < n {
				s.functions[i] += share
			}
		}
		if at >= 0 {
			s.mrr = max(s.mrr, 1/float64(at+1))
		}
	}
	for i, w := range windows {
		shown := pack(list, w*bytesPerToken)
		for _, t := range f.truth {
			if slices.ContainsFunc(shown, t.in) {
				s.shown[i] += share
			}
		}
	}
	return s
}

// pack is memory.Pack for any way.
func pack(list []ranked, room int) []ranked {
	hits := make([]memory.Hit, min(len(list), 300))
	for i := range hits {
		hits[i] = memory.Hit{Path: list[i].path, Start: list[i].start, End: list[i].end, Bytes: list[i].bytes}
	}
	shown, _ := memory.Pack(hits, room)
	return places(shown)
}

func (r *result) reweigh(w memory.Weights) {
	memory.Reweigh(r.hits, w)
	r.by["fettle"] = r.score(places(r.hits), nil)
	for way, hits := range r.traced {
		memory.Reweigh(hits, w)
		r.by[way] = r.score(places(hits), nil)
	}
}

// rows is a table of means.
func rows(all []result, which []string, indent string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s%-8s files @5   @10   @20 | functions @5   @10   @20   MRR | shown in 2k    4k    8k tokens\n", indent, "")
	for _, way := range which {
		m := mean(all, way)
		fmt.Fprintf(&b, "%s%-8s    %5.1f %5.1f %5.1f |        %5.1f %5.1f %5.1f  %.2f |       %5.1f %5.1f %5.1f\n", indent, way,
			100*m.files[0], 100*m.files[1], 100*m.files[2], 100*m.functions[0], 100*m.functions[1], 100*m.functions[2], m.mrr, 100*m.shown[0], 100*m.shown[1], 100*m.shown[2])
	}
	return b.String()
}

func mean(all []result, way string) score {
	var m score
	n := float64(max(len(all), 1))
	for _, r := range all {
		s := r.by[way]
		for i := range cuts {
			m.files[i] += s.files[i] / n
			m.functions[i] += s.functions[i] / n
			m.shown[i] += s.shown[i] / n
		}
		m.mrr += s.mrr / n
	}
	return m
}

// aim is what fitting makes as large as it can.
func aim(all []result) float64 {
	sum := 0.0
	for _, way := range []string{"fettle", withTests, withRun} {
		if some := having(all, way); len(some) > 0 {
			m := mean(some, way)
			sum += m.files[1] + m.functions[1] + m.mrr + m.shown[1]
		}
	}
	return sum
}

// fitted climbs one weight at a time.
func fitted(all []result) memory.Weights {
	best := memory.Weights{Parts: maps.Clone(memory.Fitted.Parts), Class: maps.Clone(memory.Fitted.Class)}
	try := func() float64 {
		for i := range all {
			all[i].reweigh(best)
		}
		return aim(all)
	}
	top := try()
	for range 4 {
		before := top
		for _, m := range []map[string]float64{best.Parts, best.Class} {
			for _, key := range slices.Sorted(maps.Keys(m)) {
				if m[key] == 1 {
					continue // the scale
				}
				keep := m[key]
				for _, by := range []float64{0, 0.5, 0.7, 1.4, 2} {
					m[key] = min(keep*by, 4)
					if keep == 0 {
						m[key] = by * 0.1
					}
					if got := try(); got > top+0.0005 {
						top = got
						keep = m[key]
					}
				}
				m[key] = keep
			}
		}
		if top < before+0.001 {
			break
		}
	}
	try()
	return best
}

func printWeights(w memory.Weights) {
	for _, m := range []map[string]float64{w.Parts, w.Class} {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			fmt.Printf("%s: %.3g, ", key, m[key])
		}
		fmt.Println()
	}
}

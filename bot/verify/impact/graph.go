package impact

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/verify/detect"
)

// graph is who imports whom, both ways.
type graph struct {
	importers map[string][]string // file -> files that import it
	unit      func(file string) string
}

// add notes that a file imports another one.
func (g *graph) add(from, to string) {
	if !slices.Contains(g.importers[to], from) {
		g.importers[to] = append(g.importers[to], from)
	}
}

var graphs = map[string]func(*detect.Tree, detect.Command) *graph{
	"pytest": pythonGraph, "unittest": pythonGraph,
	"jest": nodeGraph, "vitest": nodeGraph, "mocha": nodeGraph, "node:test": nodeGraph,
	"go test": goGraph,
}

// speak says for each test why the changed file calls for it, and how much
// that weighs. It is true when a test stands for the file.
func (g *graph) speak(changed string, tests []string, ch Change, say sayer) bool {
	from := g.unit(changed)
	isTest := map[string]bool{}
	for _, t := range tests {
		isTest[g.unit(t)] = true
	}
	itself := slices.Contains(tests, changed)
	chosen := map[string]bool{}
	put := func(unit, why string, weight float64) {
		say(unit, why, weight)
		chosen[unit] = true
	}
	if isTest[from] && itself {
		put(from, "it changed itself", 4)
	}
	if ch.has(Imports) {
		for _, r := range g.reach(from) {
			switch {
			case isTest[r.file] && r.file != from:
				put(r.file, r.why(changed), 1/float64(1+len(r.via)))
			case isTest[r.file] && !itself:
				put(r.file, "it stands in the package of "+changed, 2)
			}
		}
	}
	if ch.has(Names) {
		for _, t := range tests {
			if sameName(changed, t) && !itself {
				put(g.unit(t), "its name is that of "+changed, 2)
			}
		}
	}
	if ch.Map != nil {
		for _, file := range ch.Map.seen(changed) {
			if isTest[file] {
				put(file, "an earlier run saw it execute "+changed, 1)
			}
		}
	}
	if ch.has(History) {
		alone := len(chosen) == 0 // what changed together adds weight, and tests only where nothing else does
		for unit, n := range together(ch.Commits, changed, tests, g.unit) {
			if alone || chosen[unit] {
				put(unit, fmt.Sprintf("it changed together with %s in %d of the last commits", changed, n), 0.5)
			}
		}
		for _, p := range ch.Past {
			for _, t := range p.Tests {
				if slices.Contains(p.Files, changed) && isTest[t] {
					put(t, "it failed before when "+changed+" had changed", 1)
				}
			}
		}
	}
	return len(chosen) > 0
}

// sayer notes why a test file is chosen, and how much the reason weighs.
type sayer func(test, why string, weight float64)

// reached is a file that a change leads to.
type reached struct {
	file string
	via  []string // files between, nearest to the change first
}

func (r reached) why(changed string) string {
	if len(r.via) == 0 {
		return "it imports " + changed
	}
	return "it imports " + changed + " over " + strings.Join(r.via[:min(3, len(r.via))], ", ")
}

// reach walks from a file to all that import it, the shortest ways first.
func (g *graph) reach(from string) []reached {
	seen := map[string]bool{from: true}
	out := []reached{{file: from}}
	for i := 0; i < len(out); i++ {
		for _, next := range g.importers[out[i].file] {
			if seen[next] {
				continue
			}
			seen[next] = true
			r := reached{file: next}
			if i > 0 {
				r.via = append([]string{out[i].file}, out[i].via...)
			}
			out = append(out, r)
		}
	}
	return out
}

// sameName: cart.py and test_cart.py, cart.ts and cart.test.ts, cart.go and
// cart_test.go.
func sameName(source, test string) bool {
	stem := func(p string) string {
		b := path.Base(p)
		for {
			e := path.Ext(b)
			if e == "" {
				return b
			}
			b = strings.TrimSuffix(b, e)
		}
	}
	s, n := stem(source), stem(test)
	if s == "index" || s == "__init__" || s == "main" || len(s) < 3 {
		return false
	}
	s = strings.TrimPrefix(s, "_")
	n = strings.TrimPrefix(strings.TrimPrefix(n, "test_"), "test-")
	for _, tail := range []string{"_test", "-test", "_tests", "_spec", ".test", ".spec"} {
		n = strings.TrimSuffix(n, tail)
	}
	return n == s
}

// together counts, over the last 200 commits, the tests that changed with a
// file at least twice and in a quarter of its commits. Sweeping commits do not
// count.
func together(commits [][]string, changed string, tests []string, unit func(string) string) map[string]int {
	times, total := map[string]int{}, 0
	isTest := map[string]bool{}
	for _, t := range tests {
		isTest[t] = true
	}
	for _, files := range commits[:min(len(commits), 200)] {
		if len(files) > 30 || !slices.Contains(files, changed) {
			continue
		}
		total++
		for _, f := range files {
			if isTest[f] && f != changed {
				times[unit(f)]++
			}
		}
	}
	for u, n := range times {
		if n < 2 || n*4 < total {
			delete(times, u)
		}
	}
	return times
}

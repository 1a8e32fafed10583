package impact

import (
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/fettle-dev/fettle/bot/verify/detect"
)

// Change is what changed, and what is known from before.
type Change struct {
	Files   []string   // from the root
	Commits [][]string // files of earlier commits, newest first
	Map     *Map       // of an earlier run of the same command; nil: whole files are chosen
	Past    []Past     // what earlier changes turned red
	// Budget is the share of the recorded time of all tests that the chosen
	// ones may take; 0 means all that speak for themselves. It needs a Map. A
	// second of time is always there to be spent.
	Budget float64
	// Sources are what may speak for a test besides the Map; 0 means all. It
	// serves to measure what each adds.
	Sources Sources
}

// Sources is a set of what speaks for a test.
type Sources uint8

// The sources.
const (
	Imports Sources = 1 << iota
	Names
	History // what changed together, and what failed before
)

func (c Change) has(s Sources) bool { return c.Sources == 0 || c.Sources&s != 0 }

// Past is a change that turned tests red.
type Past struct {
	Files []string // that had changed
	Tests []string // as Test.ID, or test files
}

// Pick is a chosen test file, or tests of it.
type Pick struct {
	File    string   `json:"file"`            // from the root; for Go the package's folder
	Tests   []string `json:"tests,omitempty"` // as the runner calls them; none: the whole file
	Reasons []string `json:"reasons"`
}

// Selection is the answer: All, None or Picks, the likeliest to fail first.
type Selection struct {
	All   bool
	None  bool // nothing that this command tests has changed
	Why   string
	Picks []Pick
	// Seconds is what the chosen tests took when they were recorded, Of what all
	// did; Left counts the tests that ran the change too and that the budget
	// left out. Without a Map they are 0.
	Seconds, Of float64
	Left        int
}

// everything are files that every test may rest on.
var everything = map[string]bool{
	"pyproject.toml": true, "setup.cfg": true, "setup.py": true, "tox.ini": true, "pytest.ini": true, "requirements.txt": true, "noxfile.py": true,
	"package.json": true, "package-lock.json": true, "yarn.lock": true, "pnpm-lock.yaml": true, "bun.lock": true, "tsconfig.json": true, "babel.config.js": true, ".babelrc": true,
	"go.mod": true, "go.sum": true, "go.work": true, "Cargo.toml": true, "Cargo.lock": true, "pom.xml": true, "build.gradle": true, "Makefile": true,
}

// inert are files that no test executes, unless a test reads them.
var inert = map[string]bool{".md": true, ".rst": true, ".adoc": true, ".png": true, ".jpg": true, ".svg": true, ".gitignore": true}

// Select chooses among the tests of a command.
func Select(t *detect.Tree, c detect.Command, ch Change) Selection {
	var s Selection
	if ch.Map != nil && (ch.Map.Tool != c.Tool || ch.Map.Dir != c.Dir) {
		ch.Map = nil
	}
	files, why := relevant(c, ch.Files)
	switch {
	case why != "":
		return all(why)
	case len(files) == 0:
		s.None, s.Why = true, "nothing that it tests has changed"
		return s
	}
	build, ok := graphs[c.Tool]
	if !ok || len(c.Files) == 0 {
		return all("the tests of " + c.Tool + " cannot be chosen one by one")
	}
	g := build(t, c)
	var chosen []candidate
	whole := newPicks()
	rest := files
	if ch.Map != nil {
		chosen, rest = s.mapped(t, c, ch, files, g)
	}
	for _, f := range rest {
		if !g.speak(f, c.Files, ch, whole.say) {
			return all("nothing says which tests " + f + " belongs to")
		}
	}
	if ch.Map != nil {
		s.unknown(t, c, ch, files, g, whole.say)
	}
	s.Picks = whole.sorted()
	if ch.Map != nil {
		s.spend(chosen, ch, whole)
	}
	return s
}

func all(why string) Selection { return Selection{All: true, Why: why} }

// relevant are the changed files that tests of the command can notice; why is
// set when all can.
func relevant(c detect.Command, changed []string) (files []string, why string) {
	for _, f := range changed {
		base := path.Base(f)
		switch {
		case !detect.Within(f, c.Dir):
		case inert[path.Ext(f)] || inert[base]:
		case everything[base] || strings.HasPrefix(base, "jest.config") || strings.HasPrefix(base, "vitest.config") || strings.HasPrefix(base, ".mocharc"):
			return nil, f + " changed, and every test may rest on it"
		default:
			files = append(files, f)
		}
	}
	return files, ""
}

// picks collects the test files that are chosen as a whole.
type picks struct {
	list   []Pick
	weight []float64
	at     map[string]int
}

func newPicks() *picks { return &picks{at: map[string]int{}} }

// say chooses a whole file.
func (p *picks) say(file, why string, weight float64) {
	i, ok := p.at[file]
	if !ok {
		i = len(p.list)
		p.at[file] = i
		p.list = append(p.list, Pick{File: file})
		p.weight = append(p.weight, 0)
	}
	p.list[i].Reasons = appendNew(p.list[i].Reasons, why)
	p.weight[i] += weight
}

// sorted lists the files, what weighs most first.
func (p *picks) sorted() []Pick {
	at := make([]int, len(p.list))
	for i := range at {
		at[i] = i
	}
	sort.Slice(at, func(i, j int) bool {
		a, b := at[i], at[j]
		return p.weight[a] > p.weight[b] || p.weight[a] == p.weight[b] && p.list[a].File < p.list[b].File
	})
	out := make([]Pick, len(at))
	for i, n := range at {
		out[i] = p.list[n]
	}
	return out
}

// trifle is a time in seconds that is not worth leaving a test out for.
const trifle = 1.0

// spend adds the chosen tests after the whole files, as far as the budget goes.
func (s *Selection) spend(chosen []candidate, ch Change, whole *picks) {
	s.Of = ch.Map.Seconds()
	for _, t := range ch.Map.Tests {
		if _, ok := whole.at[t.File]; ok {
			s.Seconds += t.Seconds
		}
	}
	chosen = slices.DeleteFunc(chosen, func(x candidate) bool {
		_, ok := whole.at[x.test.File]
		return ok
	})
	taken := chosen
	if ch.Budget > 0 {
		taken = within(chosen, max(ch.Budget*s.Of, trifle)-s.Seconds)
	}
	s.Left = len(chosen) - len(taken)
	at := map[string]int{}
	for _, x := range taken {
		s.Seconds += x.test.Seconds
		i, ok := at[x.test.File]
		if !ok {
			i = len(s.Picks)
			at[x.test.File] = i
			s.Picks = append(s.Picks, Pick{File: x.test.File})
		}
		p := &s.Picks[i]
		p.Tests = append(p.Tests, x.test.ID)
		for _, r := range x.reasons {
			p.Reasons = appendNew(p.Reasons, r)
		}
	}
}

// unknown chooses the test files that the map does not know, or that ran lines
// which have changed since and are no part of this change, where their imports
// lead to the change.
func (s *Selection) unknown(t *detect.Tree, c detect.Command, ch Change, files []string, g *graph, say sayer) {
	v := newView(ch.Map, t)
	known, stale := map[string]bool{}, map[string]string{}
	for i := range ch.Map.Tests {
		test := &ch.Map.Tests[i]
		known[test.File] = true
		if stale[test.File] == "" {
			stale[test.File] = v.outdated(test, files)
		}
	}
	for _, f := range c.Files {
		u := g.unit(f)
		if i := ch.Map.file(f); i >= 0 && !slices.Contains(files, f) && len(v.drift(i)) > 0 {
			stale[u] = f
		}
	}
	for _, f := range files {
		for _, r := range g.reach(g.unit(f)) {
			switch {
			case !slices.ContainsFunc(c.Files, func(test string) bool { return g.unit(test) == r.file }):
			case !known[r.file]:
				say(r.file, r.why(f)+", and the map does not know it", 3)
			case stale[r.file] != "":
				say(r.file, r.why(f)+", and "+stale[r.file]+", which it runs, has changed since it was recorded", 3)
			}
		}
	}
}

// outdated names a file that a test ran, that changed since where it ran it,
// and that is no part of the change.
func (v *view) outdated(t *Test, change []string) string {
	for _, r := range t.Ran {
		if p := v.m.Files[r.File].Path; !slices.Contains(change, p) {
			for _, h := range v.drift(r.File) {
				if r.Lines.meets(Lines{{int32(max(1, h.From)), int32(max(1, h.From, h.To))}}) {
					return p
				}
			}
		}
	}
	return ""
}

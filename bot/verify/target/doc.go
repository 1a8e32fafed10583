// Package target chooses the tests that a change calls for (SPEC C4). In go a
// tree, a test command and what changed; out come the test files to run, each
// with the reasons for which it was chosen, or the word that all have to run
// and why.
//
// Four things speak for a test file: it changed itself; its imports lead to
// what changed, directly or over other files; its name is that of a changed
// file; it often changed in one commit with a changed file; or an earlier run
// saw it execute the changed file. Where nothing speaks for any test, or the
// change touches what every test rests on, all are run: a choice must never
// make a check greener than it is.
//
// The package is pure: it reads the tree that it is given and runs nothing.
package target

import (
	"fmt"
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
	// Coverage lists, for each test file, the files that it was seen to execute.
	Coverage map[string][]string
}

// Pick is one chosen test file.
type Pick struct {
	File    string   `json:"file"` // from the root; for Go the package's folder
	Reasons []string `json:"reasons"`
}

// Selection is the answer: All, None or Picks.
type Selection struct {
	All   bool
	None  bool // nothing that this command tests has changed
	Why   string
	Picks []Pick
	kind  string
	dir   string
}

// everything are files that every test may rest on.
var everything = map[string]bool{
	"pyproject.toml": true, "setup.cfg": true, "setup.py": true, "tox.ini": true, "pytest.ini": true, "requirements.txt": true, "noxfile.py": true,
	"package.json": true, "package-lock.json": true, "yarn.lock": true, "pnpm-lock.yaml": true, "bun.lock": true, "tsconfig.json": true, "babel.config.js": true, ".babelrc": true,
	"go.mod": true, "go.sum": true, "go.work": true, "Cargo.toml": true, "Cargo.lock": true, "pom.xml": true, "build.gradle": true, "Makefile": true,
}

// inert are files that no test executes, unless a test reads them.
var inert = map[string]bool{".md": true, ".rst": true, ".adoc": true, ".png": true, ".jpg": true, ".svg": true, ".gitignore": true}

// Select chooses among the test files of a command.
func Select(t *detect.Tree, c detect.Command, ch Change) Selection {
	s := Selection{kind: c.Tool, dir: c.Dir}
	all := func(why string) Selection { return Selection{All: true, Why: why, kind: s.kind, dir: s.dir} }
	var files []string
	for _, f := range ch.Files {
		switch {
		case c.Dir != "." && !strings.HasPrefix(f, c.Dir+"/"):
		case inert[path.Ext(f)] || inert[path.Base(f)]:
		case everything[path.Base(f)] || strings.HasPrefix(path.Base(f), "jest.config") || strings.HasPrefix(path.Base(f), "vitest.config") || strings.HasPrefix(path.Base(f), ".mocharc"):
			return all(f + " changed, and every test may rest on it")
		default:
			files = append(files, f)
		}
	}
	if len(files) == 0 {
		return Selection{None: true, Why: "nothing that it tests has changed", kind: s.kind, dir: s.dir}
	}
	g, ok := graphs[c.Tool]
	if !ok || len(c.Files) == 0 {
		return all("the tests of " + c.Tool + " cannot be chosen one by one")
	}
	reasons := map[string][]string{}
	say := func(test, why string) {
		if !slices.Contains(reasons[test], why) {
			reasons[test] = append(reasons[test], why)
		}
	}
	graph := g(t, c)
	for _, f := range files {
		n := len(reasons)
		spoken := graph.speak(f, c.Files, ch, say)
		if len(reasons) == n && !spoken {
			return all("nothing says which tests " + f + " belongs to")
		}
	}
	for _, test := range sortedKeys(reasons) {
		s.Picks = append(s.Picks, Pick{File: test, Reasons: reasons[test]})
	}
	return s
}

func sortedKeys[T any](m map[string]T) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// graph is who imports whom, both ways.
type graph struct {
	importers map[string][]string // file -> files that import it
	unit      func(file string) string
}

var graphs = map[string]func(*detect.Tree, detect.Command) *graph{
	"pytest": pythonGraph, "unittest": pythonGraph,
	"jest": nodeGraph, "vitest": nodeGraph, "mocha": nodeGraph, "node:test": nodeGraph,
	"go test": goGraph,
}

// speak says for each test why the changed file calls for it. spoken is true
// when a test stands for it that was there already.
func (g *graph) speak(changed string, tests []string, ch Change, say func(test, why string)) (spoken bool) {
	from := g.unit(changed)
	isTest := map[string]bool{}
	for _, t := range tests {
		isTest[g.unit(t)] = true
	}
	put := func(unit, why string) {
		say(unit, why)
		spoken = true
	}
	if isTest[from] && slices.Contains(tests, changed) {
		put(from, "it changed itself")
	}
	for _, r := range g.reach(from) {
		if isTest[r.file] && r.file != from {
			put(r.file, r.why(changed))
		} else if isTest[r.file] && !slices.Contains(tests, changed) {
			put(r.file, "it stands in the package of "+changed)
		}
	}
	for _, t := range tests {
		if sameName(changed, t) && !slices.Contains(tests, changed) {
			put(g.unit(t), "its name is that of "+changed)
		}
	}
	for test, seen := range ch.Coverage {
		if slices.Contains(seen, changed) && isTest[g.unit(test)] {
			put(g.unit(test), "an earlier run saw it execute "+changed)
		}
	}
	for unit, n := range together(ch.Commits, changed, tests, g.unit) {
		put(unit, fmt.Sprintf("it changed together with %s in %d of the last commits", changed, n))
	}
	return spoken
}

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

// Narrow is the command with the chosen tests only; with All it is unchanged.
func (s Selection) Narrow(c detect.Command) detect.Command {
	if s.All || len(s.Picks) == 0 {
		return c
	}
	var files []string
	for _, p := range s.Picks {
		files = append(files, rel(s.dir, p.File))
	}
	c.Argv = slices.Clone(c.Argv)
	switch s.kind {
	case "pytest":
		c.Argv = append(slices.DeleteFunc(c.Argv, isPath(c.Argv, "-p")), files...)
	case "unittest":
		c.Argv = unittestArgv(c.Argv, files)
	case "go test":
		c.Argv = slices.DeleteFunc(c.Argv, func(a string) bool { return a == "./..." })
		for _, f := range files {
			c.Argv = append(c.Argv, "./"+f)
		}
	case "node:test":
		at := slices.Index(c.Argv, "--test-reporter=tap")
		c.Argv = append(c.Argv[:at+1:at+1], files...)
	case "jest":
		c.Argv = append(append(c.Argv, "--runTestsByPath"), files...)
	case "vitest":
		c.Argv = append(c.Argv, files...)
	case "mocha":
		c.Argv = append(slices.DeleteFunc(c.Argv, func(a string) bool { return looksLikeSpec(a) }), files...)
	}
	return c
}

func looksLikeSpec(a string) bool {
	return !strings.HasPrefix(a, "-") && a != "json" && !strings.Contains(a, "node_modules/") && (strings.Contains(a, "/") || strings.Contains(a, "*") || a == "test" || strings.HasSuffix(a, "js"))
}

// isPath finds the folders that pytest was told; skip is a flag with a value.
func isPath(argv []string, skip string) func(string) bool {
	at := slices.Index(argv, "pytest")
	return func(a string) bool {
		i := slices.Index(argv, a)
		return i > at && !strings.HasPrefix(a, "-") && argv[i-1] != skip
	}
}

func rel(dir, p string) string {
	if dir == "." {
		return p
	}
	if p == dir {
		return "."
	}
	return strings.TrimPrefix(p, dir+"/")
}

// unittestArgv runs each file by discovery's own rules: modules below the
// folder that discovery starts from.
func unittestArgv(argv, files []string) []string {
	out := []string{argv[0], "-m", "unittest", "-v"}
	start := ""
	if at := slices.Index(argv, "-s"); at > 0 && at+1 < len(argv) {
		start = argv[at+1] + "/"
	}
	for _, f := range files {
		if start != "" { // not a package: files are named instead of modules
			out = append(out, f)
			continue
		}
		out = append(out, strings.ReplaceAll(strings.TrimSuffix(f, ".py"), "/", "."))
	}
	return out
}

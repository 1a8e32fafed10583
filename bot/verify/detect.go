package verify

import (
	"fmt"
	"io/fs"
	"slices"
	"sort"
	"strings"
)

// Detect finds the suites of a tree, sorted by folder and name. When there is
// none the error wraps ErrUnsupported and names the runner or language that
// was found, or wraps ErrNoTests and says what was looked for.
func (v *Verifier) Detect(root fs.FS) ([]Suite, error) {
	t, err := scan(root)
	if err != nil {
		return nil, fmt.Errorf("looking for tests: %w", err)
	}
	suites, foreign := v.find(t)
	sort.Slice(suites, func(i, j int) bool {
		a, b := suites[i], suites[j]
		return a.Dir < b.Dir || a.Dir == b.Dir && a.Name < b.Name
	})
	if len(suites) > 0 {
		return suites, nil
	}
	if foreign = append(foreign, foreignBuilds(t)...); len(foreign) > 0 {
		return nil, fmt.Errorf("%w: found %s; supported are pytest, unittest, node:test (`node --test`), mocha, `go test`, vitest, jest, tape, node-tap, CTest, `cargo test`, Maven, Gradle, RSpec, minitest, test-unit and PHPUnit",
			ErrUnsupported, strings.Join(foreign, ", "))
	}
	return nil, fmt.Errorf("%w among %d files: looked for test_*.py and *_test.py (pytest, unittest), "+
		"*.test.js and test/*.js with node:test, a package.json that runs mocha, *_test.go below a go.mod, "+
		"*_spec.rb, test_*.rb and *_test.rb (RSpec, minitest), and *Test.php (PHPUnit)", ErrNoTests, len(t.files))
}

// find lists the suites of a tree: those that a driver runs, and those that their
// own runners report. foreign names other runners of JavaScript.
func (v *Verifier) find(t *tree) (suites []Suite, foreign []string) {
	node, foreign := detectNode(t)
	driven := slices.Concat(v.detectPython(t), node, detectGo(t))
	return append(driven, reported(t, driven)...), foreign
}

// foreignBuilds names build systems of languages that cannot be tested yet.
func foreignBuilds(t *tree) []string {
	known := map[string]string{
		"Cargo.toml": "Rust", "mix.exs": "Elixir", "Package.swift": "Swift",
	}
	var out []string
	for _, f := range t.files {
		base := f[strings.LastIndexByte(f, '/')+1:]
		if lang, ok := known[base]; ok {
			if note := base + " (" + lang + ")"; !slices.Contains(out, note) {
				out = append(out, note)
			}
		}
	}
	return out
}

// nearest is the closest folder at or above p (below or at the root) that has
// one of the marker files; "." when none has.
func nearest(t *tree, p string, markers ...string) string {
	for d := dirOf(p); ; d = dirOf(d) {
		for _, m := range markers {
			if t.have[joinDir(d, m)] {
				return d
			}
		}
		if d == "." {
			return d
		}
	}
}

func dirOf(p string) string {
	if i := strings.LastIndexByte(p, '/'); i > 0 {
		return p[:i]
	}
	return "."
}

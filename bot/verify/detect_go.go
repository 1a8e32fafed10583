package verify

import (
	"path"
	"strings"
)

// detectGo finds the modules that have tests, each a suite.
func detectGo(t *tree) []Suite {
	var out []Suite
	seen := map[string]bool{}
	for _, f := range t.files {
		if !goTestFile(f) {
			continue
		}
		dir := nearest(t, f, "go.mod")
		if seen[dir] || !t.have[joinDir(dir, "go.mod")] {
			continue
		}
		seen[dir] = true
		out = append(out, Suite{Name: suiteGo, Kind: "go", Dir: dir, Language: "go", Argv: []string{"go", "test", "./..."}})
	}
	return out
}

// goTestFile leaves out what the go command does not look at.
func goTestFile(p string) bool {
	if !strings.HasSuffix(p, "_test.go") {
		return false
	}
	for d := path.Dir(p); d != "."; d = path.Dir(d) {
		if base := path.Base(d); base == "testdata" || strings.HasPrefix(base, "_") || strings.HasPrefix(base, ".") {
			return false
		}
	}
	return !strings.HasPrefix(path.Base(p), "_") && !strings.HasPrefix(path.Base(p), ".")
}

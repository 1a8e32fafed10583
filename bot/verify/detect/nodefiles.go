package detect

import (
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

var (
	nodeExts  = []string{".js", ".mjs", ".cjs"}
	nodeNamed = lazyregexp.New(`^(?:test|test-.+|.+[-._]test)\.[cm]?js$`)
)

// NodeRuns tells whether `node --test` with some patterns runs a file; without
// any it looks everywhere. Patterns and file are seen from the folder that it is
// started in. As Node has it: a file that is named itself is run whatever it is;
// in folders those are that lie below one called test or have the name of a test.
// What a file holds does not matter.
func NodeRuns(patterns []string, rel string) bool {
	return len(patterns) == 0 && nodeFinds(".", rel) || slices.ContainsFunc(patterns, func(pattern string) bool {
		pattern = path.Clean(pattern)
		named := func(p string) bool { return p == pattern || means(pattern, p) }
		for dir := path.Dir(rel); !named(rel); dir = path.Dir(dir) {
			if named(dir) && nodeFinds(dir, rel) {
				return true
			}
			if dir == "." {
				return false
			}
		}
		return true
	})
}

// nodeFinds tells whether Node finds a file below a folder.
func nodeFinds(dir, rel string) bool {
	if !slices.Contains(nodeExts, path.Ext(rel)) {
		return false
	}
	below := rel
	if dir != "." {
		below = path.Join(path.Base(dir), strings.TrimPrefix(rel, dir+"/"))
	}
	return InDir(below, "test") || nodeNamed.MatchString(path.Base(rel))
}

// NodePatterns are what `node --test` is given so that it runs some files, none
// where it finds all of them by itself. Other files of a folder of tests belong
// to them.
func NodePatterns(files []string) []string {
	if !slices.ContainsFunc(files, func(f string) bool { return !NodeRuns(nil, f) }) {
		return nil
	}
	var out []string
	for _, f := range files {
		if !NodeRuns(nil, f) && InDir(f, "tests", "__tests__", "spec") {
			f = path.Join(path.Dir(f), "*"+path.Ext(f))
		}
		out = append(out, f)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

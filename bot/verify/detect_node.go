package verify

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/fettle-dev/fettle/bot/verify/detect"
)

var (
	nodeImport = regexp.MustCompile(`(?:from\s*|require\(\s*|import\s*\(?\s*)['"]node:test['"]`)
	nodeRun    = regexp.MustCompile(`(?:^|[\s;&|(])node\s[^;&|]*--test(?:\s|$|=)|(?:^|[\s;&|(])node\s+--test\b`)
	npmRun     = regexp.MustCompile(`\b(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?([\w:.-]+)`)
	otherNode  = []string{"jest", "vitest", "ava", "jasmine", "karma", "tape", "tap", "uvu", "cypress", "playwright"}
	nodeExts   = []string{".js", ".mjs", ".cjs"}
)

type packageJSON struct {
	Scripts map[string]string `json:"scripts"`
	Mocha   json.RawMessage   `json:"mocha"`
}

// detectNode finds the packages whose tests node's own runner or mocha runs.
// foreign names other runners that were found instead.
func detectNode(t *tree) (suites []Suite, foreign []string) {
	with := map[string][]string{} // folder → its files that import node:test
	for _, f := range t.files {
		if slices.Contains(nodeExts, path.Ext(f)) && nodeTestName(f) && nodeImport.MatchString(t.read(f)) {
			dir := nearest(t, f, "package.json")
			with[dir] = append(with[dir], relTo(dir, f))
		}
	}
	for _, f := range t.files {
		if path.Base(f) != "package.json" || inDir(f, "testdata", "fixtures") {
			continue
		}
		var pkg packageJSON
		if json.Unmarshal([]byte(t.read(f)), &pkg) != nil {
			continue
		}
		dir := dirOf(f)
		script := testScript(pkg.Scripts, "test", 0)
		switch {
		case nodeRun.MatchString(script):
			delete(with, dir)
			suites = append(suites, nodeSuite(dir, nodeArgv(script)))
		case t.mocha(dir, pkg, script) != nil:
			suites = append(suites, Suite{Name: suiteMocha, Kind: "javascript", Dir: dir, Language: "javascript", Argv: t.mocha(dir, pkg, script)})
			if len(with[dir]) > 0 {
				suites = append(suites, nodeSuite(dir, append([]string{"node", "--test"}, with[dir]...)))
			}
			delete(with, dir)
		case with[dir] != nil:
		default:
			for _, name := range otherNode {
				if regexp.MustCompile(`(?:^|[\s/])` + name + `(?:\s|$|\.js)`).MatchString(script) {
					foreign = append(foreign, name+" in "+f)
					break
				}
			}
		}
	}
	for dir, files := range with {
		suites = append(suites, nodeSuite(dir, append([]string{"node", "--test"}, detect.NodePatterns(files)...)))
	}
	return suites, foreign
}

// mocha is the command that runs a package's tests with mocha, nil when it does
// not use it.
func (t *tree) mocha(dir string, pkg packageJSON, script string) []string {
	argv := mochaArgv(script)
	if argv == nil && strings.TrimSpace(script) == "" {
		configured := pkg.Mocha != nil
		for _, ext := range []string{"json", "jsonc", "js", "cjs", "mjs", "yml", "yaml"} {
			configured = configured || t.have[joinDir(dir, ".mocharc."+ext)]
		}
		if configured {
			return []string{"mocha"}
		}
	}
	return argv
}

func nodeSuite(dir string, argv []string) Suite {
	return Suite{Name: suiteNode, Kind: "javascript", Dir: dir, Language: "javascript", Argv: argv}
}

// testScript follows `npm run x` to the script that really runs the tests.
func testScript(scripts map[string]string, name string, depth int) string {
	s := scripts[name]
	if depth > 3 || nodeRun.MatchString(s) || mochaArgv(s) != nil {
		return s
	}
	for _, m := range npmRun.FindAllStringSubmatch(s, -1) {
		if inner := testScript(scripts, m[1], depth+1); m[1] != name && (nodeRun.MatchString(inner) || mochaArgv(inner) != nil) {
			return inner
		}
	}
	return s
}

// nodeArgv cuts the `node … --test …` command out of a script.
func nodeArgv(script string) []string {
	for _, part := range regexp.MustCompile(`&&|\|\||;|\|`).Split(script, -1) {
		words := detect.NodeWords(part)
		at := slices.Index(words, "node")
		if at < 0 || !slices.ContainsFunc(words, func(w string) bool { return w == "--test" }) {
			continue
		}
		return words[at:]
	}
	return []string{"node", "--test"}
}

// nodeTestName tells whether a file that imports node:test looks like a test: by
// Node's own rules, or by its folder.
func nodeTestName(p string) bool {
	return slices.Contains(nodeExts, path.Ext(p)) && (detect.NodeRuns(nil, p) || inDir(p, "tests", "__tests__", "spec"))
}

// nodeFlags splits a command into what node itself must be given and the
// patterns of test files.
func nodeFlags(argv []string) (flags, patterns []string) {
	withValue := []string{"--import", "--require", "-r", "--loader", "--experimental-loader", "--conditions", "-C"}
	for i := 1; i < len(argv); i++ {
		a := argv[i]
		switch {
		case slices.Contains(withValue, a) && i+1 < len(argv):
			flags = append(flags, a+"="+argv[i+1])
			if strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") {
				flags[len(flags)-1] = map[string]string{"-r": "--require", "-C": "--conditions"}[a] + "=" + argv[i+1]
			}
			i++
		case strings.HasPrefix(a, "--test"), strings.HasPrefix(a, "--watch"), strings.HasPrefix(a, "--experimental-test-coverage"):
		case strings.HasPrefix(a, "--"):
			flags = append(flags, a)
		case strings.HasPrefix(a, "-"):
		default:
			patterns = append(patterns, a)
		}
	}
	return flags, patterns
}

// nodeTests lists, seen from dir, the test files that the suite's command runs.
func nodeTests(t *tree, s Suite, except []string) []string {
	_, patterns := nodeFlags(s.Argv)
	out := []string{}
	for _, f := range t.under(s.Dir, except) {
		if rel := relTo(s.Dir, f); detect.NodeRuns(patterns, rel) {
			out = append(out, rel)
		}
	}
	sort.Strings(out)
	return out
}

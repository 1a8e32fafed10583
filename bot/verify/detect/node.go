package detect

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/verify/parse"
)

type packageJSON struct {
	Name            string            `json:"name"`
	Scripts         map[string]string `json:"scripts"`
	Dependencies    map[string]string `json:"dependencies"`
	DevDependencies map[string]string `json:"devDependencies"`
	Jest            json.RawMessage   `json:"jest"`
	Mocha           json.RawMessage   `json:"mocha"`
	ESLintConfig    json.RawMessage   `json:"eslintConfig"`
	Workspaces      json.RawMessage   `json:"workspaces"`
	Engines         struct {
		Node string `json:"node"`
	} `json:"engines"`
}

// nodePackage is a folder with a package.json.
type nodePackage struct {
	t       *Tree
	dir     string
	pkg     packageJSON
	tests   []string
	manager string
	owner   func(file string) string // the folder of the package that it belongs to
}

// bare tells whether a package.json describes no package of its own.
func (n *nodePackage) bare() bool {
	return n.pkg.Name == "" && len(n.pkg.Scripts)+len(n.pkg.Dependencies)+len(n.pkg.DevDependencies)+len(n.pkg.Jest)+len(n.pkg.Mocha)+len(n.pkg.Workspaces) == 0
}

var (
	nodeImport = lazyregexp.New(`(?:from\s*|require\(\s*|import\s*\(?\s*)['"]node:test['"]`)
	bunImport  = lazyregexp.New(`from\s*['"]bun:test['"]`)
	scriptPart = lazyregexp.New(`&&|\|\||;|\|`)
	assignment = lazyregexp.New(`^([A-Za-z_]\w*)=(.*)$`)
	jsTestFile = lazyregexp.New(`(?:^|/)(?:test|tests|__tests__|spec)/.*\.[cm]?[jt]sx?$|\.(?:test|spec)\.[cm]?[jt]sx?$|(?:^|/)test(?:-.*)?\.[cm]?js$|[-_]test\.[cm]?[jt]sx?$`)
)

// node finds the packages and what tests, lints and type-checks them.
func (t *Tree) node(p *Plan) {
	packages := map[string]*nodePackage{}
	for _, f := range t.Files {
		if path.Base(f) != "package.json" || InDir(f, "testdata", "fixtures", "__fixtures__") {
			continue
		}
		n := &nodePackage{t: t, dir: path.Dir(f)}
		if bad, ok := t.Fault(f); ok {
			if p.Notes = append(p.Notes, bad.String()); bad.Unread {
				continue
			}
		}
		if err := json.Unmarshal([]byte(t.Read(f)), &n.pkg); err != nil && !errors.As(err, new(*json.UnmarshalTypeError)) {
			continue
		}
		if n.dir != "." && n.bare() {
			continue // it only says how the files of its folder are read
		}
		n.manager = t.manager(f)
		packages[n.dir] = n
	}
	dropped := fixtures(packages, p)
	owner := func(f string) string { // the folder of the package that a file belongs to
		for d := path.Dir(f); ; d = path.Dir(d) {
			if packages[d] != nil || dropped[d] || d == "." {
				return d
			}
		}
	}
	loose := &nodePackage{t: t, dir: ".", manager: "npm"} // node:test needs no package.json
	for _, f := range t.Files {
		if !jsTestFile.MatchString(f) || InDir(f, "testdata", "fixtures", "__fixtures__") {
			continue
		}
		dir := owner(f)
		n := packages[dir]
		if dropped[dir] {
			continue
		}
		if n == nil {
			n = loose
		}
		n.tests = append(n.tests, f)
	}
	loose.owner = owner
	for _, d := range slices.Sorted(maps.Keys(packages)) {
		packages[d].owner = owner
		packages[d].plan(p)
	}
	if packages["."] == nil {
		loose.imported(p, loose.importing())
	}
}

// fixtures takes out the packages that lie below a test folder of another and
// are none of its workspaces: the tests of that one use them.
func fixtures(packages map[string]*nodePackage, p *Plan) map[string]bool {
	dropped := map[string]bool{}
	for _, d := range slices.Sorted(maps.Keys(packages)) {
		for up := path.Dir(d); d != "."; up = path.Dir(up) {
			if owner := packages[up]; owner != nil {
				rel := strings.TrimPrefix(d, up+"/")
				top, _, _ := strings.Cut(rel, "/")
				own := strings.Count(rel, "/") == 1 && strings.Contains(packages[d].pkg.Scripts["test"], "test") // such as tests/e2e
				if InDir(rel+"/package.json", "test", "tests", "__tests__") && !own && !strings.Contains(string(owner.pkg.Workspaces), top) {
					dropped[d] = true
				}
				break
			}
			if up == "." {
				break
			}
		}
	}
	if len(dropped) > 0 {
		first := slices.Min(slices.Collect(maps.Keys(dropped)))
		p.Notes = append(p.Notes, fmt.Sprintf("packages below a test folder are taken for what its tests use, and are not run (%d, such as %s)", len(dropped), first))
		maps.DeleteFunc(packages, func(d string, _ *nodePackage) bool { return dropped[d] })
	}
	return dropped
}

// manager is the package manager by the closest lock file.
func (t *Tree) manager(f string) string {
	locks := []struct{ file, name string }{{"pnpm-lock.yaml", "pnpm"}, {"yarn.lock", "yarn"}, {"bun.lockb", "bun"}, {"bun.lock", "bun"}, {"package-lock.json", "npm"}, {"npm-shrinkwrap.json", "npm"}}
	for d := path.Dir(f); ; d = path.Dir(d) {
		for _, l := range locks {
			if t.have[path.Join(d, l.file)] {
				return l.name
			}
		}
		if d == "." {
			return "npm"
		}
	}
}

func (n *nodePackage) file(name string) string { return path.Join(n.dir, name) }

func (n *nodePackage) depends(name string) bool {
	return n.pkg.Dependencies[name] != "" || n.pkg.DevDependencies[name] != ""
}

// config is the first file of the package's folder that starts so.
func (n *nodePackage) config(prefixes ...string) string {
	for _, f := range n.t.Files {
		if path.Dir(f) == n.dir && slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(path.Base(f), p) }) {
			return path.Base(f)
		}
	}
	return ""
}

// bin is the program of an installed package, at or above the package's folder.
func (n *nodePackage) bin(name string) string {
	up := ""
	for d := n.dir; ; d = path.Dir(d) {
		if n.t.installed(path.Join(d, "node_modules/.bin", name)) {
			return up + "node_modules/.bin/" + name
		}
		if d == "." {
			return "node_modules/.bin/" + name
		}
		up += "../"
	}
}

// modules is the folder of installed packages, or the package.json itself where
// none are asked for.
func (n *nodePackage) modules() string {
	if len(n.pkg.Dependencies)+len(n.pkg.DevDependencies) == 0 {
		return "./" + n.file("package.json")
	}
	for d := n.dir; ; d = path.Dir(d) {
		if n.t.installed(path.Join(d, "node_modules")) {
			return "./" + path.Join(d, "node_modules")
		}
		if d == "." {
			return "./" + n.file("node_modules")
		}
	}
}

func (n *nodePackage) install() string {
	cmd := map[string]string{"npm": "npm ci", "pnpm": "pnpm install --frozen-lockfile", "yarn": "yarn install --immutable", "bun": "bun install"}[n.manager]
	if n.manager == "npm" && n.t.manager(n.file("package.json")) == "npm" && !n.t.have[n.file("package-lock.json")] {
		cmd = "npm install"
	}
	return cmd
}

func (n *nodePackage) plan(p *Plan) {
	if len(n.pkg.Dependencies)+len(n.pkg.DevDependencies) > 0 {
		at := ""
		if n.dir != "." {
			at = "cd " + n.dir + " && "
		}
		p.Setup = append(p.Setup, at+n.install())
	}
	n.lint(p)
	n.want(p)
	script := n.pkg.Scripts["test"]
	lines := n.lines("test", 0)
	if n.byScript(p, lines) {
		return
	}
	if slices.ContainsFunc(lines, line.fansOut) {
		return
	}
	switch {
	case strings.TrimSpace(script) != "" && !strings.Contains(script, "no test specified"):
		if files := n.importing(); len(files) > 0 && len(files) == len(n.tests) {
			n.imported(p, files)
			return
		} else if len(files) > 0 {
			n.nodeTests(p, line{args: append([]string{"--test"}, files...)}, "some of its tests import node:test")
		}
		p.Commands = append(p.Commands, Command{Kind: Test, Tool: "test script", Dir: n.dir, Argv: []string{n.manager, "run", "test"}, Typed: n.manager + " test", Files: n.tests,
			Needs: []Need{{Program: n.manager, Install: "install " + n.manager}, {Program: n.modules(), Install: n.install()}}, Why: "package.json has a test script"})
	case n.pkg.Jest != nil || n.config("jest.config.") != "":
		n.jest(p, line{}, "jest is configured")
	case n.config("vitest.config.") != "":
		n.vitest(p, line{}, "vitest is configured")
	case n.pkg.Mocha != nil || n.config(".mocharc.") != "":
		n.mocha(p, line{}, "mocha is configured")
	case slices.ContainsFunc(n.tests, func(f string) bool { return bunImport.MatchString(n.t.Read(f)) }):
		n.bun(p, line{}, "its tests import bun:test")
	default:
		n.imported(p, n.importing())
	}
}

// byScript adds what the parts of the test script run that is known, each runner
// once, false where none is. Files that import node:test are run beside other runners.
func (n *nodePackage) byScript(p *Plan, lines []line) bool {
	had := map[string]bool{}
	for _, l := range lines {
		if l.fansOut() {
			p.Notes = append(p.Notes, n.file("package.json")+": its test script runs the scripts of the workspaces; they are run one by one")
		} else if !had[l.program] {
			had[l.program] = n.runs(p, l)
		}
	}
	found := slices.Contains(slices.Collect(maps.Values(had)), true)
	if files := n.importing(); found && len(files) > 0 && !slices.ContainsFunc(lines, line.tests) {
		n.nodeTests(p, line{args: append([]string{"--test"}, files...)}, "tests beside the script's import node:test")
	}
	return found
}

// runs adds what one command of the test script runs, false where it is not known.
func (n *nodePackage) runs(p *Plan, l line) bool {
	why := "the test script of package.json runs " + l.program
	switch l.program {
	case "jest":
		n.jest(p, l, why)
	case "vitest":
		n.vitest(p, l, why)
	case "mocha":
		n.mocha(p, l, why)
	case "tape", "tap":
		return n.tap(p, l.program, "npx "+l.program, l)
	case "bun":
		if len(l.args) == 0 || l.args[0] != "test" {
			return false
		}
		l.args = l.args[1:]
		n.bun(p, l, why+" test")
	case "node":
		if l.tests() {
			n.nodeTests(p, l, why+" --test")
			return true
		}
		return n.depends("tape") && n.tap(p, "tape", "node", l) || n.depends("tap") && n.tap(p, "tap", "node", l)
	default:
		return false
	}
	return true
}

// line is one command of a script.
type line struct {
	env     map[string]string // variables that are set before it
	program string            // its name without folder and ending
	flags   []string          // node's, where it runs the program
	args    []string
}

// tests tells whether a command is node --test.
func (l line) tests() bool { return l.program == "node" && slices.Contains(l.args, "--test") }

// fansOut tells whether a command runs the scripts of workspaces.
func (l line) fansOut() bool {
	switch l.program {
	case "turbo", "nx", "lerna", "wsrun", "ultra":
		return true
	case "npm", "pnpm", "yarn", "bun":
		return slices.ContainsFunc(l.args, func(a string) bool {
			return a == "--workspaces" || a == "-ws" || l.program == "pnpm" && (a == "-r" || a == "--recursive") || l.program == "yarn" && a == "workspaces"
		})
	}
	return false
}

// lines are the commands of a script, with those of the scripts that it runs in
// their place.
func (n *nodePackage) lines(name string, depth int) (out []line) {
	if depth > 3 {
		return nil
	}
	for _, part := range scriptPart.Split(n.pkg.Scripts[name], -1) {
		l, ok := command(split(part))
		if !ok {
			continue
		}
		inner, follow := n.scripts(l, name)
		if !follow {
			if run, ok := command(l.args); ok && managers[l.program] && runners[run.program] && !l.fansOut() && run.program != "bun" { // yarn jest
				maps.Copy(run.env, l.env)
				l = run
			}
			out = append(out, l)
		}
		for _, s := range inner {
			out = append(out, n.lines(s, depth+1)...)
		}
	}
	return out
}

// scripts are the package's scripts that a command runs, but for the one it is in.
func (n *nodePackage) scripts(l line, in string) (out []string, follow bool) {
	many := l.program == "run-s" || l.program == "run-p" || l.program == "npm-run-all"
	if !many && !managers[l.program] || l.fansOut() || l.program == "bun" && len(l.args) > 0 && l.args[0] == "test" {
		return nil, false
	}
	for _, a := range l.args {
		switch {
		case strings.HasPrefix(a, "-"), a == "run", a == "run-script":
		case n.pkg.Scripts[a] != "":
			if follow = true; a != in {
				out = append(out, a)
			}
			if !many {
				return out, true
			}
		case !many:
			return nil, false
		}
	}
	return out, follow
}

var managers = set("npm", "pnpm", "yarn", "bun")

// wrappers run the command behind them.
var wrappers = set("npx", "cross-env", "cross-env-shell", "c8", "nyc", "env", "dotenv", "time", "bunx", "pnpx", "exec", "dlx", "x", "--")

// command reads the words of one command. What stands before the program that does the
// work is left out: wrappers with their flags, and node where it runs a tool.
func command(words []string) (line, bool) {
	l := line{env: map[string]string{}}
	wrapped := false
	for i := 0; i < len(words); i++ {
		w := words[i]
		name := program(w)
		switch m := assignment.FindStringSubmatch(w); {
		case m != nil:
			if !strings.ContainsAny(m[2], "$`") && m[1] != "PATH" && !strings.HasPrefix(m[1], "NODE_TEST") && !strings.HasPrefix(m[1], "NODE_CHANNEL") {
				l.env[m[1]] = m[2] // what the shell would make of others is not known
			}
		case wrappers[w], strings.HasPrefix(w, "-"), wrapped && !runners[name] && slices.ContainsFunc(words[i+1:], func(o string) bool { return runners[program(o)] }):
			wrapped = true
		case name == "node":
			return l.node(words[i+1:]), true
		default:
			l.program, l.args = name, words[i+1:]
			return l, true
		}
	}
	return l, false
}

// node reads node's arguments: a tool that lies among the installed ones is the
// program, and node's flags stand before it.
func (l line) node(args []string) line {
	l.program, l.args = "node", args
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case slices.Contains([]string{"-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions"}, a):
			i++
		case strings.HasPrefix(a, "-"):
		default:
			if name := program(a); strings.Contains(a, "node_modules/") && runners[name] && !slices.Contains(args[:i], "--test") {
				l.program, l.flags, l.args = name, args[:i], args[i+1:]
			}
			return l
		}
	}
	return l
}

var runners = set("jest", "vitest", "mocha", "tape", "tap", "node", "bun", "ava", "jasmine", "uvu", "karma")

// program is the name of a program without its folder, an underscore before it, and
// the ending of a script.
func program(word string) string {
	base := path.Base(word)
	if strings.Contains(word, "/") {
		for _, ext := range []string{".js", ".cjs", ".mjs"} {
			base = strings.TrimSuffix(base, ext)
		}
		if !strings.Contains(word, "bin/") {
			return word // a file of the project
		}
	}
	return strings.TrimPrefix(base, "_")
}

func set(words ...string) map[string]bool {
	out := map[string]bool{}
	for _, w := range words {
		out[w] = true
	}
	return out
}

// Variables parts those that are set before a command from it.
func Variables(argv []string) (env map[string]string, command []string) {
	env = map[string]string{}
	for i, w := range argv {
		m := assignment.FindStringSubmatch(w)
		if m == nil {
			return env, argv[i:]
		}
		env[m[1]] = m[2]
	}
	return env, nil
}

// own is the line in the words of the repository; Variables reads it.
func (l line) own(program string) (out []string) {
	for _, k := range slices.Sorted(maps.Keys(l.env)) {
		out = append(out, k+"="+l.env[k])
	}
	if len(l.flags) > 0 {
		out = append(append(out, "node"), l.flags...)
	}
	return append(append(out, program), l.args...)
}

// split cuts a command line at blanks outside quotes.
func split(s string) []string {
	var out []string
	var cur strings.Builder
	quote, open := rune(0), false
	for _, c := range s {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote, open = c, true
		case quote == 0 && (c == ' ' || c == '\t'):
			if cur.Len() > 0 || open {
				out = append(out, cur.String())
			}
			cur.Reset()
			open = false
		default:
			cur.WriteRune(c)
		}
	}
	if cur.Len() > 0 || open {
		out = append(out, cur.String())
	}
	return out
}

// without drops flags that watch, count coverage or choose a reporter, with
// their values.
func without(args []string, valued ...string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		name, _, joined := strings.Cut(args[i], "=")
		if slices.Contains(valued, name) {
			if !joined && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
				i++
			}
			continue
		}
		if slices.Contains([]string{"--watch", "--watchAll", "-w", "--coverage", "--verbose", "--silent", "--experimental-test-coverage", "--json", "-b", "--bail", "--fix", "--cache"}, name) {
			continue
		}
		out = append(out, args[i])
	}
	return out
}

func (n *nodePackage) tool(name string) (argv []string, needs []Need) {
	bin := n.bin(name)
	return []string{bin}, []Need{{Program: "node", Install: "install Node.js"}, {Program: "./" + path.Join(n.dir, bin), Install: n.install() + " (in " + n.dir + ")"}}
}

func (n *nodePackage) add(p *Plan, tool string, l line, args []string, format parse.Format, results, why string) {
	argv, needs := n.tool(tool)
	if len(l.flags) > 0 {
		argv = slices.Concat([]string{"node"}, l.flags, argv)
	}
	p.Commands = append(p.Commands, Command{Kind: Test, Tool: tool, Dir: n.dir, Argv: append(argv, args...), Own: l.own(tool), Env: l.env, Typed: "npx " + tool + tail(n.shown(args)), Format: format,
		Results: results, Needs: needs, Why: why, Files: n.tests})
}

// tail is what of the arguments a person would type.
func tail(args []string) string {
	var out []string
	for _, a := range args {
		if !strings.Contains(a, "{out}") && !strings.HasPrefix(a, "--reporter") && a != "--ci" && a != "--json" && a != "json" {
			out = append(out, a)
		}
	}
	if len(out) == 0 {
		return ""
	}
	return " " + strings.Join(out, " ")
}

func (n *nodePackage) jest(p *Plan, l line, why string) {
	args := append(without(l.args, "--reporters", "--outputFile", "--coverageDirectory", "--maxWorkers"), "--ci", "--json", "--outputFile={out}/jest.json")
	n.add(p, "jest", l, args, parse.JestJSON, "jest.json", why)
}

func (n *nodePackage) vitest(p *Plan, l line, why string) {
	args := slices.DeleteFunc(without(l.args, "--reporter", "--outputFile", "--coverage.provider"), func(a string) bool { return a == "run" || a == "watch" || a == "dev" })
	args = append([]string{"run"}, append(args, "--reporter=json", "--outputFile={out}/vitest.json")...)
	n.add(p, "vitest", l, args, parse.JestJSON, "vitest.json", why)
}

func (n *nodePackage) mocha(p *Plan, l line, why string) {
	args := append(without(l.args, "--reporter", "-R", "--reporter-option", "--reporter-options", "-O"), "--reporter", "json")
	n.add(p, "mocha", l, args, parse.MochaJS, "", why)
}

// eachFile runs its arguments one after another with node, and says before each
// which it is: tests of tape and node-tap print TAP of their own.
const eachFile = `s=0; for f do echo "# file: $f"; node %s"$f" || s=1; done; exit $s`

// tap adds the test files of tape or node-tap, false where the arguments name none.
// program is what a person types before them.
func (n *nodePackage) tap(p *Plan, tool, program string, l line) bool {
	args, load := l.args, "" // modules loaded first
	for i, a := range args {
		name, ok := strings.CutPrefix(a, "--require=")
		if (a == "-r" || a == "--require") && i+1 < len(args) {
			name, ok = args[i+1], true
		}
		if strings.Contains(name, "'") {
			return false
		} else if ok {
			load += "-r '" + name + "' "
		}
	}
	args = without(args, "-r", "--require", "--reporter", "-R", "--jobs", "-j", "--timeout", "-t")
	patterns := slices.DeleteFunc(args, func(a string) bool { return strings.HasPrefix(a, "-") })
	files := n.run(n.expand(patterns))
	if len(patterns) == 0 || len(files) == 0 {
		return false
	}
	c := Command{Kind: Test, Tool: tool, Dir: n.dir, Argv: []string{"sh", "-c", fmt.Sprintf(eachFile, load), tool}, Env: l.env, Typed: program + " " + strings.Join(n.shown(patterns), " "), Format: parse.TAPFiles,
		Needs: []Need{{Program: "node", Install: "install Node.js"}, {Program: n.modules(), Install: n.install()}}, Why: "the test script of package.json runs " + tool, Files: files}
	for _, f := range files {
		c.Argv = append(c.Argv, n.rel(f))
	}
	p.Commands = append(p.Commands, c)
	return true
}

func (n *nodePackage) bun(p *Plan, l line, why string) {
	args := without(l.args, "--reporter", "--reporter-outfile")
	p.Commands = append(p.Commands, Command{Kind: Test, Tool: "bun test", Dir: n.dir, Argv: append(append([]string{"bun", "test"}, args...), "--reporter=junit", "--reporter-outfile={out}/bun.xml"), Env: l.env,
		Typed: strings.Join(append([]string{"bun test"}, args...), " "), Format: parse.JUnit, Results: "bun.xml", Needs: []Need{{Program: "bun", Install: "install Bun"}}, Why: why, Files: n.tests})
}

// importing lists the files, seen from the package's folder, that import node:test.
func (n *nodePackage) importing() (out []string) {
	for _, f := range n.tests {
		if slices.Contains(nodeExts, path.Ext(f)) && nodeImport.MatchString(n.t.Read(f)) {
			out = append(out, n.rel(f))
		}
	}
	return out
}

// imported adds tests that import node:test.
func (n *nodePackage) imported(p *Plan, files []string) {
	if len(files) > 0 {
		n.nodeTests(p, line{args: append([]string{"--test"}, NodePatterns(files)...)}, "its tests import node:test")
	}
}

func (n *nodePackage) nodeTests(p *Plan, l line, why string) {
	args := without(l.args, "--test-reporter", "--test-reporter-destination")
	at := slices.Index(args, "--test")
	argv := append([]string{"node"}, args[:at+1]...)
	what := n.expand(args[at+1:])
	argv = append(append(argv, "--test-reporter=tap"), what...)
	p.Commands = append(p.Commands, Command{Kind: Test, Tool: "node:test", Dir: n.dir, Argv: argv, Own: line{env: l.env, args: n.seen(args)}.own("node"), Env: l.env, Typed: "node " + strings.Join(n.shown(args), " "), Format: parse.TAP,
		Needs: []Need{{Program: "node", Install: "install Node.js 20 or newer"}}, Why: why, Files: n.run(what)})
}

// run are the files that node --test runs with some arguments.
func (n *nodePackage) run(args []string) []string {
	patterns := slices.DeleteFunc(slices.Clone(args), func(a string) bool { return strings.HasPrefix(a, "-") })
	return slices.DeleteFunc(slices.Clone(n.t.Files), func(f string) bool {
		return n.owner(f) != n.dir || !NodeRuns(patterns, n.rel(f))
	})
}

// rel is a file seen from the package's folder.
func (n *nodePackage) rel(f string) string { return From(n.dir, f) }

func (n *nodePackage) lint(p *Plan) {
	if cfg := n.config(".eslintrc", "eslint.config."); cfg != "" || n.pkg.ESLintConfig != nil {
		if cfg == "" {
			cfg = "package.json"
		}
		lint := n.lines("lint", 0)
		at := slices.IndexFunc(lint, func(l line) bool { return l.program == "eslint" })
		l, ok := line{}, at >= 0
		if ok {
			l = lint[at]
		}
		args := without(l.args, "--format", "-f", "--cache-location", "--max-warnings")
		if !ok || len(args) == 0 {
			args = []string{"."}
		}
		argv, needs := n.tool("eslint")
		p.Commands = append(p.Commands, Command{Kind: Lint, Tool: "eslint", Dir: n.dir, Argv: append(argv, args...), Typed: "npx eslint " + strings.Join(n.shown(args), " "), Format: parse.Lines, Needs: needs, Why: cfg + " configures eslint"})
	}
	if n.t.have[n.file("tsconfig.json")] && (n.depends("typescript") || n.t.installed(n.file("node_modules/.bin/tsc")) || n.dir == ".") {
		argv, needs := n.tool("tsc")
		p.Commands = append(p.Commands, Command{Kind: Types, Tool: "tsc", Dir: n.dir, Argv: append(argv, "--noEmit", "--pretty", "false", "-p", "tsconfig.json"), Typed: "npx tsc --noEmit", Format: parse.Lines, Needs: needs, Why: "there is a tsconfig.json"})
	}
}

package detect

import (
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/verify/parse"
)

//go:embed report.rb
var rubyReport string

var (
	rubyMarks   = []string{"Gemfile", "Rakefile", ".rspec", "gems.rb"}
	rubySpec    = lazyregexp.New(`_spec\.rb$`)
	rubyTest    = lazyregexp.New(`^(?:test_.+|.+_test)\.rb$`)
	rubyAside   = lazyregexp.New(`(?:^|/)(?:test|spec)/(?:system|dummy|fixtures)/|(?:^|/)test_helper\.rb$`)
	saysRSpec   = lazyregexp.New(`(?m)\bRSpec\b|^[^#\n]*\brspec\b`)
	saysMini    = lazyregexp.New(`(?i)\bminitest\b|\bmust_equal\b`)
	isTest      = lazyregexp.New(`\btest_helper\b|\bhelper\b|(?m)^\s*class\s+\S+\s*<\s*\S*Test|^\s*(?:describe|context)\b`)
	saysUnit    = lazyregexp.New(`test/unit\b|\bTest::Unit\b|\btest-unit\b`)
	rakeLibs    = lazyregexp.New(`\blibs\s*(?:<<|\+?=\s*\[|\.(?:push|concat)[ (]\[?)\s*((?:['"][\w./-]+['"](?:,|<<|\s)*)+)`)
	rakePattern = lazyregexp.New(`\b(?:pattern\s*=\s*|test_globs\s*=\s*\[?|FileList\[|Dir(?:\.glob\(|\[))\s*((?:['"][^'"#]+\.rb['"][, \n]*)+)`)
	rubyQuoted  = lazyregexp.New(`['"]([^'"]+)['"]`)
)

// Ruby runners, by the names that adapters know.
const (
	RSpec        = "rspec"
	Minitest     = "minitest"
	MinitestSpec = "minitest spec" // describe and it, in files named like RSpec's
	TestUnit     = "test-unit"
)

// rubyProject is a folder of Ruby with its own tests.
type rubyProject struct {
	t            *Tree
	dir          string
	specs, tests []string // their files, from the root
}

// ruby finds the projects: folders with a manifest, or those that hold spec/ or test/.
func (t *Tree) ruby(p *Plan) {
	projects := map[string]*rubyProject{}
	var dirs []string
	for _, f := range t.Files {
		spec, test := rubySpec.MatchString(f), rubyTest.MatchString(path.Base(f))
		if !spec && !test || rubyAside.MatchString(f) || InDir(f, "testdata", "features") {
			continue
		}
		dir, marked := t.nearestRuby(f)
		if at := strings.Index("/"+f, "/spec/"); !marked && at > 0 {
			dir = f[:at-1]
		} else if at := strings.Index("/"+f, "/test/"); !marked && at > 0 {
			dir = f[:at-1]
		}
		if !marked && p.above(dir) {
			continue // such as a C library that brings the Ruby tools of its test library
		}
		pr := projects[dir]
		if pr == nil {
			pr = &rubyProject{t: t, dir: dir}
			projects[dir] = pr
			dirs = append(dirs, dir)
		}
		if spec {
			pr.specs = append(pr.specs, f)
		} else {
			pr.tests = append(pr.tests, f)
		}
	}
	for _, dir := range dirs {
		projects[dir].plan(p)
	}
}

// above tells whether tests are run in a folder or in one above it.
func (p *Plan) above(dir string) bool {
	return slices.ContainsFunc(p.Commands, func(c Command) bool {
		return c.Kind == Test && (c.Dir == dir || Within(dir, c.Dir))
	})
}

// nearestRuby is the closest folder at or above a file with a manifest of Ruby.
func (t *Tree) nearestRuby(f string) (dir string, ok bool) {
	for d := path.Dir(f); ; d = path.Dir(d) {
		for _, m := range rubyMarks {
			if t.have[path.Join(d, m)] {
				return d, true
			}
		}
		if t.gemspec(d) != "" {
			return d, true
		}
		if d == "." {
			return d, false
		}
	}
}

func (t *Tree) gemspec(dir string) string {
	i := slices.IndexFunc(t.Files, func(f string) bool { return path.Dir(f) == dir && path.Ext(f) == ".gemspec" })
	if i < 0 {
		return ""
	}
	return t.Files[i]
}

// plan adds the project's commands.
func (pr *rubyProject) plan(p *Plan) {
	says := pr.said("Gemfile", "gems.rb", pr.rel(pr.t.gemspec(pr.dir)), "Rakefile")
	specs := pr.said("spec/spec_helper.rb", "spec/minitest_helper.rb", "test/test_helper.rb") + pr.head(pr.specs)
	tests := pr.said("test/test_helper.rb", "test/helper.rb") + pr.head(pr.tests)
	switch {
	case len(pr.specs) == 0:
	case pr.t.have[path.Join(pr.dir, ".rspec")] || saysRSpec.MatchString(specs) || !saysMini.MatchString(specs) && (saysRSpec.MatchString(says) || !saysMini.MatchString(says)):
		pr.add(p, RSpec, pr.specs, "rspec", "rspec", "--no-color", "--no-fail-fast", "--format", "progress", "--format", "json", "--out", "{out}/rspec.json")
	default:
		pr.load(p, MinitestSpec, pr.specs, "*_spec.rb")
	}
	switch {
	case len(pr.tests) == 0:
	case !saysUnit.MatchString(tests+says) && !saysMini.MatchString(tests+says) && !isTest.MatchString(tests): // named so only
	case saysUnit.MatchString(tests) && !saysMini.MatchString(tests):
		pr.load(p, TestUnit, pr.tests, "{test_*,*_test}.rb")
	default:
		pr.load(p, Minitest, pr.tests, "{test_*,*_test}.rb")
	}
	if pr.t.have[path.Join(pr.dir, "Gemfile")] {
		p.Setup = append(p.Setup, inFolder(pr.dir, "bundle install"))
	}
}

// said is what some files of the project say.
func (pr *rubyProject) said(files ...string) string {
	var b strings.Builder
	for _, f := range files {
		b.WriteString(pr.t.Read(path.Join(pr.dir, f)) + "\n")
	}
	return b.String()
}

// head is what the first of its test files say.
func (pr *rubyProject) head(files []string) string {
	var out []string
	for _, f := range files[:min(len(files), 50)] {
		out = append(out, pr.rel(f))
	}
	return pr.said(out...)
}

// load adds a command that loads test files in one process, as rake does: those
// that the Rakefile's patterns mean, else all in the folders that hold some.
func (pr *rubyProject) load(p *Plan, tool string, files []string, named string) {
	rake := pr.t.Read(path.Join(pr.dir, "Rakefile"))
	var all, globs []string
	libs := []string{"lib"}
	for _, f := range files {
		if top, _, deep := strings.Cut(pr.rel(f), "/"); deep {
			all, libs = append(all, top+"/**/"+named), append(libs, top)
		} else { // beside the manifest
			all = append(all, named)
		}
	}
	for _, g := range quotedIn(rakePattern, rake) {
		if slices.ContainsFunc(files, func(f string) bool { return means(g, pr.rel(f)) }) {
			globs = append(globs, g)
		}
	}
	if len(globs) == 0 {
		globs = unique(all)
	}
	argv := []string{"ruby"}
	for _, l := range unique(append(libs, quotedIn(rakeLibs, rake)...)) {
		argv = append(argv, "-I"+l)
	}
	library := strings.TrimSuffix(tool, " spec")
	typed := fmt.Sprintf("%s -r%s -e 'Dir[%q].each { |f| require File.expand_path(f) }'", strings.Join(argv, " "), map[string]string{"minitest": "minitest/autorun", "test-unit": "test/unit"}[library], strings.Join(globs, `", "`))
	if strings.Contains(rake, "TestTask") {
		typed = "rake test"
	}
	pr.add(p, tool, files, typed, slices.Concat(argv, []string{"-e", rubyReport, library, "{out}/" + library + ".json"}, globs)...)
}

// quotedIn are the texts in quotes of what an expression finds.
func quotedIn(re *lazyregexp.Regexp, text string) (out []string) {
	for _, m := range re.FindAllStringSubmatch(text, -1) {
		for _, q := range rubyQuoted.FindAllStringSubmatch(m[1], -1) {
			out = append(out, q[1])
		}
	}
	return out
}

func (pr *rubyProject) rel(f string) string { return From(pr.dir, f) }

// add adds a command, in the versions of a Gemfile.lock where bundler is there.
func (pr *rubyProject) add(p *Plan, tool string, files []string, typed string, argv ...string) {
	c := Command{Kind: Test, Tool: tool, Dir: pr.dir, Argv: argv, Typed: typed, Format: parse.RSpecJSON, Files: files, Why: "there is " + files[0],
		Results: strings.TrimSuffix(tool, " spec") + ".json", Needs: []Need{{Program: "ruby", Install: "install Ruby"}}}
	if pr.t.have[path.Join(pr.dir, "Gemfile.lock")] {
		c.Typed = "bundle exec " + typed
		c.Argv = append([]string{"sh", "-c", `if command -v bundle >/dev/null; then exec bundle exec "$@"; fi; exec "$@"`, "sh"}, argv...)
	} else if tool == RSpec {
		c.Needs = append(c.Needs, Need{Program: "rspec", Install: "gem install rspec, or name it in a Gemfile"})
	}
	p.Commands = append(p.Commands, c)
}

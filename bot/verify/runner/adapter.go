package runner

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/verify/detect"
)

// Adapter is what the judge knows of a runner beside its command and the format of
// its report.
type Adapter struct {
	Family   string        // of languages: its suite runs test files in these
	Language code.Language // that its tests are written in, as a rule
	// Narrow has the command run some files (seen from its folder) and tests (native
	// ids), with the sentinel; none of them: everything, and no early end. nil: it
	// cannot be narrowed.
	Narrow func(c detect.Command, files, tests []string, s Sentinel) detect.Command
	// Lay gives the sentinel for a command of a tree; nil: none can be laid, and what
	// the runner reports is nothing but its own word.
	Lay func(t *detect.Tree, c detect.Command, word string) Sentinel
	// IsTest tells by its name whether the runner takes a file for a test; nil: any
	// test file in the family's languages.
	IsTest func(file string) bool
	// Counts: the command ends well whatever fails in it; what it prints, counted in
	// the report's totals, says how many did.
	Counts bool
	// Driven: its tests run under a supervisor of ours (package verify).
	Driven bool
	// Bare: it may be any command. Where its output names no tests, its end stands for one.
	Bare bool
}

// Sentinel is a test file of ours with two tests, whose ids hold the word: one ends
// in "passes" and does so, one in "fails" and does so.
type Sentinel struct {
	File, Text string   // File seen from the root of the tree; "": none could be laid
	Names      []string // the tests' names, where a runner is told which tests to run
}

// Declared is the tool of a command that a repository's own file names.
const Declared = "declared"

// Adapters are the runners that the judge knows, by tool. Those that are not driven are
// judged by their own report.
var Adapters = map[string]Adapter{
	"pytest":    {Family: "python", Language: code.Python, Driven: true},
	"unittest":  {Family: "python", Language: code.Python, Driven: true},
	"node:test": {Family: "javascript", Language: code.JavaScript, Driven: true},
	"mocha":     {Family: "javascript", Language: code.JavaScript, Driven: true},
	"go test":   {Family: "go", Language: code.Go, Driven: true},

	"vitest": {Family: "javascript", Language: code.TypeScript, Narrow: narrowVitest, Lay: layVitest},
	"jest":   {Family: "javascript", Language: code.TypeScript, Narrow: narrowJest, Lay: layJest},
	"ctest":  {Family: "c", Language: code.CPP, Narrow: narrowCTest, Lay: layCTest},
	"tape":   {Family: "javascript", Language: code.JavaScript, Narrow: narrowTAP, Lay: layTAP},
	"tap":    {Family: "javascript", Language: code.JavaScript, Narrow: narrowTAP, Lay: layTAP},
	"cargo":  {Family: "rust", Language: code.Rust, Narrow: narrowCargo, Lay: layCargo},
	"maven":  {Family: "java", Language: code.Java, Narrow: narrowMaven, Lay: layJava, IsTest: javaTestName.MatchString, Counts: true},
	"gradle": {Family: "java", Language: code.Java, Narrow: narrowGradle, Lay: layJava},

	detect.RSpec:        {Family: "ruby", Language: code.Ruby, Narrow: narrowRSpec, Lay: layRSpec, IsTest: isSpec},
	detect.Minitest:     {Family: "ruby", Language: code.Ruby, Narrow: narrowMinitest, Lay: layMinitest, IsTest: isRubyTest},
	detect.MinitestSpec: {Family: "ruby", Language: code.Ruby, Narrow: narrowMinitest, Lay: layMinitest, IsTest: isSpec},
	detect.TestUnit:     {Family: "ruby", Language: code.Ruby, Narrow: narrowMinitest, Lay: layTestUnit, IsTest: isRubyTest},
	"phpunit":           {Family: "php", Language: code.PHP, Narrow: narrowPHPUnit, Lay: layPHPUnit, IsTest: isPHPUnit},

	"bun test":    {Family: "javascript", Language: code.TypeScript},
	"django":      {Family: "python", Language: code.Python, Bare: true},
	Declared:      {Bare: true},
	"test script": {Bare: true},
	"make":        {Bare: true},
}

// Names are the tools whose tests can prove a fix, sorted.
func Names() (out []string) {
	for _, name := range slices.Sorted(maps.Keys(Adapters)) {
		if grade, _ := Evidence(name); grade != "told" && name != detect.MinitestSpec { // minitest says it
			out = append(out, name)
		}
	}
	return out
}

// Evidence is the best grade that the judge gives to a fix by a tool's tests, and what
// would raise it, "" for none.
func Evidence(tool string) (grade, raise string) {
	switch a := Adapters[tool]; {
	case a.Driven:
		return "signed", ""
	case a.Lay != nil:
		return "witnessed", ""
	}
	return "told", "fettle fix knows of a fix by these tests only what the command says of itself, and leaves its pull requests drafts; tests in a runner that docs/runners.md lists can make them ready"
}

// Option tells whether a name out of a report would be read as an option.
func Option(arg string) bool { return strings.HasPrefix(arg, "-") }

// beside names a sentinel's file as a test file of the command is named, so that the
// runner's settings find it: best as one whose name says that it is a test.
func beside(c detect.Command, word string) (file, ext string) {
	if len(c.Files) == 0 {
		return "", ""
	}
	like := c.Files[0]
	if n := slices.IndexFunc(c.Files, func(f string) bool { return testMark.MatchString(strings.TrimSuffix(f, path.Ext(f))) }); n >= 0 {
		like = c.Files[n]
	}
	ext = path.Ext(like)
	return path.Join(path.Dir(like), word+testMark.FindString(strings.TrimSuffix(path.Base(like), ext))+ext), ext
}

// testMark is the end of a test file's name by which runners know it.
var testMark = lazyregexp.New(`[._-](?:test|spec|tests)$`)

// with adds the sentinel's file to some that are run, seen from the command's folder.
func (s Sentinel) with(c detect.Command, files []string) []string {
	if len(files) > 0 && s.File != "" {
		files = append(slices.Clone(files), detect.From(c.Dir, s.File))
	}
	return files
}

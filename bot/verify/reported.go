package verify

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/detect"
	"github.com/fettle-dev/fettle/bot/verify/parse"
	"github.com/fettle-dev/fettle/bot/verify/runner"
)

// A reported suite is one whose runner has no driver of ours: what is known of its
// tests is what the runner itself reports. Two sentinel tests of a random name are
// laid beside its own, one that passes and one that fails. A report without both,
// or an end that does not agree with the one that fails, is no report (SPEC C9).

// adapter is what is known of a runner beside its command and the format of its
// report.
type adapter struct {
	kind     string // the family of languages
	language code.Language
	// narrow has the command run some files and tests (native ids), with the sentinel's
	// file; none of them: everything.
	narrow func(c detect.Command, files, tests []string, sentinel string) detect.Command
	// sentinel is a test file, seen from the root of the tree, "" where none can be written.
	sentinel func(t *detect.Tree, c detect.Command, word string) (file, text string)
}

var adapters = map[string]adapter{
	"vitest": {"javascript", code.TypeScript, narrowVitest, vitestSentinel},
	"jest":   {"javascript", code.TypeScript, narrowJest, jestSentinel},
	"cargo":  {"rust", code.Rust, narrowCargo, cargoSentinel},
}

// Reported tells that the suite's runner has no driver of ours.
func (s Suite) Reported() bool { return s.Command != nil }

// reported finds the suites of a tree that only their own runners can tell of.
func reported(t *tree) []Suite {
	plan, err := detect.Detect(t.fsys)
	if err != nil {
		return nil // the scan before has said so
	}
	var out []Suite
	for _, c := range plan.Commands {
		if a, ok := adapters[c.Tool]; ok && c.Kind == detect.Test {
			out = append(out, Suite{Name: runner.Suite(c.Tool), Kind: a.kind, Dir: c.Dir, Argv: strings.Fields(c.Typed), Language: a.language, Command: &c})
		}
	}
	return out
}

// runReported runs a suite by its own command.
func (v *Verifier) runReported(ctx context.Context, b box, all []Suite, s Suite, sel selection, lim limits) (outcome, error) {
	t, err := scanBox(b)
	if err != nil {
		return outcome{}, err
	}
	tree, err := detect.Scan(t.fsys)
	if err != nil {
		return outcome{}, err
	}
	p := &runner.Place{Box: b, Find: tree.Find}
	p.Root, p.Out = v.place(b)
	if lack, err := p.Missing(ctx, *s.Command); err != nil {
		return outcome{}, fmt.Errorf("looking for the tools of %s: %w", s.label(), err)
	} else if lack != nil {
		return outcome{broken: []task.Failure{finish(task.Failure{Suite: s.Name, Kind: task.FailCollection, Exception: "ToolMissing",
			Message: lack.What() + " is not there: " + lack.Install})}}, nil
	}
	a, word := adapters[s.Command.Tool], "fettle"+v.cfg.Nonce()[:12]
	c := *s.Command
	for _, now := range tree.Plan().Commands {
		if now.Tool == c.Tool && now.Dir == c.Dir {
			c.Files = now.Files // a saved suite has none
		}
	}
	file, text := a.sentinel(tree, c, word)
	if file != "" {
		if err := b.WriteFile(file, []byte(text)); err != nil {
			return outcome{}, fmt.Errorf("laying out the sentinel of %s: %w", s.label(), err)
		}
		defer func() { _ = b.Remove(file) }() // the copy is thrown away in any case
	}
	if files := reportedFiles(sel); !sel.all && len(files)+len(sel.tests) > 0 {
		c = a.narrow(c, files, sel.tests, file)
	} else {
		c = a.narrow(c, nil, nil, file)
	}
	n := slices.IndexFunc(all, func(o Suite) bool { return o.prefix() == s.prefix() }) // no other suite's results have it
	res, err := b.Run(ctx, p.Command(n, c, sandbox.Limits{Wall: lim.wall}))
	if err != nil {
		return outcome{}, err
	}
	return reportedOutcome(s, p.Read(n, c, res), res, word, file != ""), nil
}

// reportedFiles are the files of a selection, seen from the suite's folder. Names
// come out of reports: none may be read as an option.
func reportedFiles(sel selection) []string {
	out := slices.Clone(sel.units)
	for _, id := range sel.tests {
		if file, _, ok := strings.Cut(id, " > "); ok {
			out = append(out, file)
		}
	}
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), option)
}

func option(arg string) bool { return strings.HasPrefix(arg, "-") }

// reportedOutcome reads what a runner reported.
func reportedOutcome(s Suite, rep parse.Report, res sandbox.Result, word string, laid bool) outcome {
	var out outcome
	passed, failed := false, false
	for _, t := range rep.Tests {
		if strings.Contains(t.ID, word) {
			passed = passed || t.Status == parse.Passed && strings.Contains(t.ID, "passes")
			failed = failed || t.Status == parse.Failed && strings.Contains(t.ID, "fails")
			continue
		}
		got := TestResult{ID: s.id(t.ID), Suite: s.Name, File: t.File, Name: nameIn(t.ID), Status: t.Status, Seconds: t.Seconds}
		if _, known := rank[got.Status]; !known {
			got.Status = StatusError
		}
		if got.Red() {
			f := task.Failure{Kind: task.FailAssertion, Message: "the test failed"}
			if t.Failure != nil {
				f = *t.Failure
			}
			f.Suite, f.Test = s.Name, got.ID
			f = finish(f)
			got.Failure = &f
		}
		out.tests = append(out.tests, got)
	}
	broke := func(kind task.FailureKind, class, message string) {
		out.broken = append(out.broken, finish(task.Failure{Suite: s.Name, Kind: kind, Exception: class, Message: message, Excerpt: string(res.Stdout)}))
	}
	for _, f := range rep.Broken {
		if strings.Contains(f.Test+f.File, word) {
			continue
		}
		if f.Test != "" {
			f.Test = s.id(f.Test)
		}
		f.Suite = s.Name
		out.broken = append(out.broken, finish(f))
	}
	switch stop := runner.Stopped(res); {
	case res.TimedOut:
		broke(task.FailTimeout, "SuiteTimeout", s.label()+": "+stop)
	case stop != "":
		broke(task.FailCrash, outOfMemory, s.label()+": "+stop)
	case len(out.broken) > 0:
	case !laid || !passed || !failed:
		out.told = true // there is nothing but what the run says of itself
		if len(out.tests) == 0 {
			broke(task.FailCollection, "NoTests", fmt.Sprintf("%s ended with status %d and reported no test", s.label(), res.ExitCode))
		}
	case res.ExitCode == 0:
		out.tests = nil
		broke(task.FailCrash, "ForgedRecord", s.label()+" ended as if nothing had failed, though a test of ours failed in it: its report is forged")
	}
	return out
}

// sentinelBeside names a sentinel's file as a test file of the package is named, so
// that the runner's settings find it: best as one whose name says that it is a test.
func sentinelBeside(c detect.Command, word string) (file, ext string) {
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
var testMark = regexp.MustCompile(`[._-](?:test|spec|tests)$`)

const scriptSentinel = "%stest('%s passes', () => {});\ntest('%s fails', () => { throw new Error('it has to'); });\n"

func vitestSentinel(_ *detect.Tree, c detect.Command, word string) (file, text string) {
	file, _ = sentinelBeside(c, word)
	return file, fmt.Sprintf(scriptSentinel, "import { test } from 'vitest';\n", word, word)
}

func jestSentinel(_ *detect.Tree, c detect.Command, word string) (file, text string) {
	file, ext := sentinelBeside(c, word)
	head := "const test = globalThis.test;\n"
	if strings.Contains(ext, "ts") {
		head = "export {};\nconst test = (globalThis as any).test;\n"
	}
	return file, fmt.Sprintf(scriptSentinel, head, word, word)
}

// cargoSentinel is an integration test of the package in the command's folder or of
// the first one below it.
func cargoSentinel(t *detect.Tree, c detect.Command, word string) (file, text string) {
	for _, f := range t.Files {
		if path.Base(f) == "Cargo.toml" && within(f, c.Dir) && strings.Contains(t.Read(f), "[package]") {
			return path.Join(path.Dir(f), "tests", word+".rs"), "#[test]\nfn passes() {}\n\n#[test]\nfn fails() {\n    panic!(\"it has to\");\n}\n"
		}
	}
	return "", ""
}

// withSentinel adds the sentinel's file to some that are run, seen from a folder.
func withSentinel(c detect.Command, files []string, sentinel string) []string {
	if len(files) > 0 && sentinel != "" {
		files = append(slices.Clone(files), relTo(c.Dir, sentinel))
	}
	return files
}

func narrowVitest(c detect.Command, files, _ []string, sentinel string) detect.Command {
	c.Argv = slices.Concat(c.Argv, []string{"--bail=0"}, withSentinel(c, files, sentinel))
	return c
}

func narrowJest(c detect.Command, files, _ []string, sentinel string) detect.Command {
	c.Argv = append(slices.Clone(c.Argv), "--bail=0")
	if len(files) > 0 {
		c.Argv = slices.Concat(c.Argv, []string{"--runTestsByPath"}, withSentinel(c, files, sentinel))
	}
	return c
}

func narrowCargo(c detect.Command, _, tests []string, _ string) detect.Command {
	if len(tests) == 0 {
		return c
	}
	c.Argv = append(slices.Clone(c.Argv), "--", "--exact", "passes", "fails")
	for _, id := range tests {
		if _, name, _ := strings.Cut(id, "::"); !option(name) {
			c.Argv = append(c.Argv, name)
		}
	}
	return c
}

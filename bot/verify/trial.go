package verify

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/detect"
	"github.com/fettle-dev/fettle/bot/verify/runner"
)

// Trial is one run of a few test files on a disposable copy of a tree.
type Trial struct {
	Dir   string            // the tree; it is not written to
	Files map[string][]byte // written over the copy; nil takes the file away
	Tests []string          // paths of the test files to run, nothing else is
	// Baseline, where it is known, bounds the time of each test. Without Tests its suites
	// are run: the tests and units of IDs, or all.
	Baseline *Baseline
	IDs      []string
}

// Try runs a trial. It knows of no base and restores nothing: it is for the
// judgement of tests, not of patches. Whatever does not run is in the report;
// the error is of the sandbox, the context, or ErrNoTests for a file that no
// runner takes for a test.
func (v *Verifier) Try(ctx context.Context, t Trial) (Report, error) {
	b, err := v.open(ctx, t.Dir)
	if err != nil {
		return Report{}, fmt.Errorf("trying tests: %w", err)
	}
	defer b.Close()
	for _, p := range slices.Sorted(maps.Keys(t.Files)) {
		data := t.Files[p]
		if data != nil {
			err = b.WriteFile(p, data)
		} else if _, rerr := b.ReadFile(p, 64<<20); rerr == nil {
			err = b.Remove(p)
		}
		if err != nil {
			return Report{}, fmt.Errorf("laying out %s for a trial: %w", p, err)
		}
	}
	if len(t.Tests) == 0 && t.Baseline != nil {
		suites, picks := t.Baseline.Report.Suites, map[string]selection(nil)
		if len(t.IDs) > 0 {
			picks = pick(suites, t.IDs, units(t.Baseline.Report))
		}
		return v.run(ctx, b, suites, picks, v.learned(*t.Baseline, nil))
	}
	suites, err := v.withNew(b, nil, t.Tests)
	if err != nil {
		return Report{}, fmt.Errorf("trying tests: %w", err)
	}
	for _, p := range t.Tests {
		if owners(suites, p) == nil {
			return Report{}, fmt.Errorf("the test %s: %w by any runner: its name or content is not that of a test", p, ErrNoTests)
		}
	}
	lim := limits{test: v.cfg.TestTimeout, wall: v.cfg.SuiteTimeout, grace: 3 * time.Second}
	if t.Baseline != nil {
		lim = v.learned(*t.Baseline, nil)
	}
	rep, err := v.runFilesIn(ctx, b, suites, t.Tests, lim)
	if err != nil {
		return rep, fmt.Errorf("trying tests: %w", err)
	}
	return rep, nil
}

// Ran tells whether a failure is the test's own: it ran, and failed by an
// assertion, an exception or a timeout.
func Ran(f *task.Failure) bool {
	return f != nil && (f.Kind == task.FailAssertion || f.Kind == task.FailException || f.Kind == task.FailTimeout)
}

var families = map[code.Language]string{code.Python: "python", code.JavaScript: "javascript", code.Go: "go", code.Rust: "rust", code.Java: "java", code.C: "c", code.CPP: "c", code.Ruby: "ruby", code.PHP: "php"}

// runs tells whether a test file is the suite's by its language and name: TypeScript
// is run by those alone that bring what reads it.
func (s Suite) runs(p string) bool {
	lang := code.LanguageOf(p)
	if s.Reported() {
		if a := runner.Adapters[s.Command.Tool]; a.IsTest != nil && !a.IsTest(p) {
			return false
		}
	}
	if lang == code.TypeScript || lang == code.TSX {
		return s.Kind == families[code.JavaScript] && (s.Reported() || s.loads(p))
	}
	return s.Kind != "" && s.Kind == families[lang]
}

// loads tells whether node is started so that it runs a file of TypeScript: by a pattern of
// its own, beside what reads such files.
func (s Suite) loads(p string) bool {
	_, patterns := nodeFlags(s.Argv)
	return s.Name == suiteNode && slices.ContainsFunc(patterns, func(pattern string) bool { return path.Ext(pattern) == path.Ext(p) })
}

// owners gives the suite that a test file belongs to, nil when there is none.
func owners(suites []Suite, p string) *Suite {
	var best *Suite
	for i, s := range suites {
		if s.runs(p) && detect.Within(p, s.Dir) && (best == nil || len(s.Dir) > len(best.Dir)) {
			best = &suites[i]
		}
	}
	return best
}

// beside is another suite of JavaScript in the same folder: a file is run by
// both, and only the one that it is written for finds tests in it.
func beside(suites []Suite, s Suite) *Suite {
	for i, o := range suites {
		if s.Kind == "javascript" && o.Kind == s.Kind && o.Dir == s.Dir && o.Name != s.Name {
			return &suites[i]
		}
	}
	return nil
}

// runFiles runs only the tests of the given files.
func (v *Verifier) runFiles(ctx context.Context, b box, suites []Suite, files []string) (Report, error) {
	return v.runFilesIn(ctx, b, suites, files, limits{test: v.cfg.TestTimeout, wall: v.cfg.SuiteTimeout, grace: 3 * time.Second})
}

func (v *Verifier) runFilesIn(ctx context.Context, b box, suites []Suite, files []string, lim limits) (Report, error) {
	picks := map[string]selection{}
	for _, p := range files {
		s := owners(suites, p)
		if s == nil {
			continue
		}
		if other := beside(suites, *s); other != nil {
			sel := picks[other.prefix()]
			sel.units = append(sel.units, detect.From(s.Dir, p))
			picks[other.prefix()] = sel
		}
		sel := picks[s.prefix()]
		rel := detect.From(s.Dir, p)
		if s.Name != suiteGo {
			sel.units = append(sel.units, rel)
		} else {
			src, err := b.ReadFile(p, maxSource)
			if err != nil {
				return Report{}, err
			}
			for _, m := range goFunc.FindAllSubmatch(src, -1) {
				sel.tests = append(sel.tests, path.Dir(rel)+":"+string(m[1]))
			}
		}
		picks[s.prefix()] = sel
	}
	rep, err := v.run(ctx, b, suites, picks, lim)
	rep.Tests = slices.DeleteFunc(rep.Tests, func(t TestResult) bool {
		s, ok := suiteOf(suites, t.ID)
		return !ok || !slices.ContainsFunc(files, func(p string) bool {
			return t.File == p || strings.HasPrefix(strings.TrimPrefix(t.ID, s.prefix()), detect.From(s.Dir, p)+"::")
		})
	})
	return rep, err
}

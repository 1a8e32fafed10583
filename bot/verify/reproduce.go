package verify

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/task"
)

// Reproduces runs one new test file on an unpatched tree. ids are the tests of
// the file that were seen; fails says that at least one of them was seen to
// run and to fail by an assertion, an exception or a timeout. A file that
// cannot be collected or built proves nothing: fails is false.
func (v *Verifier) Reproduces(ctx context.Context, baseDir string, testPath string, content []byte) (ids []string, fails bool, err error) {
	b, err := v.open(ctx, baseDir)
	if err != nil {
		return nil, false, fmt.Errorf("running the new test %s: %w", testPath, err)
	}
	defer b.Close()
	if err := b.WriteFile(testPath, content); err != nil {
		return nil, false, fmt.Errorf("writing the new test %s: %w", testPath, err)
	}
	suites, err := v.withNew(b, nil)
	if err != nil {
		return nil, false, err
	}
	if owners(suites, testPath) == nil {
		return nil, false, fmt.Errorf("the new test %s: %w by any runner: its name or content is not that of a test", testPath, ErrNoTests)
	}
	rep, err := v.runFiles(ctx, b, suites, []string{testPath})
	if err != nil {
		return nil, false, fmt.Errorf("running the new test %s: %w", testPath, err)
	}
	for _, t := range rep.Tests {
		ids = append(ids, t.ID)
		fails = fails || t.Red() && realFailure(t.Failure)
	}
	return ids, fails, nil
}

// realFailure: the test itself ran and failed.
func realFailure(f *task.Failure) bool {
	return f != nil && (f.Kind == task.FailAssertion || f.Kind == task.FailException || f.Kind == task.FailTimeout)
}

var families = map[code.Language]string{code.Python: "python", code.JavaScript: "javascript", code.Go: "go"}

// owners gives the suite that a test file belongs to, nil when there is none.
func owners(suites []Suite, p string) *Suite {
	var best *Suite
	for i, s := range suites {
		if s.Kind == families[code.LanguageOf(p)] && within(p, s.Dir) && (best == nil || len(s.Dir) > len(best.Dir)) {
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
	picks := map[string]selection{}
	for _, p := range files {
		s := owners(suites, p)
		if s == nil {
			continue
		}
		if other := beside(suites, *s); other != nil {
			sel := picks[other.prefix()]
			sel.units = append(sel.units, relTo(s.Dir, p))
			picks[other.prefix()] = sel
		}
		sel := picks[s.prefix()]
		rel := relTo(s.Dir, p)
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
	lim := limits{test: v.cfg.TestTimeout, wall: v.cfg.SuiteTimeout, grace: 3 * time.Second}
	rep, err := v.run(ctx, b, suites, picks, lim)
	rep.Tests = slices.DeleteFunc(rep.Tests, func(t TestResult) bool {
		s, ok := suiteOf(suites, t.ID)
		return !ok || !slices.ContainsFunc(files, func(p string) bool {
			return t.File == p || strings.HasPrefix(strings.TrimPrefix(t.ID, s.prefix()), relTo(s.Dir, p)+"::")
		})
	})
	return rep, err
}

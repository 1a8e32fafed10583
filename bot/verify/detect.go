package verify

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/detect"
	"github.com/fettle-dev/fettle/bot/verify/runner"
)

// maxSource bounds what is read of one file to find out what it is.
const maxSource = 512 << 10

// Detect finds the suites of a tree, sorted by folder and name. When there is
// none the error wraps ErrUnsupported and names the language that was found, or
// wraps ErrNoTests and says what was looked for.
func (v *Verifier) Detect(root fs.FS) ([]Suite, error) {
	t, err := detect.Scan(root)
	if err != nil {
		return nil, fmt.Errorf("looking for tests: %w", err)
	}
	plan := t.Plan()
	suites := v.suites(t, plan)
	sort.Slice(suites, func(i, j int) bool {
		a, b := suites[i], suites[j]
		return a.Dir < b.Dir || a.Dir == b.Dir && a.Name < b.Name
	})
	if len(suites) > 0 {
		return suites, nil
	}
	if len(plan.Unknown) > 0 {
		return nil, fmt.Errorf("%w: found %s; supported are %s", ErrUnsupported, strings.Join(plan.Unknown, ", "), strings.Join(runner.Names(), ", "))
	}
	return nil, fmt.Errorf("%w among %s: looked for tests of %s, and for a test command in package.json, a Makefile or .fettle.yml",
		ErrNoTests, task.Count(len(t.Files), "file"), strings.Join(runner.Names(), ", "))
}

// suites are the test commands of a plan that the judge knows. What is known by its
// command alone counts where nothing else runs tests in its folder.
func (v *Verifier) suites(t *detect.Tree, plan detect.Plan) []Suite {
	var out, bare []Suite
	for _, c := range plan.Commands {
		if c.Or != "" && !v.pytestHere() {
			c.Tool, c.Typed = c.Or, "python3 -m unittest discover"
		}
		a, ok := runner.Adapters[c.Tool]
		if !ok || c.Kind != detect.Test {
			continue
		}
		s := Suite{Name: runner.Suite(c.Tool), Kind: a.Family, Dir: c.Dir, Argv: c.Own, Language: a.Language}
		if len(s.Argv) == 0 || !a.Driven {
			s.Argv = strings.Fields(c.Typed)
		}
		if !a.Driven {
			s.Command = &c
		}
		if a.Bare {
			bare = append(bare, s)
		} else {
			out = append(out, s)
		}
	}
	if own := declared(t, plan); len(own) > 0 {
		bare = nil // the repository says it better
		for _, c := range own {
			bare = append(bare, Suite{Name: c.Name, Dir: c.Dir, Argv: []string{c.Typed}, Command: &c})
		}
	}
	better := slices.Clone(out)
	for _, s := range bare {
		if !slices.ContainsFunc(better, func(o Suite) bool { return o.Dir == s.Dir || detect.Within(o.Dir, s.Dir) }) {
			out = append(out, s)
		}
	}
	return out
}

// pytestHere asks the sandbox's python3, once, whether it can import pytest.
func (v *Verifier) pytestHere() bool {
	v.probe.Do(func() {
		if v.open == nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		empty, err := os.MkdirTemp("", "fettle-probe-")
		if err != nil {
			return
		}
		defer os.RemoveAll(empty)
		b, err := v.open(ctx, empty)
		if err != nil {
			return
		}
		defer b.Close()
		res, err := b.Run(ctx, sandbox.Command{Argv: []string{"python3", "-s", "-c", "import pytest"}})
		v.hasPytest = err == nil && res.ExitCode == 0
	})
	return v.hasPytest
}

// scanBox scans the disposable copy; it never follows a link out of it.
func scanBox(b box) (*detect.Tree, error) { return detect.Scan(boxFS{b}) }

// testsIn lists, seen from the suite's folder, the files of its tests; except are
// folders below it with suites of their own.
func testsIn(t *detect.Tree, s Suite, except []string) []string {
	_, patterns := nodeFlags(s.Argv)
	out := []string{}
	for _, f := range t.Under(s.Dir, except) {
		rel := detect.From(s.Dir, f)
		if s.Name == suiteNode && detect.NodeRuns(patterns, rel) || s.Name == suiteUnittest && detect.PythonTest(f) && detect.Unittest(t.Read(f)) {
			out = append(out, rel)
		}
	}
	return out
}

package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/sirupsen/logrus"

	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/verify"
)

// Maker makes cases of what others wrote, and keeps those that hold.
type Maker struct {
	Trees *checkout.Store
	Box   *sandbox.Sandbox
	Out   string // a folder of cases for each set
	Times int    // how often each case is proved
	Jobs  int
	Log   logrus.FieldLogger
	Say   func(string) // progress; nil: none
}

// Drop is a candidate that no case is made of.
type Drop struct {
	Name  string `json:"name"`
	Title string `json:"title,omitempty"`
	Class string `json:"class"` // why, in a word of a fixed list
	Why   string `json:"why"`
}

// Made is what came of a set of candidates.
type Made struct {
	Set        string         `json:"set"`
	Looked     int            `json:"looked"` // commits, or entries of a file
	Candidates int            `json:"candidates"`
	Cases      []string       `json:"cases"` // by name, in DIR/SET
	Dropped    []Drop         `json:"dropped"`
	Reasons    map[string]int `json:"reasons"` // how many were dropped by class
}

func (m *Made) drop(d Drop) {
	m.Dropped = append(m.Dropped, d)
	if m.Reasons == nil {
		m.Reasons = map[string]int{}
	}
	m.Reasons[d.Class]++
}

// Why nothing is made of a candidate.
const (
	dropGreen    = "no test turns green"
	dropRed      = "tests fail with the fix"
	dropWords    = "says nothing of what is wrong"
	dropLarge    = "too large"
	dropSettings = "changes how tests are run"
	dropRunner   = "no command for its tests"
	dropFlaky    = "flaky"
	dropText     = "cannot be read"
	dropClone    = "not in a clone"
)

// dropped is why nothing was made of one candidate.
type dropped struct{ class, why string }

func (d *dropped) Error() string { return d.why }

// raw is a case as it is made: its parts, before anybody proved it.
type raw struct {
	name, issue string
	about       map[string]any // of case.json
	base        fs.FS
	held        map[string][]byte // over the tree, when it is done
	fix         string            // a diff of what else changes
}

// keep writes a case, proves it, and leaves it where it holds; else the error is a *dropped.
func (m Maker) keep(ctx context.Context, set string, c raw, command func(ctx context.Context, repo string) ([]string, error)) (err error) {
	final := filepath.Join(m.Out, set, c.name)
	if _, err := os.Stat(final); err == nil {
		return nil // of a run before, which proved it
	}
	if _, err := Folder(m.Out, set); err != nil { // a project may bring a link in its place
		return err
	}
	parent, err := os.MkdirTemp(m.Out, ".making-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sandbox.RemoveAll(parent)) }()
	dir := filepath.Join(parent, c.name)
	if err := c.write(dir); err != nil {
		return err
	}
	argv, err := command(ctx, filepath.Join(dir, repoDir))
	if err != nil {
		return err
	}
	c.about["test_command"] = argv
	text, err := json.MarshalIndent(c.about, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, caseFile), append(text, '\n'), 0o644); err != nil {
		return err
	}
	cases, err := Load(dir)
	if err != nil {
		return err
	}
	why, err := Verify(ctx, m.Box, cases[0], m.Times)
	switch {
	case err != nil:
		return err
	case why == greenBase:
		return &dropped{dropGreen, why}
	case why != "":
		return &dropped{dropFlaky, why}
	}
	return os.Rename(dir, final)
}

// write lays the parts out. Links and what is no file are left out: a case has none.
func (c raw) write(dir string) error {
	err := fs.WalkDir(c.base, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := fs.ReadFile(c.base, name)
		if err != nil {
			return err
		}
		return putBelow(dir, repoDir+"/"+name, data)
	})
	if err != nil {
		return fmt.Errorf("laying out %s: %w", c.name, err)
	}
	for name, data := range c.held {
		if err := putBelow(dir, heldDir+"/"+name, data); err != nil {
			return err
		}
	}
	return errors.Join(putBelow(dir, issue, []byte(c.issue)), putBelow(dir, fixFile, []byte(c.fix)))
}

// putBelow writes a file below a folder. Its name is a stranger's.
func putBelow(dir, name string, data []byte) error {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return &dropped{dropText, fmt.Sprintf("the file %q lies outside of the repository", name)}
	}
	target := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	return os.WriteFile(target, data, 0o644)
}

// command finds how the held-back tests of a fix are run: those files alone, without what
// fails in them with the fix as well. A test has to turn green.
func (m Maker) command(ctx context.Context, repo string, held, fixed map[string][]byte) ([]string, error) {
	var tests []string
	for name := range held {
		if code.IsTest(name) && !verify.Configures(name) {
			tests = append(tests, name)
		}
	}
	slices.Sort(tests)
	v := verify.New(verify.Config{Sandbox: m.Box, Log: m.Log, Reruns: -1})
	with := map[string][]byte{}
	for _, files := range []map[string][]byte{held, fixed} {
		for name, data := range files {
			with[name] = data
		}
	}
	after, err := v.Try(ctx, verify.Trial{Dir: repo, Files: with, Tests: tests})
	if errors.Is(err, verify.ErrNoTests) || errors.Is(err, verify.ErrUnsupported) {
		return nil, &dropped{dropRunner, err.Error()}
	}
	if err != nil {
		return nil, err
	}
	green := after.Green()
	if len(green) == 0 {
		return nil, &dropped{dropRed, "no test of it passes with the fix: " + firstFailure(after)}
	}
	before, err := v.Try(ctx, verify.Trial{Dir: repo, Files: held, Tests: tests})
	if err != nil {
		return nil, err
	}
	was := before.Green()
	if !slices.ContainsFunc(green, func(id string) bool { return !slices.Contains(was, id) }) {
		return nil, &dropped{dropGreen, greenBase}
	}
	return commandOf(after, tests, repo)
}

func firstFailure(r verify.Report) string {
	all := r.Failures()
	if len(all) == 0 {
		return "none was run"
	}
	return strings.TrimSpace(all[0].Exception + " " + strings.Join(strings.Fields(all[0].Message), " "))
}

// sourced tells whether the modules of a tree lie in a folder src.
func sourced(repo string) bool {
	info, err := os.Stat(filepath.Join(repo, "src"))
	_, pkg := os.Stat(filepath.Join(repo, "src", "__init__.py"))
	return err == nil && info.IsDir() && pkg != nil
}

// covered is a setting that has pytest measure coverage, for which it needs a plug-in.
var covered = regexp.MustCompile(`(?m)^[ \t]*addopts[ \t]*=.*(?:\n[ \t"'\[].*)*--cov`)

// pytest is the command for some files without some tests, by their ids.
func pytest(repo string, files, without []string) []string {
	argv := []string{"python3", "-m", "pytest", "-q", "-p", "no:cacheprovider"}
	for _, name := range []string{"pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"} {
		if text, err := os.ReadFile(filepath.Join(repo, name)); err == nil && covered.Match(text) {
			argv = append(argv, "-o", "addopts=")
			break
		}
	}
	argv = append(argv, files...)
	for _, id := range without {
		argv = append(argv, "--deselect="+id)
	}
	return argv
}

// commandOf names the test files that have a green test, and leaves red tests out.
func commandOf(r verify.Report, tests []string, repo string) ([]string, error) {
	var suite verify.Suite
	var files, packages, red []string
	for _, s := range r.Suites {
		prefix := s.Name + ":" + s.Dir + ":"
		for _, t := range r.Tests {
			native, ok := strings.CutPrefix(t.ID, prefix)
			if !ok {
				continue
			}
			if suite.Name != "" && suite.Name != s.Name {
				return nil, &dropped{dropRunner, fmt.Sprintf("its tests need two runners, %s and %s", suite.Name, s.Name)}
			}
			suite = s
			switch {
			case t.Red():
				red = append(red, native)
			case s.Name == "go":
				packages = append(packages, folder(t.File))
			case slices.Contains(tests, t.File):
				files = append(files, t.File)
			}
		}
	}
	slices.Sort(files)
	slices.Sort(packages)
	files, packages = slices.Compact(files), slices.Compact(packages)
	inside := func(all []string) (out []string) {
		for _, p := range all {
			out = append(out, strings.TrimPrefix(p, strings.TrimPrefix(suite.Dir+"/", "./")))
		}
		return out
	}
	var argv []string
	switch {
	case suite.Name == "pytest", suite.Name == "unittest" && len(red) > 0: // which can leave tests out
		argv = pytest(filepath.Join(repo, filepath.FromSlash(suite.Dir)), inside(files), red)
	case suite.Name == "go":
		argv = []string{"go", "test"}
		if len(red) > 0 {
			argv = append(argv, "-skip", skipping(red))
		}
		for _, p := range inside(packages) {
			argv = append(argv, "./"+strings.TrimPrefix(strings.TrimPrefix(p, "."), "/"))
		}
	case len(red) > 0:
		return nil, &dropped{dropRed, fmt.Sprintf("%s fails with the fix: %s", red[0], firstFailure(r))}
	case suite.Name == "unittest":
		argv = append([]string{"python3", "-m", "unittest"}, inside(files)...)
	case suite.Name == "node":
		argv = append([]string{"node", "--test"}, inside(files)...)
	default:
		return nil, &dropped{dropRunner, "a case cannot hold what its tests need to be installed; their runner is " + suite.Name}
	}
	if suite.Kind == "python" && suite.Dir == "." && sourced(repo) {
		argv = append([]string{"env", "PYTHONPATH=src"}, argv...)
	}
	if suite.Dir != "." {
		argv = append([]string{"env", "-C", suite.Dir}, argv...)
	}
	return argv, nil
}

// folder is a Go package's, of which a test is known by the folder or by its file.
func folder(name string) string {
	if strings.HasSuffix(name, ".go") {
		return path.Dir(name)
	}
	return name
}

// skipping is a pattern of the tests of Go packages, by their native ids.
func skipping(ids []string) string {
	var names []string
	for _, id := range ids {
		_, name, _ := strings.Cut(id, ":")
		name, _, _ = strings.Cut(name, "/")
		names = append(names, regexp.QuoteMeta(name))
	}
	slices.Sort(names)
	return "^(" + strings.Join(slices.Compact(names), "|") + ")$"
}

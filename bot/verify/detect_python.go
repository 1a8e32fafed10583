package verify

import (
	"context"
	"os"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/sandbox"
)

var (
	pytestStyle   = regexp.MustCompile(`(?m)^\s*(?:import pytest\b|from pytest\b)|^(?:async )?def test\w*\(|^class Test\w*\s*(?:\(\s*(?:object)?\s*\))?\s*:`)
	unittestStyle = regexp.MustCompile(`\bTestCase\b|\bload_tests\b`)
)

// pythonStyle is how a file's tests are written: pytest, unittest or "".
func pythonStyle(src string) string {
	switch {
	case pytestStyle.MatchString(src):
		return suitePytest
	case unittestStyle.MatchString(src):
		return suiteUnittest
	}
	return ""
}

// pythonCandidate tells whether a file's name is that of a test file.
func pythonCandidate(p string) bool {
	base := path.Base(p)
	return strings.HasSuffix(base, ".py") && base != "conftest.py" && base != "__init__.py" && !inDir(p, "testdata", "fixtures") &&
		(strings.HasPrefix(base, "test") || strings.HasSuffix(base, "_test.py") || strings.HasSuffix(base, "_tests.py") || inDir(p, "tests", "test"))
}

// pythonTests lists, seen from dir, the files with unittest-style tests.
func pythonTests(t *tree, dir string, except []string) []string {
	out := []string{}
	for _, f := range t.under(dir, except) {
		if pythonCandidate(f) && unittestStyle.MatchString(t.read(f)) {
			out = append(out, relTo(dir, f))
		}
	}
	return out
}

var pythonMarkers = []string{"pyproject.toml", "setup.cfg", "setup.py", "pytest.ini", ".pytest.ini", "tox.ini"}

// detectPython groups test files by the project that they belong to. A project
// with tests in pytest's style is run by pytest. One with unittest-style tests
// only is run by pytest when its configuration names pytest and the sandbox
// has it, else by unittest.
func (v *Verifier) detectPython(t *tree) []Suite {
	styles := map[string]map[string]bool{}
	rootConfig := pytestConfigured(t, ".")
	for _, f := range t.files {
		if !pythonCandidate(f) {
			continue
		}
		style := pythonStyle(t.read(f))
		dir := "."
		if !rootConfig {
			dir = nearest(t, f, pythonMarkers...)
		}
		if style == suitePytest && !pytestName(f) && !t.pythonFile(dir, f) {
			style = "" // pytest would not collect it by itself
		}
		if style == "" {
			continue
		}
		if styles[dir] == nil {
			styles[dir] = map[string]bool{}
		}
		styles[dir][style] = true
	}
	var out []Suite
	for dir, s := range styles {
		suite := Suite{Name: suiteUnittest, Kind: "python", Dir: dir, Language: "python", Argv: []string{"python3", "-m", "unittest", "discover"}}
		if s[suitePytest] || pytestConfigured(t, dir) && v.pytestHere() {
			suite.Name, suite.Argv = suitePytest, []string{"python3", "-m", "pytest"}
		}
		out = append(out, suite)
	}
	return out
}

func pytestName(p string) bool {
	base := path.Base(p)
	return strings.HasPrefix(base, "test_") || strings.HasSuffix(base, "_test.py")
}

// pytestFiles is pytest's setting for the names of test files.
var pytestFiles = regexp.MustCompile(`(?m)^[ \t]*python_files[ \t]*=[ \t]*((?:.*\n?(?:[ \t]+[^=\n]*\n?)*))`)

// pythonFile tells whether a project's configuration names files like p as tests.
func (t *tree) pythonFile(dir, p string) bool {
	for _, file := range []string{"pyproject.toml", "pytest.ini", ".pytest.ini", "setup.cfg", "tox.ini"} {
		m := pytestFiles.FindStringSubmatch(t.read(joinDir(dir, file)))
		if m == nil {
			continue
		}
		for _, pattern := range strings.FieldsFunc(m[1], func(r rune) bool { return strings.ContainsRune(" \t\r\n,[]\"'", r) }) {
			if ok, _ := path.Match(pattern, path.Base(p)); ok {
				return true
			}
		}
	}
	return false
}

func pytestConfigured(t *tree, dir string) bool {
	if t.have[joinDir(dir, "pytest.ini")] || t.have[joinDir(dir, ".pytest.ini")] || t.have[joinDir(dir, "conftest.py")] {
		return true
	}
	for file, section := range map[string]string{"pyproject.toml": "pytest", "setup.cfg": "[tool:pytest]", "tox.ini": "pytest"} {
		if name := joinDir(dir, file); t.have[name] && strings.Contains(t.read(name), section) {
			return true
		}
	}
	return false
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

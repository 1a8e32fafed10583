package detect

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/verify/parse"
)

var (
	pytestStyle   = lazyregexp.New(`(?m)^\s*(?:import pytest\b|from pytest\b)|^(?:async )?def test\w*\(|^class Test\w*\s*(?:\(\s*(?:object)?\s*\))?\s*:`)
	unittestStyle = lazyregexp.New(`(?m)^[ \t]*class[ \t]+\w+[ \t]*\([^)]*TestCase|\bload_tests\b`)
	toxCommands   = lazyregexp.New(`(?m)^\[testenv\][^\[]*?^commands\s*=\s*((?:.*\n?)(?:[ \t]+.*\n?)*)`)
	noxRun        = lazyregexp.New(`session\.run\(\s*((?:["'][^"'\n]*["']\s*,?\s*)+)`)
	quoted        = lazyregexp.New(`["']([^"']*)["']`)
	pytestTyped   = lazyregexp.New(`(?:^|\s)(?:python\S* -m pytest|pytest|py\.test)(\s.*)?$`)
	pythonDirs    = []string{"pyproject.toml", "setup.cfg", "setup.py", "pytest.ini", ".pytest.ini", "tox.ini", "tox.toml", "noxfile.py", "manage.py"}
)

// PythonTest tells whether a file's name is that of a test file.
func PythonTest(p string) bool {
	base := path.Base(p)
	return strings.HasSuffix(base, ".py") && base != "conftest.py" && base != "__init__.py" && !InDir(p, "testdata", "fixtures") &&
		(strings.HasPrefix(base, "test") || strings.HasSuffix(base, "_test.py") || strings.HasSuffix(base, "_tests.py") || InDir(p, "tests", "test"))
}

// PytestName tells whether pytest collects a file by its name, unless it is told
// other names.
func PytestName(p string) bool {
	base := path.Base(p)
	return strings.HasPrefix(base, "test_") && strings.HasSuffix(base, ".py") || strings.HasSuffix(base, "_test.py")
}

// Unittest tells whether a source has tests in unittest's style.
func Unittest(src string) bool { return unittestStyle.MatchString(src) }

// pytestFiles is pytest's setting for the names of test files.
var pytestFiles = lazyregexp.New(`(?m)^[ \t]*python_files[ \t]*=[ \t]*((?:.*\n?(?:[ \t]+[^=\n]*\n?)*))`)

// collects tells whether pytest finds tests in a file of the project.
func (pr *pyProject) collects(p string) bool {
	for _, file := range []string{"pyproject.toml", "pytest.ini", ".pytest.ini", "setup.cfg", "tox.ini"} {
		m := pytestFiles.FindStringSubmatch(pr.t.Read(pr.file(file)))
		if m == nil {
			continue
		}
		for _, pattern := range strings.FieldsFunc(m[1], func(r rune) bool { return strings.ContainsRune(" \t\r\n,[]\"'", r) }) {
			if ok, _ := path.Match(pattern, path.Base(p)); ok {
				return true
			}
		}
	}
	return PytestName(p)
}

// pyProject is a folder with a Python project.
type pyProject struct {
	t      *Tree
	dir    string
	tests  []string
	pytest bool // some are written for it
}

func (t *Tree) python(p *Plan) {
	projects := map[string]*pyProject{}
	rooted := (&pyProject{t: t, dir: "."}).pytestRoot() != ""
	get := func(f string) *pyProject {
		dir := "."
		if !rooted {
			dir, _ = t.Nearest(f, pythonDirs...)
		}
		if projects[dir] == nil {
			projects[dir] = &pyProject{t: t, dir: dir}
		}
		return projects[dir]
	}
	for _, f := range t.Files {
		if path.Ext(f) != ".py" || InDir(f, "testdata", "fixtures") {
			continue
		}
		if !PythonTest(f) {
			if strings.Contains(path.Dir(f), "/") && !rooted {
				continue
			}
			get(f)
			continue
		}
		src := t.Read(f)
		style, plain := pytestStyle.MatchString(src), Unittest(src)
		if !style && !plain {
			continue
		}
		pr := get(f)
		style = style && pr.collects(f)
		if style || plain {
			pr.tests = append(pr.tests, f)
		}
		pr.pytest = pr.pytest || style
	}
	for _, d := range slices.Sorted(maps.Keys(projects)) {
		projects[d].plan(p)
	}
}

func (pr *pyProject) file(name string) string { return path.Join(pr.dir, name) }

func (pr *pyProject) has(name string) bool { return pr.t.Has(pr.file(name)) }

func (pr *pyProject) says(name string, words ...string) bool {
	if !pr.has(name) {
		return false
	}
	text := pr.t.Read(pr.file(name))
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
}

// python is the interpreter: the project's virtual environment, where it is in
// the tree.
func (pr *pyProject) python() string {
	for _, v := range []string{".venv/bin/python", "venv/bin/python"} {
		if pr.t.installed(pr.file(v)) {
			return v
		}
	}
	return "python3"
}

// pytestRoot is what makes the project's folder pytest's own, "" for nothing.
func (pr *pyProject) pytestRoot() string {
	switch {
	case pr.has("pytest.ini") || pr.has(".pytest.ini"):
		return "there is a pytest.ini"
	case pr.says("pyproject.toml", "[tool.pytest"):
		return "pyproject.toml configures pytest"
	case pr.says("setup.cfg", "[tool:pytest]"):
		return "setup.cfg configures pytest"
	case pr.says("tox.ini", "[pytest]"):
		return "tox.ini configures pytest"
	case pr.has("conftest.py"):
		return "there is a conftest.py"
	}
	return ""
}

// pytestWhy is the reason to run the project's tests by pytest, "" for none.
func (pr *pyProject) pytestWhy() string {
	switch why := pr.pytestRoot(); {
	case why != "":
		return why
	case pr.says("tox.ini", "pytest", "py.test"):
		return "tox.ini runs pytest"
	case pr.says("tox.toml", "pytest"):
		return "tox.toml runs pytest"
	case pr.says("noxfile.py", "pytest"):
		return "noxfile.py runs pytest"
	case pr.has("conftest.py") || pr.has("tests/conftest.py") || pr.has("test/conftest.py"):
		return "there is a conftest.py"
	}
	for _, f := range []string{"requirements.txt", "requirements-dev.txt", "dev-requirements.txt", "requirements/test.txt", "requirements/tests.txt", "test-requirements.txt", "Pipfile", "pyproject.toml", "setup.py", "setup.cfg"} {
		if pr.says(f, "pytest") {
			return f + " asks for pytest"
		}
	}
	return ""
}

func (pr *pyProject) plan(p *Plan) {
	py := pr.python()
	pr.setup(p)
	pr.want(p)
	module := func(kind Kind, tool, mod string, why string, args ...string) {
		p.Commands = append(p.Commands, Command{
			Kind: kind, Tool: tool, Dir: pr.dir, Argv: append([]string{py, "-m", mod}, args...), Typed: typed(tool, args), Format: parse.Lines, Env: pr.env(),
			Needs: []Need{{Module: mod, Python: py, Install: "python3 -m pip install " + mod}}, Why: why,
		})
	}
	pr.linters(module)
	if len(pr.tests) == 0 {
		return
	}
	why := pr.pytestWhy()
	if why == "" && pr.pytest {
		why = "its tests are written for pytest"
	}
	if why != "" {
		p.Commands = append(p.Commands, Command{
			Kind: Test, Tool: "pytest", Dir: pr.dir, Argv: append([]string{py, "-m", "pytest", "-vvv", "-rfE", "--tb=short", "--color=no", "--continue-on-collection-errors", "-p", "no:cacheprovider"}, pr.pytestArgs()...),
			Typed: strings.Join(append([]string{"python3 -m pytest"}, pr.pytestArgs()...), " "), Format: parse.Pytest, Files: pr.tests, Env: pr.env(),
			Needs: []Need{{Module: "pytest", Python: py, Install: "python3 -m pip install pytest"}}, Why: why,
		})
		if !pr.pytest {
			p.Commands[len(p.Commands)-1].Or = "unittest"
		}
		return
	}
	if pr.has("manage.py") && pr.says("manage.py", "DJANGO_SETTINGS_MODULE") {
		p.Commands = append(p.Commands, Command{Kind: Test, Tool: "django", Dir: pr.dir, Argv: []string{py, "manage.py", "test", "--verbosity=2"}, Typed: "python3 manage.py test", Format: parse.Unittest, Env: pr.env(),
			Files: pr.tests, Needs: []Need{{Module: "django", Python: py, Install: "python3 -m pip install django"}}, Why: "manage.py is Django's"})
		return
	}
	args := pr.unittestArgs()
	p.Commands = append(p.Commands, Command{
		Kind: Test, Tool: "unittest", Dir: pr.dir, Argv: append([]string{py, "-m", "unittest", "discover", "-v"}, args...), Files: pr.tests,
		Typed: strings.Join(append([]string{"python3 -m unittest discover"}, args...), " "), Format: parse.Unittest, Env: pr.env(),
		Needs: []Need{{Module: "unittest", Python: py, Install: "install Python 3"}}, Why: "its tests are unittest.TestCase classes, and nothing asks for pytest",
	})
}

// env puts the src folder on the path: an editable installation names the
// folder's own place, and the copy that is checked stands elsewhere.
func (pr *pyProject) env() map[string]string {
	if slices.ContainsFunc(pr.t.Files, func(f string) bool { return strings.HasPrefix(f, pr.file("src")+"/") && path.Base(f) == "__init__.py" }) {
		return map[string]string{"PYTHONPATH": "src"}
	}
	return nil
}

// typed leaves out the flags that only say how to print.
func typed(tool string, args []string) string {
	return strings.Join(append([]string{tool}, slices.DeleteFunc(slices.Clone(args), func(a string) bool {
		return strings.HasPrefix(a, "--no-color") || strings.HasPrefix(a, "--no-error-summary") || strings.HasPrefix(a, "--cache-dir") || strings.HasPrefix(a, "--output-format")
	})...), " ")
}

// linters are run where the repository configures them.
func (pr *pyProject) linters(add func(kind Kind, tool, module, why string, args ...string)) {
	switch {
	case pr.has("ruff.toml") || pr.has(".ruff.toml"):
		add(Lint, "ruff", "ruff", "there is a ruff.toml", "check", "--output-format=concise", ".")
	case pr.says("pyproject.toml", "[tool.ruff"):
		add(Lint, "ruff", "ruff", "pyproject.toml configures ruff", "check", "--output-format=concise", ".")
	}
	switch {
	case pr.has(".flake8"):
		add(Lint, "flake8", "flake8", "there is a .flake8", ".")
	case pr.says("setup.cfg", "[flake8]"):
		add(Lint, "flake8", "flake8", "setup.cfg configures flake8", ".")
	case pr.says("tox.ini", "[flake8]"):
		add(Lint, "flake8", "flake8", "tox.ini configures flake8", ".")
	}
	switch {
	case pr.has("mypy.ini") || pr.has(".mypy.ini"):
		add(Types, "mypy", "mypy", "there is a mypy.ini", pr.mypyArgs()...)
	case pr.says("pyproject.toml", "[tool.mypy]"):
		add(Types, "mypy", "mypy", "pyproject.toml configures mypy", pr.mypyArgs()...)
	case pr.says("setup.cfg", "[mypy]"):
		add(Types, "mypy", "mypy", "setup.cfg configures mypy", pr.mypyArgs()...)
	}
	if pr.has("pyrightconfig.json") || pr.says("pyproject.toml", "[tool.pyright]") {
		add(Types, "pyright", "pyright", "pyright is configured")
	}
}

var mypyTargets = lazyregexp.New(`(?m)^\s*(?:files|packages|modules)\s*=`)

func (pr *pyProject) mypyArgs() []string {
	args := []string{"--no-color-output", "--no-error-summary", "--cache-dir=/dev/null"}
	for _, f := range []string{"mypy.ini", ".mypy.ini", "pyproject.toml", "setup.cfg"} {
		if text := pr.t.Read(pr.file(f)); strings.Contains(text, "mypy") && mypyTargets.MatchString(text) {
			return args
		}
	}
	return append(args, ".")
}

// pytestArgs are the folders that tox or nox names, where the configuration
// does not say testpaths.
func (pr *pyProject) pytestArgs() []string {
	for _, f := range []string{"pytest.ini", ".pytest.ini", "pyproject.toml", "setup.cfg", "tox.ini"} {
		if pr.says(f, "testpaths") {
			return nil
		}
	}
	line := cmp.Or(pr.toxLines(), pr.noxLines())
	for l := range strings.SplitSeq(line, "\n") {
		m := pytestTyped.FindStringSubmatch(strings.TrimSpace(l))
		if m == nil {
			continue
		}
		var out []string
		for _, w := range strings.Fields(m[1]) {
			if !strings.HasPrefix(w, "-") && !strings.ContainsAny(w, "{}=") && (pr.has(w) || slices.ContainsFunc(pr.t.Files, func(f string) bool { return strings.HasPrefix(f, pr.file(strings.TrimSuffix(w, "/"))+"/") })) {
				out = append(out, w)
			}
		}
		return out
	}
	return nil
}

// toxLines are the commands of tox's base environment: from tox.ini, from
// tox.toml, or from pyproject.toml in either form.
func (pr *pyProject) toxLines() string {
	ini := pr.t.Read(pr.file("tox.ini"))
	for _, f := range []string{"tox.toml", "pyproject.toml"} {
		text := pr.t.Read(pr.file(f))
		if len(text) > maxManifest || !pr.says(f, "env_run_base", "legacy_tox_ini") {
			continue
		}
		tables, _, _ := readTOML(text)
		if f == "pyproject.toml" {
			ini = cmp.Or(ini, textAt(tables, "tool", "tox", "legacy_tox_ini"))
			tables = tableAt(tables, "tool", "tox")
		}
		commands, _ := tableAt(tables, "env_run_base")["commands"].([]any)
		var lines []string
		for _, c := range commands {
			words, _ := c.([]any)
			var line []string
			for _, w := range words {
				if s, ok := w.(string); ok { // a table stands for arguments of the person who types
					line = append(line, s)
				}
			}
			lines = append(lines, strings.Join(line, " "))
		}
		if len(lines) > 0 {
			return strings.Join(lines, "\n")
		}
	}
	if m := toxCommands.FindStringSubmatch(ini); m != nil {
		return m[1]
	}
	return ""
}

// noxLines are the commands that nox's sessions run.
func (pr *pyProject) noxLines() string {
	line := ""
	for _, m := range noxRun.FindAllStringSubmatch(pr.t.Read(pr.file("noxfile.py")), -1) {
		var words []string
		for _, q := range quoted.FindAllStringSubmatch(m[1], -1) {
			words = append(words, q[1])
		}
		line += strings.Join(words, " ") + "\n"
	}
	return line
}

// unittestArgs: a folder of tests that is no package has to be named, and so have
// files that unittest does not find by their names.
func (pr *pyProject) unittestArgs() []string {
	named := slices.ContainsFunc(pr.tests, func(f string) bool { return strings.HasPrefix(path.Base(f), "test") })
	tops := map[string]bool{}
	for _, f := range pr.tests {
		rel := strings.TrimPrefix(f, pr.dir+"/")
		top, _, deep := strings.Cut(rel, "/")
		if !deep || pr.has(top+"/__init__.py") {
			tops = nil
			break
		}
		tops[top] = true
	}
	var args []string
	if len(tops) == 1 {
		for top := range tops {
			args = []string{"-s", top}
		}
	}
	if !named {
		args = append(args, "-p", "*.py")
	}
	return args
}

func (pr *pyProject) setup(p *Plan) {
	at := ""
	if pr.dir != "." {
		at = "cd " + pr.dir + " && "
	}
	switch {
	case pr.has("uv.lock"):
		p.Setup = append(p.Setup, at+"uv sync")
	case pr.has("poetry.lock"):
		p.Setup = append(p.Setup, at+"poetry install")
	case pr.has("requirements.txt"):
		p.Setup = append(p.Setup, at+"python3 -m pip install -r requirements.txt")
	case pr.has("pyproject.toml") && pr.says("pyproject.toml", "[project]", "[build-system]"), pr.has("setup.py"):
		p.Setup = append(p.Setup, at+"python3 -m pip install -e .")
	}
}

package patch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/regular"
	"github.com/fettle-dev/fettle/bot/task"
)

// DefaultProtected are the files that decide how a repository is built,
// tested, shipped or owned (SPEC E5): a change to one of them needs a human.
// A glob without a slash matches a name at any depth; ** matches any number
// of folders; a folder's name covers all below it. Case does not matter.
func DefaultProtected() []string {
	return []string{
		".github", ".gitlab", ".gitlab-ci.yml", ".circleci", ".travis.yml", "azure-pipelines.yml", "Jenkinsfile", ".buildkite",
		".fettle.yml", ".fettle", ".ci", "CODEOWNERS", "LICENSE*", "LICENCE*", "COPYING*", "NOTICE*",
		"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb", "Cargo.lock", "poetry.lock",
		"uv.lock", "pdm.lock", "Pipfile.lock", "go.sum", "Gemfile.lock", "composer.lock", "flake.lock", "gradle.lockfile",
		"migrations", "migrate", "alembic", "conftest.py", "pytest.ini", ".pytest.ini", "tox.ini", "noxfile.py", "setup.cfg", "setup.py",
		"pyproject.toml", ".coveragerc", "sitecustomize.py", "usercustomize.py", "*.pth", "go.mod", "go.work",
		"package.json", "jest.config.*", "vitest.config.*", "vite.config.*", ".mocharc*", "karma.conf.*", "playwright.config.*", "cypress.config.*",
		"babel.config.*", ".babelrc*", "tsconfig*.json", "Makefile", "GNUmakefile", "*.mk", "justfile", "Taskfile.y*ml", "CMakeLists.txt",
		"Dockerfile*", "*.dockerfile", "docker-compose*", "compose.y*ml", ".dockerignore", ".gitattributes", ".gitmodules", ".npmrc",
		".yarnrc*", ".pnpmfile.cjs", ".pypirc", "pip.conf", ".pre-commit-config.yaml", ".husky", ".envrc", ".env", ".env.*", ".netrc",
		"deploy*.sh", "release*.sh", "publish*.sh", "scripts/deploy*", "scripts/release*", "scripts/publish*", "bin/deploy*", "bin/release*",
	}
}

// guard is a Guard whose globs were checked.
type guard struct {
	Guard
	protected []string
	maxBytes  int
}

func newGuard(g Guard) (*guard, error) {
	out := &guard{Guard: g, protected: append(DefaultProtected(), g.Protected...), maxBytes: g.MaxBytes}
	if out.maxBytes == 0 {
		out.maxBytes = DefaultMaxBytes
	}
	for _, glob := range slices.Concat(out.protected, g.Scope) {
		if !doublestar.ValidatePattern(literal.Replace(glob)) || glob == "" {
			return nil, fmt.Errorf("the glob %q is not valid: use * ** ? and [a-z]", glob)
		}
	}
	return out, nil
}

// IsProtected tells whether a path needs a human's yes.
func (g Guard) IsProtected(name string) bool {
	return matches(DefaultProtected(), name) != "" || matches(g.Protected, name) != "" || g.Called[name] != ""
}

// admit checks a path and reads the file behind it.
func (g *guard) admit(dir *os.Root, f *file) error {
	creates := f.edits[0].Kind == task.EditCreate
	if why := badPath(f.path, creates); why != "" {
		return refuse(f.path, "", RulePath, "the path %s; name a file inside the repository", why)
	}
	if glob := matches(g.protected, f.path); glob != "" && !g.AllowProtected {
		return refuse(f.path, "", RuleProtected, "this file is protected (%s): a human has to change it; mend the code instead", glob)
	}
	if by := g.Called[f.path]; by != "" && !g.AllowProtected {
		return refuse(f.path, "", RuleProtected, "this file is protected (called by %s): a human has to change it; mend the code instead", by)
	}
	if err := f.read(dir); err != nil {
		return err
	}
	test := code.IsTest(f.path)
	newTest := test && !f.exists
	if test && f.exists && !g.AllowTests {
		return refuse(f.path, "", RuleTests, "existing tests are the evidence and stay as they are; mend the code that they test, or add a new test file")
	}
	if len(g.Scope) > 0 && matches(g.Scope, f.path) == "" && !newTest {
		return refuse(f.path, "", RuleScope, "this file is out of scope; only %s may change", strings.Join(g.Scope, ", "))
	}
	return nil
}

// support refuses to change what only tests stand on: it is as much evidence as
// the tests are.
func (g *guard) support(ctx context.Context, dir *os.Root, changed []*file) error {
	if g.AllowTests || !slices.ContainsFunc(changed, func(f *file) bool { return f.exists && code.LanguageOf(f.path) != code.Unknown }) {
		return nil
	}
	own, err := code.TestSupport(ctx, regular.FS(dir))
	if err != nil {
		return fmt.Errorf("look for what only tests use: %w", err)
	}
	for _, f := range changed {
		if own[f.path] {
			return refuse(f.path, "", RuleTests, "only tests use it, so it is evidence as they are and stays as it is; mend the code that they test")
		}
	}
	return nil
}

// badPath says what is wrong with a path, or "".
func badPath(name string, creates bool) string {
	switch {
	case name == "":
		return "is empty"
	case len(name) > 1000:
		return "is too long"
	case strings.HasPrefix(name, "/"):
		return "is absolute"
	case strings.IndexByte(name, 0) >= 0:
		return "holds a NUL byte"
	case path.Clean(name) != name:
		return "is not in its shortest form"
	}
	for part := range strings.SplitSeq(name, "/") {
		switch {
		case part == ".." || part == ".":
			return "leaves the repository"
		case isDotGit(part):
			return "names a Git directory"
		case len(part) > 255:
			return "is too long"
		}
	}
	if creates {
		return badName(name)
	}
	return ""
}

// badName says why a new file should not be called so.
func badName(name string) string {
	if !utf8.ValidString(name) {
		return "is not UTF-8"
	}
	for _, r := range name {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\\' || r == ':' {
			return "holds a character that does not belong in the name of a new file"
		}
	}
	for part := range strings.SplitSeq(name, "/") {
		if strings.TrimSpace(part) != part || part[0] == '-' || strings.HasSuffix(part, ".") {
			return "has a part that starts or ends in a way that tools misread"
		}
	}
	return ""
}

// isDotGit tells whether some file system takes the name for .git.
func isDotGit(name string) bool {
	for part := range strings.SplitSeq(name, `\`) {
		part, _, _ = strings.Cut(part, ":")
		part = strings.Map(func(r rune) rune {
			if r != utf8.RuneError && unicode.Is(unicode.Cf, r) {
				return -1
			}
			return r
		}, part)
		if part = strings.TrimRight(strings.ToLower(part), " ."); part == ".git" || part == "git~1" {
			return true
		}
	}
	return false
}

// read looks at every part of the path without following a symlink, and reads
// the file when it is there.
func (f *file) read(dir *os.Root) error {
	parts := strings.Split(f.path, "/")
	for i := range parts {
		name := strings.Join(parts[:i+1], "/")
		info, err := dir.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("look at %q: %w", name, err)
		}
		last := i == len(parts)-1
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			return refuse(f.path, "", RuleSymlink, "%q is a symbolic link; edit the file that it points to, under its own path", name)
		case !last && !info.IsDir():
			return refuse(f.path, "", RulePath, "%q is a file, not a folder", name)
		case last && !info.Mode().IsRegular():
			return refuse(f.path, "", RulePath, "this is not a regular file")
		case last && info.Size() > maxFile:
			return refuse(f.path, "", RuleSize, "the file has %d bytes; files over %d are not edited", info.Size(), maxFile)
		}
	}
	var err error
	if f.before, err = regular.ReadIn(dir, f.path, maxFile); err != nil {
		return fmt.Errorf("read %q: %w", f.path, err)
	}
	f.exists = true
	return nil
}

// literal takes from braces the meaning that doublestar gives them: a repository's
// globs could ask for more alternatives than there is time for.
var literal = strings.NewReplacer(`\\`, `\\`, `\{`, `\{`, `\}`, `\}`, "{", `\{`, "}", `\}`)

// matches gives the first glob that covers a path, or "".
func matches(globs []string, name string) string {
	name = strings.ToLower(name)
	for _, glob := range globs {
		pattern := path.Clean(strings.ToLower(glob))
		switch {
		case pattern == "." || pattern == "/":
			pattern = "**"
		case !strings.Contains(pattern, "/") && !strings.HasPrefix(glob, "./"):
			pattern = "**/" + pattern
		}
		if doublestar.MatchUnvalidated(literal.Replace(strings.TrimPrefix(pattern, "/"))+"/**", name) {
			return glob
		}
	}
	return ""
}

package detect

import (
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// Absent says, in a line each, what the tree names and does not hold: the content
// of files that Git LFS keeps, and submodules. fettle fetches neither.
func (t *Tree) Absent() (out []string) {
	if files := t.pointers(); len(files) > 0 {
		what := "files are Git LFS pointers, not their content"
		if len(files) == 1 {
			what = "file is a Git LFS pointer, not its content"
		}
		out = append(out, fmt.Sprintf("%d %s: %s; fettle fetches none: in a working copy install git-lfs, run `git lfs pull` and start fettle there", len(files), what, few(files)))
	}
	for _, dir := range t.submodules() {
		if list, err := fs.ReadDir(t.fsys, dir); err != nil || len(list) == 0 || len(list) == 1 && list[0].Name() == ".git" {
			out = append(out, fmt.Sprintf("the submodule %s is not there: fettle fetches none; tests that need it stay red here and are left to the repository's own CI", dir))
		}
	}
	return out
}

func few(files []string) string {
	if len(files) > 3 {
		return strings.Join(files[:3], ", ") + ", …"
	}
	return strings.Join(files, ", ")
}

// pointer is how the text of a Git LFS pointer begins (its specification, version 1).
const pointer = "version https://git-lfs.github.com/spec/v1\n"

// pointers lists the files that are pointers, where some .gitattributes gives files to LFS.
func (t *Tree) pointers() (out []string) {
	lfs := func(f string) bool {
		return path.Base(f) == ".gitattributes" && strings.Contains(t.Read(f), "filter=lfs")
	}
	if !slices.ContainsFunc(t.Files, lfs) {
		return nil
	}
	for _, f := range t.Files {
		if t.isPointer(f) {
			out = append(out, f)
		}
	}
	return out
}

func (t *Tree) isPointer(p string) bool {
	const most = 1024 // says the specification
	if info, err := fs.Stat(t.fsys, p); err != nil || info.Size() >= most {
		return false
	}
	f, err := t.fsys.Open(p)
	if err != nil {
		return false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most))
	return err == nil && strings.HasPrefix(string(data), pointer)
}

var submodulePath = lazyregexp.New(`(?m)^\s*path\s*=\s*"?([^"\r\n]+?)"?\s*$`)

// submodules are the folders that .gitmodules names.
func (t *Tree) submodules() (out []string) {
	if !t.Has(".gitmodules") {
		return nil
	}
	for _, m := range submodulePath.FindAllStringSubmatch(t.Read(".gitmodules"), -1) {
		if dir := path.Clean(m[1]); fs.ValidPath(dir) && dir != "." {
			out = append(out, dir)
		}
	}
	return unique(out)
}

var (
	composed = lazyregexp.New(`(?:^|/)(?:docker-)?compose(?:[.-][\w.-]+)?\.ya?ml$|^\.github/workflows/[^/]+\.ya?ml$|^\.gitlab-ci\.yml$`)
	images   = lazyregexp.New(`\b(?:image|name)\s*:\s*["']?(?:[\w.-]+/)*(postgres|postgis|mysql|mariadb|redis|valkey)(?:[:@"'\s}-]|$)`)
	asKind   = map[string]string{"postgres": "postgres", "postgis": "postgres", "mysql": "mysql", "mariadb": "mysql", "redis": "redis", "valkey": "redis"}
)

// services are those that fettle can start, of which the files for Compose and for
// continuous integration name an image.
func (t *Tree) services() (out []string) {
	for _, f := range t.Files {
		if !composed.MatchString(f) {
			continue
		}
		for _, m := range images.FindAllStringSubmatch(t.Read(f), -1) {
			out = append(out, asKind[m[1]])
		}
	}
	return unique(out)
}

// wantsGit is how tests, and what builds for them, show that they look for the
// repository that they stand in.
var wantsGit = lazyregexp.New("[\"'`]git[\"'` ]|\\bgit (?:-C|log|rev-parse|rev-list|describe|status|ls-files|diff|show|blame|branch|tag|config)\\b|\\.git[\"'`/]|" +
	`\bimport git\b|\bgit\.Repo\b|simple-git|isomorphic-git|nodegit|go-git|libgit2|pygit2|\brugged\b|jgit|git-commit-id|` +
	`setuptools[_-]scm|hatch-vcs|versioneer|versioningit|poetry-dynamic-versioning|setuptools-git|vergen|gitversion`)

// builders are the files beside tests in which versions are taken from Git.
var builders = map[string]bool{"pyproject.toml": true, "setup.py": true, "setup.cfg": true, "conftest.py": true, "tox.ini": true, "package.json": true,
	"Cargo.toml": true, "build.rs": true, "pom.xml": true, "build.gradle": true, "build.gradle.kts": true, "CMakeLists.txt": true, "Rakefile": true, "Makefile": true}

// WantsGit tells whether the tests look like ones that need a working copy of Git.
func (t *Tree) WantsGit() bool {
	for _, f := range t.Files {
		text := ""
		switch {
		case builders[path.Base(f)] || strings.HasSuffix(f, ".gemspec"):
			text = addresses.ReplaceAllString(t.Read(f), "")
		case code.IsTest(f):
			text = t.Read(f)
		}
		if wantsGit.MatchString(text) {
			return true
		}
	}
	return false
}

// addresses of repositories name Git and need none.
var addresses = lazyregexp.New(`(?:git\+|git://|https?://|git@|ssh://)[^\s"']*|"type"\s*:\s*"git"`)

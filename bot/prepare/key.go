package prepare

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/sandbox"
)

// keyVersion changes when what a layer holds, or how it is made, changes.
const keyVersion = 3

// lockNames are files that pin dependencies: where one is there and nothing is
// installed beside it, a setup is needed.
var lockNames = []string{
	"package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb",
	"poetry.lock", "uv.lock", "pdm.lock", "Pipfile.lock", "pylock.toml", "go.sum", "Cargo.lock", "gradle.lockfile",
	"Gemfile.lock", "gems.locked", "composer.lock",
}

// Pins tells whether a file pins dependencies.
func Pins(p string) bool {
	base := path.Base(p)
	return slices.Contains(lockNames, base) || base == "go.work.sum"
}

// manifestNames say beside them what is installed and how.
var manifestNames = append([]string{
	"package.json", "pnpm-workspace.yaml", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", "bunfig.toml", "lerna.json", ".nvmrc", ".node-version",
	"pyproject.toml", "setup.py", "setup.cfg", "Pipfile", "MANIFEST.in", "tox.ini", "environment.yml", ".python-version", "pip.conf", "uv.toml", "poetry.toml",
	"go.mod", "go.work", "go.work.sum", "Cargo.toml", "rust-toolchain", "rust-toolchain.toml",
	"pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "gradle.properties", "gradle-wrapper.properties", "libs.versions.toml",
	"Gemfile", "gems.rb", ".ruby-version", "composer.json", ".tool-versions", "mise.toml",
}, lockNames...)

var requirements = regexp.MustCompile(`(?i)^(.*requirements.*|constraints.*)\.(txt|in)$`)

// Names tells whether a file says which dependencies are installed and how.
func Names(p string) bool {
	base := path.Base(p)
	return slices.Contains(manifestNames, base) || requirements.MatchString(base) ||
		path.Ext(base) == ".txt" && strings.Contains(path.Base(path.Dir(p)), "requirements")
}

// Bounds of what a key is made of. A tree with more gets a key all the same: the
// names and sizes of the rest stand in it.
const (
	maxManifests = 5000
	maxManifest  = 64 << 20
)

// Pinned tells whether a tree obviously needs a setup: it pins dependencies and
// neither it nor the folders beside it (in which packages are installed) hold any.
func Pinned(tree fs.FS, beside ...string) bool {
	_, lacking := pins(tree, beside...)
	return lacking
}

// Installed tells whether a tree pins dependencies and holds them, as a folder
// that somebody works in does.
func Installed(tree fs.FS) bool {
	pinned, lacking := pins(tree)
	return pinned && !lacking
}

func pins(tree fs.FS, beside ...string) (pinned, lacking bool) {
	walk(tree, func(p string) bool {
		base := path.Base(p)
		if (slices.Contains(lockNames, base) || base == "requirements.txt") && !example(p) {
			pinned, lacking = true, !installedBeside(tree, beside, path.Dir(p))
		}
		return !lacking
	})
	return pinned, lacking
}

// example tells whether a file lies among data of tests and examples.
func example(p string) bool {
	return slices.ContainsFunc(strings.Split(path.Dir(p), "/"), func(d string) bool {
		return slices.Contains([]string{"testdata", "fixtures", "__fixtures__", "example", "examples"}, d)
	})
}

func installedBeside(tree fs.FS, beside []string, dir string) bool {
	for d := dir; ; d = path.Dir(d) {
		for _, name := range []string{"node_modules", ".venv", "venv", "vendor"} {
			if info, err := fs.Stat(tree, path.Join(d, name)); err == nil && info.IsDir() {
				return true
			}
		}
		if slices.ContainsFunc(beside, func(f string) bool { return path.Dir(f) == d }) {
			return true
		}
		if d == "." {
			return false
		}
	}
}

// walk visits the regular files of a tree, without what is installed, until
// visit says no.
func walk(tree fs.FS, visit func(p string) bool) {
	_ = fs.WalkDir(tree, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fs.SkipDir // a folder that cannot be read names nothing
		case d.IsDir() && p != "." && code.Foreign(d.Name()):
			return fs.SkipDir
		case d.Type().IsRegular() && !visit(p):
			return fs.SkipAll
		}
		return nil
	})
}

// putter adds values to a hash.
func putter(sum io.Writer) func(parts ...any) {
	return func(parts ...any) {
		raw, err := json.Marshal(parts) // unambiguous: no part can run into the next
		if err != nil {
			raw = fmt.Appendf(nil, "%q", parts)
		}
		_, _ = sum.Write(append(raw, '\n')) // a hash takes everything
	}
}

// keyOfFolders names what is installed in folders of the user's.
func (p *Preparer) keyOfFolders(box *sandbox.Sandbox, req Request) (string, error) {
	sum := sha256.New()
	put := putter(sum)
	put("fettle folders", keyVersion, req.Folder, box.Walls().User)
	for _, m := range box.Tools() {
		put("tool", m.Name, m.Version, m.Path) // links to them are taken
	}
	for _, f := range req.Installed {
		shape, err := sandbox.Shape(filepath.Join(req.Folder, filepath.FromSlash(f)))
		if err != nil {
			return "", fmt.Errorf("prepare: looking at what is installed in %s: %w", f, err)
		}
		put("folder", f, shape)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// key names what a setup leaves: what is equal for equal results, and differs
// wherever sharing could carry something over.
func (p *Preparer) key(box *sandbox.Sandbox, req Request) (string, error) {
	sum := sha256.New()
	put := putter(sum)
	put("fettle setup", keyVersion, req.Installation, req.Repo, req.Commands, p.cfg.Env, box.Walls().User)
	for _, t := range box.Tools() {
		put("tool", t.Name, t.Version, t.Path)
	}
	left := maxManifests
	var failed error
	walk(req.Tree, func(name string) bool {
		if !Names(name) && !slices.ContainsFunc(req.Commands, func(c string) bool { return mentions(c, name) }) {
			return true
		}
		digest := "too many"
		if info, err := fs.Stat(req.Tree, name); err == nil {
			digest = fmt.Sprintf("%s, %d bytes", digest, info.Size())
		}
		if left--; left >= 0 {
			if digest, failed = digestOf(req.Tree, name); failed != nil {
				return false
			}
		}
		put("file", name, digest)
		return true
	})
	if failed == nil && runsTree(req.Tree) {
		digest, err := digestAll(req.Tree)
		put("tree", digest)
		failed = err
	}
	if failed != nil {
		return "", fmt.Errorf("prepare: reading what pins the dependencies: %w", failed)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// mentions tells whether a command names a file of the tree, or make reads it.
func mentions(command, name string) bool {
	for w := range strings.FieldsFuncSeq(command, func(r rune) bool { return strings.ContainsRune(" \t\"'=;&|()<>", r) }) {
		w = strings.TrimPrefix(w, "./")
		if w == name || w == path.Base(name) && strings.Contains(w, ".") || w == "make" && slices.Contains([]string{"Makefile", "makefile", "GNUmakefile"}, path.Base(name)) {
			return true
		}
	}
	return false
}

func digestOf(tree fs.FS, name string) (string, error) {
	f, err := tree.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, io.LimitReader(f, maxManifest+1))
	if err != nil {
		return "", err
	}
	if n > maxManifest {
		return "", fmt.Errorf("%s has more than %d MiB", name, maxManifest>>20)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

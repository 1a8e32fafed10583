package verify

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/verify/detect"
)

// configFiles decide what is run as a test and how.
var configFiles = []string{
	"conftest.py", "pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg", "pyproject.toml", "setup.py", "noxfile.py", ".coveragerc",
	"sitecustomize.py", "usercustomize.py",
	"package.json", "package-lock.json", "pnpm-lock.yaml", "yarn.lock", ".npmrc", ".mocharc.json", ".mocharc.jsonc", ".mocharc.js", ".mocharc.cjs", ".mocharc.mjs", ".mocharc.yml", ".mocharc.yaml", ".babelrc", ".taprc",
	"go.mod", "go.sum", "go.work", "go.work.sum",
	"Cargo.toml", "Cargo.lock", "build.rs", "rust-toolchain", "rust-toolchain.toml", ".swcrc",
	"Gemfile", "Gemfile.lock", "gems.rb", "gems.locked", "Rakefile", ".rspec", ".rspec-local", ".ruby-version", ".tool-versions", "spec_helper.rb", "rails_helper.rb", "test_helper.rb",
	"composer.json", "composer.lock", "phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml", "php.ini", ".user.ini",
	"pom.xml", "mvnw", "gradlew", "gradle.properties", "junit-platform.properties", "testng.xml",
	"CMakeLists.txt", "CMakePresets.json", "CMakeUserPresets.json", "conanfile.txt", "conanfile.py", "vcpkg.json", "meson.build",
	"Makefile", ".fettle.yml",
}

// runnerConfig are settings of vitest, jest and what they compile with: such a file
// is run in the runner's own process.
var runnerConfig = lazyregexp.New(`^(?:jest|vitest|vite|babel)\.(?:config|setup|workspace)\.`)

// installedRunner are the places where composer and bundler put runners. What they
// have installed for a run is no part of the tree; what a patch puts there is.
var installedRunner = lazyregexp.New(`(?:^|/)vendor/(?:autoload\.php$|(?:bin|phpunit|composer|bundle)/)`)

// gradleConfig are Gradle's scripts, and what stands beside its wrapper.
var gradleConfig = lazyregexp.New(`\.gradle(?:\.kts)?$|\.versions\.toml$|(?:^|/)gradle/(?:wrapper/|[^/]+$)`)

// protectedPath tells whether a file belongs to the tests or their
// configuration: the base's version of it is what judges.
func protectedPath(p string) bool {
	return configPath(p) || detect.InDir(p, "tests", "test", "__tests__", "testdata", "spec", "fixtures", "__snapshots__", "__mocks__", "integrationTest", "testFixtures") ||
		code.IsTest(p) || strings.HasSuffix(p, "_test.go") || detect.PytestName(p)
}

// configPath tells whether a file decides what is run as a test and how.
func configPath(p string) bool {
	base := path.Base(p)
	switch {
	case slices.Contains(configFiles, base), slices.Contains([]string{".pth", ".gemspec"}, path.Ext(base)):
		return true
	case runnerConfig.MatchString(base), detect.InDir(p, ".cargo", ".bundle", ".mvn", "buildSrc"), gradleConfig.MatchString(p), installedRunner.MatchString(p):
		return true
	case path.Ext(p) == ".cmake", path.Ext(p) == ".class", path.Ext(p) == ".jar", strings.Contains("/"+p, "/META-INF/services/"): // what a JVM loads instead, and listeners
		return true
	}
	return false
}

// Protected tells whether a path holds tests or their configuration, which are
// put back to the base's version before a patch is judged.
func Protected(p string) bool { return protectedPath(p) }

// Configures tells whether a protected path decides what is run as a test and how,
// and is not only what a test reads.
func Configures(p string) bool {
	return configPath(p) && !detect.InDir(p, "testdata", "fixtures", "__fixtures__")
}

// restore puts the base's tests and test configuration back, byte for byte, with
// the files that only they stand on (support), and removes those that the base does
// not have, but for keep. It runs before any code of the tree does. What it undid
// is returned for the reasons.
func restore(b box, base fs.FS, support map[string]bool, keep []string) (undone []string, err error) {
	now, err := scanAll(b)
	if err != nil {
		return nil, fmt.Errorf("listing the copy: %w", err)
	}
	then, err := scanFS(base)
	if err != nil {
		return nil, fmt.Errorf("listing the base: %w", err)
	}
	for _, p := range keys(now) {
		if protectedPath(p) && !then[p] && !slices.Contains(keep, p) {
			if err := b.Remove(p); err != nil {
				return nil, fmt.Errorf("removing the added %s: %w", p, err)
			}
			undone = append(undone, p)
		}
	}
	for _, p := range keys(then) {
		if !protectedPath(p) && !support[p] {
			continue
		}
		want, err := fs.ReadFile(base, p)
		if err != nil {
			return nil, fmt.Errorf("reading %s of the base: %w", p, err)
		}
		if have, err := b.ReadFile(p, int64(len(want))); err == nil && bytes.Equal(have, want) {
			continue
		}
		if err := b.WriteFile(p, want); err != nil {
			return nil, fmt.Errorf("restoring %s: %w", p, err)
		}
		undone = append(undone, p)
	}
	slices.Sort(undone)
	return undone, nil
}

// scanAll lists everything in the copy that is not a folder, links too: they
// are removed and replaced like files, never followed.
func scanAll(b box) (map[string]bool, error) {
	root, err := os.OpenRoot(b.Path())
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return walk(root.FS(), true)
}

func scanFS(fsys fs.FS) (map[string]bool, error) { return walk(fsys, false) }

func walk(fsys fs.FS, links bool) (map[string]bool, error) {
	out := map[string]bool{}
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if p != "." && (d.Name() == "node_modules" || d.Name() == ".git" || d.Name() == "__pycache__") {
				return fs.SkipDir
			}
			return nil
		}
		if d.Type().IsRegular() || links {
			out[p] = true
		}
		return nil
	})
	return out, err
}

package history

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// errUnfit says that a commit's tree cannot be run here, not that something
// went wrong.
var errUnfit = errors.New("the tree cannot be run")

const installLimit = 2 * time.Minute

// Tree lays the tree of a commit, with what its tests need inside the tree or
// in Go's module cache, into the work folder, if it is not there. Nothing of
// the tree is started for it.
func (s Sources) Tree(ctx context.Context, language, repo, commit string) (string, error) {
	dir := store(s.Work, "trees", strings.Replace(repo, "/", "+", 1)+"@"+commit[:min(12, len(commit))])
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	bare, err := s.Repo(ctx, repo)
	if err != nil {
		return "", err
	}
	part := dir + ".part"
	if err := errors.Join(os.RemoveAll(part), os.MkdirAll(filepath.Dir(dir), 0o755)); err != nil {
		return "", err
	}
	err = lay(ctx, bare, commit, part)
	switch {
	case err != nil && ctx.Err() == nil:
		err = fmt.Errorf("%w: %w", errUnfit, err) // a mirror may lack objects
	case err != nil:
	case language == "go":
		err = goModules(ctx, part)
	case language == "javascript":
		err = s.nodeModules(ctx, part)
	}
	if err != nil {
		return "", errors.Join(fmt.Errorf("laying %s at %s: %w", repo, commit, err), os.RemoveAll(part))
	}
	return dir, os.Rename(part, dir)
}

// Drop takes a tree away again.
func (s Sources) Drop(repo, commit string) error {
	return os.RemoveAll(store(s.Work, "trees", strings.Replace(repo, "/", "+", 1)+"@"+commit[:min(12, len(commit))]))
}

// goModules fetches the modules that a tree needs.
func goModules(ctx context.Context, dir string) error {
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		return fmt.Errorf("%w: no go.mod", errUnfit)
	}
	ctx, cancel := context.WithTimeout(ctx, installLimit)
	defer cancel()
	if _, err := run(ctx, dir, []string{"GOTOOLCHAIN=local", "GOWORK=off", "GOFLAGS=-mod=mod"}, "go", "mod", "download"); err != nil {
		return fmt.Errorf("%w: %w", errUnfit, err)
	}
	return nil
}

// unneeded are packages that tests of a library do not load: linters, builders,
// browsers, coverage, releases.
var unneeded = regexp.MustCompile(`^(@types/.*|@typescript-eslint/.*|@babel/eslint.*|@semantic-release/.*|@commitlint/.*|eslint.*|.*-eslint|prettier.*|standard|standard-version|neostandard|` +
	`webpack.*|rollup.*|@rollup/.*|karma.*|browserify|uglify.*|terser|husky|lint-staged|semantic-release|typedoc|puppeteer.*|playwright.*|selenium.*|sauce.*|nyc|c8|istanbul|codecov|` +
	`coveralls|jest|.*benchmark.*|release-it|np|documentation|microtime|nodemon|grunt.*|gulp.*|xo|tsd|remark-cli|remark-preset.*|vitest|@vitest/.*|vite|.*-loader|auto-changelog|tsup|size-limit|@size-limit/.*|cypress|serve|http-server|dtslint|` +
	`type-coverage|pre-commit|jshint|jscs|evalmd|airtap|zuul|bundle-size|bundlesize|@web/.*|electron.*|downlevel-dts|markdownlint.*|nx|lerna|@changesets/.*)$`)

// nodeModules gives a tree the packages that it asks for. One installation
// serves all trees of the work folder that ask for the same names in the same
// major versions.
func (s Sources) nodeModules(ctx context.Context, dir string) error {
	var pkg struct {
		Dependencies    map[string]string `json:"dependencies"`
		DevDependencies map[string]string `json:"devDependencies"`
		Scripts         map[string]string `json:"scripts"`
	}
	data, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err == nil {
		err = json.Unmarshal(data, &pkg)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errUnfit, err)
	}
	want := pkg.Dependencies
	if want == nil {
		want = map[string]string{}
	}
	for name, version := range pkg.DevDependencies {
		if !unneeded.MatchString(name) {
			want[name] = version
		}
	}
	for name, version := range want {
		if strings.ContainsAny(version, "/:") && !strings.HasPrefix(version, "npm:") {
			return fmt.Errorf("%w: %s comes from elsewhere than the registry", errUnfit, name)
		}
	}
	if len(want) == 0 {
		return nil
	}
	from, err := s.install(ctx, want)
	if err != nil {
		return err
	}
	_, err = run(ctx, "", nil, "cp", "-a", "--reflink=auto", "--", from, filepath.Join(dir, "node_modules"))
	return err
}

var major = regexp.MustCompile(`\d+(\.\d+)?`)

// install installs packages once, without their scripts.
func (s Sources) install(ctx context.Context, want map[string]string) (string, error) {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		v := major.FindString(want[name])
		if cut, _, _ := strings.Cut(v, "."); cut != "0" {
			v = cut
		}
		fmt.Fprintf(h, "%s@%s\n", name, v)
	}
	dir := store(s.Work, "npm", hex.EncodeToString(h.Sum(nil))[:16])
	modules := filepath.Join(dir, "node_modules")
	if _, err := os.Stat(filepath.Join(dir, "failed")); err == nil {
		return "", fmt.Errorf("%w: its packages could not be installed before", errUnfit)
	}
	if _, err := os.Stat(modules); err == nil {
		return modules, nil
	}
	part, err := os.MkdirTemp(filepath.Dir(mkdir(dir)), ".install-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(part)
	data, err := json.Marshal(map[string]any{"name": "tree", "version": "1.0.0", "private": true, "dependencies": want})
	if err == nil {
		err = os.WriteFile(filepath.Join(part, "package.json"), data, 0o644)
	}
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, installLimit)
	defer cancel()
	_, err = run(ctx, part, nil, "npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--legacy-peer-deps", "--prefer-offline", "--loglevel=error")
	if _, none := os.Stat(filepath.Join(part, "node_modules")); err != nil || none != nil {
		var exit *exec.ExitError
		if ctx.Err() != nil {
			return "", fmt.Errorf("%w: installing its packages was cut short: %w", errUnfit, ctx.Err())
		}
		if err = fmt.Errorf("%w: %w", errUnfit, err); errors.As(err, &exit) {
			err = errors.Join(err, os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, "failed"), []byte(err.Error()), 0o644))
		}
		return "", err
	}
	if err := os.Rename(part, dir); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return modules, nil
}

// mkdir makes the folder that dir lies in and gives dir.
func mkdir(dir string) string {
	_ = os.MkdirAll(filepath.Dir(dir), 0o755) // whoever writes there sees the fault
	return dir
}

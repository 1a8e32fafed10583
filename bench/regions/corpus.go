package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// packages are what npm installs for the group of scripts.
var packages = []string{
	"typescript@5", "rxjs@7", "zod@3", "effect@3", "date-fns@4", "eslint@9", "express@5", "lodash@4",
	"@tanstack/query-core@5", "@types/node@22", "prettier@3", "webpack@5", "@babel/core@7", "type-fest@4",
	"jest@29", "commander@12", "mocha@11", "preact@10",
}

const maxFile = 1 << 20 // larger files have their own tests

// outlined are the groups of languages that are read in their outline. PHP's own
// tokenizer and universal-ctags give the names of definitions with the line where
// the name stands and, mostly, the last one.
var outlined = []string{"php", "c", "c++", "java", "rust", "ruby"}

// group of a file: python, go, script, one of the outlined, or "".
func group(path string) string {
	switch lang := code.LanguageOf(path); lang {
	case code.Python:
		return "python"
	case code.Go:
		return "go"
	case code.JavaScript, code.TypeScript, code.TSX:
		return "script"
	case code.C:
		if strings.HasSuffix(path, ".h") {
			if src, err := os.ReadFile(path); err == nil && code.LanguageIn(path, src) == code.CPP {
				return "c++"
			}
		}
		return "c"
	case code.PHP, code.CPP, code.Java, code.Rust, code.Ruby:
		return string(lang)
	}
	return ""
}

// npm installs the packages once and returns the folder.
func (b *bench) npm(ctx context.Context) (string, error) {
	dir := filepath.Join(b.dir, "npm")
	if _, err := os.Stat(filepath.Join(dir, "node_modules", "typescript")); err == nil {
		return filepath.Join(dir, "node_modules"), nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("make a folder for npm: %w", err)
	}
	fmt.Fprintln(os.Stderr, "installing the npm packages of the corpus …")
	cmd := exec.CommandContext(ctx, "npm", append([]string{"install", "--prefix", dir, "--ignore-scripts", "--no-audit", "--no-fund", "--silent"}, packages...)...)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("npm install: %w", err)
	}
	return filepath.Join(dir, "node_modules"), nil
}

// roots are the folders to look in.
func (b *bench) roots(ctx context.Context) ([]string, error) {
	if list := os.Getenv("FETTLE_CORPUS"); list != "" {
		return filepath.SplitList(list), nil
	}
	var roots []string
	for _, ask := range [][]string{
		{"python3", "-c", "import sysconfig; print(sysconfig.get_paths()['stdlib'])"},
		{"go", "env", "GOROOT"},
	} {
		out, err := exec.CommandContext(ctx, ask[0], ask[1:]...).Output()
		if err != nil {
			b.miss("the corpus of %s: %v", ask[0], err)
			continue
		}
		roots = append(roots, strings.TrimSpace(string(out)))
	}
	roots = append(roots, "/usr/include", "/usr/share/php", "/usr/lib/ruby") // where Debian has them
	modules, err := b.npm(ctx)
	if err != nil {
		b.miss("the corpus of npm packages: %v", err)
		return roots, nil
	}
	return append(roots, modules), nil
}

// corpus samples at most limit files of each group, the same ones each time.
func (b *bench) corpus(ctx context.Context) (map[string][]string, error) {
	roots, err := b.roots(ctx)
	if err != nil {
		return nil, err
	}
	out := map[string][]string{}
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return nil //nolint:nilerr // what cannot be read is no part of the corpus
			}
			g := group(path)
			if info, err := d.Info(); err != nil || g == "" || info.Size() > maxFile || info.Size() == 0 {
				return nil //nolint:nilerr // as above
			}
			out[g] = append(out[g], path)
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("look for files in %s: %w", root, err)
		}
	}
	for g := range out {
		out[g] = b.sample(out[g], b.limit)
	}
	return out, nil
}

// sample takes n of the paths, in an order that depends on the seed alone.
func (b *bench) sample(paths []string, n int) []string {
	rank := func(path string) uint64 {
		h := fnv.New64a()
		fmt.Fprintf(h, "%d %s", b.seed, path)
		return h.Sum64()
	}
	paths = slices.Clone(paths)
	slices.SortFunc(paths, func(x, y string) int {
		if rank(x) < rank(y) {
			return -1
		}
		return 1
	})
	return paths[:min(n, len(paths))]
}

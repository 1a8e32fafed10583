package main

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/code/mutate"
	"github.com/fettle-dev/fettle/bot/verify/detect"
)

// fault is a source file with one operator applied.
type fault struct {
	path string
	text []byte
	name string // "file:line what"
}

const maxSource = 256 << 10

// faults lists the faults of a tree's sources in an order that the seed
// decides, at most one for each line.
func faults(ctx context.Context, dir string, seed uint64) ([]fault, error) {
	var out []fault
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	err = fs.WalkDir(root.FS(), ".", func(rel string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && rel != "." || detect.Ignored(rel+"/x")) {
			return fs.SkipDir
		}
		if !d.Type().IsRegular() || !plantable(rel) {
			return nil
		}
		src, err := root.ReadFile(rel)
		if err != nil || len(src) > maxSource {
			return err
		}
		some, err := faultsOf(ctx, rel, src)
		out = append(out, some...)
		return err
	})
	rng := rand.New(rand.NewPCG(seed, uint64(len(out)))) //nolint:gosec // a sample that has to come back the same, no secret
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out, err
}

// plantable leaves out tests and what tells about the project rather than is it.
func plantable(rel string) bool {
	if code.IsTest(rel) || len(mutate.Operators(code.LanguageOf(rel))) == 0 {
		return false
	}
	for part := range strings.SplitSeq(rel, "/") {
		switch strings.TrimSuffix(part, filepath.Ext(part)) {
		case "docs", "doc", "examples", "_examples", "bench", "benchmarks", "scripts", "misc", "setup", "conf", "conftest", "tests", "test", "testdata", "other":
			return false
		}
	}
	return !strings.Contains(rel, ".config.")
}

func faultsOf(ctx context.Context, rel string, src []byte) ([]fault, error) {
	tree, err := code.Parse(ctx, code.LanguageOf(rel), src)
	if err != nil {
		return nil, fmt.Errorf("parsing %s: %w", rel, err)
	}
	regions, err := code.Regions(ctx, rel, src)
	if err != nil {
		return nil, fmt.Errorf("reading the regions of %s: %w", rel, err)
	}
	var out []fault
	seen := map[int]bool{}
	for _, r := range regions {
		for _, m := range mutate.Mutations(tree, r.StartByte, r.EndByte) {
			if !seen[m.Line] {
				seen[m.Line] = true
				out = append(out, fault{rel, mutate.Apply(src, m), fmt.Sprintf("%s:%d %s", rel, m.Line, m.Description)})
			}
		}
	}
	return out, nil
}

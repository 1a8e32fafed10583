package mend

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/fettle-dev/fettle/bot/code/schemata"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/testgen/probe"
)

// probe builds all candidates at once, with each function telling the probing
// package of its calls, and runs the tests on each.
func (b *goBench) probe(ctx context.Context, cs []candidate, tests []verify.TestResult) ([]*behaviour, error) {
	if err := b.look(ctx); err != nil {
		return nil, err
	}
	out := make([]*behaviour, len(cs))
	if b.types == nil {
		return out, nil
	}
	h := &hooked{bench: b, sch: together(cs[1:])}
	b.types.sift(h.sch, cs[1:])
	spots := map[string]bool{}
	for _, c := range cs[1:] {
		spots[c.spot()] = true
	}
	pkgs, groups := byPackage(tests, b.suite)
	if err := h.lay(pkgs); err != nil {
		return nil, err
	}
	defer h.restore()
	h.sch.MarkBuilt()
	for k, pkg := range pkgs {
		name := fmt.Sprintf("probe%d.test", k)
		res, err := b.build(ctx, b.spaces[0], pkg, name)
		if err != nil {
			return nil, err
		}
		if !res.OK() {
			continue
		}
		var mu sync.Mutex
		err = all(ctx, len(b.shared), len(cs), func(worker, i int) error {
			if i > 0 && !h.sch.Built[i-1] {
				return nil
			}
			seen, err := b.watch(ctx, worker, pkg, name, i, spots, groups[pkg])
			mu.Lock()
			defer mu.Unlock()
			if seen != nil && out[i] != nil {
				maps.Copy(out[i].outcomes, seen.outcomes)
				maps.Copy(out[i].calls, seen.calls)
			} else if seen != nil {
				out[i] = seen
			}
			return err
		})
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// watch runs the tests of a package on one candidate, 0 for the code as it is,
// and reads what was written down.
func (b *goBench) watch(ctx context.Context, worker int, pkg, name string, candidate int, spots map[string]bool, tests []verify.TestResult) (*behaviour, error) {
	file := fmt.Sprintf("probe%d.txt", worker)
	req := b.call(name, pkg, goRequest{CPU: 8000, Wall: 10_000}, candidate, "-test.run="+pattern(tests, b.suite))
	req.Env = append(req.Env, "FETTLE_PROBE=/out/"+file, "FETTLE_SPOTS="+strings.Join(slices.Sorted(maps.Keys(spots)), "\n"))
	if _, err := b.shared[worker].run(ctx, req); err != nil {
		return nil, err
	}
	raw, err := b.spaces[0].ReadOut(file, maxAnswer)
	if err != nil {
		return nil, nil //nolint:nilerr,nilnil // nothing was seen
	}
	return b.goBehaviour(raw, tests), nil
}

// goBehaviour reads records as package probe writes them.
func (b *goBench) goBehaviour(raw []byte, tests []verify.TestResult) *behaviour {
	out := newBehaviour()
	for line := range bytes.Lines(raw) {
		var r struct {
			Probe, Input, Spot, Outcome, After, Shared, Called, Test string
			Entry                                                    bool
		}
		if json.Unmarshal(line, &r) != nil {
			continue // the last one may have been cut off
		}
		if r.Called == "" {
			out.outcomes[r.Probe] = outcome{input: r.Input, entry: r.Entry, spot: r.Spot, result: r.Outcome, after: r.After, shared: r.Shared}
			continue
		}
		for _, t := range tests {
			if top, _, _ := strings.Cut(goTestName(t, b.suite), "/"); top == r.Test {
				out.ran(t.ID, r.Called)
			}
		}
	}
	return out
}

// hooked is a tree whose functions tell of their calls.
type hooked struct {
	bench   *goBench
	sch     *schemata.Set
	written []string // files that were not there before
	changed []string
}

// lay writes the hooked packages and the probing one into the first workspace.
func (h *hooked) lay(pkgs []string) error {
	b := h.bench
	dirs := map[string]bool{}
	for _, p := range pkgs {
		dirs[path.Join(b.suite.Dir, p)] = true
	}
	for _, d := range h.sch.Dirs() {
		dirs[d] = true
	}
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		texts, err := h.texts(dir)
		if err != nil {
			continue // a folder with tests only
		}
		for name, text := range texts {
			if err := h.write(name, text); err != nil {
				return err
			}
		}
	}
	sources := probe.Sources()
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		if err := h.write(path.Join(b.suite.Dir, probe.Dir, name), sources[name]); err != nil {
			return err
		}
	}
	return nil
}

func (h *hooked) write(name string, text []byte) error {
	if _, err := fs.Stat(h.bench.tree.FS(), name); err == nil {
		h.changed = append(h.changed, name)
	} else {
		h.written = append(h.written, name)
	}
	if err := h.bench.spaces[0].WriteFile(name, text); err != nil {
		return fmt.Errorf("laying out functions that tell of their calls: %w", err)
	}
	return nil
}

func (h *hooked) restore() {
	w := h.bench.spaces[0]
	for _, name := range h.written {
		_ = w.Remove(name) // the workspace is thrown away
	}
	for _, name := range h.changed {
		if text, err := fs.ReadFile(h.bench.tree.FS(), name); err == nil {
			_ = w.WriteFile(name, text)
		}
	}
}

// texts are the files of a folder with hooks, those left out that do not fit.
func (h *hooked) texts(dir string) (map[string][]byte, error) {
	g := h.bench.types
	files, err := g.parse(dir, h.sch.Within(dir))
	if err != nil {
		return nil, err
	}
	laid := h.sch.Within(dir)
	out := map[string][]byte{}
	for _, f := range files {
		name := g.fset.Position(f.Package).Filename
		text, ok := laid[name]
		if !ok {
			if text, err = fs.ReadFile(g.tree, name); err != nil {
				return nil, fmt.Errorf("reading %s: %w", name, err)
			}
		}
		if out[name] = text; path.Base(name) != schemata.File {
			out[name] = probe.Hooks(name, text, nil)
		}
		if helper := path.Join(dir, probe.HelperFile); out[helper] == nil {
			out[helper] = probe.Helper(f.Name.Name, g.module)
		}
	}
	for range 3 {
		bad, err := g.check(dir, out, nil)
		if err != nil {
			return nil, err
		}
		if !unhook(out, bad) {
			break
		}
	}
	return out, nil
}

// unhook takes the hooks out on which there are misfits.
func unhook(texts map[string][]byte, bad []schemata.Misfit) bool {
	taken := false
	for _, m := range bad {
		lines := bytes.Split(texts[m.Path], []byte("\n"))
		if i := m.Line - 1; i >= 0 && i < len(lines) && bytes.HasPrefix(lines[i], []byte(probe.HookName+"(")) {
			lines[i], taken = nil, true
			texts[m.Path] = bytes.Join(lines, []byte("\n"))
		}
	}
	return taken
}

var (
	_ prober   = (*goBench)(nil)
	_ preparer = (*goBench)(nil)
)

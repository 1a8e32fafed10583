package characterise

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/bot/code/schemata"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/verify/testgen/probe"
)

// golang looks at one source file: all its texts but a few in one build.
type golang struct {
	texts    [][]byte      // the first is the one with the change
	together *schemata.Set // of the others
}

const (
	goObserver = "zz_fettle_observe_test.go"
	goTogether = "observe.test"
	goAlone    = "alone.test"
	maxSaid    = 1 << 20
)

var (
	goModule  = lazyregexp.New(`(?m)^module\s+"?([^\s"]+)`)
	goPackage = lazyregexp.New(`(?m)^package\s+(\w+)`)
)

// lay writes the probing package into the module.
func (*golang) lay(v *view) error {
	if v.module != "" {
		return nil
	}
	mod, err := v.box.ReadFile(path.Join(v.dir, "go.mod"), maxSaid)
	if err != nil {
		return notSeen("no go.mod in %s", v.dir)
	}
	m := goModule.FindSubmatch(mod)
	if m == nil {
		return notSeen("the go.mod of %s names no module", v.dir)
	}
	sources := probe.Sources()
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		if err := v.box.WriteFile(path.Join(v.dir, probe.Dir, name), sources[name]); err != nil {
			return fmt.Errorf("laying out the probing package: %w", err)
		}
	}
	v.module = string(m[1])
	return nil
}

// folder is the package's, from the suite.
func (*golang) folder(v *view) string { return path.Dir(v.rel(v.change.Path)) }

// home is the package's path.
func (g *golang) home(v *view) string { return path.Join(v.module, g.folder(v)) }

// build compiles the package's tests to a file in the folder for results, and
// gives what the compiler said: all that it has against the package, with the real
// lines.
func (g *golang) build(ctx context.Context, v *view, name string) (string, error) {
	res, err := v.box.Run(ctx, sandbox.Command{Dir: v.dir, Limits: limits(v.c.cfg.Budget),
		Argv: []string{"go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-gcflags=-e -L", "-o", v.out() + "/" + name, "./" + g.folder(v)}})
	if err != nil {
		return "", fmt.Errorf("building the tests of %s: %w", v.change.Path, err)
	}
	if !res.OK() {
		said, _, _ := strings.Cut(strings.TrimSpace(string(res.Stderr)), "\n# ")
		err = notSeen("its tests with the calls do not build: %.200s", strings.Join(strings.Fields(said), " "))
	}
	return string(res.Stderr), err
}

func (g *golang) record(ctx context.Context, v *view) ([]record, error) {
	if err := g.lay(v); err != nil {
		return nil, err
	}
	wanted := func(name string) bool {
		return slices.ContainsFunc(v.targets, func(t *target) bool { return t.Name == name })
	}
	clause := goPackage.FindSubmatch(v.change.After)
	if clause == nil {
		return nil, notSeen("%s has no package clause", v.change.Path)
	}
	helper := path.Join(path.Dir(v.change.Path), probe.HelperFile)
	if err := v.box.WriteFile(helper, probe.Helper(string(clause[1]), v.module)); err != nil {
		return nil, fmt.Errorf("laying out %s: %w", helper, err)
	}
	var said []byte
	err := v.over(probe.Hooks(v.change.Path, v.change.After, wanted), func() error {
		if _, err := g.build(ctx, v, "record.test"); err != nil {
			return err
		}
		_, err := v.box.Run(ctx, sandbox.Command{Dir: path.Join(v.dir, g.folder(v)), Limits: limits(v.recordWall()), Needs: true, Argv: []string{v.out() + "/record.test", "-test.timeout=" + almost(v.recordWall()).String()},
			Env: map[string]string{"FETTLE_PROBE": v.out() + "/seen", "FETTLE_LITERALS": "1"}})
		if err == nil {
			said, _ = v.box.ReadOut("seen", maxSaid) // nothing there: nothing was seen
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := v.box.Remove(helper); err != nil {
		return nil, fmt.Errorf("taking %s away: %w", helper, err)
	}
	return g.records(v, said), nil
}

func (*golang) records(v *view, said []byte) []record {
	var out []record
	for line := range bytes.Lines(said) {
		var c probe.Call
		if json.Unmarshal(line, &c) != nil {
			continue // the last may have been cut off
		}
		recv := goReceiver(c.Recv)
		class := ""
		if recv != nil {
			if class = recv.Class; class == "" {
				continue // a nil pointer, or a named number: no name to import
			}
		}
		spot := slices.IndexFunc(v.targets, func(t *target) bool { return t.path+":"+t.Name == c.Spot && t.class == class })
		if spot >= 0 {
			out = append(out, record{Spot: spot, Recv: recv, Args: c.Args})
		}
	}
	return out
}

// prepare builds all calls with all texts, but for those that cannot share a build.
func (g *golang) prepare(ctx context.Context, v *view, calls []call, texts [][]byte) error {
	at := path.Join(path.Dir(v.change.Path), goObserver)
	if err := v.box.WriteFile(at, g.observer(v, calls)); err != nil {
		return fmt.Errorf("laying out the calls to look at: %w", err)
	}
	g.texts = texts
	open := unfinished(texts[0])
	var refused error
	for _, share := range []bool{true, false} {
		var changes []schemata.Change
		for _, text := range texts[1:] {
			changes = append(changes, schemata.Change{Path: v.change.Path, Original: texts[0], End: len(texts[0]), Text: func() []byte {
				if !share || unfinished(text) != open {
					return nil
				}
				return text
			}})
		}
		g.together = schemata.New(changes)
		g.together.Lines = true
		g.together.Settle(func(*schemata.Value) bool { return false })
		ok, err := g.together.Build(v.box, v.dir, func(bool) (bool, string, error) {
			said, err := g.build(ctx, v, goTogether)
			if errors.Is(err, errNotSeen) {
				refused = err
				return true, said, nil
			}
			return false, said, err
		})
		if ok || err != nil {
			return err
		}
	}
	return refused
}

// unfinished counts what the compiler has against a text by itself and behind a
// switch no more: functions without a return at their end, imports without a use.
func unfinished(text []byte) (n int) {
	defer func() { _ = recover() }() // the text is foreign: a fault of go/types costs the count only
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		return 0
	}
	conf := types.Config{Importer: empty{}, FakeImportC: true, Error: func(err error) {
		if strings.HasSuffix(err.Error(), "missing return") || strings.HasSuffix(err.Error(), "imported and not used") {
			n++
		}
	}}
	_, _ = conf.Check("", fset, []*ast.File{file}, nil) // what it says came by one by one
	return n
}

// empty imports packages in which there is nothing.
type empty struct{}

func (empty) Import(p string) (*types.Package, error) {
	pkg := types.NewPackage(p, path.Base(p))
	pkg.MarkComplete()
	return pkg, nil
}

func (g *golang) observe(ctx context.Context, v *view, w watch) ([]seen, error) {
	out := make([]seen, len(w.texts))
	until := v.c.cfg.Now().Add(w.wall)
	for i, text := range w.texts {
		if !v.c.cfg.Now().Before(until) {
			break
		}
		out[i].begun = true
		var err error
		switch n := slices.IndexFunc(g.texts, func(t []byte) bool { return bytes.Equal(t, text) }); {
		case n == 0 || g.together.Built[n-1]:
			out[i].calls, err = g.outcomes(ctx, v, w, goTogether, n)
		case g.together.Alone[n-1]:
			if err = v.put(text); err == nil {
				_, err = g.build(ctx, v, goAlone)
			}
			if err == nil {
				out[i].calls, err = g.outcomes(ctx, v, w, goAlone, 0)
			}
		default:
			err = notSeen("the compiler refuses it")
		}
		switch {
		case errors.Is(err, errNotSeen):
			out[i].err = err
		case err != nil:
			return nil, err
		}
	}
	return out, nil
}

// outcomes runs the calls with one of the texts that were built.
func (g *golang) outcomes(ctx context.Context, v *view, w watch, built string, text int) (map[int]outcome, error) {
	name := "observed" + w.in.seed
	var ids strings.Builder
	for _, c := range w.ordered() {
		fmt.Fprintf(&ids, "%d ", c.id)
	}
	_, err := v.box.Run(ctx, sandbox.Command{Dir: path.Join(v.dir, g.folder(v)), Limits: limits(v.observeWall()), Needs: true,
		Argv: []string{"/bin/sh", "-c", `rm -f "$FETTLE_OBSERVE"; exec "$0" -test.run '^TestZZFettleObserve$' -test.timeout="$1"`, v.out() + "/" + built, almost(v.observeWall()).String()},
		Env:  map[string]string{"FETTLE_OBSERVE": v.out() + "/" + name, "FETTLE_CALLS": ids.String(), schemata.Env: strconv.Itoa(text), "TZ": w.in.zone}})
	if err != nil {
		return nil, fmt.Errorf("looking at %s: %w", v.change.Path, err)
	}
	said, err := v.box.ReadOut(name, maxSaid)
	if err != nil {
		return nil, notSeen("the calls left no results")
	}
	out := map[int]outcome{}
	for line := range bytes.Lines(said) {
		var o outcome
		if json.Unmarshal(line, &o) == nil { // the last may have been cut off
			out[o.ID] = o
		}
	}
	return out, nil
}

// observer is a test file that does the calls.
func (g *golang) observer(v *view, calls []call) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, probe.Language+"package %s\n\nimport (\n\t\"testing\"\n\n\tfettleprobe %q\n)\n\nfunc TestZZFettleObserve(t *testing.T) {\n\tfettleprobe.Observe(%q, map[int]fettleprobe.Given{\n", goPackage.FindSubmatch(v.change.After)[1], v.module+"/"+probe.Dir, g.home(v))
	for _, c := range calls {
		w := c.write(true)
		fmt.Fprintf(&b, "\t%d: {%t, func() ([]any, []any) {\n", c.id, strings.HasSuffix(c.t.Result, "error"))
		for _, s := range w.setup {
			b.WriteString("\t\t" + s + "\n")
		}
		if c.t.Result == "" {
			fmt.Fprintf(&b, "\t\t%s\n\t\treturn nil, fettleprobe.All(%s)\n\t}},\n", w.call, strings.Join(w.vars, ", "))
		} else {
			fmt.Fprintf(&b, "\t\tresults := fettleprobe.All(%s)\n\t\treturn results, fettleprobe.All(%s)\n\t}},\n", w.call, strings.Join(w.vars, ", "))
		}
	}
	b.WriteString("\t})\n}\n")
	return b.Bytes()
}

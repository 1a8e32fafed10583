package mend

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/code/schemata"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// goTypes checks the types of packages of a module in this process, from their
// source: a build that the compiler refuses costs more than the tests of a
// dozen candidates. It only reads files; what it cannot import it takes as good.
type goTypes struct {
	tree    fs.FS  // the repository
	dir     string // of the module, in the tree
	module  string
	version string // the language's, as go.mod has it
	lib     build.Context
	fset    *token.FileSet
	known   map[string]*types.Package

	soundness map[string]bool // folder → it fits its types as it is
}

var goLine = lazyregexp.New(`(?m)^go\s+(\d+\.\d+)`)

// newGoTypes is nil when the module or the toolchain's library cannot be read
// here.
func newGoTypes(tree fs.FS, dir, goroot string) *goTypes {
	raw, err := fs.ReadFile(tree, path.Join(dir, "go.mod"))
	if err != nil {
		return nil
	}
	name := code.Module(raw)
	if _, err := os.Stat(filepath.Join(goroot, "src", "fmt")); err != nil || name == "" {
		return nil
	}
	lib := build.Default
	lib.GOROOT, lib.CgoEnabled = goroot, false
	g := &goTypes{tree: tree, dir: dir, module: name, lib: lib, fset: token.NewFileSet(), known: map[string]*types.Package{"unsafe": types.Unsafe}, soundness: map[string]bool{}}
	if v := goLine.FindSubmatch(raw); v != nil {
		g.version = "go" + string(v[1])
	}
	return g
}

// Import gives a package of the module or of the library, for go/types.
func (g *goTypes) Import(name string) (*types.Package, error) {
	if p, ok := g.known[name]; ok {
		if p == nil {
			return nil, fmt.Errorf("the package %s is not at hand", name)
		}
		return p, nil
	}
	g.known[name] = nil // also against cycles
	files, err := g.sources(name)
	if err != nil {
		return nil, err
	}
	conf := types.Config{IgnoreFuncBodies: true, FakeImportC: true, Importer: g, Error: func(error) {}}
	p, _ := conf.Check(name, g.fset, files, nil) // with errors it is as good as can be had
	if p == nil {
		return nil, fmt.Errorf("the package %s has no types", name)
	}
	g.known[name] = p
	return p, nil
}

func (g *goTypes) sources(name string) ([]*ast.File, error) {
	if rel, inside := strings.CutPrefix(name+"/", g.module+"/"); inside {
		return g.parse(path.Join(g.dir, rel), nil)
	}
	if !filepath.IsLocal(filepath.FromSlash(name)) { // a repository may not choose what is read of this machine
		return nil, fmt.Errorf("the import path %q leads out of the library", name)
	}
	dir := filepath.Join(g.lib.GOROOT, "src", filepath.FromSlash(name))
	if first, _, _ := strings.Cut(name, "/"); strings.Contains(first, ".") {
		dir = filepath.Join(g.lib.GOROOT, "src", "vendor", filepath.FromSlash(name))
	}
	pkg, err := g.lib.ImportDir(dir, 0)
	if err != nil {
		return nil, fmt.Errorf("finding the package %s: %w", name, err)
	}
	var out []*ast.File
	for _, f := range pkg.GoFiles {
		file, err := parser.ParseFile(g.fset, filepath.Join(dir, f), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("reading the package %s: %w", name, err)
		}
		out = append(out, file)
	}
	return out, nil
}

// parse reads the files of a folder of the tree that make its package; instead
// holds texts by path that stand in the place of files, or beside them.
func (g *goTypes) parse(dir string, instead map[string][]byte) ([]*ast.File, error) {
	entries, err := fs.ReadDir(g.tree, path.Clean(dir))
	if err != nil {
		return nil, fmt.Errorf("reading the folder %s: %w", dir, err)
	}
	texts := map[string][]byte{}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || !e.Type().IsRegular() {
			continue
		}
		text, err := fs.ReadFile(g.tree, name)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", name, err)
		}
		texts[name] = text
	}
	for name, text := range instead {
		texts[name] = text
	}
	var out []*ast.File
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if !g.builds(name, texts[name]) {
			continue
		}
		file, err := parser.ParseFile(g.fset, name, texts[name], parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("parsing %s: %w", name, err)
		}
		if depth(file) > maxDepth {
			return nil, fmt.Errorf("%s is nested too deep to check its types", name)
		}
		out = append(out, file)
	}
	if len(out) == 0 {
		return nil, errors.New("the folder " + dir + " has no package")
	}
	return out, nil
}

// maxDepth bounds how deep syntax is nested that go/types has to descend into:
// a stack that overflows ends the process and cannot be recovered from.
const maxDepth = 2000

func depth(file *ast.File) int {
	now, deepest := 0, 0
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			now--
			return true
		}
		now++
		deepest = max(deepest, now)
		return true
	})
	return deepest
}

// builds tells whether the constraints of a file hold on this system.
func (g *goTypes) builds(name string, text []byte) bool {
	ctxt := g.lib
	ctxt.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
	ok, err := ctxt.MatchFile(path.Dir(name), path.Base(name))
	return ok && err == nil
}

// check lists the misfits of a package of the tree with some files replaced.
func (g *goTypes) check(dir string, instead map[string][]byte, info *types.Info) (out []schemata.Misfit, err error) {
	defer func() { // the text is foreign: a fault of go/types must cost the check only
		if r := recover(); r != nil {
			out, err = nil, fmt.Errorf("checking the types of %s: %v", dir, r)
		}
	}()
	files, err := g.parse(dir, instead)
	if err != nil {
		return nil, err
	}
	conf := types.Config{Importer: g, FakeImportC: true, GoVersion: g.version, Error: func(err error) {
		var e types.Error
		if errors.As(err, &e) && !strings.HasPrefix(e.Msg, "could not import") {
			at := g.fset.Position(e.Pos)
			out = append(out, schemata.Misfit{Path: at.Filename, Line: at.Line})
		}
	}}
	_, _ = conf.Check(g.importPath(dir), g.fset, files, info) // what it says came by one by one
	return out, nil
}

// importPath is that of the package in a folder of the tree.
func (g *goTypes) importPath(dir string) string {
	return path.Join(g.module, strings.Trim(strings.TrimPrefix(path.Clean(dir), path.Clean(g.dir)), "/."))
}

package mend

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/sandbox"
)

// A test that panics ends its process, which then writes no profile of what it
// ran. To be traced, tests catch their own panics: each function that takes a
// *testing.T begins with a call that is deferred.

// caughtFile stands beside the tests of a package that catch their panics.
const caughtFile = "zz_fettle_caught_%s_test.go"

const caughtText = `package %s

import "testing"

func fettleCaught(t *testing.T) {
	if r := recover(); r != nil {
		t.Errorf("panic: %%v", r)
	}
}
`

// catchPanics changes the tests of a package's folder in a workspace, and gives
// what takes that back.
func catchPanics(w *sandbox.Workspace, dir string, names []string) (undo func(), err error) {
	var changed []func()
	undo = func() {
		for _, f := range changed {
			f()
		}
	}
	packages := map[string]string{} // name → the file with its helper
	for _, name := range names {
		file := path.Join(dir, name)
		src, err := w.ReadFile(file, maxSource)
		if err != nil || !strings.HasSuffix(name, "_test.go") {
			continue // what cannot be read catches nothing
		}
		text, pkg, ok := catching(src)
		if !ok {
			continue
		}
		if err := w.WriteFile(file, text); err != nil {
			return undo, fmt.Errorf("laying out tests that catch their panics: %w", err)
		}
		changed = append(changed, func() { _ = w.WriteFile(file, src) }) // the next round compares the tree again
		packages[pkg] = path.Join(dir, fmt.Sprintf(caughtFile, pkg))
	}
	for pkg, file := range packages {
		if err := w.WriteFile(file, fmt.Appendf(nil, caughtText, pkg)); err != nil {
			return undo, fmt.Errorf("laying out tests that catch their panics: %w", err)
		}
		changed = append(changed, func() { _ = w.Remove(file) })
	}
	return undo, nil
}

// catching gives a test file whose tests catch their panics, and its package. It
// is not ok when there is nothing to change.
func catching(src []byte) (text []byte, pkg string, ok bool) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if err != nil {
		return nil, "", false
	}
	var at []int
	calls := map[int]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		var typ *ast.FuncType
		var body *ast.BlockStmt
		switch n := n.(type) {
		case *ast.FuncDecl:
			if strings.HasPrefix(n.Name.Name, "Test") { // who calls a helper shall not go on
				typ, body = n.Type, n.Body
			}
		case *ast.FuncLit:
			typ, body = n.Type, n.Body
		}
		if name := testParameter(typ); name != "" && body != nil {
			pos := fset.Position(body.Lbrace).Offset + 1
			at = append(at, pos)
			calls[pos] = " defer fettleCaught(" + name + "); "
		}
		return true
	})
	slices.Sort(at)
	var out bytes.Buffer
	from := 0
	for _, pos := range at {
		out.Write(src[from:pos])
		out.WriteString(calls[pos])
		from = pos
	}
	out.Write(src[from:])
	return out.Bytes(), file.Name.Name, len(at) > 0
}

// testParameter is the name of a function's only parameter where that is a
// *testing.T; "" for another.
func testParameter(t *ast.FuncType) string {
	if t == nil || t.Params == nil || len(t.Params.List) != 1 || len(t.Params.List[0].Names) != 1 {
		return ""
	}
	star, ok := t.Params.List[0].Type.(*ast.StarExpr)
	if !ok {
		return ""
	}
	sel, ok := star.X.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "T" {
		return ""
	}
	if id, ok := sel.X.(*ast.Ident); !ok || id.Name != "testing" || t.Params.List[0].Names[0].Name == "_" {
		return ""
	}
	return t.Params.List[0].Names[0].Name
}

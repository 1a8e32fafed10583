package bugs

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fettle-dev/fettle/bot/code"
)

// goUnits finds the functions and methods Test…, Example… and Fuzz…, and the
// rows of tables in them.
func goUnits(t *code.Tree) []Unit {
	used := names(t, "function_declaration")
	var out []Unit
	for _, n := range t.Root().NamedChildren() {
		if n.Kind() != "function_declaration" && n.Kind() != "method_declaration" {
			continue
		}
		name, ok := n.ChildByField("name")
		if !ok || !goTestName(name.Text()) || n.Kind() == "function_declaration" && used[name.Text()] > 0 {
			continue
		}
		out = append(out, Unit{Name: name.Text(), cuts: []cut{{n.Start(), n.End(), ""}}})
		n.Walk(func(in code.Node) bool {
			if in.Kind() != "composite_literal" {
				return true
			}
			kind, _ := in.ChildByField("type")
			body, ok := in.ChildByField("body")
			if !ok || kind.Kind() != "slice_type" && kind.Kind() != "map_type" {
				return true
			}
			found := rows(body, name.Text(), func(e code.Node) bool { return strings.Contains(e.Text(), "{") })
			out = append(out, found...)
			return len(found) == 0
		})
	}
	return out
}

// goTestName follows package testing: what comes after the word does not begin
// with a small letter. TestMain is no test.
func goTestName(name string) bool {
	for _, word := range []string{"Test", "Example", "Fuzz"} {
		if rest, ok := strings.CutPrefix(name, word); ok && name != "TestMain" {
			r, _ := utf8.DecodeRuneInString(rest)
			return !unicode.IsLower(r)
		}
	}
	return false
}

var version = regexp.MustCompile(`^v\d+$`)

// goImports takes away from cut the imports that only what was cut out of src
// used. nil when the file cannot be read.
func goImports(src, cut []byte) []byte {
	set := token.NewFileSet()
	was, err := parser.ParseFile(set, "", src, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	now, err := parser.ParseFile(set, "", cut, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	before, after := selected(was), selected(now)
	changed := false
	for _, spec := range now.Imports {
		called := importNames(spec)
		if !slices.ContainsFunc(called, func(n string) bool { return before[n] }) || slices.ContainsFunc(called, func(n string) bool { return after[n] }) {
			continue
		}
		spec.Name = &ast.Ident{Name: "_", NamePos: spec.Path.Pos()}
		changed = true
	}
	if !changed {
		return cut
	}
	var out bytes.Buffer
	if err := format.Node(&out, set, now); err != nil {
		return nil
	}
	return out.Bytes()
}

// selected are the names before a dot.
func selected(f *ast.File) map[string]bool {
	out := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok {
				out[id.Name] = true
			}
		}
		return true
	})
	return out
}

// importNames are what a package may be called in the file: its own name is
// not known without its source, so that usual spellings count.
func importNames(spec *ast.ImportSpec) []string {
	if spec.Name != nil {
		return []string{spec.Name.Name}
	}
	p, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return nil
	}
	base := path.Base(p)
	if version.MatchString(base) {
		base = path.Base(path.Dir(p))
	}
	base, _, _ = strings.Cut(base, ".v")
	out := []string{base}
	for _, s := range []string{strings.TrimPrefix(base, "go-"), strings.TrimSuffix(base, "-go"), strings.TrimSuffix(base, ".go"), strings.ReplaceAll(base, "-", ""), strings.ReplaceAll(base, "-", "_")} {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

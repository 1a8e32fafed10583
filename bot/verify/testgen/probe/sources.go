package probe

import (
	"bytes"
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

//go:embed probe.go values.go near.go literal.go observe.go
var sources embed.FS

// Names under which the package is laid beside foreign code.
const (
	Dir        = "zz_fettle_probe" // its folder in the module
	HelperFile = "zz_fettle_probe.go"
	HookName   = "fettleSeen"
)

// Language lets a file use its own version of Go in a module of an older one.
const Language = "//go:build go1.22\n\n"

// Sources are the files of this package that are laid in Dir, by their names.
func Sources() map[string][]byte {
	out := map[string][]byte{}
	list, _ := sources.ReadDir(".") // embedded: cannot fail
	for _, e := range list {
		text, _ := sources.ReadFile(e.Name())
		out[e.Name()] = append([]byte(Language), text...)
	}
	return out
}

// Helper is the file that a hooked package of the module needs.
func Helper(pkg, module string) []byte {
	return fmt.Appendf(nil, "package %s\n\nimport fettleprobe %q\n\nvar %s = fettleprobe.Seen\n", pkg, module+"/"+Dir, HookName)
}

// Hooks puts a line at the start of each function of a file that tells of the
// call, or of those that want asks for by their names. Text that does not parse
// comes back as it is.
func Hooks(name string, text []byte, want func(function string) bool) []byte {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		return text
	}
	var out bytes.Buffer
	from := 0
	for _, d := range file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil || want != nil && !want(fn.Name.Name) {
			continue
		}
		if hook := hookOf(name, fn, func(n ast.Node) string {
			return string(text[fset.Position(n.Pos()).Offset:fset.Position(n.End()).Offset])
		}); hook != "" {
			at := fset.Position(fn.Body.Lbrace).Offset + 1
			out.Write(text[from:at])
			out.WriteString("\n" + hook + "\n")
			from = at
		}
	}
	out.Write(text[from:])
	return out.Bytes()
}

// hookOf is the call that tells of a function's call; "" for a function that has
// no arguments, or some without a name.
func hookOf(file string, fn *ast.FuncDecl, text func(ast.Node) string) string {
	value, args := fn.Name.Name, []string{}
	fields := fn.Type.Params.List
	if fn.Recv != nil && len(fn.Recv.List) == 1 {
		value = "(" + text(fn.Recv.List[0].Type) + ")." + value
		fields = slices.Concat(fn.Recv.List, fields)
	} else if p := fn.Type.TypeParams; p != nil {
		var names []string
		for _, f := range p.List {
			for _, n := range f.Names {
				names = append(names, n.Name)
			}
		}
		value += "[" + strings.Join(names, ", ") + "]"
	}
	for _, f := range fields {
		if len(f.Names) == 0 {
			return ""
		}
		for _, n := range f.Names {
			if n.Name == "_" {
				return ""
			}
			args = append(args, n.Name)
		}
	}
	if len(args) == 0 {
		return ""
	}
	return fmt.Sprintf("%s(%q, %s, %s)", HookName, file+":"+fn.Name.Name, value, strings.Join(args, ", "))
}

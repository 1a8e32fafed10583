package mend

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"strconv"

	"github.com/fettle-dev/fettle/bot/code/schemata"
)

// together puts candidates behind switches.
func together(cs []candidate) *schemata.Set {
	changes := make([]schemata.Change, len(cs))
	for i, c := range cs {
		changes[i] = schemata.Change{Path: c.path, Original: c.original, Start: c.start, End: c.end, Text: c.text}
	}
	return schemata.New(changes)
}

// sift leaves out the candidates that do not fit the types, and finds out which
// values can stand behind a switch. Without types the compiler has to say the
// first, and only variables that are declared with a type can.
func (g *goTypes) sift(s *schemata.Set, cs []candidate) {
	g.settle(s)
	if g == nil {
		return
	}
	for _, dir := range s.Dirs() {
		for range 6 {
			bad, err := g.check(dir, s.Within(dir), nil)
			if err != nil || s.Drop(bad) == 0 {
				break
			}
		}
	}
	for i := range s.Alone {
		if sound, err := g.sound(path.Dir(cs[i].path)); err != nil || !sound {
			continue
		}
		if bad, err := g.check(path.Dir(cs[i].path), map[string][]byte{cs[i].path: cs[i].text()}, nil); err != nil || len(bad) > 0 {
			delete(s.Alone, i)
		}
	}
}

// sound tells whether a package fits its types as it is.
func (g *goTypes) sound(dir string) (bool, error) {
	if ok, seen := g.soundness[dir]; seen {
		return ok, nil
	}
	bad, err := g.check(dir, nil, nil)
	g.soundness[dir] = err == nil && len(bad) == 0
	return g.soundness[dir], err
}

// settle writes down the types of changed values. A value for which that is not
// possible, or whose package needs it to be a constant, makes its candidates stand
// alone.
func (g *goTypes) settle(s *schemata.Set) {
	type declared struct {
		types map[string]types.Type
		names map[string]string // import path → name in the file
	}
	files := map[string]declared{}
	s.Settle(func(v *schemata.Value) bool {
		if g == nil {
			return v.Type != "" && !v.Constant
		}
		file, text := v.File()
		f, known := files[file]
		if !known {
			f.types, f.names = g.values(file, text)
			files[file] = f
		}
		ok := v.Type != ""
		if t := f.types[v.Name]; !ok && t != nil {
			v.Type, ok = written(t, f.names)
		}
		return ok && (!v.Constant || g.varies(v))
	})
}

// values are the types of what a file declares in the package, and the names of
// its imports.
func (g *goTypes) values(name string, text []byte) (map[string]types.Type, map[string]string) {
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}}
	out, names := map[string]types.Type{}, map[string]string{}
	if _, err := g.check(path.Dir(name), nil, info); err != nil {
		return out, names
	}
	for _, obj := range info.Defs {
		if obj == nil || obj.Pkg() == nil || obj.Parent() != obj.Pkg().Scope() {
			continue
		}
		out[obj.Name()] = types.Default(obj.Type())
		names[obj.Pkg().Path()] = "" // its own need no name before them
	}
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.ImportsOnly)
	if err != nil {
		return out, names
	}
	for _, im := range file.Imports {
		name, err := strconv.Unquote(im.Path.Value)
		if err != nil {
			continue
		}
		names[name] = path.Base(name)
		if p := g.known[name]; p != nil {
			names[name] = p.Name()
		}
		if im.Name != nil {
			names[name] = im.Name.Name
		}
	}
	return out, names
}

// written is a type as a file writes it that imports packages by these names.
func written(t types.Type, names map[string]string) (string, bool) {
	ok := true
	text := types.TypeString(t, func(p *types.Package) string {
		name, known := names[p.Path()]
		ok = ok && known && name != "." && name != "_"
		return name
	})
	return text, ok
}

// varies tells whether a package fits its types with a constant made a variable.
func (g *goTypes) varies(v *schemata.Value) bool {
	name, _ := v.File()
	dir := path.Dir(name)
	if sound, err := g.sound(dir); err != nil || !sound {
		return false
	}
	bad, err := g.check(dir, v.Trial(), nil)
	return err == nil && len(bad) == 0
}

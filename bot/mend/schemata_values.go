package mend

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"strconv"
)

// sift leaves out the candidates that do not fit the types, and finds out which
// values can stand behind a switch. Without types the compiler has to say the
// first, and only variables that are declared with a type can.
func (s *schemata) sift(g *goTypes, cs []candidate) {
	for _, f := range s.files {
		s.typeValues(g, f)
	}
	if g == nil {
		return
	}
	for _, dir := range s.dirs() {
		for range 6 {
			bad, err := g.check(dir, s.within(dir), nil)
			if err != nil || s.drop(bad) == 0 {
				break
			}
		}
	}
	for i := range s.alone {
		if sound, err := g.sound(path.Dir(cs[i].path)); err != nil || !sound {
			continue
		}
		if bad, err := g.check(path.Dir(cs[i].path), map[string][]byte{cs[i].path: cs[i].text()}, nil); err != nil || len(bad) > 0 {
			delete(s.alone, i)
		}
	}
}

// within are the texts of one folder.
func (s *schemata) within(dir string) map[string][]byte {
	out := map[string][]byte{}
	for name, text := range s.texts() {
		if path.Dir(name) == dir {
			out[name] = text
		}
	}
	return out
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

// typeValues writes down the types of the changed values of a file. A value for
// which that is not possible, or whose package needs it to be a constant, makes
// its candidates stand alone.
func (s *schemata) typeValues(g *goTypes, f *schemataSource) {
	found := map[string]types.Type{}
	names := map[string]string{} // import path → name in the file
	changed := false
	for _, p := range f.parts {
		changed = changed || p.value != nil
	}
	if changed && g != nil {
		found, names = g.values(f)
	}
	tried := map[*schemataVal]bool{}
	for i := range f.parts {
		v := f.parts[i].value
		if v == nil {
			continue
		}
		if _, seen := tried[v]; !seen {
			ok := v.typ != ""
			if t := found[v.name]; !ok && t != nil {
				v.typ, ok = written(t, names)
			}
			if v.constant {
				ok = ok && g != nil && g.varies(f, v)
			}
			tried[v] = ok
		}
		if !tried[v] {
			f.parts[i].gone = true
			s.alone[f.parts[i].index] = true
		}
	}
}

// values are the types of what a file declares in the package, and the names of
// its imports.
func (g *goTypes) values(f *schemataSource) (map[string]types.Type, map[string]string) {
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}}
	out, names := map[string]types.Type{}, map[string]string{}
	if _, err := g.check(path.Dir(f.path), nil, info); err != nil {
		return out, names
	}
	for _, obj := range info.Defs {
		if obj == nil || obj.Pkg() == nil || obj.Parent() != obj.Pkg().Scope() {
			continue
		}
		out[obj.Name()] = types.Default(obj.Type())
		names[obj.Pkg().Path()] = "" // its own need no name before them
	}
	file, err := parser.ParseFile(token.NewFileSet(), "", f.original, parser.ImportsOnly)
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
func (g *goTypes) varies(f *schemataSource, v *schemataVal) bool {
	if sound, err := g.sound(path.Dir(f.path)); err != nil || !sound {
		return false
	}
	one := &schemataSource{path: f.path, original: f.original, pkg: f.pkg, parts: []schemataPart{{at: v.from, text: v.text, value: v}}}
	trial := &schemata{files: []*schemataSource{one}}
	bad, err := g.check(path.Dir(f.path), trial.texts(), nil)
	return err == nil && len(bad) == 0
}

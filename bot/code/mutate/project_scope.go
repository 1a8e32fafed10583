package mutate

import (
	"cmp"
	"path"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// callable is a function of the project as it is called from some file.
type callable struct {
	text string // what stands before the parentheses
	*function
}

// callables lists the functions that a file can call by name: its own, those
// of its package, and those that it imports.
func (p *Project) callables(file string) []callable {
	t := p.files[file]
	if t == nil {
		return nil
	}
	im := importsOf(t)
	var out []callable
	for _, f := range p.functions {
		if f.class != "" || f.name == "main" || f.name == "init" || f.name == "_" {
			continue
		}
		stem := strings.TrimSuffix(path.Base(f.path), path.Ext(f.path))
		if stem == "__init__" || stem == "index" {
			stem = path.Base(path.Dir(f.path))
		}
		switch {
		case f.path == file:
			out = append(out, callable{f.name, f})
		case t.Lang == code.Go:
			dir := path.Dir(f.path)
			if dir == path.Dir(file) {
				out = append(out, callable{f.name, f})
			} else if alias := im.modules[path.Base(dir)]; alias != "" && exported(f.name) {
				out = append(out, callable{alias + "." + f.name, f})
			}
		case im.names[f.name] != "":
			out = append(out, callable{im.names[f.name], f})
		case im.modules[stem] != "":
			out = append(out, callable{im.modules[stem] + "." + f.name, f})
		}
	}
	return out
}

func exported(name string) bool { return name != "" && name[0] >= 'A' && name[0] <= 'Z' }

// imported is what a file's imports bring in: names and modules under the names
// that they have there.
type imported struct{ names, modules map[string]string }

func importsOf(t *code.Tree) imported {
	im := imported{map[string]string{}, map[string]string{}}
	t.Bindings(func(b code.Binding) {
		base := path.Base(b.Module)
		switch _, inner := enclosing(b.At); {
		case inner || strings.HasPrefix(b.Name, "."):
		case t.Lang == code.Go:
			im.modules[base] = cmp.Or(b.Local, base)
		case b.Name == "default" || b.Name == "" && t.Lang != code.Python:
			im.modules[moduleStem(base)] = b.Local
		default:
			name := cmp.Or(b.Name, b.Module)
			im.names[name] = b.Local
			if b.At.Kind() != "variable_declarator" {
				im.modules[path.Base(strings.ReplaceAll(name, ".", "/"))] = b.Local
			}
		}
	})
	return im
}

func moduleStem(base string) string {
	for _, ext := range []string{".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx"} {
		base = strings.TrimSuffix(base, ext)
	}
	return base
}

package mutate

import (
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
	t.Walk(func(n code.Node) bool {
		switch n.Kind() {
		case "import_spec":
			if p, ok := n.ChildByField("path"); ok {
				base := path.Base(strings.Trim(p.Text(), "\"`"))
				im.modules[base] = base
				if alias, ok := n.ChildByField("name"); ok {
					im.modules[base] = alias.Text()
				}
			}
		case "import_from_statement", "import_statement":
			im.statement(n)
			return false
		case "variable_declarator":
			im.required(n)
		}
		return !isFunction(n)
	})
	return im
}

// statement reads Python's and JavaScript's import statements.
func (im imported) statement(n code.Node) {
	if src, ok := n.ChildByField("source"); ok {
		stem := moduleStem(src.Text())
		n.Walk(func(c code.Node) bool {
			switch c.Kind() {
			case "import_specifier":
				im.alias(c)
				return false
			case "namespace_import", "import_clause":
				for _, x := range c.NamedChildren() {
					if x.Kind() == "identifier" {
						im.modules[stem] = x.Text()
					}
				}
			}
			return true
		})
		return
	}
	for _, c := range n.NamedChildren() {
		if c.Field() != "name" {
			continue
		}
		if c.Kind() == "aliased_import" {
			im.alias(c)
			continue
		}
		im.names[c.Text()] = c.Text()
		im.modules[path.Base(strings.ReplaceAll(c.Text(), ".", "/"))] = c.Text()
	}
}

func (im imported) alias(c code.Node) {
	name, ok := c.ChildByField("name")
	if !ok {
		return
	}
	to := name.Text()
	if a, ok := c.ChildByField("alias"); ok {
		to = a.Text()
	}
	im.names[name.Text()] = to
	im.modules[path.Base(strings.ReplaceAll(name.Text(), ".", "/"))] = to
}

// required reads const { a, b: c } = require('x') and const m = require('x').
func (im imported) required(n code.Node) {
	to, v, ok := n.Both("name", "value")
	if !ok {
		return
	}
	fn, args, _, ok := call(v)
	if !ok || fn.Text() != "require" || len(args) != 1 {
		return
	}
	if to.Kind() == "identifier" {
		im.modules[moduleStem(args[0].Text())] = to.Text()
		return
	}
	for _, c := range to.NamedChildren() {
		if k, ok := c.ChildByField("key"); ok {
			if v, ok := c.ChildByField("value"); ok {
				im.names[k.Text()] = v.Text()
			}
		} else {
			im.names[c.Text()] = c.Text()
		}
	}
}

func moduleStem(text string) string {
	text = strings.Trim(text, "\"'`")
	base := path.Base(text)
	for _, ext := range []string{".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx"} {
		base = strings.TrimSuffix(base, ext)
	}
	return base
}

package code

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
)

// Bounds of a project: further or larger files are not looked at.
const (
	projectFiles = 20_000
	projectFile  = 1 << 20
	projectBytes = 64 << 20
)

// Project answers questions about the source files of a tree: what a region
// uses, who calls it, which tests mention it. It reads the files once, when it
// is made, and is safe for use by many goroutines afterwards.
type Project struct {
	src    map[string][]byte
	paths  []string // sorted
	module string   // Go's module path, from go.mod at the root

	named sync.Once
	names map[string]bool // see segments
}

// NewProject reads the source files below the root of fsys, but for those of
// others (node_modules, vendor, virtual environments) and hidden folders.
func NewProject(ctx context.Context, fsys fs.FS) (*Project, error) {
	p := &Project{src: map[string][]byte{}}
	size := int64(0)
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return ctx.Err() //nolint:nilerr // what cannot be read has no regions
		}
		if d.IsDir() {
			if name != "." && foreignFolder(path.Base(name)) {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || name != "go.mod" && LanguageOf(name) == Unknown || len(p.src) >= projectFiles {
			return nil
		}
		info, err := d.Info()
		if err != nil || info.Size() > projectFile {
			return nil //nolint:nilerr // as above
		}
		if size += info.Size(); size > projectBytes {
			return fs.SkipAll
		}
		src, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil //nolint:nilerr // as above
		}
		if name == "go.mod" {
			p.module = moduleOf(src)
			return nil
		}
		p.src[name] = src
		p.paths = append(p.paths, name)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the source files of a project: %w", err)
	}
	slices.Sort(p.paths)
	return p, nil
}

// With puts text in the place of a file, which may be a new one, as it is
// before or after an edit. It must not run beside another method.
func (p *Project) With(file string, text []byte) {
	if p.src[file] == nil {
		at, _ := slices.BinarySearch(p.paths, file)
		p.paths = slices.Insert(p.paths, at, file)
	}
	p.src[file] = text
}

// Source is the text of a file; nil where the project has no such file.
func (p *Project) Source(file string) []byte { return p.src[file] }

var foreign = map[string]bool{
	".git": true, "node_modules": true, "vendor": true, ".venv": true, "venv": true, ".tox": true, ".nox": true, "__pycache__": true,
	"site-packages": true, ".eggs": true, "dist": true, "target": true, ".fettle": true, "bower_components": true, ".next": true, ".mypy_cache": true,
}

// Foreign tells whether the name of a folder says that what lies in it was installed,
// built or vendored. "build" is not among them: many projects keep sources there.
func Foreign(folder string) bool { return foreign[folder] }

func foreignFolder(name string) bool {
	return Foreign(name) || name == "build" || name == "third_party" || strings.HasPrefix(name, ".")
}

func moduleOf(mod []byte) string {
	for line := range bytes.Lines(mod) {
		if f := strings.Fields(string(line)); len(f) > 1 && f[0] == "module" {
			return strings.Trim(f[1], `"`)
		}
	}
	return ""
}

func (p *Project) tree(ctx context.Context, file string) (*Tree, error) {
	src, ok := p.src[file]
	if !ok {
		return nil, fmt.Errorf("%s: %w among the project's source files", file, fs.ErrNotExist)
	}
	return Parse(ctx, LanguageIn(file, src), src)
}

// imported is what a name of a file stands for: a name in another file of the
// project, or, where name is "", that file (or Go's folder) as a whole.
type imported struct{ file, name string }

// imports lists the names that a file takes from other files of the project.
func (p *Project) imports(t *Tree, file string) map[string]imported {
	out := map[string]imported{}
	t.Walk(func(n Node) bool {
		switch n.Kind() {
		case "import_from_statement":
			p.pythonFrom(n, file, out)
		case "import_statement":
			if t.Lang == Python {
				p.pythonImport(n, file, out)
			} else {
				p.scriptImport(n, file, out)
			}
		case "variable_declarator":
			p.scriptRequire(n, file, out)
		case "import_spec":
			p.goImport(n, out)
		default:
			return true
		}
		return false
	})
	return out
}

func (p *Project) pythonFrom(n Node, file string, out map[string]imported) {
	module, ok := n.ChildByField("module_name")
	if !ok {
		return
	}
	for c, ok := n.First(); ok; c, ok = c.Next() {
		if c.Field() != "name" {
			continue
		}
		name, alias := namedAs(c)
		if sub := p.pythonModule(file, strings.TrimSuffix(module.Text(), ".")+"."+name); sub != "" {
			out[alias] = imported{file: sub}
		} else if target := p.pythonModule(file, module.Text()); target != "" {
			out[alias] = imported{target, name}
		}
	}
}

func (p *Project) pythonImport(n Node, file string, out map[string]imported) {
	for c, ok := n.First(); ok; c, ok = c.Next() {
		if c.Field() != "name" {
			continue
		}
		name, alias := namedAs(c)
		if target := p.pythonModule(file, name); target != "" {
			out[alias] = imported{file: target}
		}
	}
}

// namedAs is a name and what it is called here.
func namedAs(n Node) (name, alias string) {
	name, alias = n.Text(), n.Text()
	if c, ok := n.ChildByField("name"); ok {
		name, alias = c.Text(), c.Text()
	}
	if c, ok := n.ChildByField("alias"); ok {
		alias = c.Text()
	}
	return name, alias
}

// pythonModule is the file of a module as a file of the project names it.
func (p *Project) pythonModule(file, module string) string {
	rest := strings.TrimLeft(module, ".")
	dots := len(module) - len(rest)
	base := strings.ReplaceAll(rest, ".", "/")
	var roots []string
	if dots > 0 {
		dir := path.Dir(file)
		for range dots - 1 {
			dir = path.Dir(dir)
		}
		roots = []string{dir}
	} else {
		roots = []string{".", "src", "lib"}
		for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
			roots = append(roots, dir)
		}
	}
	for _, root := range roots {
		for _, end := range []string{".py", "/__init__.py", ".pyi"} {
			if name := path.Join(root, base) + end; p.src[name] != nil {
				return name
			}
		}
	}
	return ""
}

func (p *Project) scriptImport(n Node, file string, out map[string]imported) {
	source, ok := n.ChildByField("source")
	target := ""
	if ok {
		target = p.scriptModule(file, strings.Trim(source.Text(), "'\""))
	}
	if target == "" {
		return
	}
	n.Walk(func(c Node) bool {
		switch c.Kind() {
		case "import_specifier":
			name, alias := namedAs(c)
			out[alias] = imported{target, name}
		case "namespace_import":
			if id, ok := c.FirstNamed(); ok {
				out[id.Text()] = imported{file: target}
			}
		case "identifier":
			if c.Up() == "import_clause" {
				out[c.Text()] = imported{target, "default"}
			}
		}
		return c.Kind() != "import_specifier"
	})
}

// scriptRequire is: const m = require("./m"), const {a, b: c} = require("./m").
func (p *Project) scriptRequire(n Node, file string, out map[string]imported) {
	value, left, ok := n.Both("value", "name")
	if !ok || value.Kind() != "call_expression" || value.head(8) != "require(" {
		return
	}
	spec := strings.Trim(strings.TrimSuffix(strings.TrimPrefix(value.Text(), "require("), ")"), " '\"`")
	target := p.scriptModule(file, spec)
	if target == "" {
		return
	}
	if left.Kind() == "identifier" {
		out[left.Text()] = imported{file: target}
		return
	}
	for _, c := range left.NamedChildren() {
		switch c.Kind() {
		case "shorthand_property_identifier_pattern":
			out[c.Text()] = imported{target, c.Text()}
		case "pair_pattern":
			key, value, ok := c.Both("key", "value")
			if ok {
				out[value.Text()] = imported{target, key.Text()}
			}
		}
	}
}

// scriptModule is the file that a relative specifier means.
func (p *Project) scriptModule(file, spec string) string {
	if !strings.HasPrefix(spec, ".") {
		return ""
	}
	base := path.Join(path.Dir(file), spec)
	bare := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(base, ".js"), ".mjs"), ".jsx")
	for _, name := range []string{base, bare} {
		for _, end := range []string{"", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".d.ts", "/index.ts", "/index.tsx", "/index.js", "/index.mjs"} {
			if p.src[name+end] != nil {
				return name + end
			}
		}
	}
	return ""
}

// goImport names a folder of the module by its package.
func (p *Project) goImport(n Node, out map[string]imported) {
	spec, ok := n.ChildByField("path")
	if !ok || p.module == "" {
		return
	}
	full := strings.Trim(spec.Text(), "\"`")
	dir, inside := strings.CutPrefix(full, p.module)
	if !inside || dir != "" && dir[0] != '/' {
		return
	}
	name := path.Base(full)
	if c, ok := n.ChildByField("name"); ok {
		name = c.Text()
	}
	out[name] = imported{file: path.Join(".", dir)}
}

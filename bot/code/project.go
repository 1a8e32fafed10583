package code

import (
	"bytes"
	"cmp"
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
	t.Bindings(func(b Binding) {
		to := imported{name: b.Name}
		switch {
		case strings.HasPrefix(b.Name, "."): // what the module has there is not followed
		case t.Lang == Go:
			dir, inside := strings.CutPrefix(b.Module, p.module)
			if b.Local = cmp.Or(b.Local, path.Base(b.Module)); inside && p.module != "" && (dir == "" || dir[0] == '/') {
				to.file = path.Join(".", dir)
			}
		case t.Lang != Python:
			to.file = p.scriptModule(file, b.Module)
		case b.Name == "":
			to.file = p.pythonModule(file, b.Module)
		default:
			if to.file = p.pythonModule(file, strings.TrimSuffix(b.Module, ".")+"."+b.Name); to.file != "" {
				to.name = ""
			} else {
				to.file = p.pythonModule(file, b.Module)
			}
		}
		if to.file != "" {
			out[b.Local] = to
		}
	})
	return out
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

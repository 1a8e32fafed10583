package code

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"strings"
)

// Listed is a project of which the names of the files are known, and Go's module, and
// not what the files hold: enough to follow imports.
func Listed(files []string, module string) *Project {
	p := &Project{src: map[string][]byte{}, module: module}
	for _, f := range files {
		p.src[f] = []byte{}
	}
	return p
}

// Module is Go's module path as a go.mod names it, or "".
func Module(mod []byte) string { return moduleOf(mod) }

// Foreign lists the names that a file takes from elsewhere than the project: packages
// and modules, and what is imported of them. A module that a folder or file of the
// project could be is none. Of languages other than Go, Python, JavaScript and
// TypeScript it lists none.
func (p *Project) Foreign(ctx context.Context, file string, src []byte) (map[string]bool, error) {
	t, err := Parse(ctx, LanguageIn(file, src), src)
	if err != nil {
		return nil, fmt.Errorf("reading the imports of %s: %w", file, err)
	}
	return p.foreign(t), nil
}

func (p *Project) foreign(t *Tree) map[string]bool {
	out := map[string]bool{}
	t.Bindings(func(b Binding) {
		switch {
		case !p.elsewhere(t.Lang, b.Module):
		case t.Lang == Go:
			out[cmp.Or(b.Local, goName(b.Module))] = true
		case t.Lang == Python && b.Name == "":
			first, _, _ := strings.Cut(b.Local, ".")
			out[first] = true
		default:
			out[b.Local] = true
		}
	})
	return out
}

// goName is what a package of Go is mostly called.
func goName(full string) string {
	name := path.Base(full)
	if len(name) > 1 && name[0] == 'v' && strings.Trim(name[1:], "0123456789") == "" { // of a later version
		name = path.Base(path.Dir(full))
	}
	name, _, _ = strings.Cut(name, ".")
	return name
}

// elsewhere tells whether a module, as an import names it, cannot be the project's.
func (p *Project) elsewhere(lang Language, module string) bool {
	var first string
	switch lang {
	case Python:
		first, _, _ = strings.Cut(module, ".")
	case Go:
		if p.module != "" && (module == p.module || strings.HasPrefix(module, p.module+"/")) {
			return false
		}
		if first, _, _ = strings.Cut(module, "/"); strings.Contains(first, ".") { // it may be another module of the same tree
			first = path.Base(module)
		} else if p.module != "" {
			return true // Go's own
		}
	default:
		if strings.HasPrefix(module, "node:") {
			return true
		}
		if strings.HasPrefix(module, "@/") || strings.HasPrefix(module, "~") || strings.HasPrefix(module, "#") {
			return false
		}
		scope, rest, _ := strings.Cut(module, "/")
		if first = scope; strings.HasPrefix(scope, "@") {
			first, _, _ = strings.Cut(rest, "/")
		}
	}
	return first != "" && first[0] != '.' && !p.segments()[first]
}

// segments are the names of the folders and files of the project, without their ends.
func (p *Project) segments() map[string]bool {
	p.named.Do(func() {
		p.names = map[string]bool{}
		for f := range p.src {
			for _, part := range strings.Split(path.Dir(f), "/") {
				p.names[part] = true
			}
			p.names[strings.TrimSuffix(path.Base(f), path.Ext(f))] = true
		}
	})
	return p.names
}

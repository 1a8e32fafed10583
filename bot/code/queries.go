package code

import (
	"bytes"
	"context"
	"path"
	"strings"
)

// Use is a name that a region uses and that the project defines.
type Use struct {
	Name string `json:"name"` // as the region writes it
	Line int    `json:"line"` // 1-based, of its first use
	Path string `json:"path"` // of the file that defines it
	ID   string `json:"id"`   // of the region there
}

// Reference is a place that names a region.
type Reference struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	ID   string `json:"id"`   // the innermost region around the place, or ""
	Sure bool   `json:"sure"` // its file knows the region's file or class; else the name alone says so

	Import bool `json:"import,omitempty"` // it stands in an import
}

// Uses lists the names that a region uses and where the project defines them,
// in the order of their first use: definitions of the same file, of the same
// Go package, and what imports lead to. id is resolved as by Resolve.
func (p *Project) Uses(ctx context.Context, file, id string) ([]Use, error) {
	t, r, err := p.region(ctx, file, id)
	if err != nil {
		return nil, err
	}
	imports := p.imports(t, file)
	seen := map[string]bool{r.Name: r.Kind != KindTest}
	var out []Use
	for _, n := range t.identifiers(r) {
		name := n.Text()
		if owner, member, ok := n.member(); ok {
			if whole, found := imports[owner]; found && whole.name == "" && !seen[owner+"."+member] {
				seen[owner+"."+member] = true
				if u, ok := p.define(ctx, whole.file, member, 0); ok {
					u.Name, u.Line = owner+"."+member, n.Line()
					out = append(out, u)
				}
				continue
			}
			if owner != "self" && owner != "this" && owner != "cls" && owner != "$this" && owner != "static" {
				continue
			}
		}
		if seen[name] {
			continue
		}
		seen[name] = true
		var u Use
		var ok bool
		if from, found := imports[name]; found && from.name != "" {
			u, ok = p.define(ctx, from.file, from.name, 0)
		} else if u, ok = p.define(ctx, file, name, 0); !ok && t.Lang == Go {
			u, ok = p.define(ctx, path.Dir(file), name, 0)
		}
		if ok && u.ID != "" && u.ID != r.ID {
			u.Name, u.Line = name, n.Line()
			out = append(out, u)
		}
	}
	return out, ctx.Err()
}

// References lists the places outside a region that use it and the imports that
// name it, in the order of the files. Of a method, and where imports do not
// tell, the name alone decides.
func (p *Project) References(ctx context.Context, file, id string) ([]Reference, error) {
	t, r, err := p.region(ctx, file, id)
	if err != nil {
		return nil, err
	}
	s := search{p, file, r, importOf(file, r.Name)}
	var out []Reference
	for _, other := range p.paths {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if family(LanguageOf(other)) == family(t.Lang) && bytes.Contains(p.src[other], []byte(r.Name)) {
			out = append(out, s.in(ctx, other)...)
		}
	}
	return out, nil
}

func (p *Project) region(ctx context.Context, file, id string) (*Tree, Region, error) {
	t, err := p.tree(ctx, file)
	if err != nil {
		return nil, Region{}, err
	}
	r, _, err := Resolve(t.Regions(), id)
	return t, r, err
}

// defines tells the name in a region's own head.
func defines(regions []Region, n Node) bool {
	for _, r := range regions {
		if r.Name == n.Text() && r.Kind != KindBlock && r.StartByte <= n.Start() && n.End() <= r.EndByte && n.declares() {
			return true
		}
	}
	return false
}

// define finds the region that a name means in a file, or in the files of a
// folder for Go; names that a file hands on are followed a few steps.
func (p *Project) define(ctx context.Context, file, name string, depth int) (Use, bool) {
	files := []string{file}
	if _, ok := p.src[file]; !ok {
		files = nil
		for _, other := range p.paths {
			if path.Dir(other) == path.Clean(file) && LanguageOf(other) == Go {
				files = append(files, other)
			}
		}
	}
	for _, f := range files {
		t, err := p.tree(ctx, f)
		if err != nil {
			continue
		}
		for _, r := range t.Regions() {
			if r.Name == name && (r.Parent == "" || strings.Count(r.QualifiedName, ".") == 1 && r.Kind == KindMethod && depth == 0) {
				return Use{Path: f, ID: r.ID}, true
			}
		}
		if depth > 3 || t.Lang == Go {
			continue
		}
		if from, ok := p.imports(t, f)[name]; ok {
			if from.name == "" {
				return Use{Path: from.file}, true
			}
			return p.define(ctx, from.file, from.name, depth+1)
		}
	}
	return Use{}, false
}

func family(lang Language) Language {
	switch lang {
	case TypeScript, TSX:
		return JavaScript
	case CPP:
		return C
	}
	return lang
}

// identifiers lists the names in a region, in the order of the text.
func (t *Tree) identifiers(r Region) []Node {
	var out []Node
	t.Walk(func(n Node) bool {
		if n.End() <= r.StartByte || n.Start() >= r.EndByte {
			return false
		}
		if n.identifier() && r.StartByte <= n.Start() && !n.declares() {
			out = append(out, n)
		}
		return true
	})
	return out
}

func (n Node) identifier() bool {
	switch n.Kind() {
	case "identifier", "type_identifier", "property_identifier", "field_identifier", "package_identifier", "constant",
		"shorthand_property_identifier", "private_property_identifier", "namespace_identifier":
		return true
	case "name": // of PHP
		return n.t.Lang == PHP
	}
	return false
}

// declares tells the name that a definition or declaration gives, but not that
// of a method where it is called.
func (n Node) declares() bool {
	switch n.Field() {
	case "name":
		return !strings.HasSuffix(n.Up(), "_call_expression") && n.Up() != "qualified_name"
	case "declarator":
		return true
	}
	return false
}

// member takes owner.member apart, seen from the member.
func (n Node) member() (owner, member string, ok bool) {
	p, has := n.Parent()
	if !has {
		return "", "", false
	}
	switch p.Kind() {
	case "attribute", "member_expression", "selector_expression", "qualified_type", "nested_type_identifier", "field_expression", "field_access", "member_access_expression", "qualified_identifier":
	case "member_call_expression", "nullsafe_member_call_expression", "scoped_call_expression": // of PHP; arguments follow
		first, ok := p.firstNamed()
		return clip(first.Text(), 100), n.Text(), ok && n.Field() == "name"
	default:
		return "", "", false
	}
	first, ok1 := p.firstNamed()
	last, ok2 := p.lastNamed()
	if !ok1 || !ok2 || last != n || first == n {
		return "", "", false
	}
	return clip(first.Text(), 100), n.Text(), true
}

// under tells whether a node above has one of the kinds.
func (n Node) under(kinds ...string) bool {
	_, ok := n.Ancestor(kinds...)
	return ok
}

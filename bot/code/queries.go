package code

import (
	"bytes"
	"context"
	"path"
	"strings"
)

// Reference is a place that names a region.
type Reference struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	ID   string `json:"id"`   // the innermost region around the place, or ""
	Sure bool   `json:"sure"` // its file knows the region's file or class; else the name alone says so

	Import bool `json:"import,omitempty"` // it stands in an import
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

// definition is where a name leads: a region, or a whole file where id is "".
type definition struct{ path, id string }

// define finds the region that a name means in a file, or in the files of a
// folder for Go; names that a file hands on are followed a few steps.
func (p *Project) define(ctx context.Context, file, name string, depth int) (definition, bool) {
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
				return definition{f, r.ID}, true
			}
		}
		if depth > 3 || t.Lang == Go {
			continue
		}
		if from, ok := p.imports(t, f)[name]; ok {
			if from.name == "" {
				return definition{path: from.file}, true
			}
			return p.define(ctx, from.file, from.name, depth+1)
		}
	}
	return definition{}, false
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
		first, ok := p.FirstNamed()
		return clip(first.Text(), 100), n.Text(), ok && n.Field() == "name"
	default:
		return "", "", false
	}
	first, ok1 := p.FirstNamed()
	last, ok2 := p.LastNamed()
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

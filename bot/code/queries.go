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
	Sure bool   `json:"sure"` // imports lead from there to the region; else the name alone says so
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
			if owner != "self" && owner != "this" && owner != "cls" {
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

// Callers lists the places outside a region that use it, in the order of the
// files. Of a method, and where imports do not tell, the name alone decides.
func (p *Project) Callers(ctx context.Context, file, id string) ([]Reference, error) {
	t, r, err := p.region(ctx, file, id)
	if err != nil {
		return nil, err
	}
	var out []Reference
	for _, other := range p.paths {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if family(LanguageOf(other)) != family(t.Lang) || !bytes.Contains(p.src[other], []byte(r.Name)) {
			continue
		}
		out = append(out, p.references(ctx, other, file, r)...)
	}
	return out, nil
}

// Tests lists the callers of a region that lie in tests.
func (p *Project) Tests(ctx context.Context, file, id string) ([]Reference, error) {
	all, err := p.Callers(ctx, file, id)
	var out []Reference
	for _, ref := range all {
		if IsTest(ref.Path) || strings.HasPrefix(ref.ID, KindTest+":") {
			out = append(out, ref)
		}
	}
	return out, err
}

func (p *Project) region(ctx context.Context, file, id string) (*Tree, Region, error) {
	t, err := p.tree(ctx, file)
	if err != nil {
		return nil, Region{}, err
	}
	r, _, err := Resolve(t.Regions(), id)
	return t, r, err
}

// references lists where the file other names region r of file.
func (p *Project) references(ctx context.Context, other, file string, r Region) []Reference {
	t, err := p.tree(ctx, other)
	if err != nil {
		return nil
	}
	regions := t.Regions()
	imports := p.imports(t, other)
	var out []Reference
	t.Walk(func(n Node) bool {
		if !n.identifier() {
			return true
		}
		if other == file && r.StartByte <= n.Start() && n.End() <= r.EndByte {
			return true
		}
		names, sure := p.names(ctx, n, other, file, r, imports)
		if !names || n.under("import_statement", "import_from_statement", "import_declaration") || defines(regions, n) {
			return true
		}
		ref := Reference{Path: other, Line: n.Line(), Sure: sure}
		if around, ok := Enclosing(regions, ref.Line); ok {
			ref.ID = around.ID
		}
		if len(out) == 0 || out[len(out)-1].Line != ref.Line {
			out = append(out, ref)
		}
		return true
	})
	return out
}

// names tells whether an identifier of file other means region r of file.
func (p *Project) names(ctx context.Context, n Node, other, file string, r Region, imports map[string]imported) (names, sure bool) {
	text := n.Text()
	owner, member, isMember := n.member()
	switch {
	case isMember && member == r.Name:
		whole, ok := imports[owner]
		if ok && whole.name == "" {
			u, found := p.define(ctx, whole.file, member, 0)
			return found && u.Path == file && u.ID == r.ID, true
		}
		return r.Kind == KindMethod, false
	case isMember:
		return false, false
	case r.Kind == KindMethod:
		return false, false
	}
	if from, ok := imports[text]; ok && from.name != "" {
		u, found := p.define(ctx, from.file, from.name, 0)
		return found && u.Path == file && u.ID == r.ID, true
	}
	if text != r.Name || strings.Contains(r.QualifiedName, ".") {
		return false, false
	}
	return other == file || n.t.Lang == Go && path.Dir(other) == path.Dir(file), true
}

// defines tells the name in a region's own head.
func defines(regions []Region, n Node) bool {
	for _, r := range regions {
		if r.Name == n.Text() && r.Kind != KindBlock && r.StartByte <= n.Start() && n.End() <= r.EndByte && n.Field() == "name" {
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
	if lang == TypeScript || lang == TSX {
		return JavaScript
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
		if n.identifier() && r.StartByte <= n.Start() && n.Field() != "name" {
			out = append(out, n)
		}
		return true
	})
	return out
}

func (n Node) identifier() bool {
	switch n.Kind() {
	case "identifier", "type_identifier", "property_identifier", "field_identifier", "package_identifier", "constant",
		"shorthand_property_identifier", "private_property_identifier":
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
	case "attribute", "member_expression", "selector_expression", "qualified_type", "nested_type_identifier", "field_expression", "field_access":
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

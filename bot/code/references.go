package code

import (
	"bytes"
	"context"
	"path"
	"regexp"
	"strings"
)

// search looks for the uses of one region in the files of a project.
type search struct {
	p       *Project
	file    string // where the region is
	r       Region
	imports *regexp.Regexp // a line that imports the file by its name, or the region
}

// importOf finds lines that seem to import a file, where its language's
// imports are not followed or lead nowhere (another root, a path of a build).
func importOf(file, name string) *regexp.Regexp {
	stem := strings.TrimSuffix(path.Base(file), path.Ext(file))
	switch stem {
	case "__init__", "index", "mod", "lib":
		if stem = path.Base(path.Dir(file)); stem == "." {
			stem = name
		}
	}
	stem, name = regexp.QuoteMeta(stem), regexp.QuoteMeta(name)
	return regexp.MustCompile(`(?m)^.*\b(?:import|from|require|use|include)\b.*\b` + stem + `\b|\bfrom\s+['"][^'"]*\b` + stem +
		`\b|\b(?:import|from)\b.*\b` + name + `\b`)
}

// in lists where a file names the region.
func (s *search) in(ctx context.Context, other string) []Reference {
	t, err := s.p.tree(ctx, other)
	if err != nil {
		return nil
	}
	regions := t.Regions()
	imports := s.p.imports(t, other)
	knows, foreign := s.knows(other, imports), s.p.foreign(t)
	var out []Reference
	t.Walk(func(n Node) bool {
		if !n.identifier() {
			return true
		}
		if other == s.file && s.r.StartByte <= n.Start() && n.End() <= s.r.EndByte || n.Field() == "name" && n.Up() == "keyword_argument" {
			return true
		}
		names, sure := s.names(ctx, n, other, imports, knows)
		if !names || s.isForeign(n, foreign) || defines(regions, n) {
			return true
		}
		ref := Reference{Path: other, Line: n.Line(), Sure: sure, Import: n.under("import_statement", "import_from_statement", "import_declaration", "use_declaration")}
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

// knows tells whether a file can mean the region by its name: it is the same
// file or Go package, imports it, or, of a method, names its class.
func (s *search) knows(other string, imports map[string]imported) bool {
	dir := path.Dir(s.file)
	src := s.p.src[other]
	if class := s.r.Parent[strings.LastIndexByte(s.r.Parent, '.')+1:]; s.r.Kind == KindMethod && HasWord(src, class) {
		return true
	}
	if LanguageOf(other) == Go {
		return path.Dir(other) == dir || bytes.Contains(src, []byte("/"+path.Base(dir)+`"`)) || bytes.Contains(src, []byte(`"`+path.Base(dir)+`"`))
	}
	for _, from := range imports {
		if from.file == s.file {
			return true
		}
	}
	return other == s.file || s.imports.Match(src)
}

// names tells whether an identifier of file other means the region.
func (s *search) names(ctx context.Context, n Node, other string, imports map[string]imported, knows bool) (names, sure bool) {
	text := n.Text()
	owner, member, isMember := n.member()
	switch {
	case isMember && member == s.r.Name:
		whole, ok := imports[owner]
		switch {
		case ok && whole.name == "":
			return s.is(ctx, whole.file, member), true
		case s.r.Kind == KindMethod:
			return true, knows
		case ok || !knows || other == s.file:
			return false, false
		}
		return s.called(owner), true
	case isMember, s.r.Kind == KindMethod:
		return false, false
	}
	if from, ok := imports[text]; ok && from.name != "" {
		return s.is(ctx, from.file, from.name), true
	}
	if text != s.r.Name || strings.Contains(s.r.QualifiedName, ".") {
		return false, false
	}
	if other == s.file || n.t.Lang == Go {
		return path.Dir(other) == path.Dir(s.file), true // a bare name in another Go package is another thing
	}
	return knows, true
}

// isForeign tells whether a name is one of another package or module, or of what is
// imported of it.
func (s *search) isForeign(n Node, foreign map[string]bool) bool {
	owner, _, ok := n.member()
	if !ok {
		owner = n.Text()
	}
	return foreign[rootOf(owner)]
}

// rootOf is the first name of a chain such as a.b(c).d.
func rootOf(chain string) string {
	for i := range len(chain) {
		if !NameByte(chain[i]) {
			return chain[:i]
		}
	}
	return chain
}

// is tells whether a name of a file leads to the region.
func (s *search) is(ctx context.Context, file, name string) bool {
	u, found := s.p.define(ctx, file, name, 0)
	return found && u.path == s.file && u.id == s.r.ID
}

// called tells whether a name before a dot can be the region's module.
func (s *search) called(owner string) bool {
	last := owner[strings.LastIndexAny(owner, ".:")+1:]
	return last == strings.TrimSuffix(path.Base(s.file), path.Ext(s.file)) || last == path.Base(path.Dir(s.file))
}

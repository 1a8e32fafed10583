package patch

import (
	"bytes"
	"context"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/task"
)

// The bounds of a search for callers: a larger project is searched in part.
const (
	maxSearchFiles = 20_000
	maxSearchBytes = 64 << 20
	maxSearchFile  = 1 << 20
	maxSites       = 200
)

// unsearched are folders whose code is not the project's own.
var unsearched = map[string]bool{".git": true, "node_modules": true, "vendor": true, ".venv": true, "venv": true, "site-packages": true, "__pycache__": true, "dist": true, "third_party": true, ".tox": true}

// callers finds, for each thing moved, the places in the project that use it:
// by its name, in files that import its module or belong to its package.
// Methods are found by their name after a dot, there and in files that name
// their class; a file that is only handed an object is not found. A place is adapted when the
// patch changes the region around it.
func callers(ctx context.Context, tree fs.FS, all []moved, files []*file) ([][]task.CallSite, error) {
	out := make([][]task.CallSite, len(all))
	patched := map[string]*file{}
	for _, f := range files {
		patched[f.path] = f
	}
	seen, size := 0, int64(0)
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || ctx.Err() != nil:
			return ctx.Err() // what cannot be read is not searched
		case d.IsDir():
			if unsearched[d.Name()] {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular() || !slices.ContainsFunc(all, func(m moved) bool { return related(m.file.path, name) }):
			return nil
		}
		info, err := d.Info()
		if err != nil || info.Size() > maxSearchFile {
			return nil //nolint:nilerr // a file that vanished or is generated has no callers to adapt
		}
		if seen, size = seen+1, size+info.Size(); seen > maxSearchFiles || size > maxSearchBytes {
			return fs.SkipAll
		}
		f := patched[name]
		var src []byte
		if f != nil && f.exists {
			src = f.before
		} else if src, err = fs.ReadFile(tree, name); err != nil {
			return nil //nolint:nilerr // as above
		}
		for i, m := range all {
			if len(out[i]) < maxSites && bytes.Contains(src, []byte(m.was.Name)) && related(m.file.path, name) {
				out[i] = append(out[i], sitesIn(ctx, name, src, m, f)...)
			}
		}
		return nil
	})
	return out, err
}

// related tells whether two files are of languages that can call each other.
func related(a, b string) bool {
	x, y := code.LanguageOf(a), code.LanguageOf(b)
	script := func(l code.Language) bool { return l == code.JavaScript || l == code.TypeScript || l == code.TSX }
	return x == y && x != code.Unknown || script(x) && script(y)
}

// sitesIn are the places of one file that use what moved.
func sitesIn(ctx context.Context, name string, src []byte, m moved, f *file) []task.CallSite {
	if name != m.file.path && !imports(name, src, m) {
		return nil
	}
	t, err := code.Parse(ctx, code.LanguageOf(name), src)
	if err != nil {
		return nil
	}
	regions := t.Regions()
	var out []task.CallSite
	lines := map[int]bool{}
	t.Walk(func(n code.Node) bool {
		if len(n.Children()) > 0 || lines[n.Line()] || !uses(n, m, name) {
			return true
		}
		line := n.Line()
		if name == m.file.path && n.Start() >= m.was.StartByte && n.Start() < m.was.EndByte && n.Field() == "name" {
			return true // the definition itself
		}
		if m.why != gone && imported(n) {
			return true // the name alone is as it was
		}
		lines[line] = true
		site := task.CallSite{Name: m.was.QualifiedName, Path: name, Line: line, Text: strings.TrimSpace(lineOf(src, line)), Test: code.IsTest(name)}
		if r, ok := code.Enclosing(regions, line); ok {
			site.Region = r.ID
			site.Adapted = f != nil && f.adapts(ctx, r, src, m)
		}
		out = append(out, site)
		return true
	})
	return out
}

// imported tells whether a name stands in an import.
func imported(n code.Node) bool {
	_, in := n.Ancestor("import_statement", "import_from_statement", "import_declaration", "use_declaration")
	return in
}

// uses tells whether a leaf of the tree names what moved.
func uses(n code.Node, m moved, name string) bool {
	if n.Text() != m.was.Name {
		return false
	}
	kind := n.Kind()
	if !strings.HasSuffix(kind, "identifier") && kind != "constant" && kind != "shorthand_property_identifier" {
		return false
	}
	dotted := n.Field() == "attribute" || kind == "property_identifier" || kind == "field_identifier"
	if m.was.Kind == code.KindMethod {
		return dotted
	}
	if n.Field() == "name" && n.Up() == "keyword_argument" {
		return false
	}
	// A bare name in another Go package is another thing.
	return name == m.file.path || dotted || code.LanguageOf(name) != code.Go || path.Dir(name) == path.Dir(m.file.path)
}

// imports tells whether a file can know what moved: it belongs to the same Go
// package, imports its module, or, of a method, names its class.
func imports(name string, src []byte, m moved) bool {
	if m.was.Kind == code.KindMethod && hasWord(string(src), m.was.Parent[strings.LastIndexByte(m.was.Parent, '.')+1:]) {
		return true
	}
	dir, stem := path.Dir(m.file.path), strings.TrimSuffix(path.Base(m.file.path), path.Ext(m.file.path))
	if code.LanguageOf(name) == code.Go {
		return path.Dir(name) == dir || bytes.Contains(src, []byte("/"+path.Base(dir)+`"`)) || bytes.Contains(src, []byte(`"`+path.Base(dir)+`"`))
	}
	if stem == "__init__" || stem == "index" || stem == "mod" || stem == "lib" {
		stem = path.Base(dir)
		if stem == "." {
			return true
		}
	}
	word, err := regexp.Compile(`(?m)^.*\b(?:import|from|require|use|include)\b.*\b` + regexp.QuoteMeta(stem) + `\b|\bfrom\s+['"][^'"]*\b` + regexp.QuoteMeta(stem) + `\b|\b(?:import|from)\b.*\b` + regexp.QuoteMeta(m.was.Name) + `\b`)
	return err != nil || word.Match(src)
}

// adapts tells whether the patch changes the region around a place, so that
// what moved is not used there as before.
func (f *file) adapts(ctx context.Context, r code.Region, src []byte, m moved) bool {
	regions, err := code.Regions(ctx, f.path, f.after)
	if err != nil {
		return false
	}
	text := string(src[r.StartByte:r.EndByte])
	for _, now := range regions {
		if now.QualifiedName != r.QualifiedName || now.Kind != r.Kind {
			continue
		}
		is := string(f.after[now.StartByte:now.EndByte])
		return is != text && (m.why != gone || !hasWord(is, m.was.Name))
	}
	return true // the region is gone
}

func hasWord(text, word string) bool {
	ok, err := regexp.MatchString(`\b`+regexp.QuoteMeta(word)+`\b`, text)
	return err == nil && ok
}

package code

import (
	"context"
	"encoding/json"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// supportWords are the parts of names by which what tests stand on is known.
var supportWords = map[string]bool{
	"test": true, "tests": true, "testing": true, "testutil": true, "testutils": true, "testhelper": true, "testhelpers": true,
	"helper": true, "helpers": true, "support": true, "fixture": true, "fixtures": true, "mock": true, "mocks": true, "fake": true, "fakes": true,
	"stub": true, "stubs": true, "shim": true, "shims": true, "double": true, "doubles": true, "conftest": true, "factories": true,
}

var (
	nameParts = lazyregexp.New(`[A-Z]?[a-z]+|[A-Z]+`)
	// testImport is an import of what only tests need.
	testImport = map[Language]*lazyregexp.Regexp{
		Python:     lazyregexp.New(`(?m)^\s*(?:import|from)\s+(?:pytest|unittest)\b`),
		JavaScript: lazyregexp.New(`(?:from|require\(|import)\s*['"](?:node:test|chai|sinon|@jest/globals|vitest)(?:/[\w/]+)?['"]`),
		Go:         lazyregexp.New(`(?m)^\s*(?:import\s+)?(?:\w+\s+)?"testing"`),
	}
	// Ordinary code of Node asserts, too: only what is an assertion itself counts.
	assertImport = lazyregexp.New(`(?:from|require\(|import)\s*['"](?:node:)?assert(?:/strict)?['"]`)
	assertion    = lazyregexp.New(`(?m)(?:^|[^.\w$])(?:deepEqual|deepStrictEqual|strictEqual|equal|throws|rejects|expect)\s*[:(=]`)
	testConfig   = lazyregexp.New(`^(?:jest|vitest|karma|playwright|cypress)\.config\.|^\.mocharc\.|^\.taprc`)
)

// TestSupport lists the files that only tests stand on: helpers, fixtures,
// doubles and shims for assertions, outside the folders of tests. They are the
// tests' own as much as the tests are. A small library, too, may be imported by
// its tests alone; so a file is listed only if its name or its imports say that it
// is for tests, nothing but tests and other such files can import it, no test is
// named after it, nobody else gets it as an entry or in a package, and the tests
// that import it stand on ordinary code as well. What is not sure is not listed.
func TestSupport(ctx context.Context, fsys fs.FS) (map[string]bool, error) {
	p, err := NewProject(ctx, fsys)
	if err != nil {
		return nil, err
	}
	s := support{p: p, files: map[string]bool{}, linked: map[string]map[string]bool{}}
	entry := entries(fsys)
	subjects := p.subjects()
	for _, f := range p.paths {
		if !p.forTests(f) && p.saysSupport(f) && !entry(f) && !subjects[stem(f)] && !p.shipped(f) {
			s.files[f] = true
		}
	}
	for changed := true; changed && ctx.Err() == nil; { // what leans on a file that falls out may fall out, too
		changed = false
		for f := range s.files {
			if !s.onlyTests(ctx, f) {
				delete(s.files, f)
				changed = true
			}
		}
	}
	return s.files, ctx.Err()
}

type support struct {
	p      *Project
	files  map[string]bool            // that may be support
	linked map[string]map[string]bool // what a file imports, where it was looked up
}

// onlyTests: some test that stands on ordinary code leads to the file, and no
// ordinary file may.
func (s *support) onlyTests(ctx context.Context, f string) bool {
	wide := importOf(f, stem(f))
	led := false
	for _, other := range s.p.paths {
		if other == f || family(LanguageOf(other)) != family(LanguageOf(f)) || s.files[other] || !s.mentions(other, f) {
			continue
		}
		links := s.links(ctx, other)[f]
		switch {
		case !s.p.forTests(other):
			if links || LanguageOf(f) != Go && wide.Match(s.p.src[other]) {
				return false
			}
		case links && (LanguageOf(f) != Go || path.Dir(other) != path.Dir(f)): // that one tests the package
			led = led || s.ordinary(ctx, other, map[string]bool{})
		}
	}
	for other := range s.files { // a chain of support begins at a test
		led = led || other != f && s.links(ctx, other)[f] && s.led(ctx, other, map[string]bool{f: true})
	}
	return led
}

// led: a test that stands on ordinary code leads to the support file, perhaps by
// way of another.
func (s *support) led(ctx context.Context, f string, seen map[string]bool) bool {
	seen[f] = true
	for _, other := range s.p.paths {
		if seen[other] || !s.mentions(other, f) || !s.links(ctx, other)[f] {
			continue
		}
		if s.files[other] && s.led(ctx, other, seen) || s.p.forTests(other) && path.Dir(other) != path.Dir(f) && s.ordinary(ctx, other, map[string]bool{}) {
			return true
		}
	}
	return false
}

// ordinary tells whether a test or support file leads to ordinary code.
func (s *support) ordinary(ctx context.Context, f string, seen map[string]bool) bool {
	seen[f] = true
	for to := range s.links(ctx, f) {
		own := s.files[to] || s.p.forTests(to)
		if !own || !seen[to] && s.ordinary(ctx, to, seen) {
			return true
		}
	}
	return false
}

// mentions spares the parsing of files that cannot import another.
func (s *support) mentions(other, f string) bool {
	src := string(s.p.src[other])
	return strings.Contains(src, stem(f)) || strings.Contains(src, path.Base(path.Dir(f))) || LanguageOf(f) == Go && path.Dir(f) == path.Dir(other)
}

// links are the files of the project that a file can lead to: by its imports, by
// any text that reads like the path or the module of one, and of Go the other files
// of its package.
func (s *support) links(ctx context.Context, file string) map[string]bool {
	if out, ok := s.linked[file]; ok {
		return out
	}
	out := map[string]bool{}
	s.linked[file] = out
	t, err := s.p.tree(ctx, file)
	if err != nil {
		return out
	}
	for _, from := range s.p.imports(t, file) {
		out[from.file] = true
	}
	if t.Lang == Go {
		out[path.Dir(file)] = true
	}
	t.Walk(func(n Node) bool {
		text := strings.Trim(n.Text(), "'\"`")
		switch {
		case t.Lang == Python && n.Field() == "module_name", t.Lang == Python && n.Kind() == "string" && strings.Contains(text, "."):
			out[s.p.pythonModule(file, text)] = true
		case family(t.Lang) == JavaScript && n.Kind() == "string":
			out[s.p.scriptModule(file, text)] = true
		}
		return true
	})
	for to := range out {
		for dir := path.Dir(to); t.Lang == Python && dir != "."; dir = path.Dir(dir) {
			out[dir+"/__init__.py"] = true // runs before what is in its folder
		}
		if t.Lang == Go {
			for _, f := range s.p.paths {
				if path.Dir(f) == to && LanguageOf(f) == Go && !IsTest(f) {
					out[f] = true
				}
			}
		}
	}
	for to := range out {
		if s.p.src[to] == nil || to == file {
			delete(out, to)
		}
	}
	return out
}

// forTests: a test, or what says how tests are run.
func (p *Project) forTests(file string) bool {
	return IsTest(file) || testConfig.MatchString(path.Base(file))
}

// saysSupport: a word of its path, or an import, says that the file is for tests.
func (p *Project) saysSupport(file string) bool {
	for _, part := range nameParts.FindAllString(strings.TrimSuffix(file, path.Ext(file)), -1) {
		if supportWords[strings.ToLower(part)] {
			return mainless(LanguageOf(file), p.src[file])
		}
	}
	lang, src := family(LanguageOf(file)), p.src[file]
	return testImport[lang] != nil && mainless(lang, src) && (testImport[lang].Match(src) || lang == JavaScript && assertImport.Match(src) && assertion.Match(src))
}

var goMain = lazyregexp.New(`(?m)^package main\b`)

func mainless(lang Language, src []byte) bool {
	switch family(lang) {
	case Go:
		return !goMain.Match(src)
	case Python, JavaScript:
		return true
	}
	return false
}

// subjects are the stems that tests are named after.
func (p *Project) subjects() map[string]bool {
	out := map[string]bool{}
	for _, f := range p.paths {
		if !IsTest(f) {
			continue
		}
		name := strings.TrimSuffix(path.Base(f), path.Ext(f))
		for _, mark := range []string{"test_", "test-"} {
			name = strings.TrimPrefix(name, mark)
		}
		for _, mark := range []string{".test", ".spec", "-test", "_test"} {
			name = strings.TrimSuffix(name, mark)
		}
		out[name] = true
	}
	return out
}

// stem is the name by which a file is imported.
func stem(file string) string {
	name := strings.TrimSuffix(path.Base(file), path.Ext(file))
	if name == "__init__" || name == "index" {
		return path.Base(path.Dir(file))
	}
	return name
}

// shipped: a module of a Python package that has ordinary modules as well, so that
// whoever installs the package has it.
func (p *Project) shipped(file string) bool {
	for dir := path.Dir(file); LanguageOf(file) == Python && p.src[path.Join(dir, "__init__.py")] != nil; dir = path.Dir(dir) {
		if slices.ContainsFunc(p.paths, func(f string) bool {
			return path.Dir(f) == dir && LanguageOf(f) == Python && !IsTest(f) && !p.saysSupport(f) && stem(f) != path.Base(dir)
		}) {
			return true
		}
		if dir == "." {
			break
		}
	}
	return false
}

// entries tells by the manifests which files others come in by.
func entries(fsys fs.FS) func(file string) bool {
	packages := map[string][]string{} // the files that the package.json of a folder names
	named := func(dir string) []string {
		if out, ok := packages[dir]; ok {
			return out
		}
		var manifest map[string]any
		out := []string{path.Join(dir, "index")}
		if data, err := fs.ReadFile(fsys, path.Join(dir, "package.json")); err == nil && json.Unmarshal(data, &manifest) == nil {
			for _, key := range []string{"main", "module", "browser", "types", "exports", "bin"} {
				for _, name := range leaves(manifest[key]) {
					out = append(out, path.Join(dir, name))
				}
			}
		} else if dir != "." {
			out = nil
		}
		packages[dir] = out
		return out
	}
	python := ""
	for _, f := range []string{"setup.py", "setup.cfg", "pyproject.toml"} {
		if data, err := fs.ReadFile(fsys, f); err == nil {
			python += string(data) + "\n"
		}
	}
	return func(file string) bool {
		bare := strings.TrimSuffix(file, path.Ext(file))
		if LanguageOf(file) != Python {
			is := func(n string) bool {
				before, _, several := strings.Cut(n, "*")
				return n == file || n == bare || n == path.Dir(file) || several && strings.HasPrefix(file, before)
			}
			for dir := path.Dir(file); ; dir = path.Dir(dir) {
				if slices.ContainsFunc(named(dir), is) || dir == "." {
					return slices.ContainsFunc(named(dir), is)
				}
			}
		}
		module := strings.ReplaceAll(strings.TrimPrefix(strings.TrimSuffix(bare, "/__init__"), "src/"), "/", ".")
		return path.Base(bare) == "__main__" || strings.HasPrefix(path.Base(file), "setup.") || HasWord(python, module)
	}
}

// leaves are the texts in a value of JSON.
func leaves(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case map[string]any:
		var out []string
		for _, x := range v {
			out = append(out, leaves(x)...)
		}
		return out
	case []any:
		var out []string
		for _, x := range v {
			out = append(out, leaves(x)...)
		}
		return out
	}
	return nil
}

package gate

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/verify/assertion"
)

var goDialect = &dialect{
	howNamed: "name its functions func TestXxx(t *testing.T) in a file that ends with _test.go",
	mock:     lazyregexp.New(`\b(?:gomock\.NewController|NewMock\w*|mock\.Mock)\(`),
	frame:    lazyregexp.New(`^\w\.(?:Run|Helper|Cleanup|Log|Logf|Parallel|TempDir)$|^(?:len|cap|make|append|string|fmt\.\w+)$`),
	runs:     lazyregexp.New(`\bexec\.Command`),
	steps:    lazyregexp.New(`\b(?:Next|Pop|Read\w*|Scan)\(`),
	habits: []habit{
		{Sleeps, lazyregexp.New(`^time\.(?:Sleep|After|Tick|NewTimer|NewTicker)$`), lazyregexp.New(`synctest\.`), saySleep},
		{Network, lazyregexp.New(`^net\.(?:Dial\w*|Listen\w*|Lookup\w+)$|^http\.(?:Get|Post|PostForm|Head|ListenAndServe\w*)$|^http\.DefaultClient\.\w+$`), lazyregexp.New(`httptest\.NewServer`), sayNet},
		{Skips, lazyregexp.New(`^\w\.(?:Skip|Skipf|SkipNow)$|^testing\.Short$`), nil, saySkip},
		{Flaky, lazyregexp.New(`^rand\.(?:Int\w*|Float\w*|Perm|Shuffle|N|Read|Uint\w*)$`), lazyregexp.New(`rand\.Seed\(|rand\.New\(`), sayChance},
		{Flaky, lazyregexp.New(`^time\.Now$|^uuid\.New\w*$`), lazyregexp.New(`synctest\.`), sayChance},
	},
	tests: goTests, names: goNames, called: calls, imports: goImports, define: goDefine,
	helps: func(s *sheet, name string, args []code.Node) bool { // it is handed the test
		return len(args) > 0 && goTest.MatchString(wording(args[0])) && len(s.defs[last(name)]) == 0 && !s.project[root(name)]
	},
	given: func(_ *sheet, _ test, name string) bool { return !goKnown.MatchString(name) },
	swallows: func(s *sheet, n code.Node) bool {
		name, ok := calls(n)
		if !ok || name != "recover" {
			return false
		}
		fn, ok := n.Ancestor("func_literal", "function_declaration")
		return ok && !s.assertsIn(fn) && !strings.Contains(wording(fn), "panic(") && !strings.Contains(n.Up()+wording(fn), "= recover()\n\t\treturn")
	},
	constant: func(_ *sheet, a assertion.Assertion) bool {
		return len(a.About) >= 1 && regexp.MustCompile(`&&\s*false$|^false\s*&&|^len\([^()]*\)\s*<\s*0$`).MatchString(a.About[0].Text())
	},
}

var (
	goTest  = lazyregexp.New(`^(?:t|tb|c|tt|s\.T\(\))$`)
	goKnown = lazyregexp.New(`^(?:t|tb|_|nil|true|false|len|cap|make|append|string|int|int64|float64|bool|byte|rune|any|error|panic|recover|new|copy|min|max|testing|fmt|errors|reflect|strings|slices|maps|sort|bytes|math|time|os|strconv|strutil|mock|require|assert)$`)
)

func goTests(t *code.Tree) []test {
	var out []test
	for _, n := range t.Root().NamedChildren() {
		name, ok := n.ChildByField("name")
		if ok && n.Kind() == "function_declaration" && regexp.MustCompile(`^Test(?:$|[^a-z])`).MatchString(wording(name)) && wording(name) != "TestMain" {
			out = append(out, test{wording(name), n})
		}
	}
	return out
}

func goNames(_ *sheet, n code.Node) []string {
	var out []string
	n.Walk(func(c code.Node) bool {
		switch c.Kind() {
		case "identifier", "type_identifier", "package_identifier":
			out = append(out, wording(c))
		}
		return true
	})
	return out
}

// goImports: the names of the package itself for a test inside it, and the
// packages of the module.
func goImports(ctx context.Context, s *sheet, base fs.FS, files map[string]bool) error {
	dir, module := path.Dir(s.path), ""
	for d := dir; ; d = path.Dir(d) {
		if files[path.Join(d, "go.mod")] {
			text, err := fs.ReadFile(base, path.Join(d, "go.mod"))
			if err != nil {
				return err
			}
			if m := regexp.MustCompile(`(?m)^module\s+"?([^\s"]+)`).FindSubmatch(text); m != nil {
				module = string(m[1])
			}
			break
		}
		if d == "." || d == "/" {
			break
		}
	}
	for _, n := range s.t.Root().NamedChildren() {
		n.Walk(func(c code.Node) bool {
			p, ok := c.ChildByField("path")
			if c.Kind() != "import_spec" || !ok {
				return true
			}
			full := strings.Trim(wording(p), "\"`")
			if own := module != "" && (full == module || strings.HasPrefix(full, module+"/")); own {
				name := path.Base(full)
				if alias, ok := c.ChildByField("name"); ok {
					name = wording(alias)
				}
				s.project[name] = true
			}
			return false
		})
	}
	if strings.HasSuffix(goPackage(s.t), "_test") {
		return nil
	}
	return s.goOwn(ctx, base, files, dir)
}

func goPackage(t *code.Tree) string {
	for _, n := range t.Root().NamedChildren() {
		if n.Kind() == "package_clause" {
			return strings.TrimSpace(strings.TrimPrefix(wording(n), "package"))
		}
	}
	return ""
}

// goOwn notes what the package's own files declare.
func (s *sheet) goOwn(ctx context.Context, base fs.FS, files map[string]bool, dir string) error {
	declared := func(n code.Node) {
		n.Walk(func(c code.Node) bool {
			if name, ok := c.ChildByField("name"); ok && c.Kind() != "method_declaration" {
				s.project[wording(name)] = true
			}
			return c.Kind() != "function_declaration" && c.Kind() != "method_declaration" && c.Kind() != "struct_type" && c.Kind() != "interface_type"
		})
	}
	if err := s.goFiles(ctx, base, files, dir, false, declared); err != nil {
		return err
	}
	return s.goFiles(ctx, base, files, dir, true, s.goHelper)
}

// goFiles reads what stands at the top of the files of a folder: its tests', or the others.
func (s *sheet) goFiles(ctx context.Context, base fs.FS, files map[string]bool, dir string, tests bool, each func(code.Node)) error {
	for f := range files {
		if path.Dir(f) != dir || path.Ext(f) != ".go" || f == s.path || strings.HasSuffix(f, "_test.go") != tests {
			continue
		}
		src, err := fs.ReadFile(base, f)
		if err != nil {
			return err
		}
		t, err := code.Parse(ctx, code.Go, src)
		if err != nil {
			return fmt.Errorf("reading %s: %w", f, err)
		}
		for _, n := range t.Root().NamedChildren() {
			each(n)
		}
	}
	return nil
}

// goHelper notes a function beside the base's tests that uses the project: what a
// helper gives is the project's.
func (s *sheet) goHelper(n code.Node) {
	name, ok := n.ChildByField("name")
	if n.Kind() != "function_declaration" || !ok || strings.HasPrefix(wording(name), "Test") {
		return
	}
	n.Walk(func(c code.Node) bool {
		if c.Kind() == "identifier" && c != name && s.project[wording(c)] {
			s.project[wording(name)] = true
		}
		return true
	})
}

func goDefine(s *sheet, n code.Node) {
	switch n.Kind() {
	case "type_spec": // what the test makes itself stands in for the code
		name, _ := n.ChildByField("name")
		s.mocked[wording(name)] = true
	case "short_var_declaration", "assignment_statement", "range_clause":
		s.fields(n, "left", "right")
	case "var_spec", "const_spec":
		s.fields(n, "name", "value")
		s.fields(n, "name", "type") // of "var r Registry" the zero value is the project's
	}
}

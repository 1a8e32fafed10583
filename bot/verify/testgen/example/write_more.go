package example

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// script writes tests for node:test, with import or require as the neighbour.
func (x *index) script(w *written, list []boundExample, near string, told bool) error {
	style := x.read(near)
	esm := regexp.MustCompile(`(?m)^\s*import\s`).MatchString(style) || near == "" && strings.HasSuffix(list[0].main.path, ".mjs")
	bring := func(what, from string) string {
		if esm {
			return fmt.Sprintf("import %s from '%s';", what, from)
		}
		return fmt.Sprintf("const %s = require('%s');", strings.Replace(what, "* as ", "", 1), from)
	}
	imports := map[string]bool{}
	for _, b := range list {
		for name, d := range b.names {
			what, err := x.exported(name, d, esm)
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(path.Dir(w.path), d.path)
			if err != nil {
				return fmt.Errorf("from %s to %s: %w", w.path, d.path, err)
			}
			if rel = filepath.ToSlash(rel); !strings.HasPrefix(rel, ".") {
				rel = "./" + rel
			}
			imports[bring(what, rel)] = true
		}
	}
	var out strings.Builder
	if x.note != "" {
		out.WriteString("// " + x.note + "\n")
	}
	out.WriteString(bring("test", "node:test") + "\n" + bring("assert", "node:assert") + "\n")
	out.WriteString(strings.Join(slices.Sorted(maps.Keys(imports)), "\n") + "\n")
	for i, b := range list {
		name := b.named(i)
		w.names = append(w.names, name)
		e := b.expected(told)
		var check string
		subject := b.Call
		if b.about != "" {
			b.Setup, subject = append(slices.Clone(b.Setup), b.Call), b.about
		}
		switch {
		case e.err != "":
			check = fmt.Sprintf("assert.throws(() => %s, { name: '%s' });", b.Call, e.err)
		case e.quiet != "":
			check = fmt.Sprintf("assert.doesNotThrow(() => %s);", b.Call)
		case strings.ContainsAny(e.value[:1], "[{"):
			check = fmt.Sprintf("assert.deepStrictEqual(%s, %s);", subject, e.value)
		default:
			check = fmt.Sprintf("assert.strictEqual(%s, %s);", subject, e.value)
		}
		fmt.Fprintf(&out, "\ntest('%s', () => {\n", name)
		for _, s := range b.Setup {
			if !regexp.MustCompile(`^(?:const|let|var)\s|^[\w$.]+[.(]`).MatchString(s) {
				s = "let " + s
			}
			out.WriteString("  " + s + ";\n")
		}
		out.WriteString("  " + check + "\n});\n")
	}
	w.text = out.String()
	return nil
}

// exported is what an import takes of the file that defines a name.
func (x *index) exported(name string, d def, esm bool) (string, error) {
	src, q := x.read(d.path), regexp.QuoteMeta(name)
	match := func(pattern string) bool { return regexp.MustCompile(pattern).MatchString(src) }
	switch {
	case d.name == "" && esm:
		return "* as " + name, nil
	case d.name == "":
		return name, nil
	case match(`export\s+default\s+(?:async\s+)?(?:function\*?|class)?\s*` + q + `\b`), match(`module\.exports\s*=\s*(?:(?:async\s+)?function\s+|class\s+)?` + q + `\b`):
		return name, nil
	case match(`export\s+(?:async\s+)?(?:function\*?|class|const|let|var)\s+` + q + `\b`), match(`export\s*\{[^}]*\b` + q + `\b`),
		match(`module\.exports\s*=\s*\{[^}]*\b` + q + `\b`), match(`(?:module\.)?exports\.` + q + `\s*=`):
		return "{ " + name + " }", nil
	}
	return "", refuse("%s does not export %s", d.path, name)
}

// golang writes tests for go test, inside or outside of the package as the
// neighbour.
func (x *index) golang(ctx context.Context, w *written, list []boundExample, near string, told bool) error {
	b := list[0]
	pkg := b.main.pkg
	outside := regexp.MustCompile(`(?m)^package `+regexp.QuoteMeta(pkg)+`_test\b`).MatchString(x.read(near)) && pkg != "main" && x.kind == "issue"
	importPath, err := x.importPath(path.Dir(b.main.path))
	if err != nil {
		return err
	}
	var body strings.Builder
	deep := false
	for i, b := range list {
		for _, d := range b.names {
			if path.Dir(d.path) != path.Dir(list[0].main.path) {
				return refuse("%s uses more than one package", b.Call)
			}
		}
		name := "Test" + camel(strings.ReplaceAll(b.named(i), " ", "_"))
		if told {
			name = "Test" + camel(last(b.Call)) + "AsTold" + strings.Trim(suffix(i), "_")
		}
		w.names = append(w.names, name)
		fmt.Fprintf(&body, "\nfunc %s(t *testing.T) {\n", name)
		for _, s := range b.Setup {
			body.WriteString("\t" + qualify(s, b, pkg, outside) + "\n")
		}
		text, compares, err := x.goCheck(ctx, b, pkg, outside, told)
		if err != nil {
			return err
		}
		deep = deep || compares
		body.WriteString(text + "}\n")
	}
	imports := []string{`"testing"`}
	if deep {
		imports = []string{`"reflect"`, `"testing"`}
	}
	head := "package " + pkg
	if outside {
		head += "_test"
		imports = append(imports, "", fmt.Sprintf("%q", importPath))
	}
	if x.note != "" {
		head = "// " + x.note + "\n\n" + head
	}
	if len(imports) == 1 {
		w.text = head + "\n\nimport " + imports[0] + "\n" + body.String()
		return nil
	}
	lines := ""
	for _, i := range imports {
		lines += strings.TrimRight("\t"+i, "\t") + "\n"
	}
	w.text = head + "\n\nimport (\n" + lines + ")\n" + body.String()
	return nil
}

// qualify writes the package before its names outside of it, and takes it away
// inside.
func qualify(s string, b boundExample, pkg string, outside bool) string {
	for name, d := range b.names {
		q := regexp.MustCompile(`(^|[^\w."])` + regexp.QuoteMeta(name) + `\b`)
		switch {
		case outside && d.name != "":
			s = q.ReplaceAllString(s, "${1}"+pkg+"."+name)
		case !outside && d.name == "":
			s = regexp.MustCompile(`(^|[^\w."])`+regexp.QuoteMeta(name)+`\.`).ReplaceAllString(s, "${1}")
		}
	}
	return s
}

// goCheck is the comparison, fitted to what the function returns; deep tells
// that it needs package reflect.
func (x *index) goCheck(ctx context.Context, b boundExample, pkg string, outside, told bool) (text string, deep bool, err error) {
	call, e := qualify(b.Call, b, pkg, outside), b.expected(told)
	if e.err != "" || e.quiet != "" {
		if e.err != "" && e.err != "panic" {
			return "", false, refuse("Go returns errors, and %s is no value", e.err)
		}
		if e.err == "panic" {
			return "\tdefer func() {\n\t\tif r := recover(); r == nil {\n\t\t\tt.Error(\"no panic\")\n\t\t}\n\t}()\n\t" + call + "\n", false, nil
		}
		return "\tdefer func() {\n\t\tif r := recover(); r != nil {\n\t\t\tt.Errorf(\"panic: %v\", r)\n\t\t}\n\t}()\n\t" + call + "\n", false, nil
	}
	if b.about != "" {
		return "\t" + call + "\n\tif want := (" + e.value + "); !reflect.DeepEqual(" + b.about + ", want) {\n\t\tt.Errorf(\"got %v, want %v\", " + b.about + ", want)\n\t}\n", true, nil
	}
	result := b.gives
	if result == "" {
		if result, err = x.result(ctx, path.Dir(b.main.path), last(b.Call)); err != nil {
			return "", false, err
		}
	}
	if b.fails {
		return "\tif " + strings.Repeat("_, ", strings.Count(result, ",")) + "err := " + call + "; err == nil {\n\t\tt.Error(\"no error\")\n\t}\n", false, nil
	}
	left := "got"
	failed := ""
	switch {
	case result == "":
		return "", false, refuse("%s returns nothing", last(b.Call))
	case regexp.MustCompile(`^\(?[^,]+,\s*(?:\w+ )?error\)?$`).MatchString(result):
		left, failed = "got, err", "\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n"
	case strings.Contains(result, ","):
		return "", false, refuse("%s returns more than one value", last(b.Call))
	}
	want := qualify(e.value, b, pkg, outside)
	if composite.MatchString(want) || regexp.MustCompile(`^&?[A-Za-z\[][^"]*(?:\{.*\}|\(nil\))$`).MatchString(want) {
		return "\t" + left + " := " + call + "\n" + failed + "\tif want := (" + want + "); !reflect.DeepEqual(got, want) {\n\t\tt.Errorf(\"got %v, want %v\", got, want)\n\t}\n", true, nil
	}
	return "\t" + left + " := " + call + "\n" + failed + "\tif got != " + want + " {\n\t\tt.Errorf(\"got %v, want %v\", got, " + want + ")\n\t}\n", false, nil
}

// result is the result of the one function or method of that name in a folder.
func (x *index) result(ctx context.Context, dir, name string) (string, error) {
	entries, err := fs.ReadDir(x.base, dir)
	if err != nil {
		return "", err
	}
	found := map[string]bool{}
	for _, f := range entries {
		if path.Ext(f.Name()) != ".go" || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		p := path.Join(dir, f.Name())
		list, err := code.Callables(ctx, p, []byte(x.read(p)))
		if err != nil {
			return "", err
		}
		for _, c := range list {
			if c.Name == name {
				found[strings.TrimSpace(c.Result)] = true
			}
		}
	}
	if len(found) != 1 {
		return "", refuse("%s is not one function of %s", name, dir)
	}
	for r := range found {
		return r, nil
	}
	return "", nil
}

// importPath of a folder, by the nearest go.mod.
func (x *index) importPath(dir string) (string, error) {
	for d := dir; ; d = path.Dir(d) {
		if m := regexp.MustCompile(`(?m)^module\s+"?([^\s"]+)`).FindStringSubmatch(x.read(path.Join(d, "go.mod"))); m != nil {
			return path.Join(m[1], strings.TrimPrefix(strings.TrimPrefix(dir, d), "/")), nil
		}
		if d == "." || d == "/" {
			return "", refuse("no go.mod above %s", dir)
		}
	}
}

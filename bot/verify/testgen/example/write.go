package example

import (
	"context"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// written is a test file; names are those of its tests, one for each example.
type written struct {
	path  string
	text  string
	names []string
}

// neighbour is the test file whose place and style the new one takes: one that
// mentions what is called, else the one with the most similar path.
func (x *index) neighbour(b boundExample) string {
	best, score := "", -1
	said := regexp.MustCompile(`\b` + regexp.QuoteMeta(last(b.Call)) + `\b`)
	stem := strings.TrimSuffix(path.Base(b.main.path), path.Ext(b.main.path))
	for _, p := range x.tests {
		if family(code.LanguageOf(p)) != b.lang || path.Base(p) == "conftest.py" || path.Base(p) == "__init__.py" {
			continue
		}
		points := 0
		text := x.read(p)
		if said.MatchString(text) {
			points += 4
		}
		if strings.Contains(path.Base(p), stem) {
			points += 3
		}
		switch b.lang {
		case code.Go:
			if path.Dir(p) != path.Dir(b.main.path) {
				continue
			}
		case code.Python:
			if !regexp.MustCompile(`(?m)^\s*(?:async )?def test`).MatchString(text) {
				continue
			}
		default:
			if !strings.Contains(text, "node:test") {
				continue
			}
		}
		if path.Dir(p) == path.Dir(b.main.path) {
			points++
		}
		if points > score {
			best, score = p, points
		}
	}
	return best
}

// write makes one test file of examples in the same file's style; told makes
// the tests hold to what was seen instead of what is wanted.
func (x *index) write(ctx context.Context, list []boundExample, told bool) (written, error) {
	near := x.neighbour(list[0])
	w := written{path: x.place(list[0], near, told)}
	var err error
	switch list[0].lang {
	case code.Python:
		x.python(&w, list, near, told)
	case code.JavaScript:
		err = x.script(&w, list, near, told)
	case code.Go:
		err = x.golang(ctx, &w, list, near, told)
	}
	return w, err
}

func snake(name string) string {
	return strings.Trim(strings.ToLower(regexp.MustCompile(`([a-z0-9])([A-Z])`).ReplaceAllString(name, "${1}_$2")), "_")
}

// place is a new file's path beside the neighbour, named as it is.
func (x *index) place(b boundExample, near string, told bool) string {
	what := snake(last(b.Call)) + "_" + x.kind
	if told {
		what += "_told"
	}
	dir := path.Dir(b.main.path)
	if near != "" {
		dir = path.Dir(near)
	}
	for i := 1; ; i++ {
		stem := what
		if i > 1 {
			stem = fmt.Sprintf("%s_%d", what, i)
		}
		var name string
		switch b.lang {
		case code.Go:
			name = stem + "_test.go"
		case code.Python:
			name = "test_" + stem + ".py"
			if strings.HasSuffix(near, "_test.py") {
				name = stem + "_test.py"
			}
		default:
			m := regexp.MustCompile(`[.\-_](?:test|spec)\.[cm]?js$`).FindString(near)
			if m == "" && near != "" && !strings.HasPrefix(path.Base(near), "test") {
				m = path.Ext(near)
			}
			if m == "" {
				m = ".test" + path.Ext(b.main.path)
			}
			name = strings.ReplaceAll(stem, "_", "-") + m
		}
		// pytest imports test files of folders without __init__.py by their name alone
		taken := b.lang == code.Python && slices.ContainsFunc(x.tests, func(t string) bool { return path.Base(t) == name })
		if p := path.Join(dir, name); x.read(p) == "" && !taken {
			return p
		}
	}
}

// python writes functions for pytest, or a class where the neighbour has one.
func (x *index) python(w *written, list []boundExample, near string, told bool) {
	style := x.read(near)
	class := regexp.MustCompile(`(?m)^class \w+\((?:unittest\.)?TestCase\)`).MatchString(style) && !strings.Contains(style, "import pytest")
	var out strings.Builder
	if x.note != "" {
		out.WriteString("# " + x.note + "\n")
	}
	imports := map[string]bool{}
	raises := false
	for _, b := range list {
		for name, d := range b.names {
			imports[x.pythonImport(name, d, style)] = true
		}
		raises = raises || b.expected(told).err != "" || b.expected(told).quiet != ""
	}
	if class {
		out.WriteString("import unittest\n\n")
	} else if raises {
		out.WriteString("import pytest\n\n")
	}
	out.WriteString(strings.Join(together(imports), "\n") + "\n\n\n")
	indent := ""
	if class {
		indent = "    "
		fmt.Fprintf(&out, "class %s%sTest(unittest.TestCase):\n", camel(last(list[0].Call)), camel(x.kind))
	}
	for i, b := range list {
		name := "test_" + snake(strings.ReplaceAll(b.named(i), " ", "_"))
		w.names = append(w.names, name)
		self := ""
		if class {
			self = "self"
		}
		var body []string
		body = append(body, b.Setup...)
		body = append(body, pythonCheck(b, told, class)...)
		if i > 0 && class {
			out.WriteString("\n")
		} else if i > 0 {
			out.WriteString("\n\n")
		}
		fmt.Fprintf(&out, "%sdef %s(%s):\n", indent, name, self)
		for _, line := range body {
			out.WriteString(indent + "    " + line + "\n")
		}
	}
	w.text = out.String()
}

func pythonCheck(b boundExample, told, class bool) []string {
	x := b.expected(told)
	if b.about != "" {
		call := b.Call
		b.Call, b.about = b.about, ""
		return append([]string{call}, pythonCheck(b, told, class)...)
	}
	fail := map[bool]string{true: "self.fail", false: "pytest.fail"}[class]
	switch {
	case x.err != "" && class:
		return []string{"with self.assertRaises(" + x.err + "):", "    " + b.Call}
	case x.err != "":
		return []string{"with pytest.raises(" + x.err + "):", "    " + b.Call}
	case x.quiet != "":
		return []string{"try:", "    " + b.Call, "except " + x.quiet + " as error:", "    " + fail + "(f\"raised {error!r}\")"}
	case class:
		return []string{"self.assertEqual(" + b.Call + ", " + x.value + ")"}
	case x.value == "None" || x.value == "True" || x.value == "False":
		return []string{"assert " + b.Call + " is " + x.value}
	}
	return []string{"assert " + b.Call + " == " + x.value}
}

// together makes one statement of those that import from the same module.
func together(imports map[string]bool) []string {
	names := map[string][]string{}
	var out []string
	for _, line := range slices.Sorted(maps.Keys(imports)) {
		module, name, ok := strings.Cut(line, " import ")
		if !ok {
			out = append(out, line)
		} else {
			names[module] = append(names[module], name)
		}
	}
	for _, module := range slices.Sorted(maps.Keys(names)) {
		out = append(out, module+" import "+strings.Join(names[module], ", "))
	}
	return out
}

// expectation is what a test holds the call to: a value, an exception, or that
// an exception is not raised.
type expectation struct{ value, err, quiet string }

func (b boundExample) expected(told bool) expectation {
	switch {
	case told && b.GotError != "":
		return expectation{err: b.GotError}
	case told:
		return expectation{value: b.Got}
	case b.WantError != "":
		return expectation{err: b.WantError}
	case b.Want != "":
		return expectation{value: b.Want}
	}
	return expectation{quiet: b.GotError}
}

// pythonImport is the statement that brings a name in, as the neighbour does.
func (x *index) pythonImport(name string, d def, style string) string {
	module := strings.TrimSuffix(strings.TrimSuffix(d.path, path.Ext(d.path)), "/__init__")
	dotted := strings.ReplaceAll(module, "/", ".")
	if d.name != "" {
		if m := regexp.MustCompile(`(?m)^\s*from\s+([\w.]+)\s+import\s+(?:\([^)]*|[^\n#]*)\b` + regexp.QuoteMeta(name) + `\b`).FindStringSubmatch(style); m != nil && !strings.HasPrefix(m[1], ".") {
			return "from " + m[1] + " import " + name
		}
	}
	best := ""
	for at := dotted; ; { // the longest end of the path that some test imports
		if best == "" && regexp.MustCompile(`(?m)^\s*(?:from|import)\s+`+regexp.QuoteMeta(at)+`\b`).MatchString(style) {
			best = at
		}
		_, rest, ok := strings.Cut(at, ".")
		if !ok {
			break
		}
		at = rest
	}
	if best == "" { // from the outermost package
		dir := path.Dir(module)
		parts := []string{path.Base(module)}
		for ; dir != "." && x.have(path.Join(dir, "__init__.py")); dir = path.Dir(dir) {
			parts = append([]string{path.Base(dir)}, parts...)
		}
		best = strings.Join(parts, ".")
	}
	if d.name != "" {
		return "from " + best + " import " + name
	}
	if parent, base, ok := cutLast(best); ok && base == name {
		return "from " + parent + " import " + name
	}
	return "import " + best
}

func (x *index) have(p string) bool {
	f, err := x.base.Open(p)
	if err == nil {
		_ = f.Close()
	}
	return err == nil
}

func cutLast(dotted string) (before, after string, ok bool) {
	i := strings.LastIndexByte(dotted, '.')
	if i < 0 {
		return "", dotted, false
	}
	return dotted[:i], dotted[i+1:], true
}

func camel(name string) string {
	var out strings.Builder
	for _, p := range strings.Split(snake(name), "_") {
		if p != "" {
			out.WriteString(strings.ToUpper(p[:1]) + p[1:])
		}
	}
	return out.String()
}

func suffix(i int) string {
	if i == 0 {
		return ""
	}
	return fmt.Sprintf("_%d", i+1)
}

package example

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// errRefused says why an example makes no test.
var errRefused = errors.New("no test can be made of it")

// errForeign: the text is none of that language.
var errForeign = errors.New("another language")

func refuse(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errRefused, fmt.Sprintf(format, args...))
}

const maxFiles = 3000

// def is a function, class or type at the top of a source file.
type def struct {
	path string
	name string
	lang code.Language
	pkg  string // of Go
}

// index are the names of a base.
type index struct {
	base  fs.FS
	defs  map[string][]def
	tests []string // paths of test files
	said  string   // words of the issue
	// kind is in the names of new files and tests, note stands at their top.
	kind, note string
}

// family is the language under which a file's tests are written.
func family(lang code.Language) code.Language {
	switch lang {
	case code.TypeScript, code.TSX:
		return code.JavaScript
	case code.Python, code.JavaScript, code.Go:
		return lang
	}
	return ""
}

// newIndex reads the names of a base, which examples of an issue that has said something
// are to be bound to; said is empty where they are of no issue.
func newIndex(ctx context.Context, base fs.FS, said string) (*index, error) {
	x := &index{base: base, defs: map[string][]def{}, kind: "issue", said: said}
	err := x.walk(func(p string, lang code.Language) error { return x.add(ctx, p, lang) })
	return x, err
}

// walk notes the test files, and gives the other source files to see.
func (x *index) walk(see func(p string, lang code.Language) error) error {
	n := 0
	return fs.WalkDir(x.base, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); p != "." && (code.Foreign(name) || name == "testdata" || strings.HasPrefix(name, ".")) {
				return fs.SkipDir
			}
			return nil
		}
		lang := family(code.LanguageOf(p))
		if lang == "" || !d.Type().IsRegular() || n >= maxFiles {
			return nil
		}
		n++
		if code.IsTest(p) {
			x.tests = append(x.tests, p)
			return nil
		}
		return see(p, lang)
	})
}

func (x *index) add(ctx context.Context, p string, lang code.Language) error {
	src, err := fs.ReadFile(x.base, p)
	if err != nil {
		return err
	}
	regions, err := code.Regions(ctx, p, src)
	if err != nil {
		return err
	}
	pkg := ""
	if m := regexp.MustCompile(`(?m)^package (\w+)`).FindSubmatch(src); lang == code.Go && m != nil {
		pkg = string(m[1])
	}
	for _, r := range regions {
		if r.Parent == "" && (r.Kind == code.KindFunction || r.Kind == code.KindClass || r.Kind == code.KindType) {
			x.defs[r.Name] = append(x.defs[r.Name], def{p, r.Name, lang, pkg})
		}
	}
	return nil
}

func (x *index) read(p string) string {
	src, err := fs.ReadFile(x.base, p)
	if err != nil {
		return ""
	}
	return string(src)
}

// bound is an example whose names are known: the texts of its statements, and
// what each free name is.
type boundExample struct {
	Example
	lang  code.Language
	names map[string]def // free name → what it means; for a module or package its def has no name
	main  def            // what is called
	// Of tests that do not come from an issue:
	title string // words of the name; empty: as in the issue
	about string // what is compared after the call; empty: what the call gives
	fails bool   // the call gives an error as its last result (Go)
	gives string // the results as declared (Go); empty: looked up
}

// named are the words of a test's name.
func (b boundExample) named(i int) string {
	if b.title != "" {
		return last(b.Call) + " " + b.title
	}
	return last(b.Call) + " as in the issue" + strings.ReplaceAll(suffix(i), "_", " ")
}

var builtins = map[code.Language]map[string]bool{
	code.Python:     set("list", "tuple", "set", "dict", "sorted", "len", "str", "int", "float", "bool", "range", "sum", "min", "max", "frozenset", "bytes", "complex", "abs", "round", "reversed"),
	code.JavaScript: set("Number", "String", "Array", "Object", "Map", "Set", "NaN", "Infinity", "undefined", "BigInt"),
	code.Go:         set("len", "string", "int", "int64", "float64", "float32", "bool", "byte", "rune", "uint", "any", "nil", "true", "false", "append", "error"),
}

// pythonErrors are the exceptions that need no import.
var pythonErrors = set("ArithmeticError", "AssertionError", "AttributeError", "BaseException", "BlockingIOError", "BrokenPipeError", "BufferError", "ConnectionError", "ConnectionRefusedError",
	"ConnectionResetError", "DeprecationWarning", "EOFError", "Exception", "FileExistsError", "FileNotFoundError", "FloatingPointError", "FutureWarning", "IOError", "ImportError", "IndentationError",
	"IndexError", "InterruptedError", "IsADirectoryError", "KeyError", "KeyboardInterrupt", "LookupError", "MemoryError", "ModuleNotFoundError", "NameError", "NotADirectoryError",
	"NotImplementedError", "OSError", "OverflowError", "PermissionError", "ProcessLookupError", "RecursionError", "ReferenceError", "ResourceWarning", "RuntimeError", "RuntimeWarning",
	"StopAsyncIteration", "StopIteration", "SyntaxError", "SystemError", "SystemExit", "TabError", "TimeoutError", "TypeError", "UnboundLocalError", "UnicodeDecodeError", "UnicodeEncodeError",
	"UnicodeError", "UnicodeTranslateError", "UserWarning", "ValueError", "Warning", "ZeroDivisionError")

func set(names ...string) map[string]bool {
	out := map[string]bool{}
	for _, n := range names {
		out[n] = true
	}
	return out
}

// allowed are the kinds of nodes that a test may be made of: calls, names and
// literals. What is not here could do anything.
var allowed = set("module", "program", "source_file", "expression_statement", "call", "call_expression", "argument_list", "arguments", "identifier", "attribute", "member_expression",
	"property_identifier", "keyword_argument", "string", "string_start", "string_content", "string_end", "string_fragment", "escape_sequence", "integer", "float", "number", "list", "tuple",
	"dictionary", "pair", "set", "true", "false", "none", "null", "undefined", "unary_operator", "unary_expression", "array", "object", "parenthesized_expression", "new_expression",
	"lexical_declaration", "variable_declaration", "variable_declarator", "assignment", "concatenated_string", "package_clause", "package_identifier", "function_declaration", "parameter_list", "block", "statement_list",
	"short_var_declaration", "assignment_statement", "expression_list", "selector_expression", "field_identifier", "type_identifier", "composite_literal", "literal_value", "literal_element",
	"keyed_element", "slice_type", "array_type", "map_type", "pointer_type", "qualified_type", "int_literal", "float_literal", "interpreted_string_literal", "interpreted_string_literal_content",
	"raw_string_literal", "raw_string_literal_content", "rune_literal", "nil", "comment")

// bind finds what the names of an example mean.
func (x *index) bind(ctx context.Context, e Example) (boundExample, error) {
	var fits []boundExample
	why, told := refuse("nothing that it names is in the project"), false
	for _, lang := range []code.Language{code.Python, code.JavaScript, code.Go} {
		if e.Language != "" && family(e.Language) != lang {
			continue
		}
		b, err := x.bindIn(ctx, e, lang)
		switch {
		case err == nil:
			fits = append(fits, b)
		case !errors.Is(err, errRefused):
			return b, err
		case x.defined(e.Call, lang) || !told && !errors.Is(err, errForeign):
			why, told = err, x.defined(e.Call, lang) // the language that has the name knows best
		}
	}
	switch len(fits) {
	case 0:
		return boundExample{}, why
	case 1:
		return fits[0], nil
	}
	return boundExample{}, refuse("%s is found in more than one language", e.Call)
}

// defined tells whether a language of the project has what a call names.
func (x *index) defined(call string, lang code.Language) bool {
	for _, name := range []string{root(call), last(call)} {
		if slices.ContainsFunc(x.defs[name], func(d def) bool { return d.lang == lang }) {
			return true
		}
	}
	return false
}

func (x *index) bindIn(ctx context.Context, e Example, lang code.Language) (boundExample, error) {
	b := boundExample{Example: e, names: map[string]def{}}
	for _, text := range []string{e.Want, e.Got} {
		if text == "" {
			continue
		}
		ids, err := names(ctx, lang, []string{text})
		if err != nil || slices.ContainsFunc(ids.free, func(n string) bool { return !builtins[lang][n] }) {
			return b, fmt.Errorf("%w: %w: %s is no literal of %s", errRefused, errForeign, text, lang)
		}
	}
	for { // statements before the call that do not parse or lead elsewhere are of no use
		_, err := names(ctx, lang, append(slices.Clone(b.Setup), e.Call))
		if err == nil {
			break
		}
		if len(b.Setup) == 0 {
			return b, err
		}
		b.Setup = b.Setup[1:]
	}
	b.Setup = needed(b.Setup, e.Call)
	ids, err := names(ctx, lang, append(slices.Clone(b.Setup), e.Call))
	if err != nil {
		return b, err
	}
	for _, name := range ids.free {
		if builtins[lang][name] {
			continue
		}
		d, err := x.lookup(name, ids.members[name], lang, e)
		if err != nil {
			return b, err
		}
		b.names[name] = d
		b.main = d
	}
	if len(b.names) == 0 {
		return b, refuse("%s calls nothing of the project", e.Call)
	}
	for _, class := range []*string{&b.WantError, &b.GotError} {
		*class = last(*class)
		if lang != code.Python || *class == "" || pythonErrors[*class] {
			continue
		}
		d, err := x.lookup(*class, "", lang, e)
		if err != nil {
			return b, err
		}
		b.names[*class] = d
	}
	b.lang = lang
	if r := root(e.Call); b.names[r].path != "" {
		b.main = b.names[r]
	}
	return b, x.meant(ctx, b)
}

// meant refuses a function to which the call only has the name in common: it
// names the method of a class, or gives no argument and no error where one has to be.
func (x *index) meant(ctx context.Context, b boundExample) error {
	name := b.main.name
	if name == "" || name != root(b.Call) {
		return nil
	}
	for _, m := range regexp.MustCompile(`\b([A-Za-z_]\w*)\.`+regexp.QuoteMeta(name)+`\b`).FindAllStringSubmatch(x.said, -1) {
		if len(x.defs[m[1]]) > 0 {
			return refuse("the issue speaks of %s.%s", m[1], name)
		}
	}
	if squeezed(b.Call) != name+"()" || b.GotError != "" || b.WantError != "" {
		return nil
	}
	all, err := code.Callables(ctx, b.main.path, []byte(x.read(b.main.path)))
	if err != nil {
		return err
	}
	for _, c := range all {
		if c.QualifiedName == name && len(c.Params) > 0 && !c.Params[0].Optional && c.Params[0].Mark == "" {
			return refuse("%s of %s takes one argument at least", name, b.main.path)
		}
	}
	return nil
}

// needed drops the statements that the call does not lean on.
func needed(setup []string, call string) []string {
	text, keep := call, []string{}
	for i := len(setup) - 1; i >= 0; i-- {
		name := root(setup[i])
		if m := assigned.FindStringSubmatch(setup[i]); m != nil {
			name = m[1]
		} else if !strings.Contains(setup[i], ".") {
			continue
		}
		if regexp.MustCompile(`(?:^|[^.\w])` + regexp.QuoteMeta(name) + `\b`).MatchString(text) {
			keep = append([]string{setup[i]}, keep...)
			text += "\n" + setup[i]
		}
	}
	// What is called on something never made here leads to a module.
	return slices.DeleteFunc(keep, func(s string) bool {
		return !assigned.MatchString(s) && !slices.ContainsFunc(keep, func(o string) bool {
			m := assigned.FindStringSubmatch(o)
			return m != nil && m[1] == root(s)
		})
	})
}

// lookup finds the one thing that a free name can mean.
func (x *index) lookup(name, member string, lang code.Language, e Example) (def, error) {
	var found []def
	for _, d := range x.defs[name] {
		if d.lang == lang {
			found = append(found, d)
		}
	}
	if len(found) == 0 && member != "" { // a module or package
		for _, d := range x.defs[member] {
			stem := strings.TrimSuffix(path.Base(d.path), path.Ext(d.path))
			if stem == "__init__" || stem == "index" {
				stem = path.Base(path.Dir(d.path))
			}
			if d.lang == lang && (lang == code.Go && d.pkg == name || lang != code.Go && stem == name) {
				d.name = ""
				found = append(found, d)
			}
		}
	}
	if len(found) > 1 { // an import in the issue may tell
		said := strings.Join(e.Imports, "\n")
		told := slices.DeleteFunc(slices.Clone(found), func(d def) bool {
			stem := strings.TrimSuffix(path.Base(d.path), path.Ext(d.path))
			return !regexp.MustCompile(`[\s./'"]` + regexp.QuoteMeta(stem) + `\b`).MatchString(said)
		})
		if len(told) == 1 {
			found = told
		}
	}
	switch len(found) {
	case 0:
		return def{}, refuse("nothing in the project is called %s", name)
	case 1:
		return found[0], nil
	}
	return def{}, refuse("%s is in %s and in %s, and the issue does not say which", name, found[0].path, found[1].path)
}

// used are the names of some statements.
type used struct {
	free    []string
	members map[string]string // free name → what is taken of it
}

// names parses statements and lists their free names. The error is a refusal
// when they do not parse or hold more than calls and literals.
func names(ctx context.Context, lang code.Language, statements []string) (used, error) {
	out := used{members: map[string]string{}}
	text := strings.Join(statements, "\n")
	switch lang {
	case code.Go:
		text = "package p\nfunc f() {\n" + strings.Join(statements[:len(statements)-1], "\n") + "\n_ = " + statements[len(statements)-1] + "\n}\n"
	case code.JavaScript:
		n := len(statements) - 1
		text = strings.Join(statements[:n], ";\n") + "\n;(" + statements[n] + ");"
	}
	t, err := code.Parse(ctx, lang, []byte(text))
	if err != nil {
		return out, err
	}
	if t.HasError() {
		return out, fmt.Errorf("%w: %w: it does not parse as %s", errRefused, errForeign, lang)
	}
	local, bad := map[string]bool{}, ""
	for _, s := range statements {
		if m := assigned.FindStringSubmatch(s); m != nil {
			local[m[1]] = true
		}
	}
	t.Walk(func(n code.Node) bool {
		switch {
		case n.Named() && !allowed[n.Kind()] && n.Kind() != "empty_statement":
			bad = n.Kind()
		case strings.Contains(n.Text(), "__") && strings.HasSuffix(n.Kind(), "identifier"):
			bad = "a name with two underscores"
		case n.Kind() == "identifier" || n.Kind() == "type_identifier" || n.Kind() == "package_identifier" && n.Up() == "qualified_type":
			up, _ := n.Parent()
			if n.Field() == "attribute" || up.Kind() == "keyword_argument" && n.Field() == "name" || up.Kind() == "function_declaration" || up.Kind() == "literal_element" && up.Field() == "key" || n.Text() == "_" || local[n.Text()] {
				return true
			}
			if f, ok := up.ChildByField(map[string]string{"attribute": "attribute", "member_expression": "property", "selector_expression": "field", "qualified_type": "name"}[up.Kind()]); ok && f != n {
				out.members[n.Text()] = f.Text()
			}
			if up.Kind() == "qualified_type" && n.Kind() == "type_identifier" {
				return true
			}
			if !slices.Contains(out.free, n.Text()) {
				out.free = append(out.free, n.Text())
			}
		}
		return true
	})
	if bad != "" {
		return out, refuse("it holds more than calls and literals (%s)", bad)
	}
	return out, nil
}

func root(name string) string { return regexp.MustCompile(`^[\w$]*`).FindString(name) }

// last is the name of the outermost function that is called.
func last(call string) string {
	name, _, _ := strings.Cut(call, "(")
	return name[strings.LastIndexByte(name, '.')+1:]
}

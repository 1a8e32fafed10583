package mutate

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// Project is what all files of a project in one family of languages tell: its
// functions and their parameters, what they are called with, and which names
// belong together in its classes. It is gathered once and only read afterwards.
type Project struct {
	files     map[string]*code.Tree
	paths     []string // sorted
	functions []*function
	named     map[string][]*function
	owners    map[string][]string // field or method → "path class" that has it
	classes   map[string]*class   // by "path class"
	wraps     []wrapUse
	units     map[string][]unit
}

// function is a function or method of the project.
type function struct {
	name, path, class string
	params            []string // names, the receiver left out
	types             []string // Go: of the parameters
	required          int      // how many have to be given
	open              bool     // takes any number
	result            string   // Go: the single result's type
	node              code.Node
}

func (f *function) takes(n int) bool { return n >= f.required && (f.open || n <= len(f.params)) }

type class struct {
	fields        []string
	fieldTypes    map[string]string
	methods       []*function
	methodsByName map[string]*function
}

// wrapUse is a value that is handed to a call which takes nothing else but
// constants: normalise(x.name), round(total, 2), name.strip().
type wrapUse struct {
	form string // with % for the value
	last string // the last name of the value
	path string
	own  bool // the value's variable takes the result: x = f(x)
}

// NewProject gathers the facts of some files, by their path.
func NewProject(files map[string]*code.Tree) *Project {
	p := &Project{
		files: files, named: map[string][]*function{}, owners: map[string][]string{}, classes: map[string]*class{},
		units: map[string][]unit{},
	}
	p.paths = slices.Sorted(maps.Keys(files))
	for _, name := range p.paths {
		files[name].Walk(func(n code.Node) bool {
			if !n.Named() || n.IsExtra() || n.IsError() {
				return false
			}
			p.function(name, n)
			p.field(name, n)
			p.use(name, n)
			p.noteUnit(name, n)
			return true
		})
	}
	for _, c := range p.classes {
		slices.Sort(c.fields)
		c.fields = slices.Compact(c.fields)
	}
	p.own()
	return p
}

// own lists the classes of each field and method, in the order of their paths.
func (p *Project) own() {
	for _, key := range slices.Sorted(maps.Keys(p.classes)) {
		c := p.classes[key]
		for _, f := range c.fields {
			p.owners[f] = append(p.owners[f], key)
		}
		for _, m := range c.methods {
			p.owners[m.name] = addOnce(p.owners[m.name], key)
		}
	}
}

func (p *Project) classAt(file, name string) *class {
	key := classKey(file, name)
	if p.classes[key] == nil {
		p.classes[key] = &class{fieldTypes: map[string]string{}, methodsByName: map[string]*function{}}
	}
	return p.classes[key]
}

// classKey names a class; the methods of Go's types stand in any file of the
// package.
func classKey(file, name string) string {
	if strings.HasSuffix(file, ".go") {
		file = path.Dir(file)
	}
	return file + " " + name
}

func (p *Project) methodsOf(file, name string) []*function {
	if c := p.classes[classKey(file, name)]; c != nil {
		return c.methods
	}
	return nil
}

func (p *Project) function(file string, n code.Node) {
	var name string
	switch n.Kind() {
	case "function_definition", "function_declaration", "method_definition", "method_declaration", "generator_function_declaration":
		name = n.TextOf("name")
	case "arrow_function", "function_expression":
		up, ok := n.Parent()
		id, named := up.ChildByField("name")
		if !ok || up.Kind() != "variable_declarator" || !named || id.Kind() != "identifier" {
			return
		}
		name = id.Text()
	default:
		return
	}
	if name == "" {
		return
	}
	f := &function{name: name, path: file, node: n}
	f.class = classOf(n)
	if outer, ok := enclosing(n); ok && f.class == "" && outer != n {
		return // an inner function is visible to its own only
	}
	f.parameters(n)
	p.functions = append(p.functions, f)
	p.named[name] = append(p.named[name], f)
	if f.class != "" {
		c := p.classAt(file, f.class)
		c.methods = append(c.methods, f)
		c.methodsByName[name] = f
	}
}

// classOf is the name of the class that a function is a method of.
func classOf(n code.Node) string {
	if n.Kind() == "method_declaration" {
		r, ok := n.ChildByField("receiver")
		if !ok || len(r.NamedChildren()) != 1 {
			return ""
		}
		typ := strings.TrimPrefix(typeText(r.NamedChildren()[0]), "*")
		typ, _, _ = strings.Cut(typ, "[")
		return typ
	}
	c, ok := n.Ancestor("class_definition", "class_declaration", "class", "function_definition", "function_declaration", "method_definition", "arrow_function")
	if !ok || !strings.HasPrefix(c.Kind(), "class") {
		return ""
	}
	return c.TextOf("name")
}

func (f *function) parameters(n code.Node) {
	list, ok := n.ChildByField("parameters")
	if !ok {
		if one, single := n.ChildByField("parameter"); single {
			f.params, f.required = []string{one.Text()}, 1
		}
		return
	}
	for i, c := range list.NamedChildren() {
		text, needed := c.Text(), true
		switch c.Kind() {
		case "default_parameter", "typed_default_parameter", "assignment_pattern", "optional_parameter":
			needed = false
			text = cmp.Or(c.TextOf("name"), c.TextOf("left"), text)
		case "typed_parameter", "required_parameter":
			if kids := c.NamedChildren(); len(kids) > 0 {
				text = kids[0].Text()
			}
		case "list_splat_pattern", "dictionary_splat_pattern", "rest_pattern", "variadic_parameter_declaration":
			f.open = true
			continue
		case "parameter_declaration":
			for _, x := range c.NamedChildren() {
				if x.Field() == "name" {
					f.params, f.types = append(f.params, x.Text()), append(f.types, typeText(c))
					f.required++
				}
			}
			continue
		case "keyword_separator", "positional_separator":
			continue
		}
		if i == 0 && f.class != "" && (text == "self" || text == "cls") {
			continue
		}
		f.params = append(f.params, text)
		if needed {
			f.required++
		}
	}
	if res, ok := n.ChildByField("result"); ok {
		if f.result = res.Text(); res.Kind() == "parameter_list" {
			f.result = "several"
		}
	}
}

// field notes the fields of classes.
func (p *Project) field(file string, n code.Node) {
	switch n.Kind() {
	case "class_definition", "class_declaration", "class":
		id, ok := n.ChildByField("name")
		if !ok {
			return
		}
		c := p.classAt(file, id.Text())
		f := &facts{fields: map[string][]string{}}
		f.classFields(n, func(_, name string) { c.fields = append(c.fields, name) })
	case "type_spec":
		id, body, ok := n.Both("name", "type")
		if !ok || body.Kind() != "struct_type" {
			return
		}
		c := p.classAt(file, id.Text())
		structFields(body, func(field, typ string) {
			c.fields = append(c.fields, field)
			c.fieldTypes[field] = typ
		})
	case "object": // one of a class without a name
		if names := keysOf(n); len(names) >= 2 && len(names) <= 24 {
			c := p.classAt(file, "{"+strings.Join(names, ",")+"}")
			c.fields = append(c.fields, names...)
		}
	}
}

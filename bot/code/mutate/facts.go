package mutate

import (
	"maps"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// facts is what the whole file tells: names with their scopes, fields,
// constants, calls and conditions. Everything is in the order of the text.
type facts struct {
	vars       []variable
	ints       []string
	strings    []constant
	fields     map[string][]string // names seen together: by object text, by class, by literal
	members    []string            // keys of fields, sorted
	fieldType  map[string]string   // Go: type of a struct field, "" when two structs differ
	methods    map[string][]string
	arity      map[string]int      // functions called or defined in the file: number of arguments
	callNames  []string            // in order of first use
	around     map[string][]string // argument text -> functions it is passed to alone
	conditions []code.Node
	guards     []code.Node // if-statements that only leave
	donors     []code.Node // simple statements
	exceptions []string
	returns    map[string]string // Go: type of a function's single result
	imports    map[string]bool
}

// variable is a name that can be read in the bytes [from, to).
type variable struct {
	name     string
	from, to int
	kind     string // param, local, loop, module
	typ      string // rough type, "" when not known
	uses     int    // identifiers of that name in its scope, the definition too
	owner    int    // start of the function that it belongs to; -1 for none
}

type constant struct{ text, role string }

func gather(t *code.Tree) *facts {
	f := &facts{
		fields: map[string][]string{}, fieldType: map[string]string{}, methods: map[string][]string{},
		arity: map[string]int{}, around: map[string][]string{}, returns: map[string]string{}, imports: map[string]bool{},
	}
	count := map[string][]int{}
	t.Walk(func(n code.Node) bool {
		if !n.Named() || n.IsExtra() {
			return false
		}
		f.literal(n)
		f.call(n)
		f.field(n)
		f.shape(n)
		if k := n.Kind(); k == "identifier" || k == "shorthand_property_identifier" {
			count[n.Text()] = append(count[n.Text()], n.Start())
		}
		return true
	})
	f.vars = declared(t, f)
	for i := range f.vars {
		v := &f.vars[i]
		for _, at := range count[v.name] {
			if v.owner < 0 || at >= v.owner && at < v.to {
				v.uses++
			}
		}
	}
	f.members = slices.Sorted(maps.Keys(f.fields))
	return f
}

func addOnce(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

func (f *facts) literal(n code.Node) {
	switch {
	case isInteger(n):
		f.ints = addOnce(f.ints, n.Text())
	case plainString(n):
		c := constant{n.Text(), role(n)}
		if !slices.Contains(f.strings, c) && len(f.strings) < 400 {
			f.strings = append(f.strings, c)
		}
	case n.Kind() == "import_spec":
		if p, ok := n.ChildByField("path"); ok {
			path := strings.Trim(p.Text(), "\"`")
			f.imports[path[strings.LastIndexByte(path, '/')+1:]] = true
		}
	case n.Kind() == "import_statement" || n.Kind() == "import_from_statement":
		for _, c := range n.NamedChildren() {
			f.imports[c.Text()] = true
		}
	}
}

// role is what a string is used as: a key of an object, an argument, …
func role(n code.Node) string {
	p, ok := n.Parent()
	if !ok {
		return ""
	}
	switch p.Kind() {
	case "subscript", "subscript_expression", "index_expression", "pair":
		return "key"
	case "argument_list", "arguments":
		if g, ok := p.Parent(); ok {
			if fn, _, _, ok := call(g); ok {
				_, name, ok := member(fn)
				if !ok {
					name = fn
				}
				switch name.Text() {
				case "get", "pop", "setdefault", "has", "delete":
					return "key"
				}
				return "argument of " + name.Text()
			}
		}
	}
	if _, op, _, ok := binary(p); ok && isComparison(op.Text()) {
		return "compared"
	}
	return p.Kind()
}

func (f *facts) call(n code.Node) {
	fn, args, _, ok := call(n)
	if !ok {
		return
	}
	name := fn
	if o, m, ok := member(fn); ok {
		name = m
		if len(o.Text()) < 60 {
			f.methods[o.Text()] = addOnce(f.methods[o.Text()], m.Text())
		}
	} else if fn.Kind() != "identifier" {
		return
	}
	if _, seen := f.arity[name.Text()]; !seen {
		f.arity[name.Text()] = len(args)
		f.callNames = append(f.callNames, name.Text())
	}
	if len(args) == 1 && len(fn.Text()) < 40 && !strings.ContainsAny(fn.Text(), "()[]\n") && len(args[0].Text()) < 60 {
		f.around[args[0].Text()] = addOnce(f.around[args[0].Text()], fn.Text())
	}
}

// field notes names that belong together, so that one may stand in the place
// of another.
func (f *facts) field(n code.Node) {
	together := func(key, name string) {
		if len(key) < 60 && len(name) < 60 {
			f.fields[key] = addOnce(f.fields[key], name)
		}
	}
	if o, m, ok := member(n); ok {
		if p, has := n.Parent(); has {
			if fn, _, _, ok := call(p); !ok || fn != n {
				together("."+o.Text(), m.Text())
			}
		}
	}
	switch n.Kind() {
	case "class_definition", "class_declaration", "class":
		f.classFields(n, together)
	case "type_spec":
		name, st, ok := n.Both("name", "type")
		if !ok || st.Kind() != "struct_type" {
			return
		}
		structFields(st, func(field, typ string) {
			together("class "+name.Text(), field)
			if old, seen := f.fieldType[field]; seen && old != typ {
				typ = ""
			}
			f.fieldType[field] = typ
		})
	case "object":
		for _, key := range keysOf(n) {
			together("object "+n.Text()[:min(20, len(n.Text()))], key)
		}
	}
}

// structFields gives the named fields of a struct of Go and of those in it.
func structFields(st code.Node, take func(field, typ string)) {
	st.Walk(func(c code.Node) bool {
		if c.Kind() != "field_declaration" {
			return true
		}
		for _, x := range c.NamedChildren() {
			if x.Field() == "name" {
				take(x.Text(), c.TextOf("type"))
			}
		}
		return false
	})
}

// keysOf lists the keys of an object of JavaScript that are names.
func keysOf(object code.Node) (out []string) {
	for _, c := range object.NamedChildren() {
		if k, ok := c.ChildByField("key"); ok && k.Kind() == "property_identifier" {
			out = append(out, k.Text())
		} else if c.Kind() == "shorthand_property_identifier" {
			out = append(out, c.Text())
		}
	}
	return out
}

// classFields notes self.x and this.x in a class, and annotated class-level
// names, as fields of that class.
func (f *facts) classFields(class code.Node, together func(key, name string)) {
	name, ok := class.ChildByField("name")
	if !ok {
		return
	}
	key := "class " + name.Text()
	b, ok := class.ChildByField("body")
	if !ok {
		return
	}
	b.Walk(func(c code.Node) bool {
		if o, m, ok := member(c); ok && (o.Text() == "self" || o.Text() == "this") {
			if p, _ := c.Parent(); !isCallee(c, p) {
				together(key, m.Text())
			}
		}
		if c.Kind() == "assignment" {
			if g, ok := c.Ancestor("block"); ok && g == b {
				if l, ok := c.ChildByField("left"); ok && l.Kind() == "identifier" {
					together(key, l.Text())
				}
			}
		}
		return true
	})
}

func isCallee(n, parent code.Node) bool {
	fn, _, _, ok := call(parent)
	return ok && fn == n
}

// shape notes conditions, guards, simple statements and exceptions.
func (f *facts) shape(n code.Node) {
	if c, ok := condition(n); ok && len(c.Text()) < 80 && !strings.Contains(c.Text(), "\n") && len(f.conditions) < 200 {
		f.conditions = append(f.conditions, c)
	}
	if n.Kind() == "if_statement" && isGuard(n) && len(n.Text()) < 200 && len(f.guards) < 60 {
		f.guards = append(f.guards, n)
	}
	switch n.Kind() {
	case "expression_statement", "assignment_statement", "inc_statement", "dec_statement", "defer_statement":
		if isStatement(n) && len(n.Text()) <= 100 && !strings.Contains(n.Text(), "\n") && len(f.donors) < 300 {
			f.donors = append(f.donors, n)
		}
	case "except_clause":
		if v, ok := caught(n); ok {
			f.exceptions = addOnce(f.exceptions, v.Text())
		}
	case "raise_statement":
		for _, c := range n.NamedChildren() {
			if fn, _, _, ok := call(c); ok && fn.Kind() == "identifier" {
				f.exceptions = addOnce(f.exceptions, fn.Text())
			}
		}
	case "function_declaration", "method_declaration":
		name, res, ok := n.Both("name", "result")
		if ok && res.Kind() != "parameter_list" {
			f.returns[name.Text()] = res.Text()
		}
	}
}

// caught is what an except clause names.
func caught(n code.Node) (code.Node, bool) {
	v, ok := n.ChildByField("value")
	if ok && v.Kind() == "as_pattern" {
		v = v.NamedChildren()[0]
	}
	return v, ok
}

// isGuard tells an if without else whose body only leaves: return, raise,
// throw, continue, break.
func isGuard(n code.Node) bool {
	if _, ok := n.ChildByField("alternative"); ok {
		return false
	}
	c, ok := n.ChildByField("consequence")
	if !ok {
		return false
	}
	list := []code.Node{c}
	if c.Kind() == "block" || c.Kind() == "statement_block" {
		list = statements(c)
	}
	return len(list) == 1 && leaves(list[0])
}

func leaves(n code.Node) bool {
	switch n.Kind() {
	case "return_statement", "raise_statement", "throw_statement", "continue_statement", "break_statement":
		return true
	}
	return false
}

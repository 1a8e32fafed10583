package mutate

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// declared lists the variables of a file with the bytes where each can be
// read.
func declared(t *code.Tree, f *facts) []variable {
	d := declarer{t: t, f: f}
	t.Walk(func(n code.Node) bool {
		if !n.Named() {
			return false
		}
		switch maskOf(t.Lang) {
		case py:
			d.python(n)
		case js:
			d.script(n)
		case golang:
			d.golang(n)
		}
		return true
	})
	return d.out
}

type declarer struct {
	t   *code.Tree
	f   *facts
	out []variable
}

// add notes the names in a pattern, read from the offset from on within scope.
func (d *declarer) add(pattern, scope code.Node, from int, kind, typ string) {
	pattern.Walk(func(n code.Node) bool {
		switch n.Kind() {
		case "identifier", "shorthand_property_identifier_pattern":
			d.name(n.Text(), scope, from, kind, typ)
			return false
		case "typed_parameter":
			if kids := n.NamedChildren(); len(kids) > 0 {
				d.add(kids[0], scope, from, kind, typeText(n))
			}
			return false
		case "attribute", "subscript", "member_expression", "subscript_expression", "selector_expression", "index_expression", "call", "type_annotation":
			return false
		}
		field, holds := patternIn[n.Kind()]
		if inner, ok := n.ChildByField(field); holds && ok {
			of := typ
			if strings.HasSuffix(n.Kind(), "_parameter") {
				of = typeText(n)
			}
			d.add(inner, scope, from, kind, of)
		}
		return !holds
	})
}

// patternIn tells by which field a node holds the pattern of what it declares.
var patternIn = map[string]string{
	"default_parameter": "name", "typed_default_parameter": "name", "assignment_pattern": "left", "pair_pattern": "value",
	"required_parameter": "pattern", "optional_parameter": "pattern",
}

func typeText(n code.Node) string {
	return strings.TrimSpace(strings.TrimPrefix(n.TextOf("type"), ":"))
}

func (d *declarer) name(name string, scope code.Node, from int, kind, typ string) {
	if name == "_" || name == "self" || name == "cls" {
		return
	}
	owner := -1
	fn, ok := scope, isFunction(scope)
	if !ok {
		fn, ok = enclosing(scope)
	}
	if ok {
		owner = fn.Start()
	}
	for i := range d.out {
		if v := &d.out[i]; v.name == name && v.owner == owner && v.to == scope.End() {
			v.from = min(v.from, from)
			if v.typ == "" {
				v.typ = typ
			}
			return
		}
	}
	d.out = append(d.out, variable{name: name, from: from, to: scope.End(), kind: kind, typ: typ, owner: owner})
}

// functionScope is the function around n, or the file.
func functionScope(n code.Node) code.Node {
	if f, ok := enclosing(n); ok {
		return f
	}
	return n.Tree().Root()
}

func (d *declarer) python(n code.Node) {
	switch n.Kind() {
	case "function_definition", "lambda":
		if p, ok := n.ChildByField("parameters"); ok {
			d.add(p, n, p.End(), "param", "")
		}
	case "assignment", "named_expression":
		l, ok := n.ChildByField("left")
		if !ok {
			l, ok = n.ChildByField("name")
		}
		if !ok {
			return
		}
		if p, has := n.Ancestor("class_definition", "function_definition"); has && p.Kind() == "class_definition" {
			return
		}
		scope := functionScope(n)
		from, kind := n.End(), "local"
		if !isFunction(scope) {
			from, kind = 0, "module"
		}
		r, _ := n.ChildByField("right")
		d.add(l, scope, from, kind, d.typeOf(r, typeText(n)))
	case "for_statement":
		l, b, ok := n.Both("left", "body")
		if ok {
			scope := functionScope(n)
			if isFunction(scope) {
				d.add(l, scope, b.Start(), "loop", "")
			} else {
				d.add(l, n, b.Start(), "loop", "")
			}
		}
	case "for_in_clause":
		l, ok := n.ChildByField("left")
		if p, has := n.Parent(); ok && has {
			d.add(l, p, p.Start(), "loop", "")
		}
	case "as_pattern_target":
		scope := functionScope(n)
		if p, ok := n.Ancestor("except_clause"); ok {
			scope = p
		}
		d.add(n, scope, n.End(), "local", "")
	}
}

func (d *declarer) script(n code.Node) {
	switch n.Kind() {
	case "variable_declarator":
		l, ok := n.ChildByField("name")
		if !ok {
			return
		}
		scope, kind, from := block(n), "local", n.End()
		if scope == n.Tree().Root() {
			kind, from = "module", 0
		}
		v, _ := n.ChildByField("value")
		d.add(l, scope, from, kind, d.typeOf(v, typeText(n)))
	case "for_in_statement":
		l, b, ok := n.Both("left", "body")
		if ok {
			d.add(l, n, b.Start(), "loop", "")
		}
	case "catch_clause":
		if p, ok := n.ChildByField("parameter"); ok {
			d.add(p, n, p.End(), "local", "")
		}
	default:
		if !isFunction(n) {
			return
		}
		for _, field := range []string{"parameters", "parameter"} {
			if p, ok := n.ChildByField(field); ok {
				d.add(p, n, p.End(), "param", "")
			}
		}
	}
}

// block is the smallest node around a declaration that bounds its names.
func block(n code.Node) code.Node {
	for p, ok := n.Parent(); ok; p, ok = p.Parent() {
		switch p.Kind() {
		case "statement_block", "program", "for_statement", "for_in_statement", "switch_body",
			"block", "if_statement", "expression_case", "default_case", "type_case", "communication_case", "expression_switch_statement", "type_switch_statement", "source_file":
			return p
		}
		if isFunction(p) {
			return p
		}
	}
	return n.Tree().Root()
}

func (d *declarer) golang(n code.Node) {
	switch n.Kind() {
	case "function_declaration", "method_declaration", "func_literal":
		for _, field := range []string{"receiver", "parameters", "result"} {
			p, ok := n.ChildByField(field)
			if !ok || p.Kind() != "parameter_list" {
				continue
			}
			for _, c := range p.NamedChildren() {
				typ := typeText(c)
				if c.Kind() == "variadic_parameter_declaration" {
					typ = "[]" + typ
				}
				for _, x := range c.NamedChildren() {
					if x.Field() == "name" {
						d.name(x.Text(), n, p.End(), "param", typ)
					}
				}
			}
		}
	case "short_var_declaration":
		d.pairs(n, block(n))
	case "range_clause":
		l, ok1 := n.ChildByField("left")
		r, ok2 := n.ChildByField("right")
		loop, ok3 := n.Parent()
		if !ok1 || !ok2 || !ok3 {
			return
		}
		key, value := rangeTypes(d.typeOf(r, ""))
		for i, x := range l.NamedChildren() {
			d.add(x, loop, n.End(), "loop", []string{key, value}[min(i, 1)])
		}
	case "var_spec", "const_spec":
		scope := block(n)
		kind, from := "local", n.End()
		if scope.Kind() == "source_file" {
			kind, from = "module", 0
		}
		typ := typeText(n)
		if v, ok := n.ChildByField("value"); ok && typ == "" {
			if kids := v.NamedChildren(); len(kids) > 0 {
				typ = d.typeOf(kids[0], "")
			}
		}
		for _, x := range n.NamedChildren() {
			if x.Field() == "name" {
				d.name(x.Text(), scope, from, kind, typ)
			}
		}
	}
}

// pairs declares a, b := x, y with the types of the right side.
func (d *declarer) pairs(n, scope code.Node) {
	l, r, ok := n.Both("left", "right")
	if !ok {
		return
	}
	left, right := l.NamedChildren(), r.NamedChildren()
	for i, x := range left {
		typ := ""
		switch {
		case x.Text() == "err":
			typ = "error"
		case x.Text() == "ok":
			typ = "bool"
		case len(left) == len(right):
			typ = d.typeOf(right[i], "")
		}
		d.add(x, scope, n.End(), "local", typ)
	}
}

func rangeTypes(typ string) (key, value string) {
	switch {
	case strings.HasPrefix(typ, "[]"):
		return "int", typ[2:]
	case strings.HasPrefix(typ, "map["):
		if i := strings.IndexByte(typ, ']'); i > 0 {
			return typ[4:i], typ[i+1:]
		}
	case typ == "string":
		return "int", "rune"
	case typ == "int":
		return "int", ""
	}
	return "", ""
}

// typeOf is a rough type of an expression, or "".
func (d *declarer) typeOf(n code.Node, known string) string {
	if known != "" || n.Tree() == nil {
		return known
	}
	switch k := n.Kind(); k {
	case "int_literal":
		return "int"
	case "float_literal":
		return "float64"
	case "interpreted_string_literal", "raw_string_literal":
		return "string"
	case "rune_literal":
		return "rune"
	case "integer", "number", "float":
		return "number"
	case "string", "template_string":
		return "text"
	case "true", "false", "not_operator":
		return "bool"
	case "list", "array", "list_comprehension":
		return "list"
	case "dictionary", "dictionary_comprehension":
		return "dict"
	case "set", "set_comprehension":
		return "set"
	case "composite_literal":
		return typeText(n)
	case "identifier":
		return d.known(n)
	}
	if l, op, r, ok := binary(n); ok {
		if isComparison(op.Text()) || n.Tree().Lang == code.Go && isLogic(op.Text()) {
			return "bool"
		}
		if isArithmetic(op.Text()) {
			if typ := d.typeOf(l, ""); typ != "" && typ != "int" {
				return typ
			}
			return d.typeOf(r, "")
		}
	}
	return d.callType(n)
}

// known is the type of a variable declared before.
func (d *declarer) known(n code.Node) string {
	for _, v := range slices.Backward(d.out) {
		if v.name == n.Text() && v.from <= n.Start() && n.Start() < v.to {
			return v.typ
		}
	}
	return ""
}

func (d *declarer) callType(n code.Node) string {
	fn, args, _, ok := call(n)
	if !ok {
		if o, name, ok := member(n); ok && n.Tree().Lang == code.Go && o.Kind() == "identifier" {
			return d.f.fieldType[name.Text()]
		}
		if o, _, ok := element(n); ok && n.Tree().Lang == code.Go {
			_, value := rangeTypes(d.typeOf(o, ""))
			return value
		}
		return ""
	}
	switch name := fn.Text(); name {
	case "len", "cap", "copy":
		return map[bool]string{true: "int", false: "number"}[n.Tree().Lang == code.Go]
	case "int", "int64", "float64", "string", "byte", "rune", "uint", "uint64", "int32":
		return name
	case "append":
		if len(args) > 0 {
			return d.typeOf(args[0], "")
		}
	case "str":
		return "text"
	case "list", "sorted":
		return "list"
	case "dict", "set":
		return name
	case "strings.TrimSpace", "strings.ToLower", "strings.ToUpper", "fmt.Sprintf", "strings.Join", "strings.Repeat":
		return "string"
	case "strings.Split", "strings.Fields":
		return "[]string"
	}
	if _, name, ok := member(fn); ok {
		return d.f.returns[name.Text()]
	}
	return d.f.returns[fn.Text()]
}

// visible lists the variables that can be read at an offset, the innermost
// meaning of each name.
func (f *facts) visible(at int) []variable {
	best := map[string]int{}
	var names []string
	for i, v := range f.vars {
		if v.from > at || at >= v.to {
			continue
		}
		j, seen := best[v.name]
		if !seen {
			names = append(names, v.name)
		}
		if !seen || v.to-v.from < f.vars[j].to-f.vars[j].from {
			best[v.name] = i
		}
	}
	out := make([]variable, 0, len(names))
	for _, name := range names {
		out = append(out, f.vars[best[name]])
	}
	return out
}

// lookup is the variable that a name means at an offset.
func (f *facts) lookup(name string, at int) (variable, bool) {
	best, found := variable{}, false
	for _, v := range f.vars {
		if v.name == name && v.from <= at && at < v.to && (!found || v.to-v.from < best.to-best.from) {
			best, found = v, true
		}
	}
	return best, found
}

// isVariable tells whether a name is a variable anywhere in the file.
func (f *facts) isVariable(name string) bool {
	return slices.ContainsFunc(f.vars, func(v variable) bool { return v.name == name })
}

// fits tells whether a value of type b may stand where one of type a stood.
func fits(a, b string) bool { return a == "" || b == "" || a == b }

package code

import (
	"bytes"
	"strings"
)

// span makes a region of outer, which holds the definition n.
func span(kind, name string, outer, n Node) draft {
	d := draft{Region: Region{Kind: kind, Name: name, StartByte: outer.Start(), EndByte: outer.End()}}
	_, d.EndByte = outer.t.trim(outer)
	d.head = d.EndByte
	if b, ok := n.ChildByField("body"); ok {
		d.head = b.Start()
	}
	d.Doc = commentAbove(outer)
	return d
}

func nameOf(n Node) (string, bool) {
	c, ok := n.ChildByField("name")
	if !ok {
		return "", false
	}
	return c.Text(), true
}

func pythonRegion(n Node) (draft, bool) {
	var kind string
	switch n.Kind() {
	case "function_definition":
		kind = KindFunction
	case "class_definition":
		kind = KindClass
	default:
		return draft{}, false
	}
	name, ok := nameOf(n)
	if !ok {
		return draft{}, false
	}
	outer := n
	if p, ok := n.Parent(); ok && p.Kind() == "decorated_definition" {
		outer = p
	}
	d := span(kind, name, outer, n)
	if doc := docstring(n); doc != "" {
		d.Doc = doc
	}
	return d, true
}

// docstring is the text of a Python definition's first statement, when that
// is a string.
func docstring(n Node) string {
	body, ok := n.ChildByField("body")
	if !ok {
		return ""
	}
	for _, s := range body.NamedChildren() {
		if s.Kind() != "expression_statement" {
			return ""
		}
		for _, c := range s.NamedChildren() {
			if c.Kind() == "string" {
				return dedentDoc(strings.Trim(strings.TrimLeft(c.Text(), "rRuUbBfF"), "\"'"))
			}
			return ""
		}
	}
	return ""
}

func dedentDoc(s string) string {
	lines := strings.Split(strings.ToValidUTF8(s, "\uFFFD"), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// commentAbove is the text of the comment lines directly above n, at most 100.
func commentAbove(n Node) string {
	first := n.Line() - 1 // index of the line of n, counted from 0
	i := first
	for i > 0 && first-i < 100 && isComment(bytes.TrimSpace(lineBytes(n.t.Src, n.t.lines, i-1))) {
		i--
	}
	var out []string
	for ; i < first; i++ {
		line := strings.TrimSpace(string(lineBytes(n.t.Src, n.t.lines, i)))
		line = strings.TrimSuffix(strings.TrimPrefix(line, "/**"), "*/")
		out = append(out, strings.TrimSpace(strings.TrimLeft(line, "/#*")))
	}
	return strings.TrimSpace(strings.ToValidUTF8(strings.Join(out, "\n"), "\uFFFD"))
}

// isComment tells whether a trimmed line looks like (a part of) a comment.
func isComment(line []byte) bool {
	for _, mark := range []string{"//", "#", "/*", "* ", "*/"} {
		if bytes.HasPrefix(line, []byte(mark)) {
			return !bytes.HasPrefix(line, []byte("#!")) && !bytes.HasPrefix(line, []byte("#["))
		}
	}
	return string(line) == "*"
}

func scriptRegion(n Node) (draft, bool) {
	switch n.Kind() {
	case "function_declaration", "generator_function_declaration", "function_signature":
		return named(KindFunction, n)
	case "class_declaration", "abstract_class_declaration":
		return named(KindClass, n)
	case "interface_declaration", "type_alias_declaration", "enum_declaration":
		return named(KindType, n)
	case "method_definition":
		name, ok := nameOf(n)
		if !ok {
			return draft{}, false
		}
		return span(KindMethod, strings.Trim(name, "#'\"`[]"), n, n), true
	case "variable_declarator", "pair", "assignment_expression", "field_definition", "public_field_definition":
		return bound(n)
	case "export_statement":
		v, ok := n.ChildByField("value")
		if !ok {
			return draft{}, false
		}
		if kind := functionKind(v); kind != "" {
			return span(kind, "default", n, v), true
		}
	}
	return draft{}, false
}

// named is a declaration with its own name, and the export that holds it.
func named(kind string, n Node) (draft, bool) {
	name, ok := nameOf(n)
	if !ok {
		return draft{}, false
	}
	return span(kind, name, exported(n), n), true
}

func exported(n Node) Node {
	if p, ok := n.Parent(); ok && (p.Kind() == "export_statement" || p.Kind() == "ambient_declaration") {
		return exported(p)
	}
	return n
}

// functionKind tells whether an expression is a function or a class, also one
// wrapped by a single call such as memo(() => …).
func functionKind(v Node) string {
	switch v.Kind() {
	case "arrow_function", "function_expression", "function", "generator_function":
		return KindFunction
	case "class":
		return KindClass
	case "call_expression":
		// A wrapper at the top level, such as memo(() => …), keeps the name.
		f, ok := v.ChildByField("function")
		args, has := v.ChildByField("arguments")
		if !ok || !has || f.Kind() != "identifier" && !strings.HasPrefix(f.Text(), "React.") {
			return ""
		}
		for _, a := range args.NamedChildren() {
			if k := a.Kind(); k == "arrow_function" || k == "function_expression" {
				return KindFunction
			}
		}
	}
	return ""
}

// bound is a function that gets its name from what it is bound to.
func bound(n Node) (draft, bool) {
	left, right := "name", "value"
	switch n.Kind() {
	case "pair":
		left = "key"
	case "assignment_expression":
		left, right = "left", "right"
	case "field_definition":
		left = "property"
	}
	name, ok := n.ChildByField(left)
	if !ok || len(name.Text()) > 80 || strings.HasSuffix(name.Kind(), "_pattern") {
		return draft{}, false
	}
	value, ok := n.ChildByField(right)
	if !ok {
		return draft{}, false
	}
	kind := functionKind(value)
	if kind == "" || value.Kind() == "call_expression" && !topLevel(n) {
		return draft{}, false
	}
	outer := n
	switch n.Kind() {
	case "variable_declarator":
		if p, ok := n.Parent(); ok && len(p.NamedChildren()) == 1 && strings.HasSuffix(p.Kind(), "_declaration") {
			outer = exported(p)
		}
	case "assignment_expression":
		if p, ok := n.Parent(); ok && p.Kind() == "expression_statement" {
			outer = p
		}
	case "pair":
		kind = KindMethod
	}
	return span(kind, strings.Trim(name.Text(), "#'\"`[]"), outer, value), true
}

// topLevel tells a declarator of the file's outermost level.
func topLevel(declarator Node) bool {
	p, ok := declarator.Parent()
	return ok && strings.HasSuffix(p.Kind(), "_declaration") && exported(p).Up() == "program"
}

func goRegion(n Node) (draft, bool) {
	switch n.Kind() {
	case "function_declaration":
		return named(KindFunction, n)
	case "method_declaration":
		d, ok := named(KindMethod, n)
		if r, has := n.ChildByField("receiver"); ok && has {
			d.Parent = receiverType(r)
		}
		return d, ok
	case "type_declaration":
		specs := n.NamedChildren()
		if len(specs) != 1 {
			return draft{}, false
		}
		name, ok := nameOf(specs[0])
		d := span(KindType, name, n, n)
		return d, ok
	case "type_spec", "type_alias":
		p, ok := n.Parent()
		if !ok || len(p.NamedChildren()) == 1 {
			return draft{}, false
		}
		return named(KindType, n)
	case "short_var_declaration":
		left, ok1 := n.ChildByField("left")
		right, ok2 := n.ChildByField("right")
		if !ok1 || !ok2 {
			return draft{}, false
		}
		l, r := left.NamedChildren(), right.NamedChildren()
		if len(l) == 1 && len(r) == 1 && r[0].Kind() == "func_literal" {
			return span(KindFunction, l[0].Text(), n, r[0]), true
		}
	}
	return draft{}, false
}

// receiverType is the name of a Go receiver's type.
func receiverType(r Node) string {
	name := ""
	r.Walk(func(c Node) bool {
		if c.Kind() == "type_identifier" && name == "" {
			name = c.Text()
		}
		return name == ""
	})
	return name
}

// otherRegion outlines Java, Rust and Ruby.
func otherRegion(n Node) (draft, bool) {
	switch n.Kind() {
	case "class_declaration", "interface_declaration", "enum_declaration", "record_declaration",
		"annotation_type_declaration", "trait_item", "class":
		return named(KindClass, n)
	case "struct_item", "enum_item", "union_item", "type_item":
		return named(KindType, n)
	case "module":
		return named(KindClass, n)
	case "impl_item":
		if c, ok := n.ChildByField("type"); ok {
			return span(KindClass, c.Text(), n, n), true
		}
	case "method_declaration", "constructor_declaration", "compact_constructor_declaration":
		return named(KindMethod, n)
	case "function_item", "function_signature_item", "method", "singleton_method":
		return named(KindFunction, n)
	}
	return draft{}, false
}

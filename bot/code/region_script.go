package code

import "strings"

// scriptRegion finds the regions of JavaScript, TypeScript and TSX.
func scriptRegion(n Node) (draft, bool) {
	switch n.Kind() {
	case "function_signature":
		d, ok := named(KindFunction, n)
		if strings.HasPrefix(n.head(8), "default ") { // as relaxations have it
			d.Name = "default"
		}
		return d, ok
	case "function_declaration", "generator_function_declaration":
		return named(KindFunction, n)
	case "labeled_statement":
		if strings.HasPrefix(n.head(7), "global") { // as above
			return span(KindModule, "global", n, n), true
		}
	case "class_declaration", "abstract_class_declaration":
		return named(KindClass, n)
	case "interface_declaration", "type_alias_declaration", "enum_declaration":
		return named(KindType, n)
	case "internal_module", "module":
		return scriptModule(n)
	case "ambient_declaration":
		return globalModule(n)
	case "method_definition", "abstract_method_signature":
		return scriptMethod(n)
	case "method_signature":
		if n.Up() == "class_body" {
			return scriptMethod(n)
		}
	case "variable_declarator", "pair", "assignment_expression", "field_definition", "public_field_definition":
		return bound(n)
	case "export_statement":
		v, ok := n.ChildByField("value")
		if !ok {
			return draft{}, false
		}
		if kind, held := functionKind(v); kind != "" && v.Kind() != "call_expression" {
			return span(kind, "default", n, held), true
		}
	case "call_expression":
		return scriptTest(n)
	}
	return draft{}, false
}

func scriptMethod(n Node) (draft, bool) {
	name, ok := nameOf(n)
	if !ok {
		return draft{}, false
	}
	return span(KindMethod, strings.Trim(name, "#'\"`[]"), n, n), true
}

// named is a declaration with its own name, and the export that holds it.
func named(kind string, n Node) (draft, bool) {
	name, ok := nameOf(n)
	if !ok {
		return draft{}, false
	}
	return span(kind, name, exported(n), n), true
}

// stated is the statement that an expression stands as, or the expression.
func (n Node) stated() Node {
	if p, ok := n.Parent(); ok && p.Kind() == "expression_statement" {
		return p
	}
	return n
}

// exported is the statement that exports or declares n, or n.
func exported(n Node) Node {
	for p, ok := n.Parent(); ok && (p.Kind() == "export_statement" || p.Kind() == "ambient_declaration"); p, ok = n.Parent() {
		n = p
	}
	return n
}

// scriptModule is a namespace, or a module that is declared by name.
func scriptModule(n Node) (draft, bool) {
	name, ok := nameOf(n)
	if !ok {
		return draft{}, false
	}
	return span(KindModule, strings.Trim(name, "'\"`"), exported(n.stated()), n), true
}

// globalModule is: declare global { … }.
func globalModule(n Node) (draft, bool) {
	for c, ok := n.First(); ok; c, ok = c.Next() {
		if c.Kind() == "global" {
			return span(KindModule, "global", exported(n), n), true
		}
	}
	return draft{}, false
}

// unwrapped takes parentheses and type assertions off an expression.
func unwrapped(v Node) Node {
	for range 8 {
		switch v.Kind() {
		case "parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression", "type_assertion":
		default:
			return v
		}
		held, ok := v.FirstNamed()
		if v.Kind() == "type_assertion" {
			held, ok = v.LastNamed()
		}
		if !ok {
			return v
		}
		v = held
	}
	return v
}

// functionKind tells whether an expression is a function or a class, also one
// wrapped by a single call such as memo(() => …), and gives the function.
func functionKind(v Node) (string, Node) {
	v = unwrapped(v)
	switch v.Kind() {
	case "arrow_function", "function_expression", "generator_function":
		return KindFunction, v
	case "class":
		return KindClass, v
	case "call_expression":
		// A wrapper at the top level, such as memo(() => …), keeps the name.
		f, args, ok := v.Both("function", "arguments")
		if !ok || f.Kind() != "identifier" && !strings.HasPrefix(clip(f.Text(), 6), "React.") {
			return "", v
		}
		for c, ok := args.First(); ok; c, ok = c.Next() {
			if k := c.Kind(); k == "arrow_function" || k == "function_expression" {
				return KindFunction, c
			}
		}
	}
	return "", v
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
	if !ok || name.End()-name.Start() > 80 || strings.HasSuffix(name.Kind(), "_pattern") {
		return draft{}, false
	}
	value, ok := n.ChildByField(right)
	if !ok {
		return draft{}, false
	}
	kind, held := functionKind(value)
	if kind == "" || held.Up() == "arguments" && !topLevel(n) {
		return draft{}, false
	}
	outer := n
	switch n.Kind() {
	case "variable_declarator":
		if p, ok := n.Parent(); ok && strings.HasSuffix(p.Kind(), "_declaration") {
			if _, alone := p.OnlyNamed(); alone {
				outer = exported(p)
			}
		}
	case "assignment_expression":
		outer = n.stated()
	case "pair", "field_definition", "public_field_definition":
		if kind == KindFunction {
			kind = KindMethod
		}
	}
	return span(kind, strings.Trim(name.Text(), "#'\"`[]"), outer, held), true
}

// topLevel tells a declarator of the file's outermost level.
func topLevel(declarator Node) bool {
	p, ok := declarator.Parent()
	return ok && strings.HasSuffix(p.Kind(), "_declaration") && exported(p).Up() == "program"
}

// scriptTest is a test or a suite as node:test, jest, vitest and mocha have
// it: describe("name", () => …), it.only("name", …), test.each(rows)("name", …).
func scriptTest(n Node) (draft, bool) {
	args, ok := n.ChildByField("arguments")
	if !ok || !testWord(n) {
		return draft{}, false
	}
	title, ok := args.FirstNamed()
	if !ok || title.Kind() != "string" && title.Kind() != "template_string" {
		return draft{}, false
	}
	for c, ok := args.First(); ok; c, ok = c.Next() {
		if k := c.Kind(); k == "arrow_function" || k == "function_expression" {
			return span(KindTest, strings.Trim(clip(title.Text(), 120), "'\"`"), n.stated(), c), true
		}
	}
	return draft{}, false
}

// testWord tells whether what is called begins with a word of a test runner.
func testWord(call Node) bool {
	f, ok := call.ChildByField("function")
	for range 4 {
		if !ok {
			return false
		}
		switch f.Kind() {
		case "identifier":
			switch clip(f.Text(), 12) {
			case "describe", "it", "test", "suite", "context", "specify", "fdescribe", "xdescribe", "fit", "xit", "xtest":
				return true
			}
			return false
		case "member_expression":
			f, ok = f.ChildByField("object")
		case "call_expression":
			f, ok = f.ChildByField("function")
		default:
			return false
		}
	}
	return false
}

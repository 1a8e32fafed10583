package code

import (
	"slices"
	"strings"
)

func javaRegion(n Node) (draft, bool) {
	switch n.Kind() {
	case "class_declaration", "record_declaration":
		return named(KindClass, n)
	case "interface_declaration", "enum_declaration", "annotation_type_declaration":
		return named(KindType, n)
	case "method_declaration", "constructor_declaration", "compact_constructor_declaration", "annotation_type_element_declaration":
		return named(KindMethod, n)
	}
	return draft{}, false
}

func rustRegion(n Node) (draft, bool) {
	switch n.Kind() {
	case "struct_item", "enum_item", "union_item", "type_item", "trait_item", "associated_type":
		return rustItem(KindType, n)
	case "impl_item":
		c, ok := n.ChildByField("type")
		if !ok {
			return draft{}, false
		}
		d, _ := rustItem(KindClass, n)
		d.Name = rustType(c)
		return d, true
	case "mod_item":
		if _, ok := n.ChildByField("body"); ok {
			return rustItem(KindModule, n)
		}
	case "function_item", "function_signature_item", "macro_definition":
		return rustItem(KindFunction, n)
	case "let_declaration":
		return rustClosure(n)
	}
	return draft{}, false
}

// rustType is a type's name without its parameters.
func rustType(n Node) string {
	if n.Kind() == "generic_type" {
		if c, ok := n.ChildByField("type"); ok {
			n = c
		}
	}
	return clip(n.Text(), 120)
}

// rustItem is an item with the attributes that stand before it.
func rustItem(kind string, n Node) (draft, bool) {
	name, _ := nameOf(n)
	d := span(kind, name, n, n)
	first := n
	for i := n.i - 1; i > n.raw().Parent; {
		s := Node{n.t, i}
		for s.raw().Parent != n.raw().Parent && s.raw().Parent > n.raw().Parent {
			s = Node{n.t, s.raw().Parent}
		}
		if s.Kind() != "attribute_item" {
			break
		}
		first, i = s, s.i-1
	}
	if first != n {
		d.StartByte = first.Start()
		d.Doc = commentAbove(first)
	}
	return d, name != ""
}

// rustClosure is: let name = |…| ….
func rustClosure(n Node) (draft, bool) {
	name, value, ok := n.Both("pattern", "value")
	if !ok || name.Kind() != "identifier" || value.Kind() != "closure_expression" {
		return draft{}, false
	}
	return span(KindFunction, name.Text(), n, value), true
}

func rubyRegion(n Node) (draft, bool) {
	switch n.Kind() {
	case "class":
		return rubyNamed(KindClass, n)
	case "module":
		return rubyNamed(KindModule, n)
	case "method", "singleton_method":
		return named(KindFunction, n)
	case "call":
		return rubyTest(n)
	}
	return draft{}, false
}

// rubyNamed is a class or module; A::B is named A.B.
func rubyNamed(kind string, n Node) (draft, bool) {
	if !n.Named() {
		return draft{}, false
	}
	d, ok := named(kind, n)
	d.Name = strings.ReplaceAll(d.Name, "::", ".")
	return d, ok
}

// rubyTest is a block of RSpec or minitest: describe "x" do … end.
func rubyTest(n Node) (draft, bool) {
	word, ok := n.ChildByField("method")
	block, has := n.ChildByField("block")
	args, some := n.ChildByField("arguments")
	if !ok || !has || !some {
		return draft{}, false
	}
	switch clip(word.Text(), 20) {
	case "describe", "context", "it", "specify", "test", "feature", "scenario", "should", "shared_examples":
	default:
		return draft{}, false
	}
	title, ok := args.FirstNamed()
	if !ok || title.Kind() != "string" && title.Kind() != "constant" && title.Kind() != "scope_resolution" {
		return draft{}, false
	}
	return span(KindTest, strings.Trim(clip(title.Text(), 120), "'\""), n, block), true
}

func phpRegion(n Node) (draft, bool) {
	switch n.Kind() {
	case "class_declaration", "trait_declaration":
		return named(KindClass, n)
	case "interface_declaration", "enum_declaration":
		return named(KindType, n)
	case "namespace_definition":
		if _, ok := n.ChildByField("body"); ok {
			d, ok := named(KindModule, n)
			d.Name = strings.ReplaceAll(d.Name, "\\", ".")
			return d, ok
		}
	case "function_definition":
		return named(KindFunction, n)
	case "method_declaration":
		return named(KindMethod, n)
	case "expression_statement":
		return phpStatement(n)
	}
	return draft{}, false
}

// phpStatement is: $name = function (…) {…}; or $name = fn (…) => …; or a test of
// Pest: it("does x", function () {…});
func phpStatement(n Node) (draft, bool) {
	held, _ := n.FirstNamed()
	var name, value Node
	switch held.Kind() {
	case "assignment_expression":
		name, _ = held.ChildByField("left")
		value, _ = held.ChildByField("right")
		if name.t == nil || name.Kind() != "variable_name" {
			return draft{}, false
		}
	case "member_call_expression": // it(…)->with(…)
		for held.Kind() == "member_call_expression" {
			held, _ = held.ChildByField("object")
		}
		if held.Kind() != "function_call_expression" {
			return draft{}, false
		}
		fallthrough
	case "function_call_expression":
		args, ok := held.ChildByField("arguments")
		if word, has := held.ChildByField("function"); !ok || !has || !slices.Contains([]string{"it", "test", "describe"}, word.head(20)) {
			return draft{}, false
		}
		name, _ = args.FirstNamed()
		last, _ := args.LastNamed()
		if last == name {
			return draft{}, false
		}
		value, _ = last.FirstNamed()
	}
	if value.t == nil || value.Kind() != "anonymous_function" && value.Kind() != "arrow_function" {
		return draft{}, false
	}
	kind := KindTest
	if held.Kind() == "assignment_expression" {
		kind = KindFunction
	}
	return span(kind, strings.Trim(clip(name.Text(), 120), "$'\""), n, value), true
}

package code

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// cRegion finds the regions of C and C++. Declarations without a body are none:
// they stand in blocks, so that a name means the definition.
func cRegion(n Node) (draft, bool) {
	switch n.Kind() {
	case "function_definition":
		return cFunction(n)
	case "preproc_function_def":
		return named(KindFunction, n)
	case "class_specifier", "struct_specifier", "union_specifier", "enum_specifier":
		return cType(n)
	case "type_definition":
		return cTypedef(n)
	case "alias_declaration", "concept_definition":
		return cSpan(KindType, "", n)
	case "namespace_definition":
		if _, ok := n.ChildByField("body"); ok {
			d, ok := named(KindModule, n)
			d.Name = strings.ReplaceAll(d.Name, "::", ".")
			return d, ok
		}
	case "declaration":
		return cLambda(n)
	case "expression_statement":
		return cMacroBody(n)
	}
	return draft{}, false
}

// cSpan is a definition with the template and the extern "C" or friend before
// it, and the semicolon behind it.
func cSpan(kind, name string, n Node) (draft, bool) {
	if c, ok := n.ChildByField("name"); ok && name == "" {
		name = c.Text()
	}
	outer := n
	for p, ok := n.Parent(); ok && slices.Contains([]string{"template_declaration", "linkage_specification", "friend_declaration"}, p.Kind()); p, ok = p.Parent() {
		outer = p
	}
	d := span(kind, name, outer, n)
	if next, ok := outer.Next(); ok && next.Kind() == ";" && n.Kind() != "function_definition" {
		d.EndByte = next.End()
	}
	return d, name != ""
}

func cType(n Node) (draft, bool) {
	name, ok := n.ChildByField("name")
	if _, has := n.ChildByField("body"); !ok || !has || n.Up() == "type_definition" {
		return draft{}, false
	}
	kind := KindType
	if n.Kind() == "class_specifier" {
		kind = KindClass
	}
	d, ok := cSpan(kind, "", n)
	parents, last := cScope(name)
	d.Parent, d.Name = parents, last.Text()
	if last.Kind() == "template_type" { // a specialization
		if c, has := last.ChildByField("name"); has {
			d.Name = c.Text()
		}
	}
	return d, ok
}

// cTypedef is named after the type that it introduces first.
func cTypedef(n Node) (draft, bool) {
	name, ok := cName(n)
	if !ok {
		return draft{}, false
	}
	held, _ := n.ChildByField("type")
	return span(KindType, name.Text(), n, held), true
}

// cName is the name that the declarator of a declaration holds.
func cName(n Node) (Node, bool) {
	found := false
	for range maxDepth {
		c, ok := n.ChildByField("declarator")
		if !ok {
			switch n.Kind() { // these hold a declarator without a field
			case "parenthesized_declarator", "reference_declarator", "attributed_declarator", "variadic_declarator":
				c, ok = n.LastNamed()
			}
		}
		if !ok || n.Kind() == "operator_cast" {
			break
		}
		n, found = c, true
	}
	return n, found
}

// cScope takes A::B::name apart: "A.B" and the name.
func cScope(n Node) (string, Node) {
	var scopes []string
	for n.Kind() == "qualified_identifier" {
		scope, has := n.ChildByField("scope")
		name, ok := n.ChildByField("name")
		if !ok {
			break
		}
		if c, generic := scope.nameIn(has); generic {
			scope = c
		}
		if has {
			scopes = append(scopes, scope.Text())
		}
		n = name
	}
	return strings.Join(scopes, "."), n
}

// nameIn is the name of A<B>.
func (n Node) nameIn(ok bool) (Node, bool) {
	if !ok || n.Kind() != "template_type" {
		return n, false
	}
	return n.ChildByField("name")
}

func cFunction(n Node) (draft, bool) {
	name, ok := cName(n)
	if !ok {
		return draft{}, false
	}
	parents, last := cScope(name)
	text := clip(last.Text(), 120)
	switch last.Kind() {
	case "operator_cast":
		if c, has := last.ChildByField("declarator"); has {
			text = strings.TrimSpace(string(n.t.Src[last.Start():c.Start()]))
		}
	case "template_function":
		if c, has := last.ChildByField("name"); has {
			text = c.Text()
		}
	}
	kind := KindFunction
	if _, typed := n.ChildByField("type"); !typed && macroName.MatchString(text) {
		if f, has := last.Parent(); has && f.Kind() == "function_declarator" {
			if args, has := f.ChildByField("parameters"); has {
				kind, text = macroKind(text), macroArgs(text, args)
			}
		}
	}
	d, ok := cSpan(kind, text, n)
	if parents != "" {
		d.Kind, d.Parent = KindMethod, parents
	}
	return d, ok
}

var (
	macroName = lazyregexp.New(`^[A-Z_][A-Z0-9_]{2,}$`)
	testMacro = lazyregexp.New(`^(?:\w+_)?(?:TEST|TESTS|TYPED_TEST|SCENARIO|TEST_CASE|TEST_METHOD)(?:_\w+)?$`)
)

func macroKind(word string) string {
	if testMacro.MatchString(word) {
		return KindTest
	}
	return KindFunction
}

// macroArgs names what a macro defines: TEST(Suite, name) is Suite.name, of
// others, such as SYSCALL_DEFINE1(name, …), the first argument.
func macroArgs(word string, args Node) string {
	var out []string
	for _, a := range args.NamedChildren() {
		if a.Kind() == "string_literal" || len(out) == 1 && macroKind(word) != KindTest {
			out = append(out, strings.Trim(a.Text(), "\""))
			break
		}
		out = append(out, a.Text())
	}
	if len(out) == 0 {
		return word
	}
	if macroKind(word) != KindTest {
		out = out[:1]
	}
	return clip(strings.Join(out, "."), 120)
}

// cMacroBody is a macro with a body behind it, as Catch2 has its tests:
// TEST_CASE("title") {…}.
func cMacroBody(n Node) (draft, bool) {
	if n.Up() == "compound_statement" { // FOREACH(x) {…}
		return draft{}, false
	}
	call, _ := n.FirstNamed()
	body, ok := n.Next()
	for ok && body.IsExtra() && body.Kind() == "comment" {
		body, ok = body.Next()
	}
	if !ok || call.t == nil || call.Kind() != "call_expression" || body.Kind() != "compound_statement" {
		return draft{}, false
	}
	word, args, ok := call.Both("function", "arguments")
	if !ok || !macroName.MatchString(word.head(60)) || n.End() > call.End() {
		return draft{}, false
	}
	d := span(macroKind(word.head(60)), macroArgs(word.head(60), args), n, n)
	_, d.EndByte = n.t.trim(body)
	return d, true
}

// cLambda is: auto name = […](…) {…};
func cLambda(n Node) (draft, bool) {
	init, ok := n.ChildByField("declarator")
	if !ok || init.Kind() != "init_declarator" {
		return draft{}, false
	}
	value, name, ok := init.Both("value", "declarator")
	if !ok || value.Kind() != "lambda_expression" || name.Kind() != "identifier" {
		return draft{}, false
	}
	return span(KindFunction, name.Text(), n, value), true
}

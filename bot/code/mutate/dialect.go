package mutate

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// dialect holds the words of a language that operators write.
type dialect struct {
	lang                     int
	and, or, not             string
	null, yes, no            string
	isNull, notNull          string // after an expression
	list, dict, text, orElse string // empty values; the operator of "x or default"
}

func dialectOf(lang code.Language) dialect {
	switch maskOf(lang) {
	case py:
		return dialect{
			lang: py, and: "and", or: "or", not: "not ", null: "None", yes: "True", no: "False",
			isNull: " is None", notNull: " is not None", list: "[]", dict: "{}", text: `""`, orElse: " or ",
		}
	case js:
		return dialect{
			lang: js, and: "&&", or: "||", not: "!", null: "null", yes: "true", no: "false",
			isNull: " == null", notNull: " != null", list: "[]", dict: "{}", text: `""`, orElse: " ?? ",
		}
	}
	return dialect{
		lang: golang, and: "&&", or: "||", not: "!", null: "nil", yes: "true", no: "false",
		isNull: " == nil", notNull: " != nil", list: "nil", dict: "nil", text: `""`,
	}
}

// binary takes an expression with two operands apart.
func binary(n code.Node) (left, op, right code.Node, ok bool) {
	switch n.Kind() {
	case "binary_expression", "binary_operator", "boolean_operator":
		left, right, ok := n.Both("left", "right")
		op, has := n.ChildByField("operator")
		return left, op, right, ok && has
	case "comparison_operator":
		kids := n.Children()
		if len(kids) == 3 && kids[1].Field() == "operators" {
			return kids[0], kids[1], kids[2], true
		}
	}
	return left, op, right, false
}

var comparisons = map[string]bool{
	"<": true, "<=": true, ">": true, ">=": true, "==": true, "!=": true, "===": true, "!==": true,
	"is": true, "is not": true, "in": true, "not in": true, "instanceof": true,
}

func isComparison(op string) bool { return comparisons[op] }

func isLogic(op string) bool { return op == "and" || op == "or" || op == "&&" || op == "||" }

func isArithmetic(op string) bool {
	switch op {
	case "+", "-", "*", "/", "//", "%", "**", "|", "&", "^", "<<", ">>":
		return true
	}
	return false
}

// condition is the expression that a statement or an expression branches on,
// without parentheses.
func condition(n code.Node) (code.Node, bool) {
	switch n.Kind() {
	case "if_statement", "elif_clause", "while_statement", "do_statement", "ternary_expression", "for_clause", "for_statement":
		c, ok := n.ChildByField("condition")
		if ok && c.Named() && c.Kind() != "empty_statement" {
			return inner(c), true
		}
		if n.Kind() == "for_statement" { // Go's for with a condition alone
			if kids := n.NamedChildren(); len(kids) == 2 && isExpression(kids[0]) && n.Tree().Lang == code.Go {
				return inner(kids[0]), true
			}
		}
	case "conditional_expression":
		if kids := n.NamedChildren(); len(kids) == 3 {
			return inner(kids[1]), true
		}
	case "if_clause":
		if only, ok := n.OnlyNamed(); ok {
			return inner(only), true
		}
	}
	return code.Node{}, false
}

// inner strips parentheses.
func inner(n code.Node) code.Node {
	for n.Kind() == "parenthesized_expression" {
		only, ok := n.OnlyNamed()
		if !ok {
			break
		}
		n = only
	}
	return n
}

func isExpression(n code.Node) bool {
	k := n.Kind()
	switch k {
	case "identifier", "attribute", "call", "subscript", "integer", "float", "true", "false", "none", "string",
		"comparison_operator", "boolean_operator", "not_operator", "binary_operator", "unary_operator",
		"nil", "null", "undefined", "number", "this", "int_literal", "template_string", "await", "list", "dictionary":
		return true
	}
	return strings.HasSuffix(k, "_expression") || strings.HasSuffix(k, "_literal") || strings.HasSuffix(k, "_comprehension")
}

// statements lists what stands in a block; nil for any other node.
func statements(n code.Node) []code.Node {
	switch n.Kind() {
	case "block":
		if n.Tree().Lang == code.Go {
			for _, c := range n.NamedChildren() {
				if c.Kind() == "statement_list" {
					return c.NamedChildren()
				}
			}
			return nil
		}
		return n.NamedChildren()
	case "statement_block", "statement_list", "module", "program", "source_file":
		return n.NamedChildren()
	}
	return nil
}

// listKind tells a node whose children are statements.
func listKind(n code.Node) bool {
	switch n.Kind() {
	case "block", "module":
		return n.Tree().Lang == code.Python
	case "statement_block", "program", "switch_case", "switch_default":
		return true
	case "statement_list":
		return n.Tree().Lang == code.Go
	}
	return false
}

// isStatement tells a node that stands in a list of statements.
func isStatement(n code.Node) bool {
	p, ok := n.Parent()
	return ok && n.Named() && !n.IsExtra() && listKind(p) && n.Field() != "value"
}

var loops = []string{"for_statement", "while_statement", "do_statement", "for_in_statement"}

var functions = []string{
	"function_definition", "lambda",
	"function_declaration", "function_expression", "arrow_function", "method_definition", "generator_function", "generator_function_declaration",
	"method_declaration", "func_literal",
}

func isFunction(n code.Node) bool { return slices.Contains(functions, n.Kind()) && n.Named() }

func isLoop(n code.Node) bool { return slices.Contains(loops, n.Kind()) }

// inLoop is the innermost loop around n inside its function.
func inLoop(n code.Node) (code.Node, bool) {
	for p, ok := n.Parent(); ok; p, ok = p.Parent() {
		if isFunction(p) {
			break
		}
		if isLoop(p) {
			return p, true
		}
	}
	return code.Node{}, false
}

// enclosing is the innermost function around n.
func enclosing(n code.Node) (code.Node, bool) {
	for p, ok := n.Parent(); ok; p, ok = p.Parent() {
		if isFunction(p) {
			return p, true
		}
	}
	return code.Node{}, false
}

// statementOf is the innermost statement around or at n.
func statementOf(n code.Node) (code.Node, bool) {
	for {
		if isStatement(n) {
			return n, true
		}
		p, ok := n.Parent()
		if !ok {
			return n, false
		}
		n = p
	}
}

// body is the list of statements of a function or loop, and its node.
func body(n code.Node) ([]code.Node, bool) {
	b, ok := n.ChildByField("body")
	if !ok {
		return nil, false
	}
	switch b.Kind() {
	case "block", "statement_block":
		return statements(b), true
	}
	return nil, false
}

// call takes a call apart: the function, its positional arguments, and the
// list with the parentheses.
func call(n code.Node) (fn code.Node, args []code.Node, list code.Node, ok bool) {
	callee := "function"
	switch n.Kind() {
	case "call", "call_expression":
	case "new_expression":
		callee = "constructor"
	default:
		return fn, nil, list, false
	}
	f, l, ok := n.Both(callee, "arguments")
	if !ok || l.Kind() != "argument_list" && l.Kind() != "arguments" {
		return fn, nil, list, false
	}
	return f, l.NamedChildren(), l, true
}

// member takes object.name apart.
func member(n code.Node) (object, name code.Node, ok bool) {
	switch n.Kind() {
	case "attribute":
		return n.Both("object", "attribute")
	case "member_expression":
		return n.Both("object", "property")
	case "selector_expression":
		return n.Both("operand", "field")
	}
	return object, name, false
}

// element takes object[index] apart.
func element(n code.Node) (object, index code.Node, ok bool) {
	switch n.Kind() {
	case "subscript":
		object, index, ok = n.Both("value", "subscript")
	case "subscript_expression":
		object, index, ok = n.Both("object", "index")
	case "index_expression":
		object, index, ok = n.Both("operand", "index")
	}
	return object, index, ok && index.Kind() != "slice"
}

// tight wraps an expression in parentheses where an operator beside it could
// pull it apart.
func tight(n code.Node) string {
	switch n.Kind() {
	case "identifier", "attribute", "call", "subscript", "integer", "float", "true", "false", "none", "string",
		"member_expression", "call_expression", "subscript_expression", "number", "parenthesized_expression", "null", "this", "undefined",
		"selector_expression", "index_expression", "int_literal", "float_literal", "nil", "interpreted_string_literal", "list", "tuple":
		return n.Text()
	}
	return "(" + n.Text() + ")"
}

func isInteger(n code.Node) bool {
	k := n.Kind()
	return k == "integer" || k == "int_literal" || k == "number" && !strings.ContainsAny(n.Text(), ".eExXnob_")
}

func isString(n code.Node) bool {
	k := n.Kind()
	return k == "string" || k == "interpreted_string_literal"
}

// plainString tells a string without interpolation on one line.
func plainString(n code.Node) bool {
	text := n.Text()
	return isString(n) && !strings.Contains(text, "\n") && len(text) <= 80 && len(text) >= 2 && (text[0] == '"' || text[0] == '\'') && !strings.HasPrefix(text, `"""`) && !strings.HasPrefix(text, "'''")
}

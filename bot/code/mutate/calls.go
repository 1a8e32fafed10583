package mutate

import (
	"bytes"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

func callWrap(s *scene, n code.Node) {
	s.foldCase(n)
	if !isValue(n) || n.Field() == "object" || n.Field() == "operand" && n.Up() == "selector_expression" || len(n.Text()) > 80 || strings.Contains(n.Text(), "\n") {
		return
	}
	if k := n.Kind(); k == "subscript" && assigned(n) || n.Up() == "delete_statement" || n.Up() == "defer_statement" || n.Up() == "go_statement" || n.Up() == "expression_statement" || n.Up() == "unary_expression" && s.d.lang == golang || n.Up() == "await" || n.Up() == "await_expression" {
		return
	}
	if p := parentOf(n); p.Kind() == "with_item" || p.Kind() == "raise_statement" || p.Kind() == "literal_element" || p.Kind() == "as_pattern" || p.Kind() == "shorthand_property_identifier" {
		return
	}
	text := n.Text()
	var typ string
	if v, ok := s.facts.lookup(text, n.Start()); ok {
		typ = v.typ
	}
	for _, fn := range s.facts.around[text] {
		if root, _, _ := strings.Cut(fn, "."); root != fn && s.facts.isVariable(root) {
			if _, here := s.facts.lookup(root, n.Start()); !here {
				continue
			}
		}
		s.put(n.Start(), n.End(), fn+"("+text+")", 3, "Use %s of %s, as elsewhere in the file.", one(fn), one(text))
	}
	for _, w := range wraps[s.d.lang] {
		if w.typ != "" && typ != "" && typ != w.typ || s.d.lang == golang && w.typ != typ || w.needs != "" && !s.facts.imports[w.needs] {
			continue
		}
		if !wrapPlace(n, w.typ) {
			continue
		}
		weight := 0.3
		if w.typ != "" && w.typ == typ {
			weight = 0.8
		}
		name := strings.Trim(w.form, "%().0123456789, ")
		if bytes.Contains(s.src, []byte(name+"(")) {
			weight *= 2
		}
		s.put(n.Start(), n.End(), strings.Replace(w.form, "%", text, 1), weight, "Use %s.", one(strings.Replace(w.form, "%", text, 1)))
	}
}

// foldCase compares two texts without regard to case, or to white space.
func (s *scene) foldCase(n code.Node) {
	left, op, right, ok := binary(n)
	if !ok || isConstant(left) && !isString(left) || isConstant(right) && !isString(right) || strings.Contains(n.Text(), "\n") {
		return
	}
	switch op.Text() {
	case "==", "!=", "===", "!==", "in", "not in":
	default:
		return
	}
	if s.typeIs(left, "number", "list", "dict", "bool", "int", "float64") || s.typeIs(right, "number", "list", "dict", "bool", "int", "float64") {
		return
	}
	both := func(form string, w float64) {
		text := strings.ReplaceAll(form, "%", tight(left)) + " " + op.Text() + " " + strings.ReplaceAll(form, "%", tight(right))
		s.put(n.Start(), n.End(), text, w, "Compare %s.", one(text))
	}
	switch s.d.lang {
	case py:
		both("%.lower()", 0.8)
		both("%.strip()", 0.3)
	case js:
		both("%.toLowerCase()", 0.8)
		both("%.trim()", 0.3)
	case golang:
		if s.facts.imports["strings"] && (s.typeIs(left, "string") || s.typeIs(right, "string") || isString(right)) {
			not := map[bool]string{true: "!", false: ""}[op.Text() == "!="]
			text := not + "strings.EqualFold(" + left.Text() + ", " + right.Text() + ")"
			s.put(n.Start(), n.End(), text, 1, "Compare without regard to case.")
			both("strings.ToLower(%)", 0.5)
		}
	}
}

// wrapPlace tells whether a call that makes sense for a type is likely to be
// missing at a place.
func wrapPlace(n code.Node, typ string) bool {
	up := n.Up()
	switch up {
	case "return_statement", "argument_list", "arguments", "assignment", "variable_declarator", "assignment_expression", "expression_list", "pair":
		return true
	case "comparison_operator", "subscript", "subscript_expression", "index_expression", "interpolation":
		return typ != "list" && typ != "dict"
	case "for_statement", "for_in_statement", "for_in_clause", "range_clause":
		return typ == "list" || typ == "dict" || typ == ""
	case "binary_operator", "binary_expression":
		return typ == "number" || typ == "" || typ == "int" || typ == "float64" || up == "binary_expression" && (typ == "text" || typ == "string")
	}
	return false
}

// wrap is a call around a value; % stands for the value.
type wrap struct{ form, typ, needs string }

var wraps = map[int][]wrap{
	py: {
		{"%.strip()", "text", ""}, {"%.lower()", "text", ""}, {"%.upper()", "text", ""}, {"str(%)", "", ""}, {"int(%)", "", ""}, {"abs(%)", "number", ""},
		{"float(%)", "", ""}, {"len(%)", "", ""}, {"list(%)", "list", ""}, {"sorted(%)", "list", ""}, {"set(%)", "list", ""}, {"reversed(%)", "list", ""},
		{"round(%, 2)", "number", ""}, {"bool(%)", "", ""}, {"tuple(%)", "list", ""}, {"max(%, 0)", "number", ""}, {"%.items()", "dict", ""}, {"%.values()", "dict", ""},
		{"enumerate(%)", "list", ""}, {"math.ceil(%)", "number", "import math"},
	},
	js: {
		{"%.trim()", "text", ""}, {"%.toLowerCase()", "text", ""}, {"%.toUpperCase()", "text", ""}, {"String(%)", "", ""}, {"Number(%)", "", ""}, {"Math.abs(%)", "number", ""},
		{"parseInt(%, 10)", "", ""}, {"%.length", "", ""}, {"Math.round(%)", "number", ""}, {"Math.floor(%)", "number", ""}, {"Math.max(%, 0)", "number", ""}, {"Boolean(%)", "", ""},
		{"new Set(%)", "list", ""}, {"Object.keys(%)", "dict", ""}, {"Object.values(%)", "dict", ""}, {"Object.entries(%)", "dict", ""}, {"%.slice().sort()", "list", ""},
	},
	golang: {
		{"strings.TrimSpace(%)", "string", "strings"}, {"strings.ToLower(%)", "string", "strings"}, {"strings.ToUpper(%)", "string", "strings"},
		{"max(%, 0)", "int", ""}, {"[]rune(%)", "string", ""}, {"math.Abs(%)", "float64", "math"}, {"math.Round(%)", "float64", "math"}, {"math.Ceil(%)", "float64", "math"}, {"math.Floor(%)", "float64", "math"},
		{"float64(%)", "int", ""}, {"int(%)", "float64", ""}, {"len(%)", "string", ""}, {"filepath.Clean(%)", "string", "filepath"},
	},
}

func callUnwrap(s *scene, n code.Node) {
	fn, args, _, ok := call(n)
	if !ok || n.Up() == "expression_statement" || n.Up() == "defer_statement" || n.Up() == "go_statement" {
		return
	}
	isPackage := func(o code.Node) bool { return s.d.lang == golang && s.facts.imports[o.Text()] }
	if o, _, has := member(fn); has && len(args) == 0 && o.Text() != "super()" && !isPackage(o) {
		s.put(n.Start(), n.End(), o.Text(), 1, "Use %s itself.", one(o.Text()))
	}
	if len(args) == 1 && args[0].Kind() != "keyword_argument" && isExpression(args[0]) {
		text := args[0].Text()
		if n.Up() != "argument_list" && n.Up() != "arguments" {
			text = tight(args[0])
		}
		if n.Field() == "object" && isInteger(args[0]) {
			return
		}
		s.put(n.Start(), n.End(), text, 0.8, "Use %s without calling %s.", one(args[0].Text()), one(fn.Text()))
	}
}

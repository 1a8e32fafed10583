package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

func copyValue(s *scene, n code.Node) {
	if left, op, right, ok := binary(n); ok && s.d.lang == py && op.Text() == "*" && left.Kind() == "list" && len(left.NamedChildren()) == 1 {
		e := left.NamedChildren()[0].Text()
		s.put(n.Start(), n.End(), "["+e+" for _ in range("+right.Text()+")]", 2, "Make %s anew for each place.", one(e))
	}
	if !isValue(n) || strings.Contains(n.Text(), "\n") || len(n.Text()) > 60 {
		return
	}
	var where float64
	switch {
	case isReturned(n):
		where = 1
	case n.Up() == "assignment" || n.Up() == "variable_declarator" || n.Up() == "assignment_expression":
		where = 1
	case n.Up() == "expression_list" && s.d.lang == golang:
		where = 1
	case n.Up() == "argument_list" || n.Up() == "arguments":
		where = 0.3
	case n.Up() == "for_statement" || n.Up() == "for_in_statement":
		where = 0.5
	default:
		return
	}
	if n.Kind() == "call" || n.Kind() == "call_expression" || isElement(n) {
		where *= 0.2 // mostly new already, or no container
	}
	text := n.Text()
	typ := ""
	if v, ok := s.facts.lookup(text, n.Start()); ok {
		typ = v.typ
	}
	if typ == "number" || typ == "text" || typ == "bool" || typ == "int" || typ == "string" || typ == "error" {
		return
	}
	put := func(form string, w float64) {
		s.put(n.Start(), n.End(), strings.ReplaceAll(form, "%", text), w*where, "Use a copy of %s.", one(text))
	}
	switch s.d.lang {
	case py:
		put("list(%)", 1)
		put("dict(%)", 1)
		put("%.copy()", 0.6)
		if src := string(s.src); strings.Contains(src, "import copy") {
			put("copy.deepcopy(%)", 1)
		} else if strings.Contains(src, "import deepcopy") {
			put("deepcopy(%)", 2)
		}
	case js:
		put("[...%]", 1)
		put("{ ...% }", 1)
		put("structuredClone(%)", 0.4)
	case golang:
		if _, m, ok := member(n); ok && typ == "" {
			typ = s.facts.fieldType[m.Text()]
		}
		if strings.HasPrefix(typ, "[]") {
			put("append("+typ+"(nil), %...)", 1)
		}
		if strings.HasPrefix(typ, "map[") && s.facts.imports["maps"] {
			put("maps.Clone(%)", 1)
		}
	}
}

func isElement(n code.Node) bool {
	switch n.Kind() {
	case "subscript", "subscript_expression", "index_expression":
		return true
	}
	return false
}

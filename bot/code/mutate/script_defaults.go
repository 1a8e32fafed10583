package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// defaultPattern gives a name of a pattern or a parameter a default.
func defaultPattern(s *scene, n code.Node) {
	switch k := n.Kind(); {
	case k == "identifier" && (n.Up() == "array_pattern" || n.Up() == "formal_parameters"):
	case k == "object_pattern" && n.Up() == "formal_parameters":
	case k == "shorthand_property_identifier_pattern" && n.Up() == "object_pattern":
	case (k == "identifier" || k == "object_pattern") && n.Up() == "required_parameter" && n.Field() == "pattern":
		return
	default:
		return
	}
	values := []string{"{}", "[]", `""`, "0", "null", "false", "true", "1"}
	if n.Kind() == "object_pattern" {
		values = values[:1]
	}
	for i, v := range values {
		s.put(n.End(), n.End(), " = "+v, []float64{1, 1, 1, 1, 0.4, 0.3, 0.3, 0.3}[i], "Use %s when %s is not given.", v, one(n.Text()))
	}
}

// memberConstant reads a setting instead of a constant.
func memberConstant(s *scene, n code.Node) {
	if !isInteger(n) && !plainString(n) || n.Field() == "key" || n.Field() == "source" || n.Up() == "expression_statement" {
		return
	}
	switch n.Up() {
	case "assignment_pattern", "arguments", "binary_expression", "return_statement", "variable_declarator", "assignment_expression", "pair":
	default:
		return
	}
	if isInteger(n) && len(n.Text()) == 1 && n.Up() != "assignment_pattern" {
		return // 0 and 1 are seldom settings
	}
	done := 0
	for _, key := range s.facts.members {
		object, isObject := strings.CutPrefix(key, ".")
		if !isObject || strings.ContainsAny(object, "()[] \n") || done > 20 {
			continue
		}
		root, _, _ := strings.Cut(object, ".")
		if _, known := s.facts.lookup(root, n.Start()); !known && root != "this" {
			continue
		}
		if _, inClass := n.Ancestor("class_declaration", "class"); root == "this" && !inClass {
			continue
		}
		for _, f := range s.facts.fields[key] {
			if f == "length" || len(s.facts.methods[object+"."+f]) > 0 {
				continue
			}
			done++
			w := 0.5
			if strings.Contains(strings.ToLower(object), "option") || strings.Contains(strings.ToLower(object), "config") || strings.Contains(strings.ToLower(object), "default") || strings.Contains(strings.ToLower(object), "setting") {
				w = 2
			}
			s.put(n.Start(), n.End(), object+"."+f, w, "Use %s instead of %s.", one(object+"."+f), one(n.Text()))
		}
	}
}

// groupedDefault uses a default for a value in parentheses or a substitution.
func groupedDefault(s *scene, n code.Node) {
	if n.Kind() != "parenthesized_expression" && n.Kind() != "template_substitution" && n.Kind() != "spread_element" || condOf(n) == n {
		return
	}
	if n.Kind() == "parenthesized_expression" {
		switch n.Up() {
		case "if_statement", "while_statement", "do_statement", "switch_statement", "for_statement":
			return
		}
	}
	kids := n.NamedChildren()
	if len(kids) != 1 || !isPlain(kids[0]) && kids[0].Kind() != "subscript_expression" {
		return
	}
	v := kids[0]
	values := []string{"0", `""`, "[]", "{}", "1"}
	if n.Kind() == "spread_element" {
		values = []string{"[]", "{}"}
	}
	for i, d := range values {
		s.put(v.End(), v.End(), " ?? "+d, 1/float64(i+1), "Use %s when %s is missing.", d, one(v.Text()))
	}
}

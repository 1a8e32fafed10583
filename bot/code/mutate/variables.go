package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// isValue tells a name that is read as a value: not declared, assigned,
// called, imported, a keyword or a type.
func isValue(n code.Node) bool {
	switch n.Kind() {
	case "attribute", "member_expression", "selector_expression":
		return !isCallee(n, parentOf(n)) && !assigned(n) && n.Up() != "decorator"
	case "call", "call_expression", "subscript", "subscript_expression", "index_expression":
		return !assigned(n)
	case "identifier":
	default:
		return false
	}
	p := parentOf(n)
	switch p.Kind() {
	case "function_definition", "class_definition", "parameters", "lambda_parameters", "default_parameter", "typed_parameter",
		"typed_default_parameter", "list_splat_pattern", "dictionary_splat_pattern", "import_statement", "import_from_statement",
		"dotted_name", "aliased_import", "global_statement", "nonlocal_statement", "as_pattern_target", "type", "decorator", "named_expression",
		"formal_parameters", "function_declaration", "class_declaration", "class_heritage", "rest_pattern", "array_pattern", "import_specifier",
		"import_clause", "namespace_import", "export_specifier", "labeled_statement", "catch_clause", "method_definition", "required_parameter",
		"optional_parameter", "pattern_list", "tuple_pattern", "list_pattern", "delete_statement", "except_clause",
		"parameter_declaration", "variadic_parameter_declaration", "const_spec", "type_spec", "break_statement", "continue_statement",
		"label_name", "enum_assignment", "enum_body", "new_expression", "type_query", "class", "function_expression", "generic_type",
		"case_pattern", "keyword_pattern", "class_pattern", "splat_pattern":
		if p.Kind() == "default_parameter" || p.Kind() == "typed_default_parameter" {
			return n.Field() == "value"
		}
		return p.Kind() == "named_expression" && n.Field() == "value" || p.Kind() == "required_parameter" && n.Field() == "value"
	case "keyword_argument":
		return n.Field() == "value"
	case "pair_pattern":
		return false
	case "variable_declarator", "pair", "var_spec", "assignment_pattern":
		return n.Field() == "value" || p.Kind() == "assignment_pattern" && n.Field() == "right"
	case "literal_element":
		return p.Field() == "value" || p.Field() == ""
	case "arrow_function":
		return n.Field() == "body"
	case "member_expression", "attribute", "selector_expression":
		return n.Field() == "object" || n.Field() == "operand"
	}
	return !isCallee(n, p) && !assigned(n)
}

// assigned tells the left side of an assignment or a loop.
func assigned(n code.Node) bool {
	if n.Field() == "left" {
		switch n.Up() {
		case "assignment", "augmented_assignment", "assignment_expression", "augmented_assignment_expression", "for_statement",
			"for_in_statement", "for_in_clause", "short_var_declaration", "assignment_statement", "range_clause":
			return true
		}
	}
	switch n.Up() {
	case "update_expression", "inc_statement", "dec_statement", "delete_statement":
		return true
	case "expression_list":
		p := parentOf(n)
		if p.Field() == "left" {
			return true
		}
	}
	return false
}

func wrongVariable(s *scene, n code.Node) {
	if n.Kind() != "identifier" || !isValue(n) {
		return
	}
	name := n.Text()
	own, known := s.facts.lookup(name, n.Start())
	if name == "self" || name == "this" || !known && (s.facts.imports[name] || name == "undefined" || name == "NaN") {
		return
	}
	st, _ := statementOf(n)
	stText := ""
	if st.Tree() != nil && st.EndLine() == st.Line() {
		stText = st.Text()
	}
	isObject := n.Field() == "object" || n.Field() == "operand" && n.Up() == "selector_expression"
	for _, v := range s.facts.visible(n.Start()) {
		if v.name == name || !fits(own.typ, v.typ) || s.d.lang == golang && isObject && own.typ != v.typ {
			continue
		}
		w := s.nameWeight(own, v, stText)
		s.put(n.Start(), n.End(), v.name, w, "Use the variable %s instead of %s.", one(v.name), one(name))
	}
}

// nameWeight is how likely v stands in the place of own.
func (s *scene) nameWeight(own, v variable, statement string) float64 {
	w := 1.0
	switch {
	case v.kind == "module" && own.kind != "module":
		w = 0.25
	case v.owner != own.owner:
		w = 0.6
	}
	if v.uses <= 1 && v.kind != "module" {
		w *= 5 // declared and never read: it is missing somewhere
	}
	if near(v.name, own.name) {
		w *= 2
	}
	if own.typ != "" && own.typ == v.typ {
		w *= 1.5
	}
	if own.name != "" && wordCount(statement, own.name) > 1 {
		w *= 1.5 // the same name twice in one statement
	}
	if wordCount(statement, v.name) > 0 {
		w *= 0.5
	}
	return w
}

// wordCount counts a name in a text, as a whole word.
func wordCount(text, name string) (count int) {
	for range code.Words(text, name) {
		count++
	}
	return count
}

func wrongField(s *scene, n code.Node) {
	object, name, ok := member(n)
	if !ok || isCallee(n, parentOf(n)) {
		return
	}
	target := 1.0
	if assigned(n) {
		target = 0.4
	}
	own := name.Text()
	if s.d.lang == golang && s.facts.imports[object.Text()] {
		return
	}
	seen := map[string]bool{own: true}
	for _, key := range s.facts.members {
		list := s.facts.fields[key]
		related := key == "."+object.Text()
		for _, f := range list {
			related = related || f == own && !strings.HasPrefix(key, ".")
		}
		if !related {
			continue
		}
		for _, f := range list {
			if seen[f] || !fits(s.facts.fieldType[own], s.facts.fieldType[f]) {
				continue
			}
			seen[f] = true
			w := target
			if near(f, own) {
				w *= 2
			}
			s.put(name.Start(), name.End(), f, w, "Use the field %s instead of %s.", one(f), one(own))
		}
	}
}

func assignmentTarget(s *scene, n code.Node) {
	if n.Kind() != "identifier" || !assigned(n) || n.Field() != "left" && n.Up() != "expression_list" {
		return
	}
	switch n.Up() {
	case "for_statement", "for_in_statement", "for_in_clause", "short_var_declaration", "range_clause":
		return
	}
	if p := parentOf(n); p.Kind() == "expression_list" && p.Up() != "assignment_statement" {
		return
	}
	own, _ := s.facts.lookup(n.Text(), n.End())
	for _, v := range s.facts.visible(n.Start()) {
		if v.name != n.Text() && v.kind != "module" && fits(own.typ, v.typ) {
			s.put(n.Start(), n.End(), v.name, 1, "Assign to %s instead of %s.", one(v.name), one(n.Text()))
		}
	}
}

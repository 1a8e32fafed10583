package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// literalVariable uses a variable where a constant stands: a step, a bound or
// a name that was written down for one case only.
func literalVariable(s *scene, n code.Node) {
	switch n.Kind() {
	case "update_expression", "inc_statement", "dec_statement":
		s.stepBy(n)
		return
	}
	if !isInteger(n) && !plainString(n) || n.Up() == "expression_statement" || n.Up() == "import_spec" || n.Field() == "source" || n.Up() == "default_parameter" || n.Up() == "case_pattern" {
		return
	}
	if n.Field() == "key" || n.Up() == "keyed_element" || n.Up() == "literal_element" || n.Up() == "pair" && n.Field() != "value" || n.Up() == "array_type" {
		return
	}
	if _, ok := enclosing(n); !ok {
		return
	}
	number := isInteger(n)
	for _, v := range s.facts.visible(n.Start()) {
		w := 0.5
		if v.uses <= 1 {
			w = 3
		}
		switch v.typ {
		case "number", "int":
			if !number {
				continue
			}
			w *= 2
		case "text", "string":
			if number {
				continue
			}
			w *= 2
		case "":
			if s.d.lang == golang || !number && v.uses > 1 {
				continue
			}
		default:
			continue
		}
		if v.kind == "module" {
			w *= 0.5
		}
		s.put(n.Start(), n.End(), v.name, w, "Use the variable %s instead of %s.", one(v.name), one(n.Text()))
	}
}

// stepBy counts by a variable instead of by one.
func (s *scene) stepBy(n code.Node) {
	kids := n.NamedChildren()
	if len(kids) != 1 || n.Up() != "expression_statement" && n.Up() != "statement_list" && n.Field() != "increment" && n.Field() != "update" {
		return
	}
	op := " -= "
	if strings.Contains(n.Text(), "++") {
		op = " += "
	}
	for _, v := range s.facts.visible(n.Start()) {
		if v.name == kids[0].Text() || v.kind == "module" || v.typ != "number" && v.typ != "int" {
			continue
		}
		s.put(n.Start(), n.End(), kids[0].Text()+op+v.name, 2, "Count by %s.", one(v.name))
	}
}

// rootName is the variable that a chain of members, elements and calls begins
// with.
func rootName(n code.Node) string {
	for {
		if n.Kind() == "identifier" {
			return n.Text()
		}
		if o, _, ok := member(n); ok {
			n = o
			continue
		}
		if o, _, ok := element(n); ok {
			n = o
			continue
		}
		fn, _, _, ok := call(n)
		if !ok {
			return ""
		}
		n = fn
	}
}

package mutate

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// guard writes an if-statement around an action.
func (s *scene) guard(cond, action string) string {
	switch s.d.lang {
	case py:
		return "if " + cond + ":\n\t" + action
	case js:
		return "if (" + cond + ") {\n\t" + action + ";\n}"
	}
	return "if " + cond + " {\n\t" + action + "\n}"
}

// exits lists what a guard may do in a function: the constants that it or its
// neighbours return, then the usual empty values.
func (s *scene) exits(fn code.Node) []choice {
	if s.d.lang == golang {
		if zero, ok := zeroReturn(fn); ok {
			return []choice{{zero, 1}}
		}
		return nil
	}
	var out []choice
	seen := map[string]bool{}
	add := func(text string, w float64) {
		if !seen[text] {
			seen[text] = true
			out = append(out, choice{text, w})
		}
	}
	fn.Walk(func(n code.Node) bool {
		if n != fn && isFunction(n) {
			return false
		}
		if n.Kind() == "return_statement" && len(n.Text()) < 40 && len(out) < 3 {
			if kids := n.NamedChildren(); len(kids) == 1 && isConstant(kids[0]) {
				add(strings.TrimSuffix(n.Text(), ";"), 1)
			}
		}
		return true
	})
	for i, v := range []string{s.d.null, s.d.list, "0", s.d.no, s.d.text, s.d.dict, s.d.yes} {
		add("return "+v, []float64{0.8, 0.6, 0.6, 0.5, 0.4, 0.3, 0.2}[i])
	}
	return out
}

func isConstant(n code.Node) bool {
	switch n.Kind() {
	case "none", "null", "nil", "undefined", "true", "false", "integer", "float", "number", "int_literal", "string", "interpreted_string_literal":
		return true
	case "list", "dictionary", "array", "object", "tuple":
		return len(n.Text()) == 2
	}
	return false
}

// zeroReturn is the return statement of zero values for a Go function.
func zeroReturn(fn code.Node) (string, bool) {
	res, ok := fn.ChildByField("result")
	if !ok {
		return "return", true
	}
	var zeros []string
	if res.Kind() != "parameter_list" {
		zeros = []string{zeroValue(res)}
	} else {
		for _, p := range res.NamedChildren() {
			t, ok := p.ChildByField("type")
			if !ok {
				t = p
			}
			names := 0
			for _, c := range p.NamedChildren() {
				if c.Field() == "name" {
					names++
				}
			}
			for range max(1, names) {
				zeros = append(zeros, zeroValue(t))
			}
		}
	}
	return "return " + strings.Join(zeros, ", "), !slices.Contains(zeros, "")
}

func zeroValue(t code.Node) string {
	switch t.Text() {
	case "string":
		return `""`
	case "bool":
		return "false"
	case "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "byte", "rune", "uintptr", "time.Duration":
		return "0"
	case "error", "any":
		return "nil"
	}
	switch t.Kind() {
	case "pointer_type", "slice_type", "map_type", "function_type", "interface_type", "channel_type":
		return "nil"
	case "type_identifier", "qualified_type", "struct_type", "array_type":
		return t.Text() + "{}"
	}
	return ""
}

// firstStatement is where a guard of a function or loop goes: its first
// statement after a docstring.
func firstStatement(n code.Node) (code.Node, bool) {
	list, ok := body(n)
	if !ok {
		return code.Node{}, false
	}
	for i, c := range list {
		if i > 0 || len(list) == 1 || !docstring(c) {
			return c, true
		}
	}
	return code.Node{}, false
}

// heads gives the function or loop that begins with the statement n.
func heads(n code.Node) (code.Node, bool) {
	p, ok := n.Parent()
	if !ok {
		return p, false
	}
	if p.Kind() == "statement_list" {
		p = parentOf(p)
	}
	owner, ok := p.Parent()
	if !ok || !isFunction(owner) && !isLoop(owner) {
		return owner, false
	}
	first, ok := firstStatement(owner)
	return owner, ok && first == n
}

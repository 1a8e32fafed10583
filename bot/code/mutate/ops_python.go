package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// pythonOperators are Python's own: mistakes with its library, its iterators, its
// statements. Each makes few mutations, so that a small share goes a long way.
func pythonOperators() []operator {
	return []operator{
		{"materialise", "iterator exhausted", 0.012, py, materialise},
		{"iterate_copy", "changed while iterated", 0.008, py, iterateCopy},
		{"separator_bound", "wrong pattern or format", 0.006, py, separatorBound},
		{"keyword_forward", "missing argument", 0.012, py, keywordForward},
		{"recursion_argument", "wrong recursion", 0.008, py, recursionArgument},
		{"fields_compared", "missing field", 0.010, py, fieldsCompared},
		{"copy_deep", "shared state", 0.014, py, copyDeep},
		{"number_text", "number compared as text", 0.008, py, numberText},
		{"format_spec", "wrong pattern or format", 0.008, py, formatSpec},
		{"pattern_part", "wrong pattern or format", 0.012, py, patternPart},
		{"reset_field", "state not reset", 0.012, py, resetField},
		{"reset_local", "state not reset", 0.012, py, resetLocal},
		{"cached_value", "state not reset", 0.006, py, cachedValue},
		{"ensure_undone", "missing clean-up", 0.006, py, ensureUndone},
		{"clean_value", "missing call", 0.00696, py, cleanValue},
		{"bind_default", "late binding", 0.005, py, bindDefault},
		{"from_first", "error adds up", 0.006, py, fromFirst},
		{"except_order", "wrong order of branches", 0.006, py, exceptOrder},
		{"except_body", "wrong exception", 0.010, py, exceptBody},
		{"else_of_loop", "statement in or out of a loop", 0.010, py, elseOfLoop},
		{"into_branch", "statement in or out of a branch", 0.007, py, intoBranch},
		{"step_place", "wrong order", 0.00856, py, stepPlace},
	}
}

// assigns takes the statement x = e apart.
func assigns(n code.Node) (left, right code.Node, ok bool) {
	if n.Kind() != "expression_statement" {
		return left, right, false
	}
	kids := n.NamedChildren()
	if len(kids) != 1 || kids[0].Kind() != "assignment" {
		return left, right, false
	}
	left, ok1 := kids[0].ChildByField("left")
	right, ok2 := kids[0].ChildByField("right")
	return left, right, ok1 && ok2
}

// methodCall takes object.name(…) apart.
func methodCall(n code.Node) (object code.Node, name string, args []code.Node, ok bool) {
	fn, args, _, ok := call(n)
	if !ok {
		return object, "", nil, false
	}
	object, m, ok := member(fn)
	if !ok {
		return object, "", nil, false
	}
	return object, m.Text(), args, true
}

// place tells a name, a field or an element: what can be read and assigned.
func place(n code.Node) bool {
	switch n.Kind() {
	case "identifier", "attribute", "subscript":
		return len(n.Text()) < 60 && !strings.ContainsAny(n.Text(), "\n(")
	}
	return false
}

// short tells an expression on one line that can be written twice.
func short(n code.Node) bool {
	return len(n.Text()) <= 60 && !strings.Contains(n.Text(), "\n")
}

// words tells whether a text is one of a list.
func words(list, text string) bool {
	for w := range strings.FieldsSeq(list) {
		if w == text {
			return true
		}
	}
	return false
}

// ownClass is the class that a method belongs to.
func ownClass(n code.Node) (code.Node, bool) {
	return n.Ancestor("class_definition")
}

// reindented is the text of statements moved from one indentation to another.
func reindented(text, from, to string) string {
	return strings.ReplaceAll(text, "\n"+from, "\n"+to)
}

// generates tells a function that yields itself.
func generates(fn code.Node) bool {
	found := false
	fn.Walk(func(c code.Node) bool {
		if c != fn && isFunction(c) {
			return false
		}
		found = found || c.Kind() == "yield"
		return !found
	})
	return found
}

// nameOf is the name of a function or class; "" for a lambda.
func nameOf(n code.Node) string {
	if name, ok := n.ChildByField("name"); ok {
		return name.Text()
	}
	return ""
}

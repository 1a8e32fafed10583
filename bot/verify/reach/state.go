package reach

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// State that outlives a call: what a test is handed may then be changed by its
// next call, the one that makes the expected value for instance, and a function
// can count how often it was asked.

// keeping is how a language spells it. All are kinds of nodes, but for writers.
type keeping struct {
	functions []string // what runs later
	declares  []string // of a name at the top of a file
	assigns   []string // to its left side, its argument or its operand
	calls     string
	writers   []string // methods by which a value changes itself
	locals    bool     // what is assigned to a bare name is the function's own
}

var keepings = map[code.Language]keeping{
	code.Python: {
		functions: []string{"function_definition", "lambda"}, declares: []string{"assignment", "function_definition", "class_definition"},
		assigns: []string{"assignment", "augmented_assignment", "delete_statement", "global_statement"}, calls: "call", locals: true,
		writers: []string{"append", "add", "update", "setdefault", "pop", "popitem", "extend", "insert", "clear", "remove", "discard", "appendleft", "popleft", "sort", "reverse"},
	},
	code.JavaScript: scriptKeeping, code.TypeScript: scriptKeeping, code.TSX: scriptKeeping,
	code.Go: {
		functions: []string{"function_declaration", "method_declaration"}, declares: []string{"var_spec"},
		assigns: []string{"assignment_statement", "inc_statement", "dec_statement"}, calls: "call_expression",
		writers: []string{"Store", "LoadOrStore", "LoadAndDelete", "Swap", "CompareAndSwap", "Add", "Put", "Delete", "PushBack", "PushFront", "Write", "WriteString", "Set"},
	},
}

var scriptKeeping = keeping{
	functions: []string{"function_declaration", "function_expression", "arrow_function", "method_definition", "generator_function_declaration", "generator_function"},
	declares:  []string{"variable_declarator", "function_declaration", "class_declaration", "generator_function_declaration"},
	assigns:   []string{"assignment_expression", "augmented_assignment_expression", "update_expression"}, calls: "call_expression",
	writers: []string{"set", "add", "delete", "clear", "push", "pop", "shift", "unshift", "splice", "sort", "reverse", "fill"},
}

// keeps sees each name of the file that a function changes; before the change, each
// variable: what was there to keep something is nothing new.
func (l *look) keeps(k keeping, before bool) {
	top := map[string]bool{}
	l.tree.Walk(func(n code.Node) bool {
		if slices.Contains(k.declares, n.Kind()) {
			for _, name := range declared(n) {
				top[spelled(name)] = true
				if before && !slices.Contains(k.functions, n.Kind()) && !strings.HasPrefix(n.Kind(), "class_") {
					l.seeAs(spelled(name), name, whyState)
				}
			}
		}
		return !slices.Contains(k.functions, n.Kind())
	})
	if len(top) == 0 {
		return
	}
	seen := map[string]bool{}
	l.tree.Walk(func(n code.Node) bool {
		if _, later := n.Ancestor(k.functions...); !later {
			return true
		}
		if resets(n) {
			return true
		}
		for _, at := range k.changed(n) {
			if name := spelled(at); top[name] && !seen[name] && !within(n, k, name) {
				seen[name] = true
				l.seeAs(name, n, whyState)
			}
		}
		return true
	})
}

// resets tells that a pattern of JavaScript is set to begin anew, by which it keeps
// less than without.
func resets(n code.Node) bool {
	left, ok := n.ChildByField("left")
	right, has := n.ChildByField("right")
	return ok && has && n.Kind() == "assignment_expression" && strings.HasSuffix(left.Text(), ".lastIndex") && right.Text() == "0"
}

// declared are the names that a declaration makes.
func declared(n code.Node) []code.Node {
	name, ok := n.ChildByField("name")
	if !ok {
		name, ok = n.ChildByField("left")
	}
	if !ok {
		return nil
	}
	if name.Kind() == "identifier" || name.Kind() == "type_identifier" {
		return []code.Node{name}
	}
	if !slices.Contains([]string{"pattern_list", "tuple_pattern", "list_pattern", "object_pattern", "array_pattern"}, name.Kind()) {
		return nil
	}
	return name.NamedChildren()
}

// changed are the names that a node changes, or a part of what they stand for.
func (k keeping) changed(n code.Node) []code.Node {
	switch {
	case n.Kind() == k.calls:
		function := field(n, "function")
		kids := function.NamedChildren()
		if len(kids) == 2 && slices.Contains(k.writers, kids[1].Text()) {
			if name, _, ok := root(kids[0]); ok {
				return []code.Node{name}
			}
		}
	case n.Kind() == "global_statement":
		return n.NamedChildren()
	case slices.Contains(k.assigns, n.Kind()):
		left, ok := n.ChildByField("left")
		if !ok {
			left, ok = n.ChildByField("argument")
		}
		if kids := n.NamedChildren(); !ok && len(kids) > 0 {
			left = kids[0]
		}
		names := []code.Node{left}
		if left.Kind() == "expression_list" || left.Kind() == "pattern_list" || left.Kind() == "tuple_pattern" {
			names = left.NamedChildren()
		}
		var out []code.Node
		for _, x := range names {
			if x.Kind() == "identifier" && k.locals {
				continue
			}
			if name, _, ok := root(x); ok {
				out = append(out, name)
			}
		}
		return out
	}
	return nil
}

// within tells whether a name is the own of a function around a node: a
// parameter, or declared there.
func within(n code.Node, k keeping, name string) bool {
	for at, ok := n.Ancestor(k.functions...); ok; at, ok = at.Ancestor(k.functions...) {
		own, global := false, false
		at.Walk(func(x code.Node) bool {
			switch x.Kind() {
			case "parameters", "formal_parameters", "parameter_list":
				x.Walk(func(p code.Node) bool {
					own = own || p.Kind() == "identifier" && spelled(p) == name && p.Field() != "value" && p.Field() != "type"
					return !own
				})
				return false
			case "global_statement":
				global = global || slices.ContainsFunc(x.NamedChildren(), func(c code.Node) bool { return spelled(c) == name })
			case "short_var_declaration":
				own = own || slices.ContainsFunc(declaredLeft(x), func(c code.Node) bool { return spelled(c) == name })
			}
			if slices.Contains(k.declares, x.Kind()) && x != at {
				own = own || slices.ContainsFunc(declared(x), func(c code.Node) bool { return spelled(c) == name })
			}
			return !own
		})
		if own && !global {
			return true
		}
	}
	return false
}

// declaredLeft are the names that a := b, c := d makes.
func declaredLeft(n code.Node) []code.Node {
	left, ok := n.ChildByField("left")
	if !ok {
		return nil
	}
	return left.NamedChildren()
}

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
		var out []code.Node
		for _, x := range assigned(n) {
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

// assigned are the places that an assignment, a deletion or a step sets.
func assigned(n code.Node) []code.Node {
	left, ok := n.ChildByField("left")
	if !ok {
		left, ok = n.ChildByField("argument")
	}
	if kids := n.NamedChildren(); !ok && len(kids) > 0 {
		left = kids[0]
	}
	return apart(left)
}

// apart are the places of a list of them, or the one.
func apart(left code.Node) []code.Node {
	if slices.Contains([]string{"expression_list", "pattern_list", "tuple_pattern"}, left.Kind()) {
		return left.NamedChildren()
	}
	return []code.Node{left}
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

// reorders are methods by which a list loses or moves what it has.
var reorders = []string{"sort", "reverse", "clear", "pop", "popitem", "remove", "insert", "shift", "unshift", "splice", "fill", "copyWithin"}

// handed sees each parameter whose elements a function sets, or which it sorts,
// empties or freezes, where it gives a result beside: a test may make what it expects of
// the value that it handed in. What only grows, such as a list of results, is what many
// functions are given it for.
func (l *look) handed(k keeping, before bool) {
	l.tree.Walk(func(n code.Node) bool {
		if before && slices.Contains(k.functions, n.Kind()) {
			l.seeAs(calledIn(n), n, whyThere)
		}
		for _, at := range k.touched(n) {
			if given, ok := sameAs(n, k, spelled(at)); ok {
				at = given
			}
			function, ok := takes(n, k, spelled(at))
			switch {
			case !ok:
			case frozen(n):
				l.seeAs(spelled(at), n, whyFrozen)
			case gives(function):
				l.seeAs(calledIn(function)+" "+spelled(at), n, whyHanded)
			}
		}
		return true
	})
}

// sameAs is the name that a local one was set to in the function around a node, and that
// it stands for from then on; not ok where it was set to anything else.
func sameAs(n code.Node, k keeping, name string) (given code.Node, ok bool) {
	function, within := n.Ancestor(k.functions...)
	if !within {
		return given, false
	}
	times := 0
	function.Walk(func(x code.Node) bool {
		left, to := x.ChildByField("left")
		right, from := x.ChildByField("right")
		if x.Kind() == "variable_declarator" {
			left, to = x.ChildByField("name")
			right, from = x.ChildByField("value")
		}
		if to && from && left.Text() == name {
			if times++; right.Kind() == "identifier" {
				given = right
			}
		}
		return true
	})
	return given, times == 1 && given.Tree() != nil
}

// calledIn is the name of a function in its file; "" for one without.
func calledIn(function code.Node) string {
	name, ok := function.ChildByField("name")
	if up := above(function); !ok && up.Kind() == "variable_declarator" {
		name, ok = up.ChildByField("name")
	}
	if !ok {
		return ""
	}
	return spelled(name)
}

// frozen tells whether a call forbids all changes of its argument.
func frozen(n code.Node) bool {
	function, ok := n.ChildByField("function")
	return ok && slices.Contains(freezes, function.Text())
}

var freezes = []string{"Object.freeze", "Object.seal", "Object.preventExtensions"}

// gives tells whether a function has a result.
func gives(function code.Node) bool {
	found := false
	function.Walk(func(n code.Node) bool {
		found = found || n.Kind() == "return_statement" && len(n.NamedChildren()) > 0
		return !found
	})
	return found
}

// touched are the names whose own elements a node sets, moves or forbids to change.
func (k keeping) touched(n code.Node) []code.Node {
	if n.Kind() == k.calls {
		function, list := field(n, "function"), field(n, "arguments")
		kids, args := function.NamedChildren(), list.NamedChildren()
		switch {
		case len(kids) == 2 && kids[0].Kind() == "identifier" && slices.Contains(reorders, kids[1].Text()):
			return kids[:1]
		case len(args) == 1 && args[0].Kind() == "identifier" && frozen(n),
			len(args) > 0 && args[0].Kind() == "identifier" && slices.Contains([]string{"sort.Strings", "sort.Ints", "sort.Slice", "sort.SliceStable", "slices.Sort", "slices.SortFunc", "slices.Reverse"}, function.Text()):
			return args[:1]
		}
		return nil
	}
	if !slices.Contains(k.assigns, n.Kind()) || n.Kind() == "global_statement" {
		return nil
	}
	var out []code.Node
	for _, t := range assigned(n) {
		if t.Kind() != "subscript" && t.Kind() != "subscript_expression" && t.Kind() != "index_expression" {
			continue
		}
		if kids := t.NamedChildren(); len(kids) > 0 && kids[0].Kind() == "identifier" {
			out = append(out, kids[0])
		}
	}
	return out
}

// takes gives the function around a node that a name is a parameter of, where it stays
// what was handed in: neither one that gathers arguments, nor set anew in the function.
func takes(n code.Node, k keeping, name string) (code.Node, bool) {
	for at, ok := n.Ancestor(k.functions...); ok; at, ok = at.Ancestor(k.functions...) {
		given, anew := false, false
		is := func(c code.Node) bool { return c.Kind() == "identifier" && spelled(c) == name }
		at.Walk(func(x code.Node) bool {
			if gathers[x.Kind()] {
				return false
			}
			switch up := x.Up(); {
			case is(x) && parameterLists[up] || is(x) && x.Field() != "value" && x.Field() != "type" && parameterLists[above(above(x)).Kind()]:
				given = true
			case x != n && (strings.Contains(x.Kind(), "assignment") || x.Kind() == "short_var_declaration"):
				anew = anew || slices.ContainsFunc(apart(field(x, "left")), is)
			case x.Kind() == "variable_declarator":
				anew = anew || is(field(x, "name"))
			}
			return true
		})
		if given || anew {
			return at, given && !anew
		}
	}
	return code.Node{}, false
}

var (
	parameterLists = map[string]bool{"parameters": true, "formal_parameters": true, "parameter_list": true}
	// gathers are parameters that hold what was handed in as a list or dictionary of the function's own.
	gathers = map[string]bool{"list_splat_pattern": true, "dictionary_splat_pattern": true, "rest_pattern": true, "variadic_parameter_declaration": true}
)

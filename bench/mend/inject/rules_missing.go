package inject

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// missingGuard takes out a whole `if` that only leaves early.
func missingGuard(s *source, n code.Node, add func(...Edit)) {
	switch n.Kind() {
	case "if_statement", "if", "unless":
	case "if_modifier", "unless_modifier":
		if then, ok := n.ChildByField("body"); ok && jump(then) && s.removable(n) {
			add(s.drop(n))
		}
		return
	default:
		return
	}
	if !s.removable(n) || kindOf(n, "alternative") != "" || kindOf(n, "initializer") != "" {
		return
	}
	then, ok := n.ChildByField("consequence")
	if !ok {
		return
	}
	if jump(then) {
		add(s.drop(n))
	} else if list := statements(then); len(list) == 1 && jump(list[0]) {
		add(s.drop(n))
	}
}

// missingStatement takes out a call made for its effect, or an assignment to
// what has a value already.
func missingStatement(s *source, n code.Node, add func(...Edit)) {
	if siblings(n) == nil || !s.removable(n) || complaining(n) {
		return
	}
	if n.Kind() == "defer_statement" {
		add(s.drop(n))
		return
	}
	if target, _, ok := assignment(n); ok {
		if n.Kind() == "short_var_declaration" || strings.HasSuffix(n.Kind(), "_declaration") {
			return
		}
		if !variable(target) || s.assignedBefore(n, target.Text()) {
			add(s.drop(n))
		}
		return
	}
	if s.ruby() && n.Kind() == "call" {
		add(s.drop(n))
	}
	if n.Kind() != "expression_statement" {
		return
	}
	for _, c := range n.NamedChildren() {
		if _, _, ok := call(c); ok && !complaining(c) && !strings.HasPrefix(c.Text(), "super") {
			if _, args, _ := call(c); len(args) == 0 || !complaining(args[0]) {
				add(s.drop(n))
			}
		}
	}
}

// assignedBefore tells whether a function gives a name a value above a
// statement, as a parameter or by another assignment.
func (s *source) assignedBefore(n code.Node, name string) bool {
	fn, ok := n.Ancestor(functions...)
	found := false
	if ok {
		fn.Walk(func(c code.Node) bool {
			if c.Start() >= n.Start() || found {
				return false
			}
			switch {
			case c.Field() == "parameters" || c.Field() == "parameter":
				found = names(c)[name] || strings.Contains(c.Text(), name)
				return false
			case c.Kind() == "variable_declarator":
				found = text(c, "name") == name
			}
			if target, _, is := assignment(c); is && target.Text() == name {
				found = true
			}
			return !found
		})
	}
	return found
}

// missingCase forgets one branch of a chain, one case of a switch or one entry
// of a table.
func missingCase(s *source, n code.Node, add func(...Edit)) {
	switch n.Kind() {
	case "elif_clause", "case_clause":
		add(s.drop(n))
	case "switch_case", "expression_case", "type_case":
		missingLabel(s, n, add)
	case "if_statement":
		s.missingElseIf(n, add)
	case "dictionary", "list", "set", "tuple", "object", "array", "literal_value":
		s.missingEntry(n, add)
	}
}

func missingLabel(s *source, n code.Node, add func(...Edit)) {
	add(s.drop(n))
	if v, ok := n.ChildByField("value"); ok && v.Kind() == "expression_list" {
		if list := v.NamedChildren(); len(list) > 1 {
			last := len(list) - 1
			add(Edit{list[last-1].End(), list[last].End(), ""})
		}
	}
}

// missingElseIf joins what stands before an `else if` with what follows it.
func (s *source) missingElseIf(n code.Node, add func(...Edit)) {
	parent, _ := n.Parent()
	var start int
	switch {
	case s.golang() && n.Field() == "alternative":
		then, ok := parent.ChildByField("consequence")
		if !ok {
			return
		}
		start = then.End()
	case s.script() && parent.Kind() == "else_clause":
		start = parent.Start()
	default:
		return
	}
	alt, ok := n.ChildByField("alternative")
	switch {
	case !ok:
		add(Edit{start, n.End(), ""})
	case s.golang():
		add(Edit{start, alt.Start(), " else "})
	default:
		add(Edit{start, alt.Start(), ""})
	}
}

// missingEntry forgets the last entry of a literal, and one more.
func (s *source) missingEntry(n code.Node, add func(...Edit)) {
	list := n.NamedChildren()
	least := 3
	if n.Kind() == "tuple" || n.Kind() == "object" || n.Kind() == "literal_value" || n.Kind() == "dictionary" {
		least = 2
	}
	if n.Kind() == "tuple" && n.Up() == "return_statement" || len(list) < least {
		return
	}
	picks := []int{len(list) - 1, int(rank(uint64(len(list)), n.Text()) % uint64(len(list)-1))}
	for _, i := range picks {
		switch {
		case i > 0:
			add(Edit{list[i-1].End(), list[i].End(), ""})
		default:
			add(Edit{list[0].Start(), list[1].Start(), ""})
		}
	}
}

// missingArgument forgets an argument that may be left out: the last one, or
// one that is given by name.
func missingArgument(s *source, n code.Node, add func(...Edit)) {
	fn, args, ok := call(n)
	if !ok || s.golang() || len(args) == 0 || !inFunction(n) || complaining(n) || slices.Contains([]string{"require", "isinstance"}, fn.Text()) {
		return
	}
	for i, a := range args {
		named := a.Kind() == "keyword_argument"
		switch {
		case i > 0 && (named || i == len(args)-1):
			add(Edit{args[i-1].End(), a.End(), ""})
		case i == 0 && named && len(args) > 1:
			add(Edit{a.Start(), args[1].Start(), ""})
		case i == 0 && (named || s.script() && a.Kind() != "arrow_function"):
			add(replace(a, ""))
		}
	}
}

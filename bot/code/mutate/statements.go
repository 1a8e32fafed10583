package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

func deleteStatement(s *scene, n code.Node) {
	if !isStatement(n) {
		return
	}
	w := 1.0
	switch n.Kind() {
	case "expression_statement", "break_statement", "continue_statement", "inc_statement", "dec_statement", "throw_statement", "delete_statement":
		if kids := n.NamedChildren(); len(kids) == 1 {
			if k := kids[0].Kind(); isString(kids[0]) {
				return
			} else if k == "assignment" {
				w = 0.4
			}
		}
	case "assignment_statement":
		w = 0.7
	case "raise_statement", "return_statement":
		w = 0.4
	case "if_statement":
		if !isGuard(n) && n.EndLine() > n.Line()+4 {
			return
		}
		w = 0.6
	case "defer_statement":
		w = 0.2
	default:
		return
	}
	if s.d.lang == golang && n.Kind() == "return_statement" && !strings.HasPrefix(ownerOf(n).Kind(), "if") {
		return
	}
	start, end, ok := s.wholeLines(n)
	if !ok {
		return
	}
	if s.d.lang == py && len(parentOf(n).NamedChildren()) == 1 {
		s.put(n.Start(), n.End(), "pass", w, "Delete %s.", one(n.Text()))
		return
	}
	s.put(start, end, "", w, "Delete %s.", one(n.Text()))
	if n.Kind() == "if_statement" {
		s.unwrap(n, start, end)
	}
}

// unwrap runs the body of an if without its condition.
func (s *scene) unwrap(n code.Node, start, end int) {
	c, ok := n.ChildByField("consequence")
	if _, has := n.ChildByField("alternative"); !ok || has {
		return
	}
	list := statements(c)
	if len(list) == 0 || leaves(list[len(list)-1]) {
		return
	}
	in, _ := s.indent(n)
	bi, alone := s.indent(list[0])
	last := list[len(list)-1]
	if !alone || strings.ContainsAny(string(s.src[list[0].Start():last.End()]), "`") || strings.Contains(string(s.src[list[0].Start():last.End()]), `"""`) {
		return
	}
	text := string(s.src[list[0].Start():last.End()])
	text = in + strings.ReplaceAll(text, "\n"+bi, "\n"+in)
	tail := ""
	if end > 0 && s.src[end-1] == '\n' {
		tail = s.eol
	}
	s.put(start, end, text+tail, 0.4, "Do %s in any case.", one(text))
}

// simple tells a statement without a body of its own.
func simple(n code.Node) bool {
	switch n.Kind() {
	case "expression_statement":
		kids := n.NamedChildren()
		return len(kids) == 1 && !isString(kids[0])
	case "assignment_statement", "short_var_declaration", "inc_statement", "dec_statement", "lexical_declaration", "variable_declaration", "delete_statement", "send_statement":
		return true
	}
	return false
}

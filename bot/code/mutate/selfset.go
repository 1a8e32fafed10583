package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// selfAssignment puts a call around a value that is assigned to itself, or that
// both branches give: nobody writes that, the call is lost.
func selfAssignment(s *scene, n code.Node) {
	value, ok := lostCall(n)
	if !ok {
		return
	}
	for _, c := range s.conversions(value) {
		text := strings.Replace(c.text, "%", value.Text(), 1)
		s.put(value.Start(), value.End(), text, c.weight, "Use %s: %s alone says nothing here.", one(text), one(value.Text()))
	}
}

// lostCall is the value that is assigned to itself, that is given whether or
// not it is so, or that the other branch gives as well.
func lostCall(n code.Node) (code.Node, bool) {
	if left, op, right, ok := assignment(n); ok && n.Kind() != "expression_statement" {
		return right, op.Text() == "=" && left.Text() == right.Text()
	}
	if c, ok := condition(n); ok && (n.Kind() == "ternary_expression" || n.Kind() == "conditional_expression") {
		for _, kid := range n.NamedChildren() {
			if kid != c && kid.Text() == c.Text() {
				return c, true
			}
		}
	}
	if n.Kind() != "return_statement" {
		return code.Node{}, false
	}
	kids := n.NamedChildren()
	up, ok := n.Ancestor("if_statement")
	if len(kids) != 1 || !ok {
		return code.Node{}, false
	}
	yes, no, ok := up.Both("consequence", "alternative")
	if !ok || n.Start() < yes.Start() || n.End() > yes.End() {
		return code.Node{}, false
	}
	return onlyOf(kids[0]), strings.Contains(no.Text(), n.Text()) && len(statements(yes)) == 1
}

// conversions lists calls around a value: what the project does to values of
// that name, then to any value, then what the language offers.
func (s *scene) conversions(n code.Node) []choice {
	weights := map[string]float64{}
	add := func(form string, w float64) {
		if fn, _, wrapped := strings.Cut(form, "%"); wrapped && fn != "" && s.inside(n, fn) {
			return
		}
		weights[form] += w
	}
	for _, c := range s.wrapsFor(n, 12) {
		add(c.text, 4*c.weight)
	}
	for _, u := range s.project.wraps {
		if s.d.lang == golang && u.path != s.file && !strings.HasPrefix(u.form, "%.") && !s.importedCall(u.form) || !s.reachable(u.form, n.Start()) {
			continue
		}
		w := 0.1
		if u.path == s.file {
			w = 0.4
		}
		if u.own {
			w *= 4
		}
		add(u.form, w)
	}
	typ := s.rough(n)
	for _, x := range wraps[s.d.lang] {
		if x.needs == "" || s.facts.imports[x.needs] {
			if roughly(x.typ) == typ || x.typ == "" || typ == "" {
				add(x.form, 0.6)
			}
		}
	}
	s.coded(add)
	var list []choice
	for form, w := range weights {
		list = append(list, choice{form, w})
	}
	return best(list, 24)
}

// importedCall tells a form that calls a function of a package which the file
// imports.
func (s *scene) importedCall(form string) bool {
	pkg, _, dotted := strings.Cut(form, ".")
	return dotted && s.facts.imports[pkg]
}

// rough is the rough type of a variable, "" for another expression.
func (s *scene) rough(n code.Node) string {
	if v, ok := s.facts.lookup(n.Text(), n.Start()); ok {
		return roughly(v.typ)
	}
	return ""
}

// coded adds Python's ways between texts and bytes, with the encoding that the
// object keeps.
func (s *scene) coded(add func(string, float64)) {
	if s.d.lang != py {
		return
	}
	args := ""
	for _, name := range []string{"encoding", "errors"} {
		if !strings.Contains(string(s.src), "self."+name) {
			break
		}
		if args != "" {
			args += ", "
		}
		args += "self." + name
	}
	for _, m := range []string{"encode", "decode"} {
		add("%."+m+"()", 0.6)
		if args != "" {
			add("%."+m+"("+args+")", 1)
		}
	}
}

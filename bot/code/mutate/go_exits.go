package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// exitKind leaves more, or less, than a break or continue does: the function,
// or a loop further out than a switch or an inner loop.
func exitKind(s *scene, n code.Node) {
	if n.Kind() != "break_statement" && n.Kind() != "continue_statement" {
		return
	}
	fn, ok := enclosing(n)
	if !ok {
		return
	}
	loop, inside := inLoop(n)
	inSwitch := n.Kind() == "break_statement" && breaks(n) != loop
	w := 0.4
	if inSwitch {
		w = 2 // it leaves the switch only
	}
	for _, text := range s.returnsOf(fn, n) {
		s.put(n.Start(), n.End(), text, w, "Leave the function by %s instead of by %s.", one(text), n.Text())
	}
	if labels := n.NamedChildren(); len(labels) > 0 {
		other := map[string]string{"break_statement": "continue ", "continue_statement": "break "}[n.Kind()]
		s.put(n.Start(), n.End(), strings.Fields(n.Text())[0], 1, "Leave the inner loop only.")
		s.put(n.Start(), n.End(), other+labels[0].Text(), 1, "Use %s.", one(other+labels[0].Text()))
		return
	}
	if !inside {
		return
	}
	if inSwitch {
		s.labelled(n, loop, "break", 2)
		s.put(n.Start(), n.End(), "continue", 1, "Go on with the next round of the loop.")
		return
	}
	if outer, ok := inLoop(loop); ok {
		s.labelled(n, outer, "break", 1)
		s.labelled(n, outer, "continue", 1)
	}
}

// breaks is the loop, switch or select that a plain break leaves.
func breaks(n code.Node) code.Node {
	p, _ := n.Ancestor("for_statement", "expression_switch_statement", "type_switch_statement", "select_statement", "func_literal")
	return p
}

// labelled leaves an outer loop, which gets a label when it has none.
func (s *scene) labelled(n, loop code.Node, word string, w float64) {
	if p := parentOf(loop); p.Kind() == "labeled_statement" {
		if kids := p.NamedChildren(); len(kids) > 0 {
			s.put(n.Start(), n.End(), word+" "+kids[0].Text(), w, "Leave the outer loop by %s.", one(word+" "+kids[0].Text()))
		}
		return
	}
	in, alone := s.indent(loop)
	if fn, ok := enclosing(n); !alone || !ok || strings.Contains(fn.Text(), "outer") {
		return
	}
	head := strings.TrimSuffix(in, s.unit) + "outer:" + s.eol + in + string(s.src[loop.Start():n.Start()])
	s.put(loop.Start()-len(in), n.End(), head+word+" outer", w, "Leave the outer loop by %s.", one(word+" outer"))
}

// returnsOf lists the return statements of a function that can stand at n, and
// the one of zero values.
func (s *scene) returnsOf(fn, n code.Node) []string {
	var out []string
	fn.Walk(func(c code.Node) bool {
		if c != fn && isFunction(c) || len(out) >= 4 {
			return false
		}
		if c.Kind() == "return_statement" && !strings.Contains(c.Text(), "\n") && len(c.Text()) < 80 && s.inScope(c, n.Start()) {
			out = addOnce(out, c.Text())
		}
		return true
	})
	if zero, ok := zeroReturn(fn); ok {
		out = addOnce(out, zero)
	}
	return out
}

// caseFall lets an empty case do what the next one does, and a case go on, or
// not go on, into the next one.
func caseFall(s *scene, n code.Node) {
	if n.Kind() == "fallthrough_statement" {
		if start, end, ok := s.wholeLines(n); ok {
			s.put(start, end, "", 1, "Do not go on into the next case.")
		}
		return
	}
	if n.Kind() != "expression_case" || !strings.Contains(n.Text(), ":") {
		return
	}
	kids := parentOf(n).NamedChildren()
	last := kids[len(kids)-1] == n
	list := caseBody(n)
	if len(list) == 0 {
		if v, ok := n.ChildByField("value"); ok && !last {
			in := s.indentOf(n)
			head := strings.TrimRight(n.Text(), " \t\r\n")
			s.put(n.Start(), n.Start()+len(head), head+s.eol+in+s.unit+"fallthrough", 1, "Let %s do what the next case does.", one(v.Text()))
		}
		return
	}
	if end := list[len(list)-1]; !last && !leaves(end) && end.Kind() != "fallthrough_statement" {
		s.after(end, "fallthrough", 0.3, "Go on into the next case.")
	}
}

func caseBody(n code.Node) []code.Node {
	for _, c := range n.NamedChildren() {
		if c.Kind() == "statement_list" {
			return c.NamedChildren()
		}
	}
	return nil
}

// caseValue lets a case hold for one more of the constants that belong to its
// own.
func caseValue(s *scene, n code.Node) {
	if n.Kind() != "expression_case" {
		return
	}
	v, ok := n.ChildByField("value")
	if !ok {
		return
	}
	whole := parentOf(n).Text()
	kids := v.NamedChildren()
	if len(kids) == 0 {
		return
	}
	for _, other := range s.alike(kids[0]) {
		if wordCount(whole, strings.Trim(other, `"`)) == 0 {
			s.put(v.End(), v.End(), ", "+other, 1, "Let the case hold for %s too.", one(other))
		}
	}
}

// alike lists constants that are declared with a constant, or compared like it.
func (s *scene) alike(n code.Node) []string {
	var out []string
	switch {
	case isString(n):
		for _, c := range s.facts.strings {
			if c.text != n.Text() && len(out) < 5 && (c.role == "compared" || c.role == "expression_list" || c.role == "literal_element") && len(c.text) < 30 {
				out = append(out, c.text)
			}
		}
	case n.Kind() == "identifier":
		s.t.Walk(func(c code.Node) bool {
			if c.Kind() == "const_declaration" && wordCount(c.Text(), n.Text()) > 0 {
				for _, spec := range c.NamedChildren() {
					if name, ok := spec.ChildByField("name"); ok && name.Text() != n.Text() && len(out) < 5 {
						out = append(out, name.Text())
					}
				}
			}
			return c.Kind() != "function_declaration" && c.Kind() != "method_declaration"
		})
	}
	return out
}

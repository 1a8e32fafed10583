package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// handleException does something else where a statement fails.
func handleException(s *scene, n code.Node) {
	if !isStatement(n) || !s.ownLines(n) || n.EndLine() > n.Line()+2 {
		return
	}
	switch n.Kind() {
	case "expression_statement", "return_statement":
	default:
		return
	}
	fn, ok := enclosing(n)
	if !ok || !strings.ContainsAny(n.Text(), "([") {
		return
	}
	in, _ := s.indent(n)
	leave := s.exits(fn)
	if _, loop := inLoop(n); loop {
		leave = append([]choice{{"continue", 1}}, leave...)
	}
	text := strings.ReplaceAll(n.Text(), "\n"+in, "\n"+in+s.unit)
	for _, e := range append([]string{"ValueError", "KeyError"}, s.facts.exceptions...) {
		for i, x := range leave {
			if i < 3 && len(e) < 40 {
				out := "try:" + s.eol + in + s.unit + text + s.eol + in + "except " + e + ":" + s.eol + in + s.unit + x.text
				s.put(n.Start(), n.End(), out, x.weight, "When %s raises %s, %s.", one(n.Text()), e, x.text)
			}
		}
	}
}

// mutableDefault gives each call its own default object.
func mutableDefault(s *scene, n code.Node) {
	if n.Kind() != "default_parameter" && n.Kind() != "typed_default_parameter" {
		return
	}
	v, name, ok := n.Both("value", "name")
	if !ok {
		return
	}
	switch v.Text() {
	case "[]", "{}", "set()", "list()", "dict()":
	default:
		return
	}
	fn, ok := enclosing(n)
	if !ok || fn.Kind() != "function_definition" {
		return
	}
	first, ok := firstStatement(fn)
	if !ok {
		return
	}
	in, alone := s.indent(first)
	if !alone {
		return
	}
	guard := s.lines("if "+name.Text()+" is None:\n\t"+name.Text()+" = "+v.Text(), in)
	s.put(v.Start(), first.Start(), "None"+string(s.src[v.End():first.Start()])+guard+s.eol+in, 1, "Make a new default %s for each call.", v.Text())
}

func exceptionType(s *scene, n code.Node) {
	var v code.Node
	switch n.Kind() {
	case "except_clause":
		var ok bool
		if v, ok = caught(n); !ok {
			return
		}
	case "raise_statement":
		kids := n.NamedChildren()
		if len(kids) == 0 {
			return
		}
		fn, _, _, ok := call(kids[0])
		if !ok || fn.Kind() != "identifier" {
			return
		}
		v = fn
	default:
		return
	}
	put := func(text string, w float64) {
		if text != v.Text() {
			s.put(v.Start(), v.End(), text, w, "Use the exception %s instead of %s.", one(text), one(v.Text()))
		}
	}
	also := func(e string, w float64) { // catch this one, too
		if n.Kind() != "except_clause" || strings.HasPrefix(e, "(") || strings.Contains(v.Text(), e) {
			return
		}
		if v.Kind() == "tuple" {
			s.put(v.Start(), v.End(), strings.TrimRight(strings.TrimSuffix(v.Text(), ")"), ", \n\t")+", "+e+")", w, "Catch %s, too.", one(e))
			return
		}
		put("("+v.Text()+", "+e+")", w)
	}
	for _, e := range s.facts.exceptions {
		if n.Kind() == "raise_statement" && strings.HasPrefix(e, "(") {
			continue
		}
		put(e, 1)
		also(e, 0.7)
	}
	for _, e := range []string{"ValueError", "KeyError", "TypeError", "IndexError", "AttributeError", "RuntimeError", "ZeroDivisionError", "LookupError", "OSError",
		"NotImplementedError", "OverflowError", "UnicodeError", "StopIteration", "RecursionError", "ImportError"} {
		put(e, 0.4)
		also(e, 0.4)
	}
	put("Exception", 0.5)
}

// errorResult returns the error that is at hand, and wraps it so that it can
// be recognised.
func errorResult(s *scene, n code.Node) {
	if n.Kind() == "nil" && (n.Up() == "expression_list" || n.Up() == "return_statement") {
		if _, ok := n.Ancestor("return_statement"); !ok {
			return
		}
		for _, v := range s.facts.visible(n.Start()) {
			if v.typ == "error" {
				s.put(n.Start(), n.End(), v.name, 1, "Return the error %s instead of nil.", one(v.name))
			}
		}
	}
	if n.Kind() == "identifier" && n.Text() == "err" && n.Up() == "expression_list" {
		if _, ok := n.Ancestor("return_statement"); ok {
			s.put(n.Start(), n.End(), "nil", 0.4, "Return no error.")
		}
	}
	if fn, args, _, ok := call(n); ok && strings.HasSuffix(fn.Text(), "Errorf") && len(args) > 1 && isString(args[0]) {
		if i := strings.LastIndex(args[0].Text(), "%v"); i >= 0 {
			s.put(args[0].Start()+i, args[0].Start()+i+2, "%w", 1, "Wrap the error so that it can be recognised.")
		} else if i := strings.LastIndex(args[0].Text(), "%s"); i >= 0 {
			s.put(args[0].Start()+i, args[0].Start()+i+2, "%w", 0.6, "Wrap the error so that it can be recognised.")
		}
	}
}

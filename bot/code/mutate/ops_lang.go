package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// mutableDefault gives each call its own default object.
func mutableDefault(s *scene, n code.Node) {
	if n.Kind() != "default_parameter" && n.Kind() != "typed_default_parameter" {
		return
	}
	v, ok1 := n.ChildByField("value")
	name, ok2 := n.ChildByField("name")
	if !ok1 || !ok2 {
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

// classState gives each object its own copy of what the class shares.
func classState(s *scene, n code.Node) {
	if n.Kind() != "assignment" {
		return
	}
	l, ok1 := n.ChildByField("left")
	r, ok2 := n.ChildByField("right")
	if !ok1 || !ok2 || l.Kind() != "identifier" {
		return
	}
	switch r.Kind() {
	case "list", "dictionary", "set":
	case "call":
		if r.Text() != "set()" && r.Text() != "list()" && r.Text() != "dict()" {
			return
		}
	default:
		return
	}
	class, ok := n.Ancestor("class_definition", "function_definition")
	if !ok || class.Kind() != "class_definition" {
		return
	}
	b, _ := class.ChildByField("body")
	for _, c := range statements(b) {
		name, has := c.ChildByField("name")
		if c.Kind() != "function_definition" || !has || name.Text() != "__init__" {
			continue
		}
		if first, ok := firstStatement(c); ok {
			s.before(first, "self."+l.Text()+" = "+r.Text(), 1, "Give each object its own %s.", one(l.Text()))
		}
	}
	st, ok := statementOf(n)
	if in, alone := s.indent(st); ok && alone && s.endsLine(st) {
		text := s.lines("def __init__(self):\n\tself."+l.Text()+" = "+r.Text()+"\n", in)
		s.put(st.Start(), st.End(), strings.TrimRight(text, " \t"), 0.5, "Give each object its own %s.", one(l.Text()))
	}
}

func exceptionType(s *scene, n code.Node) {
	var v code.Node
	switch n.Kind() {
	case "except_clause":
		var ok bool
		if v, ok = n.ChildByField("value"); !ok {
			return
		}
		if v.Kind() == "as_pattern" {
			v = v.NamedChildren()[0]
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

func iterationKind(s *scene, n code.Node) {
	switch n.Kind() {
	case "for_in_statement":
		if op, ok := n.ChildByField("operator"); ok {
			to := map[string]string{"in": "of", "of": "in"}[op.Text()]
			s.put(op.Start(), op.End(), to, 1, "Go over the values or the keys with %s.", to)
		}
	case "for_statement", "for_in_clause":
		if s.d.lang != py {
			return
		}
		r, ok := n.ChildByField("right")
		l, ok2 := n.ChildByField("left")
		if !ok || !ok2 || r.Kind() != "identifier" && r.Kind() != "attribute" {
			return
		}
		two := l.Kind() == "pattern_list" || l.Kind() == "tuple_pattern"
		for _, f := range []string{"%.values()", "%.items()", "%.keys()", "enumerate(%)", "range(len(%))", "reversed(%)", "sorted(%)", "%[1:]", "%[:-1]", "list(%)"} {
			pair := f == "%.items()" || f == "enumerate(%)"
			if pair == two {
				s.put(r.Start(), r.End(), strings.ReplaceAll(f, "%", r.Text()), 1, "Go over %s.", one(strings.ReplaceAll(f, "%", r.Text())))
			}
		}
	case "comparison_operator":
		if _, op, right, ok := binary(n); ok && (op.Text() == "in" || op.Text() == "not in") && (right.Kind() == "identifier" || right.Kind() == "attribute") {
			s.put(right.End(), right.End(), ".values()", 0.4, "Look in the values.")
		}
	}
}

func stringPrefix(s *scene, n code.Node) {
	if !isString(n) || strings.Contains(n.Text(), "\n") {
		return
	}
	text := n.Text()
	switch {
	case s.d.lang == py && (text[0] == '"' || text[0] == '\'') && strings.Contains(text, "{") && n.Up() != "expression_statement" && n.Up() != "concatenated_string":
		if i := strings.IndexByte(text, '{'); i+1 < len(text) && (wordByte(text[i+1]) && text[i+1] > '9') && strings.Contains(text[i:], "}") && !strings.ContainsAny(text, `\:`) {
			s.put(n.Start(), n.Start(), "f", 1, "Fill in the names in %s.", one(text))
		}
	case s.d.lang == py && (strings.HasPrefix(text, `f"`) || strings.HasPrefix(text, "f'")):
		s.put(n.Start(), n.Start()+1, "", 0.1, "Leave %s as it is written.", one(text))
	case s.d.lang == py && strings.Contains(text, `\`) && (text[0] == '"' || text[0] == '\''):
		s.put(n.Start(), n.Start(), "r", 0.3, "Take the backslashes in %s as they are.", one(text))
	case s.d.lang == js && strings.Contains(text, "${") && !strings.Contains(text, "`") && n.Field() != "source":
		s.put(n.Start(), n.End(), "`"+text[1:len(text)-1]+"`", 1, "Fill in the values in %s.", one(text))
	}
}

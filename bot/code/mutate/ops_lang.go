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
	for _, e := range s.facts.exceptions {
		if n.Kind() == "raise_statement" && strings.HasPrefix(e, "(") {
			continue
		}
		put(e, 1)
		if n.Kind() == "except_clause" && !strings.HasPrefix(e, "(") && v.Kind() != "tuple" && e != v.Text() {
			put("("+v.Text()+", "+e+")", 0.7)
		}
	}
	for _, e := range []string{"ValueError", "KeyError", "TypeError", "IndexError", "AttributeError", "RuntimeError", "ZeroDivisionError", "LookupError", "OSError", "NotImplementedError"} {
		put(e, 0.4)
		if n.Kind() == "except_clause" && v.Kind() != "tuple" && e != v.Text() {
			put("("+v.Text()+", "+e+")", 0.4)
		}
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

// declareOrAssign assigns to the outer variable instead of hiding it, or the
// other way round.
func declareOrAssign(s *scene, n code.Node) {
	switch n.Kind() {
	case "short_var_declaration":
		l, ok := n.ChildByField("left")
		if !ok || n.Up() == "range_clause" {
			return
		}
		known := 0
		for _, x := range l.NamedChildren() {
			if _, ok := s.facts.lookup(x.Text(), n.Start()); ok || x.Text() == "_" {
				known++
			}
		}
		if op := tokenIn(n, ":="); op.Tree() != nil && known == len(l.NamedChildren()) {
			s.put(op.Start(), op.End(), "=", 1, "Assign to the outer %s instead of hiding it.", one(l.Text()))
		}
	case "assignment_statement":
		l, ok := n.ChildByField("left")
		op, has := n.ChildByField("operator")
		if !ok || !has || op.Text() != "=" {
			return
		}
		for _, x := range l.NamedChildren() {
			if x.Kind() != "identifier" {
				return
			}
		}
		s.put(op.Start(), op.End(), ":=", 0.3, "Declare %s anew.", one(l.Text()))
	}
}

func tokenIn(n code.Node, kind string) code.Node {
	for _, c := range n.Children() {
		if c.Kind() == kind {
			return c
		}
	}
	return code.Node{}
}

func pointerReceiver(s *scene, n code.Node) {
	if n.Kind() != "method_declaration" {
		return
	}
	r, ok := n.ChildByField("receiver")
	if !ok || len(r.NamedChildren()) != 1 {
		return
	}
	t, ok := r.NamedChildren()[0].ChildByField("type")
	if !ok {
		return
	}
	if t.Kind() == "pointer_type" {
		s.put(t.Start(), t.Start()+1, "", 0.2, "Work on a copy of the receiver.")
		return
	}
	s.put(t.Start(), t.Start(), "*", 1, "Work on the receiver itself, not on a copy.")
}

// rangeCopy works on the elements of a slice instead of on copies of them.
func rangeCopy(s *scene, n code.Node) {
	if n.Kind() != "range_clause" {
		return
	}
	l, ok1 := n.ChildByField("left")
	r, ok2 := n.ChildByField("right")
	loop, ok3 := n.Parent()
	if !ok1 || !ok2 || !ok3 || r.Kind() != "identifier" && r.Kind() != "selector_expression" {
		return
	}
	names := l.NamedChildren()
	first, ok := firstStatement(loop)
	if len(names) != 2 || !ok {
		return
	}
	in, alone := s.indent(first)
	if !alone {
		return
	}
	index := names[0].Text()
	if index == "_" {
		index = "i"
	}
	head := index + " := range " + r.Text() + string(s.src[n.End():first.Start()])
	s.put(n.Start(), first.Start(), head+names[1].Text()+" := &"+r.Text()+"["+index+"]"+s.eol+in, 1, "Work on the elements of %s, not on copies.", one(r.Text()))
}

// nilMap makes a map before it is written to.
func nilMap(s *scene, n code.Node) {
	if n.Kind() != "assignment_statement" && n.Kind() != "inc_statement" {
		return
	}
	l, ok := n.ChildByField("left")
	if !ok {
		l = n
	}
	kids := l.NamedChildren()
	if len(kids) != 1 {
		return
	}
	o, _, ok := element(kids[0])
	if !ok || !isStatement(n) {
		return
	}
	typ := ""
	if v, ok := s.facts.lookup(o.Text(), n.Start()); ok {
		typ = v.typ
	} else if _, m, ok := member(o); ok {
		typ = s.facts.fieldType[m.Text()]
	}
	if strings.HasPrefix(typ, "map[") {
		s.before(n, s.guard(o.Text()+" == nil", o.Text()+" = make("+typ+")"), 1, "Make the map %s when there is none.", one(o.Text()))
	}
	if i, inner := strings.LastIndexByte(o.Text(), '['), strings.TrimSuffix(o.Text(), "]"); i > 0 && isElement(o) && inner != "" {
		outer, _, _ := element(o)
		if v, ok := s.facts.lookup(outer.Text(), n.Start()); ok {
			if _, value := rangeTypes(v.typ); strings.HasPrefix(value, "map[") {
				s.before(n, s.guard(o.Text()+" == nil", o.Text()+" = make("+value+")"), 1, "Make the map %s when there is none.", one(o.Text()))
			}
		}
	}
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

package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// awaitReturn waits inside a try for what it returns, so that its catch and its
// finally see how that ends.
func awaitReturn(s *scene, n code.Node) {
	if n.Kind() != "return_statement" {
		return
	}
	kids := n.NamedChildren()
	fn, ok := enclosing(n)
	if len(kids) != 1 || kids[0].Kind() != "call_expression" || !ok || !isAsync(fn) {
		return
	}
	if try, ok := n.Ancestor("try_statement"); ok && try.Start() > fn.Start() {
		s.put(kids[0].Start(), kids[0].Start(), "await ", 1, "Wait for %s inside of the try.", one(kids[0].Text()))
	}
}

func isAsync(fn code.Node) bool {
	return strings.HasPrefix(strings.TrimPrefix(fn.Text(), "static "), "async")
}

// awaitInside waits for a promise before a member of its value is read.
func awaitInside(s *scene, n code.Node) {
	if n.Kind() != "await_expression" {
		return
	}
	kids := n.NamedChildren()
	if len(kids) != 1 {
		return
	}
	x := kids[0]
	for x.Kind() == "call_expression" || x.Kind() == "member_expression" {
		o, _, ok := member(x)
		if !ok {
			fn, _, _, isCall := call(x)
			if !isCall {
				return
			}
			if o, _, ok = member(fn); !ok {
				return
			}
		}
		if x = inner(o); x.Kind() == "call_expression" {
			text := "(await " + x.Text() + ")" + string(s.src[x.End():n.End()])
			s.put(n.Start(), n.End(), "await "+text, 1, "Wait for %s first.", one(x.Text()))
			s.put(n.Start(), n.End(), text, 0.6, "Wait for %s first.", one(x.Text()))
		}
	}
}

// asyncLoop waits for each round where forEach does not wait.
func asyncLoop(s *scene, n code.Node) {
	fn, args, _, ok := call(n)
	if !ok || len(args) != 1 || args[0].Kind() != "arrow_function" || !isAsync(args[0]) {
		return
	}
	o, m, ok := member(fn)
	if !ok || m.Text() != "forEach" {
		return
	}
	owner, ok := enclosing(n)
	if !ok {
		return
	}
	wait := "return "
	if isAsync(owner) {
		wait = "await "
	}
	if n.Up() == "expression_statement" {
		s.put(n.Start(), n.End(), wait+"Promise.all("+o.Text()+".map("+args[0].Text()+"))", 1, "Wait for all rounds.")
	}
	p, ok1 := args[0].ChildByField("parameters")
	if !ok1 {
		p, ok1 = args[0].ChildByField("parameter")
	}
	b, ok2 := args[0].ChildByField("body")
	if !ok1 || !ok2 || n.Up() != "expression_statement" || wait != "await " || strings.Contains(b.Text(), "return") {
		return
	}
	name := strings.Trim(p.Text(), "()")
	if strings.Contains(name, ",") || name == "" {
		return
	}
	text := b.Text()
	if b.Kind() != "statement_block" {
		text += ";"
	}
	st := parentOf(n)
	s.put(st.Start(), st.End(), "for (const "+name+" of "+o.Text()+") "+text, 1.5, "Do one round after the other.")
}

// promiseReturn hands a promise on to who waits for it.
func promiseReturn(s *scene, n code.Node) {
	if n.Kind() != "expression_statement" || len(n.NamedChildren()) != 1 {
		return
	}
	c := n.NamedChildren()[0]
	fn, _, _, ok := call(c)
	if !ok {
		return
	}
	w := 0.3
	if _, m, has := member(fn); has && (m.Text() == "then" || m.Text() == "finally" || m.Text() == "catch") {
		w = 2
	}
	owner := ownerOf(n)
	if p := parentOf(owner); owner.Kind() == "arrow_function" && p.Kind() == "arguments" {
		if f, _, _, ok := call(parentOf(p)); ok {
			if _, m, ok := member(f); ok && (m.Text() == "then" || m.Text() == "map" || m.Text() == "finally") {
				w = 2
			}
		}
	}
	if w > 1 {
		s.put(n.Start(), n.Start(), "return ", w, "Return %s.", one(n.Text()))
	}
}

// boundMethod keeps the object that a method is called on.
func boundMethod(s *scene, n code.Node) {
	if n.Kind() != "member_expression" || assigned(n) || isCallee(n, parentOf(n)) {
		return
	}
	o, m, ok := member(n)
	if !ok || o.Kind() != "this" && !s.isVariable(o) {
		return
	}
	switch n.Up() {
	case "arguments":
	case "variable_declarator", "assignment_expression", "return_statement", "pair":
		if o.Kind() != "this" {
			return
		}
	default:
		return
	}
	class, inClass := n.Ancestor("class_declaration", "class")
	isMethod := inClass && o.Kind() == "this" && (strings.Contains(class.Text(), " "+m.Text()+"(") || strings.Contains(class.Text(), "\n"+m.Text()+"("))
	w := 0.3
	if isMethod {
		w = 2
	}
	text := n.Text()
	for i, form := range []string{text + ".bind(" + o.Text() + ")", "(...args) => " + text + "(...args)", "() => " + text + "()", "(x) => " + text + "(x)"} {
		if i > 0 && n.Up() != "arguments" {
			break
		}
		s.put(n.Start(), n.End(), form, w*[]float64{1, 0.5, 0.5, 0.5}[i], "Call %s on its object.", one(text))
	}
}

// extraArguments hands a function the element alone: map gives the index too.
func extraArguments(s *scene, n code.Node) {
	if n.Kind() != "identifier" || n.Up() != "arguments" {
		return
	}
	fn, args, _, ok := call(parentOf(parentOf(n)))
	if !ok || len(args) == 0 || args[0] != n {
		return
	}
	_, m, ok := member(fn)
	if !ok || !listMethods[m.Text()] || m.Text() == "join" || m.Text() == "reduce" {
		return
	}
	s.put(n.Start(), n.End(), "(x) => "+n.Text()+"(x)", 1, "Give %s the element alone.", one(n.Text()))
}

// yieldAll gives each of what another generator gives.
func yieldAll(s *scene, n code.Node) {
	switch n.Kind() {
	case "yield_expression":
		kids := n.NamedChildren()
		if len(kids) != 1 {
			return
		}
		if strings.HasPrefix(n.Text(), "yield*") {
			s.put(n.Start(), n.End(), "yield "+kids[0].Text(), 0.5, "Give %s itself.", one(kids[0].Text()))
			return
		}
		s.put(n.Start(), n.Start()+len("yield"), "yield*", 1, "Give each of %s.", one(kids[0].Text()))
	case "expression_statement":
		kids := n.NamedChildren()
		fn, ok := enclosing(n)
		if len(kids) == 1 && kids[0].Kind() == "call_expression" && ok && (strings.HasPrefix(fn.Text(), "function*") || strings.HasPrefix(fn.Text(), "*") || strings.HasPrefix(fn.Text(), "async *")) {
			s.put(n.Start(), n.Start(), "yield* ", 2, "Give each of %s.", one(kids[0].Text()))
		}
	case "while_statement":
		c, ok := condition(n)
		if !ok {
			return
		}
		if o, m, ok := member(c); ok && m.Text() == "value" {
			s.put(c.Start(), c.End(), "!"+o.Text()+".done", 2, "Go on until there is no more.")
		}
	}
}

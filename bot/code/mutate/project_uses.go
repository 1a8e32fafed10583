package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// use notes what a value is wrapped in.
func (p *Project) use(file string, n code.Node) {
	fn, args, list, ok := call(n)
	if !ok || len(n.Text()) > 100 || strings.ContainsAny(n.Text(), "\n%") || n.Kind() == "new_expression" {
		return
	}
	o, m, has := member(fn)
	value, form := code.Node{}, ""
	switch {
	case has && plainArguments(args, -1) && lastName(o) != "":
		value, form = o, "%."+m.Text()+list.Text()
	case len(args) >= 1 && len(args) <= 4 && plainArguments(args, 0) && (!has || rootName(o) != ""):
		value = args[0]
		form = n.Text()[:value.Start()-n.Start()] + "%" + n.Text()[value.End()-n.Start():]
	}
	if form == "" || lastName(value) == "" || n.Up() == "expression_statement" {
		return
	}
	own := targetOf(parentOf(n)) == value.Text()
	if n.Up() == "expression_list" {
		own = targetOf(parentOf(parentOf(n))) == value.Text()
	}
	p.wraps = append(p.wraps, wrapUse{form: form, last: lastName(value), path: file, own: own})
}

// plainArguments tells that all arguments but one are constants.
func plainArguments(args []code.Node, but int) bool {
	for i, a := range args {
		if i != but && !isConstant(a) && !isSigned(a) && a.Kind() != "float_literal" {
			return false
		}
	}
	return true
}

// lastName is the name that says what a value is: of a.b.total it is total.
func lastName(n code.Node) string {
	if n.Kind() == "identifier" {
		return n.Text()
	}
	if _, m, ok := member(n); ok {
		return m.Text()
	}
	return ""
}

// isSigned tells a number with its sign.
func isSigned(n code.Node) bool {
	kids := n.NamedChildren()
	return len(kids) == 1 && isInteger(kids[0]) && (n.Kind() == "unary_expression" || n.Kind() == "unary_operator")
}

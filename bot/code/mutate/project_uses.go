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

// idlers notes the functions whose name stands nowhere but at their declaration.
func (p *Project) idlers() {
	for _, f := range p.functions {
		hidden := f.node.Tree().Lang != code.Go || !exported(f.name)
		if p.count[f.name] == 1 && hidden && f.class == "" && !ofTests(f.path) && f.name != "main" && f.name != "init" && len(f.params) <= 4 && len(p.idle) < maxIdle {
			p.idle = append(p.idle, f)
		}
	}
}

// ofTests tells a file of tests by its name.
func ofTests(file string) bool {
	file = strings.ToLower(file)
	return strings.Contains(file, "test") || strings.Contains(file, "spec.") || strings.Contains(file, "example")
}

// maxIdle bounds the functions that nothing calls: where there are many, the
// project is a library and they are called from outside.
const maxIdle = 12

// companion is a statement with those that stand beside it in its block.
type companion struct {
	node   code.Node
	in     *function
	beside []code.Node // before and after it, where there are
	first  bool        // the first beside it stands before it
}

// deed is what a simple statement does: what it calls, or what it sets and how.
func deed(n code.Node) string {
	kids := n.NamedChildren()
	x := n
	if n.Kind() == "expression_statement" && len(kids) == 1 {
		x = kids[0]
	}
	if fn, _, _, ok := call(x); ok && len(fn.Text()) < 60 && !strings.Contains(fn.Text(), "\n") {
		return fn.Text() + "()"
	}
	l, ok := x.ChildByField("left")
	if !ok || len(l.Text()) > 60 {
		return ""
	}
	if o, _, ok := element(l); ok {
		return o.Text() + "[]="
	}
	if _, _, ok := member(l); ok {
		op, _ := x.ChildByField("operator")
		if op.Tree() == nil {
			return l.Text() + "="
		}
		return l.Text() + op.Text()
	}
	return ""
}

// companions gathers the statements of the project by what they do.
func (p *Project) companions() {
	p.deeds = map[string][]companion{}
	for _, f := range p.functions {
		for _, n := range flat(f.node) {
			key := deed(n)
			if key == "" || len(p.deeds[key]) >= 12 {
				continue
			}
			c := companion{node: n, in: f}
			list := parentOf(n).NamedChildren()
			for i, x := range list {
				if x != n {
					continue
				}
				if i > 0 && copied(list[i-1]) {
					c.beside, c.first = append(c.beside, list[i-1]), true
				}
				if i+1 < len(list) && copied(list[i+1]) {
					c.beside = append(c.beside, list[i+1])
				}
			}
			p.deeds[key] = append(p.deeds[key], c)
		}
	}
}

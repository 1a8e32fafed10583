package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

func wordSet(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// siblingWrap formats a value of a template as its neighbours are: `${pad(h)}:${m}`
// becomes `${pad(h)}:${pad(m)}`.
func siblingWrap(s *scene, n code.Node) {
	if n.Kind() != "template_substitution" || n.Up() != "template_string" {
		return
	}
	kids := n.NamedChildren()
	if len(kids) != 1 {
		return
	}
	v := kids[0]
	for _, sibling := range parentOf(n).NamedChildren() {
		inside := sibling.NamedChildren()
		if sibling == n || sibling.Kind() != "template_substitution" || len(inside) != 1 {
			continue
		}
		fn, args, list, ok := call(inside[0])
		if !ok {
			continue
		}
		var text string
		if o, m, has := member(fn); has && !isConstant(o) && (len(args) == 0 || isConstant(args[0])) {
			text = tight(v) + "." + m.Text() + list.Text()
		} else if fn.Kind() == "identifier" && len(args) > 0 {
			text = fn.Text() + "(" + v.Text() + string(s.src[args[0].End():list.End()])
		}
		if text != "" && v.Kind() != "call_expression" {
			s.put(v.Start(), v.End(), text, 1, "Format %s as its neighbours.", one(v.Text()))
		}
	}
}

// returnThis lets calls of a method be chained.
func returnThis(s *scene, n code.Node) {
	if !isStatement(n) || !s.lastInBlock(n) || leaves(n) || ownerOf(n).Kind() != "method_definition" {
		return
	}
	class, ok := n.Ancestor("class_declaration", "class")
	if !ok {
		return
	}
	w := 0.5
	if strings.Contains(class.Text(), "return this;") {
		w = 2
	}
	s.after(n, "return this;", w, "Return the object at the end.")
}

// recursiveCall treats a part as the function treats the whole.
func recursiveCall(s *scene, n code.Node) {
	if n.Kind() != "object" && !isValue(n) || strings.Contains(n.Text(), "\n") || len(n.Text()) > 60 {
		return
	}
	switch n.Up() {
	case "return_statement", "assignment_expression", "ternary_expression", "arguments", "pair", "binary_expression", "spread_element":
	default:
		return
	}
	fn, ok := n.Ancestor("function_declaration")
	if !ok {
		return
	}
	name, ok1 := fn.ChildByField("name")
	params, ok2 := fn.ChildByField("parameters")
	if !ok1 || !ok2 || len(params.NamedChildren()) == 0 {
		return
	}
	part := n.Text()
	if kids := n.NamedChildren(); n.Kind() == "object" {
		if len(kids) != 1 || kids[0].Kind() != "spread_element" || len(kids[0].NamedChildren()) != 1 {
			return
		}
		part = kids[0].NamedChildren()[0].Text()
	}
	root, rest, cut := strings.Cut(part, "[")
	if !cut {
		if root, rest, cut = strings.Cut(part, "."); !cut {
			return
		}
		rest = "." + rest
	} else {
		rest = "[" + rest
	}
	var args []string
	known := false
	for _, p := range params.NamedChildren() {
		switch {
		case p.Kind() != "identifier":
			return
		case p.Text() == root:
			known = true
			args = append(args, part)
		default:
			args = append(args, p.Text()+rest)
		}
	}
	if !known {
		return
	}
	s.put(n.Start(), n.End(), name.Text()+"("+strings.Join(args, ", ")+")", 1, "Treat %s in the same way.", one(part))
	if len(args) > 1 {
		kept := make([]string, len(args))
		for i, p := range params.NamedChildren() {
			if kept[i] = p.Text(); kept[i] == root {
				kept[i] = part
			}
		}
		s.put(n.Start(), n.End(), name.Text()+"("+strings.Join(kept, ", ")+")", 1, "Treat %s in the same way.", one(part))
	}
}

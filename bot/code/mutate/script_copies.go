package mutate

import "github.com/fettle-dev/fettle/bot/code"

// spreadOrder lets the other one of two spread objects win, and writes into a
// new object instead of into the first one.
func spreadOrder(s *scene, n code.Node) {
	if n.Kind() == "object" || n.Kind() == "array" {
		kids := n.NamedChildren()
		if len(kids) < 2 || len(kids) > 6 {
			return
		}
		for i := 0; i+1 < len(kids); i++ {
			a, b := kids[i], kids[i+1]
			if a.Kind() != "spread_element" && b.Kind() != "spread_element" {
				continue
			}
			s.put(a.Start(), b.End(), b.Text()+string(s.src[a.End():b.Start()])+a.Text(), 1, "Put %s before %s.", one(b.Text()), one(a.Text()))
		}
		return
	}
	fn, args, _, ok := call(n)
	if !ok || fn.Text() != "Object.assign" || len(args) < 2 {
		return
	}
	if args[0].Text() != "{}" {
		s.put(args[0].Start(), args[0].Start(), "{}, ", 2, "Write into a new object instead of into %s.", one(args[0].Text()))
	}
}

// elementCopy copies the elements too, where a list of objects is handed out.
func elementCopy(s *scene, n code.Node) {
	var list code.Node
	switch {
	case n.Kind() == "array":
		kids := n.NamedChildren()
		if len(kids) != 1 || kids[0].Kind() != "spread_element" {
			return
		}
		inside := kids[0].NamedChildren()
		if len(inside) != 1 {
			return
		}
		list = inside[0]
	case isReturned(n) && (n.Kind() == "identifier" || n.Kind() == "member_expression"):
		list = n
	case n.Kind() == "call_expression":
		fn, _, _, called := call(n)
		if !called {
			return // a tagged template
		}
		if _, m, ok := member(fn); !ok || m.Text() != "slice" && m.Text() != "concat" {
			return
		}
		list = n
	default:
		return
	}
	if len(list.Text()) > 60 || s.typeIs(list, "number", "text", "bool", "dict") {
		return
	}
	s.put(n.Start(), n.End(), list.Text()+".map((x) => ({ ...x }))", 1, "Copy the elements of %s too.", one(list.Text()))
	s.put(n.Start(), n.End(), "structuredClone("+list.Text()+")", 0.5, "Use a deep copy of %s.", one(list.Text()))
}

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

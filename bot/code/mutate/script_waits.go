package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

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

package code

import (
	"strconv"
	"strings"
)

func goRegion(n Node) (draft, bool) {
	switch n.Kind() {
	case "function_declaration":
		return named(KindFunction, n)
	case "method_declaration":
		d, ok := named(KindMethod, n)
		if r, has := n.ChildByField("receiver"); ok && has {
			d.Parent = receiverType(r)
		}
		return d, ok
	case "type_declaration":
		only, ok := n.onlyNamed()
		if !ok {
			return draft{}, false
		}
		name, ok := nameOf(only)
		return span(KindType, name, n, n), ok
	case "type_spec", "type_alias":
		if p, ok := n.Parent(); ok {
			if _, alone := p.onlyNamed(); !alone {
				return named(KindType, n)
			}
		}
	case "short_var_declaration":
		return goClosure(n)
	case "call_expression":
		return goSubtest(n)
	}
	return draft{}, false
}

// goClosure is: name := func(…) { … }.
func goClosure(n Node) (draft, bool) {
	left, ok1 := n.ChildByField("left")
	right, ok2 := n.ChildByField("right")
	if !ok1 || !ok2 {
		return draft{}, false
	}
	l, ok1 := left.onlyNamed()
	r, ok2 := right.onlyNamed()
	if !ok1 || !ok2 || r.Kind() != "func_literal" {
		return draft{}, false
	}
	return span(KindFunction, l.Text(), n, r), true
}

// goSubtest is: t.Run("name", func(t *testing.T) { … }).
func goSubtest(n Node) (draft, bool) {
	f, ok1 := n.ChildByField("function")
	args, ok2 := n.ChildByField("arguments")
	if !ok1 || !ok2 || f.Kind() != "selector_expression" || !strings.HasSuffix(clip(f.Text(), 40), ".Run") {
		return draft{}, false
	}
	title, ok := args.firstNamed()
	last, _ := args.lastNamed()
	if !ok || last.Kind() != "func_literal" || title.End()-title.Start() > 200 {
		return draft{}, false
	}
	name, err := strconv.Unquote(title.Text())
	if err != nil {
		return draft{}, false
	}
	outer := n
	if p, ok := n.Parent(); ok && p.Kind() == "expression_statement" {
		outer = p
	}
	return span(KindTest, name, outer, last), true
}

// receiverType is the name of a Go receiver's type.
func receiverType(r Node) string {
	name := ""
	r.Walk(func(c Node) bool {
		if c.Kind() == "type_identifier" && name == "" {
			name = c.Text()
		}
		return name == ""
	})
	return name
}

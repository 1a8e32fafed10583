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
		only, ok := n.OnlyNamed()
		if !ok {
			return draft{}, false
		}
		name, ok := nameOf(only)
		return span(KindType, name, n, n), ok
	case "type_spec", "type_alias":
		if p, ok := n.Parent(); ok {
			if _, alone := p.OnlyNamed(); !alone {
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
	left, right, ok := n.Both("left", "right")
	if !ok {
		return draft{}, false
	}
	l, ok1 := left.OnlyNamed()
	r, ok2 := right.OnlyNamed()
	if !ok1 || !ok2 || r.Kind() != "func_literal" {
		return draft{}, false
	}
	return span(KindFunction, l.Text(), n, r), true
}

// goSubtest is: t.Run("name", func(t *testing.T) { … }).
func goSubtest(n Node) (draft, bool) {
	f, args, ok := n.Both("function", "arguments")
	if !ok || f.Kind() != "selector_expression" || !strings.HasSuffix(clip(f.Text(), 40), ".Run") {
		return draft{}, false
	}
	title, ok := args.FirstNamed()
	last, _ := args.LastNamed()
	if !ok || last.Kind() != "func_literal" || title.End()-title.Start() > 200 {
		return draft{}, false
	}
	name, err := strconv.Unquote(title.Text())
	if err != nil {
		return draft{}, false
	}
	return span(KindTest, name, n.stated(), last), true
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

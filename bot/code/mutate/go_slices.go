package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// sliceAlias keeps an append from writing into what others see, and copies a
// slice that is kept.
func sliceAlias(s *scene, n code.Node) {
	if n.Kind() == "slice_expression" && n.Up() == "argument_list" {
		a, ok1 := n.ChildByField("end")
		_, full := n.ChildByField("capacity")
		if fn, args, _, ok := call(parentOf(parentOf(n))); ok && fn.Text() == "append" && args[0] == n && ok1 && !full {
			s.put(a.End(), a.End(), ":"+a.Text(), 1, "Let append copy instead of writing over what follows.")
		}
		return
	}
	if n.Kind() != "identifier" && n.Kind() != "selector_expression" {
		return
	}
	typ := ""
	if v, ok := s.facts.lookup(n.Text(), n.Start()); ok {
		typ = v.typ
	} else if _, m, ok := member(n); ok {
		typ = s.facts.fieldType[m.Text()]
	}
	kept := n.Up() == "literal_element" && parentOf(n).Field() != "key"
	if p := parentOf(n); n.Up() == "expression_list" && p.Field() == "right" {
		kept = true
	}
	if fn, args, _, ok := call(parentOf(parentOf(n))); ok && n.Up() == "argument_list" && fn.Text() == "append" && len(args) > 1 && args[0] == n {
		s.put(n.Start(), n.End(), n.Text()+"[:len("+n.Text()+"):len("+n.Text()+")]", 1, "Let append copy instead of writing over what follows.")
		return
	}
	if kept && strings.HasPrefix(typ, "[]") {
		s.put(n.Start(), n.End(), "append("+typ+"(nil), "+n.Text()+"...)", 1, "Keep a copy of %s.", one(n.Text()))
	}
	if kept && strings.HasPrefix(typ, "map[") && s.facts.imports["maps"] {
		s.put(n.Start(), n.End(), "maps.Clone("+n.Text()+")", 1, "Keep a copy of %s.", one(n.Text()))
	}
}

// sliceClamp holds a bound that was just worked out to the length of what it
// bounds.
func sliceClamp(s *scene, n code.Node) {
	if n.Kind() != "short_var_declaration" || !isStatement(n) {
		return
	}
	names := leftNames(n)
	fn, ok := enclosing(n)
	if !ok {
		return
	}
	for _, name := range names {
		var lists []string
		fn.Walk(func(c code.Node) bool {
			if c.Kind() != "slice_expression" || c.Start() < n.End() {
				return true
			}
			o, ok := c.ChildByField("operand")
			for _, f := range []string{"start", "end"} {
				if b, has := c.ChildByField(f); ok && has && b.Text() == name.Text() {
					lists = addOnce(lists, o.Text())
				}
			}
			return true
		})
		for _, list := range lists {
			length := "len(" + list + ")"
			s.after(n, s.guard(name.Text()+" > "+length, name.Text()+" = "+length), 1.5, "Let %s be no more than %s.", one(name.Text()), one(length))
			s.after(n, s.guard(name.Text()+" < 0", name.Text()+" = 0"), 0.5, "Let %s be no less than 0.", one(name.Text()))
		}
	}
}

// cloneField gives a copy of a struct its own slices and maps.
func cloneField(s *scene, n code.Node) {
	name, value, ok := defines(n)
	if !ok || n.Kind() != "short_var_declaration" || !isStatement(n) {
		return
	}
	from := strings.TrimPrefix(value.Text(), "*")
	if value.Kind() != "unary_expression" && value.Kind() != "identifier" {
		return
	}
	v, ok := s.facts.lookup(from, n.Start())
	if !ok {
		return
	}
	fn, _ := enclosing(n)
	for _, f := range s.facts.fields["class "+strings.TrimPrefix(v.typ, "*")] {
		typ := s.facts.fieldType[f]
		if strings.Contains(fn.Text(), name+"."+f+" =") {
			continue
		}
		switch {
		case strings.HasPrefix(typ, "[]"):
			s.after(n, name+"."+f+" = append("+typ+"(nil), "+from+"."+f+"...)", 1, "Give the copy its own %s.", one(f))
		case strings.HasPrefix(typ, "map["):
			text := name + "." + f + " = make(" + typ + ", len(" + from + "." + f + "))\nfor key, value := range " + from + "." + f + " {\n\t" + name + "." + f + "[key] = value\n}"
			s.after(n, text, 1, "Give the copy its own %s.", one(f))
		}
	}
}

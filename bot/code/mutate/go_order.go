package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// sorts tells a statement that sorts a slice in its place.
func sorts(n code.Node) (list code.Node, ok bool) {
	if n.Kind() != "expression_statement" {
		return list, false
	}
	fn, args, _, ok := call(n.NamedChildren()[0])
	if !ok || len(args) == 0 || !strings.HasPrefix(fn.Text(), "sort.") && !strings.HasPrefix(fn.Text(), "slices.Sort") && fn.Text() != "slices.Reverse" {
		return list, false
	}
	return args[0], true
}

// copyBeforeSort leaves the slice that the caller has in its order.
func copyBeforeSort(s *scene, n code.Node) {
	list, ok := sorts(n)
	if !ok || !isStatement(n) || list.Kind() != "identifier" {
		return
	}
	text := list.Text()
	w := 0.4
	if v, ok := s.facts.lookup(text, n.Start()); ok && v.kind == "param" {
		w = 2
	}
	s.before(n, text+" = append("+text+"[:0:0], "+text+"...)", w, "Sort a copy of %s.", one(text))
	if v, ok := s.facts.lookup(text, n.Start()); ok && v.kind != "param" {
		fn, _ := enclosing(n)
		fn.Walk(func(c code.Node) bool {
			names := leftNames(c)
			if c.Kind() == "short_var_declaration" && len(names) == 1 && names[0].Text() == text && c.End() <= n.Start() {
				if r, ok := c.ChildByField("right"); ok && (r.NamedChildren()[0].Kind() == "identifier" || r.NamedChildren()[0].Kind() == "selector_expression") {
					s.put(r.Start(), r.End(), "append("+r.Text()+"[:0:0], "+r.Text()+"...)", 2, "Sort a copy of %s.", one(r.Text()))
				}
			}
			return true
		})
	}
}

// sortMissing puts what a loop gathered in order: a map has none.
func sortMissing(s *scene, n code.Node) {
	if n.Kind() != "for_statement" || !isStatement(n) || !s.facts.imports["sort"] && !s.facts.imports["slices"] {
		return
	}
	b, ok := n.ChildByField("body")
	fn, has := enclosing(n)
	if !ok || !has {
		return
	}
	for _, v := range s.facts.visible(n.Start()) {
		if v.kind == "module" || !strings.Contains(b.Text(), v.name+" = append("+v.name+",") {
			continue
		}
		rest := string(s.src[n.End():fn.End()])
		if strings.Contains(rest, "sort.") || strings.Contains(rest, "slices.Sort") {
			continue
		}
		for _, text := range s.sortings(v) {
			s.after(n, text, 1, "Put %s in order.", one(v.name))
		}
	}
}

func (s *scene) sortings(v variable) []string {
	elem := strings.TrimPrefix(strings.TrimPrefix(v.typ, "[]"), "*")
	var out []string
	switch {
	case s.facts.imports["slices"] && (elem == "string" || elem == "int" || elem == "float64" || elem == ""):
		out = append(out, "slices.Sort("+v.name+")")
	case elem == "string" || elem == "":
		out = append(out, "sort.Strings("+v.name+")")
	case elem == "int":
		out = append(out, "sort.Ints("+v.name+")")
	}
	if s.facts.imports["sort"] {
		for i, f := range s.facts.fields["class "+elem] {
			if i < 4 {
				out = append(out, "sort.Slice("+v.name+", func(i, j int) bool { return "+v.name+"[i]."+f+" < "+v.name+"[j]."+f+" })")
			}
		}
	}
	return out
}

// timeTie lets an order by time, or one by comparing, go on with a second
// criterion where the first is equal.
func timeTie(s *scene, n code.Node) {
	if n.Up() != "expression_list" && n.Up() != "return_statement" {
		return
	}
	if _, ok := n.Ancestor("return_statement"); !ok {
		return
	}
	fn, args, _, ok := call(n)
	if !ok {
		return
	}
	o, m, ok := member(fn)
	if !ok {
		return
	}
	switch {
	case len(args) == 1 && (m.Text() == "Before" || m.Text() == "After" || m.Text() == "Compare"):
		s.secondKey(n, o, args[0], m.Text())
	case len(args) == 2 && m.Text() == "Compare":
		s.secondKey(n, args[0], args[1], "Compare")
	}
}

func (s *scene) secondKey(n, left, right code.Node, name string) {
	o1, m1, ok1 := member(left)
	o2, m2, ok2 := member(right)
	if !ok1 || !ok2 || m1.Text() != m2.Text() || o1.Text() == o2.Text() {
		return
	}
	for _, other := range s.siblings(m1.Text()) {
		a, b := o1.Text()+"."+other, o2.Text()+"."+other
		if name != "Compare" {
			s.put(n.Start(), n.End(), n.Text()+" || "+left.Text()+".Equal("+right.Text()+") && "+a+" < "+b, 1, "Sort by %s where %s is equal.", one(other), one(m1.Text()))
		} else if s.facts.imports["cmp"] {
			s.put(n.Start(), n.End(), "cmp.Or("+n.Text()+", cmp.Compare("+a+", "+b+"))", 1, "Sort by %s where %s is equal.", one(other), one(m1.Text()))
			s.put(n.Start(), n.End(), "cmp.Or(cmp.Compare("+a+", "+b+"), "+n.Text()+")", 0.5, "Sort by %s first.", one(other))
		}
	}
	if name == "Compare" {
		s.put(n.Start(), n.End(), "-"+n.Text(), 0.7, "Sort the other way round.")
	}
}

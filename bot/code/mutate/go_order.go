package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

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

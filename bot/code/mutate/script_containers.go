package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// typedCopy copies maps, sets and dates, and what stands in an object.
func typedCopy(s *scene, n code.Node) {
	if !isValue(n) || n.Kind() == "call_expression" || strings.Contains(n.Text(), "\n") || len(n.Text()) > 50 || s.typeIs(n, "number", "text", "bool") {
		return
	}
	switch n.Up() {
	case "pair", "variable_declarator", "assignment_expression", "arguments", "return_statement", "arrow_function":
	default:
		return
	}
	text := n.Text()
	put := func(form string, w float64) {
		s.put(n.Start(), n.End(), strings.ReplaceAll(form, "%", text), w, "Use a copy of %s.", one(text))
	}
	if n.Up() == "pair" {
		put("[...%]", 1)
		put("{ ...% }", 1)
	}
	uses := s.methodsOf(n)
	has := func(names ...string) bool {
		for _, name := range names {
			if uses[name] {
				return true
			}
		}
		return false
	}
	switch {
	case has("set", "get", "clear", "delete", "has", "add", "keys", "entries"):
		if !has("add") {
			put("new Map(%)", 1)
		}
		if !has("set", "get") {
			put("new Set(%)", 1)
		}
	case has("getTime", "setDate", "setUTCDate", "getDate", "getUTCDate", "setMonth", "setHours", "setFullYear", "toISOString"):
		put("new Date(%)", 2)
	case has("push", "pop", "shift", "unshift", "splice", "sort", "reverse", "fill"):
		put("[...%]", 2)
	}
	if has("push", "map", "join", "filter") || n.Up() == "return_statement" {
		put("[...new Set(%)]", 0.4)
	}
}

// methodsOf are the methods that the file calls on a value, or on the variable
// that it is given to.
func (s *scene) methodsOf(n code.Node) map[string]bool {
	out := map[string]bool{}
	for _, m := range s.facts.methods[n.Text()] {
		out[m] = true
	}
	if p := parentOf(n); p.Kind() == "variable_declarator" {
		if name, ok := p.ChildByField("name"); ok {
			for _, m := range s.facts.methods[name.Text()] {
				out[m] = true
			}
		}
	}
	return out
}

// nestedCopy copies what a copy of an object still shares.
func nestedCopy(s *scene, n code.Node) {
	if fn, args, _, ok := call(n); ok {
		if fn.Text() == "JSON.parse" && len(args) == 1 {
			if f, a, _, ok := call(args[0]); ok && f.Text() == "JSON.stringify" && len(a) == 1 {
				s.put(n.Start(), n.End(), "structuredClone("+a[0].Text()+")", 1, "Copy %s without losing dates and what is undefined.", one(a[0].Text()))
			}
		}
		s.eachAnew(n, fn, args)
		return
	}
	kids := n.NamedChildren()
	if n.Kind() != "object" || len(kids) == 0 || kids[0].Kind() != "spread_element" || strings.Contains(n.Text(), "\n") || len(kids) > 6 {
		return
	}
	o := kids[0].NamedChildren()
	if len(o) != 1 || !isPlain(o[0]) && !isElement(o[0]) {
		return
	}
	whole := o[0].Text()
	if len(kids) == 1 {
		s.put(n.Start(), n.End(), "structuredClone("+whole+")", 1, "Copy what is inside of %s too.", one(whole))
	}
	done := 0
	for _, f := range s.fieldsOf(o[0]) {
		if done >= 5 || wordCount(n.Text(), f) > 0 {
			continue
		}
		done++
		last := kids[len(kids)-1]
		for i, form := range []string{", %: [...@.%]", ", %: { ...@.% }"} {
			text := strings.NewReplacer("%", f, "@", whole).Replace(form)
			s.put(last.End(), last.End(), text, []float64{0.5, 0.4}[i], "Copy %s too.", one(whole+"."+f))
		}
	}
}

// fieldsOf are the fields that the file reads of a value of that name.
func (s *scene) fieldsOf(n code.Node) []string {
	name := n.Text()
	out := append([]string(nil), s.facts.fields["."+name]...)
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		out = append(out, s.facts.fields["."+name[i+1:]]...)
	}
	return out
}

// eachAnew makes a new element for each place: fill puts the same one everywhere.
func (s *scene) eachAnew(n, fn code.Node, args []code.Node) {
	o, m, ok := member(fn)
	if !ok || m.Text() != "fill" || len(args) != 1 {
		return
	}
	array, size, _, ok := call(o)
	if !ok || array.Text() != "Array" || len(size) != 1 {
		return
	}
	text := args[0].Text()
	if args[0].Kind() == "object" {
		text = "(" + text + ")"
	}
	if k := args[0].Kind(); k == "array" || k == "object" || k == "new_expression" || k == "call_expression" {
		s.put(n.Start(), n.End(), "Array.from({ length: "+size[0].Text()+" }, () => "+text+")", 2, "Make %s anew for each place.", one(args[0].Text()))
	}
}

// spreadAdd lets what was given win at the end of an object.
func spreadAdd(s *scene, n code.Node) {
	kids := n.NamedChildren()
	if n.Kind() != "object" || len(kids) < 2 || !strings.Contains(n.Text(), "...") && !strings.Contains(n.Text(), ":") {
		return
	}
	last := kids[len(kids)-1]
	done := 0
	for _, v := range s.facts.visible(n.Start()) {
		if v.kind == "module" || done >= 4 || wordCount(n.Text(), "..."+v.name) > 0 || v.typ != "" && v.typ != "dict" {
			continue
		}
		w := 0.2
		if v.uses <= 1 {
			w = 2
		}
		for _, hint := range []string{"opt", "conf", "set", "prop", "over", "attr", "extra", "given", "rest", "patch", "change"} {
			if strings.Contains(strings.ToLower(v.name), hint) {
				w = max(w, 1)
			}
		}
		done++
		s.put(last.End(), last.End(), ", ..."+v.name, w, "Take over %s too.", one(v.name))
	}
}

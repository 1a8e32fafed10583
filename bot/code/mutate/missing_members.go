package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// elementsNeverSet fills a list of flags that is made and handed on but never
// written: under what can be asked of the values at hand.
func elementsNeverSet(s *scene, n code.Node) {
	name, value, ok := defines(n)
	fn, in := enclosing(n)
	if !ok || !in || !isStatement(n) {
		return
	}
	var yes string
	switch text := value.Text(); {
	case s.d.lang == golang && (strings.HasPrefix(text, "make([]bool") || strings.HasPrefix(text, "make(map[") && strings.Contains(text, "]bool")):
		yes = "true"
	case s.d.lang == py && strings.HasPrefix(text, "[False] *"):
		yes = "True"
	default:
		return
	}
	if strings.Contains(fn.Text(), name+"[") {
		return
	}
	for _, l := range flat(fn) {
		if !isLoop(l) || l.Start() < n.End() {
			continue
		}
		index := loopIndex(l)
		if index == "" {
			continue
		}
		b, _ := l.ChildByField("body")
		for _, x := range flat(l) {
			if x.Start() < b.Start() || !simple(x) || enclosed(x) != fn {
				continue
			}
			text := name + "[" + index + "] = " + yes
			for _, a := range s.questionsOf(x) {
				s.before(x, s.guard(a, text), 1, "Note in %s when %s.", one(name), one(a))
			}
		}
	}
}

func enclosed(n code.Node) code.Node {
	fn, _ := enclosing(n)
	return fn
}

// loopIndex is the name of the index that a loop counts.
func loopIndex(l code.Node) string {
	left := code.Node{}
	l.Walk(func(c code.Node) bool {
		if x, ok := c.ChildByField("left"); ok && left.Tree() == nil {
			left = x
		}
		return left.Tree() == nil
	})
	if left.Tree() == nil {
		return ""
	}
	name, _, _ := strings.Cut(left.Text(), ",")
	if strings.ContainsAny(name, " (._[") {
		return ""
	}
	return name
}

// questionsOf lists what can be asked of the fields, two deep, of what a
// statement reads.
func (s *scene) questionsOf(n code.Node) []string {
	var out []string
	ask := func(text, typ string) {
		switch {
		case typ == "bool":
			out = addOnce(out, text)
		case typ == "string":
			out = addOnce(out, text+` != ""`)
		case strings.HasPrefix(typ, "[]") || strings.HasPrefix(typ, "map["):
			out = addOnce(out, "len("+text+") > 0")
		}
	}
	for _, v := range s.facts.visible(n.Start()) {
		if v.kind == "module" || wordCount(n.Text(), v.name) == 0 {
			continue
		}
		ask(v.name, v.typ)
		for _, f := range s.typedFields(v) {
			ask(v.name+"."+f[0], f[1])
			inner := s.project.classes[classKey(s.file, strings.TrimPrefix(f[1], "*"))]
			if inner == nil {
				continue
			}
			for _, g := range inner.fields {
				ask(v.name+"."+f[0]+"."+g, inner.fieldTypes[g])
			}
		}
	}
	return out[:min(len(out), 16)]
}

// typedFields lists the fields of a variable with their types, by its own type or
// by what the project reads of variables of its name.
func (s *scene) typedFields(v variable) [][2]string {
	var out [][2]string
	if c := s.project.classes[classKey(s.file, strings.TrimPrefix(v.typ, "*"))]; c != nil && v.typ != "" {
		for _, f := range c.fields {
			out = append(out, [2]string{f, c.fieldTypes[f]})
		}
		return out
	}
	if c := s.project.classes[classKey(s.file, s.madeBy(v))]; c != nil {
		for _, f := range c.fields {
			out = append(out, [2]string{f, c.fieldTypes[f]})
		}
		return out
	}
	for _, m := range s.project.read[v.name] {
		out = append(out, [2]string{m, s.project.fieldType(m)})
	}
	return out
}

// madeBy is the type of a variable of Go that a function of the project gives as
// one of several results.
func (s *scene) madeBy(v variable) string {
	typ := ""
	s.t.Walk(func(c code.Node) bool {
		if c.Kind() != "short_var_declaration" || c.End() != v.from || typ != "" {
			return true
		}
		l, ok1 := c.ChildByField("left")
		r, ok2 := c.ChildByField("right")
		if !ok1 || !ok2 || len(r.NamedChildren()) != 1 {
			return true
		}
		fn, _, _, ok := call(r.NamedChildren()[0])
		if !ok || s.called(fn.Text()) == nil {
			return true
		}
		f := s.called(fn.Text())
		res, ok := f.node.ChildByField("result")
		if !ok || res.Kind() != "parameter_list" {
			return true
		}
		for i, x := range l.NamedChildren() {
			if kids := res.NamedChildren(); x.Text() == v.name && i < len(kids) {
				typ = strings.TrimPrefix(kids[i].Text(), "*")
			}
		}
		return true
	})
	return typ
}

// fieldType is the type of a field in the first class that has it.
func (p *Project) fieldType(name string) string {
	if keys := p.owners[name]; len(keys) > 0 {
		return p.classes[keys[0]].fieldTypes[name]
	}
	return ""
}

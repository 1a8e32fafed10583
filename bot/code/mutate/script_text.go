package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// templateGap puts something between two values of a template, so that they
// cannot run into each other, as in the key of a cache.
func templateGap(s *scene, n code.Node) {
	if n.Kind() != "template_string" {
		return
	}
	kids := n.NamedChildren()
	for i := 0; i+1 < len(kids); i++ {
		if kids[i].Kind() != "template_substitution" || kids[i+1].Kind() != "template_substitution" || kids[i].End() != kids[i+1].Start() {
			continue
		}
		for k, gap := range []string{" ", ":", "/", "-", ", ", "|", "."} {
			s.put(kids[i].End(), kids[i].End(), gap, []float64{1, 1, 0.6, 0.6, 0.4, 0.4, 0.3}[k], "Put %s between the two.", one(gap))
		}
	}
}

// templatePart puts a variable of the scope into a template that lacks it, such
// as the key of a cache.
func templatePart(s *scene, n code.Node) {
	if n.Kind() != "template_string" || strings.Contains(n.Text(), "\n") {
		return
	}
	gap := ":"
	kids := n.NamedChildren()
	for i := 0; i+1 < len(kids); i++ {
		if between := string(s.src[kids[i].End():kids[i+1].Start()]); kids[i].Kind() == "template_substitution" && len(between) == 1 {
			gap = between
		}
		if kids[i].Kind() == "string_fragment" && len(kids[i].Text()) == 1 {
			gap = kids[i].Text()
		}
	}
	done := 0
	for _, v := range s.facts.visible(n.Start()) {
		if v.kind == "module" || wordCount(n.Text(), v.name) > 0 || done >= 5 {
			continue
		}
		done++
		w := 0.4
		if v.uses <= 1 {
			w = 3
		}
		s.put(n.End()-1, n.End()-1, gap+"${"+v.name+"}", w, "Put %s into the text too.", one(v.name))
	}
}

// computedKey uses the value of a variable as the key, not its name.
func computedKey(s *scene, n code.Node) {
	if o, m, ok := member(n); ok && m.Kind() == "property_identifier" && !isCallee(n, parentOf(n)) && o.End()+1 == m.Start() {
		if v, known := s.facts.lookup(m.Text(), n.Start()); known && v.kind != "module" {
			s.put(o.End(), n.End(), "["+m.Text()+"]", 2, "Use the value of %s as the key.", one(m.Text()))
		}
		return
	}
	if o, k, ok := element(n); ok && k.Kind() == "identifier" && n.Kind() == "subscript_expression" && s.facts.fieldSet[k.Text()] {
		s.put(o.End(), n.End(), "."+k.Text(), 0.3, "Use the field %s.", one(k.Text()))
	}
	if n.Kind() == "pair" {
		k, ok := n.ChildByField("key")
		if !ok || k.Kind() != "property_identifier" {
			return
		}
		if v, known := s.facts.lookup(k.Text(), n.Start()); known && v.kind != "module" {
			s.put(k.Start(), k.End(), "["+k.Text()+"]", 2, "Use the value of %s as the key.", one(k.Text()))
		}
	}
}

// shorthandValue gives a property another value than the variable of its name.
func shorthandValue(s *scene, n code.Node) {
	if n.Kind() != "shorthand_property_identifier" || n.Up() != "object" {
		return
	}
	name := n.Text()
	own, _ := s.facts.lookup(name, n.Start())
	put := func(text string, w float64) {
		s.put(n.Start(), n.End(), name+": "+text, w, "Use %s for %s.", one(text), one(name))
	}
	for _, v := range s.facts.visible(n.Start()) {
		if v.name != name && v.kind != "module" && fits(own.typ, v.typ) {
			w := s.nameWeight(own, v, "")
			put(v.name, 0.5*w)
		}
	}
	for _, fn := range s.facts.around[name] {
		put(fn+"("+name+")", 2)
	}
	if own.typ == "" || own.typ == "list" || own.typ == "dict" {
		for i, f := range []string{"[...%]", "{ ...% }", "structuredClone(%)"} {
			put(strings.ReplaceAll(f, "%", name), []float64{1, 0.8, 0.3}[i])
		}
	}
	if own.typ == "" || own.typ == "text" {
		for i, f := range []string{"%.trim()", "%.toLowerCase()", "String(%)", "Number(%)", "% ?? 0", `% ?? ""`, "% ?? []", "% ?? null"} {
			put(strings.ReplaceAll(f, "%", name), []float64{0.6, 0.6, 0.4, 0.6, 0.4, 0.3, 0.3, 0.4}[i])
		}
	}
	numbers := s.numeric(n)
	for _, x := range numbers {
		if x == name {
			put(name+" + 1", 0.6)
			put(name+" - 1", 0.6)
			for i, b := range numbers {
				if b != name && i < 6 {
					put("Math.min("+name+", "+b+")", 0.6)
					put("Math.max("+name+", "+b+")", 0.6)
				}
			}
		}
	}
}

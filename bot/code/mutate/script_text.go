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

// splitCharacters takes a text apart by characters, not by halves of them.
func splitCharacters(s *scene, n code.Node) {
	if o, m, ok := member(n); ok && m.Text() == "length" && !assigned(n) && isPlain(o) && !s.typeIs(o, "list", "dict") {
		s.put(n.Start(), n.End(), "[..."+o.Text()+"].length", 0.5, "Count the characters of %s.", one(o.Text()))
	}
	fn, args, _, ok := call(n)
	if !ok {
		return
	}
	o, m, ok := member(fn)
	switch {
	case !ok:
	case m.Text() == "split" && len(args) == 1 && len(args[0].Text()) == 2:
		s.put(n.Start(), n.End(), "[..."+o.Text()+"]", 2, "Take %s apart by characters.", one(o.Text()))
	case m.Text() == "charCodeAt":
		s.put(m.Start(), m.End(), "codePointAt", 2, "Read the whole character.")
	case m.Text() == "charAt" && len(args) == 1:
		s.put(n.Start(), n.End(), "[..."+o.Text()+"]["+args[0].Text()+"]", 1, "Read the whole character.")
	case m.Text() == "fromCharCode":
		s.put(m.Start(), m.End(), "fromCodePoint", 2, "Make the whole character.")
	case m.Text() == "substr" && len(args) == 2:
		s.put(fn.Start(), n.End(), o.Text()+".slice("+args[0].Text()+", "+args[0].Text()+" + "+args[1].Text()+")", 0.5, "Name the end, not the length.")
	case m.Text() == "slice" && len(args) == 2 || m.Text() == "substring" && len(args) == 2:
		s.put(n.Start(), n.End(), "[..."+o.Text()+"].slice("+args[0].Text()+", "+args[1].Text()+`).join("")`, 0.3, "Cut between characters.")
	}
}

// joinText joins with what a list is usually joined with.
func joinText(s *scene, n code.Node) {
	fn, args, list, ok := call(n)
	if !ok || len(args) > 1 {
		return
	}
	if _, m, ok := member(fn); !ok || m.Text() != "join" {
		return
	}
	at, end := list.Start()+1, list.End()-1
	q := "'"
	if strings.Count(string(s.src), `"`) > strings.Count(string(s.src), "'") {
		q = `"`
	}
	for i, sep := range []string{"", ", ", " ", `\n`, ",", "-", "/"} {
		s.put(at, end, q+sep+q, []float64{1, 1, 1, 0.8, 0.4, 0.2, 0.2}[i], "Join with %s.", one(q+sep+q))
	}
}

// sliceEnd takes the end of a text or list instead of its beginning.
func sliceEnd(s *scene, n code.Node) {
	fn, args, _, ok := call(n)
	if !ok || len(args) == 0 || len(args) > 2 {
		return
	}
	_, m, ok := member(fn)
	if !ok || m.Text() != "slice" && m.Text() != "substring" && m.Text() != "at" {
		return
	}
	first, last := args[0], args[len(args)-1]
	put := func(text string, w float64) {
		s.put(first.Start(), last.End(), text, w, "Take the part %s.", one(text))
	}
	negative := strings.HasPrefix(first.Text(), "-")
	switch {
	case len(args) == 2 && first.Text() == "0":
		put("-"+tight(last), 1)
		put(last.Text(), 1)
	case len(args) == 1 && !negative && first.Text() != "0":
		if m.Text() != "at" {
			put("0, "+first.Text(), 1)
		}
		put("-"+tight(first), 1)
	case len(args) == 1 && negative && m.Text() == "slice":
		put("0, "+first.Text(), 1)
		put(strings.TrimPrefix(first.Text(), "-"), 0.5)
	}
}

// restElement collects in the last name of a list pattern all that is left.
func restElement(s *scene, n code.Node) {
	if n.Up() != "array_pattern" || n.Kind() != "identifier" && n.Kind() != "rest_pattern" {
		return
	}
	kids := parentOf(n).NamedChildren()
	if len(kids) < 2 || kids[len(kids)-1] != n {
		return
	}
	if n.Kind() == "rest_pattern" {
		s.put(n.Start(), n.Start()+3, "", 0.5, "Take one element, not all that is left.")
		return
	}
	s.put(n.Start(), n.Start(), "...", 1, "Take all that is left.")
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

package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// keywordForward hands an option on by its name, to a function that takes an
// argument of that name or is not of this file.
func keywordForward(s *scene, n code.Node) {
	fn, args, list, ok := call(n)
	if !ok || hasSplat(args) || len(args) > 6 || strings.Contains(list.Text(), "\n") || n.Up() == "decorator" {
		return
	}
	name := fn
	if _, m, is := member(fn); is {
		name = m
	}
	params, known := s.parameters(name.Text())
	if !known && words("len str int list dict set tuple range print isinstance sum min max sorted append get join format", name.Text()) {
		return
	}
	for _, v := range s.facts.visible(n.Start()) {
		if v.kind == "module" || v.kind == "loop" || wordCount(list.Text(), v.name) > 0 {
			continue
		}
		w := 0.0
		switch {
		case known && params[v.name]:
			w = 2
		case !known && v.kind == "param" && v.uses <= 1:
			w = 1
		}
		text := v.name + "=" + v.name
		if len(args) > 0 {
			text = ", " + text
		}
		at := list.End() - 1
		if len(args) > 0 {
			at = args[len(args)-1].End()
		}
		s.put(at, at, text, w, "Hand %s on to %s.", one(v.name), one(fn.Text()))
	}
}

// parameters are the names that a function or class of the file takes.
func (s *scene) parameters(name string) (map[string]bool, bool) {
	var out map[string]bool
	s.t.Walk(func(c code.Node) bool {
		if c.Kind() != "function_definition" {
			return out == nil
		}
		own, ok1 := c.ChildByField("name")
		list, ok2 := c.ChildByField("parameters")
		if !ok1 || !ok2 {
			return true
		}
		is := own.Text() == name
		if own.Text() == "__init__" {
			if class, ok := ownClass(c); ok {
				is = nameOf(class) == name
			}
		}
		if !is {
			return true
		}
		out = map[string]bool{}
		for _, p := range list.NamedChildren() {
			p.Walk(func(x code.Node) bool {
				if x.Kind() == "identifier" {
					out[x.Text()] = true
				}
				return x.Kind() != "identifier"
			})
		}
		return false
	})
	return out, out != nil
}

// recursionArgument lets a function call itself with what changes on the way: the
// next depth, the rest, the value of this round.
func recursionArgument(s *scene, n code.Node) {
	fn, args, _, ok := call(n)
	if !ok || hasSplat(args) {
		return
	}
	owner, ok := n.Ancestor("function_definition")
	if !ok {
		return
	}
	name := fn.Text()
	if _, m, is := member(fn); is {
		name = m.Text()
	}
	if name != nameOf(owner) {
		return
	}
	for _, a := range args {
		v := a
		if a.Kind() == "keyword_argument" {
			v, _ = a.ChildByField("value")
		}
		if !place(v) {
			continue
		}
		for _, form := range []string{"% + 1", "% - 1", "%[1:]", "%[:-1]"} {
			text := strings.Replace(form, "%", v.Text(), 1)
			w := 1.0
			if strings.HasSuffix(form, "]") {
				w = 0.5
			}
			s.put(v.Start(), v.End(), text, w, "Call itself with %s.", one(text))
		}
		for _, x := range s.facts.visible(n.Start()) {
			if x.name != v.Text() && (x.kind == "local" || x.kind == "loop") && x.owner == owner.Start() {
				s.put(v.Start(), v.End(), x.name, 1, "Call itself with %s.", one(x.name))
			}
		}
	}
}

// fieldsCompared takes one more field of a class into a comparison, a key or a
// hash.
func fieldsCompared(s *scene, n code.Node) {
	switch n.Kind() {
	case "tuple", "expression_list", "boolean_operator", "string":
	default:
		return
	}
	fn, ok := enclosing(n)
	if !ok || strings.Contains(n.Text(), "\n") {
		return
	}
	switch n.Kind() {
	case "boolean_operator":
		_, op, right, ok := binary(n)
		if !ok || op.Text() != "and" || n.Up() == "boolean_operator" {
			return
		}
		s.alsoCompare(n, right)
	case "string":
		s.alsoInText(n)
	default:
		kids := n.NamedChildren()
		if len(kids) == 0 {
			return
		}
		last := kids[len(kids)-1]
		o, m, ok := member(last)
		if !ok || o.Kind() != "identifier" {
			return
		}
		for _, f := range s.siblings(m.Text()) {
			if text := o.Text() + "." + f; wordCount(n.Text(), f) == 0 {
				w := 1.0
				if words("__eq__ __hash__ __lt__ key _key", nameOf(fn)) {
					w = 2
				}
				s.put(last.End(), last.End(), ", "+text, w, "Take %s into account too.", one(text))
			}
		}
	}
}

// alsoCompare adds a.f == b.f behind the last of such comparisons.
func (s *scene) alsoCompare(n, last code.Node) {
	l, op, r, ok := binary(last)
	if !ok || op.Text() != "==" || !comparesTwo(l, r) {
		return
	}
	a, m, _ := member(l)
	b, _, _ := member(r)
	for _, f := range s.siblings(m.Text()) {
		if wordCount(n.Text(), f) == 0 {
			s.put(n.End(), n.End(), " and "+a.Text()+"."+f+" == "+b.Text()+"."+f, 2, "Compare %s too.", one(f))
		}
	}
}

// alsoInText adds a variable to a text that is made as a key: f"{a}:{b}".
func (s *scene) alsoInText(n code.Node) {
	text := n.Text()
	i := strings.LastIndexByte(text, '}')
	if !strings.HasPrefix(text, "f") || i < 0 || n.Up() == "call" || strings.Contains(text, "{{") {
		return
	}
	sep := ":"
	if j := strings.IndexByte(text, '}'); j < i && strings.IndexByte(text[j:], '{') > 1 {
		sep = text[j+1 : j+strings.IndexByte(text[j:], '{')]
	}
	for _, v := range s.facts.visible(n.Start()) {
		if v.kind == "param" && wordCount(text, v.name) == 0 && v.uses <= 2 {
			s.put(n.Start()+i+1, n.Start()+i+1, sep+"{"+v.name+"}", 1, "Take %s into the text too.", one(v.name))
		}
	}
}

// copyDeep copies all that a container holds, at every depth.
func copyDeep(s *scene, n code.Node) {
	what, _, w := shallow(s, n)
	switch {
	case what == "":
	case s.moduleNamed("copy"):
		s.put(n.Start(), n.End(), "copy.deepcopy("+what+")", w, "Copy what %s holds too.", one(what))
	case s.named("deepcopy"):
		s.put(n.Start(), n.End(), "deepcopy("+what+")", w, "Copy what %s holds too.", one(what))
	default:
		s.importDeepcopy(n, what, 0.6*w)
	}
}

// shallow takes a copy of a container apart that shares what the container holds:
// what is copied, by which type, how likely it is to be meant; "" for none.
func shallow(s *scene, n code.Node) (what, kind string, w float64) {
	fn, args, _, ok := call(n)
	switch {
	case ok && len(args) == 1 && words("list dict tuple", fn.Text()) && place(args[0]):
		return args[0].Text(), fn.Text(), 1
	case ok && len(args) == 0:
		if o, m, is := member(fn); is && m.Text() == "copy" && place(o) {
			return o.Text(), "", 1
		}
	case ok && len(args) == 1 && words("copy.copy copy", fn.Text()) && place(args[0]):
		return args[0].Text(), "", 1
	case n.Kind() == "subscript" && strings.HasSuffix(n.Text(), "[:]") && short(n):
		return strings.TrimSuffix(n.Text(), "[:]"), "list", 1
	case place(n) && isValue(n) && n.Kind() != "subscript" && (n.Up() == "assignment" || isReturned(n)):
		if v, known := s.facts.lookup(n.Text(), n.Start()); n.Kind() == "identifier" && (!known || v.kind != "param" || words("number text bool int str float", v.typ)) {
			return "", "", 0
		}
		return n.Text(), "", 0.2
	}
	return "", "", 0
}

// importDeepcopy copies with a function that is imported where it is used.
func (s *scene) importDeepcopy(n code.Node, what string, w float64) {
	st, ok := statementOf(n)
	if !ok || strings.Contains(string(s.src[st.Start():n.Start()]), "\n") {
		return
	}
	if in, alone := s.indent(st); alone {
		text := "from copy import deepcopy" + s.eol + s.eol + in + string(s.src[st.Start():n.Start()]) + "deepcopy(" + what + ")"
		s.put(st.Start(), n.End(), text, w, "Copy what %s holds too, with deepcopy.", one(what))
	}
}

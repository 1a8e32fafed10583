package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// contains takes a question apart whether a text holds another one.
func (s *scene) contains(n code.Node) (text, part string, ok bool) {
	if s.d.lang == py {
		left, op, right, is := binary(n)
		if !is || op.Text() != "in" || !plainString(left) || !plainChain(right.Text()) {
			return "", "", false
		}
		return right.Text(), left.Text(), true
	}
	fn, args, _, is := call(n)
	if !is {
		return "", "", false
	}
	o, m, has := member(fn)
	switch {
	case s.d.lang == golang && fn.Text() == "strings.Contains" && len(args) == 2 && plainChain(args[0].Text()):
		return args[0].Text(), args[1].Text(), plainString(args[1])
	case s.d.lang == js && has && m.Text() == "includes" && len(args) == 1 && plainString(args[0]) && plainChain(o.Text()):
		return o.Text(), args[0].Text(), true
	}
	return "", "", false
}

// termAffix leaves out what a text must not begin or end with, where it is asked
// whether the text holds it: "@" in s and not s.startswith("@").
func termAffix(s *scene, n code.Node) {
	text, part, ok := s.contains(n)
	if !ok {
		return
	}
	up := parentOf(n)
	for _, form := range map[int][]string{
		py:     {text + ".startswith(" + part + ")", text + ".endswith(" + part + ")"},
		js:     {text + ".startsWith(" + part + ")", text + ".endsWith(" + part + ")"},
		golang: {"strings.HasPrefix(" + text + ", " + part + ")", "strings.HasSuffix(" + text + ", " + part + ")"},
	}[s.d.lang] {
		term := s.d.not + form
		if strings.Contains(up.Text(), form) {
			continue
		}
		whole := n.Text() + " " + s.d.and + " " + term
		if k := up.Kind(); k == "not_operator" || k == "unary_expression" {
			continue
		}
		s.put(n.Start(), n.End(), whole, 1, "Ask for %s too.", one(term))
	}
}

// termSibling asks, of a member that is one of several terms, whether another
// member of the same object holds too: (o.a && o.b) || c.
func termSibling(s *scene, n code.Node) {
	o, m, ok := member(n)
	if !ok || !plainChain(n.Text()) || isCallee(n, parentOf(n)) {
		return
	}
	_, op, _, ok := binary(parentOf(n))
	if !ok || op.Text() != s.d.or {
		return
	}
	fn, in := enclosing(n)
	if !in {
		return
	}
	done := 0
	for _, other := range s.facts.fields["."+o.Text()] {
		chain := o.Text() + "." + other
		if other == m.Text() || done >= 6 || wordCount(fn.Text(), chain) == 0 || s.d.lang == golang && s.project.fieldType(other) != "bool" {
			continue
		}
		done++
		s.put(n.Start(), n.End(), "("+chain+" "+s.d.and+" "+n.Text()+")", 1, "Ask for %s only with %s.", one(n.Text()), one(chain))
	}
}

// guardContains gives a text back as it came where it does not hold what the
// function looks for in it.
func guardContains(s *scene, n code.Node) {
	fn, ok := heads(n)
	if !ok || !isFunction(fn) {
		return
	}
	marks := markedBy(fn)
	if len(marks) == 0 {
		return
	}
	for _, v := range s.facts.visible(n.Start()) {
		if v.kind != "param" || v.owner != fn.Start() || wordCount(fn.Text(), v.name) < 2 || !s.givesBack(fn, v) {
			continue
		}
		for _, mark := range marks {
			lacks := map[int]string{py: mark + " not in " + v.name, js: "!" + v.name + ".includes(" + mark + ")", golang: "!strings.Contains(" + v.name + ", " + mark + ")"}[s.d.lang]
			if s.d.lang == golang && strings.HasPrefix(mark, "'") {
				lacks = "!strings.ContainsRune(" + v.name + ", " + mark + ")"
			}
			s.before(n, s.brief(lacks, "return "+v.name), 1, "Give %s back as it is when %s.", one(v.name), one(lacks))
		}
	}
}

// givesBack tells whether a function may return one of its texts.
func (s *scene) givesBack(fn code.Node, v variable) bool {
	if s.d.lang == golang {
		res, ok := fn.ChildByField("result")
		return ok && v.typ == "string" && res.Text() == v.typ && s.facts.imports["strings"]
	}
	return roughly(v.typ) == "text" || v.typ == "" && strings.Contains(fn.Text(), "return "+v.name)
}

// markedBy lists the characters that a function compares with.
func markedBy(fn code.Node) []string {
	var out []string
	fn.Walk(func(c code.Node) bool {
		if _, op, right, ok := binary(c); ok && isComparison(op.Text()) && len(out) < 3 {
			if text := right.Text(); right.Kind() == "rune_literal" || plainString(right) && len(text) == 3 {
				out = addOnce(out, text)
			}
		}
		return true
	})
	return out
}

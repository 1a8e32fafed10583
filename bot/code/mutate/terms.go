package mutate

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// tokensOf lists the leaves of a piece of code.
func tokensOf(n code.Node) []code.Node {
	var out []code.Node
	n.Walk(func(c code.Node) bool {
		if c.IsExtra() {
			return false
		}
		if len(c.Children()) == 0 && c.End() > c.Start() {
			out = append(out, c)
		}
		return true
	})
	return out
}

// isName tells a leaf that names something.
func isName(n code.Node) bool { return strings.HasSuffix(n.Kind(), "identifier") }

// brief writes a guard in the manner of the file: without braces on one line
// where JavaScript's ifs of the file do so.
func (s *scene) brief(cond, action string) string {
	if s.d.lang == js && s.bracesLeftOut() {
		return "if (" + cond + ") " + action
	}
	text := s.guard(cond, action)
	if s.d.lang == js && !strings.Contains(string(s.src), ";\n") {
		return strings.ReplaceAll(text, ";\n}", "\n}")
	}
	return text
}

// bracesLeftOut tells whether the file has an if without braces that leaves.
func (s *scene) bracesLeftOut() bool {
	for _, g := range s.facts.guards {
		if c, ok := g.ChildByField("consequence"); ok && c.Kind() != "statement_block" {
			return true
		}
	}
	return false
}

// wordsOf takes a name apart: preSelf, pre_self → pre, self.
func wordsOf(name string) []string {
	var out []string
	from := 0
	flush := func(to int) {
		if to > from {
			out = append(out, strings.ToLower(name[from:to]))
		}
	}
	for i := range len(name) {
		c := name[i]
		switch {
		case c == '_' || c == '$':
			flush(i)
			from = i + 1
		case c >= 'A' && c <= 'Z' && i > 0 && name[i-1] >= 'a' && name[i-1] <= 'z':
			flush(i)
			from = i
		}
	}
	flush(len(name))
	return out
}

// termOpposite asks, of what the function compares elsewhere, the other way
// round: where x.length === 0 was dealt with, x.length > 0 may be meant here.
func termOpposite(s *scene, n code.Node) {
	c, ok := condition(n)
	fn, in := enclosing(n)
	if !ok || !in || c.Start() < s.start || !forceable(c) || s.isElse(n) {
		return
	}
	about := n.Text() // what the condition decides on speaks of it, or it itself does
	done := 0
	for _, d := range s.facts.conditions {
		if d.Start() < fn.Start() || d.End() > fn.End() || d == c {
			continue
		}
		terms, _ := termsOf(d)
		for _, t := range terms {
			left, op, right, ok := binary(t)
			if !ok || !isConstant(right) || done >= 6 || !s.inScope(t, c.Start()) || rootName(left) == "" || wordCount(about, rootName(left)) == 0 {
				continue
			}
			done++
			for i, turned := range turnedRound(op.Text(), right.Text()) {
				term := left.Text() + " " + turned + " " + right.Text()
				w := []float64{1, 0.6}[i]
				s.addTermBeside(c, s.d.and, term, true, w)
				s.addTermBeside(c, s.d.or, term, true, w)
			}
		}
	}
}

// isElse tells an if that follows an else.
func (s *scene) isElse(n code.Node) bool {
	return n.Kind() == "elif_clause" || n.Up() == "else_clause" || n.Kind() == "if_statement" && n.Field() == "alternative"
}

// turnedRound lists the comparisons that hold where one does not.
func turnedRound(op, constant string) []string {
	switch op {
	case "==", "===":
		if constant == "0" {
			return []string{">", strings.Replace(op, "=", "!", 1)}
		}
		return []string{strings.Replace(op, "=", "!", 1)}
	case "!=", "!==":
		return []string{strings.Replace(op, "!", "=", 1)}
	case "is":
		return []string{"is not"}
	case "is not":
		return []string{"is"}
	case ">":
		return []string{map[bool]string{true: "==", false: "<="}[constant == "0"]}
	case "<":
		return []string{">="}
	}
	return nil
}

// termPair compares two values that stand to each other as two that the function
// compares do: selfInt > otherInt, so preSelf > preOther.
func termPair(s *scene, n code.Node) {
	c, ok := condition(n)
	fn, in := enclosing(n)
	if !ok || !in || c.Start() < s.start || !forceable(c) {
		return
	}
	visible := s.facts.visible(c.Start())
	done := 0
	for _, d := range s.facts.conditions {
		left, op, right, ok := binary(d)
		if !ok || d == c || d.Start() < fn.Start() || d.End() > fn.End() || left.Kind() != "identifier" || right.Kind() != "identifier" || !isComparison(op.Text()) {
			continue
		}
		for _, v := range visible {
			for _, w := range visible {
				if v.typ != w.typ || v.typ == "bool" || v.name == left.Text() || wordCount(c.Text(), v.name) > 0 || !sameRelation(left.Text(), right.Text(), v.name, w.name) || done >= 6 {
					continue
				}
				term := v.name + " " + op.Text() + " " + w.name
				if strings.Contains(fn.Text(), term) {
					continue
				}
				done++
				weight := 0.4
				if sharesWord(c, v.name) {
					weight = 1
				}
				s.addTermBeside(c, s.d.and, term, false, weight)
				s.addTermBeside(c, s.d.or, term, false, weight/2)
			}
		}
	}
}

// sharesWord tells whether a piece of code names something with a word of a name.
func sharesWord(n code.Node, name string) bool {
	own := wordsOf(name)
	return slices.ContainsFunc(tokensOf(n), func(leaf code.Node) bool {
		return isName(leaf) && slices.ContainsFunc(wordsOf(leaf.Text()), func(w string) bool { return len(w) > 2 && slices.Contains(own, w) })
	})
}

// sameRelation tells whether c is to d what a is to b, by the words of their
// names.
func sameRelation(a, b, c, d string) bool {
	x, y := differing(wordsOf(a), wordsOf(b))
	v, w := differing(wordsOf(c), wordsOf(d))
	return x != "" && x == v && y == w
}

// differing are the only words in which two names differ.
func differing(a, b []string) (x, y string) {
	if len(a) != len(b) || len(a) < 2 {
		return "", ""
	}
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		if x != "" {
			return "", ""
		}
		x, y = a[i], b[i]
	}
	return x, y
}

// termsOf lists the terms that a condition joins with one operator.
func termsOf(n code.Node) (terms []code.Node, op string) {
	n = inner(n)
	left, o, right, ok := binary(n)
	if !ok || !isLogic(o.Text()) {
		return []code.Node{n}, ""
	}
	op = o.Text()
	if more, same := termsOf(left); same == op && left.Kind() != "parenthesized_expression" {
		return append(more, right), op
	}
	return []code.Node{left, right}, op
}

// addTermBeside joins a condition with another one.
func (s *scene) addTermBeside(c code.Node, op, term string, first bool, w float64) {
	if strings.Contains(c.Text(), term) {
		return
	}
	text := s.joined(c, op) + " " + op + " " + term
	if first {
		text = term + " " + op + " " + s.joined(c, op)
	}
	s.put(c.Start(), c.End(), text, w, "Ask for %s %s too.", op, one(term))
}

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

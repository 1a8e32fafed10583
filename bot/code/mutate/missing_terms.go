package mutate

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// equality takes a comparison with a constant apart, and tells how another one
// on the same subject is joined to it.
func (s *scene) equality(n code.Node) (subject, constant code.Node, op, join string, ok bool) {
	left, o, right, ok := binary(n)
	if !ok || !isConstant(right) || isConstant(left) || len(left.Text()) > 60 || strings.Contains(n.Text(), "\n") {
		return subject, constant, "", "", false
	}
	switch op = o.Text(); op {
	case "==", "===", "is":
		return left, right, op, s.d.or, true
	case "!=", "!==", "is not":
		return left, right, op, s.d.and, true
	}
	return subject, constant, "", "", false
}

// alternatives lists other constants that a subject may be compared with: what
// means empty too, and what the project holds the same name against.
func (s *scene) alternatives(subject, constant code.Node) []choice {
	var out []choice
	add := func(text string, w float64) {
		if text != constant.Text() && !slices.ContainsFunc(out, func(c choice) bool { return c.text == text }) {
			out = append(out, choice{text, w})
		}
	}
	switch constant.Kind() {
	case "null", "undefined", "true", "false":
		for i, text := range strings.Fields("undefined null false true") {
			if s.d.lang == js {
				add(text, []float64{1, 1, 0.8, 0.4}[i])
			}
		}
		if s.d.lang == js {
			add("''", 0.2)
		}
	case "none":
		add(`""`, 0.3)
		add("False", 0.3)
	}
	kind := constant.Kind()
	name := lastName(calleeOf(subject))
	for _, c := range s.project.compared[name] {
		if c.kind == kind && name != "" && len(out) < 8 {
			add(c.text, 0.8)
		}
	}
	for _, group := range s.project.unions {
		if slices.Contains(group, unquoted(constant.Text())) && isString(constant) {
			for _, text := range group {
				add(quotedAs(constant.Text(), text), 0.8)
			}
		}
	}
	return out
}

// calleeOf is what is called, or the expression itself.
func calleeOf(n code.Node) code.Node {
	if fn, _, _, ok := call(n); ok {
		return fn
	}
	return n
}

func unquoted(text string) string { return strings.Trim(text, "\"'`") }

// quotedAs writes a text in the quotes of another.
func quotedAs(like, text string) string {
	if like == "" {
		return text
	}
	return like[:1] + text + like[:1]
}

// termAlternative asks for another value of the same subject too: x === null
// becomes x === null || x === undefined.
func termAlternative(s *scene, n code.Node) {
	subject, constant, op, join, ok := s.equality(n)
	if !ok {
		return
	}
	top := n
	for up := parentOf(top); ; up = parentOf(top) {
		if _, o, _, is := binary(up); !is || o.Text() != join || up == top {
			break
		}
		top = up
	}
	terms, _ := termsOf(top)
	for _, t := range terms {
		if l, o, _, is := binary(t); is && t.Start() > n.End() && l.Text() == subject.Text() && o.Text() == op {
			return // the last of several on the subject does it
		}
	}
	put := func(text string, w float64, what string) {
		if up := parentOf(n); top == n && !standsAlone(n, up) {
			text = "(" + text + ")"
		}
		s.put(n.Start(), n.End(), text, w, "Ask for %s %s too.", join, what)
	}
	for _, a := range s.alternatives(subject, constant) {
		term := subject.Text() + " " + op + " " + a.text
		if slices.ContainsFunc(terms, func(t code.Node) bool { return t.Text() == term }) {
			continue
		}
		put(n.Text()+" "+join+" "+term, a.weight, one(term))
	}
	for _, group := range s.project.unions {
		if len(group) < 3 || len(group) > 6 || !slices.Contains(group, unquoted(constant.Text())) || top != n || !isString(constant) {
			continue
		}
		var all []string
		for _, text := range group {
			all = append(all, subject.Text()+" "+op+" "+quotedAs(constant.Text(), text))
		}
		put(strings.Join(all, " "+join+" "), 0.8, one(strings.Join(all, ", ")))
	}
}

// standsAlone tells whether what joins terms needs no parentheses here.
func standsAlone(n, up code.Node) bool {
	if _, op, _, ok := binary(up); ok {
		return isLogic(op.Text()) && op.Text() != "&&" && op.Text() != "and"
	}
	switch up.Kind() {
	case "not_operator", "unary_expression", "await", "await_expression":
		return false
	}
	return n.Field() != "object"
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

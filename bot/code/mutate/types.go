package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// containerCase goes on into a kind of container that a function, which asks
// for another kind, lets pass as it is.
func containerCase(s *scene, n code.Node) {
	if n.Kind() != "if_statement" || !isStatement(n) {
		return
	}
	c, ok := n.ChildByField("condition")
	if !ok {
		return
	}
	test, args, _, ok := call(c)
	if !ok || test.Text() != "isinstance" || len(args) != 2 || args[0].Kind() != "identifier" {
		return
	}
	fn, ok := enclosing(n)
	if !ok {
		return
	}
	value := args[0].Text()
	item := "item"
	inner := s.recursion(fn, value, item)
	for _, kind := range []string{"list", "dict", "tuple", "set"} {
		if wordCount(fn.Text(), kind+")") > 0 || wordCount(args[1].Text(), kind) > 0 {
			continue
		}
		var results []string
		switch {
		case inner != "" && kind == "dict":
			results = []string{"{key: " + inner + " for key, " + item + " in " + value + ".items()}"}
		case inner != "" && kind == "list":
			results = []string{"[" + inner + " for " + item + " in " + value + "]"}
		case inner != "":
			results = []string{kind + "(" + inner + " for " + item + " in " + value + ")"}
		}
		results = append(results, kind+"("+value+")")
		for i, r := range results {
			text := "if isinstance(" + value + ", " + kind + "):\n\treturn " + r + "\n"
			in, alone := s.indent(n)
			if !alone {
				continue
			}
			s.put(n.Start(), n.Start(), strings.TrimRight(s.lines(text, in), " \t")+in, []float64{1, 0.5}[i], "Go into a %s too, by %s.", kind, one(r))
		}
	}
}

// recursion is a function's call of itself with its first argument, or the
// one that belongs to value, replaced.
func (s *scene) recursion(fn code.Node, value, item string) string {
	name, ok := fn.ChildByField("name")
	if !ok {
		return ""
	}
	found := ""
	fn.Walk(func(c code.Node) bool {
		f, args, _, ok := call(c)
		if !ok || found != "" || len(args) == 0 {
			return found == ""
		}
		_, m, has := member(f)
		if f.Text() != name.Text() && (!has || m.Text() != name.Text()) {
			return true
		}
		parts := []string{item}
		for _, a := range args[1:] {
			if wordCount(a.Text(), value) > 0 || !s.inScope(a, fn.End()-1) {
				return true
			}
			parts = append(parts, a.Text())
		}
		found = f.Text() + "(" + strings.Join(parts, ", ") + ")"
		return false
	})
	return found
}

// handleException does something else where a statement fails.
func handleException(s *scene, n code.Node) {
	if !isStatement(n) || !s.ownLines(n) || n.EndLine() > n.Line()+2 {
		return
	}
	switch n.Kind() {
	case "expression_statement", "return_statement":
	default:
		return
	}
	fn, ok := enclosing(n)
	if !ok || !strings.ContainsAny(n.Text(), "([") {
		return
	}
	in, _ := s.indent(n)
	leave := s.exits(fn)
	if _, loop := inLoop(n); loop {
		leave = append([]choice{{"continue", 1}}, leave...)
	}
	text := strings.ReplaceAll(n.Text(), "\n"+in, "\n"+in+s.unit)
	for _, e := range append([]string{"ValueError", "KeyError"}, s.facts.exceptions...) {
		for i, x := range leave {
			if i < 3 && len(e) < 40 {
				out := "try:" + s.eol + in + s.unit + text + s.eol + in + "except " + e + ":" + s.eol + in + s.unit + x.text
				s.put(n.Start(), n.End(), out, x.weight, "When %s raises %s, %s.", one(n.Text()), e, x.text)
			}
		}
	}
}

package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// kinOf are the types that are often forgotten beside a type.
var kinOf = map[string][]string{
	"dict": {"list", "tuple"}, "list": {"tuple", "dict", "set"}, "tuple": {"list"}, "set": {"frozenset", "list"}, "int": {"float"}, "float": {"int"}, "str": {"bytes"}, "bytes": {"str"},
}

// isinstanceTest lets a test of a value's type hold for more types, or for others.
func isinstanceTest(s *scene, n code.Node) {
	fn, args, _, ok := call(n)
	if !ok || fn.Text() != "isinstance" || len(args) != 2 {
		return
	}
	t := args[1]
	if t.Kind() == "tuple" {
		for _, k := range t.NamedChildren() {
			for _, kin := range kinOf[k.Text()] {
				if wordCount(t.Text(), kin) == 0 {
					s.put(k.End(), k.End(), ", "+kin, 1, "Take a %s too.", kin)
				}
			}
		}
		return
	}
	for _, kin := range kinOf[t.Text()] {
		s.put(t.Start(), t.End(), "("+t.Text()+", "+kin+")", 1, "Take a %s too.", kin)
		s.put(t.Start(), t.End(), kin, 0.4, "Ask for %s instead of %s.", kin, t.Text())
	}
}

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

// yieldKind gives each part instead of the whole, or the whole.
func yieldKind(s *scene, n code.Node) {
	if n.Kind() != "yield" {
		return
	}
	kids := n.NamedChildren()
	if len(kids) != 1 {
		return
	}
	if strings.HasPrefix(n.Text(), "yield from ") {
		s.put(n.Start(), n.End(), "yield "+kids[0].Text(), 1, "Give %s itself, not its parts.", one(kids[0].Text()))
		return
	}
	s.put(n.Start(), n.End(), "yield from "+kids[0].Text(), 1, "Give each part of %s.", one(kids[0].Text()))
}

// patternFlag lets a pattern ignore case, or see lines.
func patternFlag(s *scene, n code.Node) {
	fn, args, _, ok := call(n)
	if !ok || len(args) == 0 || !strings.HasPrefix(fn.Text(), "re.") || fn.Text() == "re.escape" {
		return
	}
	if strings.Contains(n.Text(), "re.I") || strings.Contains(n.Text(), "flags") {
		return
	}
	last := args[len(args)-1]
	for i, f := range []string{"IGNORECASE", "MULTILINE", "DOTALL"} {
		s.put(last.End(), last.End(), ", flags=re."+f, []float64{1, 0.6, 0.6}[i], "Match with re.%s.", f)
	}
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

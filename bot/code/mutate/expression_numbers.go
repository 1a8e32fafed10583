package mutate

import (
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// charCode uses the code of the character that the comment behind a number, or
// the text beside it, names.
func charCode(s *scene, n code.Node) {
	if !isInteger(n) {
		return
	}
	rest := strings.TrimLeft(string(s.src[n.End():min(len(s.src), n.End()+24)]), " ")
	rest, commented := strings.CutPrefix(rest, "/*")
	if !commented {
		rest, commented = strings.CutPrefix(rest, "# ")
	}
	if !commented {
		return
	}
	rest, _, _ = strings.Cut(rest, "*/")
	rest, _, _ = strings.Cut(rest, "\n")
	text := strings.Trim(strings.TrimSpace(rest), "`'\"")
	if c, ok := namedCodes[text]; ok {
		s.put(n.Start(), n.End(), strconv.Itoa(c), 1, "Use the code of %s, as the comment says.", one(text))
	} else if r := []rune(text); len(r) == 1 {
		s.put(n.Start(), n.End(), strconv.Itoa(int(r[0])), 1, "Use the code of %s, as the comment says.", one(text))
	}
}

// namedCodes are the escapes of characters that cannot be seen.
var namedCodes = map[string]int{`\n`: 10, `\r`: 13, `\t`: 9, `\f`: 12, `\v`: 11, `\0`: 0, `\b`: 8, `\\`: 92, `space`: 32}

// numberBetween gives a number the place that it has among those of the
// statements before and after it, which go up or down in steps.
func numberBetween(s *scene, n code.Node) {
	own, ok := intOf(n)
	st, found := statementOf(n)
	if !ok || !found {
		return
	}
	before, ok1 := s.sameNumber(st, n, -1)
	after, ok2 := s.sameNumber(st, n, 1)
	first, ok0 := s.sameNumber(st, n, -2)
	switch {
	case ok1 && ok2 && (own-before)*(after-own) < 0 && (before+after)%2 == 0:
		s.put(n.Start(), n.End(), strconv.Itoa((before+after)/2), 1, "Use the number between those before and after.")
	case ok0 && ok1 && 2*before-first != own && !ok2:
		s.put(n.Start(), n.End(), strconv.Itoa(2*before-first), 0.5, "Go on in the steps of the numbers before.")
	}
}

func intOf(n code.Node) (int, bool) {
	if !isInteger(n) {
		return 0, false
	}
	v, err := strconv.Atoi(n.Text())
	return v, err == nil
}

// sameNumber is the last number of a neighbour statement that has the shape of
// this one, where the number is this one's last.
func (s *scene) sameNumber(st, n code.Node, step int) (int, bool) {
	list := parentOf(st).NamedChildren()
	for i, c := range list {
		if c != st || i+step < 0 || i+step >= len(list) {
			continue
		}
		other := list[i+step]
		head, _, _ := strings.Cut(other.Text(), "(")
		if !strings.HasPrefix(st.Text(), head+"(") || lastInteger(st) != n {
			return 0, false
		}
		last := lastInteger(other)
		if last.Tree() == nil {
			return 0, false
		}
		return intOf(last)
	}
	return 0, false
}

func lastInteger(n code.Node) code.Node {
	var last code.Node
	n.Walk(func(c code.Node) bool {
		if isInteger(c) {
			last = c
		}
		return true
	})
	return last
}

// countOn lets what is set to a constant count on from what it was.
func countOn(s *scene, n code.Node) {
	left, op, right, ok := assignment(n)
	if !ok || n.Kind() == "expression_statement" || op.Text() != "=" || !isConstant(right) || !isInteger(right) && !isString(right) {
		return
	}
	for i, sign := range []string{" + ", " - ", " * "} {
		if i == 0 || isInteger(right) {
			s.put(right.Start(), right.End(), left.Text()+sign+right.Text(), []float64{1, 0.5, 0.2}[i], "Let %s go on from what it was.", one(left.Text()))
		}
	}
}

// errorKind throws an error of another kind.
func errorKind(s *scene, n code.Node) {
	if n.Kind() != "new_expression" {
		return
	}
	c, ok := n.ChildByField("constructor")
	if !ok || !strings.HasSuffix(c.Text(), "Error") {
		return
	}
	for _, kind := range []string{"TypeError", "RangeError", "Error", "SyntaxError", "ReferenceError"} {
		w := 0.5
		if strings.Contains(string(s.src), kind+"(") {
			w = 1
		}
		s.put(c.Start(), c.End(), kind, w, "Throw a %s.", kind)
	}
}

// argumentConstant hands a call one constant more, and range its other end.
func argumentConstant(s *scene, n code.Node) {
	fn, args, _, ok := call(n)
	if !ok || len(args) == 0 || len(args) > 3 || hasKeyword(args) || args[0].Kind() == "generator_expression" {
		return
	}
	if f := s.callee(fn); f != nil && !f.takes(len(args)+1) {
		return
	}
	at := args[len(args)-1].End()
	if fn.Text() == "range" && len(args) == 1 {
		s.rangeEnd(n, args[0])
	}
	if _, _, ok := member(fn); !ok && s.called(fn.Text()) == nil {
		return // a builtin function takes what it takes
	}
	for i, c := range []string{"0", s.d.null, s.d.yes} {
		s.put(at, at, ", "+c, []float64{1, 0.4, 0.4}[i], "Pass %s to %s too.", c, one(fn.Text()))
	}
}

// rangeEnd lets a range go up to the length or the last of what the loop asks
// for.
func (s *scene) rangeEnd(n, from code.Node) {
	loop, ok := n.Ancestor("for_statement", "list_comprehension", "generator_expression")
	if !ok || !isInteger(from) {
		return
	}
	seen := map[string]bool{}
	loop.Walk(func(c code.Node) bool {
		name := ""
		if o, _, ok := element(c); ok && o.Kind() == "identifier" {
			name = o.Text()
		}
		if name == "" || seen[name] || len(seen) > 3 {
			return true
		}
		seen[name] = true
		for i, form := range []string{"len(%)", "max(%)", "max(%) + 1"} {
			end := strings.Replace(form, "%", name, 1)
			w := []float64{3, 2, 2}[i]
			s.put(from.Start(), from.End(), end, w, "Go up to %s.", one(end))
			s.put(from.Start(), from.End(), from.Text()+", "+end, w, "Go up to %s.", one(end))
		}
		return true
	})
}

// namedWrap treats a value as the name of the function says: emitTrim trims.
func namedWrap(s *scene, n code.Node) {
	if !wrappable(n) && callName(n) == "" {
		return
	}
	fn, ok := enclosing(n)
	if !ok || n.Up() == "expression_statement" || n.Field() == "object" || n.Field() == "operand" || n.Field() == "function" || !isValue(n) || len(n.Text()) > 60 {
		return
	}
	id, ok := fn.ChildByField("name")
	if !ok {
		return
	}
	said := map[string]bool{}
	for _, w := range strings.Split(spellings(id.Text())[min(1, len(spellings(id.Text()))-1)], "-") {
		said[w] = len(w) > 2
	}
	for _, x := range append(wraps[s.d.lang], wrap{"String(%)", "", ""}) {
		call := strings.Trim(x.form, "%().0123456789, ")
		parts := spellings(call[strings.LastIndexByte(call, '.')+1:])
		hit := false
		for _, w := range strings.Split(parts[min(1, len(parts)-1)], "-") {
			hit = hit || said[w]
		}
		if hit && (x.needs == "" || s.facts.imports[x.needs]) && !s.inside(n, strings.SplitN(x.form, "%", 2)[0]) {
			text := strings.Replace(x.form, "%", n.Text(), 1)
			s.put(n.Start(), n.End(), text, 1, "Use %s, as the name of the function says.", one(text))
		}
	}
}

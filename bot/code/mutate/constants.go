package mutate

import (
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

func integerConstant(s *scene, n code.Node) {
	if !isInteger(n) {
		return
	}
	negative := n.Up() == "unary_operator" || n.Up() == "unary_expression"
	put := func(text string, w float64) {
		if text != n.Text() {
			s.put(n.Start(), n.End(), text, w, "Use %s instead of %s.", text, n.Text())
		}
	}
	put("0", 0.8)
	put("1", 0.8)
	if n.Text() != "0" {
		if !negative && !unsignedPlace(n) {
			put("-"+n.Text(), 0.4)
		}
		put("2", 0.3)
		put(n.Text()+"0", 0.3)
		if strings.HasSuffix(n.Text(), "0") && len(n.Text()) > 1 {
			put(strings.TrimSuffix(n.Text(), "0"), 0.4)
		}
	}
	for i, other := range s.facts.ints {
		if i < 25 {
			put(other, 0.3)
		}
	}
	if v, err := strconv.Atoi(n.Text()); err == nil && v > 3 {
		put(strconv.Itoa(v*2), 0.1)
		put(strconv.Itoa(v/2), 0.1)
	}
}

func stringConstant(s *scene, n code.Node) {
	if !plainString(n) || n.Up() == "expression_statement" || n.Up() == "import_spec" || n.Field() == "source" {
		return
	}
	own := role(n)
	for i, c := range s.facts.strings {
		if i >= 60 || c.text == n.Text() {
			continue
		}
		w := 0.2
		if c.role == own {
			w = 1
		}
		if near(c.text, n.Text()) {
			w *= 3
		}
		s.put(n.Start(), n.End(), c.text, w, "Use %s instead of %s.", one(c.text), one(n.Text()))
	}
	body := n.Text()[1 : len(n.Text())-1]
	q := n.Text()[:1]
	if body != "" {
		if s.d.lang != golang || q == `"` {
			s.put(n.Start(), n.End(), q+q, 0.3, "Use the empty text instead of %s.", one(n.Text()))
		}
		for _, v := range []string{strings.ToLower(body), strings.ToUpper(body), strings.TrimSpace(body)} {
			if v != "" && !strings.Contains(v, `\`) {
				s.put(n.Start(), n.End(), q+v+q, 0.2, "Use %s instead of %s.", one(q+v+q), one(n.Text()))
			}
		}
	}
	switch body {
	case "":
		s.put(n.Start(), n.End(), q+" "+q, 0.4, "Use a space instead of nothing.")
		s.put(n.Start(), n.End(), q+", "+q, 0.1, "Use a comma and a space instead of nothing.")
	case " ":
		s.put(n.Start(), n.End(), q+", "+q, 0.1, "Use a comma and a space instead of a space.")
	case ",":
		s.put(n.Start(), n.End(), q+", "+q, 0.4, "Put a space after the comma.")
	}
}

// near tells two names that are easily confused: they share a word, or differ
// by at most two letters.
func near(a, b string) bool {
	a, b = strings.ToLower(strings.Trim(a, `"'`)), strings.ToLower(strings.Trim(b, `"'`))
	if a == b {
		return true
	}
	if len(a) > 3 && len(b) > 3 && (strings.Contains(a, b) || strings.Contains(b, a)) {
		return true
	}
	for w := range strings.FieldsFuncSeq(a, func(r rune) bool { return r == '_' || r == ' ' || r == '-' }) {
		if len(w) > 2 {
			for v := range strings.FieldsFuncSeq(b, func(r rune) bool { return r == '_' || r == ' ' || r == '-' }) {
				if v == w {
					return true
				}
			}
		}
	}
	return len(a) > 3 && len(b) > 3 && code.Distance(a, b) <= 2
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

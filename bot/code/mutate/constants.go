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

func floatConstant(s *scene, n code.Node) {
	k := n.Kind()
	if k != "float" && k != "float_literal" && (k != "number" || !strings.Contains(n.Text(), ".")) {
		return
	}
	v, err := strconv.ParseFloat(n.Text(), 64)
	if err != nil {
		return
	}
	for _, c := range []float64{v * 10, v / 10, 1 - v, v * 100, v / 100, 1 + v, 1, 0, v * 2, v / 2} {
		text := strconv.FormatFloat(c, 'g', 10, 64)
		if c < 0 || text == n.Text() {
			continue
		}
		if !strings.ContainsAny(text, ".e") {
			text += ".0"
		}
		s.put(n.Start(), n.End(), text, 1, "Use %s instead of %s.", text, n.Text())
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
	if body == "" {
		s.put(n.Start(), n.End(), q+" "+q, 0.4, "Use a space instead of nothing.")
		s.put(n.Start(), n.End(), q+", "+q, 0.1, "Use a comma and a space instead of nothing.")
	}
	if body == " " {
		s.put(n.Start(), n.End(), q+", "+q, 0.1, "Use a comma and a space instead of a space.")
	}
	if body == "," {
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

func initialValue(s *scene, n code.Node) {
	switch n.Kind() {
	case "assignment", "variable_declarator", "short_var_declaration", "var_spec", "assignment_expression":
	default:
		return
	}
	v, ok := n.ChildByField("right")
	if !ok {
		v, ok = n.ChildByField("value")
	}
	if !ok {
		return
	}
	if v.Kind() == "expression_list" {
		kids := v.NamedChildren()
		if len(kids) != 1 {
			return
		}
		v = kids[0]
	}
	var to []string
	switch v.Kind() {
	case "integer", "number", "int_literal":
		if v.Text() != "0" && v.Text() != "1" {
			return
		}
		to = map[int][]string{
			py: {`float("inf")`, `float("-inf")`, "None", "[]", `""`}, js: {"Infinity", "-Infinity", "null", "[]", `""`}, golang: {"math.MaxInt", "math.MinInt"},
		}[s.d.lang]
		if s.d.lang == golang && !s.facts.imports["math"] {
			to = nil
		}
	case "none", "null", "undefined":
		to = []string{"0", "[]", "{}", `""`, s.d.no}
	case "list", "array":
		if v.Text() == "[]" {
			to = []string{"{}", s.d.null}
			if s.d.lang == py {
				to = append(to, "set()")
			}
		}
	case "dictionary", "object":
		if v.Text() == "{}" {
			to = []string{"[]", s.d.null}
			if s.d.lang == py {
				to = append(to, "set()")
			}
		}
	}
	if p, ok := s.seed(n, v); ok {
		to = append(to, p)
	}
	for i, text := range to {
		s.put(v.Start(), v.End(), text, []float64{1, 0.6, 0.4, 0.3, 0.2, 1}[min(i, 5)], "Begin with %s instead of %s.", text, one(v.Text()))
	}
}

// seed is the first element of what the loop right after an initialisation
// goes over: the value to begin a minimum or maximum with.
func (s *scene) seed(n, v code.Node) (string, bool) {
	st, ok := statementOf(n)
	if !ok || !isInteger(v) && v.Kind() != "unary_operator" {
		return "", false
	}
	p, _ := st.Parent()
	list := p.NamedChildren()
	for i, c := range list {
		if c == st && i+1 < len(list) && (list[i+1].Kind() == "for_statement" || list[i+1].Kind() == "for_in_statement") {
			r, ok := list[i+1].ChildByField("right")
			if !ok {
				r, ok = firstOf(list[i+1], "range_clause", "right")
			}
			if ok && (r.Kind() == "identifier" || r.Kind() == "attribute" || r.Kind() == "member_expression" || r.Kind() == "selector_expression") {
				return r.Text() + "[0]", true
			}
		}
	}
	return "", false
}

func firstOf(n code.Node, kind, field string) (code.Node, bool) {
	for _, c := range n.NamedChildren() {
		if c.Kind() == kind {
			return c.ChildByField(field)
		}
	}
	return code.Node{}, false
}

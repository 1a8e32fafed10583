package mutate

import (
	"strings"
	"unicode"

	"github.com/fettle-dev/fettle/bot/code"
)

// ownName lets what is named after something be that: a keyword argument its
// variable, a key its value, a field what is kept under its name.
func ownName(s *scene, n code.Node) {
	switch n.Kind() {
	case "keyword_argument":
		name, ok1 := n.ChildByField("name")
		value, ok2 := n.ChildByField("value")
		if !ok1 || !ok2 || value.Kind() != "identifier" || value.Text() == name.Text() {
			return
		}
		if _, ok := s.facts.lookup(name.Text(), n.Start()); ok {
			s.put(value.Start(), value.End(), name.Text(), 1, "Pass %s as the argument of its name.", one(name.Text()))
		}
	case "pair":
		s.keyOfValue(n)
	case "assignment", "assignment_expression", "assignment_statement", "short_var_declaration", "variable_declarator":
		s.keyOfTarget(n)
	}
}

// keyOfValue names a key after the value that it stands for, in the way in
// which the keys beside it are written.
func (s *scene) keyOfValue(n code.Node) {
	key, ok1 := n.ChildByField("key")
	value, ok2 := n.ChildByField("value")
	if !ok1 || !ok2 || lastName(value) == "" {
		return
	}
	bare := unquoted(key.Text())
	for i, text := range spellings(lastName(value)) {
		if text == bare {
			return
		}
		quoted := text
		if plainString(key) {
			quoted = key.Text()[:1] + text + key.Text()[:1]
		} else if strings.Contains(text, "-") {
			continue
		}
		w := []float64{0.5, 0.5, 0.5, 0.3}[i]
		if strings.ContainsAny(bare, "-_") && strings.ContainsAny(text, "-_") && strings.Contains(bare, "-") == strings.Contains(text, "-") {
			w *= 3
		}
		s.put(key.Start(), key.End(), quoted, w, "Name the key of %s after it.", one(value.Text()))
	}
}

// keyOfTarget reads what is kept under the name that it is assigned to.
func (s *scene) keyOfTarget(n code.Node) {
	left, ok1 := n.ChildByField("left")
	if !ok1 {
		left, ok1 = n.ChildByField("name")
	}
	right, ok2 := n.ChildByField("right")
	if !ok2 {
		right, ok2 = n.ChildByField("value")
	}
	name := lastName(onlyOf(left))
	if !ok1 || !ok2 || name == "" {
		return
	}
	onlyOf(right).Walk(func(c code.Node) bool {
		var key code.Node
		if _, index, ok := element(c); ok {
			key = index
		} else if fn, args, _, ok := call(c); ok && len(args) > 0 {
			if _, m, has := member(fn); has && (m.Text() == "get" || m.Text() == "pop") {
				key = args[0]
			}
		}
		if key.Tree() == nil || !plainString(key) {
			return !isFunction(c)
		}
		q := key.Text()[:1]
		for i, text := range spellings(name) {
			if i == 0 || strings.ContainsAny(unquoted(key.Text()), "-_") {
				s.put(key.Start(), key.End(), q+text+q, 1, "Take what is kept as %s.", one(text))
			}
		}
		return true
	})
}

// spellings are a name as it stands and with its words joined by dashes,
// underscores and capitals.
func spellings(name string) []string {
	var words []string
	from := 0
	for i, r := range name {
		if i > from && (unicode.IsUpper(r) || r == '_' || r == '-') {
			words = append(words, strings.ToLower(strings.Trim(name[from:i], "_-")))
			from = i
		}
	}
	words = append(words, strings.ToLower(strings.Trim(name[from:], "_-")))
	if len(words) < 2 {
		return []string{name}
	}
	camel := words[0]
	for _, w := range words[1:] {
		if w != "" {
			camel += strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return []string{name, strings.Join(words, "-"), strings.Join(words, "_"), camel}
}

// namedText compares with the text that the branch speaks of: where a branch
// sets or uses remain, its condition may ask for "remain".
func namedText(s *scene, n code.Node) {
	if !plainString(n) || role(n) != "compared" {
		return
	}
	st, ok := n.Ancestor("if_statement", "elif_clause", "expression_case", "switch_case")
	if !ok {
		return
	}
	body, ok := st.ChildByField("consequence")
	if !ok || n.End() > body.Start() || body.End()-body.Start() > 600 {
		return
	}
	q := n.Text()[:1]
	seen := map[string]bool{unquoted(n.Text()): true}
	body.Walk(func(c code.Node) bool {
		if !isName(c) && !plainString(c) || isFunction(c) {
			return true
		}
		text := unquoted(c.Text())
		if len(text) < 2 || len(text) > 24 || seen[text] || len(seen) > 8 {
			return true
		}
		seen[text] = true
		w := 1.0
		if c.Field() == "left" || c.Up() == "expression_list" || c.Field() == "right" {
			w = 2
		}
		s.put(n.Start(), n.End(), q+text+q, w, "Ask for %s, which the branch speaks of.", one(text))
		return true
	})
}

// repeatedTerm gives a chain of comparisons that says the same twice another
// text: one of those that the project knows beside the others.
func repeatedTerm(s *scene, n code.Node) {
	left, op, right, ok := binary(n)
	if !ok || !isComparison(op.Text()) || !plainString(right) {
		return
	}
	p := parentOf(n)
	for _, _, _, logic := binary(p); logic; _, _, _, logic = binary(parentOf(p)) {
		if _, o, _, _ := binary(parentOf(p)); o.Tree() == nil || !isLogic(o.Text()) {
			break
		}
		p = parentOf(p)
	}
	if strings.Count(p.Text(), n.Text()) < 2 {
		return
	}
	for _, c := range s.groupTexts(lastName(left), right) {
		s.put(right.Start(), right.End(), c.text, c.weight, "Ask for %s: %s is asked for already.", one(c.text), one(right.Text()))
	}
}

// groupTexts lists texts that stand beside one in a type, and those that its
// name is compared with anywhere.
func (s *scene) groupTexts(name string, text code.Node) []choice {
	q, own := text.Text()[:1], unquoted(text.Text())
	var out []choice
	for _, group := range s.project.unions {
		if !containsText(group, own) {
			continue
		}
		for _, other := range group {
			if t := unquoted(other); t != own {
				out = append(out, choice{q + t + q, 2})
			}
		}
	}
	for _, h := range s.project.compared[name] {
		if t := unquoted(h.text); t != own && t != h.text {
			out = append(out, choice{q + t + q, 1})
		}
	}
	return best(out, 12)
}

func containsText(group []string, text string) bool {
	for _, g := range group {
		if unquoted(g) == text {
			return true
		}
	}
	return false
}

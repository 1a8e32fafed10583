package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// projectWrap hands a value to what the project hands values of that name to.
func projectWrap(s *scene, n code.Node) {
	if !wrappable(n) {
		return
	}
	for _, c := range s.wrapsFor(n, 8) {
		text := strings.Replace(c.text, "%", n.Text(), 1)
		s.put(n.Start(), n.End(), text, c.weight, "Use %s, as elsewhere in the project.", one(text))
	}
}

// wrappable tells a value that a call around it could be missing at.
func wrappable(n code.Node) bool {
	if !isValue(n) || n.Field() == "object" || n.Field() == "operand" && n.Up() == "selector_expression" || len(n.Text()) > 60 || strings.Contains(n.Text(), "\n") {
		return false
	}
	switch n.Up() {
	case "delete_statement", "defer_statement", "go_statement", "expression_statement", "await", "await_expression", "with_item", "raise_statement",
		"throw_statement", "as_pattern", "unary_expression", "not_operator", "interpreted_string_literal", "type_conversion_expression":
		return false
	}
	return lastName(n) != "" || callName(n) != ""
}

// callName is the last name of what a call calls.
func callName(n code.Node) string {
	fn, _, _, ok := call(n)
	if !ok {
		return ""
	}
	return lastName(fn)
}

// wrapsFor lists the forms that fit a value, the likeliest first.
func (s *scene) wrapsFor(n code.Node, most int) []choice {
	last := lastName(n)
	if last == "" {
		last = callName(n)
	}
	weights := map[string]float64{}
	var order []string
	add := func(form string, w float64) {
		if weights[form] == 0 {
			order = append(order, form)
		}
		weights[form] = max(weights[form], w)
	}
	for _, u := range s.project.wraps {
		if !s.reachable(u.form, n.Start()) || u.path != s.file && s.d.lang == golang && !s.reachableGo(u.form) {
			continue
		}
		w := 0.0
		switch {
		case u.last == last:
			w = 2
		case akin(u.last, last):
			w = 1
		}
		if u.path == s.file {
			w *= 1.5
		}
		if w > 0 {
			add(u.form, w)
		}
	}
	typ := ""
	if v, ok := s.facts.lookup(n.Text(), n.Start()); ok {
		typ = v.typ
	}
	here, _ := enclosing(n)
	for _, c := range s.calls {
		if !c.takes(1) || len(c.params) == 0 || c.node == here {
			continue
		}
		switch {
		case akin(c.params[0], last):
			add(c.text+"(%)", 2)
		case len(c.types) > 0 && typ == c.types[0] && c.result == typ:
			add(c.text+"(%)", 0.7)
		case len(c.types) == 0 && len(c.params) == 1 && c.path == s.file:
			add(c.text+"(%)", 0.3)
		}
	}
	s.ownWraps(n, last, typ, add)
	var list []choice
	for _, form := range order {
		if fn, _, wrapped := strings.Cut(form, "%"); wrapped && fn != "" && s.inside(n, fn) {
			continue
		}
		list = append(list, choice{form, weights[form]})
	}
	return best(list, most)
}

// ownWraps offers methods of the same object that take the one value.
func (s *scene) ownWraps(n code.Node, last, typ string, add func(string, float64)) {
	fn, ok := enclosing(n)
	if !ok {
		return
	}
	for p, ok := fn, true; ok && classOf(fn) == ""; p, ok = enclosing(p) {
		fn = p
	}
	name := classOf(fn)
	if name == "" {
		return
	}
	self := map[int]string{py: "self", js: "this", golang: receiverName(fn)}[s.d.lang]
	for _, m := range s.project.methodsOf(s.file, name) {
		if m.node == fn || !m.takes(1) || len(m.params) == 0 || self == "" || strings.HasPrefix(m.name, "__") {
			continue
		}
		switch {
		case akin(m.params[0], last):
			add(self+"."+m.name+"(%)", 2)
		case len(m.types) > 0 && typ == m.types[0] && m.result == typ:
			add(self+"."+m.name+"(%)", 1)
		}
	}
}

// receiverName is what a Go method calls its receiver.
func receiverName(fn code.Node) string {
	if r, ok := fn.ChildByField("receiver"); ok {
		if only, ok := r.OnlyNamed(); ok {
			return only.TextOf("name")
		}
	}
	return ""
}

// inside tells whether a value is already handed to a function, "f(".
func (s *scene) inside(n code.Node, prefix string) bool {
	up := parentOf(parentOf(n))
	return strings.HasPrefix(up.Text(), prefix) || n.Start() >= len(prefix) && string(s.src[n.Start()-len(prefix):n.Start()]) == prefix
}

// reachable tells whether the function of a form can be called at an offset.
func (s *scene) reachable(form string, at int) bool {
	fn, _, _ := strings.Cut(form, "(")
	root, _, dotted := strings.Cut(fn, ".")
	if root == "%" {
		return true
	}
	if _, ok := s.facts.lookup(root, at); ok {
		return true
	}
	if s.isModule(fn) {
		return true
	}
	if dotted {
		return s.facts.imports[root] || root == "Math" || root == "Object" || root == "Number" || root == "JSON"
	}
	return len(s.project.named[root]) == 0 && (s.d.lang != golang || s.facts.arity[root] > 0)
}

// reachableGo tells a form that Go's other files may hold under names of their own.
func (s *scene) reachableGo(form string) bool {
	fn, _, _ := strings.Cut(form, "(")
	return strings.HasPrefix(fn, "%.") || s.isModule(fn)
}

// bothOperands wraps two values of one statement the same way: a look-up that
// has to go by the root of both, a comparison of two normalised texts.
func bothOperands(s *scene, n code.Node) {
	if !isStatement(n) || n.EndLine() != n.Line() || len(n.Text()) > 120 {
		return
	}
	var values []code.Node
	n.Walk(func(c code.Node) bool {
		if c != n && isFunction(c) {
			return false
		}
		if c.Kind() == "identifier" && wrappable(c) && len(values) < 6 {
			values = append(values, c)
		}
		return true
	})
	for i, a := range values {
		for _, b := range values[i+1:] {
			if a.Text() == b.Text() {
				continue
			}
			for _, fa := range s.wrapsFor(a, 4) {
				for _, fb := range s.wrapsFor(b, 4) {
					if fa.text != fb.text {
						continue
					}
					text := strings.Replace(fa.text, "%", a.Text(), 1) + string(s.src[a.End():b.Start()]) + strings.Replace(fb.text, "%", b.Text(), 1)
					s.put(a.Start(), b.End(), text, min(fa.weight, fb.weight), "Use %s of both %s and %s.", one(fa.text), one(a.Text()), one(b.Text()))
				}
			}
		}
	}
}

// cleanValue cleans a text once, before anything is done with it.
func cleanValue(s *scene, n code.Node) {
	if !isStatement(n) {
		return
	}
	owner, ok := heads(n)
	if !ok {
		return
	}
	for _, v := range s.facts.visible(n.Start()) {
		if isLoop(owner) != (v.kind == "loop") || v.kind != "loop" && v.kind != "param" || v.from > n.Start() || v.kind == "param" && v.owner != owner.Start() {
			continue
		}
		if isLoop(owner) && (v.from < owner.Start() || v.from > n.Start()) || v.typ != "" && v.typ != "str" && v.typ != "text" && !strings.HasPrefix(v.typ, "Optional[str") && !strings.HasPrefix(v.typ, "str |") {
			continue
		}
		text := string(s.src[n.Start():owner.End()])
		w := 0.3
		if v.typ == "str" || textual(text, v.name) {
			w = 1
		}
		for _, f := range []choice{{".strip()", 1}, {".lower()", 0.8}, {".casefold()", 0.6}, {".rstrip()", 0.4}} {
			s.before(n, v.name+" = "+v.name+f.text, w*f.weight, "Use %s.", one(v.name+f.text))
		}
	}
}

// textual tells whether a name is used as a text.
func textual(text, name string) bool {
	for _, m := range []string{"split", "startswith", "endswith", "partition", "replace", "find", "strip", "lower", "upper", "isdigit", "rpartition", "removeprefix"} {
		if strings.Contains(text, name+"."+m+"(") {
			return true
		}
	}
	return false
}

// normaliseName cleans a text once, before anything is done with it.
func normaliseName(s *scene, n code.Node) {
	if !isStatement(n) {
		return
	}
	owner, ok := heads(n)
	if !ok {
		return
	}
	forms := []string{"%.trim()", "%.toLowerCase()"}
	if s.d.lang == golang {
		if !s.facts.imports["strings"] {
			return
		}
		forms = []string{"strings.TrimSpace(%)", "strings.ToLower(%)"}
	}
	end := map[bool]string{true: ";", false: ""}[s.d.lang == js]
	for _, v := range s.facts.visible(n.Start()) {
		if isLoop(owner) != (v.kind == "loop") || v.kind != "loop" && v.kind != "param" || v.to > owner.End() || v.from < owner.Start() {
			continue
		}
		if s.d.lang == golang && v.typ != "string" || v.typ != "" && v.typ != "string" && v.typ != "text" {
			continue
		}
		for _, f := range forms {
			text := strings.Replace(f, "%", v.name, 1)
			s.before(n, v.name+" = "+text+end, 1, "Use %s.", one(text))
		}
	}
}

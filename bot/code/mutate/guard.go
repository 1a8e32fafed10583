package mutate

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

func guardNull(s *scene, n code.Node) {
	if !isStatement(n) {
		return
	}
	if owner, ok := heads(n); ok {
		s.guardHead(owner, n)
	}
	fn, ok := enclosing(n)
	if !ok || n.EndLine() > n.Line()+3 {
		return
	}
	leave := s.exits(fn)
	if _, ok := inLoop(n); ok {
		leave = append([]choice{{"continue", 1}}, leave...)
	}
	for _, name := range s.dereferenced(n) {
		cond := name + s.d.isNull
		if s.d.lang == golang && !s.nillable(name, n.Start()) {
			continue
		}
		for i, x := range leave {
			if i < 4 {
				s.before(n, s.guard(cond, x.text), x.weight*0.6, "When %s is %s, %s first.", one(name), s.d.null, x.text)
			}
		}
	}
}

// guardHead guards the parameters of a function, or the variable of a loop.
func (s *scene) guardHead(owner, n code.Node) {
	if isLoop(owner) {
		for _, v := range s.facts.visible(n.Start()) {
			if v.kind != "loop" || v.from < owner.Start() || v.to > owner.End() && s.d.lang != py {
				continue
			}
			if s.d.lang != golang {
				s.before(n, s.guard(v.name+s.d.isNull, "continue"), 1, "Skip when %s is %s.", one(v.name), s.d.null)
				s.before(n, s.guard(s.falsy(v), "continue"), 0.7, "Skip when %s is empty.", one(v.name))
			} else if c := s.empty(v.name, v.typ); c != "" {
				s.before(n, s.guard(c, "continue"), 1, "Skip when %s.", one(c))
			}
		}
		return
	}
	for _, v := range s.facts.visible(n.Start()) {
		if v.kind != "param" || v.owner != owner.Start() {
			continue
		}
		for i, x := range s.exits(owner) {
			if i >= 6 {
				break
			}
			if s.d.lang == golang {
				if c := s.empty(v.name, v.typ); c != "" && !isResult(owner, v.name) {
					s.before(n, s.guard(c, x.text), 1, "When %s, %s first.", one(c), x.text)
				}
				continue
			}
			s.before(n, s.guard(v.name+s.d.isNull, x.text), x.weight, "When %s is %s, %s first.", one(v.name), s.d.null, x.text)
			s.before(n, s.guard(s.falsy(v), x.text), x.weight, "When %s is empty, %s first.", one(v.name), x.text)
		}
		if s.d.lang == py {
			s.before(n, s.guard(v.name+" is None", v.name+" = []"), 0.3, "Use an empty list when %s is None.", one(v.name))
			s.before(n, s.guard(v.name+" is None", v.name+" = {}"), 0.3, "Use an empty dict when %s is None.", one(v.name))
		}
	}
}

// falsy is the condition that a value is empty.
func (s *scene) falsy(v variable) string {
	if s.d.lang == js && v.typ == "list" {
		return v.name + ".length === 0"
	}
	return s.d.not + v.name
}

func isResult(fn code.Node, name string) bool {
	res, ok := fn.ChildByField("result")
	return ok && wordCount(res.Text(), name) > 0
}

// empty is the condition that a Go value of a type is its zero value.
func (s *scene) empty(name, typ string) string {
	switch {
	case strings.HasPrefix(typ, "*") || strings.HasPrefix(typ, "func") || typ == "any" || typ == "error" || strings.HasPrefix(typ, "interface"):
		return name + " == nil"
	case strings.HasPrefix(typ, "[]") || strings.HasPrefix(typ, "map["):
		return "len(" + name + ") == 0"
	case typ == "string":
		return name + ` == ""`
	case typ == "int" || typ == "float64" || typ == "int64":
		return name + " == 0"
	}
	return ""
}

func (s *scene) nillable(name string, at int) bool {
	v, ok := s.facts.lookup(name, at)
	return ok && (strings.HasPrefix(v.typ, "*") || v.typ == "error" || v.typ == "")
}

// dereferenced lists the variables of a statement that must not be null: what
// is indexed, or whose members are read.
func (s *scene) dereferenced(n code.Node) []string {
	var out []string
	n.Walk(func(c code.Node) bool {
		if c != n && (isFunction(c) || listKind(c)) {
			return false
		}
		o, _, ok := member(c)
		if !ok {
			o, _, ok = element(c)
		}
		if ok && o.Kind() == "identifier" && o.Text() != "self" && o.Text() != "this" {
			if v, known := s.facts.lookup(o.Text(), n.Start()); known && v.kind != "module" {
				out = addOnce(out, o.Text())
			}
		}
		return len(out) < 4
	})
	return out
}

// guardDonor copies a guard that stands elsewhere in the file.
func guardDonor(s *scene, n code.Node) {
	if !isStatement(n) {
		return
	}
	owner, ok := heads(n)
	if !ok {
		return
	}
	fn := owner
	if !isFunction(fn) {
		if fn, ok = enclosing(n); !ok {
			return
		}
	}
	in, alone := s.indent(n)
	if !alone {
		return
	}
	for _, g := range s.facts.guards {
		if g.Start() >= fn.Start() && g.End() <= fn.End() || isLoop(owner) && strings.Contains(g.Text(), "return") {
			continue
		}
		if !isLoop(owner) && (strings.Contains(g.Text(), "continue") || strings.Contains(g.Text(), "break")) {
			continue
		}
		gi, galone := s.indent(g)
		if !galone {
			continue
		}
		for _, text := range s.transplant(g, n) {
			text = strings.ReplaceAll(text, "\n"+gi, "\n"+in)
			s.put(n.Start(), n.Start(), text+s.eol+in, 1, "Guard with %s, as elsewhere in the file.", one(text))
		}
	}
}

// transplant writes a piece of code with the names that are in scope at n: as
// it is when all are, else with the one missing name replaced.
func (s *scene) transplant(piece, n code.Node) []string {
	visible := s.facts.visible(n.Start())
	var missing []string
	piece.Walk(func(c code.Node) bool {
		if c.Kind() != "identifier" || c.Field() == "attribute" || c.Field() == "property" {
			return true
		}
		if _, here := s.facts.lookup(c.Text(), c.Start()); !here {
			return true // a builtin, a function, an import
		}
		if !slices.ContainsFunc(visible, func(v variable) bool { return v.name == c.Text() }) {
			missing = addOnce(missing, c.Text())
		}
		return true
	})
	switch len(missing) {
	case 0:
		return []string{piece.Text()}
	case 1:
		var out []string
		old, _ := s.facts.lookup(missing[0], piece.Start())
		for _, v := range visible {
			if v.kind != "module" && fits(old.typ, v.typ) && len(out) < 4 {
				out = append(out, replaceWord(piece.Text(), missing[0], v.name))
			}
		}
		return out
	}
	return nil
}

// replaceWord replaces a name as a whole word.
func replaceWord(text, old, name string) string {
	var b strings.Builder
	from := 0
	for at := range code.Words(text, old) {
		if at == 0 || text[at-1] != '.' {
			b.WriteString(text[from:at] + name)
			from = at + len(old)
		}
	}
	return b.String() + text[from:]
}

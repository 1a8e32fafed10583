package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// literalFieldInit makes the maps that a literal of a struct leaves nil.
func literalFieldInit(s *scene, n code.Node) {
	if n.Kind() != "composite_literal" {
		return
	}
	typ, ok1 := n.ChildByField("type")
	b, ok2 := n.ChildByField("body")
	if !ok1 || !ok2 || typ.Kind() != "type_identifier" {
		return
	}
	kids := b.NamedChildren()
	if len(kids) > 0 && kids[0].Kind() != "keyed_element" {
		return
	}
	for _, f := range s.facts.fields["class "+typ.Text()] {
		of := s.facts.fieldType[f]
		if wordCount(b.Text(), f) > 0 || !strings.HasPrefix(of, "map[") && !strings.HasPrefix(of, "chan ") {
			continue
		}
		sep := ", "
		if len(kids) == 0 {
			sep = ""
		}
		at := b.Start() + 1
		if len(kids) > 0 {
			at = kids[len(kids)-1].End()
		}
		s.put(at, at, sep+f+": make("+of+")", 1, "Make %s.", one(f))
	}
}

// innerMap makes the map in a map before it is written to.
func innerMap(s *scene, n code.Node) {
	o, ok := s.writtenTo(n)
	if !ok {
		return
	}
	if outer, _, ok := element(o); ok {
		if _, value := rangeTypes(s.typeOfPlace(outer)); strings.HasPrefix(value, "map[") {
			s.makeBefore(n, o, value)
		}
	}
}

// nilMap makes a map before it is written to.
func nilMap(s *scene, n code.Node) {
	if o, ok := s.writtenTo(n); ok {
		if typ := s.typeOfPlace(o); strings.HasPrefix(typ, "map[") {
			s.makeBefore(n, o, typ)
		}
	}
}

// writtenTo is the map or slice whose element a statement assigns to or counts.
func (s *scene) writtenTo(n code.Node) (code.Node, bool) {
	if n.Kind() != "assignment_statement" && n.Kind() != "inc_statement" || !isStatement(n) {
		return n, false
	}
	l, ok := n.ChildByField("left")
	if !ok {
		l = n
	}
	kids := l.NamedChildren()
	if len(kids) != 1 {
		return n, false
	}
	o, _, ok := element(kids[0])
	return o, ok
}

// typeOfPlace is the type of a variable or a field, "" when it is not known.
func (s *scene) typeOfPlace(n code.Node) string {
	if v, ok := s.facts.lookup(n.Text(), n.Start()); ok {
		return v.typ
	}
	if _, m, ok := member(n); ok {
		return s.facts.fieldType[m.Text()]
	}
	return ""
}

func (s *scene) makeBefore(n, place code.Node, typ string) {
	s.before(n, s.guard(place.Text()+" == nil", place.Text()+" = make("+typ+")"), 1, "Make the map %s when there is none.", one(place.Text()))
}

var zeros = wordSet(`0 "" nil false`)

// commaOK asks whether a map has a key, not whether the value is other than the
// zero value.
func commaOK(s *scene, n code.Node) {
	if n.Kind() != "if_statement" {
		return
	}
	c, ok := n.ChildByField("condition")
	if !ok {
		return
	}
	x, there, ok := testsZero(c)
	if !ok {
		return
	}
	test := map[bool]string{true: "ok", false: "!ok"}[there]
	init, has := n.ChildByField("initializer")
	if isElement(x) && !has {
		s.put(c.Start(), c.End(), "_, ok := "+x.Text()+"; "+test, 1, "Ask whether %s is there.", one(x.Text()))
		return
	}
	if has && init.Kind() == "short_var_declaration" {
		name, value, ok := defines(init)
		if ok && name == x.Text() && isElement(value) {
			s.put(init.Start(), c.End(), name+", ok := "+value.Text()+"; "+test, 1, "Ask whether %s is there.", one(value.Text()))
		}
		return
	}
	for _, before := range parentOf(n).NamedChildren() {
		name, value, ok := defines(before)
		if ok && name == x.Text() && isElement(value) && nextStatement(before) == n && before.Kind() == "short_var_declaration" {
			s.put(before.Start(), c.End(), name+", ok := "+value.Text()+string(s.src[before.End():c.Start()])+test, 1, "Ask whether %s is there.", one(value.Text()))
		}
	}
}

// testsZero takes x == 0, x != "", x and !x apart.
func testsZero(c code.Node) (x code.Node, there, ok bool) {
	if left, op, right, is := binary(c); is {
		return left, op.Text() == "!=" || op.Text() == ">", zeros[right.Text()] && (op.Text() == "==" || op.Text() == "!=" || op.Text() == ">")
	}
	if isNot(c) {
		kids := c.NamedChildren()
		return kids[0], false, len(kids) == 1
	}
	return c, true, c.Kind() == "index_expression" || c.Kind() == "identifier"
}

// literalField fills a field that a literal of a struct leaves out, from the
// variable of its name, or from what the other fields are copied from.
func literalField(s *scene, n code.Node) {
	if n.Kind() != "composite_literal" {
		return
	}
	typ, ok1 := n.ChildByField("type")
	b, ok2 := n.ChildByField("body")
	if !ok1 || !ok2 || typ.Kind() != "type_identifier" {
		return
	}
	kids := b.NamedChildren()
	if len(kids) == 0 || kids[0].Kind() != "keyed_element" {
		return
	}
	from := ""
	for _, k := range kids {
		parts := k.NamedChildren()
		if len(parts) == 2 && len(parts[1].NamedChildren()) == 1 {
			if o, m, ok := member(parts[1].NamedChildren()[0]); ok && m.Text() == parts[0].Text() {
				from = o.Text()
			}
		}
	}
	last := kids[len(kids)-1]
	sep := ", "
	if in, alone := s.indent(last); alone && last.Line() > n.Line() {
		sep = "," + s.eol + in
	}
	for _, f := range s.facts.fields["class "+typ.Text()] {
		if wordCount(b.Text(), f+":") > 0 || strings.Contains(b.Text(), f+":") {
			continue
		}
		if from != "" {
			s.put(last.End(), last.End(), sep+f+": "+from+"."+f, 2, "Keep %s too.", one(f))
		}
		for _, v := range s.facts.visible(n.Start()) {
			if v.kind == "module" || !strings.EqualFold(v.name, f) && (v.typ == "" || v.typ != s.facts.fieldType[f]) {
				continue
			}
			w := 0.3
			if strings.EqualFold(v.name, f) || v.uses <= 1 {
				w = 2
			}
			s.put(last.End(), last.End(), sep+f+": "+v.name, w, "Set %s too.", one(f))
		}
	}
}

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

package mutate

import (
	"regexp"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// resetInLoop begins each round with the value that a variable has before the
// loop.
func resetInLoop(s *scene, n code.Node) {
	if n.Kind() != "for_statement" || !isStatement(n) {
		return
	}
	fn, ok := enclosing(n)
	first, has := firstStatement(n)
	if !ok || !has {
		return
	}
	b, _ := n.ChildByField("body")
	for _, v := range s.facts.visible(n.Start()) {
		if v.kind != "local" || v.owner != fn.Start() || !changes(b.Text(), v.name) {
			continue
		}
		if init := s.begins(fn, n, v.name); init != "" {
			s.before(first, v.name+" = "+init, 1, "Begin each round with %s = %s.", one(v.name), one(init))
		}
	}
}

// changes tells whether a text assigns to a name.
func changes(text, name string) bool {
	return regexp.MustCompile(`(?m)(?:^|[^\w.])` + regexp.QuoteMeta(name) + `(?:\[[^\]\n]*\])?\s*(?:[-+*/|&]?=[^=]|\+\+|--)`).MatchString(text)
}

// begins is the plain value that a variable is declared with before a place.
func (s *scene) begins(fn, at code.Node, name string) string {
	init := ""
	fn.Walk(func(c code.Node) bool {
		if c.Start() >= at.Start() || c != fn && isFunction(c) {
			return false
		}
		switch c.Kind() {
		case "short_var_declaration":
			names := leftNames(c)
			if r, ok := c.ChildByField("right"); ok && len(names) == 1 && names[0].Text() == name {
				v := r.NamedChildren()[0]
				if isConstant(v) || v.Kind() == "composite_literal" && len(v.Text()) < 40 || strings.HasPrefix(v.Text(), "make(") {
					init = v.Text()
				}
			}
		case "var_spec":
			x, ok1 := c.ChildByField("name")
			t, ok2 := c.ChildByField("type")
			if _, value := c.ChildByField("value"); ok1 && ok2 && !value && x.Text() == name {
				init = zeroValue(t)
			}
		}
		return true
	})
	return init
}

// writeBack stores a copy of an element that was changed, or works on the
// element itself.
func writeBack(s *scene, n code.Node) {
	if n.Kind() != "short_var_declaration" || !isStatement(n) {
		return
	}
	names := leftNames(n)
	r, ok := n.ChildByField("right")
	if !ok || len(names) == 0 || len(names) > 2 || len(r.NamedChildren()) != 1 {
		return
	}
	place, name := r.NamedChildren()[0], names[0].Text()
	if place.Kind() == "unary_expression" || !isElement(place) && place.Kind() != "selector_expression" {
		return
	}
	list := parentOf(n).NamedChildren()
	changed := false
	for i, c := range list {
		switch {
		case c.Start() <= n.Start():
			continue
		case strings.Contains(c.Text(), place.Text()+" = "+name):
			return
		}
		if changes(c.Text(), name) || regexp.MustCompile(`(?m)(?:^|[^\w.])`+regexp.QuoteMeta(name)+`\.[\w.\[\]]+\s*(?:[-+*/]?=[^=]|\+\+|--)`).MatchString(c.Text()) {
			changed = true
			if next := i+1 == len(list) || !changes(list[i+1].Text(), name+"."); next || i+1 < len(list) && leaves(list[i+1]) {
				s.after(c, place.Text()+" = "+name, 1, "Store the changed %s.", one(name))
			}
		}
	}
	if changed && len(names) == 1 {
		s.put(place.Start(), place.Start(), "&", 1, "Work on %s itself, not on a copy.", one(place.Text()))
	}
}

// beginEmpty begins what a loop adds to with nothing instead of with a value.
func beginEmpty(s *scene, n code.Node) {
	name, value, ok := defines(n)
	fn, has := enclosing(n)
	if !ok || !has || n.Kind() != "short_var_declaration" || !isPlace(value) {
		return
	}
	adds := regexp.MustCompile(`(?:^|[^\w.])` + regexp.QuoteMeta(name) + `(?: [-+*|]= |\+\+)`)
	if !adds.MatchString(string(s.src[n.End():fn.End()])) {
		return
	}
	for i, empty := range []string{"0", `""`, "1"} {
		s.put(value.Start(), value.End(), empty, 1/float64(1+i), "Begin with %s instead of %s.", empty, one(value.Text()))
	}
}

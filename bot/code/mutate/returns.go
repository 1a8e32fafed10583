package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

func returnValue(s *scene, n code.Node) {
	if n.Kind() != "return_statement" {
		return
	}
	kids := n.NamedChildren()
	if len(kids) == 1 && kids[0].Kind() == "expression_list" && s.d.lang == golang {
		kids = kids[0].NamedChildren()
	}
	if len(kids) == 0 || len(kids) > 1 && s.d.lang != golang {
		return
	}
	v := kids[0]
	own := variable{owner: -1}
	if v.Kind() == "identifier" {
		own, _ = s.facts.lookup(v.Text(), v.Start())
	}
	if strings.Contains(v.Text(), "\n") && len(v.Text()) > 200 {
		return
	}
	want := own.typ
	if fn, ok := enclosing(n); ok && s.d.lang == golang {
		if res, ok := fn.ChildByField("result"); ok && res.Kind() != "parameter_list" {
			want = res.Text()
		}
	}
	for _, x := range s.facts.visible(n.Start()) {
		if x.kind == "module" || x.name == v.Text() || !fits(want, x.typ) {
			continue
		}
		w := 0.6
		if x.uses <= 2 {
			w = 2
		}
		s.put(v.Start(), v.End(), x.name, w, "Return %s instead of %s.", one(x.name), one(v.Text()))
	}
	if s.d.lang == golang {
		return
	}
	for i, c := range []string{s.d.null, s.d.list, "0", s.d.no, s.d.yes, s.d.text, s.d.dict} {
		w := []float64{0.6, 0.4, 0.4, 0.4, 0.4, 0.2, 0.2}[i]
		if !isConstant(v) {
			w *= 0.3
		}
		s.put(v.Start(), v.End(), c, w, "Return %s instead of %s.", c, one(v.Text()))
	}
	if _, op, _, ok := binary(v); !ok || !isArithmetic(op.Text()) {
		if !isNot(v) && !isConstant(v) {
			s.put(v.Start(), v.End(), s.not(v), 0.4, "Return the opposite of %s.", one(v.Text()))
		}
	}
}

// ownerOf is what the block around a statement belongs to.
func ownerOf(n code.Node) code.Node {
	p := parentOf(n)
	if p.Kind() == "statement_list" {
		p = parentOf(p)
	}
	if p.Kind() == "block" || p.Kind() == "statement_block" {
		p = parentOf(p)
	}
	return p
}

func (s *scene) lastInBlock(n code.Node) bool {
	list := parentOf(n).NamedChildren()
	return len(list) > 0 && list[len(list)-1] == n
}

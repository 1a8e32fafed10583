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

// missingReturn returns what a function or a branch has worked out.
func missingReturn(s *scene, n code.Node) {
	if n.Kind() == "return_statement" && len(n.NamedChildren()) == 0 && s.d.lang != golang {
		for _, v := range s.facts.visible(n.Start()) {
			if v.kind == "local" {
				s.put(n.Start(), n.Start()+len("return"), "return "+v.name, 1, "Return %s.", one(v.name))
			}
		}
		return
	}
	if !isStatement(n) || !s.lastInBlock(n) || leaves(n) {
		return
	}
	fn, ok := enclosing(n)
	if !ok || n.Kind() == "function_definition" || n.Kind() == "class_definition" {
		return
	}
	owner := ownerOf(n)
	whole := owner == fn
	if s.d.lang == golang {
		if !whole && owner.Kind() == "if_statement" {
			if zero, ok := zeroReturn(fn); ok {
				s.after(n, zero, 0.7, "Return after %s.", one(n.Text()))
			}
		}
		return
	}
	if n.Kind() == "expression_statement" {
		if kids := n.NamedChildren(); len(kids) == 1 && isExpression(kids[0]) && !strings.Contains(kids[0].Kind(), "assign") && !isString(kids[0]) && kids[0].Kind() != "update_expression" {
			s.put(n.Start(), n.Start(), "return ", 1.5, "Return %s.", one(n.Text()))
		}
	}
	if !whole && owner.Kind() != "if_statement" && owner.Kind() != "elif_clause" && owner.Kind() != "else_clause" {
		return
	}
	end := map[bool]string{true: ";", false: ""}[s.d.lang == js]
	done := 0
	visible := s.facts.visible(n.End() - 1)
	for i := len(visible) - 1; i >= 0 && done < 5; i-- {
		if v := visible[i]; v.kind == "local" && v.owner == fn.Start() || wordCount(n.Text(), v.name) > 0 && v.kind == "param" {
			done++
			w := 1.0
			if v.uses <= 2 || wordCount(n.Text(), v.name) > 0 {
				w = 2
			}
			s.after(n, "return "+v.name+end, w, "Return %s at the end.", one(v.name))
		}
	}
	if strings.HasPrefix(n.Text(), "self.") {
		s.after(n, "return self", 0.2, "Return the object at the end.")
	}
	if !whole {
		s.after(n, "return"+end, 0.5, "Return after %s.", one(n.Text()))
		s.after(n, "return "+s.d.no+end, 0.3, "Return %s after %s.", s.d.no, one(n.Text()))
	} else {
		s.after(n, "return "+s.d.no+end, 0.3, "Return %s at the end.", s.d.no)
		s.after(n, "return "+s.d.yes+end, 0.3, "Return %s at the end.", s.d.yes)
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

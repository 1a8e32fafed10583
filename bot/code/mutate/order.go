package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// tieBreak lets the second part of an order decide only where the first is
// equal: a > b or c becomes a > b or a == b and c.
func tieBreak(s *scene, n code.Node) {
	left, op, right, ok := binary(n)
	if !ok || op.Text() != s.d.or {
		return
	}
	equal, ok := s.tie(left)
	if !ok {
		return
	}
	text := right.Text()
	if _, o, _, ok := binary(right); ok && o.Text() == s.d.or {
		text = "(" + text + ")"
	}
	s.put(n.Start(), n.End(), left.Text()+" "+s.d.or+" "+equal+" "+s.d.and+" "+text, 1,
		"Let %s decide only when %s.", one(right.Text()), one(equal))
}

// tie is the condition that neither side of an order comes first.
func (s *scene) tie(order code.Node) (string, bool) {
	order = inner(order)
	if l, op, r, ok := binary(order); ok {
		switch op.Text() {
		case "<", ">", "<=", ">=":
			eq := map[int]string{py: " == ", js: " === ", golang: " == "}[s.d.lang]
			return tight(l) + eq + tight(r), true
		}
		return "", false
	}
	fn, args, _, ok := call(order)
	if !ok || len(args) != 1 {
		return "", false
	}
	o, m, ok := member(fn)
	if ok && s.d.lang == golang && (m.Text() == "Before" || m.Text() == "After") {
		return o.Text() + ".Equal(" + args[0].Text() + ")", true
	}
	return "", false
}

// sortKey gives an order a second criterion, or takes its criteria the other
// way round.
func sortKey(s *scene, n code.Node) {
	if s.d.lang == py {
		s.keyOfLambda(n)
		return
	}
	left, op, right, ok := binary(n)
	if !ok || !comparesTwo(left, right) {
		return
	}
	if st := parentOf(n); st.Kind() != "return_statement" && st.Kind() != "arrow_function" && st.Kind() != "expression_list" {
		return
	}
	o1, m1, _ := member(left)
	o2, _, _ := member(right)
	for _, other := range s.siblings(m1.Text()) {
		a, b := o1.Text()+"."+other, o2.Text()+"."+other
		switch {
		case s.d.lang == js && op.Text() == "-":
			s.put(n.Start(), n.End(), n.Text()+" || "+a+" - "+b, 0.6, "Sort by %s where %s is equal.", one(other), one(m1.Text()))
			s.put(n.Start(), n.End(), n.Text()+" || "+a+".localeCompare("+b+")", 0.6, "Sort by %s where %s is equal.", one(other), one(m1.Text()))
		case s.d.lang == golang && (op.Text() == "<" || op.Text() == ">"):
			equal := left.Text() + " == " + right.Text()
			for _, dir := range []string{"<", ">"} {
				s.put(n.Start(), n.End(), n.Text()+" || "+equal+" && "+a+" "+dir+" "+b, 0.6, "Sort by %s where %s is equal.", one(other), one(m1.Text()))
			}
		}
	}
}

// comparesTwo tells a.x against b.x.
func comparesTwo(left, right code.Node) bool {
	o1, m1, ok1 := member(left)
	o2, m2, ok2 := member(right)
	return ok1 && ok2 && m1.Text() == m2.Text() && o1.Text() != o2.Text()
}

// siblings lists the fields that are seen together with a field.
func (s *scene) siblings(field string) []string {
	var out []string
	for _, key := range s.facts.members {
		list := s.facts.fields[key]
		has := false
		for _, f := range list {
			has = has || f == field
		}
		for _, f := range list {
			if has && f != field && len(out) < 6 {
				out = addOnce(out, f)
			}
		}
	}
	return out
}

func (s *scene) keyOfLambda(n code.Node) {
	if n.Kind() != "lambda" || n.Up() != "keyword_argument" && n.Up() != "argument_list" {
		return
	}
	b, ok := n.ChildByField("body")
	if !ok {
		return
	}
	if kids := b.NamedChildren(); b.Kind() == "tuple" && len(kids) >= 2 {
		turned := make([]string, 0, len(kids))
		for i := range kids {
			turned = append(turned, kids[len(kids)-1-i].Text())
		}
		s.put(b.Start(), b.End(), "("+strings.Join(turned, ", ")+")", 1, "Sort by %s first.", one(turned[0]))
		for _, k := range kids {
			s.put(b.Start(), b.End(), tight(k), 0.3, "Sort by %s alone.", one(k.Text()))
		}
		return
	}
	add := func(other string) {
		s.put(b.Start(), b.End(), "("+b.Text()+", "+other+")", 1, "Sort by %s where %s is equal.", one(other), one(b.Text()))
		s.put(b.Start(), b.End(), "("+other+", "+b.Text()+")", 0.5, "Sort by %s first.", one(other))
	}
	plain := b
	if kids := b.NamedChildren(); b.Kind() == "unary_operator" && len(kids) == 1 {
		plain = kids[0]
	}
	if o, m, ok := member(plain); ok {
		for _, f := range s.siblings(m.Text()) {
			add(o.Text() + "." + f)
		}
	}
	if o, k, ok := element(plain); ok {
		for _, c := range s.facts.strings {
			if c.role == "key" && c.text != k.Text() && isString(k) {
				add(o.Text() + "[" + c.text + "]")
			}
		}
		if isInteger(k) {
			for _, i := range []string{"0", "1", "2"} {
				if i != k.Text() {
					add(o.Text() + "[" + i + "]")
				}
			}
		}
	}
	if p, ok := n.ChildByField("parameters"); ok && plain.Text() != p.Text() && len(p.NamedChildren()) == 1 {
		add(p.Text())
	}
}

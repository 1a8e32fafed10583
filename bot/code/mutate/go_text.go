package mutate

import (
	"github.com/fettle-dev/fettle/bot/code"
)

// runeOrByte counts and cuts characters instead of bytes, or the other way
// round.
func runeOrByte(s *scene, n code.Node) {
	if typ, list, ok := sliceConversion(n); ok {
		to := map[string]string{"[]rune": "[]byte", "[]byte": "[]rune"}[typ]
		if to != "" {
			s.put(n.Start(), n.Start()+len(typ), to, 1, "Work on %s.", to)
			s.put(n.Start(), n.End(), list.Text(), 0.2, "Use %s itself.", one(list.Text()))
		}
		return
	}
	switch n.Kind() {
	case "call_expression":
		fn, args, _, ok := call(n)
		if !ok || fn.Text() != "len" || len(args) != 1 || !s.isText(args[0]) {
			return
		}
		s.put(args[0].Start(), args[0].End(), "[]rune("+args[0].Text()+")", 2, "Count characters instead of bytes.")
		s.otherSlices(args[0])
	case "slice_expression", "index_expression":
		o, ok := n.ChildByField("operand")
		if !ok || !s.isText(o) {
			return
		}
		rest := string(s.src[o.End():n.End()])
		s.put(n.Start(), n.End(), "string([]rune("+o.Text()+")"+rest+")", 1, "Cut by characters instead of by bytes.")
		for _, v := range s.slicesAt(n) {
			s.put(n.Start(), n.End(), "string("+v+rest+")", 1, "Cut %s.", one(v))
		}
	}
}

// sliceConversion takes []rune(x) and []byte(x) apart.
func sliceConversion(n code.Node) (typ string, x code.Node, ok bool) {
	if n.Kind() != "type_conversion_expression" {
		return "", x, false
	}
	t, ok1 := n.ChildByField("type")
	x, ok2 := n.ChildByField("operand")
	return textOf(t), x, ok1 && ok2
}

func (s *scene) isText(n code.Node) bool {
	if isString(n) {
		return true
	}
	if _, m, ok := member(n); ok {
		return s.facts.fieldType[m.Text()] == "string"
	}
	return s.typeIs(n, "string")
}

func (s *scene) slicesAt(n code.Node) []string {
	var out []string
	for _, v := range s.facts.visible(n.Start()) {
		if v.kind == "module" || v.typ != "[]rune" && v.typ != "[]byte" && (v.typ != "" || wordCount(string(s.src), v.name+" := []rune") == 0) {
			continue
		}
		out = append(out, v.name)
	}
	return out
}

func (s *scene) otherSlices(n code.Node) {
	for _, v := range s.slicesAt(n) {
		s.put(n.Start(), n.End(), v, 2, "Use the variable %s instead of %s.", one(v), one(n.Text()))
	}
}

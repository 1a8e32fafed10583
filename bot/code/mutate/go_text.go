package mutate

import (
	"strings"

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

// splitKind splits at white space, or at the first separator only.
func splitKind(s *scene, n code.Node) {
	fn, args, _, ok := call(n)
	if !ok {
		return
	}
	switch fn.Text() {
	case "strings.Split":
		if len(args) != 2 {
			return
		}
		if args[1].Text() == `" "` || args[1].Text() == `"\t"` {
			s.put(n.Start(), n.End(), "strings.Fields("+args[0].Text()+")", 2, "Split at any white space.")
		}
		s.put(n.Start(), n.End(), "strings.SplitN("+args[0].Text()+", "+args[1].Text()+", 2)", 1, "Split at the first %s only.", one(args[1].Text()))
	case "strings.SplitN":
		if len(args) == 3 {
			s.put(n.Start(), n.End(), "strings.Split("+args[0].Text()+", "+args[1].Text()+")", 1, "Split at each %s.", one(args[1].Text()))
		}
	case "strings.Fields":
		s.put(n.Start(), n.End(), "strings.Split("+args[0].Text()+`, " ")`, 1, "Split at each blank.")
	case "strings.Replace":
		if len(args) == 4 {
			s.put(args[3].Start(), args[3].End(), "-1", 2, "Replace all.")
		}
	case "strings.ReplaceAll":
		if len(args) == 3 {
			s.put(n.Start(), n.End(), "strings.Replace("+args[0].Text()+", "+args[1].Text()+", "+args[2].Text()+", 1)", 1, "Replace the first only.")
		}
	}
}

// trimForm cuts other characters, or at another end.
func trimForm(s *scene, n code.Node) {
	fn, args, _, ok := call(n)
	if !ok || len(args) == 0 || !strings.HasPrefix(fn.Text(), "strings.Trim") {
		return
	}
	x := args[0].Text()
	put := func(form string, w float64) {
		s.put(n.Start(), n.End(), strings.Replace(form, "%", x, 1), w, "Use %s.", one(strings.Replace(form, "%", x, 1)))
	}
	if fn.Text() == "strings.TrimSpace" {
		for i, f := range []string{`strings.TrimRight(%, " \t")`, `strings.TrimLeft(%, " \t")`, `strings.TrimSuffix(%, "\n")`, `strings.TrimRight(%, "\n")`, `strings.Trim(%, " ")`, `strings.TrimRight(%, "\r\n")`} {
			put(f, 1/float64(1+i/2))
		}
		return
	}
	put("strings.TrimSpace(%)", 1)
}

// prefixEdge tells that a text begins or ends with another as a whole part:
// "/ab" does not lie below "/a".
func prefixEdge(s *scene, n code.Node) {
	fn, args, _, ok := call(n)
	if !ok || len(args) != 2 {
		return
	}
	a, b := args[0].Text(), args[1].Text()
	put := func(text string, w float64) {
		if p := parentOf(n); p.Kind() == "binary_expression" || p.Kind() == "unary_expression" {
			text = "(" + text + ")"
		}
		s.put(n.Start(), n.End(), text, w, "Ask whether %s.", one(text))
	}
	switch fn.Text() {
	case "strings.HasPrefix", "strings.HasSuffix", "strings.Contains", "strings.EqualFold":
		put(a+" == "+b, 1)
	default:
		return
	}
	if fn.Text() == "strings.Contains" || fn.Text() == "strings.EqualFold" || isString(args[1]) && len(args[1].Text()) < 4 {
		return
	}
	for i, sep := range []string{`"/"`, `"."`, `":"`, `"-"`} {
		w := 0.3
		if strings.Contains(string(s.src), sep) {
			w = 1
		}
		if i == 0 {
			w *= 1.5
		}
		joined := b + "+" + sep
		if fn.Text() == "strings.HasSuffix" {
			joined = sep + "+" + b
		}
		put(a+" == "+b+" || "+fn.Text()+"("+a+", "+joined+")", w)
		put(fn.Text()+"("+a+", "+joined+")", w*0.6)
	}
}

// textEquality compares texts as wholes, by their parts or without case.
func textEquality(s *scene, n code.Node) {
	left, op, right, ok := binary(n)
	if !ok || op.Text() != "==" && op.Text() != "!=" || !s.facts.imports["strings"] || !s.isText(left) && !s.isText(right) {
		return
	}
	not := map[bool]string{true: "!"}[op.Text() == "!="]
	for i, f := range []string{"HasPrefix", "HasSuffix", "Contains"} {
		if right.Text() == `""` {
			return
		}
		text := not + "strings." + f + "(" + left.Text() + ", " + right.Text() + ")"
		s.put(n.Start(), n.End(), text, 1/float64(1+i), "Ask whether %s.", one(text))
	}
}

// digitValue takes the number that a digit stands for.
func digitValue(s *scene, n code.Node) {
	if typ, x, ok := conversion(n); ok && strings.HasPrefix(typ, "int") && (s.typeIs(x, "rune", "byte") || isElement(x)) {
		s.put(x.Start(), x.End(), x.Text()+" - '0'", 1, "Take the number that the digit stands for.")
	}
}

// textLength counts characters by the library.
func textLength(s *scene, n code.Node) {
	fn, args, _, ok := call(n)
	if !ok || len(args) != 1 || !s.facts.imports["utf8"] {
		return
	}
	switch fn.Text() {
	case "len":
		if s.isText(args[0]) || args[0].Kind() == "call_expression" {
			s.put(fn.Start(), fn.End(), "utf8.RuneCountInString", 1, "Count characters instead of bytes.")
		}
	case "utf8.RuneCountInString":
		s.put(fn.Start(), fn.End(), "len", 1, "Count bytes instead of characters.")
	}
}

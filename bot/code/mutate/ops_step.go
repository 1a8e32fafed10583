package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// braceOperators are those of the languages with braces.
func braceOperators() []operator {
	const both = js | golang
	return []operator{
		{"step_by", "wrong loop bound or step", 0.008, js, stepByName},
		{"loop_direction", "wrong loop bound or step", 0.006, both, loopDirection},
		{"mirror_statement", "missing statement", 0.006, both, mirrorStatement},
		{"inverse_statement", "missing statement", 0.005, both, inverseStatement},
		{"case_order", "wrong order of branches", 0.006, both, caseOrder},
		{"normalise_name", "missing call", 0.00486, both, normaliseName},
		{"call_off_by_one", "off-by-one", 0.00682, both, callOffByOne},
		{"comma_off_by_one", "off-by-one", 0.004, golang, listOffByOne},
	}
}

// stepByName counts by a variable of no known type instead of by one.
func stepByName(s *scene, n code.Node) {
	if n.Kind() != "update_expression" || n.Field() != "increment" && n.Up() != "expression_statement" {
		return
	}
	kids := n.NamedChildren()
	if len(kids) != 1 {
		return
	}
	op := " += "
	if strings.Contains(n.Text(), "--") {
		op = " -= "
	}
	for _, v := range s.facts.visible(n.Start()) {
		if v.name == kids[0].Text() || v.kind == "module" || v.typ != "" {
			continue
		}
		w := 0.5
		if v.kind == "param" {
			w = 1
		}
		s.put(n.Start(), n.End(), kids[0].Text()+op+v.name, w, "Count by %s.", one(v.name))
	}
}

// loopDirection goes over the same numbers the other way round.
func loopDirection(s *scene, n code.Node) {
	init, cond, update, name, ok := counted(n)
	if !ok {
		return
	}
	left, op, right, ok := binary(cond)
	if !ok || left.Text() != name {
		return
	}
	first, assign := afterAssign(init.Text())
	if !assign {
		return
	}
	head := init.Text()[:len(init.Text())-len(first)]
	first = strings.TrimSuffix(first, ";")
	semi := strings.HasSuffix(init.Text(), ";")
	put := func(from, condition, step string) {
		text := head + from
		if semi {
			text += ";"
		}
		text += string(s.src[init.End():cond.Start()]) + condition + string(s.src[cond.End():update.Start()]) + step
		s.put(init.Start(), update.End(), text, 1, "Go over the same numbers the other way round.")
	}
	switch op.Text() {
	case "<":
		put(lessOne(right), name+" >= "+first, name+"--")
	case "<=":
		put(right.Text(), name+" >= "+first, name+"--")
	case ">=":
		put(right.Text(), name+" <= "+first, name+"++")
		if less, is := strings.CutSuffix(strings.TrimSpace(first), " - 1"); is {
			put(right.Text(), name+" < "+less, name+"++")
		}
	}
}

func lessOne(n code.Node) string {
	if _, op, _, ok := binary(n); ok && isArithmetic(op.Text()) {
		return n.Text() + " - 1"
	}
	return tight(n) + " - 1"
}

// afterAssign is what follows the first := or =.
func afterAssign(text string) (string, bool) {
	_, after, ok := strings.Cut(text, "=")
	return strings.TrimLeft(after, " "), ok && !strings.HasPrefix(after, "=")
}

// counted takes a counting loop apart.
func counted(n code.Node) (init, cond, update code.Node, name string, ok bool) {
	var ok1, ok2, ok3 bool
	switch n.Kind() {
	case "for_clause":
		update, ok3 = n.ChildByField("update")
	case "for_statement":
		update, ok3 = n.ChildByField("increment")
	default:
		return
	}
	init, ok1 = n.ChildByField("initializer")
	cond, ok2 = n.ChildByField("condition")
	if !ok1 || !ok2 || !ok3 {
		return init, cond, update, "", false
	}
	kids := update.NamedChildren()
	if k := update.Kind(); len(kids) != 1 || k != "update_expression" && k != "inc_statement" && k != "dec_statement" || strings.Contains(init.Text(), ",") {
		return init, cond, update, "", false
	}
	return init, cond, update, kids[0].Text(), true
}

// plainAssignment takes x = e apart.
func plainAssignment(n code.Node) (left, right code.Node, ok bool) {
	if n.Kind() == "expression_statement" {
		kids := n.NamedChildren()
		if len(kids) != 1 || kids[0].Kind() != "assignment_expression" {
			return left, right, false
		}
		n = kids[0]
	} else if n.Kind() != "assignment_statement" {
		return left, right, false
	}
	left, ok1 := n.ChildByField("left")
	right, ok2 := n.ChildByField("right")
	if op, has := n.ChildByField("operator"); has && op.Text() != "=" {
		return left, right, false
	}
	if left.Kind() == "expression_list" {
		a, b := left.NamedChildren(), right.NamedChildren()
		if len(a) != 1 || len(b) != 1 {
			return left, right, false
		}
		left, right = a[0], b[0]
	}
	return left, right, ok1 && ok2
}

// mirrorStatement gives to one what is taken from the other.
func mirrorStatement(s *scene, n code.Node) {
	if !isStatement(n) {
		return
	}
	a := n
	if kids := n.NamedChildren(); n.Kind() == "expression_statement" && len(kids) == 1 {
		a = kids[0]
	}
	l, ok1 := a.ChildByField("left")
	r, ok2 := a.ChildByField("right")
	op, ok3 := a.ChildByField("operator")
	if !ok1 || !ok2 || !ok3 || op.Text() != "-=" && op.Text() != "+=" || len(n.Text()) > 80 {
		return
	}
	root := rootName(l)
	if kids := l.NamedChildren(); l.Kind() == "expression_list" && len(kids) == 1 {
		root = rootName(kids[0])
	}
	own, known := s.facts.lookup(root, n.Start())
	if !known {
		return
	}
	other := map[string]string{"-=": "+=", "+=": "-="}[op.Text()]
	end := map[bool]string{true: ";", false: ""}[s.d.lang == js]
	for _, v := range s.facts.visible(n.Start()) {
		if v.name == root || v.kind == "module" || !fits(own.typ, v.typ) || s.d.lang == golang && v.typ != own.typ {
			continue
		}
		w := 0.5
		if v.uses <= 3 {
			w = 1.5
		}
		target := replaceWord(l.Text(), root, v.name)
		s.after(n, target+" "+other+" "+r.Text()+end, w, "Let %s have what %s loses.", one(v.name), one(root))
		if l.Text() != root {
			s.after(n, target+" "+op.Text()+" "+r.Text()+end, w*0.5, "Change %s as well.", one(v.name))
		}
	}
}

// inverses are pairs of steps that undo each other.
var inverses = [][2]string{{"++", "--"}, {".add(", ".delete("}, {".push(", ".pop("}, {".Lock()", ".Unlock()"}, {".RLock()", ".RUnlock()"}, {".Add(1)", ".Done()"}, {"+= 1", "-= 1"}, {".start(", ".stop("}, {".on(", ".off("}}

// inverseStatement undoes at the end of a block what another place of the
// function does: what counts up counts down.
func inverseStatement(s *scene, n code.Node) {
	if !isStatement(n) || len(parentOf(n).NamedChildren()) == 0 || parentOf(n).NamedChildren()[0] != n {
		return
	}
	owner := ownerOf(n)
	switch owner.Kind() {
	case "arrow_function", "function_expression", "func_literal", "finally_clause", "catch_clause", "method_definition", "method_declaration":
	default:
		return
	}
	outer, ok := n.Ancestor("method_definition", "function_declaration", "method_declaration")
	if !ok {
		return
	}
	done := 0
	for _, d := range s.facts.donors {
		text := d.Text()
		if done >= 4 || d == n || d.Start() < outer.Start() || d.End() > outer.End() || !s.inScope(d, n.Start()) {
			continue
		}
		for _, pair := range inverses {
			for i := range pair {
				if !strings.Contains(text, pair[i]) || strings.Contains(owner.Text(), strings.TrimSuffix(strings.Replace(text, pair[i], pair[1-i], 1), ";")) {
					continue
				}
				done++
				s.before(n, strings.Replace(text, pair[i], pair[1-i], 1), 1, "Undo %s here.", one(text))
			}
		}
	}
}

// caseOrder asks for one case before the one above it.
func caseOrder(s *scene, n code.Node) {
	if n.Kind() != "expression_case" && n.Kind() != "switch_case" && n.Kind() != "type_case" {
		return
	}
	kids := parentOf(n).NamedChildren()
	for i, c := range kids {
		if c != n || i+1 >= len(kids) || kids[i+1].Kind() != n.Kind() {
			continue
		}
		next := kids[i+1]
		if strings.HasSuffix(strings.TrimSpace(n.Text()), ":") || strings.HasSuffix(strings.TrimSpace(next.Text()), ":") {
			return // it shares its body with the next one
		}
		a, b := strings.TrimRight(n.Text(), " \t\r\n"), strings.TrimRight(next.Text(), " \t\r\n")
		gap := string(s.src[n.Start()+len(a) : next.Start()])
		s.put(n.Start(), next.Start()+len(b), b+gap+a, 1, "Ask for %s before %s.", one(firstLineOf(b)), one(firstLineOf(a)))
	}
}

func firstLineOf(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	return strings.TrimRight(text, "\r")
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

// callOffByOne adds or takes one from a length or another call's result.
func callOffByOne(s *scene, n code.Node) {
	switch n.Kind() {
	case "call_expression":
		fn, _, _, ok := call(n)
		if !ok || s.d.lang == golang && fn.Text() != "len" {
			return
		}
	case "member_expression":
		if _, m, ok := member(n); !ok || m.Text() != "length" && m.Text() != "size" {
			return
		}
	default:
		return
	}
	text := n.Text()
	switch n.Up() {
	case "argument_list", "arguments", "template_substitution", "expression_list", "variable_declarator", "return_statement":
	case "binary_expression":
		if _, op, _, ok := binary(parentOf(n)); !ok || isComparison(op.Text()) || isLogic(op.Text()) {
			return
		}
		text = "(" + text
		s.put(n.Start(), n.End(), text+" - 1)", 0.5, "Use %s - 1.", one(n.Text()))
		s.put(n.Start(), n.End(), text+" + 1)", 0.5, "Use %s + 1.", one(n.Text()))
		return
	default:
		return
	}
	w := 1.0
	if n.Kind() == "call_expression" && s.d.lang == js {
		w = 0.3
	}
	s.put(n.Start(), n.End(), text+" + 1", w, "Use %s + 1.", one(n.Text()))
	s.put(n.Start(), n.End(), text+" - 1", w, "Use %s - 1.", one(n.Text()))
}

// listOffByOne steps a name on in an assignment of several values.
func listOffByOne(s *scene, n code.Node) {
	if n.Kind() != "identifier" || n.Up() != "expression_list" || !isValue(n) {
		return
	}
	list := parentOf(n)
	if list.Field() != "right" && list.Up() != "return_statement" || len(list.NamedChildren()) < 2 || !s.typeIs(n, "int", "int64", "") {
		return
	}
	if v, ok := s.facts.lookup(n.Text(), n.Start()); !ok || v.typ != "int" && v.typ != "int64" && v.typ != "" {
		return
	}
	s.put(n.Start(), n.End(), n.Text()+"-1", 1, "Use %s - 1.", one(n.Text()))
	s.put(n.Start(), n.End(), n.Text()+"+1", 1, "Use %s + 1.", one(n.Text()))
}

package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// golangOperators are those of Go alone.
func golangOperators() []operator {
	return []operator{
		{"error_check", "missing error check", 0.020, golang, errorCheck},
		{"found_check", "missing guard", 0.010, golang, foundCheck},
		{"defer_kind", "defer", 0.006, golang, deferKind},
		{"literal_field_init", "missing initialisation", 0.006, golang, literalFieldInit},
		{"inner_map", "missing initialisation", 0.008, golang, innerMap},
		{"slice_alias", "shared state", 0.008, golang, sliceAlias},
		{"slice_clamp", "missing guard", 0.008, golang, sliceClamp},
		{"conversion_order", "integer or float division", 0.010, golang, conversionOrder},
		{"round", "rounding", 0.008, golang, roundConversion},
		{"rune_or_byte", "bytes or characters", 0.012, golang, runeOrByte},
		{"split_kind", "wrong function", 0.008, golang, splitKind},
		{"time_unit", "wrong unit", 0.010, golang, timeUnit},
		{"error_is", "identity or equality", 0.008, golang, errorIs},
		{"range_element", "value or pointer", 0.010, golang, rangeElement},
		{"result_part", "wrong return value", 0.012, golang, resultPart},
		{"empty_slice", "wrong initial value", 0.006, golang, emptySlice},
		{"make_size", "wrong initial value", 0.006, golang, makeSize},
		{"shadowed_result", "shadowed variable", 0.006, golang, shadowedResult},
	}
}

// names of the left side of := or =.
func leftNames(n code.Node) []code.Node {
	if n.Kind() != "short_var_declaration" && n.Kind() != "assignment_statement" {
		return nil
	}
	l, ok := n.ChildByField("left")
	if !ok {
		return nil
	}
	return l.NamedChildren()
}

// failReturn is the return of a function that gives an error back.
func failReturn(fn code.Node, err string) (string, bool) {
	zero, ok := zeroReturn(fn)
	res, has := fn.ChildByField("result")
	if !ok || !has {
		return "", false
	}
	last := res.Text()
	if res.Kind() == "parameter_list" {
		kids := res.NamedChildren()
		if len(kids) == 0 {
			return "", false
		}
		last = typeText(kids[len(kids)-1])
		if last == "" {
			last = kids[len(kids)-1].Text()
		}
	}
	if last != "error" || !strings.HasSuffix(zero, "nil") {
		return "", false
	}
	return strings.TrimSuffix(zero, "nil") + err, true
}

// errorCheck looks at an error that is left alone.
func errorCheck(s *scene, n code.Node) {
	if !isStatement(n) {
		return
	}
	fn, ok := enclosing(n)
	if !ok {
		return
	}
	leave, returns := failReturn(fn, "err")
	if n.Kind() == "expression_statement" {
		kids := n.NamedChildren()
		if _, _, _, isCall := call(kids[0]); isCall && returns {
			s.put(n.Start(), n.End(), s.lines("if err := "+n.Text()+"; err != nil {\n\t"+leave+"\n}", s.indentOf(n)), 0.5, "Give the error of %s back.", one(n.Text()))
		}
		return
	}
	names := leftNames(n)
	if len(names) == 0 {
		return
	}
	last := names[len(names)-1]
	var exits []string
	if returns {
		exits = append(exits, leave)
	} else if zero, ok := zeroReturn(fn); ok {
		exits = append(exits, zero)
	}
	if _, ok := inLoop(n); ok {
		exits = append(exits, "continue", "break")
	}
	r, _ := n.ChildByField("right")
	for i, x := range exits {
		w := 1 / float64(i+1)
		switch last.Text() {
		case "err":
			if next := nextStatement(n); next.Tree() != nil && strings.HasPrefix(next.Text(), "if err") {
				return
			}
			s.after(n, "if err != nil {\n\t"+x+"\n}", w, "Look at the error.")
		case "_":
			if _, _, _, isCall := call(r.NamedChildren()[0]); !isCall || len(r.NamedChildren()) != 1 {
				return
			}
			text := string(s.src[n.Start():last.Start()]) + "err" + string(s.src[last.End():n.End()]) + "\nif err != nil {\n\t" + x + "\n}"
			s.put(n.Start(), n.End(), s.lines(text, s.indentOf(n)), w, "Look at the error.")
		}
	}
}

func (s *scene) indentOf(n code.Node) string {
	in, _ := s.indent(n)
	return in
}

func nextStatement(n code.Node) code.Node {
	list := parentOf(n).NamedChildren()
	for i, c := range list {
		if c == n && i+1 < len(list) {
			return list[i+1]
		}
	}
	return code.Node{}
}

// foundCheck asks whether a map has the key, and does what the file does
// elsewhere when it has not.
func foundCheck(s *scene, n code.Node) {
	if n.Kind() != "short_var_declaration" || !isStatement(n) {
		return
	}
	names := leftNames(n)
	r, ok := n.ChildByField("right")
	fn, has := enclosing(n)
	if !ok || !has || len(names) != 1 || len(r.NamedChildren()) != 1 || !isElement(r.NamedChildren()[0]) {
		return
	}
	put := func(exit string, w float64) {
		if strings.Contains(exit, "\n") {
			return
		}
		text := names[0].Text() + ", ok := " + r.Text() + "\nif !ok {\n\t" + exit + "\n}"
		s.put(n.Start(), n.End(), s.lines(text, s.indentOf(n)), w, "When %s is not there, %s.", one(r.Text()), exit)
	}
	if _, ok := inLoop(n); ok {
		put("continue", 1)
	}
	if zero, ok := zeroReturn(fn); ok {
		put(zero, 0.7)
	}
	// What the same function, or another with the same results, does.
	mine, _ := fn.ChildByField("result")
	for _, g := range s.facts.guards {
		other, ok := enclosing(g)
		if !ok {
			continue
		}
		theirs, _ := other.ChildByField("result")
		c, _ := condition(g)
		if textOf(mine) != textOf(theirs) || c.Text() != "!ok" && !strings.HasSuffix(c.Text(), "== nil") {
			continue
		}
		b, _ := g.ChildByField("consequence")
		for _, exit := range statements(b) {
			for _, text := range s.transplant(exit, n) {
				w := 1.0
				if other == fn {
					w = 2
				}
				put(text, w)
			}
			if other == fn { // the same exit with this look-up's own names
				text := exit.Text()
				_, key, _ := element(r.NamedChildren()[0])
				exit.Walk(func(x code.Node) bool {
					if v, ok := s.facts.lookup(x.Text(), x.Start()); ok && x.Kind() == "identifier" && v.kind == "param" {
						text = replaceWord(text, x.Text(), key.Text())
					}
					return true
				})
				put(text, 2)
			}
		}
	}
}

func textOf(n code.Node) string {
	if n.Tree() == nil {
		return ""
	}
	return n.Text()
}

// deferKind puts a step off to the end, or does it at once.
func deferKind(s *scene, n code.Node) {
	if !isStatement(n) {
		return
	}
	if n.Kind() == "defer_statement" {
		if kids := n.NamedChildren(); len(kids) == 1 {
			s.put(n.Start(), kids[0].Start(), "", 0.6, "Do %s at once.", one(kids[0].Text()))
		}
		if next := nextStatement(n); next.Tree() != nil && next.Kind() == "defer_statement" {
			s.put(n.Start(), next.End(), next.Text()+string(s.src[n.End():next.Start()])+n.Text(), 1, "Put %s off before %s: the last one is done first.", one(next.Text()), one(n.Text()))
		}
		return
	}
	if n.Kind() != "expression_statement" {
		return
	}
	kids := n.NamedChildren()
	fn, args, _, ok := call(kids[0])
	if !ok {
		return
	}
	w := 0.1
	if _, m, ok := member(fn); ok && len(args) == 0 {
		switch m.Text() {
		case "Unlock", "RUnlock", "Close", "Done", "Stop", "Flush", "Rollback":
			w = 2
		}
	}
	s.put(n.Start(), n.Start(), "defer ", w, "Do %s at the end of the function.", one(n.Text()))
}

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
	if n.Kind() != "assignment_statement" && n.Kind() != "inc_statement" || !isStatement(n) {
		return
	}
	l, ok := n.ChildByField("left")
	if !ok {
		l = n
	}
	kids := l.NamedChildren()
	if len(kids) != 1 {
		return
	}
	o, _, ok := element(kids[0])
	if !ok {
		return
	}
	outer, _, ok := element(o)
	if !ok {
		return
	}
	typ := ""
	if _, m, ok := member(outer); ok {
		typ = s.facts.fieldType[m.Text()]
	} else if v, ok := s.facts.lookup(outer.Text(), n.Start()); ok {
		typ = v.typ
	}
	if !strings.HasPrefix(typ, "map[") {
		return
	}
	if _, value := rangeTypes(typ); strings.HasPrefix(value, "map[") {
		s.before(n, s.guard(o.Text()+" == nil", o.Text()+" = make("+value+")"), 1, "Make the map %s when there is none.", one(o.Text()))
	}
}

// sliceAlias keeps an append from writing into what others see, and copies a
// slice that is kept.
func sliceAlias(s *scene, n code.Node) {
	if n.Kind() == "slice_expression" && n.Up() == "argument_list" {
		a, ok1 := n.ChildByField("end")
		_, full := n.ChildByField("capacity")
		if fn, args, _, ok := call(parentOf(parentOf(n))); ok && fn.Text() == "append" && args[0] == n && ok1 && !full {
			s.put(a.End(), a.End(), ":"+a.Text(), 1, "Let append copy instead of writing over what follows.")
		}
		return
	}
	if n.Kind() != "identifier" && n.Kind() != "selector_expression" {
		return
	}
	typ := ""
	if v, ok := s.facts.lookup(n.Text(), n.Start()); ok {
		typ = v.typ
	} else if _, m, ok := member(n); ok {
		typ = s.facts.fieldType[m.Text()]
	}
	kept := n.Up() == "literal_element" && parentOf(n).Field() != "key"
	if p := parentOf(n); n.Up() == "expression_list" && p.Field() == "right" {
		kept = true
	}
	if fn, args, _, ok := call(parentOf(parentOf(n))); ok && n.Up() == "argument_list" && fn.Text() == "append" && len(args) > 1 && args[0] == n {
		s.put(n.Start(), n.End(), n.Text()+"[:len("+n.Text()+"):len("+n.Text()+")]", 1, "Let append copy instead of writing over what follows.")
		return
	}
	if kept && strings.HasPrefix(typ, "[]") {
		s.put(n.Start(), n.End(), "append("+typ+"(nil), "+n.Text()+"...)", 1, "Keep a copy of %s.", one(n.Text()))
	}
	if kept && strings.HasPrefix(typ, "map[") && s.facts.imports["maps"] {
		s.put(n.Start(), n.End(), "maps.Clone("+n.Text()+")", 1, "Keep a copy of %s.", one(n.Text()))
	}
}

// sliceClamp holds a bound that was just worked out to the length of what it
// bounds.
func sliceClamp(s *scene, n code.Node) {
	if n.Kind() != "short_var_declaration" || !isStatement(n) {
		return
	}
	names := leftNames(n)
	fn, ok := enclosing(n)
	if !ok {
		return
	}
	for _, name := range names {
		var lists []string
		fn.Walk(func(c code.Node) bool {
			if c.Kind() != "slice_expression" || c.Start() < n.End() {
				return true
			}
			o, ok := c.ChildByField("operand")
			for _, f := range []string{"start", "end"} {
				if b, has := c.ChildByField(f); ok && has && b.Text() == name.Text() {
					lists = addOnce(lists, o.Text())
				}
			}
			return true
		})
		for _, list := range lists {
			length := "len(" + list + ")"
			s.after(n, s.guard(name.Text()+" > "+length, name.Text()+" = "+length), 1.5, "Let %s be no more than %s.", one(name.Text()), one(length))
			s.after(n, s.guard(name.Text()+" < 0", name.Text()+" = 0"), 0.5, "Let %s be no less than 0.", one(name.Text()))
		}
	}
}

var numberTypes = wordSet("int int64 int32 float64 float32 uint uint64")

// conversion takes T(x) apart where T is a type of numbers.
func conversion(n code.Node) (typ string, x code.Node, ok bool) {
	fn, args, _, ok := call(n)
	if !ok || len(args) != 1 || !numberTypes[fn.Text()] {
		return "", x, false
	}
	return fn.Text(), args[0], true
}

// conversionOrder converts before it divides: float64(a / b) becomes
// float64(a) / float64(b).
func conversionOrder(s *scene, n code.Node) {
	typ, x, ok := conversion(n)
	if !ok {
		return
	}
	left, op, right, ok := binary(inner(x))
	if !ok || !isArithmetic(op.Text()) {
		return
	}
	each := func(e code.Node) string {
		if isInteger(e) {
			return e.Text()
		}
		return typ + "(" + e.Text() + ")"
	}
	text := each(left) + " " + op.Text() + " " + each(right)
	if a, o, b, ok := binary(left); ok && isArithmetic(o.Text()) {
		text = each(a) + " " + o.Text() + " " + each(b) + " " + op.Text() + " " + each(right)
		if o.Text() == "/" && op.Text() == "*" {
			s.put(n.Start(), n.End(), each(a)+" * "+each(right)+" / "+each(b), 1, "Convert first, and multiply before dividing.")
		}
	}
	if n.Up() == "binary_expression" {
		text = "(" + text + ")"
	}
	s.put(n.Start(), n.End(), text, 1, "Convert before calculating.")
}

// roundConversion rounds instead of cutting off.
func roundConversion(s *scene, n code.Node) {
	typ, x, ok := conversion(n)
	if !ok || strings.HasPrefix(typ, "float") || isInteger(x) || !s.facts.imports["math"] || strings.HasPrefix(x.Text(), "math.") {
		if ok && strings.HasPrefix(x.Text(), "math.") {
			if _, args, _, is := call(x); is && len(args) == 1 {
				s.put(x.Start(), x.End(), args[0].Text(), 0.5, "Cut the fraction off.")
			}
		}
		return
	}
	for _, f := range []string{"Round", "Ceil", "Floor"} {
		s.put(x.Start(), x.End(), "math."+f+"("+x.Text()+")", 1, "Use math.%s instead of cutting off.", f)
	}
}

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

var units = strings.Fields("Nanosecond Microsecond Millisecond Second Minute Hour")

// timeUnit uses another unit of time, or gives a bare number one.
func timeUnit(s *scene, n code.Node) {
	if o, m, ok := member(n); ok && o.Text() == "time" {
		for i, u := range units {
			if u != m.Text() {
				continue
			}
			for j, other := range units {
				if d := max(i-j, j-i); d > 0 {
					s.put(m.Start(), m.End(), other, 1/float64(d), "Use the unit time.%s instead of time.%s.", other, u)
				}
			}
			for _, v := range s.facts.visible(n.Start()) {
				if v.kind != "module" && (v.typ == "time.Duration" || v.uses <= 2 && v.kind == "local") {
					s.put(n.Start(), n.End(), v.name, 0.7, "Use the unit %s.", one(v.name))
				}
			}
		}
		return
	}
	fn, args, _, ok := call(n)
	if !ok || fn.Text() != "time.Duration" || len(args) != 1 {
		return
	}
	if _, op, _, ok := binary(parentOf(n)); ok && op.Text() == "*" {
		return
	}
	for _, u := range []string{"Second", "Millisecond", "Minute", "Hour"} {
		s.put(n.Start(), n.End(), n.Text()+" * time."+u, 1, "Take %s as time.%s.", one(args[0].Text()), u)
	}
}

// errorIs looks for an error in a chain of wrapped ones.
func errorIs(s *scene, n code.Node) {
	left, op, right, ok := binary(n)
	if !ok || !s.facts.imports["errors"] || op.Text() != "==" && op.Text() != "!=" || right.Text() == "nil" || left.Text() == "nil" {
		return
	}
	sentinel := right.Text()[strings.LastIndexByte(right.Text(), '.')+1:]
	if !strings.HasPrefix(sentinel, "Err") && sentinel != "EOF" && !s.typeIs(left, "error") {
		return
	}
	not := map[bool]string{true: "!"}[op.Text() == "!="]
	s.put(n.Start(), n.End(), not+"errors.Is("+left.Text()+", "+right.Text()+")", 1, "Look for %s in the chain of errors.", one(right.Text()))
}

// rangeElement writes to the element instead of to the loop's copy of it.
func rangeElement(s *scene, n code.Node) {
	if n.Kind() != "identifier" {
		return
	}
	l := parentOf(n)
	for l.Kind() == "selector_expression" {
		l = parentOf(l)
	}
	if l.Kind() != "expression_list" || l.Field() != "left" || l.Up() != "assignment_statement" {
		return
	}
	loop, ok := n.Ancestor("for_statement")
	for ; ok; loop, ok = loop.Ancestor("for_statement") {
		for _, c := range loop.NamedChildren() {
			if c.Kind() != "range_clause" {
				continue
			}
			names, ok1 := c.ChildByField("left")
			list, ok2 := c.ChildByField("right")
			if !ok1 || !ok2 {
				continue
			}
			kids := names.NamedChildren()
			if len(kids) == 2 && kids[1].Text() == n.Text() && kids[0].Text() != "_" {
				text := list.Text() + "[" + kids[0].Text() + "]"
				s.put(n.Start(), n.End(), text, 1, "Write to %s, not to a copy of it.", one(text))
			}
		}
	}
}

// resultPart changes one of several results.
func resultPart(s *scene, n code.Node) {
	if n.Up() != "expression_list" || !n.Named() {
		return
	}
	list := parentOf(n)
	if list.Up() != "return_statement" || len(list.NamedChildren()) < 2 {
		return
	}
	fn, ok := enclosing(n)
	if !ok {
		return
	}
	res, ok := fn.ChildByField("result")
	if !ok || res.Kind() != "parameter_list" {
		return
	}
	at := -1
	for i, c := range list.NamedChildren() {
		if c == n {
			at = i
		}
	}
	var types []code.Node
	for _, p := range res.NamedChildren() {
		t, has := p.ChildByField("type")
		if !has {
			t = p
		}
		count := 0
		for _, c := range p.NamedChildren() {
			if c.Field() == "name" {
				count++
			}
		}
		for range max(count, 1) {
			types = append(types, t)
		}
	}
	if at < 0 || at >= len(types) {
		return
	}
	want := types[at].Text()
	for _, v := range s.facts.visible(n.Start()) {
		if v.name != n.Text() && v.kind != "module" && v.typ == want {
			w := 1.0
			if v.uses <= 2 {
				w = 2
			}
			s.put(n.Start(), n.End(), v.name, w, "Return %s instead of %s.", one(v.name), one(n.Text()))
		}
	}
	if zero := zeroValue(types[at]); zero != "" && zero != n.Text() && want != "bool" {
		s.put(n.Start(), n.End(), zero, 0.5, "Return %s instead of %s.", zero, one(n.Text()))
	}
	if want == "error" && n.Text() == "nil" {
		for _, v := range s.facts.vars {
			if v.kind == "module" && strings.HasPrefix(v.name, "Err") {
				s.put(n.Start(), n.End(), v.name, 0.7, "Return the error %s.", one(v.name))
			}
		}
	}
}

// emptySlice gives an empty slice instead of none, which encodes differently.
func emptySlice(s *scene, n code.Node) {
	if n.Kind() != "var_spec" {
		return
	}
	t, ok := n.ChildByField("type")
	name, ok2 := n.ChildByField("name")
	_, has := n.ChildByField("value")
	decl, ok3 := n.Parent()
	if !ok || !ok2 || !ok3 || has || t.Kind() != "slice_type" && t.Kind() != "map_type" || !isStatement(decl) {
		return
	}
	s.put(decl.Start(), decl.End(), name.Text()+" := "+t.Text()+"{}", 1, "Begin with an empty %s instead of none.", t.Text())
}

// makeSize makes a slice with a length, or with room only.
func makeSize(s *scene, n code.Node) {
	fn, args, _, ok := call(n)
	if !ok || fn.Text() != "make" || len(args) < 1 {
		return
	}
	switch {
	case len(args) == 2 && strings.HasPrefix(args[0].Text(), "[]"):
		s.put(args[1].Start(), args[1].Start(), "0, ", 1, "Make room for %s elements, but none of them.", one(args[1].Text()))
	case len(args) == 3:
		s.put(args[1].Start(), args[2].End(), args[2].Text(), 1, "Make %s elements.", one(args[2].Text()))
	case len(args) == 1 && strings.HasPrefix(args[0].Text(), "chan"):
		s.put(args[0].End(), args[0].End(), ", 1", 1, "Let one value wait in the channel.")
	}
}

// shadowedResult assigns to a variable of an outer block that a declaration of
// several names hides.
func shadowedResult(s *scene, n code.Node) {
	names := leftNames(n)
	if n.Kind() != "short_var_declaration" || len(names) < 2 || !isStatement(n) {
		return
	}
	op := tokenIn(n, ":=")
	var fresh []string
	known := false
	for _, x := range names {
		v, ok := s.facts.lookup(x.Text(), n.Start())
		switch {
		case x.Text() == "_":
		case ok && v.kind != "module":
			known = true
		default:
			fresh = append(fresh, x.Text())
		}
	}
	if op.Tree() == nil || !known || len(fresh) != 1 {
		return
	}
	v, ok := s.facts.lookup(fresh[0], n.End())
	if !ok || v.typ == "" {
		return
	}
	in := s.indentOf(n)
	text := "var " + fresh[0] + " " + v.typ + "\n" + string(s.src[n.Start():op.Start()]) + "=" + string(s.src[op.End():n.End()])
	s.put(n.Start(), n.End(), s.lines(text, in), 1, "Assign to the outer variable instead of hiding it.")
}

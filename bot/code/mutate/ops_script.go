package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// scriptOperators are those of JavaScript and TypeScript alone.
func scriptOperators() []operator {
	return []operator{
		{"receiver_call", "missing call", 0.010, js, receiverCall},
		{"index_found", "missing guard", 0.010, js, indexFound},
		{"collect", "assign or accumulate", 0.008, js, collect},
		{"default_pattern", "missing default", 0.008, js, defaultPattern},
		{"member_constant", "wrong constant", 0.006, js, memberConstant},
		{"spread_order", "wrong order", 0.006, js, spreadOrder},
		{"element_copy", "shared state", 0.008, js, elementCopy},
		{"regex_flag", "wrong pattern or format", 0.012, js, regexFlag},
		{"regex_shape", "wrong pattern or format", 0.008, js, regexShape},
		{"promise_all", "missing await", 0.006, js, promiseAll},
		{"comparator", "wrong order", 0.006, js, comparator},
		{"date_part", "off-by-one", 0.006, js, datePart},
		{"sibling_wrap", "missing call", 0.006, js, siblingWrap},
		{"case_end", "missing return", 0.008, js, caseEnd},
		{"reduce_seed", "wrong initial value", 0.008, js, reduceSeed},
		{"type_test", "condition too strict or too loose", 0.006, js, typeTest},
		{"logical_assignment", "wrong logical operator", 0.004, js, logicalAssignment},
		{"grouped_default", "missing guard", 0.006, js, groupedDefault},
		{"return_this", "missing return", 0.004, js, returnThis},
		{"recursive_call", "missing call", 0.004, js, recursiveCall},
	}
}

var (
	textMethods = wordSet("split match matchAll replace replaceAll includes indexOf lastIndexOf startsWith endsWith slice substring charAt localeCompare padStart padEnd trim test")
	listMethods = wordSet("map join forEach reduce some every filter flatMap find findIndex")
	inPlace     = wordSet("sort reverse splice fill")
)

func wordSet(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// receiverCall calls a method on what another method is called on:
// text.match(…) becomes text.toLowerCase().match(…).
func receiverCall(s *scene, n code.Node) {
	fn, _, _, ok := call(n)
	if !ok || n.Kind() == "new_expression" {
		return
	}
	o, m, ok := member(fn)
	if !ok || o.Kind() == "this" || o.Kind() == "super" || len(o.Text()) > 80 || strings.Contains(o.Text(), "\n") {
		return
	}
	if o.Kind() == "identifier" && !s.isVariable(o) {
		return // a module or a class
	}
	text := tight(o)
	put := func(to string, w float64) {
		s.put(o.Start(), o.End(), to, w, "Use %s.", one(to))
	}
	name := m.Text()
	if textMethods[name] && !s.typeIs(o, "list", "dict", "number") {
		for _, call := range []string{"trim()", "toLowerCase()", "toUpperCase()"} {
			if !strings.HasSuffix(text, "."+call) {
				put(text+"."+call, 1)
			}
		}
		if name == "split" || name == "replace" || strings.HasPrefix(name, "pad") {
			put("String("+o.Text()+")", 1)
		}
	}
	if listMethods[name] && !s.typeIs(o, "text", "number") {
		put(text+".filter(Boolean)", 0.7)
		put(text+".flat()", 0.2)
		put("Object.values("+o.Text()+")", 0.2)
		put("Object.entries("+o.Text()+")", 0.2)
		if name == "join" || name == "map" {
			put(text+".sort()", 0.2)
			put("[..."+o.Text()+"].reverse()", 0.2)
		}
	}
	if inPlace[name] && !strings.HasPrefix(text, "[...") {
		put("[..."+o.Text()+"]", 2)
	}
	if name == "toFixed" {
		put("Number("+o.Text()+")", 1)
	}
}

// indexFound tells -1, which is no place, from 0, which is one.
func indexFound(s *scene, n code.Node) {
	if c, ok := condition(n); ok {
		s.indexTest(c)
	}
	if left, op, right, ok := binary(n); ok && isLogic(op.Text()) {
		s.indexTest(left)
		s.indexTest(right)
	}
	name, value, ok := defines(n)
	if !ok || !isStatement(n) || !findsIndex(value) {
		return
	}
	fn, ok := enclosing(n)
	if !ok {
		return
	}
	leave := s.exits(fn)
	if _, ok := inLoop(n); ok {
		leave = append([]choice{{"continue", 1.5}}, leave...)
	}
	for i, x := range leave {
		if i < 6 {
			s.after(n, s.guard(name+" === -1", x.text), x.weight, "When nothing is found, %s.", x.text)
		}
	}
}

// findsIndex tells a call that gives -1 when it finds nothing.
func findsIndex(value code.Node) bool {
	fn, _, _, ok := call(value)
	if !ok {
		return false
	}
	_, m, ok := member(fn)
	switch {
	case !ok:
		return false
	case m.Text() == "indexOf", m.Text() == "lastIndexOf", m.Text() == "findIndex", m.Text() == "findLastIndex", m.Text() == "search":
		return true
	}
	return false
}

func (s *scene) indexTest(c code.Node) {
	not := isNot(c)
	x := c
	if kids := c.NamedChildren(); not && len(kids) == 1 {
		x = inner(kids[0])
	}
	op := ""
	if left, o, right, ok := binary(c); ok && isInteger(right) && (right.Text() == "0" || right.Text() == "1") && isComparison(o.Text()) {
		x, op = left, o.Text()
	}
	if !s.isIndex(x) {
		return
	}
	for i, to := range []string{" === -1", " !== -1", " >= 0"} {
		w := 0.5
		if not == (i == 0) && op == "" || op != "" && i > 0 {
			w = 1
		}
		s.put(c.Start(), c.End(), x.Text()+to, w, "Ask for %s: 0 is a place too.", one(x.Text()+to))
	}
}

// isIndex tells a call that finds an index, or a variable that holds one.
func (s *scene) isIndex(x code.Node) bool {
	if findsIndex(x) {
		return true
	}
	if x.Kind() != "identifier" {
		return false
	}
	fn, ok := enclosing(x)
	found := false
	if ok {
		fn.Walk(func(c code.Node) bool {
			if name, value, ok := defines(c); ok && name == x.Text() && findsIndex(value) {
				found = true
			}
			return !found
		})
	}
	return found
}

// collect adds to what a key holds instead of replacing it.
func collect(s *scene, n code.Node) {
	if n.Kind() == "assignment_expression" && n.Up() == "expression_statement" {
		l, ok1 := n.ChildByField("left")
		r, ok2 := n.ChildByField("right")
		if !ok1 || !ok2 || !isElement(l) {
			return
		}
		if kids := r.NamedChildren(); r.Kind() == "array" && len(kids) == 1 {
			text := "(" + l.Text() + " ??= []).push(" + kids[0].Text() + ")"
			s.put(n.Start(), n.End(), text, 2, "Add to %s instead of replacing it.", one(l.Text()))
		}
		if isExpression(r) && r.Kind() != "array" && r.Kind() != "object" {
			text := l.Text() + " = (" + l.Text() + " ?? 0) + " + tight(r)
			s.put(n.Start(), n.End(), text, 0.5, "Add up in %s.", one(l.Text()))
		}
		return
	}
	if n.Kind() == "augmented_assignment_expression" {
		l, ok1 := n.ChildByField("left")
		r, ok2 := n.ChildByField("right")
		op, ok3 := n.ChildByField("operator")
		if ok1 && ok2 && ok3 && isElement(l) && op.Text() == "+=" {
			s.put(n.Start(), n.End(), l.Text()+" = ("+l.Text()+" ?? 0) + "+tight(r), 1, "Begin %s at 0.", one(l.Text()))
			s.put(n.Start(), n.End(), l.Text()+" = ("+l.Text()+` ?? "") + `+tight(r), 0.3, "Begin %s empty.", one(l.Text()))
		}
		return
	}
	fn, args, _, ok := call(n)
	if !ok {
		return
	}
	o, m, ok := member(fn)
	if !ok {
		return
	}
	switch {
	case m.Text() == "push" && isElement(o):
		s.put(o.Start(), o.End(), "("+o.Text()+" ??= [])", 1, "Make the list %s when there is none.", one(o.Text()))
	case m.Text() == "set" && len(args) == 2 && isConstant(args[1]):
		text := "(" + o.Text() + ".get(" + args[0].Text() + ") ?? 0) + 1"
		s.put(args[1].Start(), args[1].End(), text, 1, "Count up in %s.", one(o.Text()))
	}
}

// defaultPattern gives a name of a pattern or a parameter a default.
func defaultPattern(s *scene, n code.Node) {
	switch k := n.Kind(); {
	case k == "identifier" && (n.Up() == "array_pattern" || n.Up() == "formal_parameters"):
	case k == "object_pattern" && n.Up() == "formal_parameters":
	case k == "shorthand_property_identifier_pattern" && n.Up() == "object_pattern":
	case (k == "identifier" || k == "object_pattern") && n.Up() == "required_parameter" && n.Field() == "pattern":
		return
	default:
		return
	}
	values := []string{"{}", "[]", `""`, "0", "null", "false", "true", "1"}
	if n.Kind() == "object_pattern" {
		values = values[:1]
	}
	for i, v := range values {
		s.put(n.End(), n.End(), " = "+v, []float64{1, 1, 1, 1, 0.4, 0.3, 0.3, 0.3}[i], "Use %s when %s is not given.", v, one(n.Text()))
	}
}

// memberConstant reads a setting instead of a constant.
func memberConstant(s *scene, n code.Node) {
	if !isInteger(n) && !plainString(n) || n.Field() == "key" || n.Field() == "source" || n.Up() == "expression_statement" {
		return
	}
	switch n.Up() {
	case "assignment_pattern", "arguments", "binary_expression", "return_statement", "variable_declarator", "assignment_expression", "pair":
	default:
		return
	}
	if isInteger(n) && len(n.Text()) == 1 && n.Up() != "assignment_pattern" {
		return // 0 and 1 are seldom settings
	}
	done := 0
	for _, key := range s.facts.members {
		object, isObject := strings.CutPrefix(key, ".")
		if !isObject || strings.ContainsAny(object, "()[] \n") || done > 20 {
			continue
		}
		root, _, _ := strings.Cut(object, ".")
		if _, known := s.facts.lookup(root, n.Start()); !known && root != "this" {
			continue
		}
		if _, inClass := n.Ancestor("class_declaration", "class"); root == "this" && !inClass {
			continue
		}
		for _, f := range s.facts.fields[key] {
			if f == "length" || len(s.facts.methods[object+"."+f]) > 0 {
				continue
			}
			done++
			w := 0.5
			if strings.Contains(strings.ToLower(object), "option") || strings.Contains(strings.ToLower(object), "config") || strings.Contains(strings.ToLower(object), "default") || strings.Contains(strings.ToLower(object), "setting") {
				w = 2
			}
			s.put(n.Start(), n.End(), object+"."+f, w, "Use %s instead of %s.", one(object+"."+f), one(n.Text()))
		}
	}
}

// spreadOrder lets the other one of two spread objects win, and writes into a
// new object instead of into the first one.
func spreadOrder(s *scene, n code.Node) {
	if n.Kind() == "object" || n.Kind() == "array" {
		kids := n.NamedChildren()
		if len(kids) < 2 || len(kids) > 6 {
			return
		}
		for i := 0; i+1 < len(kids); i++ {
			a, b := kids[i], kids[i+1]
			if a.Kind() != "spread_element" && b.Kind() != "spread_element" {
				continue
			}
			s.put(a.Start(), b.End(), b.Text()+string(s.src[a.End():b.Start()])+a.Text(), 1, "Put %s before %s.", one(b.Text()), one(a.Text()))
		}
		return
	}
	fn, args, _, ok := call(n)
	if !ok || fn.Text() != "Object.assign" || len(args) < 2 {
		return
	}
	if args[0].Text() != "{}" {
		s.put(args[0].Start(), args[0].Start(), "{}, ", 2, "Write into a new object instead of into %s.", one(args[0].Text()))
	}
}

// elementCopy copies the elements too, where a list of objects is handed out.
func elementCopy(s *scene, n code.Node) {
	var list code.Node
	switch {
	case n.Kind() == "array":
		kids := n.NamedChildren()
		if len(kids) != 1 || kids[0].Kind() != "spread_element" {
			return
		}
		inside := kids[0].NamedChildren()
		if len(inside) != 1 {
			return
		}
		list = inside[0]
	case isReturned(n) && (n.Kind() == "identifier" || n.Kind() == "member_expression"):
		list = n
	case n.Kind() == "call_expression":
		fn, _, _, _ := call(n)
		if _, m, ok := member(fn); !ok || m.Text() != "slice" && m.Text() != "concat" {
			return
		}
		list = n
	default:
		return
	}
	if len(list.Text()) > 60 || s.typeIs(list, "number", "text", "bool", "dict") {
		return
	}
	s.put(n.Start(), n.End(), list.Text()+".map((x) => ({ ...x }))", 1, "Copy the elements of %s too.", one(list.Text()))
	s.put(n.Start(), n.End(), "structuredClone("+list.Text()+")", 0.5, "Use a deep copy of %s.", one(list.Text()))
}

func regexFlag(s *scene, n code.Node) {
	if n.Kind() != "regex" {
		return
	}
	flags := ""
	at := n.End()
	if f, ok := n.ChildByField("flags"); ok {
		flags, at = f.Text(), f.Start()
	}
	put := func(to string, w float64, what string) {
		s.put(at, n.End(), to, w, "%s", what)
	}
	for i, f := range []string{"g", "i", "m", "s", "u"} {
		what := []string{"Look for all matches, not for the first one only.", "Match without regard to case.", "Let ^ and $ match at each line.", "Let . match line ends too.", "Match whole characters of Unicode."}[i]
		if !strings.Contains(flags, f) {
			put(flags+f, []float64{1.5, 1, 0.4, 0.3, 0.2}[i], what)
		} else {
			put(strings.Replace(flags, f, "", 1), 0.5, "Match without the flag "+f+".")
		}
	}
	if !strings.ContainsAny(flags, "gi") {
		put(flags+"gi", 0.4, "Look for all matches without regard to case.")
	}
}

// regexShape repeats a class, mirrors an anchor, changes a count.
func regexShape(s *scene, n code.Node) {
	if n.Kind() != "regex_pattern" {
		return
	}
	text := n.Text()
	put := func(i, j int, repl string, w float64) {
		s.put(n.Start()+i, n.Start()+j, repl, w, "Use the pattern %s.", one(text[:i]+repl+text[j:]))
	}
	if bare, ok := strings.CutPrefix(text, "^"); ok && !strings.Contains(bare, "|") && bare != "" {
		if strings.HasSuffix(bare, "$") {
			put(0, len(text), "^"+strings.TrimSuffix(bare, "$")+"|"+bare, 0.3)
		} else {
			put(len(text), len(text), "|"+bare+"$", 1)
		}
	} else if bare, ok := strings.CutSuffix(text, "$"); ok && !strings.Contains(bare, "|") && bare != "" {
		put(0, 0, "^"+bare+"|", 1)
	}
	class := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			if i+1 < len(text) && !class && strings.IndexByte("dwsDWS", text[i+1]) >= 0 {
				upper := strings.ToUpper(text[i+1 : i+2])
				if upper == text[i+1:i+2] {
					upper = strings.ToLower(upper)
				}
				put(i+1, i+2, upper, 0.2)
			}
			i++
		case c == '[' && !class:
			class = true
			if i+1 < len(text) && text[i+1] == '^' {
				put(i+1, i+2, "", 0.3)
			} else {
				put(i+1, i+1, "^", 0.3)
			}
		case c == ']' && class:
			class = false
			if i+1 >= len(text) || strings.IndexByte("+*?{", text[i+1]) < 0 {
				put(i+1, i+1, "+", 1)
				put(i+1, i+1, "*", 0.7)
			}
			for _, extra := range []string{"_", "-", ".", " ", "A-Z", "a-z"} {
				put(i, i, extra, 0.2)
			}
		case c == ')' && (i+1 >= len(text) || strings.IndexByte("+*?{", text[i+1]) < 0):
			put(i+1, i+1, "?", 0.5)
			put(i+1, i+1, "+", 0.4)
			put(i+1, i+1, "*", 0.3)
		}
	}
}

// promiseAll waits for all promises of a list.
func promiseAll(s *scene, n code.Node) {
	fn, args, _, ok := call(n)
	if !ok || n.Up() == "await_expression" || n.Up() == "arguments" && strings.Contains(parentOf(parentOf(n)).Text(), "Promise.") {
		return
	}
	if _, m, ok := member(fn); !ok || m.Text() != "map" || len(args) == 0 {
		return
	}
	w := 0.3
	if strings.HasPrefix(args[0].Text(), "async") {
		w = 1
	}
	owner, ok := enclosing(n)
	if !ok || !strings.Contains(strings.SplitN(owner.Text(), "(", 2)[0], "async") {
		s.put(n.Start(), n.End(), "Promise.all("+n.Text()+")", w, "Wait for all promises of the list.")
		return
	}
	s.put(n.Start(), n.End(), "await Promise.all("+n.Text()+")", 2*w, "Wait for all promises of the list.")
	s.put(n.Start(), n.End(), "Promise.all("+n.Text()+")", w, "Wait for all promises of the list.")
}

// comparator makes a comparator give a number, and compares texts as texts.
func comparator(s *scene, n code.Node) {
	if n.Kind() != "arrow_function" || n.Up() != "arguments" {
		return
	}
	fn, _, _, ok := call(parentOf(parentOf(n)))
	if !ok {
		return
	}
	_, m, ok := member(fn)
	b, has := n.ChildByField("body")
	if !ok || !has || m.Text() != "sort" && m.Text() != "toSorted" {
		return
	}
	left, op, right, ok := binary(b)
	if !ok {
		return
	}
	numbers := tight(left) + " - " + tight(right)
	texts := tight(left) + ".localeCompare(" + right.Text() + ")"
	switch op.Text() {
	case "<", ">", "<=", ">=":
		s.put(b.Start(), b.End(), numbers, 1.5, "Let the comparator give a number.")
		s.put(b.Start(), b.End(), tight(right)+" - "+tight(left), 1, "Let the comparator give a number.")
		s.put(b.Start(), b.End(), texts, 1, "Compare the texts.")
	case "-":
		s.put(b.Start(), b.End(), texts, 1, "Compare the texts.")
	}
}

// datePart counts months from 1 for people and from 0 for Date, and copies a
// date before it is changed.
func datePart(s *scene, n code.Node) {
	fn, args, _, ok := call(n)
	if !ok {
		return
	}
	if n.Kind() == "new_expression" && fn.Text() == "Date" && len(args) >= 2 {
		m := args[1]
		s.put(m.Start(), m.End(), tight(m)+" - 1", 1, "Months of Date begin at 0.")
		s.put(m.Start(), m.End(), tight(m)+" + 1", 0.5, "Take the month after %s.", one(m.Text()))
		s.put(fn.Start(), n.End(), "Date(Date.UTC("+strings.TrimPrefix(string(s.src[args[0].Start():n.End()]), "(")+")", 0.5, "Make the date in UTC.")
		return
	}
	_, m, ok := member(fn)
	if !ok || len(args) != 0 {
		return
	}
	switch name := m.Text(); {
	case name == "getMonth" || name == "getUTCMonth":
		text := n.Text() + " + 1"
		if n.Up() == "binary_expression" {
			text = "(" + text + ")"
		}
		s.put(n.Start(), n.End(), text, 2, "Months of Date begin at 0.")
		fallthrough
	case strings.HasPrefix(name, "get") && !strings.HasPrefix(name, "getUTC") && strings.Contains("getFullYear getMonth getDate getDay getHours getMinutes", name):
		s.put(m.Start(), m.End(), "getUTC"+strings.TrimPrefix(strings.TrimPrefix(name, "getUTC"), "get"), 0.6, "Read the date in UTC.")
	case strings.HasPrefix(name, "getUTC"):
		s.put(m.Start(), m.End(), "get"+strings.TrimPrefix(name, "getUTC"), 0.6, "Read the date in local time.")
	case name == "getTime" || name == "now":
		s.put(n.Start(), n.End(), n.Text()+" / 1000", 0.5, "Use seconds.")
	}
}

// siblingWrap formats a value of a template as its neighbours are: `${pad(h)}:${m}`
// becomes `${pad(h)}:${pad(m)}`.
func siblingWrap(s *scene, n code.Node) {
	if n.Kind() != "template_substitution" || n.Up() != "template_string" {
		return
	}
	kids := n.NamedChildren()
	if len(kids) != 1 {
		return
	}
	v := kids[0]
	for _, sibling := range parentOf(n).NamedChildren() {
		inside := sibling.NamedChildren()
		if sibling == n || sibling.Kind() != "template_substitution" || len(inside) != 1 {
			continue
		}
		fn, args, list, ok := call(inside[0])
		if !ok {
			continue
		}
		var text string
		if o, m, has := member(fn); has && !isConstant(o) && (len(args) == 0 || isConstant(args[0])) {
			text = tight(v) + "." + m.Text() + list.Text()
		} else if fn.Kind() == "identifier" && len(args) > 0 {
			text = fn.Text() + "(" + v.Text() + string(s.src[args[0].End():list.End()])
		}
		if text != "" && v.Kind() != "call_expression" {
			s.put(v.Start(), v.End(), text, 1, "Format %s as its neighbours.", one(v.Text()))
		}
	}
}

// caseEnd ends a case of a switch that falls through into the next one.
func caseEnd(s *scene, n code.Node) {
	if n.Kind() != "switch_case" && n.Kind() != "switch_default" {
		return
	}
	kids := n.NamedChildren()
	if len(kids) == 0 {
		return
	}
	last := kids[len(kids)-1]
	if last.Field() == "value" || leaves(last) {
		if leaves(last) && last.Kind() == "break_statement" && len(kids) > 1 {
			if start, end, ok := s.wholeLines(last); ok {
				s.put(start, end, "", 0.2, "Go on with the next case.")
			}
		}
		return
	}
	s.after(last, "break;", 1, "Leave the switch after %s.", one(last.Text()))
	if x := last.NamedChildren(); last.Kind() == "expression_statement" && len(x) == 1 && !strings.Contains(x[0].Kind(), "assignment") {
		s.put(last.Start(), last.Start(), "return ", 1, "Return %s.", one(last.Text()))
	}
	s.after(last, "return;", 0.3, "Return after %s.", one(last.Text()))
}

// reduceSeed gives a reduction a value to begin with.
func reduceSeed(s *scene, n code.Node) {
	fn, args, list, ok := call(n)
	if !ok || len(args) == 0 || len(args) > 2 {
		return
	}
	if _, m, ok := member(fn); !ok || m.Text() != "reduce" && m.Text() != "reduceRight" {
		return
	}
	at, end := list.End()-1, list.End()-1
	sep := ", "
	if len(args) == 2 {
		at, end, sep = args[1].Start(), args[1].End(), ""
	}
	for i, v := range []string{"0", "[]", "{}", `""`, "1", "new Map()", "null", "-Infinity", "Infinity"} {
		s.put(at, end, sep+v, []float64{2, 1, 1, 1, 1, 0.3, 0.3, 0.3, 0.3}[i], "Begin with %s.", v)
	}
}

// typeTest asks more of what typeof cannot tell: null and lists are objects.
func typeTest(s *scene, n code.Node) {
	left, op, right, ok := binary(n)
	if !ok || left.Kind() != "unary_expression" || !strings.HasPrefix(left.Text(), "typeof ") || !isString(right) {
		return
	}
	x := strings.TrimPrefix(left.Text(), "typeof ")
	same := op.Text() == "===" || op.Text() == "=="
	add := func(term, opposite string, w float64) {
		join, t := " && ", term
		if !same {
			join, t = " || ", opposite
		}
		text := n.Text() + join + t
		if up := n.Up(); up == "unary_expression" || !same && up == "binary_expression" {
			text = "(" + text + ")"
		}
		s.put(n.Start(), n.End(), text, w, "Ask %s too.", one(t))
	}
	switch strings.Trim(right.Text(), `"'`) {
	case "object":
		add(x+" !== null", x+" === null", 2)
		add("!Array.isArray("+x+")", "Array.isArray("+x+")", 1)
		add("!("+x+" instanceof Date)", x+" instanceof Date", 0.5)
	case "number":
		add("!Number.isNaN("+x+")", "Number.isNaN("+x+")", 1)
		add("Number.isFinite("+x+")", "!Number.isFinite("+x+")", 0.5)
	case "string":
		add(x+` !== ""`, x+` === ""`, 0.5)
	}
	for _, kind := range []string{"string", "number", "object", "function", "undefined", "boolean"} {
		q := right.Text()[:1]
		s.put(right.Start(), right.End(), q+kind+q, 0.3, "Ask for the type %s.", kind)
	}
}

func logicalAssignment(s *scene, n code.Node) {
	if n.Kind() != "augmented_assignment_expression" {
		return
	}
	op, ok := n.ChildByField("operator")
	if !ok {
		return
	}
	for _, to := range map[string][]string{"||=": {"??=", "&&=", "="}, "??=": {"||=", "="}, "&&=": {"||=", "??="}}[op.Text()] {
		s.put(op.Start(), op.End(), to, 1, "Write %s instead of %s.", to, op.Text())
	}
}

// groupedDefault uses a default for a value in parentheses or a substitution.
func groupedDefault(s *scene, n code.Node) {
	if n.Kind() != "parenthesized_expression" && n.Kind() != "template_substitution" && n.Kind() != "spread_element" || condOf(n) == n {
		return
	}
	if n.Kind() == "parenthesized_expression" {
		switch n.Up() {
		case "if_statement", "while_statement", "do_statement", "switch_statement", "for_statement":
			return
		}
	}
	kids := n.NamedChildren()
	if len(kids) != 1 || !isPlain(kids[0]) && kids[0].Kind() != "subscript_expression" {
		return
	}
	v := kids[0]
	values := []string{"0", `""`, "[]", "{}", "1"}
	if n.Kind() == "spread_element" {
		values = []string{"[]", "{}"}
	}
	for i, d := range values {
		s.put(v.End(), v.End(), " ?? "+d, 1/float64(i+1), "Use %s when %s is missing.", d, one(v.Text()))
	}
}

// returnThis lets calls of a method be chained.
func returnThis(s *scene, n code.Node) {
	if !isStatement(n) || !s.lastInBlock(n) || leaves(n) || ownerOf(n).Kind() != "method_definition" {
		return
	}
	class, ok := n.Ancestor("class_declaration", "class")
	if !ok {
		return
	}
	w := 0.5
	if strings.Contains(class.Text(), "return this;") {
		w = 2
	}
	s.after(n, "return this;", w, "Return the object at the end.")
}

// recursiveCall treats a part as the function treats the whole.
func recursiveCall(s *scene, n code.Node) {
	if n.Kind() != "object" && !isValue(n) || strings.Contains(n.Text(), "\n") || len(n.Text()) > 60 {
		return
	}
	switch n.Up() {
	case "return_statement", "assignment_expression", "ternary_expression", "arguments", "pair", "binary_expression", "spread_element":
	default:
		return
	}
	fn, ok := n.Ancestor("function_declaration")
	if !ok {
		return
	}
	name, ok1 := fn.ChildByField("name")
	params, ok2 := fn.ChildByField("parameters")
	if !ok1 || !ok2 || len(params.NamedChildren()) == 0 {
		return
	}
	part := n.Text()
	if kids := n.NamedChildren(); n.Kind() == "object" {
		if len(kids) != 1 || kids[0].Kind() != "spread_element" || len(kids[0].NamedChildren()) != 1 {
			return
		}
		part = kids[0].NamedChildren()[0].Text()
	}
	root, rest, cut := strings.Cut(part, "[")
	if !cut {
		if root, rest, cut = strings.Cut(part, "."); !cut {
			return
		}
		rest = "." + rest
	} else {
		rest = "[" + rest
	}
	var args []string
	known := false
	for _, p := range params.NamedChildren() {
		switch {
		case p.Kind() != "identifier":
			return
		case p.Text() == root:
			known = true
			args = append(args, part)
		default:
			args = append(args, p.Text()+rest)
		}
	}
	if !known {
		return
	}
	s.put(n.Start(), n.End(), name.Text()+"("+strings.Join(args, ", ")+")", 1, "Treat %s in the same way.", one(part))
	if len(args) > 1 {
		kept := make([]string, len(args))
		for i, p := range params.NamedChildren() {
			if kept[i] = p.Text(); kept[i] == root {
				kept[i] = part
			}
		}
		s.put(n.Start(), n.End(), name.Text()+"("+strings.Join(kept, ", ")+")", 1, "Treat %s in the same way.", one(part))
	}
}

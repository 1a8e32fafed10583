package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// nullCheck tells a missing value from an empty one, and the other way round.
func nullCheck(s *scene, n code.Node) {
	if c, ok := condition(n); ok && c.Start() >= s.start {
		s.testNull(c)
	}
	if left, op, right, ok := binary(n); ok && isLogic(op.Text()) {
		if n.Up() != "boolean_operator" && condOf(parentOf(n)) != n && s.d.lang == py && op.Text() == "or" && !isConstantBool(right) && isPlain(left) {
			text := left.Text() + " if " + left.Text() + " is not None else " + right.Text()
			if n.Up() != "assignment" && n.Up() != "return_statement" {
				text = "(" + text + ")"
			}
			s.put(n.Start(), n.End(), text, 1, "Use %s only when %s is None.", one(right.Text()), one(left.Text()))
		}
		if !testedBy(left, right) {
			s.testNull(left)
		}
		if !testedBy(right, left) {
			s.testNull(right)
		}
	}
	if isNot(n) {
		s.testNull(n)
	}
	if n.Kind() == "conditional_expression" {
		return
	}
	left, op, right, ok := binary(n)
	if !ok || right.Kind() != "none" && right.Kind() != "null" && right.Kind() != "undefined" {
		return
	}
	switch strings.Join(strings.Fields(op.Text()), " ") {
	case "is", "==", "===":
		s.put(n.Start(), n.End(), s.d.not+tight(left), 0.7, "Take an empty %s as missing too.", one(left.Text()))
	case "is not", "!=", "!==":
		s.put(n.Start(), n.End(), left.Text(), 0.7, "Take an empty %s as missing too.", one(left.Text()))
	}
}

// testedBy tells whether a term asks by itself whether the value of another is
// there: x and x is not MISSING.
func testedBy(term, other code.Node) bool {
	l, op, r, ok := binary(other)
	if !ok || l.Text() != term.Text() || isNull(r) {
		return false
	}
	switch strings.Join(strings.Fields(op.Text()), " ") {
	case "is not", "!==", "!=":
		return true
	}
	return false
}

func isNull(n code.Node) bool {
	k := n.Kind()
	return k == "none" || k == "null" || k == "undefined" || k == "nil"
}

func isPlain(n code.Node) bool {
	switch n.Kind() {
	case "identifier", "attribute", "member_expression", "call", "call_expression", "subscript":
		return len(n.Text()) < 60
	}
	return false
}

func isConstantBool(n code.Node) bool { return n.Kind() == "true" || n.Kind() == "false" }

// testNull asks whether a value is there instead of whether it is true.
func (s *scene) testNull(c code.Node) {
	if s.d.lang == golang {
		return
	}
	if isPlain(c) {
		s.put(c.Start(), c.End(), c.Text()+s.d.notNull, 1, "Ask whether %s is there, not whether it is true.", one(c.Text()))
		return
	}
	if !isNot(c) {
		return
	}
	if kids := c.NamedChildren(); len(kids) == 1 && isPlain(kids[0]) {
		text := kids[0].Text()
		s.put(c.Start(), c.End(), text+s.d.isNull, 1, "Ask whether %s is missing, not whether it is false.", one(text))
		if kids[0].Kind() == "identifier" && s.d.lang == js {
			s.put(c.Start(), c.End(), text+".length === 0", 0.4, "Ask whether %s is empty.", one(text))
		}
	}
}

// branchOrder swaps two branches of a chain, and joins or parts two
// statements that should or should not exclude each other.
func branchOrder(s *scene, n code.Node) {
	if n.Kind() != "if_statement" && n.Kind() != "elif_clause" {
		return
	}
	c1, ok1 := n.ChildByField("condition")
	b1, ok2 := n.ChildByField("consequence")
	if !ok1 || !ok2 {
		return
	}
	if next, ok := nextBranch(n); ok {
		c2, ok3 := next.ChildByField("condition")
		b2, ok4 := next.ChildByField("consequence")
		_, init := next.ChildByField("initializer")
		if ok3 && ok4 && !init && b1.Up() == n.Kind() && !b2.HasError() {
			first, second := string(s.src[c1.Start():b1.End()]), string(s.src[c2.Start():b2.End()])
			s.put(c1.Start(), b2.End(), second+string(s.src[b1.End():c2.Start()])+first, 1, "Ask for %s before %s.", one(c2.Text()), one(c1.Text()))
			if s.d.lang == py && next.Kind() == "elif_clause" {
				s.put(next.Start(), next.Start()+2, "", 0.6, "Ask for %s in any case.", one(c2.Text()))
			}
		}
	}
	if n.Kind() == "if_statement" && isStatement(n) {
		list := parentOf(n).NamedChildren()
		for i, c := range list {
			if c == n && i > 0 && list[i-1].Kind() == "if_statement" {
				s.joinBranch(n, list[i-1])
			}
		}
	}
}

func nextBranch(n code.Node) (code.Node, bool) {
	if n.Kind() == "elif_clause" {
		seen := false
		for _, c := range parentOf(n).NamedChildren() {
			if seen {
				return c, c.Kind() == "elif_clause"
			}
			seen = c == n
		}
		return n, false
	}
	a, ok := n.ChildByField("alternative")
	if ok && a.Kind() == "else_clause" {
		kids := a.NamedChildren()
		return kids[0], len(kids) == 1 && kids[0].Kind() == "if_statement"
	}
	return a, ok && (a.Kind() == "elif_clause" || a.Kind() == "if_statement")
}

// joinBranch makes an if the else-if of the one before it.
func (s *scene) joinBranch(n, before code.Node) {
	if _, ok := before.ChildByField("alternative"); ok && s.d.lang != py {
		return
	}
	if s.d.lang == py {
		if a, ok := before.ChildByField("alternative"); ok && a.Kind() == "else_clause" {
			return
		}
		if a := before.NamedChildren(); len(a) > 0 && a[len(a)-1].Kind() == "else_clause" {
			return
		}
		s.put(n.Start(), n.Start(), "el", 1, "Ask only when the condition before did not hold.")
		return
	}
	if strings.TrimSpace(string(s.src[before.End():n.Start()])) == "" && s.src[before.End()-1] == '}' {
		s.put(before.End(), n.Start(), " else ", 1, "Ask only when the condition before did not hold.")
	}
}

// stringDetail changes what matters inside a string: quantifiers and anchors
// of a pattern, digits of a format, the order of date fields.
func stringDetail(s *scene, n code.Node) {
	text := n.Text()
	isRegex := n.Kind() == "regex_pattern"
	if !isRegex && !isString(n) && n.Kind() != "raw_string_literal" || strings.Contains(text, "\n") || !isRegex && len(text) < 3 || text == "" || len(text) > 120 {
		return
	}
	if n.Up() == "expression_statement" || n.Up() == "import_spec" || n.Field() == "source" {
		return
	}
	if isRegex || patternPlace(n) {
		s.pattern(n, text, isRegex)
	}
	for i := 1; i+2 < len(text); i++ {
		if text[i] == '.' && text[i+1] >= '0' && text[i+1] <= '9' && strings.IndexByte("feg%", text[i+2]) >= 0 {
			for _, d := range []byte{'0', '1', '2', '3'} {
				if d != text[i+1] {
					s.put(n.Start()+i+1, n.Start()+i+2, string(d), 1, "Print %c digits after the point.", d)
				}
			}
		}
		if text[i] == '%' && i+4 < len(text) && wordByte(text[i+1]) && text[i+3] == '%' && wordByte(text[i+4]) && text[i+1] != text[i+4] {
			s.put(n.Start()+i+1, n.Start()+i+5, text[i+4:i+5]+text[i+2:i+4]+text[i+1:i+2], 1, "Swap %%%c and %%%c.", text[i+1], text[i+4])
		}
	}
}

// patternPlace tells the first argument of a call that takes a regular
// expression.
func patternPlace(n code.Node) bool {
	list := parentOf(n)
	fn, args, _, ok := call(parentOf(list))
	if !ok || len(args) == 0 || args[0] != n {
		return false
	}
	o, m, ok := member(fn)
	if !ok {
		return fn.Text() == "RegExp"
	}
	return o.Text() == "re" || o.Text() == "regex" || o.Text() == "regexp" || m.Text() == "MustCompile"
}

func (s *scene) pattern(n code.Node, text string, bare bool) {
	from, to := 0, len(text)
	if !bare {
		from, to = strings.IndexAny(text, "\"'`")+1, len(text)-1
	}
	at := func(i int) int { return n.Start() + i }
	put := func(i, j int, repl string) {
		s.put(at(i), at(j), repl, 1, "Use the pattern %s.", one(text[:i]+repl+text[j:]))
	}
	if from >= to {
		return
	}
	if text[from] != '^' {
		put(from, from, "^")
	} else {
		put(from, from+1, "")
	}
	if text[to-1] != '$' {
		put(to, to, "$")
	} else {
		put(to-1, to, "")
	}
	for i := from; i < to; i++ {
		escaped := i > from && text[i-1] == '\\'
		switch c := text[i]; {
		case (c == '+' || c == '*') && !escaped && i > from:
			put(i, i+1, map[byte]string{'+': "*", '*': "+"}[c])
			if i+1 < to && text[i+1] != '?' {
				put(i+1, i+1, "?")
			}
		case c == '?' && !escaped && i > from && text[i-1] != '(':
			put(i, i+1, "")
		case c == '.' && !escaped && (i+1 >= to || text[i+1] != '*' && text[i+1] != '+') && (bare || text[0] == 'r' || text[0] == '`'):
			put(i, i+1, `\.`)
		case escaped && (c == 'd' || c == 'w' || c == 's'):
			if i+1 >= to || strings.IndexByte("+*?{", text[i+1]) < 0 {
				put(i+1, i+1, "+")
			}
			if c == 'd' {
				put(i, i+1, "w")
			}
		case strings.HasPrefix(text[i:], "a-z") && !strings.Contains(text, "A-Z"):
			put(i, i+3, "a-zA-Z")
		case c == ']' && !escaped && !strings.Contains(text, "0-9"):
			put(i, i, "0-9")
		}
	}
}

// elementAdd puts a variable of the scope into a tuple or list that lacks it,
// such as the key of a cache.
func elementAdd(s *scene, n code.Node) {
	switch n.Kind() {
	case "tuple", "list", "array", "expression_list":
		if s.d.lang == golang || assigned(n) || n.Field() == "left" || n.Up() == "except_clause" || n.Up() == "as_pattern" || n.Up() == "delete_statement" {
			return
		}
	default:
		return
	}
	kids := n.NamedChildren()
	if len(kids) == 0 || len(kids) > 6 || strings.Contains(n.Text(), "\n") {
		return
	}
	done := 0
	for _, v := range s.facts.visible(n.Start()) {
		if v.kind == "module" || wordCount(n.Text(), v.name) > 0 || done >= 6 {
			continue
		}
		done++
		w := 0.5
		if v.uses <= 1 {
			w = 3
		}
		last := kids[len(kids)-1]
		s.put(last.End(), last.End(), ", "+v.name, w, "Put %s into %s too.", one(v.name), one(n.Text()))
	}
}

// storeParameter keeps what a constructor was given, and calls the
// constructor of the base class.
func storeParameter(s *scene, n code.Node) {
	if !isStatement(n) {
		return
	}
	fn, ok := heads(n)
	if !ok || !isFunction(fn) || s.d.lang == golang {
		return
	}
	name, ok := fn.ChildByField("name")
	if !ok || name.Text() != "__init__" && name.Text() != "constructor" {
		return
	}
	self, end := "self.", ""
	if s.d.lang == js {
		self, end = "this.", ";"
	}
	for _, v := range s.facts.visible(n.Start()) {
		if v.kind == "param" && v.owner == fn.Start() {
			w := 0.3
			if v.uses <= 1 {
				w = 3
			}
			target := self + v.name
			if strings.Contains(fn.Text(), self+"_"+v.name) {
				target = self + "_" + v.name
			}
			s.before(n, target+" = "+v.name+end, w, "Keep the parameter %s.", one(v.name))
		}
	}
	if s.d.lang == py && !strings.Contains(fn.Text(), "super()") {
		if class, ok := fn.Ancestor("class_definition"); ok {
			if _, has := class.ChildByField("superclasses"); has {
				s.before(n, "super().__init__()", 1, "Call the constructor of the base class.")
			}
		}
	}
}

// loopStep moves on a loop whose condition nothing changes.
func loopStep(s *scene, n code.Node) {
	if n.Kind() != "while_statement" && (n.Kind() != "for_statement" || s.d.lang != golang) {
		return
	}
	c, ok := condition(n)
	list, has := body(n)
	if !ok || !has || len(list) == 0 {
		return
	}
	last := list[len(list)-1]
	end := map[bool]string{true: ";", false: ""}[s.d.lang == js]
	c.Walk(func(x code.Node) bool {
		if x.Kind() != "identifier" || isCallee(x, parentOf(x)) {
			return true
		}
		if v, known := s.facts.lookup(x.Text(), x.Start()); known && v.kind != "module" && v.typ != "list" && v.typ != "text" && v.typ != "bool" {
			s.after(last, x.Text()+" += 1"+end, 1, "Count %s up in each round.", one(x.Text()))
			s.after(last, x.Text()+" -= 1"+end, 0.7, "Count %s down in each round.", one(x.Text()))
		}
		return true
	})
}

// closureBinding gives each round of a loop its own variable.
func closureBinding(s *scene, n code.Node) {
	switch {
	case s.d.lang == js && n.Kind() == "var" && !n.Named():
		s.put(n.Start(), n.End(), "let", 1, "Declare the variable for its block with let.")
	case s.d.lang == py && n.Kind() == "lambda":
		if !inRounds(n) {
			return
		}
		params, has := n.ChildByField("parameters")
		b, ok := n.ChildByField("body")
		if !ok {
			return
		}
		for _, v := range s.facts.visible(n.Start()) {
			if v.kind != "loop" || wordCount(b.Text(), v.name) == 0 || has && wordCount(params.Text(), v.name) > 0 {
				continue
			}
			if has {
				s.put(params.End(), params.End(), ", "+v.name+"="+v.name, 1, "Keep the value that %s has now.", one(v.name))
			} else {
				s.put(n.Start(), n.Start()+len("lambda"), "lambda "+v.name+"="+v.name, 1, "Keep the value that %s has now.", one(v.name))
			}
		}
	case s.d.lang == js && n.Kind() == "member_expression" && n.Up() == "arguments":
		if o, _, ok := member(n); ok && (o.Kind() == "this" || o.Kind() == "identifier" && s.isVariable(o)) {
			s.put(n.End(), n.End(), ".bind("+o.Text()+")", 0.5, "Bind the method %s to its object.", one(n.Text()))
		}
	case s.d.lang == js && n.Kind() == "function_expression":
		p, ok := n.ChildByField("parameters")
		b, has := n.ChildByField("body")
		if _, named := n.ChildByField("name"); ok && has && !named && strings.HasPrefix(n.Text(), "function") {
			s.put(n.Start(), n.End(), p.Text()+" => "+b.Text(), 0.6, "Use an arrow function, which keeps this.")
		}
	}
}

// inRounds tells what is worked out anew in each round of a loop.
func inRounds(n code.Node) bool {
	if _, ok := inLoop(n); ok {
		return true
	}
	_, ok := n.Ancestor("list_comprehension", "dictionary_comprehension", "generator_expression", "set_comprehension")
	return ok
}

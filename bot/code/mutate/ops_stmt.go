package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// indent is the indentation of a statement that stands alone at the start of
// its line.
func (s *scene) indent(n code.Node) (string, bool) { return code.IndentBefore(s.src, n.Start()) }

// before inserts lines before a statement. Lines are given with "\n" and one
// unit per level as "\t".
func (s *scene) before(n code.Node, text string, weight float64, format string, args ...any) {
	if in, ok := s.indent(n); ok {
		s.put(n.Start(), n.Start(), s.lines(text, in)+s.eol+in, weight, format, args...)
	}
}

// after inserts lines after a statement.
func (s *scene) after(n code.Node, text string, weight float64, format string, args ...any) {
	if in, ok := s.indent(n); ok && s.endsLine(n) {
		s.put(n.End(), n.End(), s.eol+in+s.lines(text, in), weight, format, args...)
	}
}

// lines writes text in the file's indentation and line endings.
func (s *scene) lines(text, in string) string {
	text = strings.ReplaceAll(text, "\t", s.unit)
	return strings.ReplaceAll(text, "\n", s.eol+in)
}

// endsLine tells that nothing but a comment follows a node on its line.
func (s *scene) endsLine(n code.Node) bool {
	rest := string(s.src[n.End():])
	rest, _, _ = strings.Cut(rest, "\n")
	rest = strings.TrimSpace(rest)
	return rest == "" || strings.HasPrefix(rest, "#") || strings.HasPrefix(rest, "//")
}

// wholeLines is the span of a statement with its line ends, when it stands
// alone on its lines.
func (s *scene) wholeLines(n code.Node) (start, end int, ok bool) {
	in, alone := s.indent(n)
	if !alone || !s.endsLine(n) {
		return 0, 0, false
	}
	end = n.End()
	for end < len(s.src) && s.src[end] != '\n' {
		end++
	}
	return n.Start() - len(in), min(end+1, len(s.src)), true
}

// guard writes an if-statement around an action.
func (s *scene) guard(cond, action string) string {
	switch s.d.lang {
	case py:
		return "if " + cond + ":\n\t" + action
	case js:
		return "if (" + cond + ") {\n\t" + action + ";\n}"
	}
	return "if " + cond + " {\n\t" + action + "\n}"
}

// exits lists what a guard may do in a function: the constants that it or its
// neighbours return, then the usual empty values.
func (s *scene) exits(fn code.Node) []choice {
	if s.d.lang == golang {
		if zero, ok := zeroReturn(fn); ok {
			return []choice{{zero, 1}}
		}
		return nil
	}
	var out []choice
	seen := map[string]bool{}
	add := func(text string, w float64) {
		if !seen[text] {
			seen[text] = true
			out = append(out, choice{text, w})
		}
	}
	fn.Walk(func(n code.Node) bool {
		if n != fn && isFunction(n) {
			return false
		}
		if n.Kind() == "return_statement" && len(n.Text()) < 40 && len(out) < 3 {
			if kids := n.NamedChildren(); len(kids) == 1 && isConstant(kids[0]) {
				add(strings.TrimSuffix(n.Text(), ";"), 1)
			}
		}
		return true
	})
	for i, v := range []string{s.d.null, s.d.list, "0", s.d.no, s.d.text, s.d.dict, s.d.yes} {
		add("return "+v, []float64{0.8, 0.6, 0.6, 0.5, 0.4, 0.3, 0.2}[i])
	}
	return out
}

func isConstant(n code.Node) bool {
	switch n.Kind() {
	case "none", "null", "nil", "undefined", "true", "false", "integer", "float", "number", "int_literal", "string", "interpreted_string_literal":
		return true
	case "list", "dictionary", "array", "object", "tuple":
		return len(n.Text()) == 2
	}
	return false
}

// zeroReturn is the return statement of zero values for a Go function.
func zeroReturn(fn code.Node) (string, bool) {
	res, ok := fn.ChildByField("result")
	if !ok {
		return "return", true
	}
	var zeros []string
	if res.Kind() != "parameter_list" {
		zeros = []string{zeroValue(res)}
	} else {
		for _, p := range res.NamedChildren() {
			t, ok := p.ChildByField("type")
			if !ok {
				t = p
			}
			names := 0
			for _, c := range p.NamedChildren() {
				if c.Field() == "name" {
					names++
				}
			}
			for range max(1, names) {
				zeros = append(zeros, zeroValue(t))
			}
		}
	}
	for _, z := range zeros {
		if z == "" {
			return "", false
		}
	}
	return "return " + strings.Join(zeros, ", "), true
}

func zeroValue(t code.Node) string {
	switch t.Text() {
	case "string":
		return `""`
	case "bool":
		return "false"
	case "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "byte", "rune", "uintptr", "time.Duration":
		return "0"
	case "error", "any":
		return "nil"
	}
	switch t.Kind() {
	case "pointer_type", "slice_type", "map_type", "function_type", "interface_type", "channel_type":
		return "nil"
	case "type_identifier", "qualified_type", "struct_type", "array_type":
		return t.Text() + "{}"
	}
	return ""
}

// firstStatement is where a guard of a function or loop goes: its first
// statement after a docstring.
func firstStatement(n code.Node) (code.Node, bool) {
	list, ok := body(n)
	if !ok {
		return code.Node{}, false
	}
	for i, c := range list {
		if i == 0 && c.Kind() == "expression_statement" {
			if kids := c.NamedChildren(); len(kids) == 1 && isString(kids[0]) && len(list) > 1 {
				continue
			}
		}
		return c, true
	}
	return code.Node{}, false
}

// heads gives the function or loop that begins with the statement n.
func heads(n code.Node) (code.Node, bool) {
	p, ok := n.Parent()
	if !ok {
		return p, false
	}
	if p.Kind() == "statement_list" {
		p = parentOf(p)
	}
	owner, ok := p.Parent()
	if !ok || !isFunction(owner) && !isLoop(owner) {
		return owner, false
	}
	first, ok := firstStatement(owner)
	return owner, ok && first == n
}

func guardNull(s *scene, n code.Node) {
	if !isStatement(n) {
		return
	}
	if owner, ok := heads(n); ok {
		s.guardHead(owner, n)
	}
	fn, ok := enclosing(n)
	if !ok || n.EndLine() > n.Line()+3 {
		return
	}
	leave := s.exits(fn)
	if _, ok := inLoop(n); ok {
		leave = append([]choice{{"continue", 1}}, leave...)
	}
	for _, name := range s.dereferenced(n) {
		cond := name + s.d.isNull
		if s.d.lang == golang && !s.nillable(name, n.Start()) {
			continue
		}
		for i, x := range leave {
			if i < 4 {
				s.before(n, s.guard(cond, x.text), x.weight*0.6, "When %s is %s, %s first.", one(name), s.d.null, x.text)
			}
		}
	}
}

// guardHead guards the parameters of a function, or the variable of a loop.
func (s *scene) guardHead(owner, n code.Node) {
	if isLoop(owner) {
		for _, v := range s.facts.visible(n.Start()) {
			if v.kind != "loop" || v.from < owner.Start() || v.to > owner.End() && s.d.lang != py {
				continue
			}
			if s.d.lang != golang {
				s.before(n, s.guard(v.name+s.d.isNull, "continue"), 1, "Skip when %s is %s.", one(v.name), s.d.null)
				s.before(n, s.guard(s.falsy(v), "continue"), 0.7, "Skip when %s is empty.", one(v.name))
			} else if c := s.empty(v.name, v.typ); c != "" {
				s.before(n, s.guard(c, "continue"), 1, "Skip when %s.", one(c))
			}
		}
		return
	}
	for _, v := range s.facts.visible(n.Start()) {
		if v.kind != "param" || v.owner != owner.Start() {
			continue
		}
		for i, x := range s.exits(owner) {
			if i >= 6 {
				break
			}
			if s.d.lang == golang {
				if c := s.empty(v.name, v.typ); c != "" && !isResult(owner, v.name) {
					s.before(n, s.guard(c, x.text), 1, "When %s, %s first.", one(c), x.text)
				}
				continue
			}
			s.before(n, s.guard(v.name+s.d.isNull, x.text), x.weight, "When %s is %s, %s first.", one(v.name), s.d.null, x.text)
			s.before(n, s.guard(s.falsy(v), x.text), x.weight, "When %s is empty, %s first.", one(v.name), x.text)
		}
		if s.d.lang == py {
			s.before(n, s.guard(v.name+" is None", v.name+" = []"), 0.3, "Use an empty list when %s is None.", one(v.name))
			s.before(n, s.guard(v.name+" is None", v.name+" = {}"), 0.3, "Use an empty dict when %s is None.", one(v.name))
		}
	}
}

// falsy is the condition that a value is empty.
func (s *scene) falsy(v variable) string {
	if s.d.lang == js && v.typ == "list" {
		return v.name + ".length === 0"
	}
	return s.d.not + v.name
}

func isResult(fn code.Node, name string) bool {
	res, ok := fn.ChildByField("result")
	return ok && wordCount(res.Text(), name) > 0
}

// empty is the condition that a Go value of a type is its zero value.
func (s *scene) empty(name, typ string) string {
	switch {
	case strings.HasPrefix(typ, "*") || strings.HasPrefix(typ, "func") || typ == "any" || typ == "error" || strings.HasPrefix(typ, "interface"):
		return name + " == nil"
	case strings.HasPrefix(typ, "[]") || strings.HasPrefix(typ, "map["):
		return "len(" + name + ") == 0"
	case typ == "string":
		return name + ` == ""`
	case typ == "int" || typ == "float64" || typ == "int64":
		return name + " == 0"
	}
	return ""
}

func (s *scene) nillable(name string, at int) bool {
	v, ok := s.facts.lookup(name, at)
	return ok && (strings.HasPrefix(v.typ, "*") || v.typ == "error" || v.typ == "")
}

// dereferenced lists the variables of a statement that must not be null: what
// is indexed, or whose members are read.
func (s *scene) dereferenced(n code.Node) []string {
	var out []string
	n.Walk(func(c code.Node) bool {
		if c != n && (isFunction(c) || listKind(c)) {
			return false
		}
		o, _, ok := member(c)
		if !ok {
			o, _, ok = element(c)
		}
		if ok && o.Kind() == "identifier" && o.Text() != "self" && o.Text() != "this" {
			if v, known := s.facts.lookup(o.Text(), n.Start()); known && v.kind != "module" {
				out = addOnce(out, o.Text())
			}
		}
		return len(out) < 4
	})
	return out
}

// guardDonor copies a guard that stands elsewhere in the file.
func guardDonor(s *scene, n code.Node) {
	if !isStatement(n) {
		return
	}
	owner, ok := heads(n)
	if !ok {
		return
	}
	fn := owner
	if !isFunction(fn) {
		if fn, ok = enclosing(n); !ok {
			return
		}
	}
	in, alone := s.indent(n)
	if !alone {
		return
	}
	for _, g := range s.facts.guards {
		if g.Start() >= fn.Start() && g.End() <= fn.End() || isLoop(owner) && strings.Contains(g.Text(), "return") {
			continue
		}
		if !isLoop(owner) && (strings.Contains(g.Text(), "continue") || strings.Contains(g.Text(), "break")) {
			continue
		}
		gi, galone := s.indent(g)
		if !galone {
			continue
		}
		for _, text := range s.transplant(g, n) {
			text = strings.ReplaceAll(text, "\n"+gi, "\n"+in)
			s.put(n.Start(), n.Start(), text+s.eol+in, 1, "Guard with %s, as elsewhere in the file.", one(text))
		}
	}
}

// transplant writes a piece of code with the names that are in scope at n: as
// it is when all are, else with the one missing name replaced.
func (s *scene) transplant(piece, n code.Node) []string {
	visible := s.facts.visible(n.Start())
	var missing []string
	piece.Walk(func(c code.Node) bool {
		if c.Kind() != "identifier" || c.Field() == "attribute" || c.Field() == "property" {
			return true
		}
		if _, here := s.facts.lookup(c.Text(), c.Start()); !here {
			return true // a builtin, a function, an import
		}
		for _, v := range visible {
			if v.name == c.Text() {
				return true
			}
		}
		missing = addOnce(missing, c.Text())
		return true
	})
	switch len(missing) {
	case 0:
		return []string{piece.Text()}
	case 1:
		var out []string
		old, _ := s.facts.lookup(missing[0], piece.Start())
		for _, v := range visible {
			if v.kind != "module" && fits(old.typ, v.typ) && len(out) < 4 {
				out = append(out, replaceWord(piece.Text(), missing[0], v.name))
			}
		}
		return out
	}
	return nil
}

// replaceWord replaces a name as a whole word.
func replaceWord(text, old, name string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		j := strings.Index(text[i:], old)
		if j < 0 {
			b.WriteString(text[i:])
			break
		}
		a, z := i+j, i+j+len(old)
		b.WriteString(text[i:a])
		if (a == 0 || !wordByte(text[a-1]) && text[a-1] != '.') && (z == len(text) || !wordByte(text[z])) {
			b.WriteString(name)
		} else {
			b.WriteString(old)
		}
		i = z
	}
	return b.String()
}

// guardZero guards a division, and what fails on an empty collection or an
// index out of bounds.
func guardZero(s *scene, n code.Node) {
	if !isStatement(n) || n.EndLine() > n.Line()+3 {
		return
	}
	fn, ok := enclosing(n)
	if !ok {
		return
	}
	conds := s.dangers(n)
	leave := s.exits(fn)
	if _, ok := inLoop(n); ok {
		leave = append([]choice{{"continue", 0.8}}, leave...)
	}
	for _, c := range conds {
		for i, x := range leave {
			if i < 6 {
				s.before(n, s.guard(c, x.text), x.weight, "When %s, %s first.", one(c), x.text)
			}
		}
	}
}

// dangers lists conditions under which a statement fails.
func (s *scene) dangers(n code.Node) []string {
	var out []string
	n.Walk(func(c code.Node) bool {
		if c != n && (isFunction(c) || listKind(c)) || len(out) >= 4 {
			return false
		}
		if _, op, right, ok := binary(c); ok && (op.Text() == "/" || op.Text() == "//" || op.Text() == "%") && !isConstant(right) && len(right.Text()) < 40 {
			eq := map[int]string{py: " == 0", js: " === 0", golang: " == 0"}[s.d.lang]
			out = addOnce(out, inner(right).Text()+eq)
		}
		if o, i, ok := element(c); ok && len(o.Text()) < 40 && len(i.Text()) < 20 && (o.Kind() == "identifier" || o.Kind() == "attribute" || o.Kind() == "selector_expression" || o.Kind() == "member_expression") {
			length := map[int]string{py: "len(" + o.Text() + ")", js: o.Text() + ".length", golang: "len(" + o.Text() + ")"}[s.d.lang]
			switch {
			case isConstant(i) && !isString(i) || strings.HasPrefix(i.Text(), "-") || strings.HasPrefix(i.Text(), "len("):
				out = addOnce(out, map[int]string{py: "not " + o.Text(), js: length + " === 0", golang: length + " == 0"}[s.d.lang])
			case i.Kind() == "identifier" && s.d.lang == py:
				out = addOnce(out, i.Text()+" not in "+o.Text())
				out = addOnce(out, i.Text()+" >= "+length)
			case i.Kind() == "identifier":
				out = addOnce(out, i.Text()+" >= "+length)
			}
		}
		if fn, args, _, ok := call(c); ok && len(args) == 1 && (fn.Text() == "max" || fn.Text() == "min") && s.d.lang == py && args[0].Kind() == "identifier" {
			out = addOnce(out, "not "+args[0].Text())
		}
		return true
	})
	return out
}

func valueOrDefault(s *scene, n code.Node) {
	if !isValue(n) || n.Kind() == "call" && n.Field() == "object" || len(n.Text()) > 60 || strings.Contains(n.Text(), "\n") {
		return
	}
	up := n.Up()
	var values []string
	switch {
	case n.Field() == "right" && (up == "for_statement" || up == "for_in_statement" || up == "for_in_clause"):
		values = []string{s.d.list, s.d.dict}
	case up == "assignment" || up == "variable_declarator" || up == "assignment_expression" || isReturned(n):
		values = []string{s.d.list, "0", s.d.text, s.d.dict}
	case up == "arguments" && takesObject(n):
		values = []string{s.d.dict}
	case up == "argument_list" || up == "arguments" || up == "binary_operator":
		values = []string{"0", s.d.text, s.d.list}
	case up == "binary_expression":
		values = []string{"0", s.d.text}
	default:
		return
	}
	for _, v := range values {
		text := n.Text() + s.d.orElse + v
		switch up {
		case "binary_operator", "binary_expression":
			text = "(" + text + ")"
		}
		s.put(n.Start(), n.End(), text, 1, "Use %s when %s is missing.", v, one(n.Text()))
	}
	if s.d.lang == js {
		s.put(n.Start(), n.End(), "("+n.Text()+" || 0)", 0.3, "Use 0 when %s is missing or not a number.", one(n.Text()))
	}
}

// takesObject tells whether a value is given to one of JavaScript's functions
// over an object's own properties.
func takesObject(n code.Node) bool {
	c, ok := n.Ancestor("call_expression")
	if !ok {
		return false
	}
	fn, ok := c.ChildByField("function")
	return ok && strings.HasPrefix(fn.Text(), "Object.")
}

func keyDefault(s *scene, n code.Node) {
	if o, k, ok := element(n); ok && n.Kind() == "subscript" && !assigned(n) && !isInteger(k) && k.Kind() != "unary_operator" && n.Up() != "delete_statement" && len(o.Text()) < 80 {
		if n.Up() == "type" || n.Up() == "with_item" || n.Up() == "as_pattern" {
			return
		}
		for i, v := range []string{"", ", 0", ", []", `, ""`, ", {}"} {
			text := o.Text() + ".get(" + k.Text() + v + ")"
			s.put(n.Start(), n.End(), text, []float64{1, 0.8, 0.5, 0.5, 0.3}[i], "Use %s, which does not fail on a missing key.", one(text))
		}
		return
	}
	fn, args, list, ok := call(n)
	if !ok || len(args) != 1 {
		return
	}
	if _, m, has := member(fn); has && (m.Text() == "get" || m.Text() == "pop") {
		for _, v := range []string{"0", "[]", `""`, "{}", "None", "False"} {
			s.put(list.End()-1, list.End()-1, ", "+v, 0.6, "Use %s when the key is missing.", v)
		}
	}
}

func optionalChain(s *scene, n code.Node) {
	if assigned(n) {
		return
	}
	switch n.Kind() {
	case "member_expression":
		o, _, ok := member(n)
		if _, has := n.ChildByField("optional_chain"); ok && !has && o.Kind() != "this" && o.Kind() != "super" && n.Up() != "update_expression" && !newCallee(n) {
			at := dotAfter(n, o)
			if at > 0 && (o.Kind() != "identifier" || s.isVariable(o)) {
				s.put(at, at+1, "?.", 1, "Read the member only when %s is there.", one(o.Text()))
			}
		}
	case "subscript_expression":
		if o, _, ok := element(n); ok && o.End() < len(s.src) && s.src[o.End()] == '[' && o.Kind() != "super" {
			s.put(o.End(), o.End(), "?.", 0.7, "Read the element only when %s is there.", one(o.Text()))
		}
	}
}

func newCallee(n code.Node) bool {
	for p := n; ; p = parentOf(p) {
		if p.Field() == "constructor" {
			return true
		}
		if _, _, ok := member(parentOf(p)); !ok {
			return p.Up() == "new_expression" && p.Field() == "constructor"
		}
		if _, ok := p.Parent(); !ok {
			return false
		}
	}
}

// dotAfter is the offset of the dot between an object and its member.
func dotAfter(n, object code.Node) int {
	for _, c := range n.Children() {
		if c.Start() >= object.End() && c.Kind() == "." {
			return c.Start()
		}
	}
	return -1
}

func (s *scene) isVariable(n code.Node) bool {
	_, ok := s.facts.lookup(n.Text(), n.Start())
	return ok
}

func dropTerm(s *scene, n code.Node) {
	left, op, right, ok := binary(n)
	if !ok || !isLogic(op.Text()) && op.Text() != "??" {
		return
	}
	s.put(n.Start(), n.End(), left.Text(), 1, "Drop the condition %s.", one(right.Text()))
	s.put(n.Start(), n.End(), right.Text(), 1, "Drop the condition %s.", one(left.Text()))
}

// addTerm makes a condition stricter or looser by another one.
func addTerm(s *scene, n code.Node) {
	c, ok := condition(n)
	if !ok || c.Start() < s.start || c.Kind() == "named_expression" || c.Kind() == "assignment_expression" || c.Kind() == "sequence_expression" {
		return
	}
	text := c.Text()
	add := func(term string, w float64) {
		if term == text || wordCount(text, term) > 0 && len(term) > 3 {
			return
		}
		for _, op := range []string{s.d.and, s.d.or} {
			s.put(c.Start(), c.End(), s.joined(c, op, false)+" "+op+" "+term, w, "Ask for %s %s too.", op, one(term))
		}
		if strings.Contains(term, s.d.notNull) || !strings.Contains(term, " ") {
			s.put(c.Start(), c.End(), term+" "+s.d.and+" "+s.joined(c, s.d.and, true), w, "Ask for %s first.", one(term))
		}
	}
	for _, name := range s.dereferenced(c) {
		if s.d.lang == py {
			add(name, 0.7)
		}
		if s.d.lang != golang || s.nillable(name, c.Start()) {
			add(name+s.d.notNull, 1)
		}
	}
	done := 0
	for _, other := range s.facts.conditions {
		if other == c || done >= 14 || !s.inScope(other, c.Start()) {
			continue
		}
		if k := other.Kind(); k == "named_expression" || k == "assignment_expression" || k == "sequence_expression" || k == "lambda" || k == "conditional_expression" || k == "ternary_expression" {
			continue
		}
		done++
		if k := other.Kind(); k == "boolean_operator" || isLogicNode(other) {
			add("("+other.Text()+")", 0.3)
		} else {
			add(other.Text(), 0.8)
		}
	}
	s.addNames(c, add)
}

func isLogicNode(n code.Node) bool {
	_, op, _, ok := binary(n)
	return ok && isLogic(op.Text())
}

// addNames offers the truth of variables in scope as terms.
func (s *scene) addNames(c code.Node, add func(string, float64)) {
	done := 0
	for _, v := range s.facts.visible(c.Start()) {
		if v.kind == "module" || done >= 10 || s.d.lang == golang && v.typ != "bool" {
			continue
		}
		done++
		w := 0.3
		if v.typ == "bool" || v.uses <= 1 {
			w = 1
		}
		add(v.name, w)
		add(s.d.not+v.name, w)
	}
}

// joined is a condition in parentheses where the operator beside it needs
// them.
func (s *scene) joined(c code.Node, op string, _ bool) string {
	switch c.Kind() {
	case "lambda", "conditional_expression", "ternary_expression", "arrow_function", "yield_expression":
		return "(" + c.Text() + ")"
	}
	if _, o, _, ok := binary(c); ok && (isLogic(o.Text()) && o.Text() != op || o.Text() == "??") {
		return "(" + c.Text() + ")"
	}
	return c.Text()
}

// inScope tells whether all variables of a piece of code are known at an
// offset.
func (s *scene) inScope(piece code.Node, at int) bool {
	ok := true
	piece.Walk(func(c code.Node) bool {
		if c.Kind() == "identifier" {
			_, there := s.facts.lookup(c.Text(), c.Start())
			_, here := s.facts.lookup(c.Text(), at)
			if there && !here {
				ok = false
			}
		}
		return ok
	})
	return ok
}

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

func deleteStatement(s *scene, n code.Node) {
	if !isStatement(n) {
		return
	}
	w := 1.0
	switch n.Kind() {
	case "expression_statement", "break_statement", "continue_statement", "inc_statement", "dec_statement", "throw_statement", "delete_statement":
		if kids := n.NamedChildren(); len(kids) == 1 {
			if k := kids[0].Kind(); isString(kids[0]) {
				return
			} else if k == "assignment" {
				w = 0.4
			}
		}
	case "assignment_statement":
		w = 0.7
	case "raise_statement", "return_statement":
		w = 0.4
	case "if_statement":
		if !isGuard(n) && n.EndLine() > n.Line()+4 {
			return
		}
		w = 0.6
	case "defer_statement":
		w = 0.2
	default:
		return
	}
	if s.d.lang == golang && n.Kind() == "return_statement" && !strings.HasPrefix(ownerOf(n).Kind(), "if") {
		return
	}
	start, end, ok := s.wholeLines(n)
	if !ok {
		return
	}
	if s.d.lang == py && len(parentOf(n).NamedChildren()) == 1 {
		s.put(n.Start(), n.End(), "pass", w, "Delete %s.", one(n.Text()))
		return
	}
	s.put(start, end, "", w, "Delete %s.", one(n.Text()))
	if n.Kind() == "if_statement" {
		s.unwrap(n, start, end)
	}
}

// unwrap runs the body of an if without its condition.
func (s *scene) unwrap(n code.Node, start, end int) {
	c, ok := n.ChildByField("consequence")
	if _, has := n.ChildByField("alternative"); !ok || has {
		return
	}
	list := statements(c)
	if len(list) == 0 || leaves(list[len(list)-1]) {
		return
	}
	in, _ := s.indent(n)
	bi, alone := s.indent(list[0])
	last := list[len(list)-1]
	if !alone || strings.ContainsAny(string(s.src[list[0].Start():last.End()]), "`") || strings.Contains(string(s.src[list[0].Start():last.End()]), `"""`) {
		return
	}
	text := string(s.src[list[0].Start():last.End()])
	text = in + strings.ReplaceAll(text, "\n"+bi, "\n"+in)
	tail := ""
	if end > 0 && s.src[end-1] == '\n' {
		tail = s.eol
	}
	s.put(start, end, text+tail, 0.4, "Do %s in any case.", one(text))
}

func swapStatements(s *scene, n code.Node) {
	if !isStatement(n) || !simple(n) {
		return
	}
	list := parentOf(n).NamedChildren()
	for i, c := range list {
		if c != n || i+1 >= len(list) {
			continue
		}
		next := list[i+1]
		_, a := s.indent(n)
		_, b := s.indent(next)
		if !a || !b || !s.endsLine(n) || !s.endsLine(next) || next.EndLine() > next.Line()+12 {
			return
		}
		w := 1.0
		switch next.Kind() {
		case "function_definition", "class_definition", "decorated_definition", "function_declaration", "class_declaration", "pass_statement":
			return
		}
		if leaves(next) {
			w = 0.1
		}
		if s.d.lang == golang && (n.Kind() == "short_var_declaration" || next.Kind() == "return_statement") {
			w *= 0.2
		}
		text := next.Text() + string(s.src[n.End():next.Start()]) + n.Text()
		s.put(n.Start(), next.End(), text, w, "Do %s before %s.", one(next.Text()), one(n.Text()))
	}
}

// simple tells a statement without a body of its own.
func simple(n code.Node) bool {
	switch n.Kind() {
	case "expression_statement":
		kids := n.NamedChildren()
		return len(kids) == 1 && !isString(kids[0])
	case "assignment_statement", "short_var_declaration", "inc_statement", "dec_statement", "lexical_declaration", "variable_declaration", "delete_statement", "send_statement":
		return true
	}
	return false
}

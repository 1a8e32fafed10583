package mutate

import (
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

var boundaries = map[string]string{"<": "<=", "<=": "<", ">": ">=", ">=": ">"}

func boundary(s *scene, n code.Node) {
	_, op, _, ok := operatorIn(n)
	if !ok {
		return
	}
	if to := boundaries[op.Text()]; to != "" {
		s.put(op.Start(), op.End(), to, 1, "Compare with %s instead of %s.", to, op.Text())
	}
}

// operatorIn gives the operator of a comparison, also in a chain: the nodes
// around it and itself.
func operatorIn(n code.Node) (left, op, right code.Node, ok bool) {
	if n.Field() == "operators" || n.Field() == "operator" {
		p, has := n.Parent()
		if !has || !isComparison(n.Text()) && !isComparison(n.Kind()) {
			return left, op, right, false
		}
		kids := p.Children()
		for i, c := range kids {
			if c == n && i > 0 && i+1 < len(kids) {
				return kids[i-1], n, kids[i+1], true
			}
		}
	}
	return left, op, right, false
}

func comparison(s *scene, n code.Node) {
	left, op, right, ok := operatorIn(n)
	if !ok {
		return
	}
	text := strings.Join(strings.Fields(op.Text()), " ")
	for _, c := range comparisonChoices(s.d.lang, text, left, right) {
		s.put(op.Start(), op.End(), c.text, c.weight, "Compare with %s instead of %s.", c.text, text)
	}
}

type choice struct {
	text   string
	weight float64
}

func comparisonChoices(lang int, op string, left, right code.Node) []choice {
	switch op {
	case "<", "<=", ">", ">=":
		flip := map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<="}[op]
		out := []choice{{flip, 1}, {map[string]string{"<": ">=", "<=": ">", ">": "<=", ">=": "<"}[op], 0.7}}
		if lang == js {
			return append(out, choice{"===", 0.2}, choice{"!==", 0.2})
		}
		return append(out, choice{"==", 0.2}, choice{"!=", 0.2})
	case "==", "!=", "===", "!==":
		out := []choice{{map[string]string{"==": "!=", "!=": "==", "===": "!==", "!==": "==="}[op], 1}}
		if orderable(left) && orderable(right) {
			for _, o := range []string{">=", "<=", ">", "<"} {
				out = append(out, choice{o, 0.5})
			}
		}
		if lang == py && right.Kind() == "none" {
			out = append(out, choice{map[string]string{"==": "is", "!=": "is not"}[op], 0.3})
		}
		if lang == py && !orderable(right) {
			out = append(out, choice{map[string]string{"==": "in", "!=": "not in"}[op], 0.3})
		}
		return out
	case "is":
		return []choice{{"is not", 1}}
	case "is not":
		return []choice{{"is", 1}}
	case "in":
		if lang == js {
			return nil
		}
		return []choice{{"not in", 1}, {"==", 0.1}}
	case "not in":
		return []choice{{"in", 1}, {"!=", 0.1}}
	}
	return nil
}

// orderable tells what may be compared by size.
func orderable(n code.Node) bool {
	switch n.Kind() {
	case "none", "null", "nil", "undefined", "true", "false", "string", "template_string", "interpreted_string_literal",
		"list", "tuple", "dictionary", "array", "object":
		return false
	}
	return true
}

func logical(s *scene, n code.Node) {
	_, op, _, ok := binary(n)
	if !ok || !isLogic(op.Text()) {
		return
	}
	to := map[string]string{"and": "or", "or": "and", "&&": "||", "||": "&&"}[op.Text()]
	w := 1.0
	if s.d.lang != py {
		// && binds tighter than ||: put the whole in parentheses where it stands in another.
		if p, ok := n.Parent(); ok {
			if _, o, _, ok := binary(p); ok && isLogic(o.Text()) {
				s.put(n.Start(), n.End(), "("+replaceAt(n, op, to)+")", 1, "Join the conditions with %s instead of %s.", to, op.Text())
				w = 0.3
			}
		}
	}
	s.put(op.Start(), op.End(), to, w, "Join the conditions with %s instead of %s.", to, op.Text())
	if s.d.lang == js && op.Text() == "||" {
		if p, ok := n.Parent(); ok && condOf(p) != n {
			s.put(op.Start(), op.End(), "??", 0.5, "Use ?? so that 0 and the empty text are kept.")
		}
	}
}

// condOf is the condition of a node, or a zero node.
func condOf(n code.Node) code.Node {
	for n.Kind() == "parenthesized_expression" {
		p, ok := n.Parent()
		if !ok {
			break
		}
		n = p
	}
	c, _ := condition(n)
	return c
}

// replaceAt is the text of outer with part replaced.
func replaceAt(outer, part code.Node, text string) string {
	src := outer.Tree().Src
	return string(src[outer.Start():part.Start()]) + text + string(src[part.End():outer.End()])
}

func arithmetic(s *scene, n code.Node) {
	left, op, _, ok := binary(n)
	if !ok || !isArithmetic(op.Text()) || isString(left) || left.Kind() == "template_string" {
		return
	}
	choices := map[string][]choice{
		"+": {{"-", 1}, {"*", 0.4}}, "-": {{"+", 1}, {"*", 0.2}}, "*": {{"/", 0.6}, {"+", 0.6}, {"-", 0.2}},
		"/": {{"*", 0.8}, {"-", 0.2}, {"%", 0.4}}, "//": {{"%", 0.6}, {"*", 0.4}}, "%": {{"/", 0.5}, {"*", 0.2}},
		"**": {{"*", 0.8}}, "<<": {{">>", 1}}, ">>": {{"<<", 1}}, "&": {{"|", 1}}, "|": {{"&", 1}}, "^": {{"&", 0.3}, {"|", 0.3}},
	}[op.Text()]
	if s.d.lang == py {
		switch op.Text() {
		case "*":
			choices = append(choices, choice{"**", 0.4})
		case "%":
			choices = append(choices, choice{"//", 0.7})
		}
	}
	for _, c := range choices {
		s.put(op.Start(), op.End(), c.text, c.weight, "Calculate with %s instead of %s.", c.text, op.Text())
	}
	s.regroup(n, op)
}

// regroup puts a + b * c into (a + b) * c and the like.
func (s *scene) regroup(n, op code.Node) {
	left, o1, right, _ := binary(n)
	weak := func(o string) bool { return o == "+" || o == "-" }
	if weak(op.Text()) {
		if a, o2, b, ok := binary(right); ok && !weak(o2.Text()) && isArithmetic(o2.Text()) {
			text := "(" + left.Text() + " " + o1.Text() + " " + a.Text() + ") " + o2.Text() + " " + b.Text()
			s.put(n.Start(), n.End(), text, 0.5, "Calculate %s first.", one(left.Text()+" "+o1.Text()+" "+a.Text()))
		}
		if a, o2, b, ok := binary(left); ok && !weak(o2.Text()) && isArithmetic(o2.Text()) {
			text := a.Text() + " " + o2.Text() + " (" + b.Text() + " " + o1.Text() + " " + right.Text() + ")"
			s.put(n.Start(), n.End(), text, 0.5, "Calculate %s first.", one(b.Text()+" "+o1.Text()+" "+right.Text()))
		}
		return
	}
	if p := left; p.Kind() == "parenthesized_expression" {
		if _, o2, _, ok := binary(inner(p)); ok && weak(o2.Text()) {
			s.put(p.Start(), p.End(), inner(p).Text(), 0.3, "Drop the parentheses around %s.", one(inner(p).Text()))
		}
	}
}

func division(s *scene, n code.Node) {
	left, op, right, ok := binary(n)
	if !ok {
		return
	}
	switch {
	case s.d.lang == py && op.Text() == "/":
		s.put(op.Start(), op.End(), "//", 1, "Divide to a whole number with //.")
	case s.d.lang == py && op.Text() == "//":
		s.put(op.Start(), op.End(), "/", 1, "Divide with / to keep the fraction.")
		s.put(n.Start(), n.End(), "-(-"+tight(left)+" // "+tight(right)+")", 0.5, "Round the division up.")
		s.put(n.Start(), n.End(), "("+left.Text()+" + "+tight(right)+" - 1) // "+right.Text(), 0.5, "Round the division up.")
	case s.d.lang == js && op.Text() == "/":
		for _, f := range []string{"floor", "ceil", "round", "trunc"} {
			s.put(n.Start(), n.End(), "Math."+f+"("+n.Text()+")", 0.5, "Round the quotient with Math.%s.", f)
		}
	case s.d.lang == golang && op.Text() == "/":
		s.put(n.Start(), n.End(), "float64("+left.Text()+") / float64("+right.Text()+")", 1, "Divide as float64 to keep the fraction.")
		s.put(n.Start(), n.End(), "("+left.Text()+" + "+tight(right)+" - 1) / "+right.Text(), 0.5, "Round the division up.")
	}
}

func negate(s *scene, n code.Node) {
	c, ok := condition(n)
	if !ok || c.Start() < s.start {
		return
	}
	text := c.Text()
	if left, op, _, ok := binary(c); ok && isComparison(op.Text()) && left.Kind() != "" {
		return // a comparison has its own operator
	}
	if isNot(c) {
		return
	}
	s.put(c.Start(), c.End(), s.not(c), 1, "Negate the condition %s.", one(text))
}

func isNot(n code.Node) bool {
	if n.Kind() == "not_operator" {
		return true
	}
	if n.Kind() == "unary_expression" {
		o, ok := n.ChildByField("operator")
		return ok && o.Text() == "!"
	}
	return false
}

// not negates an expression.
func (s *scene) not(n code.Node) string {
	if s.d.lang == py {
		switch n.Kind() {
		case "boolean_operator", "conditional_expression", "named_expression", "lambda":
			return "not (" + n.Text() + ")"
		}
		return "not " + n.Text()
	}
	return s.d.not + tight(n)
}

func removeNot(s *scene, n code.Node) {
	if !isNot(n) {
		return
	}
	arg, ok := n.ChildByField("argument")
	if !ok {
		arg, ok = n.ChildByField("operand")
	}
	if ok {
		s.put(n.Start(), n.End(), arg.Text(), 1, "Do not negate %s.", one(arg.Text()))
	}
}

func unaryMinus(s *scene, n code.Node) {
	switch n.Kind() {
	case "unary_operator", "unary_expression":
		o, ok := n.ChildByField("operator")
		if ok && o.Text() == "-" {
			s.put(o.Start(), o.End(), "", 1, "Drop the minus sign of %s.", one(n.Text()))
		}
		return
	}
	if !isValue(n) || s.typeIs(n, "text", "string", "bool", "list", "error") {
		return
	}
	switch n.Up() {
	case "return_statement", "assignment", "variable_declarator", "assignment_expression", "expression_list", "tuple", "lambda", "arrow_function", "array":
		if n.Up() != "arrow_function" || n.Field() == "body" {
			s.put(n.Start(), n.End(), "-"+n.Text(), 0.5, "Use the negative of %s.", one(n.Text()))
		}
	}
	if fn, args, _, ok := call(n); ok && fn.Kind() == "identifier" && len(args) == 1 && fn.Text() == "abs" {
		s.put(n.Start(), n.End(), "-"+n.Text(), 0.2, "Use the negative of %s.", one(n.Text()))
	}
}

// typeIs tells whether a variable's known type is one of the types.
func (s *scene) typeIs(n code.Node, types ...string) bool {
	if n.Kind() != "identifier" {
		return false
	}
	v, ok := s.facts.lookup(n.Text(), n.Start())
	for _, t := range types {
		if ok && v.typ == t {
			return true
		}
	}
	return false
}

func offByOne(s *scene, n code.Node) {
	switch {
	case isInteger(n):
		s.stepInteger(n)
	case n.Kind() == "binary_operator" || n.Kind() == "binary_expression":
		left, op, right, ok := binary(n)
		if ok && (op.Text() == "+" || op.Text() == "-") && isInteger(right) && right.Text() == "1" {
			s.put(left.End(), n.End(), "", 1, "Use %s without %s 1.", one(left.Text()), op.Text())
		}
		if ok && isArithmetic(op.Text()) && op.Text() != "%" {
			s.stepOperand(left)
			s.stepOperand(right)
		}
		if !ok || !isComparison(op.Text()) || op.Kind() == "in" {
			return
		}
		s.step(right, 0.4)
	case n.Kind() == "comparison_operator":
		kids := n.NamedChildren()
		if orderable(kids[len(kids)-1]) {
			if _, op, _, ok := binary(n); !ok || boundaries[op.Text()] != "" || op.Text() == "==" {
				s.step(kids[len(kids)-1], 0.4)
			}
		}
	case n.Kind() == "call" || n.Kind() == "call_expression":
		if fn, args, _, ok := call(n); ok && fn.Text() == "range" {
			for i, a := range args {
				s.step(a, []float64{1, 1.5, 0.3}[min(i, 2)])
			}
			if len(args) == 1 {
				s.put(args[0].Start(), args[0].End(), "1, "+args[0].Text(), 0.7, "Begin the range at 1.")
				s.put(args[0].Start(), args[0].End(), "1, "+args[0].Text()+" + 1", 0.7, "Count from 1 to %s.", one(args[0].Text()))
			}
			if len(args) == 2 && isInteger(args[0]) {
				s.put(args[0].Start(), args[1].End(), args[1].Text(), 0.5, "Begin the range at 0.")
			}
		} else if ok && fn.Text() == "len" && isReturned(n) {
			s.step(n, 0.3)
		}
	case n.Kind() == "identifier" && (n.Up() == "argument_list" || n.Up() == "arguments" || n.Up() == "assignment") && isValue(n):
		s.step(n, 0.1)
	case isReturned(n) && isValue(n) && !s.typeIs(n, "text", "string", "bool", "list", "error", "dict", "set"):
		s.step(n, 0.2)
	}
}

// stepOperand adds or takes one from a name beside an operator.
func (s *scene) stepOperand(n code.Node) {
	switch n.Kind() {
	case "identifier", "attribute", "member_expression", "selector_expression":
		if !s.typeIs(n, "text", "string", "bool", "list", "error", "dict", "set", "float64") {
			s.put(n.Start(), n.End(), "("+n.Text()+" - 1)", 0.25, "Use %s - 1.", one(n.Text()))
			s.put(n.Start(), n.End(), "("+n.Text()+" + 1)", 0.25, "Use %s + 1.", one(n.Text()))
		}
	}
}

func isReturned(n code.Node) bool {
	switch n.Up() {
	case "return_statement":
		return true
	case "expression_list":
		p, _ := n.Parent()
		return p.Up() == "return_statement" && len(p.NamedChildren()) == 1
	}
	return false
}

// stepInteger changes an integer by one.
func (s *scene) stepInteger(n code.Node) {
	v, err := strconv.ParseInt(n.Text(), 0, 64)
	if err != nil || strings.HasPrefix(n.Text(), "0") && len(n.Text()) > 1 {
		return
	}
	s.put(n.Start(), n.End(), strconv.FormatInt(v+1, 10), 1, "Use %d instead of %d.", v+1, v)
	if v > 0 {
		s.put(n.Start(), n.End(), strconv.FormatInt(v-1, 10), 1, "Use %d instead of %d.", v-1, v)
		return
	}
	if p := n.Up(); p != "unary_operator" && p != "unary_expression" && !unsignedPlace(n) {
		s.put(n.Start(), n.End(), "-1", 0.6, "Use -1 instead of %d.", v)
	}
}

// unsignedPlace tells a place where a minus sign would not parse.
func unsignedPlace(n code.Node) bool {
	switch n.Up() {
	case "case_pattern", "array_type", "literal_type", "member_expression", "attribute", "pair", "enum_assignment", "literal_element":
		return true
	}
	if _, op, right, ok := binary(parentOf(n)); ok && right == n && (op.Text() == "-" || op.Text() == "**" || op.Text() == "<<" || op.Text() == ">>") {
		return true
	}
	return n.Field() == "key" || n.Field() == "length"
}

func parentOf(n code.Node) code.Node {
	if p, ok := n.Parent(); ok {
		return p
	}
	return n
}

// step adds or takes one from an expression that is not an integer.
func (s *scene) step(n code.Node, weight float64) {
	if isInteger(n) || !orderable(n) || !isExpression(n) || s.typeIs(n, "text", "string", "bool", "list", "error", "dict", "set") {
		return
	}
	if isNot(n) || n.Kind() == "lambda" || n.Kind() == "conditional_expression" {
		return
	}
	if _, op, right, ok := binary(n); ok {
		if !isArithmetic(op.Text()) {
			return
		}
		if isInteger(right) && (op.Text() == "+" || op.Text() == "-") {
			return // its integer has its own steps
		}
	}
	text := n.Text()
	if k := n.Kind(); k == "ternary_expression" || k == "boolean_operator" || k == "assignment_expression" || k == "await_expression" {
		text = tight(n)
	}
	s.put(n.Start(), n.End(), text+" + 1", weight, "Use %s + 1.", one(n.Text()))
	s.put(n.Start(), n.End(), text+" - 1", weight, "Use %s - 1.", one(n.Text()))
}

func integerConstant(s *scene, n code.Node) {
	if !isInteger(n) {
		return
	}
	negative := n.Up() == "unary_operator" || n.Up() == "unary_expression"
	put := func(text string, w float64) {
		if text != n.Text() {
			s.put(n.Start(), n.End(), text, w, "Use %s instead of %s.", text, n.Text())
		}
	}
	put("0", 0.8)
	put("1", 0.8)
	if n.Text() != "0" {
		if !negative && !unsignedPlace(n) {
			put("-"+n.Text(), 0.4)
		}
		put("2", 0.3)
		put(n.Text()+"0", 0.3)
		if strings.HasSuffix(n.Text(), "0") && len(n.Text()) > 1 {
			put(strings.TrimSuffix(n.Text(), "0"), 0.4)
		}
	}
	for i, other := range s.facts.ints {
		if i < 25 {
			put(other, 0.3)
		}
	}
	if v, err := strconv.Atoi(n.Text()); err == nil && v > 3 {
		put(strconv.Itoa(v*2), 0.1)
		put(strconv.Itoa(v/2), 0.1)
	}
}

func floatConstant(s *scene, n code.Node) {
	k := n.Kind()
	if k != "float" && k != "float_literal" && (k != "number" || !strings.Contains(n.Text(), ".")) {
		return
	}
	v, err := strconv.ParseFloat(n.Text(), 64)
	if err != nil {
		return
	}
	for _, c := range []float64{v * 10, v / 10, 1 - v, v * 100, v / 100, 1 + v, 1, 0, v * 2, v / 2} {
		text := strconv.FormatFloat(c, 'g', 10, 64)
		if c < 0 || text == n.Text() {
			continue
		}
		if !strings.ContainsAny(text, ".e") {
			text += ".0"
		}
		s.put(n.Start(), n.End(), text, 1, "Use %s instead of %s.", text, n.Text())
	}
}

func booleanFlip(s *scene, n code.Node) {
	switch n.Kind() {
	case "true":
		s.put(n.Start(), n.End(), s.d.no, 1, "Use %s instead of %s.", s.d.no, n.Text())
	case "false":
		s.put(n.Start(), n.End(), s.d.yes, 1, "Use %s instead of %s.", s.d.yes, n.Text())
	}
}

func stringConstant(s *scene, n code.Node) {
	if !plainString(n) || n.Up() == "expression_statement" || n.Up() == "import_spec" || n.Field() == "source" {
		return
	}
	own := role(n)
	for i, c := range s.facts.strings {
		if i >= 60 || c.text == n.Text() {
			continue
		}
		w := 0.2
		if c.role == own {
			w = 1
		}
		if near(c.text, n.Text()) {
			w *= 3
		}
		s.put(n.Start(), n.End(), c.text, w, "Use %s instead of %s.", one(c.text), one(n.Text()))
	}
	body := n.Text()[1 : len(n.Text())-1]
	q := n.Text()[:1]
	if body != "" {
		if s.d.lang != golang || q == `"` {
			s.put(n.Start(), n.End(), q+q, 0.3, "Use the empty text instead of %s.", one(n.Text()))
		}
		for _, v := range []string{strings.ToLower(body), strings.ToUpper(body), strings.TrimSpace(body)} {
			if v != "" && !strings.Contains(v, `\`) {
				s.put(n.Start(), n.End(), q+v+q, 0.2, "Use %s instead of %s.", one(q+v+q), one(n.Text()))
			}
		}
	}
	if body == "" {
		s.put(n.Start(), n.End(), q+" "+q, 0.4, "Use a space instead of nothing.")
		s.put(n.Start(), n.End(), q+", "+q, 0.1, "Use a comma and a space instead of nothing.")
	}
	if body == " " {
		s.put(n.Start(), n.End(), q+", "+q, 0.1, "Use a comma and a space instead of a space.")
	}
	if body == "," {
		s.put(n.Start(), n.End(), q+", "+q, 0.4, "Put a space after the comma.")
	}
}

// near tells two names that are easily confused: they share a word, or differ
// by at most two letters.
func near(a, b string) bool {
	a, b = strings.ToLower(strings.Trim(a, `"'`)), strings.ToLower(strings.Trim(b, `"'`))
	if a == b {
		return true
	}
	if len(a) > 3 && len(b) > 3 && (strings.Contains(a, b) || strings.Contains(b, a)) {
		return true
	}
	for w := range strings.FieldsFuncSeq(a, func(r rune) bool { return r == '_' || r == ' ' || r == '-' }) {
		if len(w) > 2 {
			for v := range strings.FieldsFuncSeq(b, func(r rune) bool { return r == '_' || r == ' ' || r == '-' }) {
				if v == w {
					return true
				}
			}
		}
	}
	return len(a) > 3 && len(b) > 3 && distance(a, b) <= 2
}

// distance is the edit distance of two short words.
func distance(a, b string) int {
	if len(a) > 40 || len(b) > 40 {
		return 40
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			diagonal, row[j] = row[j], min(row[j]+1, row[j-1]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}

func initialValue(s *scene, n code.Node) {
	switch n.Kind() {
	case "assignment", "variable_declarator", "short_var_declaration", "var_spec", "assignment_expression":
	default:
		return
	}
	v, ok := n.ChildByField("right")
	if !ok {
		v, ok = n.ChildByField("value")
	}
	if !ok {
		return
	}
	if v.Kind() == "expression_list" {
		kids := v.NamedChildren()
		if len(kids) != 1 {
			return
		}
		v = kids[0]
	}
	var to []string
	switch v.Kind() {
	case "integer", "number", "int_literal":
		if v.Text() != "0" && v.Text() != "1" {
			return
		}
		to = map[int][]string{
			py: {`float("inf")`, `float("-inf")`, "None", "[]", `""`}, js: {"Infinity", "-Infinity", "null", "[]", `""`}, golang: {"math.MaxInt", "math.MinInt"},
		}[s.d.lang]
		if s.d.lang == golang && !s.facts.imports["math"] {
			to = nil
		}
	case "none", "null", "undefined":
		to = []string{"0", "[]", "{}", `""`, s.d.no}
	case "list", "array":
		if v.Text() == "[]" {
			to = []string{"{}", s.d.null}
			if s.d.lang == py {
				to = append(to, "set()")
			}
		}
	case "dictionary", "object":
		if v.Text() == "{}" {
			to = []string{"[]", s.d.null}
			if s.d.lang == py {
				to = append(to, "set()")
			}
		}
	}
	if p, ok := s.seed(n, v); ok {
		to = append(to, p)
	}
	for i, text := range to {
		s.put(v.Start(), v.End(), text, []float64{1, 0.6, 0.4, 0.3, 0.2, 1}[min(i, 5)], "Begin with %s instead of %s.", text, one(v.Text()))
	}
}

// seed is the first element of what the loop right after an initialisation
// goes over: the value to begin a minimum or maximum with.
func (s *scene) seed(n, v code.Node) (string, bool) {
	st, ok := statementOf(n)
	if !ok || !isInteger(v) && v.Kind() != "unary_operator" {
		return "", false
	}
	p, _ := st.Parent()
	list := p.NamedChildren()
	for i, c := range list {
		if c == st && i+1 < len(list) && (list[i+1].Kind() == "for_statement" || list[i+1].Kind() == "for_in_statement") {
			r, ok := list[i+1].ChildByField("right")
			if !ok {
				r, ok = firstOf(list[i+1], "range_clause", "right")
			}
			if ok && (r.Kind() == "identifier" || r.Kind() == "attribute" || r.Kind() == "member_expression" || r.Kind() == "selector_expression") {
				return r.Text() + "[0]", true
			}
		}
	}
	return "", false
}

func firstOf(n code.Node, kind, field string) (code.Node, bool) {
	for _, c := range n.NamedChildren() {
		if c.Kind() == kind {
			return c.ChildByField(field)
		}
	}
	return code.Node{}, false
}

func operandSwap(s *scene, n code.Node) {
	left, op, right, ok := binary(n)
	if !ok || left.Text() == right.Text() {
		return
	}
	switch op.Text() {
	case "-", "/", "//", "%", "**", "in", "not in":
	case "+":
		if !isString(left) && !isString(right) && left.Kind() != "template_string" && !s.typeIs(left, "text", "string", "list") {
			return
		}
	default:
		return
	}
	s.put(n.Start(), n.End(), tight(right)+" "+op.Text()+" "+tight(left), 1, "Swap the operands of %s.", one(n.Text()))
}

func operandDrop(s *scene, n code.Node) {
	left, op, right, ok := binary(n)
	if !ok || !isArithmetic(op.Text()) {
		return
	}
	s.put(n.Start(), n.End(), left.Text(), 1, "Use %s alone.", one(left.Text()))
	if op.Text() != "-" && op.Text() != "/" {
		s.put(n.Start(), n.End(), right.Text(), 0.6, "Use %s alone.", one(right.Text()))
	}
}

func equalityKind(s *scene, n code.Node) {
	_, op, right, ok := operatorIn(n)
	if !ok {
		return
	}
	to := map[string]string{"==": "===", "===": "==", "!=": "!==", "!==": "!="}
	if s.d.lang == py {
		to = map[string]string{"is": "==", "is not": "!="}
		if right.Kind() == "none" || right.Kind() == "true" || right.Kind() == "false" {
			to["=="], to["!="] = "is", "is not"
		}
	}
	if text := to[strings.Join(strings.Fields(op.Text()), " ")]; text != "" {
		s.put(op.Start(), op.End(), text, 1, "Compare with %s instead of %s.", text, op.Text())
	}
}

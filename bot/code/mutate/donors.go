package mutate

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// literalVariable uses a variable where a constant stands: a step, a bound or
// a name that was written down for one case only.
func literalVariable(s *scene, n code.Node) {
	switch n.Kind() {
	case "update_expression", "inc_statement", "dec_statement":
		s.stepBy(n)
		return
	}
	if !isInteger(n) && !plainString(n) || n.Up() == "expression_statement" || n.Up() == "import_spec" || n.Field() == "source" || n.Up() == "default_parameter" || n.Up() == "case_pattern" {
		return
	}
	if n.Field() == "key" || n.Up() == "keyed_element" || n.Up() == "literal_element" || n.Up() == "pair" && n.Field() != "value" || n.Up() == "array_type" {
		return
	}
	if _, ok := enclosing(n); !ok {
		return
	}
	number := isInteger(n)
	for _, v := range s.facts.visible(n.Start()) {
		w := 0.5
		if v.uses <= 1 {
			w = 3
		}
		switch v.typ {
		case "number", "int":
			if !number {
				continue
			}
			w *= 2
		case "text", "string":
			if number {
				continue
			}
			w *= 2
		case "":
			if s.d.lang == golang || !number && v.uses > 1 {
				continue
			}
		default:
			continue
		}
		if v.kind == "module" {
			w *= 0.5
		}
		s.put(n.Start(), n.End(), v.name, w, "Use the variable %s instead of %s.", one(v.name), one(n.Text()))
	}
}

// stepBy counts by a variable instead of by one.
func (s *scene) stepBy(n code.Node) {
	kids := n.NamedChildren()
	if len(kids) != 1 || n.Up() != "expression_statement" && n.Up() != "statement_list" && n.Field() != "increment" && n.Field() != "update" {
		return
	}
	op := " -= "
	if strings.Contains(n.Text(), "++") {
		op = " += "
	}
	for _, v := range s.facts.visible(n.Start()) {
		if v.name == kids[0].Text() || v.kind == "module" || v.typ != "number" && v.typ != "int" {
			continue
		}
		s.put(n.Start(), n.End(), kids[0].Text()+op+v.name, 2, "Count by %s.", one(v.name))
	}
}

// symmetricWrap treats both operands the same way: f(a) == b becomes
// f(a) == f(b), a.lower() in b becomes a.lower() in b.lower().
func symmetricWrap(s *scene, n code.Node) {
	left, op, right, ok := binary(n)
	if !ok || strings.Contains(n.Text(), "\n") {
		return
	}
	if !isComparison(op.Text()) && !isArithmetic(op.Text()) {
		return
	}
	try := func(wrapped, bare code.Node) {
		form, ok := wrapForm(wrapped)
		if !ok || isConstant(bare) || len(bare.Text()) > 60 || !isExpression(bare) {
			return
		}
		if _, again := wrapForm(bare); again {
			return
		}
		before, after, _ := strings.Cut(form, "%")
		text := before + bare.Text() + after
		if before == "" {
			text = tight(bare) + after
		}
		s.put(bare.Start(), bare.End(), text, 1, "Use %s on both sides.", one(text))
	}
	try(left, right)
	try(right, left)
}

// wrapForm is a call with its only operand taken out: f(%), %.m().
func wrapForm(n code.Node) (string, bool) {
	fn, args, _, ok := call(n)
	if !ok || len(n.Text()) > 80 {
		return "", false
	}
	if _, m, has := member(fn); has && len(args) == 0 {
		return "%." + m.Text() + "()", true
	}
	if len(args) == 1 && args[0].Kind() != "keyword_argument" && !strings.Contains(fn.Text(), "%") {
		return fn.Text() + "(%)", true
	}
	return "", false
}

// expressionDonor uses an expression that stands elsewhere in the same
// function and speaks of the same thing.
func expressionDonor(s *scene, n code.Node) {
	if s.d.lang == golang || !isValue(n) || len(n.Text()) > 60 || strings.Contains(n.Text(), "\n") || n.Field() == "object" {
		return
	}
	if n.Up() == "expression_statement" || n.Up() == "decorator" || n.Up() == "with_item" || n.Up() == "raise_statement" {
		return
	}
	fn, ok := enclosing(n)
	if !ok {
		return
	}
	root := rootName(n)
	var texts []string
	fn.Walk(func(c code.Node) bool {
		if len(texts) >= 8 || c != fn && isFunction(c) && (n.Start() < c.Start() || n.End() > c.End()) {
			return false
		}
		switch c.Kind() {
		case "call", "call_expression", "subscript", "subscript_expression", "attribute", "member_expression", "binary_operator", "binary_expression":
		default:
			return true
		}
		if c.Field() == "function" || assigned(c) || c.Up() == "expression_statement" || c.Field() == "type" || len(c.Text()) > 50 || strings.Contains(c.Text(), "\n") {
			return true
		}
		if c.Start() >= n.Start() && c.End() <= n.End() || c.Start() <= n.Start() && c.End() >= n.End() || root != "" && wordCount(c.Text(), root) == 0 || !s.inScope(c, n.Start()) {
			return true
		}
		if !slices.Contains(texts, c.Text()) && c.Text() != n.Text() {
			texts = append(texts, c.Text())
			text := c.Text()
			if _, _, _, ok := binary(c); ok && n.Up() != "assignment" && n.Up() != "return_statement" && n.Up() != "argument_list" && n.Up() != "arguments" {
				text = "(" + text + ")"
			}
			s.put(n.Start(), n.End(), text, 1, "Use %s instead of %s, as elsewhere in the function.", one(c.Text()), one(n.Text()))
		}
		return true
	})
}

// rootName is the variable that a chain of members, elements and calls begins
// with.
func rootName(n code.Node) string {
	for {
		if n.Kind() == "identifier" {
			return n.Text()
		}
		if o, _, ok := member(n); ok {
			n = o
			continue
		}
		if o, _, ok := element(n); ok {
			n = o
			continue
		}
		fn, _, _, ok := call(n)
		if !ok {
			return ""
		}
		n = fn
	}
}

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
